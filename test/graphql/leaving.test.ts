import { setImmediate as turn } from 'node:timers/promises';
import { buildSchema, getOperationAST, parse } from 'graphql';
import { expect, it } from 'vitest';
import type { GraphQLContext } from '../../src/graphql/context.ts';
import { compileOperation } from '../../src/graphql/execute/operation.ts';
import { type Admitted, runOperation } from '../../src/graphql/run-operation.ts';
import { newGate } from '../support/gate.ts';

const SDL = 'type Query { one: One } type Mutation { one: One } type One { more: Int }';

/** Executes an operation whose client leaves while its first field is waited for: its result, and how many fields were executed. */
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
  const document = parse(text);
  const operation = getOperationAST(document)!;
  const prepared = { operation, compiled: compileOperation(schema, document, operation) };
  const admitted = { cost: { requested: 1 }, prepared, variableValues: {} } as unknown as Admitted;
  const client = new AbortController();
  const db = { onlyReads: () => null };
  const context = { caller: {}, leaving: client.signal, db, seen: { isMixed: false } };
  const result = runOperation(admitted, { context, turns: {} } as unknown as GraphQLContext);
  await turn();
  client.abort();
  gate.open();
  return { result: await result, executed };
}

it('a query is executed no further once its client has left, and what was begun is waited for', async () => {
  const { result, executed } = await left('{ one { more } }');
  expect(executed).toBe(1);
  expect(result).toMatchObject({ data: null, errors: [{ message: 'The client left before the answer.' }] });
});

it('a mutation is executed to its end', async () => {
  const { result, executed } = await left('mutation { one { more } }');
  expect(executed).toBe(2);
  expect(result).not.toHaveProperty('errors');
});
