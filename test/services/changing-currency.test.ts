import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Database, OpenDatabase } from '../../src/db/client.ts';
import { LOCK_COLLECTIONS } from '../../src/db/queries/accounts.ts';
import { RATE_LEDGER, RATED_AT_ONCE } from '../../src/db/queries/derived.ts';
import { updatePreferences } from '../../src/services/accounts/update-preferences.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { getCollection } from '../../src/services/collections/get.ts';
import type { Context } from '../../src/services/context.ts';
import { diagnose } from '../../src/services/doctor.ts';
import { createTransaction } from '../../src/services/transactions/create.ts';
import { newAccount, ownDatabase, statementsOf } from '../harness.ts';
import { entry } from '../support/furnished.ts';
import { untilOneWaits } from '../support/lock-waits.ts';
import { smallCatalogue } from '../support/price-days.ts';

/** On PostgreSQL, where writers run side by side. */
describe.skipIf(!inject('postgresUrl'))('collections that are made while the currency changes', () => {
  let db: OpenDatabase;
  let variantId: string;

  beforeAll(async () => {
    db = await ownDatabase('postgres');
    [variantId] = (await smallCatalogue(db, 1)) as [string];
  });
  afterAll(() => db.close());

  const purchase = () => entry(variantId, { unitAmount: { currency: 'EUR', value: 10 } });
  const newCollection = async (ctx: Context) => {
    const { id } = await createCollection(ctx, { name: 'New' });
    await createTransaction(ctx, id, purchase());
    return id;
  };

  /** All of one currency, with the same totals, and nothing for the doctor. */
  async function expectAlike(ctx: Context, ids: string[], currency: string): Promise<void> {
    const reference = await newCollection(ctx);
    const { invested, marketValue, gain } = await getCollection(ctx, reference);
    expect(invested!.currency).toBe(currency);
    for (const id of ids)
      expect(await getCollection(ctx, id)).toMatchObject({ quantity: 1, invested, marketValue, gain });
    const { differences } = await diagnose(db, { fix: false });
    expect(differences.filter(({ kind }) => kind !== 'expected value')).toEqual([]);
  }

  it('wait for it, and are in the new currency', async () => {
    const ctx = await newAccount(db);
    const early = await newCollection(ctx);
    let making: Promise<string> | undefined;
    /** The change goes on when the new collection waits for the account. */
    const paused = (tx: Database): Database => ({
      ...tx,
      query: async (text, params) => {
        const rows = await tx.query(text, params);
        if (text === LOCK_COLLECTIONS && !making) {
          making = newCollection(ctx);
          await untilOneWaits(db);
        }
        return rows as never;
      },
    });
    const slow: Database = { ...ctx.db, transaction: (work) => ctx.db.transaction((tx) => work(paused(tx))) };
    await updatePreferences({ ...ctx, db: slow }, { preferredCurrency: 'JPY' });
    await expectAlike(ctx, [early, await making!], 'JPY');
  });

  it('have the right currency and totals, whoever comes first', async () => {
    const ctx = await newAccount(db);
    const ids: string[] = [];
    for (const preferredCurrency of ['NZD', 'JPY', 'EUR', 'USD', 'NZD']) {
      const made = await Promise.all([
        ...Array.from({ length: 3 }, () => newCollection(ctx)),
        updatePreferences(ctx, { preferredCurrency }),
        ...Array.from({ length: 3 }, () => newCollection(ctx)),
      ]);
      ids.push(...made.filter((one) => typeof one === 'string'));
    }
    await expectAlike(ctx, ids, 'NZD');
  });

  it.each([
    [RATED_AT_ONCE, 2],
    [RATED_AT_ONCE - 1, 1],
  ])('are converted in parts: %d transactions and some more in %d', async (transactionCount, parts) => {
    const ctx = await newAccount(db);
    const ids = [await newCollection(ctx), await newCollection(ctx)];
    await db.query('update collection set transaction_count = $3 where account_id = $1 and id = $2', [
      ctx.caller.accountId,
      ids[0]!,
      transactionCount,
    ]);
    const { statements } = await statementsOf(() => updatePreferences(ctx, { preferredCurrency: 'JPY' }));
    expect(statements.filter(({ text }) => text === RATE_LEDGER)).toHaveLength(parts);
    await expectAlike(ctx, ids, 'JPY');
  });
});
