import { setTimeout as sleep } from 'node:timers/promises';
import { OperationTypeNode } from 'graphql';
import { expect, it } from 'vitest';
import { LIMITS } from '../../src/domain/limits.ts';
import type { GraphQLContext } from '../../src/graphql/context.ts';
import { type Admitted, runOperation } from '../../src/graphql/run-operation.ts';
import { newGate } from '../support/gate.ts';

const { largeQueryPoints, largeQueriesPerCaller } = LIMITS;

/** A query of so many points that ends when it is let go. */
function query(accountId: string, points: number, until: Promise<void>) {
  let hasBegun = false;
  const compiled = {
    execute: async () => {
      hasBegun = true;
      await until;
      return { data: '{}' };
    },
  };
  const admitted = {
    cost: { requested: points },
    prepared: { operation: { operation: OperationTypeNode.QUERY }, compiled },
    variableValues: {},
  } as unknown as Admitted;
  const context = { caller: { accountId }, db: { onlyReads: () => null }, seen: { isMixed: false } };
  const result = runOperation(admitted, { context, turns: {} } as unknown as GraphQLContext);
  return { result, hasBegun: () => hasBegun };
}

const begun = (queries: { hasBegun(): boolean }[]) => queries.filter(({ hasBegun }) => hasBegun()).length;

it('executes few large queries of an account at a time while others are about, and small ones beside them', async () => {
  const gate = newGate();
  const other = query('other', largeQueryPoints, gate.opened);
  const large = Array.from({ length: 10 }, () => query('noisy', largeQueryPoints, gate.opened));
  const small = Array.from({ length: 10 }, () => query('noisy', largeQueryPoints - 1, gate.opened));
  const another = query('another', 10_000, gate.opened);
  await sleep(50);
  expect([other, another].map(({ hasBegun }) => hasBegun())).toEqual([true, true]);
  expect(begun(small)).toBe(10);
  // Of one of whom nobody knows yet how long its queries take.
  expect(begun(large)).toBe(largeQueriesPerCaller / 2);
  gate.open();
  const results = await Promise.all([other, another, ...large, ...small].map(({ result }) => result));
  expect(results).toEqual(results.map(() => ({ data: expect.anything() })));
  expect(begun(large)).toBe(10);
});
