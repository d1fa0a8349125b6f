import { expect, it } from 'vitest';
import { updatePreferences } from '../../src/services/accounts/update-preferences.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { createTransaction } from '../../src/services/transactions/create.ts';
import { describeOnOwnDatabases, newAccount, pricedVariants } from '../harness.ts';
import { entry } from '../support/furnished.ts';

const VARIANTS = 2000;
const PURCHASES_OF_EACH = 5;

describeOnOwnDatabases('costs of many variants by the order of purchases', (database) => {
  it('are kept without reading all that is kept for each of them, by a connection that has known few', async () => {
    const [few, many] = [await newAccount(database()), await newAccount(database())];
    const [variantId] = (await pricedVariants(database(), 1)) as [string];
    const small = await createCollection(few, { name: 'Small' });
    const large = await createCollection(many, { name: 'Large' });
    const ofLarge = [many.caller.accountId, large.id, PURCHASES_OF_EACH];
    const variants = `(select id from variant order by id limit ${VARIANTS}) v`;
    await database().query(
      `insert into transaction (account_id, id, collection_id, variant_id, occurred, action, quantity, unit_amount, currency, rate)
       select $1, 'txn_' || lpad(row_number() over ()::text, 26, '0'), $2, v.id, '2025-01-01'::date + n, 'Purchase', 1, 1, 'USD', 1
       from ${variants}, generate_series(1, $3::integer) n`,
      ofLarge,
    );
    await database().query(
      `insert into holding (account_id, collection_id, variant_id, transaction_count, bought, cost, sold, proceeds)
       select $1, $2, v.id, $3::integer, $3::integer, $3::integer, 0, 0 from ${variants}`,
      ofLarge,
    );
    await database().query('analyze transaction, holding');
    await updatePreferences(few, { costBasis: 'Fifo' });
    // Room for those that follow is taken behind the first.
    await createTransaction(few, small.id, entry(variantId));
    const read = await database().transaction(async (tx) => {
      await tx.liftTimeouts();
      // After so many PostgreSQL keeps a plan for all that follow.
      for (let i = 0; i < 8; i++) await createTransaction({ ...few, db: tx }, small.id, entry(variantId));
      await updatePreferences({ ...many, db: tx }, { costBasis: 'Fifo' });
      const [{ rows }] = (await tx.query<{ rows: number }>(
        `select seq_tup_read::integer as rows from pg_stat_xact_user_tables where relname = 'cost_state'`,
      )) as [{ rows: number }];
      return rows;
    });
    const [{ kept }] = (await database().query<{ kept: number }>(
      'select count(*)::integer as kept from cost_state where account_id = $1',
      [many.caller.accountId],
    )) as [{ kept: number }];
    expect(kept).toBe(VARIANTS * PURCHASES_OF_EACH);
    expect(read).toBeLessThan(20 * kept);
  });
});
