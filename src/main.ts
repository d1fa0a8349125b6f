import { serve } from '@hono/node-server';
import { type Logger, pino } from 'pino';
import { createApp } from './app.ts';
import { type Config, loadConfig } from './config.ts';
import { openDatabase } from './db/open.ts';
import { ensureDemoClient } from './demo.ts';
import { dateOf } from './domain/dates.ts';
import { loadShippedData } from './first-run.ts';
import { progressOn } from './progress.ts';
import { purgeDeletedCollections } from './services/collections/purge.ts';
import { repriceAccounts } from './services/market/reprice.ts';
import { hasSampleData } from './services/market/state.ts';

const SHUTDOWN_MILLIS = 10_000;

async function main(): Promise<void> {
  const config = loadConfig();
  const logger = pino({ level: config.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime });
  const now = () => new Date();
  const db = await openDatabase({ ...config, onProgress: (message) => logger.info(message) });
  await prepare(config, db, logger, now);

  const app = createApp({ config, db, now, logger });
  const server = serve({ fetch: app.fetch, port: config.port, hostname: config.host }, () => {
    logger.info(`ready ${config.publicUrl}`);
  });
  server.on('error', (error) => fail(error));

  const stop = async () => {
    const killer = setTimeout(() => process.exit(1), SHUTDOWN_MILLIS).unref();
    await new Promise((resolve) => server.close(resolve));
    await db.close();
    clearTimeout(killer);
    process.exit(0);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

/** Loads what ships with the product, and finishes what an earlier run left undone. */
async function prepare(
  config: Config,
  db: Awaited<ReturnType<typeof openDatabase>>,
  logger: Logger,
  now: () => Date,
): Promise<void> {
  const progress = progressOn(process.stderr, (message) => logger.info(message));
  await loadShippedData(db, { samples: config.demo, today: dateOf(now()), progress });
  await repriceAccounts(db);
  await purgeDeletedCollections(db);
  if (await hasSampleData(db)) {
    logger.warn(
      'The prices and sale volumes are SAMPLE data, made up; import real ones before you rely on any amount.',
    );
  }
  if (config.demo) {
    const { path } = await ensureDemoClient(db, config.dataDir, now());
    logger.info(`demo credentials are in ${path}`);
  }
}

/** One clear line for people; the stack only where it is a defect. */
function fail(error: unknown): never {
  console.error(`cardledger cannot start: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}

main().catch(fail);
