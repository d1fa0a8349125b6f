import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Database, OpenDatabase } from '../../src/db/client.ts';
import { LOCK_COLLECTIONS } from '../../src/db/queries/accounts.ts';
import { pageByKey } from '../../src/domain/pagination.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { getCollection } from '../../src/services/collections/get.ts';
import { collectionOrder, listCollections } from '../../src/services/collections/list.ts';
import type { Context } from '../../src/services/context.ts';
import { diagnose } from '../../src/services/doctor.ts';
import { importExchangeRates } from '../../src/services/market/import.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { createTransaction } from '../../src/services/transactions/create.ts';
import { updateTransaction } from '../../src/services/transactions/update.ts';
import { newAccount, ownDatabase } from '../harness.ts';
import { importPrices } from '../support/import-prices.ts';
import { smallCatalogue } from '../support/price-days.ts';

const SAMPLE = { isSample: true };

/** Writers and readers beside imports, on PostgreSQL, where they run side by side. */
describe.skipIf(!inject('postgresUrl'))('writes that meet an import', () => {
  let db: OpenDatabase;
  let variants: string[];

  beforeAll(async () => {
    db = await ownDatabase('postgres');
    variants = await smallCatalogue(db, 3);
  });
  afterAll(() => db.close());

  const entry = (variantId: string, currency: 'USD' | 'NZD' = 'USD') => ({
    variantId,
    occurredDate: '2026-04-13',
    action: 'Purchase' as const,
    quantity: 1,
    unitAmount: { currency, value: 1 },
  });
  const setPrices = (amount: string, into: Database = db) =>
    importPrices(
      into as OpenDatabase,
      variants.map((variantId) => ({ variantId, currency: 'USD', amount })),
      '2026-04-13',
      { version: amount, ...SAMPLE },
      noProgress,
    );
  const setRate = (perEuro: string) =>
    importExchangeRates(
      db,
      [{ currency: 'NZD', day: '2026-04-13', per_euro: perEuro }],
      { version: perEuro, ...SAMPLE },
      noProgress,
    );
  const newCollection = async (ctx: Context) => (await createCollection(ctx, { name: 'Market' })).id;

  /** Commits new prices as an import does. */
  async function commitPricesOnly(amount: string): Promise<void> {
    await db.query(
      'update price set amount = $2::numeric where variant_id in (select jsonb_array_elements_text($1::jsonb))',
      [JSON.stringify(variants), amount],
    );
    await db.query(`update market_data set revision = revision + 1 where kind = 'prices'`);
  }

  /** The prices are changed without the expected values, which are no part of this. */
  async function ledgerDifferences() {
    const { differences } = await diagnose(db, { fix: false });
    return differences.filter(({ kind }) => kind !== 'expected value');
  }

  it('a new holding does not bring a new price beside old ones', async () => {
    const ctx = await newAccount(db);
    await setPrices('5');
    const id = await newCollection(ctx);
    await createTransaction(ctx, id, entry(variants[0]!));
    await commitPricesOnly('100');
    await createTransaction(ctx, id, entry(variants[1]!));
    expect((await getCollection(ctx, id)).marketValue.amount).toBe('200.00');
    expect(await ledgerDifferences()).toEqual([]);
  });

  it('an edit that waited for others keeps no rate that was replaced', async () => {
    const ctx = await newAccount(db);
    const id = await newCollection(ctx);
    const { id: transactionId } = await createTransaction(ctx, id, entry(variants[0]!, 'NZD'));
    let waiting: Promise<unknown>[] = [];
    await db.transaction(async (tx) => {
      await tx.query(LOCK_COLLECTIONS, [ctx.caller.accountId]);
      waiting = [updateTransaction(ctx, transactionId, { quantity: 2 }), setRate('3')];
      await new Promise((resolve) => setTimeout(resolve, 2000));
    });
    await Promise.all(waiting);
    expect(await ledgerDifferences()).toEqual([]);
    expect((await getCollection(ctx, id)).quantity).toBe(2);
  });

  it('a transaction that was begun before new rates has them, or gets them', async () => {
    const ctx = await newAccount(db);
    const id = await newCollection(ctx);
    for (const rate of ['1.1', '1.2', '1.3', '1.4']) {
      await Promise.all([
        ...Array.from({ length: 12 }, () => createTransaction(ctx, id, entry(variants[0]!, 'NZD'))),
        setRate(rate),
      ]);
    }
    expect(await ledgerDifferences()).toEqual([]);
    expect((await getCollection(ctx, id)).quantity).toBe(48);
  });

  it('a value that was made while another import came is not taken for that of the newer market', async () => {
    const ctx = await newAccount(db);
    await setPrices('7');
    const id = await newCollection(ctx);
    await createTransaction(ctx, id, entry(variants[0]!));
    await commitPricesOnly('8');
    const [read] = await Promise.all([getCollection(ctx, id), commitPricesOnly('77')]);
    expect(['7.00', '8.00', '77.00']).toContain(read.marketValue.amount);
    expect((await getCollection(ctx, id)).marketValue.amount).toBe('77.00');
    expect(await ledgerDifferences()).toEqual([]);
  });

  it('who shows a value after an import waits for no writer', async () => {
    const ctx = await newAccount(db);
    const id = await newCollection(ctx);
    await createTransaction(ctx, id, entry(variants[0]!));
    await commitPricesOnly('9');
    await db.transaction(async (tx) => {
      await tx.query(LOCK_COLLECTIONS, [ctx.caller.accountId]);
      expect((await getCollection(ctx, id)).marketValue.amount).toBe('9.00');
      const byValue = collectionOrder('Value');
      const page = await listCollections(ctx, byValue, pageByKey({}, byValue));
      expect(page.items.map(({ marketValue }) => marketValue.amount)).toEqual(['9.00']);
    });
    expect((await getCollection(ctx, id)).marketValue.amount).toBe('9.00');
    expect(await ledgerDifferences()).toEqual([]);
  });

  it('an import of rates raises no revision: an ETag from before it still holds', async () => {
    const ctx = await newAccount(db);
    const id = await newCollection(ctx);
    const { id: transactionId, revision } = await createTransaction(ctx, id, entry(variants[0]!, 'NZD'));
    await setRate('1.5');
    const edited = await updateTransaction(ctx, transactionId, { quantity: 3 }, [revision]);
    expect(edited.revision).toBe(revision + 1);
    expect(await ledgerDifferences()).toEqual([]);
  });

  it('a crowd behind one lock does not stop other accounts', async () => {
    const own = (ctx: Context) => ({ ...ctx, db: db.forAccount(ctx.caller.accountId) });
    const [busy, other] = (await Promise.all([newAccount(db), newAccount(db)])).map(own) as [
      Context,
      Context,
    ];
    const id = await newCollection(busy);
    const others = await newCollection(other);
    let crowd: Promise<PromiseSettledResult<unknown>[]> = Promise.resolve([]);
    await db.transaction(async (tx) => {
      await tx.liftTimeouts();
      await tx.query(LOCK_COLLECTIONS, [busy.caller.accountId]);
      crowd = Promise.allSettled(
        Array.from({ length: 24 }, () => createTransaction(busy, id, entry(variants[0]!))),
      );
      await createTransaction(other, others, entry(variants[0]!));
      expect((await getCollection(other, others)).quantity).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 4500));
    });
    const answers = await crowd;
    const acknowledged = answers.filter(({ status }) => status === 'fulfilled').length;
    for (const answer of answers) {
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ problem: 'Unavailable' });
    }
    expect((await getCollection(busy, id)).quantity).toBe(acknowledged);
  });
});
