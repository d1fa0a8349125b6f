import { beforeAll, expect, it } from 'vitest';
import type { Database } from '../../src/db/client.ts';
import { updatePreferences } from '../../src/services/accounts/update-preferences.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import type { Context } from '../../src/services/context.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { moveTransactions } from '../../src/services/transactions/move.ts';
import { describeOnOwnDatabases, newAccount, pricedVariants } from '../harness.ts';
import { entry } from '../support/furnished.ts';

const COST_BASES = ['Average', 'Fifo'] as const;
const SMALL_ACCOUNTS = 2000;
const TRANSACTIONS = 5000;
const AT_ONCE = 10;

/** Rows of the ledger and the catalogue that the database transaction has read so far. */
async function rowsReadIn(tx: Database): Promise<number> {
  const [{ rows }] = (await tx.query<{ rows: number }>(
    `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as rows from pg_stat_xact_user_tables
     where relname in ('transaction', 'holding', 'cost_state', 'variant', 'price')`,
  )) as [{ rows: number }];
  return rows;
}

describeOnOwnDatabases('an account beside many small ones', (database) => {
  async function collectionOf(account: Context, name: string, transactions: number): Promise<string> {
    const { id } = await createCollection(account, { name });
    const { accountId } = account.caller;
    await database().query('update collection set transaction_share = 1000000 where id = $1', [id]);
    await database().query(
      `insert into transaction (account_id, id, collection_id, variant_id, occurred, action, quantity, unit_amount, currency, rate)
       select $1, 'txn_' || lpad(n::text, 26, '0'), $2, (select min(id) from variant), '2025-01-01', 'Purchase', 1, 1, 'USD', 1
       from generate_series(1, $3::integer) n`,
      [accountId, id, transactions],
    );
    return id;
  }

  /** As many as the planner takes for the average. */
  async function addSmallAccounts(): Promise<void> {
    const account = await newAccount(database());
    await collectionOf(account, 'Small', 2);
    const copied = (table: string) => `
      insert into ${table} select (jsonb_populate_record(t, jsonb_build_object('account_id', md5(n::text)))).*
      from ${table} t, generate_series(1, ${SMALL_ACCOUNTS}) n where account_id = $1`;
    for (const table of ['account', 'collection', 'transaction'])
      await database().query(copied(table), [account.caller.accountId]);
  }

  beforeAll(addSmallAccounts);

  // On Citus the rows are read on workers, where the look-up of what the transaction has read does not reach.
  it.skipIf(process.env.TEST_CITUS_URL).each(COST_BASES)(
    'reads what its changes concern, by plans that are kept for all: %s',
    async (costBasis) => {
      const large = await newAccount(database());
      await updatePreferences(large, { costBasis });
      const [from, to] = [
        await collectionOf(large, 'From', TRANSACTIONS),
        await collectionOf(large, 'To', 0),
      ];
      await database().query('analyze account, collection, transaction, holding, variant');
      const variants = await pricedVariants(database(), AT_ONCE);
      const reads = await database().transaction(async (tx) => {
        await tx.liftTimeouts();
        const ctx = { ...large, db: tx };
        const all = [];
        // After some PostgreSQL keeps a plan for all that follow.
        for (let i = 0; i < 8; i++) {
          const before = await rowsReadIn(tx);
          const recorded = await createTransactions(
            ctx,
            from,
            variants.map((id) => entry(id)),
          );
          const transactionIds = recorded.map(({ id }) => id);
          await moveTransactions(ctx, { fromCollectionId: from, toCollectionId: to, transactionIds });
          all.push((await rowsReadIn(tx)) - before);
        }
        return all;
      });
      expect(Math.max(...reads)).toBeLessThan(200 * AT_ONCE);
    },
  );
});
