import { setImmediate as turn } from 'node:timers/promises';
import { OperationTypeNode } from 'graphql';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/domain/limits.ts';
import type { GraphQLContext } from '../../src/graphql/context.ts';
import { type Admitted, runOperation, runSubscription } from '../../src/graphql/run-operation.ts';
import { newGate } from '../support/gate.ts';

const { largeOperationPoints, largeOperationsPerCaller, largeOperationsPerPlatform } = LIMITS;

interface Asked {
  kind?: OperationTypeNode;
  accountId: string;
  points?: number;
  platformId?: string;
  scope?: 'platform';
  leaving?: AbortSignal;
  /** It needs the preferences of the account, which are read by then. */
  preferences?: Promise<void>;
  /** What it does when it is let go. */
  until: Promise<unknown>;
}

/** What is executed, and, when it has begun, waits until it is let go; a subscription has one event. */
function admittedOf(
  kind: OperationTypeNode,
  points: number,
  until: Promise<unknown>,
  isByPreferences = false,
) {
  const seen = { hasBegun: false, times: 0, hasChosenDatabase: false };
  const compiled = {
    async *subscribe() {
      yield {};
    },
    async execute() {
      seen.hasBegun = true;
      seen.times++;
      await until;
      return { data: '{}' };
    },
  };
  const prepared = { operation: { operation: kind }, compiled, isByPreferences };
  const admitted = { cost: { requested: points }, prepared, variableValues: {} } as unknown as Admitted;
  return { admitted, seen };
}

/** An operation, by default a query, of so many points. */
function operation({
  kind = OperationTypeNode.QUERY,
  accountId,
  points = largeOperationPoints,
  platformId,
  scope,
  leaving,
  preferences,
  until,
}: Asked) {
  const { admitted, seen } = admittedOf(kind, points, until, preferences !== undefined);
  const db = {
    onlyReads() {
      seen.hasChosenDatabase = true;
      return null;
    },
  };
  const context = { caller: { accountId, platformId, scope }, leaving, db, seen: { isMixed: false } };
  const loaders = { expectPreferences: () => preferences };
  const result = runOperation(admitted, { context, loaders, turns: {} } as unknown as GraphQLContext);
  result.catch(() => {});
  return { result, seen };
}

/** The row of an account whose preferences are read by then. */
async function accountRead(by?: Promise<void>) {
  await by;
  return [{ id: 'b3f5a2c4-0d0e-4a53-9c55-7a6f1b0e8d21', preferredCurrency: 'EUR' }];
}

const many = (count: number, asked: (i: number) => Asked) =>
  Array.from({ length: count }, (_, i) => operation(asked(i)));
const begun = (queries: ReturnType<typeof operation>[]) => queries.filter(({ seen }) => seen.hasBegun).length;

it('executes few large queries of an account at a time, and small ones and those of others beside them', async () => {
  const gate = newGate();
  const until = gate.opened;
  const large = many(10, () => ({ accountId: 'noisy', until }));
  const small = many(10, () => ({ accountId: 'noisy', points: largeOperationPoints - 1, until }));
  const other = operation({ accountId: 'other', until });
  await turn();
  expect(begun([...small, other])).toBe(11);
  expect(begun(large)).toBe(largeOperationsPerCaller);
  // Which may be a replica: as of when it begins.
  expect(large.filter(({ seen }) => seen.hasChosenDatabase)).toHaveLength(largeOperationsPerCaller);
  gate.open();
  const results = await Promise.all([...large, ...small, other].map(({ result }) => result));
  expect(results).toEqual(results.map(() => ({ data: expect.anything() })));
  expect(begun(large)).toBe(10);
});

it('executes a large query when the preferences that it needs are read, and a small one beside that', async () => {
  const gate = newGate();
  const asked = { accountId: 'noisy', preferences: gate.opened, until: Promise.resolve() };
  const large = operation(asked);
  const small = operation({ ...asked, points: largeOperationPoints - 1 });
  await small.result;
  await turn();
  expect(large.seen.hasBegun).toBe(false);
  gate.open();
  await large.result;
  expect(large.seen.hasBegun).toBe(true);
});

it('executes a large query in a snapshot when the preferences are read there', async () => {
  const gate = newGate();
  const { admitted, seen } = admittedOf(
    OperationTypeNode.QUERY,
    largeOperationPoints,
    Promise.resolve(),
    true,
  );
  const tx = {
    identity: {},
    forOperation: () => tx,
    isTransaction: true,
    query: async () => [],
    hot: () => accountRead(gate.opened),
  };
  const db = { onlyReads: () => null, transaction: (work: (own: typeof tx) => unknown) => work(tx) };
  const context = { caller: { accountId: 'in a snapshot' }, db, seen: { isMixed: true } };
  const loaders = { expectPreferences: () => undefined };
  const result = runOperation(admitted, { context, loaders, turns: {} } as unknown as GraphQLContext);
  await turn();
  expect(seen.times).toBe(1);
  gate.open();
  await result;
  expect(seen.times).toBe(2);
});

it('executes none whose client has left while the preferences were read', async () => {
  const gate = newGate();
  const client = new AbortController();
  const asked = { preferences: gate.opened, leaving: client.signal, until: Promise.resolve() };
  const left = operation({ accountId: 'leaving', ...asked });
  await turn();
  client.abort();
  gate.open();
  await expect(left.result).rejects.toThrow('The client left');
  expect(left.seen.hasBegun).toBe(false);
});

it('executes few of all accounts below a platform at a time', async () => {
  const gate = newGate();
  const below = (count: number, accountId: (i: number) => string) =>
    many(count, (i) => ({ accountId: accountId(i), platformId: 'platform', until: gate.opened }));
  const busy = below(10, () => 'busy');
  const others = below(10, (i) => `other ${i}`);
  await turn();
  expect([begun(busy), begun(others)]).toEqual([
    largeOperationsPerCaller,
    largeOperationsPerPlatform - largeOperationsPerCaller,
  ]);
  gate.open();
  await Promise.all([...busy, ...others].map(({ result }) => result));
});

it('executes few large mutations beside them, and a platform counts for those below it', async () => {
  const gate = newGate();
  const until = gate.opened;
  const MUTATION = OperationTypeNode.MUTATION;
  const own = many(10, () => ({ accountId: 'platform itself', scope: 'platform', until }));
  const mutations = many(10, () => ({
    kind: MUTATION,
    accountId: 'platform itself',
    scope: 'platform',
    until,
  }));
  const below = many(10, (i) => ({ accountId: `below it ${i}`, platformId: 'platform itself', until }));
  await turn();
  expect([own, mutations, below].map(begun)).toEqual([
    largeOperationsPerCaller,
    largeOperationsPerCaller,
    largeOperationsPerPlatform - largeOperationsPerCaller,
  ]);
  gate.open();
  await Promise.all([...own, ...mutations, ...below].map(({ result }) => result));
});

it('executes none whose client has left meanwhile, and the next behind one that fails', async () => {
  const gate = newGate();
  const first = many(largeOperationsPerCaller, () => ({ accountId: 'leaving', until: gate.opened }));
  const failing = first[0]!;
  const client = new AbortController();
  const left = operation({ accountId: 'leaving', leaving: client.signal, until: gate.opened });
  const next = operation({ accountId: 'leaving', until: Promise.reject(new Error('No database.')) });
  client.abort();
  await expect(left.result).rejects.toThrow('The client left');
  expect([left, next].map(({ seen }) => seen.hasBegun)).toEqual([false, false]);
  gate.open();
  await expect(next.result).rejects.toThrow('No database.');
  const after = many(largeOperationsPerCaller, () => ({ accountId: 'leaving', until: Promise.resolve() }));
  await Promise.all([failing, ...first, ...after].map(({ result }) => result));
});

describe('large events', () => {
  /** A subscription of one event, which is asked for at once. */
  async function event(
    accountId: string,
    until: Promise<unknown>,
    { work, preferences }: { work?: object; preferences?: Promise<void> } = {},
  ) {
    const { admitted, seen } = admittedOf(
      OperationTypeNode.SUBSCRIPTION,
      largeOperationPoints,
      until,
      preferences !== undefined,
    );
    const db = { forOperation: () => db, identity: {}, hot: () => accountRead(preferences) };
    const context = { caller: { accountId }, db, work, now: () => new Date() };
    const events = await runSubscription(admitted, { context } as unknown as GraphQLContext);
    if (!('next' in events)) throw new Error('There are no events.');
    const result = events.next();
    // It comes to its place, or waits for it.
    await turn();
    return { events, result, seen };
  }

  it('are executed few at a time, together with large queries', async () => {
    const gate = newGate();
    const query = operation({ accountId: 'with events', until: gate.opened });
    const events = await Promise.all(
      Array.from({ length: largeOperationsPerCaller }, () => event('with events', gate.opened)),
    );
    await turn();
    const begun = () => events.filter(({ seen }) => seen.hasBegun).length;
    expect(begun()).toBe(largeOperationsPerCaller - 1);
    gate.open();
    await Promise.all([query, ...events].map(({ result }) => result));
    expect(begun()).toBe(largeOperationsPerCaller);
  });

  it('are executed when the preferences that they need are read', async () => {
    const gate = newGate();
    const { result, seen } = await event('by preferences', Promise.resolve(), { preferences: gate.opened });
    expect(seen.hasBegun).toBe(false);
    gate.open();
    await result;
    expect(seen.hasBegun).toBe(true);
  });

  it('that waited are not executed when the stream is over meanwhile', async () => {
    const gate = newGate();
    const first = many(largeOperationsPerCaller, () => ({ accountId: 'over', until: gate.opened }));
    const { events, result, seen } = await event('over', gate.opened);
    await events.return();
    gate.open();
    expect(await result).toEqual({ done: true, value: undefined });
    expect(seen.hasBegun).toBe(false);
    await Promise.all(first.map(({ result }) => result));
  });

  it('that waited wait until the account may have more done', async () => {
    const gate = newGate();
    const first = many(largeOperationsPerCaller, () => ({ accountId: 'used up', until: gate.opened }));
    const more = newGate();
    const work = {
      isUsedUp: false,
      pay() {},
      async untilLeft() {
        if (work.isUsedUp) await more.opened;
      },
    };
    const { result, seen } = await event('used up', gate.opened, { work });
    work.isUsedUp = true;
    gate.open();
    await Promise.all(first.map(({ result }) => result));
    await turn();
    expect(seen.hasBegun).toBe(false);
    work.isUsedUp = false;
    more.open();
    expect(await result).toEqual({ value: { data: expect.anything() } });
  });
});
