import { performance } from 'node:perf_hooks';
import { createWorkLimit } from '../../src/auth/work-limit.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { parseNetworks } from '../../src/lib/networks.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { createWebhook } from '../../src/services/webhooks/create.ts';
import { WebhookFeed } from '../../src/services/webhooks/feed.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { startPostgres } from '../support/postgres-server.ts';

/**
 * What one account with 10 webhooks and 5,000 changes within some seconds takes of the looks of the feed, which is one for all accounts: how long each
 * look takes until all is fed, and how long those take in which nothing is new. `npx tsx test/bench/webhook-feed.ts [events] [webhooks]`
 */
const [events = 5000, webhooks = 10] = process.argv.slice(2).map(Number);
const COLLECTIONS = 50;

const server = await startPostgres();
const { url } = await loadedPostgresUrl(server.url);
const db = postgresDatabase(url);
const now = () => new Date();
const { accountId } = await createAccount(db, { name: 'Benchmark', now: now() });
const ctx = {
  ...{ db, caller: { accountId, clientId: 'cli_benchmark' }, now },
  outboundNetworks: parseNetworks('127.0.0.0/8'),
};
for (let i = 0; i < webhooks; i++) await createWebhook(ctx, { url: `http://127.0.0.1:1/${i}` });
await db.query(
  `insert into event (account_id, stream, sequence, kind)
  select $1, 'col_' || i % ${COLLECTIONS}, i / ${COLLECTIONS} + 1, 'Updated' from generate_series(0, $2::integer - 1) i`,
  [accountId, events],
);
const feed = new WebhookFeed(
  db.housekeeping,
  createWorkLimit({ account: 0, platform: 0 }, () => performance.now()),
);
for (let look = 1; look <= 20; look++) {
  const began = performance.now();
  const hasMore = await feed.look();
  const millis = performance.now() - began;
  const [made] = await db.query<{ count: number }>(
    'select count(*) as count from webhook_delivery where account_id = $1',
    [accountId],
  );
  process.stdout.write(
    `look ${look}: ${millis.toFixed(0)} ms, ${made!.count} deliveries in all${hasMore ? ', there is more' : ''}\n`,
  );
}
await db.close();
await server.stop();
