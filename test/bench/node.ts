import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pino } from 'pino';
import { createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import type { OpenDatabase } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import type { ClientCredentials } from '../../src/services/clients/create.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import type { PostgresServer } from '../support/postgres-server.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const ORIGIN = 'http://cardledger.bench';

/** The service within this process, without limits of requests and work, on a loaded database. */
export interface Node {
  db: OpenDatabase;
  url: string;
  /** Fails where the answer is no success, or has errors. */
  send(token: string, method: string, path: string, body?: object, headers?: object): Promise<Answer>;
  /** Puts on the clock by which it trusts what it knows of who asks. */
  later(millis: number): void;
  /** Milliseconds of processor time so far of the back ends that serve it. */
  backEnds(): Promise<number>;
  close(): Promise<void>;
}

/** Milliseconds of a request. */
export interface Used {
  wall: number;
  node: number;
  backEnds: number;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, which a wrong one of ends the run
export type Answer = any;

/** @param url of a database that there is, instead of a new one */
export async function newNode(server: PostgresServer, url?: string): Promise<Node> {
  return nodeOf(server, url ?? (await loadedPostgresUrl(server.url)).url);
}

/** @param url of a database of the server */
export function nodeOf(server: Pick<PostgresServer, 'superuserUrl'>, url: string): Node {
  const db = postgresDatabase(url);
  const config = {
    ...loadConfig({}),
    rateLimitPerMinute: 0,
    platformRateLimitPerMinute: 0,
    tokenLimitPerMinute: 0,
    workLimitPerMinute: 0,
    platformWorkLimitPerMinute: 0,
  };
  let aheadMillis = 0;
  const app = createApp({
    config,
    db,
    now: () => new Date(),
    elapsed: () => performance.now() + aheadMillis,
    logger: pino({ level: 'silent' }),
  });
  const admin = postgresDatabase(
    Object.assign(new URL(server.superuserUrl), { pathname: new URL(url).pathname }).href,
  );
  return {
    db,
    url,
    async send(token, method, path, body, headers = {}) {
      const text = body && (body instanceof URLSearchParams ? String(body) : JSON.stringify(body));
      const type = body instanceof URLSearchParams ? 'x-www-form-urlencoded' : 'json';
      const request = new Request(`${ORIGIN}${path}`, {
        method,
        headers: {
          ...(token && { Authorization: `Bearer ${token}` }),
          ...(text && {
            'Content-Type': `application/${type}`,
            'Content-Length': `${Buffer.byteLength(text)}`,
          }),
          ...headers,
        },
        ...(text && { body: text }),
      });
      const answer = await app.fetch(request);
      const json = answer.status === 204 ? null : ((await answer.json()) as Answer);
      if (!answer.ok || json?.errors) throw new Error(`${method} ${path}: ${JSON.stringify(json)}`);
      return json;
    },
    later(millis) {
      aheadMillis += millis;
    },
    async backEnds() {
      const rows = await admin.query<{ pid: number }>(
        `select pid from pg_stat_activity
         where datname = current_database() and usename <> current_user and backend_type = 'client backend'`,
      );
      return rows.reduce((sum, { pid }) => sum + processorMillis(pid), 0);
    },
    async close() {
      await db.close();
      await admin.close();
    },
  };
}

/** To the nanosecond, which the times of `/proc/…/stat` are not. */
function processorMillis(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

/** What one of so many requests, one after the other, takes: with the collection of its garbage, without that of what was there before. */
export async function usedBy(
  node: Node,
  requests: number,
  request: (i: number) => Promise<unknown>,
): Promise<Used> {
  const before = await node.backEnds();
  collectGarbage();
  const processor = process.cpuUsage();
  const start = performance.now();
  for (let i = 0; i < requests; i++) await request(i);
  const wall = performance.now() - start;
  const { user, system } = process.cpuUsage(processor);
  const backEnds = (await node.backEnds()) - before;
  return { wall: wall / requests, node: (user + system) / 1000 / requests, backEnds: backEnds / requests };
}

/** An access token of an account, by its client. */
export async function tokenOf(
  node: Node,
  { clientId, clientSecret }: ClientCredentials,
  scope = 'default',
): Promise<string> {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    scope,
  });
  return (await node.send('', 'POST', '/oauth2/token', form)).access_token;
}
