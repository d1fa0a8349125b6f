import { expect, it } from 'vitest';
import type { Database } from '../../src/db/client.ts';
import { PRODUCTS_BY_ID } from '../../src/db/queries/products.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import type { Context } from '../../src/services/context.ts';
import { createLabelled, labelledTransactionsOf } from '../../src/services/transactions/labelled.ts';
import { transactionOrder } from '../../src/services/transactions/list.ts';
import { describeOnDatabases, newAccount, pricedVariants } from '../harness.ts';
import { entry } from '../support/furnished.ts';

describeOnDatabases('transactions with what their variants are called', (database) => {
  const listed = async (ctx: Context, id: string) => {
    const order = transactionOrder('Chronological');
    const page = await labelledTransactionsOf(ctx, id, order, { kind: 'position', position: 0, size: 10 });
    return page.items;
  };

  it('are not recorded where that cannot be found out', async () => {
    const ctx = await newAccount(database());
    const { id } = await createCollection(ctx, { name: 'Binder' });
    const [variant] = await pricedVariants(database(), 1);
    const hot: Database['hot'] = (text, ...more) =>
      text === PRODUCTS_BY_ID
        ? Promise.reject(new Error('The connection is lost.'))
        : ctx.db.hot(text, ...more);
    // Another identity: nothing of the catalogue is in its memory.
    const failing = { ...ctx, db: { ...ctx.db, identity: {}, isTransaction: true, hot } };
    await expect(createLabelled(failing, id, entry(variant!))).rejects.toThrow('The connection is lost.');
    expect(await listed(ctx, id)).toEqual([]);
    const recorded = await createLabelled(ctx, id, entry(variant!));
    expect(recorded.label.variantId).toBe(variant);
    expect(await listed(ctx, id)).toEqual([recorded]);
  });

  it('are refused as others are', async () => {
    const ctx = await newAccount(database());
    const { id } = await createCollection(ctx, { name: 'Binder' });
    for (const [variantId, type] of [
      ['var_0000000000000000', 'NotFound'],
      ['nothing', 'NotFound'],
      [7, 'ValidationFailed'],
      [undefined, 'ValidationFailed'],
    ] as const) {
      const input = { ...entry(''), variantId };
      await expect(createLabelled(ctx, id, input)).rejects.toMatchObject({ problem: type });
    }
  });
});
