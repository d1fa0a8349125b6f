import { setImmediate as turn } from 'node:timers/promises';
import { buildSchema, getOperationAST, parse } from 'graphql';
import { expect, it, vi } from 'vitest';
import type { GraphQLContext } from '../../src/graphql/context.ts';
import { compileOperation } from '../../src/graphql/execute/operation.ts';
import { type Admitted, runOperation } from '../../src/graphql/run-operation.ts';
import { newGate } from '../support/gate.ts';

const SDL = 'type Query { one: One fails: Int } type Mutation { one: One } type One { more: Int }';

/** Executes an operation whose client leaves while its first field is waited for: its result, how many fields were executed, and whether it is said to have failed. */
async function left(text: string) {
  const gate = newGate();
  let executed = 0;
  const one = async () => {
    await gate.opened;
    executed++;
    return { more: () => ++executed };
  };
  const schema = buildSchema(SDL);
  for (const type of [schema.getQueryType()!, schema.getMutationType()!]) type.getFields().one!.resolve = one;
  schema.getQueryType()!.getFields().fails!.resolve = () => {
    throw new Error('It fails.');
  };
  const document = parse(text);
  const operation = getOperationAST(document)!;
  const prepared = { operation, compiled: compileOperation(schema, document, operation) };
  const admitted = { cost: { requested: 1 }, prepared, variableValues: {} } as unknown as Admitted;
  const client = new AbortController();
  const db = { onlyReads: () => null };
  const ended = vi.fn<(failed: boolean) => void>();
  const observation = { operation: () => ended };
  const context = { caller: {}, leaving: client.signal, db, seen: { isMixed: false }, observation };
  const result = runOperation(admitted, { context, turns: {} } as unknown as GraphQLContext);
  await turn();
  client.abort();
  gate.open();
  const settled = await result;
  return { result: settled, executed, failed: ended.mock.calls };
}

it('a query is executed no further once its client has left, and what was begun is waited for', async () => {
  const { result, executed, failed } = await left('{ one { more } }');
  expect(executed).toBe(1);
  expect(result).toMatchObject({ data: null, errors: [{ message: 'The client left before the answer.' }] });
  expect(failed).toEqual([[false]]);
});

it('a query that failed before has failed', async () => {
  const { failed } = await left('{ fails one { more } }');
  expect(failed).toEqual([[true]]);
});

it('a mutation is executed to its end', async () => {
  const { result, executed } = await left('mutation { one { more } }');
  expect(executed).toBe(2);
  expect(result).not.toHaveProperty('errors');
});
