import { expect, it } from 'vitest';
import { createCollection } from '../../src/services/collections/create.ts';
import { collectionOrder, listCollections } from '../../src/services/collections/list.ts';
import { diagnose } from '../../src/services/doctor.ts';
import { importPrices } from '../../src/services/market/import.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { describeOnOwnDatabases, newAccount, pricedVariants, statementsOf } from '../harness.ts';

/** So many collections are valued by looking up each price; of more, all prices are read. */
const FEW = 20;

describeOnOwnDatabases('values of collections after an import', (database) => {
  it.each([
    [FEW, 0],
    [FEW + 1, 1],
  ])('%i at once, of prices in two currencies, of none, and without holdings', async (count, reads) => {
    const db = database();
    const ctx = await newAccount(db);
    const [inDollars, inEuros, unpriced] = (await pricedVariants(db, 3)) as [string, string, string];
    const entry = (variantId: string, action: 'Purchase' | 'Sale', quantity: number) => ({
      variantId,
      occurredDate: '2026-04-13',
      action,
      quantity,
      unitAmount: { currency: 'USD' as const, value: 1.25 },
    });
    for (let i = 0; i < count; i++) {
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
        { variantId: inDollars, currency: 'USD', amount: `3.${count}` },
        { variantId: inEuros, currency: 'EUR', amount: `7.${count}` },
        { variantId: unpriced, currency: 'USD', amount: null },
      ],
      '2026-04-13',
      { version: String(count), isSample: true },
      noProgress,
    );
    const request = { kind: 'position', position: 0, size: count } as const;
    const { result, statements } = await statementsOf(() =>
      listCollections(ctx, collectionOrder('Chronological'), request),
    );
    expect(statements.filter(({ text }) => text.includes('latest as materialized'))).toHaveLength(reads);
    expect(result.items).toHaveLength(count);
    expect(result.items[0]!.marketValue.amount).toBe('0.00');
    expect(result.items[1]!.marketValue.amount).toBe(`3.${count}`);
    const { differences } = await diagnose(db, { fix: false });
    expect(differences).toEqual([]);
  });
});
