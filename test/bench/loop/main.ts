import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { OpenDatabase } from '../../../src/db/client.ts';
import { postgresDatabase } from '../../../src/db/postgres-database.ts';
import { noProgress } from '../../../src/services/market/progress.ts';
import { importPrices } from '../../support/import-prices.ts';
import { loadedPostgresUrl } from '../../support/loaded-databases.ts';
import { startPostgres } from '../../support/postgres-server.ts';
import { type Owner as Filled, Filler } from '../compare/fill.ts';
import { Connection, parsed, sendOnce, wireRequest } from '../compare/load.ts';
import { tokensOf } from '../compare/workloads.ts';
import { longestTurn, startWatched, type Watched } from '../watched-server.ts';
import { attacksOn } from './attacks.ts';

/**
 * How long each of a list of hostile requests, sent alone, holds the event loop of a server that runs as `npm start` runs it:
 * the first time, and the least of some times after. Milliseconds; one turn of the loop that takes longer delays all others.
 */
const { values: options } = parseArgs({
  options: {
    /** Part of the names of the attacks. */
    only: { type: 'string', default: '' },
    times: { type: 'string', default: '4' },
    json: { type: 'boolean', default: false },
  },
});

/** What makes a server read the catalogue again, and build what it searches by. */
function changes(): Record<string, (db: OpenDatabase, round: number) => Promise<unknown>> {
  const changed = (kind: string) => async (db: OpenDatabase) => {
    await db.query(`update market_data set revision = revision + 1 where kind = '${kind}'`);
    await db.query(`select pg_notify('market', 'changed')`);
  };
  return {
    'products are read again': changed('catalogue'),
    'prices are read again': changed('prices'),
    'rates are read again': changed('rates'),
    'sales are read again': changed('sales'),
    'pull rates are read again': changed('pull-rates'),
    'all prices are others': async (db, round) => {
      const rows = await db.query<{ id: string }>('select id from variant order by id');
      const prices = rows.map(({ id }, i) => ({
        variantId: id,
        currency: 'USD',
        amount: ((i % 9000) / 100 + round).toFixed(2),
      }));
      const source = { version: `round ${round}`, isSample: false };
      await importPrices(db, prices, `2026-05-0${round + 1}`, source, noProgress);
      await db.query(`select pg_notify('market', 'changed')`);
    },
  };
}

async function probe(server: Watched, request: ReturnType<typeof wireRequest>, alone = true) {
  if (alone) {
    await sleep(30);
    await longestTurn(server);
  }
  const started = performance.now();
  const connection = new Connection(server.port);
  const answer = await connection.send(request).catch((error: Error) => error);
  connection.close();
  const millis = performance.now() - started;
  if (alone) await sleep(5);
  const held = alone ? await longestTurn(server) : 0;
  if (answer instanceof Error) return { held, millis, bytes: 0, said: answer.message };
  const { status, body } = parsed(answer);
  const failed = /^\{"errors":.{0,2000}?"code":"(\w+)"/.exec(body)?.[1];
  return { held, millis, bytes: body.length, said: failed ? `${status} ${failed}` : String(status) };
}

const postgres = await startPostgres({ settings: { shared_buffers: '256MB', random_page_cost: '1.1' } });
try {
  const { url } = await loadedPostgresUrl(postgres.url);
  const { url: superuser } = {
    url: Object.assign(new URL(postgres.superuserUrl), { pathname: new URL(url).pathname }).href,
  };
  // Filled as a superuser, who may leave the references out.
  const db = postgresDatabase(superuser);
  const filler = new Filler(db);
  const large = await filler.add('Large', { collections: 2, transactions: 200_000, variants: 10_000 });
  const many = await filler.add('Many', { collections: 200, transactions: 100_000, variants: 500 });
  await db.query('analyze');
  const ids = async (text: string) => (await db.query<{ id: string }>(text)).map(({ id }) => id);
  const productIds = await ids(
    'select p.id from product p join variant v on v.product_id = p.id group by p.id order by count(*) desc, p.id limit 200',
  );
  const variantIds = await ids('select id from variant order by id limit 1000');
  await db.close();
  const server = await startWatched(url);
  try {
    const tokens = await tokensOf(server.port, [large, many]);
    const owners: Record<string, Filled> = { large, many };
    const attacks = attacksOn({
      large: large.collectionIds[0]!,
      empty: large.collectionIds[1]!,
      productIds,
      variantIds,
    });
    const rows = [];
    const quiet = await probe(server, wireRequest({ method: 'GET', path: '/healthz' }));
    process.stderr.write(`alone ${quiet.held.toFixed(1)} ms\n`);
    for (const [name, change] of Object.entries(changes())) {
      if (!name.includes(options.only)) continue;
      const held: number[] = [];
      for (let round = 0; round < 3; round++) {
        await longestTurn(server);
        const changer = postgresDatabase(superuser);
        await change(changer, round);
        await changer.close();
        for (let i = 0; i < 20; i++) {
          await sleep(100);
          const search = { method: 'GET', path: '/product/search?q=snatch' };
          const Authorization = `Bearer ${tokens.get(large.accountId)}`;
          await sendOnce(server.port, wireRequest({ ...search, headers: { Authorization } }));
        }
        held.push(await longestTurn(server));
      }
      const [first, ...others] = held as [number, ...number[]];
      rows.push({
        request: name,
        'first ms': Math.round(first),
        'held ms': Math.round(Math.min(...others)),
        '8 at once ms': 0,
        'took ms': 0,
        kB: 0,
        answer: '',
      });
    }
    for (const { name, owner, request } of attacks) {
      if (!name.includes(options.only)) continue;
      const headers = { ...request.headers, Authorization: `Bearer ${tokens.get(owners[owner]!.accountId)}` };
      const wire = wireRequest({ ...request, headers });
      const first = await probe(server, wire);
      let least = await probe(server, wire);
      for (let i = 2; i < Number(options.times); i++) {
        const again = await probe(server, wire);
        if (again.held < least.held) least = again;
      }
      await Promise.all(Array.from({ length: 8 }, () => probe(server, wire, false)));
      const heldTogether = await longestTurn(server);
      rows.push({
        request: name,
        'first ms': Math.round(first.held),
        'held ms': Math.round(least.held),
        '8 at once ms': Math.round(heldTogether),
        'took ms': Math.round(least.millis),
        kB: Math.round(least.bytes / 1000),
        answer: least.said,
      });
    }
    // biome-ignore lint/suspicious/noConsole: the result of the program
    if (options.json) console.log(JSON.stringify(rows, null, 1));
    // biome-ignore lint/suspicious/noConsole: the result of the program
    else console.table(rows.sort((a, b) => b['held ms'] - a['held ms']));
  } finally {
    await server.stop();
  }
} finally {
  await postgres.stop();
}
