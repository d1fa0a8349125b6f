import type { OpenDatabase } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { asNewAccount, newTestApp, pricedVariants, type TestApp } from '../harness.ts';
import { ownMegabytes } from '../hostile/memory.ts';
import { loadedPostgresUrl } from './loaded-databases.ts';

/** Queries of many shapes: other terms, orders, sizes, places; and what they leave in the back ends of a PostgreSQL. */

const ACCOUNTS = 4;
const IN_A_DOCUMENT = 9;
const WARM_UP = 300;
const LISTS_BY_REST = ['transaction', 'transaction-summary'];

interface Left {
  /** The texts that are prepared under a name, on any connection. */
  texts: string[];
  /** What the back ends have of their own in all; null where this machine does not tell. */
  megabytes: number | null;
}

/** What is left by the first queries, which have the back ends read what they keep, and by `count` more of them. */
export async function leftByVaried(serverUrl: string, count: number): Promise<{ before: Left; after: Left }> {
  const db = postgresDatabase((await loadedPostgresUrl(serverUrl)).url, undefined, 60_000);
  const first = await newTestApp(db);
  const others = Array.from({ length: ACCOUNTS - 1 }, () => asNewAccount(db, first.fetch));
  const askers = await Promise.all(
    [first, ...(await Promise.all(others))].map(async (app) => ({
      app,
      collectionId: await furnished(app, await pricedVariants(db, 12)),
      cursors: new Map<string, string>(),
    })),
  );
  let next = 0;
  const sendFrom = async (asker: Asker, end: number) => {
    while (next < end) {
      const start = next;
      next += IN_A_DOCUMENT + 1;
      await sendBoth(asker, start);
    }
  };
  const sendUpTo = (end: number) =>
    Promise.all(askers.flatMap((asker) => [sendFrom(asker, end), sendFrom(asker, end)]));
  try {
    await sendUpTo(WARM_UP);
    const before = await leftIn(db, askers);
    await sendUpTo(WARM_UP + count);
    return { before, after: await leftIn(db, askers) };
  } finally {
    await db.close();
  }
}

interface Asker {
  app: TestApp;
  collectionId: string;
  /** Of lists in an order, where one has been seen. */
  cursors: Map<string, string>;
}

async function furnished(app: TestApp, variantIds: readonly string[]): Promise<string> {
  const { body: collection } = await app.send('POST', '/collection', { name: 'Varied' });
  const id: string = collection.collectionId;
  for (const [i, variantId] of variantIds.entries()) {
    const { status, body } = await app.send('POST', `/collection/${id}/transaction`, {
      variantId,
      occurredDate: `2025-03-${10 + i}`,
      action: 'Purchase',
      quantity: 1 + i,
      unitAmount: { currency: 'USD', value: i },
    });
    if (status !== 200) throw new Error(JSON.stringify(body));
  }
  return id;
}

/** One document with aliases, and one request of REST. */
async function sendBoth(asker: Asker, start: number): Promise<void> {
  const { app, collectionId, cursors } = asker;
  const fields = Array.from({ length: IN_A_DOCUMENT }, (_, i) => fieldOf(start + i, cursors));
  const inCollection = fields.map(({ text }, i) => (fields[i]!.isOfCollection ? `f${i}: ${text}` : ''));
  const others = fields.map(({ text }, i) => (fields[i]!.isOfCollection ? '' : `f${i}: ${text}`));
  const data = await app.graphql<Record<string, Page> & { collection: Record<string, Page> }>(
    `{ collection(id: "${collectionId}") { id ${inCollection.join(' ')} } ${others.join(' ')} }`,
  );
  for (const [i, { key }] of fields.entries()) {
    const { endCursor } = (data[`f${i}`] ?? data.collection[`f${i}`])!.pageInfo;
    if (endCursor) cursors.set(key, endCursor);
  }
  const { status, body } = await app.send('GET', restPath(start + IN_A_DOCUMENT, collectionId));
  if (status !== 200) throw new Error(JSON.stringify(body));
}

interface Page {
  pageInfo: { endCursor: string | null };
}

export const SUMMARY_SORTS = [
  'ALPHABETICAL',
  'MARKET_VALUE',
  'UNIT_VALUE',
  'GAIN',
  'PERCENTAGE_GAIN',
  'QUANTITY',
  'CARD_NUMBER',
  'CHRONOLOGICAL',
];
const EV_SORTS = [
  'OLDEST_RELEASE_DATE',
  'NEWEST_RELEASE_DATE',
  'HIGHEST_MARKET_PRICE',
  'LOWEST_ESTIMATED_VALUE',
];
const TERMS = [
  'quantity>1',
  'gain<0',
  'invested>=2',
  'profit!=1',
  'value<=30',
  'red',
  'class:ninja',
  '-foil',
  'rarity:rare',
  'quantity<9',
];
const SIZES = [1, 7, 10, 11, 50, 51, 99, 200];

const one = <T>(of: readonly T[], i: number) => of[i % of.length]!;

/** Differs from those of other numbers in its terms, and how they are put together. */
function searchOf(number: number): string {
  const [a, b, c, d] = Array.from({ length: 4 }, (_, i) =>
    one(TERMS, Math.floor(number / TERMS.length ** i) + i),
  );
  return one(
    [
      `(${a} or ${b}) (${c} or ${d})`,
      `${a} (${b} or (${c} ${d}))`,
      `-(${a} ${b}) ${c}`,
      `${a} or ${b} or ${c}`,
    ],
    number,
  );
}

function fieldOf(
  i: number,
  cursors: ReadonlyMap<string, string>,
): { text: string; key: string; isOfCollection: boolean } {
  const list = one(
    ['transactionSummaries', 'transactionSummaries', 'transactions', 'collections', 'productEvs'],
    i,
  );
  const sorts = {
    transactionSummaries: SUMMARY_SORTS,
    transactions: ['CHRONOLOGICAL', 'ALPHABETICAL'],
    collections: ['CHRONOLOGICAL', 'ALPHABETICAL', 'VALUE', 'PERCENTAGE_GAIN'],
    productEvs: EV_SORTS,
  }[list]!;
  const order = [`sort: ${one(sorts, Math.floor(i / 5))}`];
  if (list !== 'productEvs') order.push(`reverse: ${Math.floor(i / 7) % 2 === 0}`);
  const key = [list, ...order].join(' ');
  const cursor = cursors.get(key);
  const size = one(SIZES, i + Math.floor(i / 8));
  const page = [`${i % 3 === 2 ? 'last' : 'first'}: ${size}`];
  if (cursor && i % 4 === 1) page.push(`after: "${cursor}"`);
  if (cursor && i % 6 === 5) page.push(`before: "${cursor}"`);
  if (list === 'transactionSummaries') page.push(`searchQuery: "${searchOf(i)}"`);
  if (list === 'productEvs' && i % 2 === 1) page.push(`productType: ${one(['BOX', 'PACK'], i)}`);
  const isOfCollection = list === 'transactionSummaries' || list === 'transactions';
  return {
    text: `${list}(${[...order, ...page].join(', ')}) { pageInfo { endCursor } nodes { __typename } }`,
    key,
    isOfCollection,
  };
}

function restPath(i: number, collectionId: string): string {
  const list = one(LISTS_BY_REST, Math.floor(i / 10));
  const query = new URLSearchParams({ pageSize: String(1 + (i % 199)), cursor: String(i % 5) });
  query.set('sortOrder', one(['Alphabetical', 'Chronological'], Math.floor(i / 20)));
  if (list === 'transaction-summary') query.set('searchQuery', searchOf(i));
  return `/collection/${collectionId}/${list}?${query}`;
}

const PREPARED = `select pg_backend_pid() as pid, pg_sleep(0.05),
  (select json_agg(statement) from pg_prepared_statements) as texts`;

/** Of all connections: each is asked while the others are in use. */
async function leftIn(db: OpenDatabase, askers: readonly Asker[]): Promise<Left> {
  const bound = askers.map(({ app }) => db.forAccount(app.accountId));
  const alone = bound.flatMap((own) => [own, own]).map((own) => own.query<Prepared>(PREPARED));
  const shared = Array.from({ length: 12 }, (_, i) => one(bound, i).hot<Prepared>(PREPARED));
  const rows = (await Promise.all([...alone, ...shared])).flat();
  const pids = await db.query<{ pid: number }>(
    'select pid from pg_stat_activity where datname = current_database()',
  );
  return {
    texts: [...new Set(rows.flatMap(({ texts }) => texts ?? []))],
    megabytes: megabytesOf(pids.map(({ pid }) => pid)),
  };
}

interface Prepared {
  pid: number;
  texts: string[] | null;
}

function megabytesOf(pids: readonly number[]): number | null {
  try {
    return pids.reduce((sum, pid) => sum + ownMegabytes(pid), 0);
  } catch {
    return null;
  }
}
