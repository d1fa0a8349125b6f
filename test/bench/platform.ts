import { randomUUID } from 'node:crypto';
import { memoryOf } from '../../src/memory/memory.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { setLimits } from '../../src/services/accounts/set-limits.ts';
import { createClient } from '../../src/services/clients/create.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { fillAccounts } from './compare/fill.ts';
import { maintain, median } from './database.ts';
import { type Node, newNode, tokenOf, type Used, usedBy } from './node.ts';

/**
 * What a platform with very many accounts below it pays for one of them, against platforms with a hundred: one that has a database of its own, and
 * one in the database of the large one. In turns, request by request of each kind, by REST or GraphQL with all that a request takes: the time until
 * the answer, and the processor time of node and of PostgreSQL's back ends. It is to be the same, within a tenth. Then what the
 * node holds after acting for 1,000, 10,000 … of the accounts, each with a change and a query.
 * `npx tsx --expose-gc test/bench/platform.ts [accounts] [rounds] [requests]`
 */
const [accounts = 100_000, rounds = 20, requests = 100] = process.argv.slice(2).map(Number);
const FEW = 100;
const AT_ONCE = 16;

interface Platform {
  name: string;
  node: Node;
  token: string;
  ids: string[];
  /** Of each kind of work, a figure for each round. */
  used: Map<string, Used[]>;
}

async function newPlatform(node: Node, name: string, count: number): Promise<Platform> {
  const { db } = node;
  const { accountId } = await createAccount(db, { name, now: new Date() });
  await setLimits(db, { accountId, maxAccounts: 10_000_000 });
  const client = await createClient(db, { accountId, name, now: new Date() });
  const token = await tokenOf(node, client, 'platform');
  return { name, node, token, ids: await fillAccounts(db, accountId, count), used: new Map() };
}

const anyOf = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)]!;
const anyUser = ({ ids }: Platform) => `user-${1 + Math.floor(Math.random() * ids.length)}`;
const actingFor = (id: string) => ({ 'Cardledger-Account': id });
const PAGE = `query ($after: String) { accounts(first: 50, after: $after) { nodes { id name } pageInfo { endCursor hasNextPage } } }`;
const COLLECTIONS = { query: '{ viewer { name } collections { nodes { name marketValue { decimal } } } }' };

/** A cursor from which there are fifty more. */
async function deepIn({ node, token, ids }: Platform): Promise<string> {
  const query = '{ accounts(first: 1) { edges { cursor } } }';
  const { data } = await node.send(token, 'POST', '/graphql', { query });
  const [name] = JSON.parse(Buffer.from(data.accounts.edges[0].cursor, 'base64url').toString());
  const place = ids.length > 2 * FEW ? anyOf(ids.slice(0, -FEW)) : ids[ids.length / 2 - 1]!;
  return Buffer.from(JSON.stringify([name, place.slice(4)])).toString('base64url');
}

async function deviceToken({ node, token }: Platform, id: string): Promise<string> {
  return (await node.send(token, 'POST', `/account/${id}/token`, { scope: 'read', expiresIn: 3600 }))
    .accessToken;
}

/** What comes before the requests of a round is not measured. */
const WORK: Record<string, (platform: Platform) => Promise<(i: number) => Promise<unknown>>> = {
  'creating an account': async ({ node, token }) => {
    return () => node.send(token, 'POST', '/account', { name: 'New', externalId: randomUUID() });
  },
  'creating one that is there': async (platform) => {
    const { node, token } = platform;
    return () => node.send(token, 'POST', '/account', { name: 'New', externalId: anyUser(platform) });
  },
  'the first page of 50': async ({ node, token }) => {
    return () => node.send(token, 'POST', '/graphql', { query: PAGE });
  },
  'a page of 50 deep in the list': async (platform) => {
    const { node, token } = platform;
    const after = await deepIn(platform);
    return () => node.send(token, 'POST', '/graphql', { query: PAGE, variables: { after } });
  },
  'looking up by external id': async (platform) => {
    const { node, token } = platform;
    return () => node.send(token, 'GET', `/account?externalId=${anyUser(platform)}`);
  },
  'acting for one, again and again': async ({ node, token, ids }) => {
    const headers = actingFor(anyOf(ids));
    await node.send(token, 'GET', '/collection', undefined, headers);
    return () => node.send(token, 'GET', '/collection', undefined, headers);
  },
  'acting for another one each time': async ({ node, token, ids }) => {
    memoryOf(node.db).access.forgetAll();
    const from = Math.floor(Math.random() * ids.length);
    return (i) => node.send(token, 'GET', '/collection', undefined, actingFor(ids[(from + i) % ids.length]!));
  },
  'making a token for a device': async ({ node, token, ids }) => {
    const from = Math.floor(Math.random() * ids.length);
    const body = { scope: 'read', expiresIn: 900 };
    return (i) => node.send(token, 'POST', `/account/${ids[(from + i) % ids.length]}/token`, body);
  },
  'the first request of a device': async (platform) => {
    const { node, ids } = platform;
    const from = Math.floor(Math.random() * ids.length);
    const tokens: string[] = [];
    for (let i = 0; i < requests; i++)
      tokens.push(await deviceToken(platform, ids[(from + i) % ids.length]!));
    memoryOf(node.db).access.forgetAll();
    return (i) => node.send(tokens[i]!, 'GET', '/collection');
  },
  'a further request of a device': async (platform) => {
    const device = await deviceToken(platform, anyOf(platform.ids));
    await platform.node.send(device, 'GET', '/collection');
    return () => platform.node.send(device, 'GET', '/collection');
  },
};

async function compare(platforms: readonly Platform[]): Promise<void> {
  for (let round = -2; round < rounds; round++) {
    for (const [work, prepare] of Object.entries(WORK)) {
      for (const platform of round % 2 ? platforms : platforms.toReversed()) {
        const used = await usedBy(platform.node, requests, await prepare(platform));
        if (round >= 0) platform.used.set(work, [...(platform.used.get(work) ?? []), used]);
      }
    }
  }
}

function report(platforms: readonly Platform[]): string {
  const many = platforms.at(-1)!;
  const figure = ({ used }: Platform, work: string, of: keyof Used) =>
    median(used.get(work)!.map((one) => one[of]));
  const lines = Object.keys(WORK).map((work) => {
    const cells = (['wall', 'node', 'backEnds'] as const).map((of) => {
      const all = platforms.map((platform) => figure(platform, work, of));
      const ratios = all.slice(0, -1).map((one) => (figure(many, work, of) / one).toFixed(2));
      return `${all.map((one) => one.toFixed(3)).join(' ')} (x ${ratios.join(', ')})`;
    });
    return `| ${work} | ${cells.join(' | ')} |`;
  });
  const heads = `| ms a request: ${platforms.map(({ name }) => name).join(', ')} | until the answer | node | back ends |`;
  return [heads, '|---|---|---|---|', ...lines, ''].join('\n');
}

function memory(): string {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  return `heap ${(heapUsed / 1e6).toFixed(1)} MB, resident ${(rss / 1e6).toFixed(0)} MB`;
}

/** Acts for each in turn, and tells what the node holds on the way. */
async function actForAll({ node, token, ids }: Platform): Promise<void> {
  const steps = [0, 1000, 10_000, 30_000, 100_000].filter((count) => count <= ids.length);
  let next = 0;
  for (const step of steps) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (next < step) {
          const headers = actingFor(ids[next++]!);
          await node.send(token, 'POST', '/collection', { name: 'Binder', valued: true }, headers);
          await node.send(token, 'POST', '/graphql', COLLECTIONS, headers);
        }
      }),
    );
    process.stdout.write(`after acting for ${step}: ${memory()}\n`);
  }
}

const server = await startPostgres();
const [own, shared] = [await newNode(server), await newNode(server)];
try {
  const few = await newPlatform(own, `${FEW} alone`, FEW);
  const beside = await newPlatform(shared, `${FEW} beside`, FEW);
  const many = await newPlatform(shared, `${accounts}`, accounts);
  for (const { db } of [own, shared]) await db.query('analyze');
  await maintain(server.superuserUrl, 'checkpoint');
  await compare([few, beside, many]);
  process.stdout.write(report([few, beside, many]));
  await actForAll(many);
} finally {
  for (const node of [own, shared]) await node.close();
  await server.stop();
}
