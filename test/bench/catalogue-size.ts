/**
 * What ten times the catalogue costs: two servers on PostgreSQL, one with the real catalogue and one with nine copies more
 * of it, measured in turn. Prints start, memory, and the median and 99th percentile of each request with their ratio.
 */
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { load, percentile, type RequestParts, sendOnce, wireRequest } from './compare/load.ts';
import { residentMegabytes } from './compare/servers.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { copyCatalogue } from './tenfold.ts';

const ROUNDS = 3;
const MILLIS = 2000;

async function started(url: string): Promise<{ server: ServerProcess; startMillis: number }> {
  const start = performance.now();
  const server = await startServer(url);
  return { server, startMillis: performance.now() - start };
}

function requestsTo({ token }: ServerProcess): Record<string, RequestParts> {
  const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json' };
  const graphql = (query: string): RequestParts => ({
    method: 'POST',
    path: '/graphql',
    headers,
    body: JSON.stringify({ query }),
  });
  return {
    'collections with summaries': graphql(
      `{ collections(first: 10) { nodes { name transactionSummaries(first: 50) { nodes { quantity
         variant { variantName marketPrice { value } product { name } } } } } } }`,
    ),
    'expected values': graphql('{ productEvs(first: 20) { nodes { id currentEstimatedValue { value } } } }'),
    'search, one word': { method: 'GET', path: '/product/search?q=snatch', headers },
    'search, misspelt': { method: 'GET', path: '/product/search?q=comand+and+conqer', headers },
  };
}

/** GraphQL says what is wrong with a document in an answer that is as good as any other to HTTP. */
async function expectData({ url }: ServerProcess, request: RequestParts): Promise<void> {
  const { body } = await sendOnce(Number(new URL(url).port), wireRequest(request));
  if ('errors' in JSON.parse(body)) throw new Error(body);
}

const postgres = await startPostgres();
try {
  const [one, ten] = [await loadedPostgresUrl(postgres.url), await loadedPostgresUrl(postgres.url)];
  await copyCatalogue(ten.url);
  const pair = [await started(one.url), await started(ten.url)] as const;
  const line = (label: string, [a, b]: readonly number[], unit: string) =>
    process.stdout.write(
      `${label.padEnd(30)} ${a!.toFixed(2).padStart(9)} ${b!.toFixed(2).padStart(9)} ${unit}  ${(b! / a!).toFixed(2)} ×\n`,
    );
  line(
    'start',
    pair.map(({ startMillis }) => startMillis),
    'ms',
  );
  const requests = pair.map(({ server }) => requestsTo(server));
  for (const name of Object.keys(requests[0]!)) {
    const times: number[][] = [[], []];
    for (const [i, { server }] of pair.entries()) await expectData(server, requests[i]![name]!);
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [i, { server }] of pair.entries()) {
        const port = Number(new URL(server.url).port);
        const measured = await load(port, [wireRequest(requests[i]![name]!)], {
          connections: 1,
          millis: MILLIS,
          offset: 0,
        });
        if (round > 0) times[i]!.push(...measured.times);
      }
    }
    for (const list of times) list.sort((a, b) => a - b);
    line(
      `${name}, median`,
      times.map((list) => percentile(list, 0.5)),
      'ms',
    );
    line(
      `${name}, p99`,
      times.map((list) => percentile(list, 0.99)),
      'ms',
    );
  }
  line(
    'memory after it',
    pair.map(({ server }) => residentMegabytes(server.pid)),
    'MB',
  );
  for (const { server } of pair) await server.stop();
} finally {
  await postgres.stop();
}
