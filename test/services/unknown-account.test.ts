import { expect, it } from 'vitest';
import type { Database } from '../../src/db/client.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { deleteTransaction } from '../../src/services/transactions/delete.ts';
import { moveTransactions } from '../../src/services/transactions/move.ts';
import { updateTransaction } from '../../src/services/transactions/update.ts';
import { describeOnOwnDatabases, newAccount, pricedVariants } from '../harness.ts';
import { entry } from '../support/furnished.ts';

const AT_ONCE = 20;
const KNOWN = 2000;
const UNKNOWN = 20_000;

/** Pages of the ledger and its indexes that the database transaction has looked at so far. */
async function pagesReadIn(tx: Database): Promise<number> {
  const [{ pages }] = (await tx.query<{ pages: number }>(
    `select sum(pg_stat_get_xact_blocks_fetched(c.oid))::integer as pages from pg_class c
     where c.oid = 'transaction'::regclass or c.oid in (select indexrelid from pg_index where indrelid = 'transaction'::regclass)`,
  )) as [{ pages: number }];
  return pages;
}

describeOnOwnDatabases('an account whose rows the statistics of the database do not know', (database) => {
  /** Of one variant, on the days of a year. */
  async function addMany(accountId: string, collectionId: string, count: number): Promise<void> {
    await database().query(
      `insert into transaction (account_id, id, collection_id, variant_id, occurred, action, quantity, unit_amount, currency, rate)
       select $1, 'txn_' || lpad(n::text, 26, '0'), $2, (select min(id) from variant), date '2025-01-01' + n % 365, 'Purchase', 1, 1, 'USD', 1
       from generate_series(1, $3::integer) n`,
      [accountId, collectionId, count],
    );
  }

  // On Citus the rows are read on workers, where the look-up of what the transaction has read does not reach.
  it.skipIf(process.env.TEST_CITUS_URL)('has each row of a change looked up by its key', async () => {
    const known = await newAccount(database());
    await addMany(known.caller.accountId, (await createCollection(known, { name: 'Known' })).id, KNOWN);
    await database().query('analyze account, collection, transaction, holding, variant');
    const account = await newAccount(database());
    const { accountId } = account.caller;
    const { id: from } = await createCollection(account, { name: 'From' });
    const { id: to } = await createCollection(account, { name: 'To' });
    await addMany(accountId, from, UNKNOWN);
    await database().query('update collection set transaction_share = 1000000 where account_id = $1', [
      accountId,
    ]);
    const variants = await pricedVariants(database(), AT_ONCE);
    await database().transaction(async (tx) => {
      await tx.liftTimeouts();
      const ctx = { ...account, db: tx };
      const pagesOf = async (change: () => Promise<unknown>) => {
        const before = await pagesReadIn(tx);
        await change();
        return (await pagesReadIn(tx)) - before;
      };
      let ids: string[] = [];
      const created = await pagesOf(async () => {
        const recorded = await createTransactions(
          ctx,
          from,
          variants.map((id) => entry(id)),
        );
        ids = recorded.map(({ id }) => id);
      });
      const moved = await pagesOf(() =>
        moveTransactions(ctx, { fromCollectionId: from, toCollectionId: to, transactionIds: ids }),
      );
      const updated = await pagesOf(() => updateTransaction(ctx, ids[0]!, { quantity: 2 }));
      const deleted = await pagesOf(() => deleteTransaction(ctx, ids[0]!));
      // Of 8 kB, with those of what is written: each scan of the account has 250.
      expect(Math.max(created, moved) / AT_ONCE).toBeLessThan(100);
      expect(Math.max(updated, deleted)).toBeLessThan(100);
    });
  });
});
