import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient as createSseClient } from 'graphql-sse';
import { type Logger, pino } from 'pino';
import { onTestFinished } from 'vitest';
import { createApp } from '../../../src/app.ts';
import { loadConfig } from '../../../src/config.ts';
import type { OpenDatabase } from '../../../src/db/client.ts';
import type { BodyLimits } from '../../../src/http/body-room.ts';
import { CONNECTION_LIMITS, type ConnectionLimits } from '../../../src/server/connection-limits.ts';
import { createHttpServer } from '../../../src/server/http-server.ts';
import { asNewAccount, NOW, type TestApp } from '../../harness.ts';

export interface TestServer {
  url: string;
  port: number;
  app: TestApp;
  http: Server;
  /** That are open. */
  connections(): Promise<number>;
  /** As SIGTERM does; resolves when the last connection is closed. */
  stop(): Promise<void>;
}

interface ServerOptions {
  now?: () => Date;
  pingMillis?: number;
  checkMillis?: number;
  limits?: ConnectionLimits;
  bodies?: BodyLimits;
  logger?: Logger;
  /** Below the account, which is a platform's then. */
  maxAccounts?: number;
}

/** The app on a socket, for clients that need one, and a new account on it. */
export async function startServer(
  db: OpenDatabase,
  {
    now = () => NOW,
    pingMillis = 200,
    checkMillis = 100,
    limits = CONNECTION_LIMITS,
    bodies,
    logger = pino({ level: 'silent' }),
    maxAccounts = 0,
  }: ServerOptions = {},
): Promise<TestServer> {
  const stopping = new AbortController();
  const app = createApp({
    config: {
      ...loadConfig({ OUTBOUND_NETWORKS: '127.0.0.0/8' }),
      rateLimitPerMinute: 0,
      tokenLimitPerMinute: 0,
      demo: false,
    },
    db,
    now,
    elapsed: () => now().getTime(),
    logger,
    stopping: stopping.signal,
    bodies,
    subscriptions: { pingMillis, checkMillis },
  });
  const server = createHttpServer(app.fetch, limits, logger).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    stopping.abort();
    // Clients keep connections that they may use again.
    const idle = setInterval(() => server.closeIdleConnections(), 20);
    await closed;
    clearInterval(idle);
  };
  onTestFinished(stop);
  const { port } = server.address() as AddressInfo;
  const connections = () =>
    new Promise<number>((resolve, reject) => {
      server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
    });
  return {
    connections,
    url: `http://127.0.0.1:${port}/graphql`,
    port,
    http: server,
    app: await asNewAccount(db, async (request) => app.fetch(request), { now, maxAccounts }),
    stop,
  };
}

export interface Change {
  kind: string;
  collection: { id: string; name: string; quantity: number } | null;
  transactions: { id: string; quantity: number }[];
  deletedTransactionIds: string[];
  transactionSummaries: { id: string; quantity: number }[];
  deletedTransactionSummaryIds: string[];
}

/** As a client of GraphQL sees it. */
export interface Result {
  data?: { collectionChanged: Change } | null;
  errors?: { message: string; extensions: Record<string, unknown> }[];
  extensions?: { eventId?: string; cost?: { work?: { limit: number; remaining: number } } };
}

export const COLLECTION_CHANGED = `subscription ($id: ID!) {
  collectionChanged(id: $id) {
    kind
    collection { id name quantity }
    transactions { id quantity }
    deletedTransactionIds
    transactionSummaries { id quantity }
    deletedTransactionSummaryIds
  }
}`;

export interface Subscription {
  results: Result[];
  /** From here on it misses nothing. */
  connected: Promise<unknown>;
  /** Resolves with the results when there are so many. */
  until(count: number): Promise<Result[]>;
  changes(): Change[];
  ended: Promise<'complete' | unknown>;
  stop(): void;
}

/** Subscribes with graphql-sse's client, as an application does. */
export function subscribe(
  { url, app }: { url: string; app: Pick<TestApp, 'token'> },
  id: string,
  { query = COLLECTION_CHANGED, lastEventId, retryAttempts = 0, actingFor }: SubscribeOptions = {},
): Subscription {
  const client = createSseClient({
    url,
    retryAttempts,
    headers: {
      Authorization: `Bearer ${app.token}`,
      ...(lastEventId && { 'Last-Event-ID': lastEventId }),
      ...(actingFor && { 'Cardledger-Account': actingFor }),
    },
  });
  const results: Result[] = [];
  const waiting = new Set<() => void>();
  let stop = () => {};
  let connect = () => {};
  const connected = new Promise<void>((resolve) => {
    connect = resolve;
  });
  const ended = new Promise((resolve) => {
    stop = client.subscribe(
      { query, variables: { id } },
      {
        next: (result) => {
          results.push(result as unknown as Result);
          for (const look of waiting) look();
        },
        error: resolve,
        complete: () => resolve('complete'),
      },
      { connected: connect },
    );
  });
  onTestFinished(() => stop());
  return {
    results,
    connected: Promise.race([connected, ended]),
    changes: () => results.map(({ data }) => data!.collectionChanged),
    until: (count) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (results.length < count) return;
          waiting.delete(look);
          resolve(results);
        };
        waiting.add(look);
        look();
        ended.then((how) => reject(new Error(`It ended (${String(how)}) with ${JSON.stringify(results)}`)));
      }),
    ended,
    stop: () => stop(),
  };
}

interface SubscribeOptions {
  query?: string;
  lastEventId?: string;
  retryAttempts?: number;
  /** The account that a platform follows it for. */
  actingFor?: string;
}
