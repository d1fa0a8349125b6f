import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { pino } from 'pino';
// The page as its sources are now.
import '../../scripts/build.mjs';
import { createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import type { Database } from '../../src/db/client.ts';
import { ensureDemoClient } from '../../src/demo.ts';
import { pageByPosition } from '../../src/domain/pagination.ts';
import { marketChanged } from '../../src/memory/memory.ts';
import type { ClientCredentials } from '../../src/services/clients/create.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { deleteCollection } from '../../src/services/collections/delete.ts';
import { collectionOrder, listCollections } from '../../src/services/collections/list.ts';
import type { Context } from '../../src/services/context.ts';
import { setGoalCollection } from '../../src/services/goals/set.ts';
import { deletePriceAlert } from '../../src/services/price-alerts/delete.ts';
import { listPriceAlerts } from '../../src/services/price-alerts/list.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { NOW, ownDatabase, pricedVariants, quickerKind } from '../harness.ts';
import { entry } from '../support/furnished.ts';

/** The page as a browser meets it, without the vendor's pictures. */
export interface WebService {
  /** An address at which one is signed in as the demo account. */
  demo: string;
  /** One at which nobody is. */
  production: string;
  /** One at which nobody is, of a machine in the house: no https, and not this machine itself. Needs `HOUSE_RULE`. */
  house: string;
  client: ClientCredentials;
  /** What the demo account may call beside the browser. */
  ctx: Context;
  /** Makes a collection in which each of so many variants was bought once. */
  fill(name: string, variants: number): Promise<string>;
  /** Ends all connections, as a network does. */
  breakConnections(): void;
  stop(): Promise<void>;
}

const HOUSE = 'nas.lan';
/** An argument for Chromium. */
export const HOUSE_RULE = `--host-resolver-rules=MAP ${HOUSE} 127.0.0.1`;

/** As many transactions as are recorded at once. */
const BATCH = 1000;

/** Of what the demo account starts with: a page with one collection shows most plainly what changes. */
async function keepBinderAlone(ctx: Context): Promise<void> {
  await setGoalCollection(ctx, null);
  const order = collectionOrder('Chronological');
  const first = pageByPosition({ pageSize: '10' });
  const { items } = await listCollections(ctx, order, first);
  for (const { id } of items.slice(1)) await deleteCollection(ctx, id);
  const alerts = await listPriceAlerts(ctx, first);
  for (const { id } of alerts.items) await deletePriceAlert(ctx, id);
}

/** @param change made to the market before the service serves it, with another revision of what it changes */
export async function startWebService(change = (_db: Database) => Promise.resolve()): Promise<WebService> {
  const db = await ownDatabase(quickerKind());
  const folder = await mkdtemp(join(tmpdir(), 'cardledger-web-'));
  const client = await ensureDemoClient(db, folder, NOW);
  await rm(folder, { recursive: true });
  const ctx: Context = { db: db.forAccount(client.accountId), caller: client, now: () => NOW };
  await keepBinderAlone(ctx);
  await change(db);
  // What came before has read it.
  marketChanged(db);
  const settings = {
    DEMO_HOSTS: '127.0.0.1',
    CARD_PICTURES: '0',
    RATE_LIMIT_PER_MINUTE: '0',
    WORK_LIMIT_PER_MINUTE: '0',
    TOKEN_LIMIT_PER_MINUTE: '0',
  };
  const app = createApp({
    config: loadConfig(settings),
    db,
    now: () => NOW,
    logger: pino({ level: 'silent' }),
    demoClient: client,
    subscriptions: { pingMillis: 1000, checkMillis: 100 },
  });
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const breakConnections = () => (server as unknown as { closeAllConnections(): void }).closeAllConnections();
  return {
    demo: `http://127.0.0.1:${port}`,
    production: `http://localhost:${port}`,
    house: `http://${HOUSE}:${port}`,
    client,
    ctx,
    async fill(name, variants) {
      const { id } = await createCollection(ctx, { name });
      const ids = await pricedVariants(db, variants);
      for (let from = 0; from < ids.length; from += BATCH) {
        const batch = ids.slice(from, from + BATCH).map((variantId) => entry(variantId));
        await createTransactions(ctx, id, batch);
      }
      return id;
    },
    breakConnections,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      breakConnections();
      await closed;
      await db.close();
    },
  };
}
