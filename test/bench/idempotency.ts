import { randomUUID } from 'node:crypto';
import type { OpenDatabase } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import type { Context } from '../../src/services/context.ts';
import { withIdempotencyKey } from '../../src/services/idempotency.ts';
import { createTransaction } from '../../src/services/transactions/create.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { startPostgres } from '../support/postgres-server.ts';

/**
 * What a write with an idempotency key costs where its account has many keys of the last day, and another, which writes no more,
 * has as many that are expired, against a database without keys, in turns: it is to be the same.
 * `npx tsx test/bench/idempotency.ts [rounds] [writes]`
 */
const [rounds = 8, writes = 100] = process.argv.slice(2).map(Number);
const KEYS = 300_000;
const now = () => new Date();

interface Writer {
  ctx: Context;
  collectionId: string;
  variantId: string;
  millis: number[];
}

async function newWriter(db: OpenDatabase, keys: number): Promise<Writer> {
  const [accountId, idle] = [await newAccountId(db), await newAccountId(db)];
  const ctx = { db: db.forAccount(accountId), caller: { accountId, clientId: 'cli_benchmark' }, now };
  const { id: collectionId } = await createCollection(ctx, { name: 'Benchmark' });
  const [variant] = await db.query<{ id: string }>('select id from variant order by id limit 1');
  await db.transaction(async (tx) => {
    await tx.liftTimeouts();
    await tx.query(FILL, [accountId, keys, '0 hours']);
    await tx.query(FILL, [idle, keys, '30 hours']);
    await tx.query('analyze');
  });
  return { ctx, collectionId, variantId: variant!.id, millis: [] };
}

async function newAccountId(db: OpenDatabase): Promise<string> {
  return (await createAccount(db, { name: 'Benchmark', now: now() })).accountId;
}

/** $1 account, $2 keys, $3 age of the youngest. */
const FILL = `
  insert into idempotency_key (account_id, client_id, key, request_digest, answer, created_at)
  select $1, 'cli_benchmark', 'key-' || n, md5(n::text), '{}', now() - $3::interval - n * interval '0.2 seconds'
  from generate_series(1, $2::integer) n`;

async function write({ ctx, collectionId, variantId, millis }: Writer): Promise<void> {
  const input = {
    variantId,
    occurredDate: '2026-01-31',
    action: 'Purchase' as const,
    quantity: 1,
    unitAmount: { currency: 'USD' as const, value: 1.25 },
  };
  const start = performance.now();
  await createTransaction(withIdempotencyKey(ctx, randomUUID(), 'key'), collectionId, input);
  millis.push(performance.now() - start);
}

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

const server = await startPostgres();
try {
  const [full, empty] = [await newDatabase(), await newDatabase()];
  const [many, none] = [await newWriter(full, KEYS), await newWriter(empty, 0)];
  for (let round = -1; round < rounds; round++) {
    for (const writer of [many, none]) {
      for (let i = 0; i < writes; i++) await write(writer);
      if (round < 0) writer.millis = [];
    }
  }
  const [slow, quick] = [median(many.millis), median(none.millis)];
  process.stdout.write(
    `a write with a key: ${slow.toFixed(2)} ms beside ${KEYS} keys of the account, ${quick.toFixed(2)} ms beside none: ×${(slow / quick).toFixed(2)}\n`,
  );
  await Promise.all([full.close(), empty.close()]);
} finally {
  await server.stop();
}

async function newDatabase(): Promise<OpenDatabase> {
  return postgresDatabase((await loadedPostgresUrl(server.url)).url);
}
