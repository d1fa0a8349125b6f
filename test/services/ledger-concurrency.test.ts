import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { updatePreferences } from '../../src/services/accounts/update-preferences.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { deleteCollection } from '../../src/services/collections/delete.ts';
import { getCollection } from '../../src/services/collections/get.ts';
import type { Context } from '../../src/services/context.ts';
import { diagnose } from '../../src/services/doctor.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { createTransaction, createTransactions } from '../../src/services/transactions/create.ts';
import { deleteTransaction } from '../../src/services/transactions/delete.ts';
import { updateTransaction } from '../../src/services/transactions/update.ts';
import { type Kind, newAccount, ownDatabase } from '../harness.ts';
import { importPrices } from '../support/import-prices.ts';
import { untilOneWaits } from '../support/lock-waits.ts';
import { patiently } from '../support/patiently.ts';
import { smallCatalogue } from '../support/price-days.ts';

const WRITERS = 16;
const WRITES = 30;

for (const kind of ['pglite', 'postgres'] as const satisfies Kind[]) {
  describe.skipIf(kind === 'postgres' && !inject('postgresUrl'))(`concurrent writers (${kind})`, () => {
    let db: OpenDatabase;
    let variants: string[];

    beforeAll(async () => {
      db = await ownDatabase(kind);
      variants = await smallCatalogue(db, 40);
    });
    afterAll(() => db.close());

    const entry = (variantId: string, quantity: number, value = 1) => ({
      variantId,
      occurredDate: '2026-01-31',
      action: 'Purchase' as const,
      quantity,
      unitAmount: { currency: 'USD' as const, value },
    });

    /** Creates, edits and deletes; gives the quantity and the cost that it was told are there. */
    async function writer(ctx: Context, collectionId: string, number: number, choose: (i: number) => string) {
      let quantity = 0;
      let cents = 0;
      for (let i = 0; i < WRITES; i++) {
        const { id } = await patiently(() =>
          createTransaction(ctx, collectionId, entry(choose(i), number + 1, 0.25)),
        );
        if (i % 3 === 0) {
          await patiently(() => deleteTransaction(ctx, id));
        } else if (i % 3 === 1) {
          const changes = { quantity: 7, unitAmount: { currency: 'USD' as const, value: 2.5 } };
          await patiently(() => updateTransaction(ctx, id, changes));
          quantity += 7;
          cents += 7 * 250;
        } else {
          quantity += number + 1;
          cents += (number + 1) * 25;
        }
      }
      return { quantity, cents };
    }

    it.each([
      ['one variant', () => 0],
      ['many variants', (number: number, i: number) => (number * 7 + i) % 40],
    ] as const)('on %s: the sums equal the acknowledged writes', async (_name, place) => {
      const ctx = await newAccount(db);
      const { id } = await createCollection(ctx, { name: 'Shared' });
      const writers = Array.from({ length: WRITERS }, (_, number) =>
        writer(ctx, id, number, (i) => variants[place(number, i)]!),
      );
      const acknowledged = await Promise.all(writers);
      const quantity = acknowledged.reduce((sum, one) => sum + one.quantity, 0);
      const cents = acknowledged.reduce((sum, one) => sum + one.cents, 0);
      const collection = await getCollection(ctx, id);
      expect(collection.quantity).toBe(quantity);
      expect(Number(collection.invested!.amount)).toBe(cents / 100);
      expect((await diagnose(db, { fix: false })).differences).toEqual([]);
    });

    it('in bulk, in opposite orders: nobody is told of a deadlock', async () => {
      const ctx = await newAccount(db);
      const { id } = await createCollection(ctx, { name: 'Bulk' });
      const lists = Array.from({ length: WRITERS }, (_, i) =>
        i % 2 === 0 ? variants : [...variants].reverse(),
      );
      await Promise.all(
        lists.map((list) =>
          patiently(() =>
            createTransactions(
              ctx,
              id,
              list.map((variant) => entry(variant, 1)),
            ),
          ),
        ),
      );
      expect((await getCollection(ctx, id)).quantity).toBe(WRITERS * variants.length);
      expect((await diagnose(db, { fix: false })).differences).toEqual([]);
    });

    it('while the preferred currency changes and collections are deleted', async () => {
      const ctx = await newAccount(db);
      const { id } = await createCollection(ctx, { name: 'Currency' });
      const doomed = await createCollection(ctx, { name: 'Doomed' });
      const writes = Array.from({ length: 8 }, (_, number) =>
        writer(ctx, id, number, (i) => variants[i % 5]!),
      );
      const late = Promise.allSettled(
        Array.from({ length: 8 }, () => createTransaction(ctx, doomed.id, entry(variants[0]!, 1))),
      );
      for (const preferredCurrency of ['EUR', 'JPY', 'NZD'] as const)
        await patiently(() => updatePreferences(ctx, { preferredCurrency }));
      await deleteCollection(ctx, doomed.id);
      await Promise.all([...writes, late]);
      expect((await getCollection(ctx, id)).marketValue.currency).toBe('NZD');
      expect((await diagnose(db, { fix: false })).differences).toEqual([]);
    });

    it('on one variant, while the cost basis changes: what cards have cost is kept by the last one', async () => {
      const ctx = await newAccount(db);
      const { id } = await createCollection(ctx, { name: 'Cost basis' });
      await updatePreferences(ctx, { costBasis: 'Fifo' });
      const deals = async (number: number) => {
        for (let i = 0; i < 12; i++) {
          const deal = {
            ...entry(variants[0]!, 1 + (i % 3), 1 + number),
            occurredDate: `2026-01-${10 + ((i * 5 + number) % 20)}`,
            action: i % 3 === 2 ? ('Sale' as const) : ('Purchase' as const),
          };
          const made = await patiently(() => createTransaction(ctx, id, deal));
          if (i % 4 === 0) await patiently(() => deleteTransaction(ctx, made.id));
          if (i % 4 === 1)
            await patiently(() => updateTransaction(ctx, made.id, { occurredDate: '2026-01-05' }));
        }
      };
      const writes = Promise.all(Array.from({ length: 6 }, (_, number) => deals(number)));
      for (const costBasis of ['MovingAverage', 'Average', 'Fifo', 'Average', 'MovingAverage'] as const)
        await patiently(() => updatePreferences(ctx, { costBasis }));
      await writes;
      const { transactionCount, costBasis } = await getCollection(ctx, id);
      expect({ transactionCount, costBasis }).toEqual({
        transactionCount: 6 * 9,
        costBasis: 'MovingAverage',
      });
      expect((await diagnose(db, { fix: false })).differences).toEqual([]);
    });

    it.skipIf(kind === 'pglite')(
      'while a migration adds a column to the table that is waited for',
      async () => {
        const ctx = await newAccount(db);
        const { id } = await createCollection(ctx, { name: 'Columns' });
        await createTransaction(ctx, id, entry(variants[0]!, 1));
        onTestFinished(() => void db.query('alter table transaction drop column added'));
        let waiting: Promise<unknown[]> | undefined;
        await db.transaction(async (tx) => {
          const own = [ctx.caller.accountId, id];
          await tx.query('select 1 from collection where account_id = $1 and id = $2 for no key update', own);
          waiting = createTransactions(ctx, id, [entry(variants[0]!, 2), entry(variants[1]!, 3)]);
          await untilOneWaits(db);
          await db.query('alter table transaction add column added text');
        });
        expect(await waiting).toHaveLength(2);
        expect(await getCollection(ctx, id)).toMatchObject({ quantity: 6, transactionCount: 3 });
      },
    );

    it('while prices are imported: no holding keeps a price that was replaced', async () => {
      const accounts = await Promise.all(
        Array.from({ length: 4 }, () => newAccount(db, { currency: 'EUR' })),
      );
      const ids = await Promise.all(
        accounts.map(async (ctx) => (await createCollection(ctx, { name: 'Prices' })).id),
      );
      const writes = accounts.map((ctx, i) => writer(ctx, ids[i]!, i, (n) => variants[n % 40]!));
      for (const amount of ['1.11', '2.22', '3.33', '4.44']) {
        const rows = variants.map((variantId) => ({ variantId, currency: 'USD', amount }));
        await importPrices(db, rows, '2026-04-13', { version: amount, isSample: true }, noProgress);
      }
      await Promise.all(writes);
      expect((await diagnose(db, { fix: false })).differences).toEqual([]);
    });
  });
}
