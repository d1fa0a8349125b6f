import { readdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { postgresDatabase } from '../../src/db/client.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { SUMMARY_SORTS } from '../support/varied-queries.ts';
import { Filler, type Owner } from './compare/fill.ts';
import { parentOf, postmasterOf, startServer } from './compare/servers.ts';
import { tokensOf } from './compare/workloads.ts';
import { median } from './database.ts';

/**
 * Which allowed queries cost more than they say: the dearest by processor time (of node and of PostgreSQL's back ends) for
 * 1,000 points of what `extensions.cost` says, for accounts with collections of 10, of 1,000 and of 100,000 transactions.
 * The time of the smallest query that reads is taken off: requests are limited by their number, too. Each query is sent once to be prepared, and then measured after a write of the
 * collection that it is about, as nothing that was made of a collection before is right any more then; the cheapest of
 * the runs counts. A refused query is left out. With `--short` a part of the queries, each measured once.
 */
const { values: options } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    // A part of the names of the queries.
    only: { type: 'string', default: '' },
    sizes: { type: 'string', default: '10,1000,100000' },
    top: { type: 'string', default: '20' },
  },
});

const VARIANTS: Record<number, number> = { 10: 5, 1000: 300, 100000: 10_000 };
const RUNS = options.short ? 1 : 3;
/** What takes longer in its first run is not run again. */
const LONG_MILLIS = 500;
const SETTINGS = { shared_buffers: '1GB', max_wal_size: '4GB', random_page_cost: '1.1', autovacuum: 'off' };
const say = (line: string) => process.stderr.write(`${line}\n`);

interface Query {
  name: string;
  text: string;
}

/** Numbered so that fields of one name with other arguments may stand beside each other. */
const times = (count: number, field: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => (count === 1 ? field(i) : `a${i}: ${field(i)}`)).join(' ');

const literal = (text: string) => JSON.stringify(text);

const TERMS = 'a e i o u r s t l n c d'.split(' ');

/** Searches of the catalogue, from what people type to what is meant to hurt. */
const SEARCHES = (i: number): Record<string, string> => ({
  'a word': ['ninja', 'snatch', 'command', 'fyendal', 'tunic'][i % 5]!,
  'a name': ['command and conquer', 'enlightened strike', 'art of war'][i % 3]!,
  misspelt: ['comand and conqer', 'enlightend strikke', 'fyendalls sprinng'][i % 3]!,
  filters: `class:ninja pitch:red cost<=${i % 4}`,
  'a letter': TERMS[i % 12]!,
  'many letters': [...TERMS.slice(i % 12), ...TERMS.slice(0, i % 12)].join(' '),
  'many words': `the of a an in to and red blue yellow ${i} attack action generic hero weapon`,
  'nonsense words': Array.from({ length: 20 }, (_, n) => `zq${'xkvw'[n % 4]}${'aeiou'[(n + i) % 5]}bn`).join(
    ' ',
  ),
  'long words': Array.from({ length: 5 }, (_, n) =>
    'abcdefghijklmnopqrstuvwxyz'.repeat(2).slice(n + (i % 9), n + 30),
  ).join(' '),
  'a negation': `-class:ninja -r:${'cmrl'[i % 4]}`,
  negations: Array.from({ length: 30 }, (_, n) => `-${TERMS[(n + i) % 12]}${n}`).join(' '),
  'negated filters': Array.from({ length: 18 }, (_, n) => `-cost:${n + i}`).join(' '),
  'or of words': Array.from({ length: 30 }, (_, n) => TERMS[(n + i) % 12]).join(' or '),
  'or of filters': Array.from({ length: 18 }, (_, n) => `cost>${n + i}`).join(' or '),
  'or of prices': Array.from({ length: 15 }, (_, n) => `price>${n + i}`).join(' or '),
  'or of misspelt': Array.from(
    { length: 15 },
    (_, n) => `comandd${n % 10 === i % 10 ? '' : 'xyz'[n % 3]}`,
  ).join(' or '),
  'or of negations': Array.from({ length: 22 }, (_, n) => `-"${TERMS[(n + i) % 12]}"`).join(' or '),
  'nested groups': `${'-('.repeat(60)}a${i}${')'.repeat(60)}`,
  'all but a phrase': `-"zz ${i}"`,
  texts: Array.from({ length: 20 }, (_, n) => `o:${TERMS[(n + i) % 12]}`).join(' '),
  'or of texts': Array.from({ length: 20 }, (_, n) => `o:${TERMS[(n + i) % 12]}`).join(' or '),
  'or of rarities': Array.from({ length: 20 }, (_, n) => `r>${'crsm'[(n + i) % 4]}`).join(' or '),
  printings: 'extended art rainbow foil 1st edition cold foil alternate art unlimited marvel'.repeat(2),
  'all variants': `price>=0 or -price>=0 or c${i}`,
});

const HOLDING_SEARCHES = (i: number): Record<string, string> => ({
  'a word': ['ninja', 'snatch', 'command', 'fyendal', 'tunic'][i % 5]!,
  'a quantity': `quantity>${i}`,
  'a value': `value>${i}`,
  'all but': `-zzz${i}`,
  'values and words': `(value>${i} or -ninja) -(gain<${i} class:guardian)`,
  'or of values': Array.from({ length: 16 }, (_, n) => `value>${n + i}`).join(' or '),
  'or of parts': Array.from({ length: 11 }, (_, n) => `(-a${n + i} qty>${n})`).join(' or '),
  'many letters': [...TERMS.slice(i % 12), ...TERMS.slice(0, i % 12)].join(' '),
});

/** Of what transactions say of the cards. */
const RECORDED_SEARCHES = (i: number): Record<string, string> => ({
  'a condition': `condition>=${['NM', 'LP', 'MP', 'HP'][i % 4]}`,
  'a grade': `grade>=${1 + (i % 9)} or is:graded -zz${i}`,
  'a tag': `tag:none${i}`,
  'a word': ['ninja', 'snatch', 'command', 'fyendal', 'tunic'][i % 5]!,
  'or of conditions': Array.from(
    { length: 14 },
    (_, n) => `-condition:${n % 2 ? 'NM' : 'LP'} -tag:t${n + i}`,
  ).join(' or '),
});

const PRODUCT_SORTS = ['NUMBER', 'NAME', 'PRICE', 'RELEASE', 'VOLUME'];

const EV_SORTS = [
  'HIGHEST_ESTIMATED_VALUE',
  'LOWEST_MARKET_PRICE',
  'MARKET_PRICE_DELTA_POSITIVE',
  'NEWEST_RELEASE_DATE',
];

const moversOf = (i: number) =>
  `period: ${['DAY', 'WEEK', 'MONTH', 'YEAR'][i % 4]}, by: ${['PERCENTAGE', 'AMOUNT'][(i >> 2) % 2]}, direction: ${['GAIN', 'LOSS'][(i >> 3) % 2]}`;

/** Fields that a collection and the dashboard have. */
function* commonFields(): Generator<[name: string, field: (i: number) => string]> {
  for (const [range, from] of [
    ['a month', '2025-09'],
    ['three years', '2022-10'],
  ]) {
    yield [
      `performance over ${range}`,
      (i) =>
        `performance(from: "${from}-${10 + (i % 20)}", to: "2025-10-10") { gain { value } timeWeightedReturn { value } internalRateOfReturn { value } }`,
    ];
  }
  yield [
    'valueHistory of 30 days',
    (i) => `valueHistory(from: "2025-09-${10 + (i % 20)}", to: "2025-10-20") { marketValue { value } }`,
  ];
  yield [
    'movers',
    (i) => `movers(${moversOf(i)}, first: ${1 + i}) { unknownCount movers { change { value } } }`,
  ];
  yield [
    'allocation',
    (i) =>
      `allocation(by: ${['SET', 'RARITY', 'CLASS', 'FINISH'][i % 4]}, first: ${1 + i}) { parts { share } }`,
  ];
}

/** Fields of a collection by what they are called. */
function* collectionFields(): Generator<[name: string, field: (i: number) => string]> {
  for (const sort of ['CHRONOLOGICAL', 'ALPHABETICAL']) {
    yield [
      `transactions ${sort}`,
      (i) =>
        `transactions(sort: ${sort}, first: ${10 + i}) { nodes { occurred quantity variant { product { name } } } }`,
    ];
    yield [
      `transactions ${sort} from the end`,
      (i) => `transactions(sort: ${sort}, last: ${10 + i}) { edges { cursor node { id } } }`,
    ];
    yield [
      `transactions ${sort}, a long page`,
      (i) => `transactions(sort: ${sort}, first: ${200 - i}) { nodes { id unitAmount { value } } }`,
    ];
  }
  for (const sort of SUMMARY_SORTS) {
    yield [
      `summaries ${sort}`,
      (i) =>
        `transactionSummaries(sort: ${sort}, first: ${10 + i}) { nodes { quantity marketValue { value } } }`,
    ];
    yield [
      `summaries ${sort}, reversed`,
      (i) => `transactionSummaries(sort: ${sort}, reverse: true, last: ${1 + i}) { nodes { id } }`,
    ];
    yield [
      `summaries ${sort} by quantity`,
      (i) =>
        `transactionSummaries(sort: ${sort}, first: ${1 + i}, searchQuery: "quantity>${i}") { nodes { id } }`,
    ];
  }
  for (const kind of Object.keys(HOLDING_SEARCHES(0))) {
    yield [
      `summaries by search, ${kind}`,
      (i) =>
        `transactionSummaries(first: ${1 + i}, searchQuery: ${literal(HOLDING_SEARCHES(i)[kind]!)}) { nodes { id } }`,
    ];
    yield [
      `count of a search, ${kind}`,
      (i) =>
        `transactionSummaries(first: 1, searchQuery: ${literal(HOLDING_SEARCHES(i)[kind]!)}) { totalCount }`,
    ];
    yield [
      `search with matches, ${kind}`,
      (i) =>
        `transactionSummaries(first: 5, searchQuery: ${literal(HOLDING_SEARCHES(i)[kind]!)}) { edges { matches { field value } } }`,
    ];
  }
  yield ['realizedGains', (i) => `realizedGains(year: ${2024 + (i % 30)}) { quantity gain { value } }`];
  yield ['realizedGains, only the year', (i) => `realizedGains(year: ${2024 - i}) { year }`];
  yield [
    'valueHistory of 2 days',
    (i) => `valueHistory(from: "2025-10-${10 + (i % 20)}", to: "2025-10-31", interval: MONTH) { date }`,
  ];
  yield [
    'valueHistory of 400 days',
    (i) => `valueHistory(from: "2024-09-${10 + (i % 20)}", to: "2025-10-10") { date }`,
  ];
  yield [
    'valueHistory by month',
    (i) =>
      `valueHistory(from: "2022-01-${10 + (i % 20)}", to: "2025-10-10", interval: MONTH) { invested { value } }`,
  ];
  yield [
    'valueHistory of one day',
    (i) => `valueHistory(from: "2025-10-${10 + (i % 20)}", to: "2025-10-${10 + (i % 20)}") { date }`,
  ];
  yield* commonFields();
  yield [
    'progress of a goal by card',
    () =>
      'goal { progress { missing costToComplete { value } } missingCards(first: 1) { nodes { missing } } }',
  ];
  yield [
    'missing cards of a goal',
    (i) => `goal { missingCards(first: ${1 + i}) { nodes { missing unitPrice { value } } } }`,
  ];
  yield [
    'sales of a year',
    (i) => `realizedGains(year: ${2024 + (i % 2)}) { sales(first: ${1 + i}) { nodes { quantity } } }`,
  ];
  yield ['sales of a year as CSV', (i) => `realizedGains(year: ${2024 + (i % 2)}) { salesCsv { csv } }`];
  yield [
    'realizedGains by FIFO',
    (i) => `realizedGains(year: ${2024 + (i % 30)}, method: FIFO) { gain { value } }`,
  ];
  yield [
    'lots of the largest',
    (i) =>
      `transactionSummaries(sort: QUANTITY, reverse: true, first: ${1 + i}) { nodes { lots(first: 1) { totalCount } } }`,
  ];
  yield ['transactionsCsv', () => 'transactionsCsv { csv endCursor }'];
  for (const kind of Object.keys(RECORDED_SEARCHES(0))) {
    const search = (i: number) => literal(RECORDED_SEARCHES(i)[kind]!);
    yield [
      `transactions by search, ${kind}`,
      (i) => `transactions(first: ${1 + i}, searchQuery: ${search(i)}) { nodes { id } }`,
    ];
    yield [
      `count of transactions by search, ${kind}`,
      (i) => `transactions(first: 1, searchQuery: ${search(i)}) { totalCount }`,
    ];
    yield [
      `summaries by what is recorded, ${kind}`,
      (i) => `transactionSummaries(first: ${1 + i}, searchQuery: ${search(i)}) { nodes { id } }`,
    ];
  }
  yield [
    'transactions by a filter',
    (i) =>
      `transactions(first: 1, filter: { from: "2020-01-${10 + (i % 20)}", to: "2026-10-10", action: SALE, cardCondition: [DAMAGED], tags: ["none${i}"] }) { totalCount nodes { id } }`,
  ];
  yield [
    'quantities of holdings',
    (i) =>
      `transactionSummaries(first: ${100 + i}) { nodes { quantities { quantity } boughtAtUnknownCost } }`,
  ];
  yield ['amounts', () => 'quantity marketValue { value } gain { value }'];
}

/** Queries of a collection, of all collections, and of neither. */
function* queries(id: string, collectionCount: number): Generator<Query> {
  for (const [name, field] of collectionFields()) {
    const isPlain = name === 'amounts' || name === 'transactionsCsv';
    for (const count of isPlain ? [1] : [1, 8, 28]) {
      yield {
        name: count === 1 ? name : `${count} × ${name}`,
        text: `{ collection(id: "${id}") { ${times(count, field)} } }`,
      };
    }
    yield {
      name: `${name}, of each collection`,
      text: `{ collections(first: ${collectionCount}) { nodes { ${field(0)} } } }`,
    };
  }
  for (const sort of ['CHRONOLOGICAL', 'ALPHABETICAL', 'VALUE', 'PERCENTAGE_GAIN']) {
    yield {
      name: `collections ${sort}`,
      text: `{ collections(first: ${collectionCount}, sort: ${sort}) { nodes { name marketValue { value } } } }`,
    };
  }
  yield {
    name: 'nested as in the documents',
    text: '{ collections(first: 10) { nodes { transactionSummaries(first: 10) { nodes { variant { product { name } } } } } } }',
  };
  yield {
    name: 'viewer',
    text: '{ viewer { name dashboard { marketValue { value } } limits { collectionCount } } }',
  };
  for (const [name, field] of commonFields()) {
    for (const count of [1, 8, 28]) {
      yield {
        name: `${count} × ${name}, of the dashboard`,
        text: `{ viewer { dashboard { ${times(count, field)} } } }`,
      };
    }
  }
  for (const count of [1, 30]) {
    for (const weighting of ['PRICE', 'EQUAL']) {
      for (const interval of ['DAY', 'MONTH']) {
        const index = (i: number) =>
          `marketIndex(from: "2022-10-${10 + (i % 20)}", to: "2025-10-10", interval: ${interval}, weighting: ${weighting}${i % 2 ? ', set: "WTR"' : ''}) { date value }`;
        yield {
          name: `${count} × market index, ${interval} ${weighting}`,
          text: `{ ${times(count, index)} }`,
        };
      }
    }
  }
  for (const count of [1, 16]) {
    yield {
      name: `${count} × movers of the market`,
      text: `{ ${times(count, (i) => `marketMovers(${moversOf(i)}, first: 1) { movers { change { value } } }`)} }`,
    };
  }
  yield* catalogueQueries(id);
  for (const kind of Object.keys(SEARCHES(0))) {
    for (const count of [1, 30]) {
      const search = (i: number) => `products(query: ${literal(SEARCHES(i)[kind]!)}, first: 1)`;
      const of = count === 1 ? '' : `${count} × `;
      yield {
        name: `${of}products, ${kind}`,
        text: `{ ${times(count, (i) => `${search(i)} { totalCount }`)} }`,
      };
      if (count === 1 && !options.short) {
        yield {
          name: `products with all, ${kind}`,
          text: `{ ${search(0)} { didYouMean facets { class { count } finish { count } } edges { matches { value } node { name } } } }`,
        };
      }
      if (count === 30) {
        yield {
          name: `30 × didYouMean, ${kind}`,
          text: `{ ${times(30, (i) => `${search(i)} { didYouMean }`)} }`,
        };
        yield {
          name: `20 × matches, ${kind}`,
          text: `{ ${times(20, (i) => `products(query: ${literal(SEARCHES(i)[kind]!)}, first: 20) { edges { matches { value } } }`)} }`,
        };
      }
    }
  }
  yield {
    name: 'a page of 200 products',
    text: '{ products(query: "attack", first: 200) { nodes { name variants { marketPrice { value } } } } }',
  };
  for (const text of ['c', 'command and', 'class:', 'a b c d e f', `${'a '.repeat(90)}b`]) {
    for (const count of [1, 30]) {
      yield {
        name: `${count} × suggest ${text.slice(0, 12)}`,
        text: `{ ${times(count, (i) => `suggest(text: ${literal(text)}, first: ${1 + (i % 20)}) { text }`)} }`,
      };
    }
  }
  for (const sort of EV_SORTS) {
    yield {
      name: `productEvs ${sort}`,
      text: `{ productEvs(sort: ${sort}, first: 50) { nodes { setType currentEstimatedValue { value } } } }`,
    };
  }
  yield {
    name: 'productEvs with breakdowns',
    text: '{ productEvs(first: 20) { nodes { breakdown { distribution { mean { value } p95 { value } } categories { contributedValue { value } } } } } }',
  };
  yield {
    name: 'histories of productEvs',
    text: '{ productEvs(first: 20) { nodes { history(from: "2025-01-01", to: "2025-12-31") { date } } } }',
  };
  yield {
    name: '30 × histories of productEvs',
    text: `{ productEvs(first: 10) { nodes { ${times(28, (i) => `history(from: "2025-01-${1 + i < 10 ? '0' : ''}${1 + i}", to: "2025-01-31") { date }`)} } } }`,
  };
  yield {
    name: '30 × evBreakdown',
    text: `{ ${times(30, (i) => `evBreakdown(setType: "${['Wtr1stEdition', 'ArcUnlimitedEdition', 'Out', 'Dtd', 'Hnt'][i % 5]}", productType: ${['PACK', 'BOX', 'CASE'][i % 3]}) { distribution { samples } }`)} }`,
  };
}

/** The catalogue without a query, and what an account has of it. */
function* catalogueQueries(id: string): Generator<Query> {
  for (const sort of PRODUCT_SORTS) {
    yield {
      name: `products ${sort}`,
      text: `{ products(sort: ${sort}, first: 200) { nodes { name number imageUrl(size: LARGE) } } }`,
    };
  }
  const mine = {
    owned: 'owned',
    'owned in a collection': `owned(collectionId: "${id}")`,
    holdings: 'holdings(first: 2) { nodes { quantity } }',
    transactions: 'transactions(first: 2) { totalCount nodes { quantity } }',
  };
  for (const [name, field] of Object.entries(mine)) {
    yield { name: `products, ${name}`, text: `{ products(sort: NAME, first: 50) { nodes { ${field} } } }` };
    yield {
      name: `variants, ${name}`,
      text: `{ products(sort: PRICE, first: 20) { nodes { variants { ${field} } } } }`,
    };
  }
  for (const [range, from, interval] of [
    ['a year', '2024-11-01', 'DAY'],
    ['five years', '2020-11-01', 'MONTH'],
  ]) {
    yield {
      name: `histories of prices over ${range}`,
      text: `{ products(sort: PRICE, first: 8) { nodes { variants { priceHistory(from: "${from}", to: "2025-10-10", interval: ${interval}, currency: EUR) { price { value } } } } } }`,
    };
  }
  yield {
    name: 'sets with what is complete',
    text: `{ sets(first: 100) { nodes { code completion(collectionId: "${id}") { missing costToComplete { value } } } } }`,
  };
  const names = Array.from({ length: 300 }, (_, i) => `"${TERMS[i % 12]}${i}"`).join(', ');
  yield {
    name: 'products by a long filter',
    text: `{ products(sort: NAME, first: 1, filter: { class: [${names}] }) { totalCount } }`,
  };
  for (const count of [1, 8]) {
    yield {
      name: `${count} × transactions of the account`,
      text: `{ viewer { ${times(count, (i) => `transactions(first: ${1 + i}, searchQuery: ${literal(RECORDED_SEARCHES(i)['or of conditions']!)}) { totalCount }`)} } }`,
    };
  }
}

/** Milliseconds of processor time of a process with all its threads. */
function cpuMillis(pid: number): number {
  let nanos = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    try {
      nanos += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      // It ended meanwhile.
    }
  }
  return nanos / 1e6;
}

/** The processes that the server's `parent` has. */
function backendsOf(parent: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 0 && parentOf(pid) === parent;
      } catch {
        return false;
      }
    });
}

interface Measured {
  name: string;
  cost: number;
  millis: number;
  perThousand: number;
}

const PATIENCE_MILLIS = 60_000;

class Bench {
  readonly #url: string;
  readonly #pid: number;
  readonly #postmaster: number;
  #tokens = new Map<string, string>();
  #smallMillis = 0;

  constructor(port: number, pid: number, postmaster: number) {
    this.#url = `http://127.0.0.1:${port}`;
    this.#pid = pid;
    this.#postmaster = postmaster;
  }

  async signIn(owners: Owner[]): Promise<void> {
    this.#tokens = new Map(await tokensOf(Number(new URL(this.#url).port), owners));
  }

  async measure(
    owner: Owner,
    variantId: string,
  ): Promise<{ dearest: Measured[]; all: Measured[]; refused: number }> {
    const id = owner.collectionIds[0]!;
    const write = () => this.#write(owner, id, variantId);
    this.#smallMillis = 0;
    const small: number[] = [];
    for (let i = 0; i < 300; i++)
      small.push((await this.#timed(owner, `{ collection(id: "${id}") { name } }`)).millis);
    this.#smallMillis = median(small.slice(100));
    await this.#send(
      owner,
      `mutation { setGoalCollection(input: { collectionId: "${id}", target: { setCode: "WTR" }, match: CARD }) { __typename } }`,
    );
    const all: Measured[] = [];
    let refused = 0;
    for (const { name, text } of queries(id, owner.collectionIds.length)) {
      if (!name.includes(options.only)) continue;
      const measured = await this.#measureQuery(owner, text, write);
      if (measured === null) refused++;
      else all.push({ name, ...measured });
    }
    all.sort((a, b) => b.perThousand - a.perThousand);
    return { dearest: all.slice(0, Number(options.top)), all, refused };
  }

  async #measureQuery(
    owner: Owner,
    text: string,
    write: () => Promise<void>,
  ): Promise<Omit<Measured, 'name'> | null> {
    let best: Omit<Measured, 'name'> | null = null;
    const first = await this.#timed(owner, text);
    if (first.cost === undefined) return null;
    const runs = first.millis > LONG_MILLIS ? 1 : RUNS;
    for (let run = 0; run < runs; run++) {
      await write();
      const { cost = 1, millis } = await this.#timed(owner, text);
      const own = Math.max(0, millis - this.#smallMillis);
      const perThousand = (own * 1000) / Math.max(cost, 1);
      if (best === null || perThousand < best.perThousand) best = { cost, millis: own, perThousand };
    }
    return best;
  }

  /** The cost that the answer states; undefined where it was refused before it was executed. */
  async #timed(owner: Owner, query: string): Promise<{ cost?: number; millis: number }> {
    const backends = backendsOf(this.#postmaster);
    const now = () => [this.#pid, ...backends].map(cpuMillisIfThere);
    const before = now();
    const result = await this.#send(owner, query);
    const millis = now().reduce((sum, after, i) => sum + Math.max(0, after - before[i]!), 0);
    const { data, errors, extensions } = result;
    const isRefused = data === undefined;
    if (isRefused && !['COST_LIMIT', 'ALIAS_LIMIT'].includes(errors?.[0]?.extensions?.code))
      say(`${query.slice(0, 150)}: ${JSON.stringify(errors).slice(0, 300)}`);
    return { ...(!isRefused && { cost: extensions.cost.requested as number }), millis };
  }

  async #write(owner: Owner, id: string, variantId: string): Promise<void> {
    const input = `{ collectionId: "${id}", variantId: "${variantId}", occurredDate: "2025-10-20", action: SALE, quantity: 1, unitAmount: { currency: USD, value: 1.25 } }`;
    await this.#send(owner, `mutation { createTransaction(input: ${input}) { __typename } }`);
  }

  // biome-ignore lint/suspicious/noExplicitAny: an answer of any query
  async #send(owner: Owner, query: string): Promise<any> {
    const response = await fetch(`${this.#url}/graphql`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${this.#tokens.get(owner.accountId)}`,
        'Content-Type': 'application/json',
        Accept: 'application/json',
      },
      body: JSON.stringify({ query }),
      signal: AbortSignal.timeout(PATIENCE_MILLIS),
    });
    return response.json();
  }
}

function cpuMillisIfThere(pid: number): number {
  try {
    return cpuMillis(pid);
  } catch {
    return 0;
  }
}

function table({ dearest, all, refused }: Awaited<ReturnType<Bench['measure']>>, size: number): string {
  const middle = median(all.map(({ perThousand }) => perThousand));
  const rows = dearest.map(
    ({ name, cost, millis, perThousand }) =>
      `| ${name} | ${cost} | ${millis.toFixed(1)} ms | ${perThousand.toFixed(0)} ms | ${(perThousand / middle).toFixed(1)} |`,
  );
  return [
    `\nCollections of ${size} transactions: ${all.length} queries, ${refused} refused; the median takes ${middle.toFixed(1)} ms for 1,000 points\n`,
    '| query | points | processor time | for 1,000 points | ÷ median |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

const postgres = await startPostgres({ settings: SETTINGS });
try {
  const { url: databaseUrl } = await loadedPostgresUrl(postgres.url);
  const db = postgresDatabase(databaseUrl);
  const filler = new Filler(db);
  const sizes = options.sizes.split(',').map(Number);
  const owners: Owner[] = [];
  for (const size of sizes) {
    const collections = size > 10_000 ? 2 : 10;
    const variants = VARIANTS[size]!;
    owners.push(await filler.add(`Of ${size}`, { collections, transactions: collections * size, variants }));
  }
  const postmaster = await postmasterOf(db);
  const [variant] = await db.query<{ id: string }>(
    'select variant_id as id from holding where account_id = $1 limit 1',
    [owners[0]!.accountId],
  );
  await db.query('analyze');
  const server = await startServer('product', process.execPath, { databaseUrl });
  try {
    const bench = new Bench(server.port, server.pid, postmaster);
    await bench.signIn(owners);
    for (const [i, size] of sizes.entries()) {
      process.stdout.write(`${table(await bench.measure(owners[i]!, variant!.id), size)}\n`);
    }
  } finally {
    await server.stop();
  }
  await db.close();
} finally {
  await postgres.stop();
}
