import { buildSchema, getVariableValues, type OperationDefinitionNode, parse } from 'graphql';
import { expect, it } from 'vitest';
import { assertExactNumbers, sayingWhatWasSent } from '../../src/graphql/exact-numbers.ts';
import { parseJson } from '../../src/http/json-body.ts';

const schema = buildSchema(`
  input Node { count: Int, value: Float, id: ID, isOn: Boolean, next: Node }
  type Query { ok(node: Node): Boolean }
`);
const { definitions } = parse('query ($node: Node, $nodes: [Node!], $count: Int) { ok }');
const { variableDefinitions } = definitions[0] as OperationDefinitionNode;
const ADVICE = 'Round it, or put it in quotes where it is an id or another text.';

/** What is said of variables, as they come in a body. */
function messageOf(json: string): string {
  const { errors } = getVariableValues(schema, variableDefinitions!, parseJson(json, 'body') as never);
  const [error] = errors!.map(sayingWhatWasSent);
  expect(error!.locations).toHaveLength(1);
  return error!.message;
}

it.each([
  [
    '{"count": 1e999}',
    'Variable "$count" got a number that cannot be kept exactly; Int cannot represent non-integer value.',
  ],
  [
    '{"nodes": [{"value": -12345678901234567890.5}]}',
    'Variable "$nodes" got a number at "nodes[0].value" that cannot be kept exactly; Float cannot represent non numeric value.',
  ],
  [
    '{"node": {"id": 12345678901234567890123}}',
    'Variable "$node" got a number at "node.id" that cannot be kept exactly; ID cannot represent value.',
  ],
  [
    '{"node": {"next": 1e400}}',
    'Variable "$node" got a number at "node.next" that cannot be kept exactly; Expected type "Node" to be an object.',
  ],
  [
    '{"node": {"isOn": 1e400}}',
    'Variable "$node" got a number at "node.isOn" that cannot be kept exactly; Boolean cannot represent a non boolean value.',
  ],
])('says of %s what it is, and not that it is infinite', (json, message) => {
  expect(messageOf(json)).toBe(`${message} ${ADVICE}`);
});

it.each(['{"count": "Infinity"}', '{"count": 1.5}', '{"node": {"value": "x"}}'])(
  'leaves %s to graphql',
  (json) => {
    expect(messageOf(json)).toContain('got invalid value');
  },
);

it('refuses numbers of a document that a double cannot hold', () => {
  const assert = (text: string) => () => assertExactNumbers(text, parse(text));
  expect(assert('{ ok(node: { value: 12345678901234567890.5 }) }')).toThrow(
    `The number 12345678901234567890.5 cannot be kept exactly. ${ADVICE}`,
  );
  expect(assert('{ ok(node: { value: 1e-400 }) }')).toThrow('The number 1e-400 cannot be kept exactly.');
  expect(assert('{ ok(node: { value: 1234567890123456 }) }')).not.toThrow();
});
