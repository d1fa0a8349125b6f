/**
 * Memory over time: a mix of reads, searches, writes, refusals and ever new documents on one server, `--minutes` long, on
 * PostgreSQL, or on the embedded database with `--embedded`. Prints the memory at each tenth, and the ratio of the last
 * three to the three in the middle.
 */
import { parseArgs } from 'node:util';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { residentMegabytes } from './compare/servers.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    embedded: { type: 'boolean', default: false },
    // Between two requests of a worker: the load is to be light, and long.
    pause: { type: 'string', default: '20' },
  },
});
const WORKERS = 4;
const TENTHS = 10;
const WORDS = ['dragon', 'snatch', 'comand and conquer', 'class:ninja', 'WTR001', 'rarity:majestic blue'];

const NESTED = `{ collections(first: 10) { nodes { id name marketValue { value } transactionSummaries(first: 20) { nodes {
  quantity marketValue { value } variant { id variantName marketPrice { value } product { id name } } } } } } }`;

type Step = (server: ServerProcess, turn: number) => Promise<unknown>;

const query =
  (textOf: (turn: number) => string): Step =>
  async ({ send }, turn) =>
    expect200(await send('POST', '/graphql', { query: textOf(turn) }));

const STEPS: Step[] = [
  query(() => NESTED),
  query(
    (turn) =>
      `query New${turn} { viewer { name } field${turn % 5000}: products(query: "ninja ${turn % 300}", first: 5) { nodes { id } } }`,
  ),
  query(() => '{ productEvs(first: 20) { nodes { id } } }'),
  async ({ send }, turn) =>
    expect200(await send('GET', `/product/search?q=${encodeURIComponent(WORDS[turn % WORDS.length]!)}`)),
  recordAndDelete,
  async ({ send }) => {
    const { status } = await send('GET', '/collection/col_nobody');
    if (status !== 404) throw new Error(`${status}`);
  },
];

async function recordAndDelete({ send }: ServerProcess): Promise<void> {
  const collections = JSON.parse(expect200(await send('GET', '/collection'))).results;
  const found = await send('POST', '/graphql', {
    query: '{ products(query: "dragon", first: 1) { nodes { variants { id } } } }',
  });
  const id = collections[0].collectionId;
  const entry = {
    variantId: JSON.parse(expect200(found)).data.products.nodes[0].variants[0].id,
    occurredDate: '2026-01-31',
    action: 'Purchase',
    quantity: 1,
    unitAmount: { currency: 'USD', value: 1.5 },
  };
  const created = expect200(await send('POST', `/collection/${id}/transaction`, entry));
  const path = `/transaction/${JSON.parse(created).transactionId}`;
  const { status } = await send('DELETE', path);
  if (status !== 200 && status !== 204) throw new Error(`${status} for DELETE ${path}`);
}

function expect200({ status, text }: { status: number; text: string }): string {
  if (status !== 200 || text.includes('"errors":[')) throw new Error(`${status} ${text.slice(0, 300)}`);
  return text;
}

async function soak(databaseUrl: string | null): Promise<void> {
  const server = await startServer(databaseUrl);
  const tenthMillis = (Number(options.minutes) * 60_000) / TENTHS;
  const end = performance.now() + tenthMillis * TENTHS;
  let requests = 0;
  const work = async (worker: number) => {
    for (let turn = worker; performance.now() < end; turn += WORKERS) {
      await STEPS[turn % STEPS.length]!(server, turn);
      requests++;
      await pause(Number(options.pause));
    }
  };
  const megabytes: number[] = [];
  const timer = setInterval(() => {
    megabytes.push(residentMegabytes(server.pid));
    process.stdout.write(
      `${megabytes.length}/${TENTHS} ${requests} turns ${megabytes.at(-1)!.toFixed(0)} MB\n`,
    );
  }, tenthMillis);
  await Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(worker)));
  await pause(100);
  clearInterval(timer);
  const sum = (part: number[]) => part.reduce((total, one) => total + one, 0);
  const ratio = sum(megabytes.slice(7, 10)) / sum(megabytes.slice(3, 6));
  process.stdout.write(`tenths 8 to 10 ÷ 4 to 6: ${ratio.toFixed(2)}\n`);
  await server.stop();
}

function pause(millis: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, millis));
}

if (options.embedded) await soak(null);
else {
  const postgres = await startPostgres();
  const { url } = await loadedPostgresUrl(postgres.url);
  await soak(url);
  await postgres.stop();
}
