/**
 * What a node's memory costs: the longest turn of the event loop, by the clock and in processor time, while the catalogue
 * is read, the index of the search is built, and both are renewed after imports; and the memory with and without the
 * search. For the real catalogue, and for ten times as much.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { OpenDatabase } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { heldCatalogue, marketChanged, searchableCatalogue } from '../../src/memory/memory.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { copyCatalogue } from './tenfold.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const now = () => new Date();

function heldMegabytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}

/** The longest turn of the event loop while something is done, in milliseconds; it never sleeps meanwhile. */
async function longestTurn(work: () => Promise<unknown>) {
  const longest = { wall: 0, processor: 0 };
  const start = performance.now();
  let [at, used] = [start, process.cpuUsage()];
  let isDone = false;
  const watch = () => {
    const { user, system } = process.cpuUsage(used);
    longest.wall = Math.max(longest.wall, performance.now() - at);
    longest.processor = Math.max(longest.processor, (user + system) / 1000);
    [at, used] = [performance.now(), process.cpuUsage()];
    if (!isDone) setImmediate(watch);
  };
  setImmediate(watch);
  await work();
  const all = performance.now() - start;
  // The turn in which it ended.
  await turn();
  isDone = true;
  return { ...longest, all };
}

async function measure(label: string, db: OpenDatabase): Promise<void> {
  const print = async (step: string, work: () => Promise<unknown>) => {
    const { wall, processor, all } = await longestTurn(work);
    const times = [all, wall, processor].map((millis) => millis.toFixed(0).padStart(6)).join(' ');
    process.stdout.write(
      `${label.padEnd(4)} ${step.padEnd(24)} ${times} ms ${heldMegabytes().toFixed(1).padStart(7)} MB\n`,
    );
  };
  const changed = async (kind: string) => {
    await db.query('update market_data set revision = revision + 1 where kind = $1', [kind]);
    marketChanged(db);
  };
  const catalogue = async () => {
    while (!(await heldCatalogue({ db, now }))) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const search = () => searchableCatalogue({ db, now });
  await print('nothing', async () => {});
  await print('catalogue', catalogue);
  await print('search', search);
  for (const kind of ['prices', 'sales', 'catalogue']) {
    await changed(kind);
    await print(`catalogue, new ${kind}`, catalogue);
    await print(`search, new ${kind}`, search);
  }
}

const postgres = await startPostgres();
try {
  process.stdout.write(
    '                                 all, longest turn, its processor time, memory after it\n',
  );
  for (const [label, isTenfold] of [
    ['1×', false],
    ['10×', true],
  ] as const) {
    const { url } = await loadedPostgresUrl(postgres.url);
    if (isTenfold) await copyCatalogue(url);
    const db = postgresDatabase(url);
    await measure(label, db);
    await db.close();
  }
} finally {
  await postgres.stop();
}
