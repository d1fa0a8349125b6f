import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectPath } from '../../src/paths.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { cpuSeconds } from './compare/servers.ts';
import { load, percentile, type ServerProcess, startServer } from './server-process.ts';

/**
 * What the steps of requests (src/lib/steps.ts) buy: two servers on one database, with them and with a bundle that lacks
 * them, asked in turns; processor time of node for a request, and latencies, from one connection and from many.
 */
const ROUNDS = 5;
const CALLS = 4000;
const CONNECTIONS = [1, 16, 64];

const WORDS = ['snatch', 'dash', 'boltyn', 'tunic', 'reflex', 'command'];
const PRODUCT = `{ product(id: "ID") { name variants { id variantName marketPrice { value currency } } } }`;

/** As `stepOf` begins in the bundle. */
const STEP_OF = /function stepOf\(payer\d*\) \{\n/g;

/** A bundle beside the other in which no request waits for a step. */
async function bundleWithoutSteps(): Promise<string> {
  const texts = new Map<string, string>();
  let replaced = 0;
  for (const name of await readdir(projectPath('dist'))) {
    if (!name.endsWith('.js')) continue;
    const text = await readFile(projectPath(`dist/${name}`), 'utf8');
    const without = text.replace(STEP_OF, (begin) => {
      replaced++;
      return `${begin}  return undefined;\n`;
    });
    if (without !== text) texts.set(name, without);
  }
  if (replaced !== 1) throw new Error(`stepOf was found ${replaced} times in the bundle.`);
  const folder = await mkdtemp(projectPath('dist-'));
  await cp(projectPath('dist'), folder, { recursive: true });
  for (const [name, text] of texts) await writeFile(join(folder, name), text);
  return folder;
}

type Ask = (server: ServerProcess, i: number) => Promise<{ status: number; text: string }>;

async function workloads(server: ServerProcess): Promise<Record<string, Ask>> {
  const search = (word: string) => `/product/search?q=${word}`;
  const { text } = await server.send('GET', search(WORDS[0]!));
  const query = PRODUCT.replace('ID', JSON.parse(text).results[0].id);
  return {
    'search, one word': (one, i) => one.send('GET', search(WORDS[i % WORDS.length]!)),
    'GraphQL, one product': (one) => one.send('POST', '/graphql', { query }),
    'page of collections': (one) => one.send('GET', '/collection'),
  };
}

async function measure(server: ServerProcess, ask: Ask, connections: number) {
  const before = cpuSeconds(server.pid);
  const { times } = await load(connections, CALLS, async (i) => {
    const { status, text } = await ask(server, i);
    if (status !== 200 || text.includes('"errors"')) throw new Error(text);
  });
  return { processor: ((cpuSeconds(server.pid) - before) * 1000) / CALLS, median: percentile(times, 0.5) };
}

const median = (list: number[]) =>
  percentile(
    [...list].sort((a, b) => a - b),
    0.5,
  );

const postgres = await startPostgres();
let folder = '';
const servers: ServerProcess[] = [];
try {
  folder = await bundleWithoutSteps();
  const { url } = await loadedPostgresUrl(postgres.url);
  const steps = await startServer(url);
  servers.push(steps);
  const none = await startServer(url, join(folder, 'main.js'));
  servers.push(none);
  const rows = [];
  for (const [name, ask] of Object.entries(await workloads(steps))) {
    for (const connections of CONNECTIONS) {
      const of = new Map(
        [steps, none].map((server) => [server, [] as { processor: number; median: number }[]]),
      );
      for (let round = -1; round < ROUNDS; round++) {
        for (const [server, figures] of of) {
          const figure = await measure(server, ask, connections);
          if (round >= 0) figures.push(figure);
        }
      }
      const [withSteps, without] = [steps, none].map((server) => ({
        processor: median(of.get(server)!.map(({ processor }) => processor)),
        median: median(of.get(server)!.map((figure) => figure.median)),
      }));
      rows.push({
        request: name,
        connections,
        'processor ms, without': without!.processor.toFixed(3),
        'with steps': withSteps!.processor.toFixed(3),
        ratio: (withSteps!.processor / without!.processor).toFixed(2),
        'median ms, without': without!.median.toFixed(2),
        'with them': withSteps!.median.toFixed(2),
      });
    }
  }
  // biome-ignore lint/suspicious/noConsole: the result of the program
  console.table(rows);
} finally {
  for (const server of servers) await server.stop();
  await postgres.stop();
  if (folder) await rm(folder, { recursive: true });
}
