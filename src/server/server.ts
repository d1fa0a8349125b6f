import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createApp, createDatabaseMetrics } from '../app.ts';
import { parseTrustedProxies } from '../auth/peer-address.ts';
import type { Config } from '../config.ts';
import type { OpenDatabase } from '../db/client.ts';
import { ensureDemoClient } from '../demo.ts';
import { accountIdOf } from '../domain/credentials.ts';
import { parseNetworks } from '../lib/networks.ts';
import { createAddressCheck } from '../lib/public-address.ts';
import { keepCatalogue, MAX_VARIANTS } from '../memory/memory.ts';
import type { Metrics } from '../observability/metrics.ts';
import { serviceDatabase } from '../observability/statements.ts';
import { startTracing } from '../observability/tracing.ts';
import { keepMarketSettled } from '../services/market/keep-settled.ts';
import type { OnFailure } from '../services/market/settle.ts';
import { packageVersion } from '../version.ts';
import { CONNECTION_LIMITS } from './connection-limits.ts';
import { drain } from './drain.ts';
import { createHttpServer } from './http-server.ts';
import type { KeepPulledOptions } from './keep-pulled.ts';
import { keepPurged } from './keep-purged.ts';
import { keepWebhooksDelivered } from './keep-webhooks-delivered.ts';
import { explainedListenError } from './listening.ts';

const LAST_TRACES_MILLIS = 1000;

export interface RunningServer {
  metrics: Metrics;
  /** Takes no more requests, answers those that it has, and closes all that is open. */
  stop(): Promise<void>;
}

/** Serves from a database that is ready. @param allMetrics those of all workers, where there are several */
export async function startServer(
  config: Config,
  db: OpenDatabase,
  logger: Logger,
  allMetrics?: () => Promise<string>,
): Promise<RunningServer> {
  const now = () => new Date();
  const { otelExporterOtlpEndpoint: endpoint } = config;
  const tracing = endpoint ? await startTracing({ endpoint, version: packageVersion(), logger }) : undefined;
  const demoClient = config.demo ? await ensureDemoClient(db, config.dataDir, now()) : undefined;
  const metrics = createDatabaseMetrics(db);
  const ownDb = serviceDatabase(db, metrics);
  const stopping = new AbortController();
  keepCatalogue(ownDb, now, {
    tooLarge: (variants) =>
      logger.warn(
        { variants, most: MAX_VARIANTS },
        'the catalogue has too many variants to be held in memory: variants, prices and expected values are read from ' +
          'the database for each request, which takes it more time',
      ),
    failed(err) {
      if (!stopping.signal.aborted)
        logger.error({ err }, 'the catalogue could not be read into memory: the database is asked meanwhile');
    },
  });
  const { signal } = stopping;
  const app = createApp({
    config,
    db,
    now,
    logger,
    demoClient,
    metrics,
    allMetrics,
    tracing,
    stopping: signal,
  });
  await app.ready;
  const limits = {
    ...CONNECTION_LIMITS,
    maxPerAddress: config.connectionsPerAddress,
    maxNew: Math.max(CONNECTION_LIMITS.maxNew, config.connectionsPerAddress),
    isTrustedProxy: parseTrustedProxies(config.trustProxy),
  };
  const server = createHttpServer(app.fetch, limits, logger).listen(
    config.port,
    config.host,
    limits.maxConnections,
  );
  await once(server, 'listening').catch((error) => {
    throw explainedListenError(error, config);
  });
  const stopPurging = keepPurged(ownDb.housekeeping, logger);
  const onFailure: OnFailure = (accountId, err) =>
    logger.error(
      { err, accountId: accountId && accountIdOf(accountId) },
      'accounts are not brought to the new market data yet; it is tried again',
    );
  const stopSettling = keepMarketSettled(ownDb, onFailure);
  const stopDelivering = keepWebhooksDelivered(ownDb, {
    workOf: app.workOf,
    addressesOf: createAddressCheck(parseNetworks(config.outboundNetworks)),
    logger,
    now,
    onAttempt: metrics.webhookAttempt,
  });
  const stopPulling = await keepPulledIfWanted(config, ownDb, { now, onFailure, logger });
  return {
    metrics,
    async stop() {
      const drained = drain(server);
      stopping.abort();
      const stopped = Promise.all([stopPulling(), stopDelivering()]);
      await drained;
      await stopped;
      stopPurging();
      await stopSettling();
      // A receiver that does not answer must not hold the process.
      if (tracing) await Promise.race([tracing.stop().catch(() => {}), sleep(LAST_TRACES_MILLIS)]);
      await db.close();
    },
  };
}

/** What it takes is loaded only there. */
async function keepPulledIfWanted(
  config: Config,
  db: OpenDatabase,
  options: KeepPulledOptions,
): Promise<() => Promise<void>> {
  if (config.pullPrices === null && config.pullRates === null) return async () => {};
  const { keepPulled } = await import('./keep-pulled.ts');
  return keepPulled(config, db.housekeeping, options);
}
