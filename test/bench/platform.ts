import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import { type OpenDatabase, postgresDatabase } from '../../src/db/client.ts';
import { memoryOf } from '../../src/memory/memory.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { setLimits } from '../../src/services/accounts/set-limits.ts';
import { createClient } from '../../src/services/clients/create.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { median } from './database.ts';

/**
 * What a platform with many accounts below it pays for one of them, against a platform with a hundred, in turns, on one node
 * and one database: creating, listing, looking up by external id, acting for one, each by REST or GraphQL with all that a request takes. It is to
 * be the same. Also what the node holds before and after it has acted for every account of the large one.
 * `npx tsx test/bench/platform.ts [accounts] [rounds] [requests]`
 */
const [accounts = 20_000, rounds = 12, requests = 50] = process.argv.slice(2).map(Number);
const FEW = 100;
const ORIGIN = 'http://cardledger.bench';

interface Platform {
  name: string;
  token: string;
  accountId: string;
  ids: string[];
  millis: Map<string, number[]>;
}

const server = await startPostgres();
const db = postgresDatabase((await loadedPostgresUrl(server.url)).url);
const config = {
  ...loadConfig({}),
  rateLimitPerMinute: 0,
  platformRateLimitPerMinute: 0,
  tokenLimitPerMinute: 0,
  workLimitPerMinute: 0,
};
const app = createApp({ config, db, now: () => new Date(), logger: pino({ level: 'silent' }) });

async function send(token: string, method: string, path: string, body?: object, headers: object = {}) {
  const text = body && JSON.stringify(body);
  const request = new Request(`${ORIGIN}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(text && { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(text)) }),
      ...headers,
    },
    ...(text && { body: text }),
  });
  const answer = await app.fetch(request);
  const json = await answer.json();
  if (!answer.ok || json.errors) throw new Error(`${method} ${path}: ${JSON.stringify(json)}`);
  return json;
}

/** $1 platform, $2 how many: as many statements would have made them. */
const FILL = [
  `insert into sub_account (account_id, id, external_id)
   select $1::uuid, ('019d8648-' || lpad(to_hex(n >> 16), 4, '0') || '-7' || lpad(to_hex(n & 4095), 3, '0') || '-a000-' || left(md5($1::uuid::text || n), 12))::uuid, 'user-' || n
   from generate_series(1, $2::integer) n`,
  `insert into account (account_id, parent_id, name, preferred_currency, preferred_price_source, max_collections, max_valued_collections, created_at)
   select s.id, $1, s.external_id, 'USD', 'VendorMarket', 200, 20, now() from sub_account s where s.account_id = $1 and $2::integer > 0`,
  'update account set account_count = $2::integer where account_id = $1',
];

async function newPlatform(db: OpenDatabase, name: string, count: number): Promise<Platform> {
  const { accountId } = await createAccount(db, { name, now: new Date() });
  await setLimits(db, { accountId, maxAccounts: 10_000_000 });
  const client = await createClient(db, { accountId, name, now: new Date() });
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: client.clientId,
    client_secret: client.clientSecret,
    scope: 'platform',
  });
  const answer = await app.fetch(new Request(`${ORIGIN}/oauth2/token`, { method: 'POST', body: form }));
  const { access_token: token } = (await answer.json()) as { access_token: string };
  await db.transaction(async (tx) => {
    await tx.liftTimeouts();
    for (const statement of FILL) await tx.query(statement, [accountId, count]);
  });
  const rows = await db.query<{ id: string }>('select id from sub_account where account_id = $1', [
    accountId,
  ]);
  return { name, token, accountId, ids: rows.map(({ id }) => `acc_${id}`), millis: new Map() };
}

const anyOf = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)]!;
const PAGE = `query ($after: String) { accounts(first: 50, after: $after) { nodes { id name } pageInfo { endCursor hasNextPage } } }`;

/** A cursor somewhere in the list. */
async function somewhere({ token, ids }: Platform): Promise<string> {
  const query = '{ accounts(first: 1) { edges { cursor } } }';
  const { data } = await send(token, 'POST', '/graphql', { query });
  const [name] = JSON.parse(Buffer.from(data.accounts.edges[0].cursor, 'base64url').toString());
  return Buffer.from(JSON.stringify([name, anyOf(ids).slice(4)])).toString('base64url');
}

const WORK: Record<string, (platform: Platform) => Promise<() => Promise<unknown>>> = {
  'creating an account': async ({ token }) => {
    const body = { name: 'New', externalId: randomUUID() };
    return () => send(token, 'POST', '/account', body);
  },
  'creating one that is there': async ({ token, ids }) => {
    const body = { name: 'New', externalId: `user-${1 + Math.floor(Math.random() * ids.length)}` };
    return () => send(token, 'POST', '/account', body);
  },
  'a page of 50 somewhere in the list': async (platform) => {
    const after = await somewhere(platform);
    return () => send(platform.token, 'POST', '/graphql', { query: PAGE, variables: { after } });
  },
  'looking up by external id': async ({ token, ids }) => {
    const externalId = `user-${1 + Math.floor(Math.random() * ids.length)}`;
    return () => send(token, 'GET', `/account?externalId=${externalId}`);
  },
  'acting for one that has asked lately': async ({ token, ids }) => {
    const headers = { 'Cardledger-Account': anyOf(ids) };
    const ask = () => send(token, 'GET', '/collection', undefined, headers);
    await ask();
    return ask;
  },
  'acting for one that has not': async ({ token, ids }) => {
    const headers = { 'Cardledger-Account': anyOf(ids) };
    memoryOf(db).access.forgetAll();
    return () => send(token, 'GET', '/collection', undefined, headers);
  },
};

function heapMb(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1e6;
}

try {
  const platforms = [await newPlatform(db, 'few', FEW), await newPlatform(db, 'many', accounts)];
  await db.query('analyze');
  for (let round = -2; round < rounds; round++) {
    for (const [work, prepare] of Object.entries(WORK)) {
      for (const platform of round % 2 ? platforms : platforms.toReversed()) {
        for (let i = 0; i < requests; i++) {
          const request = await prepare(platform);
          const start = performance.now();
          await request();
          if (round < 0) continue;
          const millis = platform.millis.get(work) ?? [];
          millis.push(performance.now() - start);
          platform.millis.set(work, millis);
        }
      }
    }
  }
  const [few, many] = platforms as [Platform, Platform];
  for (const work of Object.keys(WORK)) {
    const [small, large] = [median(few.millis.get(work)!), median(many.millis.get(work)!)];
    process.stdout.write(
      `${work}: ${small.toFixed(2)} ms of ${FEW}, ${large.toFixed(2)} ms of ${accounts}: x${(large / small).toFixed(2)}\n`,
    );
  }
  // Each holds something of an account that asks; none is to hold more for more of them.
  const grown: string[] = [];
  for (const [i, id] of many.ids.entries()) {
    if (i % 10_000 === 0) grown.push(`${i}: ${heapMb().toFixed(1)} MB`);
    await send(many.token, 'GET', '/collection', undefined, { 'Cardledger-Account': id });
  }
  process.stdout.write(
    `heap after acting for each: ${grown.join(', ')}, ${many.ids.length}: ${heapMb().toFixed(1)} MB\n`,
  );
} finally {
  await db.close();
  await server.stop();
}
