import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Logger } from 'pino';
import { bracketed, type Config, misspeltSettings } from '../config.ts';
import type { Database } from '../db/client.ts';
import { openDatabase } from '../db/open.ts';
import { ensureDemoClient, samplesSince } from '../demo.ts';
import { dateOf } from '../domain/dates.ts';
import { lackingData, loadShippedData } from '../first-run.ts';
import { programOf } from '../paths.ts';
import { hasMarketData, marketWarnings, sampleData } from '../services/market/state.ts';
import { assertCanListen } from './listening.ts';
import { createLogger } from './log.ts';
import { watchLoop } from './loop-watch.ts';
import { startPrimary } from './primary.ts';
import { withProgress } from './progress.ts';
import { replicasOf, tellPrimary } from './replicas.ts';
import { startServer } from './server.ts';
import { endAtOnceOnSignal, endOnSignal } from './signals.ts';

/** Starts the server. Resolves when it listens; SIGTERM and SIGINT end the process when its requests are answered. */
export async function serve(config: Config): Promise<void> {
  endAtOnceOnSignal();
  // Before what takes seconds.
  await assertCanListen(config);
  const logger = createLogger(config.logLevel);
  for (const warning of misspeltSettings()) logger.warn(warning);
  const db = await openDatabase({
    ...config,
    onProgress: (message) => logger.info(message),
    // Workers have their own.
    replicas: config.workers > 1 ? undefined : replicasOf(config, logger),
    tellPrimary: tellPrimary(logger),
  });
  try {
    await prepare(config, db, logger);
    watchLoop();
    if (config.workers > 1) {
      await db.close();
      await startPrimary(config, logger);
    } else {
      endOnSignal(await startServer(config, db, logger), logger);
    }
  } catch (error) {
    await db.close();
    throw error;
  }
  logger.info(readyLine(config));
}

/** Where it listens, and what clients are to take where that is another address. */
function readyLine({ host, port, publicUrl }: Config): string {
  const own = `http://${bracketed(host)}:${port}`;
  return `ready ${own}${publicUrl === own ? '' : ` (public address: ${publicUrl})`}`;
}

const HOW_TO_PULL =
  'Market data stays as it is loaded: PULL_PRICES=daily and PULL_RATES=daily have the service download it every day.';

/** Loads what ships with the product, and finishes what an earlier run left undone. */
async function prepare(config: Config, db: Database, logger: Logger): Promise<void> {
  const now = new Date();
  const today = dateOf(now);
  const isFirst = !(await hasMarketData(db));
  if (config.databaseUrl === null) {
    const line = (message: string) => logger.info(message);
    await withProgress(process.stderr, line, (progress) =>
      loadShippedData(db, { samplesSince: config.demo ? samplesSince(today) : null, today, progress }),
    );
  } else if ((await lackingData(db, config.demo)).length > 0) {
    await runToEnd('server/load-shipped-data');
  }
  const samples = await sampleData(db);
  if (samples) {
    logger.warn(`The ${samples} are SAMPLE data, made up; import real ones before you rely on them.`);
  }
  for (const { fact, advice } of await marketWarnings(db, today)) logger.warn(`${fact}: ${advice}`);
  if (isFirst && config.pullPrices === null && config.pullRates === null) logger.info(HOW_TO_PULL);
  if (config.demo) {
    const { path } = await ensureDemoClient(db, config.dataDir, now);
    logger.info(`demo credentials are in ${path}`);
  }
}

/** Runs a program of ours as a process of its own, with this one's settings. */
async function runToEnd(program: string): Promise<void> {
  const { file, execArgv } = programOf(program);
  const child = spawn(process.execPath, [...execArgv, file], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const end = () => child.kill();
  process.once('exit', end);
  const [code] = await once(child, 'exit');
  process.removeListener('exit', end);
  if (code !== 0) throw new Error('The shipped data could not be loaded; the lines above say why.');
}
