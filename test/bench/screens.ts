import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { screens } from '../support/screens.ts';
import { cpuSeconds } from './compare/servers.ts';
import { type ServerProcess, startServer } from './server-process.ts';

/**
 * Processor time of the service for an answer, of each screen of docs/screens.md and of 200 products with and without what is owned of them: the mean
 * of so many after as many that are not counted, on PostgreSQL. `npx tsx test/bench/screens.ts`
 */
const ANSWERS = 100;

const products = (fields: string) => `{ products(sort: NAME, first: 200) { nodes { id ${fields} } } }`;

async function processorMillis(server: ServerProcess, query: string, variables: object): Promise<number> {
  const ask = async () => {
    const { status, text } = await server.send('POST', '/graphql', { query, variables });
    if (status !== 200 || text.includes('"errors"')) throw new Error(text);
  };
  for (let i = 0; i < ANSWERS; i++) await ask();
  const before = cpuSeconds(server.pid);
  for (let i = 0; i < ANSWERS; i++) await ask();
  return ((cpuSeconds(server.pid) - before) * 1000) / ANSWERS;
}

const postgres = await startPostgres();
const rows: { screen: string; 'processor ms': string }[] = [];
try {
  const { url } = await loadedPostgresUrl(postgres.url);
  const server = await startServer(url);
  const { text } = await server.send('POST', '/graphql', {
    query: '{ collections(last: 1) { nodes { id } } }',
  });
  const { id } = JSON.parse(text).data.collections.nodes[0];
  const measure = async (screen: string, query: string, variables = {}) => {
    rows.push({ screen, 'processor ms': (await processorMillis(server, query, variables)).toFixed(1) });
  };
  for (const { title, query, variables } of screens()) await measure(title, query, variables(id));
  await measure('200 products', products(''));
  await measure('200 products, owned', products('owned'));
  await server.stop();
} finally {
  await postgres.stop();
}
// biome-ignore lint/suspicious/noConsole: the result of the program
console.table(rows);
