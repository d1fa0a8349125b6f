import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { load, percentile, type ServerProcess, startServer } from './server-process.ts';

/** GET /product/search of a running server on both databases: searches a second from 16 connections, and latencies. */
const CONNECTIONS = 16;
const CALLS = 3000;

const QUERIES: Record<string, string[]> = {
  'one word': ['snatch', 'dash', 'boltyn', 'tunic', 'wtr001', 'reflex'],
  misspelt: ['comand and conqer', 'snach red', 'dorinthia', 'teklovosen', 'razorreflex'],
  filtered: [
    'class:ninja rarity:majestic cost<=1',
    'set:wtr -rarity:common strike',
    'pitch:1 power>6 price<5',
  ],
};

async function measure(server: ServerProcess, database: string) {
  const rows = [];
  for (const [kind, queries] of Object.entries(QUERIES)) {
    const search = async (i: number) => {
      const query = encodeURIComponent(queries[i % queries.length]!);
      const { status, text } = await server.send('GET', `/product/search?q=${query}`);
      if (status !== 200) throw new Error(text);
    };
    await load(CONNECTIONS, 300, search);
    const { times, perSecond } = await load(CONNECTIONS, CALLS, search);
    rows.push({
      database,
      kind,
      'searches/s': Math.round(perSecond),
      'median ms': percentile(times, 0.5).toFixed(1),
      'p99 ms': percentile(times, 0.99).toFixed(1),
    });
  }
  return rows;
}

const postgres = await startPostgres();
const rows = [];
try {
  const { url } = await loadedPostgresUrl(postgres.url);
  for (const [database, address] of [
    ['PostgreSQL', url],
    ['embedded', null],
  ] as const) {
    const server = await startServer(address);
    rows.push(...(await measure(server, database)));
    await server.stop();
  }
} finally {
  await postgres.stop();
}
// biome-ignore lint/suspicious/noConsole: the result of the program
console.table(rows);
