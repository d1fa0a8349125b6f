import { getOperationAST, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { measureOperation } from '../../../src/graphql/cost/measure.ts';
import { codeOf, post, sampleYoga } from '../plugins/sample-yoga.ts';

const many = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => text(i)).join(' ');
const fragments = (count: number, body: (next: string) => string) =>
  `{ ...F0 } ${many(count, (i) => `fragment F${i} on Query { ${body(`...F${i + 1}`)} }`)} fragment F${count} on Query { name }`;
const ring = (step: number) =>
  many(100, (i) => `fragment F${i} on Query { ...F${(i + step) % 100} b: name }`);

/** Each of these, without a limit, costs far more than it is long. */
const DOCUMENTS: [name: string, query: string, codes: string[]][] = [
  [
    'aliases × fragments',
    fragments(60, (next) => `a: self { ${next} } b: self { ${next} }`),
    ['DEPTH_LIMIT'],
  ],
  [
    'aliases × shallow fragments',
    fragments(10, (next) => `a: self { ${next} } b: self { ${next} }`),
    ['ALIAS_LIMIT'],
  ],
  [
    'pages × shallow fragments',
    fragments(10, (next) => `self { ${next} } ... { self { ${next} } } ${next}`),
    ['COST_LIMIT'],
  ],
  ['a ring of fragments', `{ ...F0 } ${ring(1)}`, ['GRAPHQL_VALIDATION_FAILED', 'ALIAS_LIMIT']],
  ['deep nesting', `${'{ self '.repeat(600)}{ name }${' }'.repeat(600)}`, ['DEPTH_LIMIT']],
  ['open braces', '{'.repeat(60_000), ['GRAPHQL_PARSE_FAILED']],
  ['open brackets', `{ echo(text: ${'['.repeat(60_000)}`, ['TOO_MANY_TOKENS', 'DEPTH_LIMIT']],
  [
    'open brackets within the tokens',
    `{ echo(text: ${'['.repeat(1980)}`,
    ['GRAPHQL_PARSE_FAILED', 'DEPTH_LIMIT'],
  ],
  [
    'a huge list of arguments',
    `{ echo(${'text: "a" '.repeat(15_000).slice(0, 60_000)}) }`,
    ['TOO_MANY_TOKENS', 'GRAPHQL_PARSE_FAILED'],
  ],
  ['600 arguments', `{ echo(${'text: "a" '.repeat(600)}) }`, ['GRAPHQL_VALIDATION_FAILED']],
  ['30,000 directives', `{ name ${'@a'.repeat(30_000)} }`, ['TOO_MANY_TOKENS']],
  ['990 directives', `{ name ${'@a'.repeat(990)} }`, ['GRAPHQL_VALIDATION_FAILED']],
  ['400 variables', `query (${many(400, (i) => `$v${i}: Int`)}) { name }`, ['GRAPHQL_VALIDATION_FAILED']],
  ['1,900 times one field', `{ ${'name '.repeat(1900)} }`, ['GRAPHQL_VALIDATION_FAILED']],
  ['490 times one object', `{ ${'self { name } '.repeat(490)} }`, ['GRAPHQL_VALIDATION_FAILED']],
];

describe('hostile documents', () => {
  it.each(DOCUMENTS)('%s', async (_name, query, codes) => {
    const sample = sampleYoga();
    const answer = await post(sample, { query });
    expect(answer.status).toBe(400);
    expect(codes).toContain(codeOf(answer));
    expect(sample.executed()).toBe(0);
    expect(sample.logged).toEqual([]);
  });

  it.each(DOCUMENTS)('%s: the work grows with the document only', (_name, query) => {
    let document: ReturnType<typeof parse>;
    try {
      document = parse(query, { maxTokens: 2000 });
    } catch {
      return;
    }
    const { schema } = sampleYoga().yoga.getEnveloped({});
    const { visited } = measureOperation(schema, document, getOperationAST(document)!, {});
    expect(visited).toBeLessThanOrEqual(2000);
  });

  // Without this budget, which graphql has since 16.15, two thousand tokens keep the validation busy for seconds.
  it.each([
    ['name ', 1990],
    ['self { name } ', 490],
  ])('graphql ends the comparison of overlapping fields: %s', (field, times) => {
    const { schema } = sampleYoga().yoga.getEnveloped({});
    const errors = validate(schema, parse(`{ ${field.repeat(times)} }`));
    expect(errors.map(({ message }) => message)).toEqual(['Validation aborted.']);
  });
});

describe('hostile variables', () => {
  const ids = 'query ($v: [ID!]!) { nodes(ids: $v) { id } }';
  const text = 'query ($v: String!) { echo(text: $v) }';
  const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`) as unknown;

  it.each([
    ['15,000 ids', ids, Array.from({ length: 15_000 }, () => '1'), 'COST_LIMIT'],
    ['15,000 nulls', ids, Array.from({ length: 15_000 }, () => null), 'COST_LIMIT'],
    ['1,000 nulls', ids, Array.from({ length: 1000 }, () => null), 'BAD_USER_INPUT'],
    ['a list in a list', ids, nested(60), 'BAD_USER_INPUT'],
    ['lists for a text', text, nested(60), 'BAD_USER_INPUT'],
    [
      'a large object for a text',
      text,
      Object.fromEntries(Array.from({ length: 15_000 }, (_, i) => [i, i])),
      'BAD_USER_INPUT',
    ],
  ] as const)('%s', async (_name, query, v, code) => {
    const sample = sampleYoga();
    const answer = await post(sample, { query, variables: { v } });
    expect(answer.status).toBe(400);
    expect(codeOf(answer)).toBe(code);
    expect(sample.executed()).toBe(0);
    // graphql stops at 50 errors and one more that says so; its messages would repeat the whole value.
    expect(answer.body.errors?.length).toBeLessThanOrEqual(51);
    expect(Math.max(...answer.body.errors!.map(({ message }) => message.length))).toBeLessThanOrEqual(1000);
  });

  it('takes names that every object has', async () => {
    const query =
      'query ($constructor: Int = 5, $__proto__: Int) { a: collections(first: $constructor) { nodes { id } } b: collections(first: $__proto__) { nodes { id } } }';
    const answer = await post(sampleYoga(), { query, variables: {} });
    expect(answer.body.extensions?.cost?.requested).toBe(1 + 5 + 1 + 50);
  });
});
