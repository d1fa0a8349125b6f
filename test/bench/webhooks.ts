import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { newService } from '../faults/service.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { deliverUnderFaults } from '../support/webhook-faults.ts';

/**
 * Whether webhooks are told of everything that was committed, of nothing that was undone, and in order, while their receiver and the
 * service are killed in the middle, and how often they are told twice. `npx tsx test/bench/webhooks.ts [events] [kills]`
 */
const [events = 10_000, kills = 8] = process.argv.slice(2).map(Number);

const server = await startPostgres();
const folder = await mkdtemp(join(tmpdir(), 'cardledger-webhooks-'));
const { url } = await loadedPostgresUrl(server.url);
const db = postgresDatabase(url);
const service = await newService(folder, {
  DATABASE_URL: url,
  DEMO: '0',
  OUTBOUND_NETWORKS: '127.0.0.0/8',
});
try {
  const { accountId } = await createAccount(db, { name: 'Webhooks', now: new Date() });
  const ctx = {
    db: db.forAccount(accountId),
    caller: { accountId, clientId: randomUUID() },
    now: () => new Date(),
  };
  const result = await deliverUnderFaults({
    ...{ db, ctx, events, kills },
    start: () => service.start(),
    kill: () => service.end('SIGKILL'),
  });
  process.stdout.write(`${JSON.stringify(result)}\n`);
  process.exitCode = result.missing + result.invented + result.outOfOrder > 0 ? 1 : 0;
} finally {
  await db.close();
  await server.stop();
  await rm(folder, { recursive: true });
}
