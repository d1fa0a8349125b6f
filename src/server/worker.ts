import { AggregatorRegistry } from 'prom-client';
import { loadConfig } from '../config.ts';
import { postgresDatabase } from '../db/postgres-database.ts';
import { messageOf } from './errors.ts';
import { createLogger } from './log.ts';
import { watchLoop } from './loop-watch.ts';
import type { MetricsReply, MetricsRequest } from './primary.ts';
import { replicasOf, tellPrimary } from './replicas.ts';
import { startServer } from './server.ts';
import { endOnSignal } from './signals.ts';

/** One of the processes of `WORKERS`, which the primary starts when the database is ready. */
try {
  const config = loadConfig();
  const logger = createLogger(config.logLevel);
  const replicas = replicasOf(config, logger);
  const db = postgresDatabase(config.databaseUrl!, undefined, undefined, replicas, tellPrimary(logger));
  const server = await startServer(config, db, logger, metricsOfAll());
  // It answers the primary's requests for this process's metrics.
  new AggregatorRegistry();
  AggregatorRegistry.setRegistries(server.metrics.registry);
  endOnSignal(server);
  watchLoop();
  // Without the primary nobody would start, count or stop it.
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
} catch (error) {
  console.error(`cardledger: ${messageOf(error)}`);
  process.exit(1);
}

/** The function that asks the primary for the metrics of all workers. */
function metricsOfAll(): () => Promise<string> {
  const waiting = new Map<number, (reply: MetricsReply) => void>();
  let nextId = 0;
  process.on('message', (message: MetricsReply) => {
    if (message?.type === 'cardledger:metrics') waiting.get(message.id)?.(message);
  });
  return async () => {
    const request: MetricsRequest = { type: 'cardledger:metrics', id: nextId++ };
    const reply = new Promise<MetricsReply>((resolve) => waiting.set(request.id, resolve));
    process.send!(request);
    const { text } = await reply;
    waiting.delete(request.id);
    if (text === null) throw new Error('A worker did not tell its metrics.');
    return text;
  };
}
