import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import type { Config } from '../config.ts';
import { programOf } from '../paths.ts';
import { endOnSignal } from './signals.ts';

/** A worker that dies is started again at once; one that dies again soon waits, twice as long each time. */
const FIRST_DELAY_MILLIS = 100;
const MAX_DELAY_MILLIS = 30_000;
const STEADY_MILLIS = 60_000;
/** Somewhat less than the primary itself has to end. */
const KILL_MILLIS = 9000;

/** What a worker and the primary say to each other. */
export interface MetricsRequest {
  type: 'cardledger:metrics';
  id: number;
}
export interface MetricsReply extends MetricsRequest {
  text: string | null;
}

/**
 * Starts `WORKERS` processes that share the port, and starts those again that die. Resolves when all of them listen;
 * throws where one ends before that. The database is ready already.
 */
export async function startPrimary(config: Config, logger: Logger): Promise<void> {
  const { file, execArgv } = programOf('server/worker');
  cluster.setupPrimary({
    exec: file,
    execArgv: [...process.execArgv.filter((flag) => flag.startsWith('--max')), ...execArgv],
  });
  answerMetrics(new AggregatorRegistry());
  cluster.on('listening', (worker) => logger.info({ pid: worker.process.pid }, 'a worker listens'));
  const first = Array.from({ length: config.workers }, () => cluster.fork());
  const stopped = { isStopping: false };
  endOnSignal({ stop: () => stopWorkers(stopped) }, logger);
  const start = async (worker: Worker) => {
    await untilListening(worker);
    keepAlive(worker, FIRST_DELAY_MILLIS, stopped, logger);
  };
  await Promise.all(first.map(start)).catch(async (error) => {
    // Told to end before all listened: that is no failure.
    if (stopped.isStopping) return new Promise<never>(() => {});
    await stopWorkers(stopped);
    throw error;
  });
}

async function untilListening(worker: Worker): Promise<void> {
  const [event] = await Promise.race([
    once(worker, 'listening').then(() => ['listening']),
    once(worker, 'exit').then(() => ['exit']),
  ]);
  if (event === 'exit') throw new Error('A worker could not start; the lines above say why.');
}

function keepAlive(
  worker: Worker,
  delayMillis: number,
  stopped: { isStopping: boolean },
  logger: Logger,
): void {
  const start = performance.now();
  worker.once('exit', (code, signal) => {
    if (stopped.isStopping) return;
    const wasSteady = performance.now() - start > STEADY_MILLIS;
    const delay = wasSteady ? FIRST_DELAY_MILLIS : delayMillis;
    logger.error(
      { pid: worker.process.pid, code, signal },
      `a worker died; another one starts in ${delay} ms`,
    );
    setTimeout(() => {
      if (stopped.isStopping) return;
      keepAlive(cluster.fork(), Math.min(delay * 2, MAX_DELAY_MILLIS), stopped, logger);
    }, delay);
  });
}

async function stopWorkers(stopped: { isStopping: boolean }): Promise<void> {
  stopped.isStopping = true;
  // One that has died may be in the list until its channel is closed.
  const workers = Object.values(cluster.workers ?? {}).filter(
    (worker) => worker && !worker.isDead(),
  ) as Worker[];
  const ended = workers.map((worker) => once(worker, 'exit'));
  for (const worker of workers) worker.process.kill('SIGTERM');
  const killer = setTimeout(() => {
    for (const worker of workers) worker.process.kill('SIGKILL');
  }, KILL_MILLIS);
  await Promise.all(ended);
  clearTimeout(killer);
}

/** Workers ask for the metrics of all, since only the primary can reach all. */
function answerMetrics(registry: AggregatorRegistry<'text/plain; version=0.0.4; charset=utf-8'>): void {
  cluster.on('message', async (worker, message: MetricsRequest) => {
    if (message?.type !== 'cardledger:metrics') return;
    const text = await registry.clusterMetrics().catch(() => null);
    if (worker.isConnected()) worker.send({ ...message, text } satisfies MetricsReply);
  });
}
