import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Database, OpenDatabase } from '../../src/db/client.ts';
import { LOCK_COLLECTIONS } from '../../src/db/queries/accounts.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { getCollection } from '../../src/services/collections/get.ts';
import type { Context } from '../../src/services/context.ts';
import { diagnose } from '../../src/services/doctor.ts';
import { importExchangeRates, importPrices } from '../../src/services/market/import.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { rederiveAccount, repriceAccounts } from '../../src/services/market/reprice.ts';
import { createTransaction } from '../../src/services/transactions/create.ts';
import { updateTransaction } from '../../src/services/transactions/update.ts';
import { newAccount, ownDatabase, pricedVariants } from '../harness.ts';

const SAMPLE = { isSample: true };

/** The moments between an import and an account's turn, on PostgreSQL, where writers run side by side. */
describe.skipIf(!inject('postgresUrl'))('writes that meet an import', { timeout: 60_000 }, () => {
  let db: OpenDatabase;
  let variants: string[];

  beforeAll(async () => {
    db = await ownDatabase('postgres');
    variants = await pricedVariants(db, 3);
  }, 120_000);
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
  const newCollection = async (ctx: Context) => (await createCollection(ctx, { name: 'Market' })).id;

  /** Commits new prices as an import does, without the turns of the accounts that follow it. */
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

  it('an edit that waited for a repricing keeps no rate that was replaced', async () => {
    const ctx = await newAccount(db);
    const id = await newCollection(ctx);
    const { id: transactionId } = await createTransaction(ctx, id, entry(variants[0]!, 'NZD'));
    let edit: Promise<unknown> = Promise.resolve();
    await db.transaction(async (tx) => {
      await tx.query(LOCK_COLLECTIONS, [ctx.caller.accountId]);
      edit = updateTransaction(ctx, transactionId, { quantity: 2 });
      await new Promise((resolve) => setTimeout(resolve, 300));
      await db.query(`update fx_rate set per_euro = per_euro * 2 where currency = 'NZD'`);
      await db.query(`update market_data set revision = revision + 1 where kind = 'rates'`);
      await rederiveAccount(tx, ctx.caller.accountId);
    });
    await edit;
    expect(await ledgerDifferences()).toEqual([]);
    expect((await getCollection(ctx, id)).quantity).toBe(2);
  });

  it('an account is not marked by an import that its pass did not see', async () => {
    const ctx = await newAccount(db);
    await setPrices('7');
    const id = await newCollection(ctx);
    await createTransaction(ctx, id, entry(variants[0]!));
    await commitPricesOnly('8');
    let isCommitted = false;
    const late = new Proxy(db, {
      get: (target, name) => (name === 'transaction' ? transactionWithLateImport : Reflect.get(target, name)),
    });
    const transactionWithLateImport: Database['transaction'] = (work) =>
      db.transaction((tx) =>
        work({
          ...tx,
          query: async (text, params) => {
            if (!isCommitted && text.includes('set market_revision')) {
              isCommitted = true;
              await commitPricesOnly('77');
            }
            return tx.query(text, params);
          },
        }),
      );
    await repriceAccounts(late);
    expect(isCommitted).toBe(true);
    await repriceAccounts(db);
    expect((await getCollection(ctx, id)).marketValue.amount).toBe('77.00');
  });

  it('an import of rates raises no revision: an ETag from before it still holds', async () => {
    const ctx = await newAccount(db);
    const id = await newCollection(ctx);
    const { id: transactionId, revision } = await createTransaction(ctx, id, entry(variants[0]!, 'NZD'));
    const rates = [{ currency: 'NZD', day: '2026-04-13', per_euro: '1.5' }];
    await importExchangeRates(db, rates, { version: 'new', ...SAMPLE }, noProgress);
    const edited = await updateTransaction(ctx, transactionId, { quantity: 3 }, revision);
    expect(edited.revision).toBe(revision + 1);
    expect(await ledgerDifferences()).toEqual([]);
  });

  it('a crowd behind one lock does not stop other accounts', async () => {
    const [busy, other] = await Promise.all([newAccount(db), newAccount(db)]);
    const id = await newCollection(busy);
    const others = await newCollection(other);
    let crowd: Promise<PromiseSettledResult<unknown>[]> = Promise.resolve([]);
    await db.transaction(async (tx) => {
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
