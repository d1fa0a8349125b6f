import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stripIgnoredCharacters } from 'graphql';
import { describe, expect, it } from 'vitest';
import { textOf, withKeys } from '../../../packages/client/src/document.ts';
import { projectPath } from '../../../src/paths.ts';
import * as generated from '../../generated/graphql.ts';

const EXAMPLES = readdirSync(projectPath('pages/examples')).filter((name) => name.endsWith('.graphql'));
const EVERYTHING = `
  # A comment with mutation and input: $inline.
  query All($id: ID! = "x" @deprecated, $list: [Int!]! = [1, 2], $money: MoneyInput = { value: -1.5, currency: USD }) @live {
    alias: node(id: $id) @include(if: true) @skip(if: false) {
      ... on Collection @defer(label: "a \\"b\\" \\u00e9 \\n") { name }
      ... { id }
      ...Named @client
    }
    field(list: $list, nothing: null, yes: true, block: """
      a "text"
        of two lines
    """)
  }
  fragment Named on Product @tag { name }
  subscription { priceAlertTriggered { id } }
`;

const treeOf = (text: string) => parse(text, { noLocation: true });
/** As the generator writes it: no text to fall back on, and without what is empty. */
const plain = (text: string) => JSON.parse(JSON.stringify(treeOf(text)));
/** A block text is printed as a plain one of the same value. */
const comparable = (tree: object) =>
  JSON.parse(JSON.stringify(tree, (key, value) => (key === 'block' ? undefined : value)));

describe('The text of a document', () => {
  it.each(EXAMPLES)('is the same document: %s', (name) => {
    const text = readFileSync(projectPath(join('pages/examples', name)), 'utf8');
    expect(treeOf(textOf(plain(text)))).toEqual(treeOf(text));
    expect(textOf(text)).toBe(text);
  });

  it('has everything that a document of operations can have', () => {
    expect(comparable(treeOf(textOf(plain(EVERYTHING))))).toEqual(comparable(treeOf(EVERYTHING)));
  });

  it('is made of typed documents, and of string documents', () => {
    const printed = textOf(generated.FirstQueryDocument);
    expect(stripIgnoredCharacters(printed)).toContain(
      'query FirstQuery{products(query:"command and conquer"',
    );
    expect(textOf(Object('{ viewer { name } }'))).toBe('{ viewer { name } }');
  });

  it('is none of a schema', () => {
    expect(() => textOf(plain('type Query { a: Int }'))).toThrow(/has a ObjectTypeDefinition/);
  });
});

describe('Keys of idempotency', () => {
  const KEY = /^[\da-f]{32}$/;

  it('are given to each input that is a variable', () => {
    const text = 'mutation M($buy: A!, $sell: A!) { a: x(input: $buy) { id } b: x(input : $sell) { id } }';
    const { variables, isRepeatable } = withKeys(text, {
      buy: { n: 1 },
      sell: { n: 2, idempotencyKey: 'own' },
    });
    expect(isRepeatable).toBe(true);
    expect(variables).toEqual({
      buy: { n: 1, idempotencyKey: expect.stringMatching(KEY) },
      sell: { n: 2, idempotencyKey: 'own' },
    });
  });

  it('are others for each call', () => {
    const keyOf = () =>
      (
        withKeys('mutation($i: A!) { x(input: $i) { id } }', { i: {} }).variables.i as {
          idempotencyKey: string;
        }
      ).idempotencyKey;
    expect(keyOf()).not.toBe(keyOf());
  });

  it.each([
    ['an input in the document', 'mutation($a: A!) { x(input: $a) { id } y(input: { name: "b" }) { id } }'],
    ['one variable for two', 'mutation($a: A!) { x(input: $a) { id } y: x(input: $a) { id } }'],
    ['an input that is not given', 'mutation($a: A!, $b: A) { x(input: $a) { id } y: x(input: $b) { id } }'],
    ['no input', 'mutation { x }'],
  ])('are not given, and nothing is repeated, with %s', (_, text) => {
    expect(withKeys(text, { a: {} })).toEqual({ variables: { a: {} }, isRepeatable: false });
  });

  it('are none of queries, whatever their comments and texts say', () => {
    const text = `# mutation (input: $a)
      query($a: A!) { x(input: $a, text: "mutation", block: """mutation "x" """) { id } }`;
    expect(withKeys(text, { a: {} })).toEqual({ variables: { a: {} }, isRepeatable: true });
  });
});
