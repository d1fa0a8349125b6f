import { setImmediate as turn } from 'node:timers/promises';
import { OperationTypeNode } from 'graphql';
import { expect, it } from 'vitest';
import { LIMITS } from '../../src/domain/limits.ts';
import type { GraphQLContext } from '../../src/graphql/context.ts';
import { type Admitted, runOperation } from '../../src/graphql/run-operation.ts';
import { newGate } from '../support/gate.ts';

const { largeQueryPoints, largeQueriesPerCaller, largeQueriesPerPlatform } = LIMITS;

interface Asked {
  accountId: string;
  points?: number;
  platformId?: string;
  leaving?: AbortSignal;
  /** What it does when it is let go. */
  until: Promise<unknown>;
}

/** A query of so many points. */
function query({ accountId, points = largeQueryPoints, platformId, leaving, until }: Asked) {
  const seen = { hasBegun: false, hasChosenDatabase: false };
  const compiled = {
    async execute() {
      seen.hasBegun = true;
      await until;
      return { data: '{}' };
    },
  };
  const admitted = {
    cost: { requested: points },
    prepared: { operation: { operation: OperationTypeNode.QUERY }, compiled },
    variableValues: {},
  } as unknown as Admitted;
  const db = {
    onlyReads() {
      seen.hasChosenDatabase = true;
      return null;
    },
  };
  const context = { caller: { accountId, platformId }, leaving, db, seen: { isMixed: false } };
  const result = runOperation(admitted, { context, turns: {} } as unknown as GraphQLContext);
  result.catch(() => {});
  return { result, seen };
}

const many = (count: number, asked: (i: number) => Asked) =>
  Array.from({ length: count }, (_, i) => query(asked(i)));
const begun = (queries: ReturnType<typeof query>[]) => queries.filter(({ seen }) => seen.hasBegun).length;

it('executes few large queries of an account at a time, and small ones and those of others beside them', async () => {
  const gate = newGate();
  const until = gate.opened;
  const large = many(10, () => ({ accountId: 'noisy', until }));
  const small = many(10, () => ({ accountId: 'noisy', points: largeQueryPoints - 1, until }));
  const other = query({ accountId: 'other', until });
  await turn();
  expect(begun([...small, other])).toBe(11);
  expect(begun(large)).toBe(largeQueriesPerCaller);
  // Which may be a replica: as of when it begins.
  expect(large.filter(({ seen }) => seen.hasChosenDatabase)).toHaveLength(largeQueriesPerCaller);
  gate.open();
  const results = await Promise.all([...large, ...small, other].map(({ result }) => result));
  expect(results).toEqual(results.map(() => ({ data: expect.anything() })));
  expect(begun(large)).toBe(10);
});

it('executes few of all accounts below a platform at a time', async () => {
  const gate = newGate();
  const below = (count: number, accountId: (i: number) => string) =>
    many(count, (i) => ({ accountId: accountId(i), platformId: 'platform', until: gate.opened }));
  const busy = below(10, () => 'busy');
  const others = below(10, (i) => `other ${i}`);
  await turn();
  expect([begun(busy), begun(others)]).toEqual([
    largeQueriesPerCaller,
    largeQueriesPerPlatform - largeQueriesPerCaller,
  ]);
  gate.open();
  await Promise.all([...busy, ...others].map(({ result }) => result));
});

it('executes none whose client has left meanwhile, and the next behind one that fails', async () => {
  const gate = newGate();
  const first = many(largeQueriesPerCaller, () => ({ accountId: 'leaving', until: gate.opened }));
  const failing = first[0]!;
  const client = new AbortController();
  const left = query({ accountId: 'leaving', leaving: client.signal, until: gate.opened });
  const next = query({ accountId: 'leaving', until: Promise.reject(new Error('No database.')) });
  client.abort();
  await expect(left.result).rejects.toThrow('The client left');
  expect([left, next].map(({ seen }) => seen.hasBegun)).toEqual([false, false]);
  gate.open();
  await expect(next.result).rejects.toThrow('No database.');
  const after = many(largeQueriesPerCaller, () => ({ accountId: 'leaving', until: Promise.resolve() }));
  await Promise.all([failing, ...first, ...after].map(({ result }) => result));
});
