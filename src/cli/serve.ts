import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { serve as listen } from '@hono/node-server';
import { type Logger, pino } from 'pino';
import { createApp } from '../app.ts';
import type { Config } from '../config.ts';
import type { Database, OpenDatabase } from '../db/client.ts';
import { openDatabase } from '../db/open.ts';
import { type DemoClient, ensureDemoClient } from '../demo.ts';
import { dateOf } from '../domain/dates.ts';
import { lackingData, loadShippedData } from '../first-run.ts';
import { purgeDeletedCollections } from '../services/collections/purge.ts';
import { repriceAccounts } from '../services/market/reprice.ts';
import { hasSampleData } from '../services/market/state.ts';
import { withProgress } from './progress.ts';

const SHUTDOWN_MILLIS = 10_000;
const PURGE_INTERVAL_MILLIS = 30_000;

/** Starts the server. Resolves when it listens; SIGTERM and SIGINT end the process when its requests are answered. */
export async function serve(config: Config): Promise<void> {
  const logger = pino({ level: config.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime });
  const db = await openDatabase({ ...config, onProgress: (message) => logger.info(message) });
  try {
    await start(config, db, logger);
  } catch (error) {
    await db.close();
    throw error;
  }
}

async function start(config: Config, db: OpenDatabase, logger: Logger): Promise<void> {
  const now = () => new Date();
  const demoClient = await prepare(config, db, logger, now);
  const app = createApp({ config, db, now, logger, demoClient });
  const server = listen({ fetch: app.fetch, port: config.port, hostname: config.host });
  await once(server, 'listening').catch((error) => {
    throw explainedListenError(error, config);
  });
  const stop = async () => {
    const killer = setTimeout(() => process.exit(1), SHUTDOWN_MILLIS).unref();
    await new Promise((resolve) => server.close(resolve));
    await db.close();
    clearTimeout(killer);
    process.exit(0);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  keepPurging(db, logger);
  logger.info(`ready ${config.publicUrl}`);
}

/** What deleted collections leave is taken away in small batches, beside the requests. */
function keepPurging(db: Database, logger: Logger): void {
  let isPurging = false;
  const purge = async () => {
    if (isPurging) return;
    isPurging = true;
    await purgeDeletedCollections(db).catch((error) =>
      logger.warn({ err: error }, 'deleted collections are not purged yet'),
    );
    isPurging = false;
  };
  setInterval(purge, PURGE_INTERVAL_MILLIS).unref();
  void purge();
}

/** Loads what ships with the product, and finishes what an earlier run left undone. Gives the demo's client, if any. */
async function prepare(
  config: Config,
  db: Database,
  logger: Logger,
  now: () => Date,
): Promise<DemoClient | undefined> {
  if (config.databaseUrl === null) {
    const line = (message: string) => logger.info(message);
    await withProgress(process.stderr, line, (progress) =>
      loadShippedData(db, { samples: config.demo, today: dateOf(now()), progress }),
    );
  } else if ((await lackingData(db, config.demo)).length > 0) {
    await runToEnd('load-shipped-data.ts');
  }
  await repriceAccounts(db);
  if (await hasSampleData(db)) {
    logger.warn(
      'The prices and sale volumes are SAMPLE data, made up; import real ones before you rely on any amount.',
    );
  }
  if (!config.demo) return undefined;
  const { path, ...demoClient } = await ensureDemoClient(db, config.dataDir, now());
  logger.info(`demo credentials are in ${path}`);
  return demoClient;
}

/** Runs a program of this folder as a process of its own, with this one's settings. */
async function runToEnd(program: string): Promise<void> {
  const file = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), file], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error('The shipped data could not be loaded; the lines above say why.');
}

function explainedListenError(error: NodeJS.ErrnoException, { host, port }: Config): Error {
  const why = {
    EADDRINUSE: 'another program listens there',
    EACCES: 'this user may not listen there',
    EADDRNOTAVAIL: 'this machine has no such address',
  }[error.code ?? ''];
  const advice = 'Set PORT or HOST to others.';
  return why
    ? new Error(`Cannot listen on ${host}, port ${port}: ${why}. ${advice}`, { cause: error })
    : error;
}
