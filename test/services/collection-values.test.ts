import { expect, it } from 'vitest';
import { createCollection } from '../../src/services/collections/create.ts';
import { collectionOrder, listCollections } from '../../src/services/collections/list.ts';
import { diagnose } from '../../src/services/doctor.ts';
import { importPrices } from '../../src/services/market/import.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { describeOnOwnDatabases, newAccount } from '../harness.ts';
import { smallCatalogue } from '../support/price-days.ts';

const COUNT = 5;

describeOnOwnDatabases('values of collections after an import', (database) => {
  it('are of prices in two currencies, of none, and of no holdings', async () => {
    const db = database();
    const ctx = await newAccount(db);
    const [inDollars, inEuros, unpriced] = (await smallCatalogue(db, 3)) as [string, string, string];
    const entry = (variantId: string, action: 'Purchase' | 'Sale', quantity: number) => ({
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
        entry(inDollars, 'Purchase', i),
        entry(unpriced, 'Purchase', 1),
        entry(inEuros, 'Sale', 2),
      ];
      if (i % 2 === 0) entries.push(entry(inEuros, 'Purchase', 5));
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
});
