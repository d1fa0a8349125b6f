import { describe, expect, it } from 'vitest';
import { STORE_VALUES } from '../../src/db/queries/stored-values.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { deleteCollection } from '../../src/services/collections/delete.ts';
import { getCollection, getCollections } from '../../src/services/collections/get.ts';
import { purgeDeletedCollections } from '../../src/services/collections/purge.ts';
import { updateCollection } from '../../src/services/collections/update.ts';
import { setGoalCollection } from '../../src/services/goals/set.ts';
import { listSummaries, summaryOrder } from '../../src/services/summaries/list.ts';
import { createTransaction, createTransactions } from '../../src/services/transactions/create.ts';
import { deleteTransaction } from '../../src/services/transactions/delete.ts';
import { updateTransaction } from '../../src/services/transactions/update.ts';
import { describeOnDatabases, newAccount, pricedVariants, statementsOf } from '../harness.ts';

const PAGE = { kind: 'position', position: 0, size: 50 } as const;

describeOnDatabases('the ledger', (database) => {
  const buy = (variantId: string, quantity: number, value: number) => ({
    variantId,
    occurredDate: '2026-01-31',
    action: 'Purchase' as const,
    quantity,
    unitAmount: { currency: 'USD' as const, value },
  });

  describe('the worked example', () => {
    it('buys 4 at 10.00 and sells 1 at 15.00', async () => {
      const ctx = await newAccount(database());
      const [variantId] = await pricedVariants(database(), 1);
      const { id } = await createCollection(ctx, { name: 'Binder' });
      await createTransaction(ctx, id, buy(variantId!, 4, 10));
      await createTransaction(ctx, id, { ...buy(variantId!, 1, 15), action: 'Sale' });
      const [page] = await listSummaries(ctx, [id], null, summaryOrder('Alphabetical'), PAGE);
      const expected = {
        quantity: 3,
        invested: { currency: 'USD', amount: '30.00' },
        profit: { currency: 'USD', amount: '5.00' },
        cashPosition: { currency: 'USD', amount: '-25.00' },
      };
      expect(page!.items).toHaveLength(1);
      expect(page!.items[0]).toMatchObject(expected);
      expect(await getCollection(ctx, id)).toMatchObject(expected);
    });
  });

  it('is as new when every transaction is gone', async () => {
    const ctx = await newAccount(database());
    const [a, b] = await pricedVariants(database(), 2);
    const { id } = await createCollection(ctx, { name: 'Binder' });
    const rows = await createTransactions(ctx, id, [buy(a!, 3, 0.3333), buy(a!, 4, 1.01), buy(b!, 7, 2)]);
    await updateTransaction(ctx, rows[0]!.id, { quantity: 11, unitAmount: { currency: 'JPY', value: 77.5 } });
    await updateTransaction(ctx, rows[1]!.id, { action: 'Sale', occurredDate: '2020-02-29' });
    for (const row of rows) await deleteTransaction(ctx, row.id);
    const [page] = await listSummaries(ctx, [id], null, summaryOrder('Alphabetical'), PAGE);
    expect(page!.items).toEqual([]);
    const collection = await getCollection(ctx, id);
    expect(collection).toMatchObject({
      quantity: 0,
      invested: null,
      profit: null,
      cashPosition: null,
      gain: null,
    });
    expect(collection.marketValue.amount).toBe('0.00');
    const [left] = await database().query<{ sums: string }>(
      `select (invested, profit, cash_position, market_value, gain, quantity, transaction_count)::text as sums
       from collection where account_id = $1 and id = $2`,
      [ctx.caller.accountId, id],
    );
    expect(left!.sums.replace(/0\.0+/g, '0')).toBe('(0,0,0,0,0,0,0)');
  });

  it('needs no value made afresh by any change but those of the market', async () => {
    const ctx = await newAccount(database());
    const [a] = await pricedVariants(database(), 1);
    const { statements } = await statementsOf(async () => {
      const { id } = await createCollection(ctx, { name: 'Binder' });
      const { id: other } = await createCollection(ctx, { name: 'Other' });
      const row = await createTransaction(ctx, id, buy(a!, 3, 1));
      await updateCollection(ctx, id, { name: 'Renamed' });
      await updateTransaction(ctx, row.id, { quantity: 2 });
      for (const goal of [id, other, id, null]) await setGoalCollection(ctx, goal);
      await deleteTransaction(ctx, row.id);
      await getCollections(ctx, [id, other]);
    });
    expect(statements.filter(({ text }) => text === STORE_VALUES)).toEqual([]);
  });

  it('deletes a collection at once and its ledger afterwards', async () => {
    const ctx = await newAccount(database());
    const [a] = await pricedVariants(database(), 1);
    const { id } = await createCollection(ctx, { name: 'Binder' });
    const row = await createTransaction(ctx, id, buy(a!, 3, 1));
    await deleteCollection(ctx, id);
    await expect(getCollection(ctx, id)).rejects.toMatchObject({ problem: 'NotFound' });
    await expect(updateTransaction(ctx, row.id, { quantity: 2 })).rejects.toMatchObject({
      problem: 'NotFound',
    });
    await expect(createTransaction(ctx, id, buy(a!, 3, 1))).rejects.toMatchObject({ problem: 'NotFound' });
    expect(await purgeDeletedCollections(database())).toBeGreaterThan(0);
    const left = await database().query('select id from transaction where account_id = $1', [
      ctx.caller.accountId,
    ]);
    expect(left).toEqual([]);
  });
});
