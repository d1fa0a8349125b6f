import fc from 'fast-check';
import {
  buildSchema,
  type GraphQLError,
  getVariableValues,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { variableCoercion } from '../../../src/graphql/execute/variables.ts';

const schema = buildSchema(`
  enum Colour { RED GREEN }
  input Amount { value: Float!, currency: String = "USD" }
  input Pick @oneOf { id: ID, names: [String!] }
  input Node { id: ID!, count: Int, amounts: [Amount!], colour: Colour = RED, pick: Pick, next: Node, lists: [[Int]!] }
  type Query { ok(node: Node): Boolean }
`);
const VARIABLES = '$node: Node!, $nodes: [Node!], $count: Int! = 3, $colour: Colour, $pick: Pick, $ids: [ID]';
const { definitions } = parse(`query (${VARIABLES}) { ok }`);
const variables = (definitions[0] as OperationDefinitionNode).variableDefinitions!;
const coerce = variableCoercion(schema, variables);

function expectAlike(sent: Record<string, unknown>): readonly GraphQLError[] | undefined {
  const expected = getVariableValues(schema, variables, sent, { maxErrors: 50 });
  const { errors, variableValues } = { variableValues: undefined, ...coerce(sent) };
  expect(errors).toEqual(expected.errors);
  expect(variableValues).toEqual(expected.coerced);
  return errors;
}

const record = (model: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(model, { requiredKeys: [] }).map((value) => JSON.parse(JSON.stringify(value)) as object);
const odd = fc.constantFrom<unknown>(null, true, 1.5, 2 ** 40, '', [], {}, 'BLUE', undefined);
/** Now and then something else. */
const mostly = (...values: unknown[]) =>
  fc.oneof({ weight: 40, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: odd });
const list = (item: fc.Arbitrary<unknown>) => fc.oneof(item, fc.array(item, { maxLength: 2 }));
const amount = record({ currency: mostly('EUR') }).chain((rest) =>
  mostly(1, 2.5).map((value) => ({ value, ...rest })),
);
const pick = fc.oneof(
  mostly('x', 5).map((id) => ({ id })),
  list(mostly('x')).map((names) => ({ names })),
);
const { node } = fc.letrec<{ node: object }>((tie) => ({
  node: record({
    count: mostly(1, 7, null),
    amounts: list(amount),
    colour: mostly('RED', 'GREEN', null),
    pick,
    next: fc.option(tie('node'), { nil: null, maxDepth: 3, depthSize: 'small' }),
    lists: list(list(mostly(1, null))),
  }).chain((rest) => mostly('x', 5).map((id) => ({ id, ...rest }))),
}));

describe('the values of variables', () => {
  it('are told of shortly where they are long', () => {
    const { errors } = coerce({ node: { id: 'x', count: '7'.repeat(900_000) } });
    expect(errors).toHaveLength(1);
    expect(errors![0]!.message).toContain(`got invalid value "${'7'.repeat(200)}…" at "node.count"`);
  });

  it('are told of fewer times where they are many', () => {
    const unknown = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`x${i}`, 0]));
    const { errors } = coerce({ node: { id: 'x', ...unknown } });
    expect(errors!.map(({ message }) => message)).toEqual([
      expect.stringContaining('Field "x0" is not defined by type "Node".'),
      expect.stringContaining('Field "x1" is not defined by type "Node".'),
      expect.stringContaining('Too many errors processing variables'),
    ]);
  });

  it('are told of each where they are many and each is short', () => {
    const { errors } = coerce({
      node: { id: 'x' },
      nodes: Array.from({ length: 3000 }, (_, i) => ({ id: 'x', count: i % 100 === 0 ? 'y' : 1 })),
    });
    expect(errors).toHaveLength(30);
  });

  it.each([
    { node: { id: 'x' } },
    { node: { id: 5, amounts: { value: 1 }, next: { id: 'y', next: null } } },
    { node: { id: 'x', colour: 'GREEN', pick: { names: ['a'] }, lists: [[1, null], [2]] }, count: 4 },
    { node: { id: 'x' }, nodes: { id: 'y' }, ids: 7, pick: { id: 'z' }, colour: null },
  ])('are those of graphql-js: %j', (sent) => {
    expect(expectAlike(sent)).toBeUndefined();
  });

  it.each([
    {},
    { node: null },
    { node: [] },
    { node: { id: null } },
    { node: { id: 'x', unknown: 1 } },
    { node: JSON.parse('{"id":"x","__proto__":{}}') },
    { node: { id: 'x', pick: {} } },
    { node: { id: 'x', pick: { id: null } } },
    { node: { id: 'x', pick: { id: 'y', names: [] } } },
    { node: { id: 'x', amounts: [{ value: 1 }, { currency: 'USD' }] } },
    { node: { id: 'x', colour: 'BLUE' }, count: 1.5 },
    { node: { id: 'x', lists: [null] } },
  ])('are refused in the words of graphql-js: %j', (sent) => {
    expect(expectAlike(sent)).not.toHaveLength(0);
  });

  it('are those of graphql-js, whatever is sent', () => {
    const model = {
      nodes: list(node),
      count: mostly(1, 7),
      colour: mostly('RED'),
      pick,
      ids: list(mostly('x', 5)),
    };
    let taken = 0;
    const property = fc.property(node, record(model), (one, others) => {
      if (expectAlike({ node: one, ...others }) === undefined) taken++;
    });
    fc.assert(property, { numRuns: 500 });
    expect(taken).toBeGreaterThan(100);
  });
});
