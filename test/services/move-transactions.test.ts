import { beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/domain/limits.ts';
import { setLimits } from '../../src/services/accounts/set-limits.ts';
import { updatePreferences } from '../../src/services/accounts/update-preferences.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { getCollection } from '../../src/services/collections/get.ts';
import type { Context } from '../../src/services/context.ts';
import { diagnose } from '../../src/services/doctor.ts';
import { setGoalCollection } from '../../src/services/goals/set.ts';
import { withIdempotencyKey } from '../../src/services/idempotency.ts';
import { createPriceAlert } from '../../src/services/price-alerts/create.ts';
import { createTransaction, createTransactions } from '../../src/services/transactions/create.ts';
import { getTransactions } from '../../src/services/transactions/get.ts';
import { mergeCollections, moveTransactions } from '../../src/services/transactions/move.ts';
import { describeOnOwnDatabases, newAccount, pricedVariants, statementsOf } from '../harness.ts';
import { isLeftToPostgres } from '../support/left-to-postgres.ts';
import { patiently } from '../support/patiently.ts';
import { rowsRead } from '../support/rows-read.ts';

const NO_COLLECTION = 'col_01kn3w4v5h2c8q6r9t0m1n2p3q';

describeOnOwnDatabases('moving transactions', (database, kind) => {
  let a: string;
  let b: string;

  beforeAll(async () => {
    [a, b] = (await pricedVariants(database(), 2)) as [string, string];
  });

  const entry = (variantId: string, changes: object = {}) => ({
    variantId,
    occurredDate: '2026-01-10',
    action: 'Purchase',
    quantity: 2,
    unitAmount: { currency: 'USD', value: 10 },
    ...changes,
  });
  const newCollection = async (ctx: Context, name = 'Binder') => (await createCollection(ctx, { name })).id;

  /** Two collections; the first has a purchase of `a` and a sale of it, and one of `b`. */
  async function newPair(of?: Context) {
    const ctx = of ?? (await newAccount(database()));
    const [from, to] = [await newCollection(ctx, 'From'), await newCollection(ctx, 'To')];
    const sale = { action: 'Sale', quantity: 1, unitAmount: { currency: 'USD', value: 15 } };
    const entries = [entry(a), entry(a, sale), entry(b)];
    const ids = (await createTransactions(ctx, from, entries)).map(({ id }) => id);
    return { ctx, from, to, ids };
  }

  async function stateOf(ctx: Context, id: string) {
    const { quantity, transactionCount, invested, profit } = await getCollection(ctx, id);
    return [transactionCount, quantity, invested?.amount ?? null, profit?.amount ?? null];
  }
  const EMPTY = [0, 0, null, null];
  const FULL = [3, 3, '30.00', '5.00'];

  it('takes them, by their ids, with all that follows from them', async () => {
    const { ctx, from, to, ids } = await newPair();
    const input = { fromCollectionId: from, toCollectionId: to, transactionIds: [ids[2], ids[2]] };
    expect(await moveTransactions(ctx, input)).toEqual({
      fromCollectionId: from,
      toCollectionId: to,
      movedCount: 1,
    });
    expect(await stateOf(ctx, from)).toEqual([2, 1, '10.00', '5.00']);
    expect(await stateOf(ctx, to)).toEqual([1, 2, '20.00', '0.00']);
    const [moved] = await getTransactions(ctx, [ids[2]!]);
    expect(moved).toMatchObject({ id: ids[2], collectionId: to, revision: 2 });
    await expect(moveTransactions(ctx, input)).rejects.toThrow('The transaction does not exist.');
  });

  it.each(['Average', 'MovingAverage', 'Fifo'])('%s: takes a whole holding, and back', async (costBasis) => {
    const { ctx, from, to } = await newPair();
    await updatePreferences(ctx, { costBasis });
    await moveTransactions(ctx, { fromCollectionId: from, toCollectionId: to, variantId: a });
    expect([await stateOf(ctx, from), await stateOf(ctx, to)]).toEqual([
      [1, 2, '20.00', '0.00'],
      [2, 1, '10.00', '5.00'],
    ]);
    const held = 'select variant_id as id from holding where account_id = $1 and collection_id = $2';
    expect(await database().query(held, [ctx.caller.accountId, from])).toEqual([{ id: b }]);
    await moveTransactions(ctx, { fromCollectionId: to, toCollectionId: from, variantId: a });
    expect([await stateOf(ctx, from), await stateOf(ctx, to)]).toEqual([FULL, EMPTY]);
    expect((await diagnose(database(), { fix: false })).differences).toEqual([]);
  });

  it('looks for what it has left empty among what it moved', async () => {
    const { ctx, from, to } = await newPair();
    const cards = await pricedVariants(database(), 1000);
    await createTransactions(
      ctx,
      from,
      cards.map((variantId) => entry(variantId)),
    );
    await database().query('analyze holding');
    const { statements } = await statementsOf(() =>
      moveTransactions(ctx, { fromCollectionId: from, toCollectionId: to, variantId: a }),
    );
    const emptied = statements.filter(({ text }) => text.includes('delete from holding'));
    expect(emptied).toHaveLength(1);
    expect(await rowsRead(database(), 'holding', emptied[0]!)).toBeLessThanOrEqual(1);
  });

  it('merges two collections, of which one is gone', async () => {
    const { ctx, from, to } = await newPair();
    await createTransaction(ctx, to, entry(b));
    const merged = await mergeCollections(ctx, { fromCollectionId: from, intoCollectionId: to });
    expect(merged).toMatchObject({ movedCount: 3 });
    expect(await stateOf(ctx, to)).toEqual([4, 5, '50.00', '5.00']);
    await expect(getCollection(ctx, from)).rejects.toThrow('does not exist');
    const empty = await newCollection(ctx);
    expect(await mergeCollections(ctx, { fromCollectionId: empty, intoCollectionId: to })).toMatchObject({
      movedCount: 0,
    });
    expect((await diagnose(database(), { fix: false })).differences).toEqual([]);
  });

  it('tells those who follow either', async () => {
    const { ctx, from, to, ids } = await newPair();
    await moveTransactions(ctx, { fromCollectionId: from, toCollectionId: to, transactionIds: ids });
    const events = await database().query(
      `select distinct on (stream) stream, kind, jsonb_array_length(transaction_ids) as count from event
       where account_id = $1 order by stream, sequence desc`,
      [ctx.caller.accountId],
    );
    expect(events).toEqual([
      { stream: from, kind: 'TransactionDeleted', count: 3 },
      { stream: to, kind: 'TransactionsCreated', count: 3 },
    ]);
  });

  it('is done once for a key', async () => {
    const { ctx, from, to } = await newPair();
    const input = { fromCollectionId: from, intoCollectionId: to };
    const keyed = () => withIdempotencyKey(ctx, 'merge', 'idempotencyKey');
    const first = await mergeCollections(keyed(), input);
    expect(await mergeCollections(keyed(), input)).toEqual(first);
    const back = { fromCollectionId: to, intoCollectionId: await newCollection(ctx) };
    await expect(mergeCollections(keyed(), back)).rejects.toMatchObject({ problem: 'IdempotencyMismatch' });
  });

  it('takes either ids or a variant, and another collection', async () => {
    const { ctx, from, to, ids } = await newPair();
    const ends = { fromCollectionId: from, toCollectionId: to };
    for (const [input, path] of [
      [ends, 'transactionIds'],
      [{ ...ends, transactionIds: ids, variantId: a }, 'transactionIds'],
      [{ ...ends, transactionIds: [] }, 'transactionIds'],
      [{ fromCollectionId: from, toCollectionId: from, variantId: a }, 'toCollectionId'],
    ] as const)
      await expect(moveTransactions(ctx, input)).rejects.toMatchObject({
        problem: 'ValidationFailed',
        details: { breaches: [{ path: [path] }] },
      });
    const same = { fromCollectionId: from, intoCollectionId: from };
    await expect(mergeCollections(ctx, same)).rejects.toThrow('intoCollectionId: must be another collection');
    expect(await stateOf(ctx, from)).toEqual(FULL);
  });

  it('says what is missing, also where it belongs to another account, and changes nothing', async () => {
    const { ctx, from, to, ids } = await newPair();
    const theirs = await newPair();
    const other = await createTransaction(ctx, to, entry(b));
    for (const [ends, selection, what] of [
      [[NO_COLLECTION, to], { variantId: a }, 'collection'],
      [[from, NO_COLLECTION], { variantId: a }, 'collection'],
      [['x', to], { variantId: a }, 'collection'],
      [[theirs.from, to], { variantId: a }, 'collection'],
      [[from, theirs.to], { variantId: a }, 'collection'],
      [[theirs.from, theirs.to], { variantId: a }, 'collection'],
      [[from, to], { transactionIds: [ids[0], theirs.ids[0]] }, 'transaction'],
      [[from, to], { transactionIds: [ids[0], other.id] }, 'transaction'],
      [[from, to], { transactionIds: ['x'] }, 'transaction'],
      [[to, from], { variantId: a }, 'holding'],
      [[to, from], { variantId: 'x' }, 'holding'],
    ] as const) {
      const [fromCollectionId, toCollectionId] = ends;
      await expect(moveTransactions(ctx, { fromCollectionId, toCollectionId, ...selection })).rejects.toThrow(
        `The ${what} does not exist.`,
      );
    }
    for (const [fromCollectionId, intoCollectionId] of [
      [theirs.from, to],
      [from, theirs.to],
      [NO_COLLECTION, to],
    ])
      await expect(mergeCollections(ctx, { fromCollectionId, intoCollectionId })).rejects.toThrow(
        'The collection does not exist.',
      );
    for (const one of [{ ctx, from }, theirs]) expect(await stateOf(one.ctx, one.from)).toEqual(FULL);
    expect(await stateOf(ctx, to)).toEqual([1, 2, '20.00', '0.00']);
    expect(await stateOf(theirs.ctx, theirs.to)).toEqual(EMPTY);
  });

  it.each(['MovingAverage', 'Fifo'])(
    '%s: merges many variants in as many statements as few',
    async (costBasis) => {
      const variants = await pricedVariants(database(), 20);
      const asked = async (count: number) => {
        const ctx = await newAccount(database());
        await updatePreferences(ctx, { costBasis });
        const [from, to] = [await newCollection(ctx, 'From'), await newCollection(ctx, 'To')];
        await createTransactions(ctx, from, [entry(a), ...variants.slice(0, count).map((id) => entry(id))]);
        const merge = () => mergeCollections(ctx, { fromCollectionId: from, intoCollectionId: to });
        const { statements } = await statementsOf(merge);
        expect((await diagnose(database(), { fix: false })).differences).toEqual([]);
        return statements.map(({ text }) => text);
      };
      expect(await asked(20)).toEqual(await asked(1));
    },
  );

  it('merges none that could not be deleted', async () => {
    const { ctx, from, to } = await newPair();
    const merge = () => mergeCollections(ctx, { fromCollectionId: from, intoCollectionId: to });
    const uses: [use: () => Promise<unknown>, reason: string][] = [
      [() => setGoalCollection(ctx, from), 'is the goal collection'],
      [() => setGoalCollection(ctx, to, { collectionId: from }, 'Variant'), 'is to hold'],
      [
        () => createPriceAlert(ctx, { targetId: from, condition: 'Change', percent: 5, days: 7 }),
        'price alerts',
      ],
    ];
    for (const [use, reason] of uses) {
      await use();
      const refusal = { problem: 'CollectionInUse', message: expect.stringContaining(reason) };
      await expect(merge()).rejects.toMatchObject(refusal);
      expect([await stateOf(ctx, from), await stateOf(ctx, to)]).toEqual([FULL, EMPTY]);
    }
  });

  it('needs no room among the transactions that the account may have', async () => {
    const { ctx, from, to } = await newPair();
    await setLimits(database(), { accountId: ctx.caller.accountId, maxTransactions: 3 });
    await moveTransactions(ctx, { fromCollectionId: from, toCollectionId: to, variantId: a });
    await expect(createTransaction(ctx, to, entry(b))).rejects.toMatchObject({ problem: 'LimitExceeded' });
    await expect(createTransaction(ctx, from, entry(b))).rejects.toMatchObject({ problem: 'LimitExceeded' });
    await mergeCollections(ctx, { fromCollectionId: from, intoCollectionId: to });
    await expect(createTransaction(ctx, to, entry(b))).rejects.toMatchObject({ problem: 'LimitExceeded' });
  });

  it('leaves right sums where many move at once, both ways, while others write', async () => {
    const { ctx, from, to } = await newPair();
    await updatePreferences(ctx, { costBasis: 'Fifo' });
    const ends = [
      { fromCollectionId: from, toCollectionId: to },
      { fromCollectionId: to, toCollectionId: from },
    ];
    const work = Array.from({ length: 6 }, async (_, i) => {
      const moved = moveTransactions(ctx, { ...ends[i % 2]!, variantId: i % 3 === 0 ? a : b });
      // What was moved away meanwhile is no holding any more.
      await Promise.all([moved.catch(() => {}), createTransaction(ctx, i % 2 === 0 ? from : to, entry(a))]);
    });
    await Promise.all(work);
    const [first, second] = [await getCollection(ctx, from), await getCollection(ctx, to)];
    expect(first.transactionCount + second.transactionCount).toBe(9);
    expect((await diagnose(database(), { fix: false })).differences).toEqual([]);
  });

  describe('at the limits', () => {
    const many = (count: number) => Array.from({ length: count }, () => entry(a, { quantity: 1 }));

    it('takes 1,000 ids', async () => {
      const { ctx, from, to } = await newPair();
      const made = await createTransactions(ctx, from, many(LIMITS.bulkTransactions));
      const ids = made.map(({ id }) => id);
      const ends = { fromCollectionId: from, toCollectionId: to };
      const { ids: more } = await newPair(ctx);
      await expect(moveTransactions(ctx, { ...ends, transactionIds: [...ids, more[0]] })).rejects.toThrow(
        'transactionIds: must have 1 to 1000 ids',
      );
      expect(await moveTransactions(ctx, { ...ends, transactionIds: ids })).toMatchObject({
        movedCount: 1000,
      });
      expect(await stateOf(ctx, to)).toEqual([1000, 1000, '10000.00', '0.00']);
    });

    it.skipIf(isLeftToPostgres(kind))('takes a holding or a collection of 10,000', async () => {
      const ctx = await newAccount(database());
      await updatePreferences(ctx, { costBasis: 'Fifo' });
      const [from, to] = [await newCollection(ctx), await newCollection(ctx)];
      for (let i = 0; i < LIMITS.movedTransactions / LIMITS.bulkTransactions; i++)
        await createTransactions(ctx, from, many(LIMITS.bulkTransactions));
      const { id: last } = await createTransaction(ctx, from, entry(a, { quantity: 1 }));
      const refusal = { problem: 'LimitExceeded', details: { limit: 10_000, current: 10_001 } };
      const holding = { fromCollectionId: from, toCollectionId: to, variantId: a };
      await expect(moveTransactions(ctx, holding)).rejects.toMatchObject(refusal);
      const merge = { fromCollectionId: from, intoCollectionId: to };
      await expect(mergeCollections(ctx, merge)).rejects.toMatchObject(refusal);
      expect(await stateOf(ctx, to)).toEqual(EMPTY);
      await moveTransactions(ctx, { fromCollectionId: from, toCollectionId: to, transactionIds: [last] });
      expect(await patiently(() => moveTransactions(ctx, holding))).toMatchObject({ movedCount: 10_000 });
      await moveTransactions(ctx, { fromCollectionId: to, toCollectionId: from, transactionIds: [last] });
      const back = { fromCollectionId: to, intoCollectionId: from };
      expect(await patiently(() => mergeCollections(ctx, back))).toMatchObject({
        movedCount: 10_000,
      });
      expect(await stateOf(ctx, from)).toEqual([10_001, 10_001, '100010.00', '0.00']);
    });
  });

  it.each<[string, object]>([
    ['transaction', { transactionIds: ['txn_\0'] }],
    ['transaction', { transactionIds: ['txn_\ud800'] }],
    ['holding', { variantId: 'var_\0' }],
    ['holding', { variantId: 'var_\ud800' }],
  ])('finds no %s of an id that none can have', async (what, selection) => {
    const { ctx, from, to } = await newPair();
    const moving = moveTransactions(ctx, { fromCollectionId: from, toCollectionId: to, ...selection });
    await expect(moving).rejects.toThrow(`The ${what} does not exist.`);
  });
});
