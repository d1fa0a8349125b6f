import { expect, it } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { ALERTS_STREAM, EVENTS_AFTER, type EventRow } from '../../src/db/queries/events.ts';
import { updatePreferences } from '../../src/services/accounts/update-preferences.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { deleteCollection } from '../../src/services/collections/delete.ts';
import { getCollection } from '../../src/services/collections/get.ts';
import { updateCollection } from '../../src/services/collections/update.ts';
import type { Context } from '../../src/services/context.ts';
import { logTriggeredAlerts } from '../../src/services/events/announce.ts';
import { setGoalCollection } from '../../src/services/goals/set.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { deleteTransaction } from '../../src/services/transactions/delete.ts';
import { updateTransaction } from '../../src/services/transactions/update.ts';
import { describeOnDatabases, newAccount, pricedVariants } from '../harness.ts';
import { entry } from '../support/furnished.ts';

const eventsOf = (ctx: Context, stream: string) =>
  ctx.db.query<EventRow>(EVENTS_AFTER, [ctx.caller.accountId, stream, 0, 1000, 10_000]);

/** What has a value, in short. */
function short({ sequence, kind, transactionIds, variantIds }: EventRow) {
  return [sequence, kind, ...(transactionIds ? [transactionIds.toSorted(), variantIds!.toSorted()] : [])];
}

describeOnDatabases('the log of events', (database) => {
  const collection = async (options = {}): Promise<{ ctx: Context; id: string }> => {
    const ctx = await newAccount(database(), options);
    return { ctx, id: (await createCollection(ctx, { name: 'Followed' })).id };
  };

  it('has every change of a collection by its revision, with the transactions and variants concerned', async () => {
    const { ctx, id } = await collection();
    const variants = await pricedVariants(database(), 2);
    const [first, second] = await createTransactions(ctx, id, [
      entry(variants[0]!),
      entry(variants[1]!),
      entry(variants[1]!),
    ]).then((rows) => rows.map((row) => row.id).toSorted());
    const ids = (await eventsOf(ctx, id))[1]!.transactionIds!.toSorted();
    expect(ids.slice(0, 2)).toEqual([first, second]);
    const { variantId } = await updateTransaction(ctx, second!, { quantity: 3 });
    await deleteTransaction(ctx, second!);
    await updateCollection(ctx, id, { valued: true });
    await setGoalCollection(ctx, id);
    await setGoalCollection(ctx, id);
    await setGoalCollection(ctx, null);
    await updatePreferences(ctx, { preferredCurrency: 'EUR' });
    const { revision } = await getCollection(ctx, id);
    await deleteCollection(ctx, id);
    expect((await eventsOf(ctx, id)).map(short)).toEqual([
      [1, 'Created'],
      [2, 'TransactionsCreated', ids, variants.toSorted()],
      [3, 'TransactionUpdated', [second], [variantId]],
      [4, 'TransactionDeleted', [second], [variantId]],
      [5, 'Updated'],
      [6, 'Updated'],
      [7, 'Updated'],
      [8, 'Revalued'],
      [9, 'Revalued'],
      [10, 'Deleted'],
    ]);
    expect(revision).toBe(9);
  });

  it('has nothing of what was refused', async () => {
    const { ctx, id } = await collection({ maxValuedCollections: 0 });
    const attempts = [
      () => updateCollection(ctx, id, { valued: true }),
      () => updateCollection(ctx, id, { name: 'Other' }, [99]),
      () => deleteCollection(ctx, id, [99]),
      () => createTransactions(ctx, id, [entry('var_missing')]),
    ];
    for (const attempt of attempts) await expect(attempt()).rejects.toThrow();
    expect((await eventsOf(ctx, id)).map(short)).toEqual([[1, 'Created']]);
    expect((await getCollection(ctx, id)).revision).toBe(1);
  });

  it('numbers the alerts of each account, in their order and without gaps, whoever writes', async () => {
    const db: OpenDatabase = database();
    const accounts = [await newAccount(db), await newAccount(db)];
    const alertsOf = async (ctx: Context) =>
      (await eventsOf(ctx, ALERTS_STREAM)).map(({ sequence, alertId }) => [sequence, alertId]);
    const [one, other] = accounts as [Context, Context];
    const log = (ctx: Context, ...alertIds: string[]) =>
      db.transaction((tx) =>
        logTriggeredAlerts(
          tx,
          ctx.caller.accountId,
          alertIds.map((alertId) => ({ alertId })),
        ),
      );
    await log(one, 'a', 'b', 'a');
    await log(other, 'x');
    expect(await alertsOf(one)).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, 'a'],
    ]);
    expect(await alertsOf(other)).toEqual([[1, 'x']]);

    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        Promise.all([one, other].map((ctx) => log(ctx, `${i}.1`, `${i}.2`))),
      ),
    );
    for (const [ctx, before] of [
      [one, 3],
      [other, 1],
    ] as const) {
      const events = (await alertsOf(ctx)).slice(before);
      expect(events.map(([sequence]) => sequence)).toEqual(
        Array.from({ length: 40 }, (_, i) => before + i + 1),
      );
      // The two of one writer stand together.
      for (let i = 0; i < 40; i += 2) {
        expect(events[i + 1]![1]).toBe(String(events[i]![1]).replace('.1', '.2'));
      }
    }
  });

  it('is read a few events at a time, and no further behind many ids', async () => {
    const { ctx, id } = await collection();
    const [variant] = (await pricedVariants(database(), 1)) as [string];
    for (let i = 0; i < 3; i++) await createTransactions(ctx, id, Array(60).fill(entry(variant)));
    await updateCollection(ctx, id, { name: 'Renamed' });
    const read = async (after: number, rows: number, ids: number) => {
      const params = [ctx.caller.accountId, id, after, rows, ids];
      return (await ctx.db.query<EventRow>(EVENTS_AFTER, params)).map(({ sequence }) => sequence);
    };
    // Each has 60 transactions and a variant.
    expect(await read(0, 20, 61)).toEqual([1, 2]);
    expect(await read(0, 20, 62)).toEqual([1, 2, 3]);
    expect(await read(3, 20, 1)).toEqual([4]);
    expect(await read(3, 20, 62)).toEqual([4, 5]);
    expect(await read(0, 2, 10_000)).toEqual([1, 2]);
  });
});
