import { setTimeout as sleep } from 'node:timers/promises';
import { type OpenDatabase, postgresDatabase } from '../../src/db/client.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { getCollection } from '../../src/services/collections/get.ts';
import type { Context } from '../../src/services/context.ts';
import { diagnose } from '../../src/services/doctor.ts';
import { importPrices } from '../../src/services/market/import.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { createTransaction } from '../../src/services/transactions/create.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { startPostgres } from '../support/postgres-server.ts';

/**
 * An import of 40,000 prices and the re-derivation of all market values and expected values with 1,000,000 holdings in
 * the database, while others read and write: how long it takes, and how long anyone waits.
 */
const PRICES = 40_000;
const ACCOUNTS = 200;
const HOLDINGS_PER_ACCOUNT = 5_000;

/** The catalogue has fewer variants: the rest are copies of it. */
async function fillVariants(db: OpenDatabase): Promise<string[]> {
  await db.query(
    `insert into variant (id, product_id, name, position, fc_id, set_code, edition, finish, rarity, is_expansion_slot)
     select v.id || 'c' || n, v.product_id, v.name || ' copy ' || n, v.position + 100 * n, v.fc_id || '-c' || n, 'XXX', v.edition,
       v.finish, v.rarity, v.is_expansion_slot
     from variant v, generate_series(1, 2) n`,
  );
  const rows = await db.query<{ id: string }>(`select id from variant order by id limit ${PRICES}`);
  return rows.map(({ id }) => id);
}

/** Holdings and totals as the ledger would have made them, a set at a time: one purchase each. */
async function fillLedger(db: OpenDatabase, variants: string[], now: Date): Promise<Context[]> {
  const contexts: Context[] = [];
  for (let i = 0; i < ACCOUNTS; i++) {
    const { accountId } = await createAccount(db, { name: `Benchmark ${i}`, now });
    const ctx = { db, caller: { accountId, clientId: 'cli_benchmark' }, now: () => now };
    const { id } = await createCollection(ctx, { name: 'Everything' });
    const first = (i * 7919) % (variants.length - HOLDINGS_PER_ACCOUNT);
    const held = JSON.stringify(variants.slice(first, first + HOLDINGS_PER_ACCOUNT));
    await db.transaction(async (tx) => {
      await tx.liftTimeouts();
      await tx.query(
        `insert into transaction (account_id, id, collection_id, variant_id, occurred, action, quantity, unit_amount, currency, rate)
         select $1, 'txn_' || lpad($3::text, 4, '0') || lpad(row_number() over ()::text, 22, '0'), $2, v, '2026-01-31', 'Purchase', 2, 1, 'USD', 1
         from jsonb_array_elements_text($4::jsonb) v`,
        [accountId, id, i, held],
      );
      await tx.query(
        `insert into holding (account_id, collection_id, variant_id, transaction_count, bought, cost, sold, proceeds)
         select $1, $2, v, 1, 2, 2, 0, 0 from jsonb_array_elements_text($3::jsonb) v`,
        [accountId, id, held],
      );
      await tx.query(
        'update collection set market_revision = 0, transaction_count = $3 where account_id = $1 and id = $2',
        [accountId, id, HOLDINGS_PER_ACCOUNT],
      );
    });
    contexts.push(ctx);
  }
  return contexts;
}

/** Calls `work` over and over until stopped; gives the longest time that a call took. */
function watch(work: (i: number) => Promise<unknown>) {
  let isRunning = true;
  const longest = (async () => {
    let most = 0;
    for (let i = 0; isRunning; i++) {
      const start = performance.now();
      await work(i);
      most = Math.max(most, performance.now() - start);
      await sleep(5);
    }
    return most;
  })();
  return async () => {
    isRunning = false;
    return longest;
  };
}

async function measure(
  db: OpenDatabase,
  readers: OpenDatabase,
  write: (line: string) => void,
): Promise<void> {
  const now = new Date('2026-04-13T10:00:00Z');
  const variants = await fillVariants(db);
  const contexts = await fillLedger(db, variants, now);
  await db.query('analyze');
  const collections = await db.query<{ id: string; accountId: string }>(
    'select id, account_id as "accountId" from collection',
  );
  const idOf = new Map(collections.map(({ id, accountId }) => [accountId, id]));
  const importOnce = async (round: number) => {
    const rows = variants.map((variantId, i) => ({
      variantId,
      currency: 'USD',
      amount: ((i % 9000) / 100 + round).toFixed(2),
    }));
    const context = (i: number) => ({ ...contexts[i % contexts.length]!, db: readers });
    const stopReads = watch((i) => getCollection(context(i), idOf.get(context(i).caller.accountId)!));
    const stopWrites = watch((i) => {
      const ctx = context(i * 31);
      const unitAmount = { currency: 'USD' as const, value: 1 };
      const entry = {
        variantId: variants[i % 1000]!,
        occurredDate: '2026-02-01',
        action: 'Purchase' as const,
        quantity: 1,
        unitAmount,
      };
      return createTransaction(ctx, idOf.get(ctx.caller.accountId)!, entry);
    });
    const start = performance.now();
    await importPrices(
      db,
      rows,
      `2026-04-${13 + round}`,
      { version: `round ${round}`, isSample: false },
      noProgress,
    );
    const seconds = (performance.now() - start) / 1000;
    const [read, written] = await Promise.all([stopReads(), stopWrites()]);
    write(
      `import ${round}: ${seconds.toFixed(1)} s; longest read ${read.toFixed(0)} ms, longest write ${written.toFixed(0)} ms`,
    );
  };
  write(`${PRICES} prices, ${ACCOUNTS * HOLDINGS_PER_ACCOUNT} holdings of ${ACCOUNTS} accounts`);
  for (let round = 1; round <= 3; round++) await importOnce(round);
  const start = performance.now();
  const { differences } = await diagnose(db, { fix: false });
  write(`doctor: ${differences.length} differences, ${((performance.now() - start) / 1000).toFixed(1)} s`);
}

const server = await startPostgres({ settings: { shared_buffers: '512MB', max_wal_size: '4GB' } });
try {
  const { url } = await loadedPostgresUrl(server.url);
  const [db, readers] = [postgresDatabase(url), postgresDatabase(url)];
  // biome-ignore lint/suspicious/noConsole: the result of the program
  await measure(db, readers, (line) => console.log(line));
  await Promise.all([db.close(), readers.close()]);
} finally {
  await server.stop();
}
