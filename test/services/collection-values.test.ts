import { expect, it } from 'vitest';
import { LOCK_COLLECTIONS } from '../../src/db/queries/accounts.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { collectionOrder, listCollections } from '../../src/services/collections/list.ts';
import { diagnose } from '../../src/services/doctor.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { describeOnOwnDatabases, newAccount } from '../harness.ts';
import { entry } from '../support/furnished.ts';
import { importPrices } from '../support/import-prices.ts';
import { importDay, smallCatalogue } from '../support/price-days.ts';

const COUNT = 5;

describeOnOwnDatabases('values of collections after an import', (database, kind) => {
  it('are of prices in two currencies, of none, and of no holdings', async () => {
    const db = database();
    const ctx = await newAccount(db);
    const [inDollars, inEuros, unpriced] = (await smallCatalogue(db, 3)) as [string, string, string];
    const deal = (variantId: string, action: 'Purchase' | 'Sale', quantity: number) => ({
      variantId,
      occurredDate: '2026-04-13',
      action,
      quantity,
      unitAmount: { currency: 'USD' as const, value: 1.25 },
    });
    for (let i = 0; i < COUNT; i++) {
      const { id } = await createCollection(ctx, { name: `Collection ${i}` });
      if (i % 3 === 0) continue;
      const entries = [
        deal(inDollars, 'Purchase', i),
        deal(unpriced, 'Purchase', 1),
        deal(inEuros, 'Sale', 2),
      ];
      if (i % 2 === 0) entries.push(deal(inEuros, 'Purchase', 5));
      await createTransactions(ctx, id, entries);
    }
    await importPrices(
      db,
      [
        { variantId: inDollars, currency: 'USD', amount: '3.21' },
        { variantId: inEuros, currency: 'EUR', amount: '7.21' },
        { variantId: unpriced, currency: 'USD', amount: null },
      ],
      '2026-04-13',
      { version: 'values', isSample: true },
      noProgress,
    );
    const request = { kind: 'position', position: 0, size: COUNT } as const;
    const { items } = await listCollections(ctx, collectionOrder('Chronological'), request);
    expect(items).toHaveLength(COUNT);
    expect(items[0]!.marketValue.amount).toBe('0.00');
    expect(items[1]!.marketValue.amount).toBe('3.21');
    const { differences } = await diagnose(db, { fix: false });
    expect(differences).toEqual([]);
  });

  it.skipIf(kind === 'pglite')('put all collections into pages while somebody writes them', async () => {
    const db = database();
    const ctx = await newAccount(db);
    const [steady, fallen] = (await smallCatalogue(db, 2)) as [string, string];
    await importDay(db, '2026-04-14', { [steady]: '20', [fallen]: '40' });
    const names = ['Steady', 'Fallen'];
    for (const [i, name] of names.entries()) {
      const { id } = await createCollection(ctx, { name });
      await createTransactions(ctx, id, [entry([steady, fallen][i]!)]);
    }
    const order = collectionOrder('Value');
    const pageAfter = async (after: readonly string[] | null) => {
      const page = await listCollections(ctx, order, {
        kind: 'key',
        size: 1,
        after,
        before: null,
        fromEnd: false,
      });
      return { ...page, names: page.items.map(({ name }) => name) };
    };
    expect((await pageAfter(null)).names).toEqual(['Fallen']);
    await importDay(db, '2026-04-15', { [steady]: '20', [fallen]: '10' });
    await db.transaction(async (tx) => {
      await tx.query(LOCK_COLLECTIONS, [ctx.caller.accountId]);
      const first = await pageAfter(null);
      expect(first).toMatchObject({ names: ['Steady'], hasNextPage: true });
      expect((await pageAfter(first.keyOf(0))).names).toEqual(['Fallen']);
    });
  });
});
