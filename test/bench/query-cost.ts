import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { OpenDatabase } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { setLimits } from '../../src/services/accounts/set-limits.ts';
import { createClient } from '../../src/services/clients/create.ts';
import { mutationDocument } from '../graphql/mutate.ts';
import { emptyPostgresUrl } from '../support/empty-postgres.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { Filler, fillAccounts, type Owner } from './compare/fill.ts';
import { postmasterOf } from './compare/servers.ts';
import { tokensOf } from './compare/workloads.ts';
import { median } from './database.ts';
import {
  type Ask,
  type Change,
  collectionChanges,
  platformChanges,
  preferenceChanges,
  previewCsv,
  transactionChanges,
} from './query-cost/changes.ts';
import { fillMarket, marketChanged } from './query-cost/market.ts';
import { ProcessorTime } from './query-cost/processor.ts';
import { oneCardQueries, type Place, platformQueries, type Query, queries } from './query-cost/queries.ts';
import { type Measured, perThousand, report } from './query-cost/report.ts';
import { type Route, routes } from './query-cost/routes.ts';
import { longestTurn, startWatched, type Watched } from './watched-server.ts';

/**
 * Which allowed operations cost more than they say: the dearest by processor time (of node and of PostgreSQL's back ends) for
 * 1,000 points of what `extensions.cost` says, for accounts with collections of 10, of 1,000 and of 100,000 transactions, of many
 * cards and of one, and for platforms with as many accounts below them; and what routes of REST take beside the same by GraphQL.
 * The time of the smallest query that reads is taken off: requests are limited by their number, too. Each query is sent
 * after a write of the collection that it is about, as nothing that was made of a collection before is right any
 * more then, those of the market after an import; what seems to be dear is sent again, and the cheapest of the runs counts. What is refused,
 * also in part, is left out.
 */
const { values: options } = parseArgs({
  options: {
    /** Parts of the names, with commas between them. */
    only: { type: 'string', default: '' },
    sizes: { type: 'string', default: '10,1000,100000' },
    top: { type: 'string', default: '20' },
    /** Of four parts of them, the second: `2/4`. */
    part: { type: 'string', default: '1/1' },
    kinds: { type: 'string', default: 'queries,routes,changes' },
    /** The address of a PostgreSQL that stays, so that it is filled once. */
    server: { type: 'string' },
    /** A file that what was measured is added to; the report is of all that is in it. Without `sizes` nothing more is measured. */
    results: { type: 'string' },
  },
});

const VARIANTS: Record<number, number> = { 10: 5, 1000: 300, 100000: 10_000 };
const RUNS = 5;
/** For 1,000 points: what takes less when it is first asked is not asked again. */
const CHEAP_MILLIS = 200;
/** What takes longer in its first run is not run again. */
const LONG_MILLIS = 500;
const PATIENCE_MILLIS = 120_000;
const SETTINGS = { shared_buffers: '1GB', max_wal_size: '4GB', random_page_cost: '1.1', autovacuum: 'off' };
const say = (line: string) => process.stderr.write(`${line}\n`);

interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: the data of any operation
  data?: any;
  errors?: { message: string; extensions?: { code?: string } }[];
  extensions?: { cost?: { requested: number } };
}

/** What a size of collections has. */
interface Stock {
  size: number;
  many: Owner;
  /** One collection of one card. */
  one: Owner;
  platform: Owner;
  accountIds: string[];
}

/** One account's view of the service. */
interface Client {
  ask: Ask;
  sent(query: string, variables?: object): Promise<Answer>;
  fetch(method: string, path: string, contentType?: string, body?: string): Promise<Response>;
}

const [part, parts] = options.part.split('/').map(Number) as [number, number];
const names = options.only.split(',');
const kinds = new Set(options.kinds.split(','));
let counted = 0;
const isChosen = ({ name }: { name: string }) =>
  names.some((only) => name.includes(only)) && counted++ % parts === part - 1;

class Bench {
  readonly #server: Watched;
  readonly #time: ProcessorTime;
  readonly #db: OpenDatabase;
  /** Of the catalogue. */
  readonly #variantIds: string[];
  readonly #productIds: string[];
  readonly all: Measured[] = [];
  #smallMillis = 0;

  constructor(
    server: Watched,
    time: ProcessorTime,
    db: OpenDatabase,
    catalogue: { variantIds: string[]; productIds: string[] },
  ) {
    this.#server = server;
    this.#time = time;
    this.#db = db;
    this.#variantIds = catalogue.variantIds;
    this.#productIds = catalogue.productIds;
  }

  async measure(stock: Stock): Promise<void> {
    const { size, many, one, platform } = stock;
    const client = await this.#signedIn(many);
    this.#smallMillis = await this.#smallest(client, many.collectionIds[0]!);
    say(`${size}: the smallest query takes ${this.#smallMillis.toFixed(2)} ms`);
    const ofOne = await this.#signedIn(one);
    const top = await this.#signedIn(platform, 'platform');
    if (kinds.has('queries') || kinds.has('routes')) await this.#readings(client, ofOne, top, stock);
    if (kinds.has('changes')) await this.#changes(client, ofOne, top, { size, many, one });
  }

  async #readings(
    client: Client,
    ofOne: Client,
    top: Client,
    { size, many, one, accountIds }: Stock,
  ): Promise<void> {
    const place = await this.#furnished(client, many);
    const write = () => this.#write(client, place.collectionId, place.variantIds[0]!);
    if (kinds.has('queries')) {
      await this.#queries(client, size, '', queries(place), write);
      const [oneId] = one.collectionIds as [string];
      const [oneCard] = (await this.#heldIn(ofOne, oneId)) as [string];
      await this.#queries(ofOne, size, 'one card: ', oneCardQueries(oneId), () =>
        this.#write(ofOne, oneId, oneCard),
      );
      const webhookId = await this.#webhook(top);
      await this.#queries(top, size, 'platform: ', platformQueries({ accountIds, webhookId }));
    }
    if (kinds.has('routes')) {
      for (const route of routes(place, size, `acc_${many.accountId}`))
        await this.#route(client, size, route, write);
    }
  }

  async #changes(
    client: Client,
    ofOne: Client,
    top: Client,
    { size, many, one }: Omit<Stock, 'platform' | 'accountIds'>,
  ) {
    const held = await this.#heldIn(client, many.collectionIds[0]!);
    const [collectionId, otherId] = many.collectionIds as [string, string];
    const changed = { ask: client.ask, collectionId, otherId, variantIds: [...held, ...this.#variantIds] };
    const [oneId] = one.collectionIds as [string];
    const changedOne = {
      ...{ ask: ofOne.ask, collectionId: oneId, otherId: oneId },
      variantIds: await this.#heldIn(ofOne, oneId),
    };
    await this.#each(client, size, '', transactionChanges(changed));
    await this.#each(
      client,
      size,
      '',
      preferenceChanges([{ preferredCurrency: 'EUR' }, { preferredCurrency: 'USD' }]),
    );
    // As autovacuum does within a minute of such a change: plans are of what is kept since.
    const analyse = () => this.#db.query('analyze');
    for (const costBasis of ['AVERAGE', 'MOVING_AVERAGE', 'FIFO']) {
      if (costBasis !== 'AVERAGE')
        await this.#each(ofOne, size, 'one card: ', preferenceChanges([{ costBasis }]));
      await analyse();
      await this.#each(ofOne, size, `one card, ${costBasis}: `, transactionChanges(changedOne));
    }
    await this.#each(client, size, '', preferenceChanges([{ costBasis: 'FIFO' }, { costBasis: 'AVERAGE' }]));
    await analyse();
    await this.#each(client, size, '', collectionChanges(changed));
    await this.#each(top, size, 'platform: ', platformChanges(top.ask));
  }

  async #signedIn(owner: Owner, scope?: string): Promise<Client> {
    const token = (await tokensOf(this.#server.port, [owner], scope)).get(owner.accountId);
    const request: Client['fetch'] = (method, path, contentType = 'application/json', body) =>
      fetch(`http://127.0.0.1:${this.#server.port}${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${token}`,
          Accept: 'application/json',
          ...(body !== undefined && { 'Content-Type': contentType }),
        },
        ...(body !== undefined && { body }),
        signal: AbortSignal.timeout(PATIENCE_MILLIS),
      });
    const sent: Client['sent'] = async (query, variables = {}) => {
      const body = JSON.stringify({ query, variables });
      return (await (await request('POST', '/graphql', undefined, body)).json()) as Answer;
    };
    const ask: Ask = async (query, variables) => {
      const { data, errors } = await sent(query, variables);
      if (errors) throw new Error(JSON.stringify(errors).slice(0, 500));
      return data;
    };
    return { fetch: request, sent, ask };
  }

  async #smallest(client: Client, id: string): Promise<number> {
    const small: number[] = [];
    for (let i = 0; i < 300; i++) {
      const { node, database } = await this.#time.spentOn(() =>
        client.sent(`{ collection(id: "${id}") { name } }`),
      );
      small.push(node + database);
    }
    return median(small.slice(100));
  }

  /** Gives the account all that queries ask for. */
  async #furnished(client: Client, { collectionIds }: Owner): Promise<Place> {
    const [collectionId] = collectionIds as [string];
    const change = (name: string, input: object) => client.ask(mutationDocument(name), { input });
    for (const id of collectionIds.slice(0, LIMITS.valuedCollections))
      await change('updateCollection', { id, valued: true });
    await change('setGoalCollection', { collectionId, target: { setCode: 'WTR' }, match: 'CARD' });
    // One more is created, and deleted.
    for (let i = 1; i < LIMITS.priceAlerts - 5; i++) {
      const targetId = i % 10 ? this.#variantIds[i]! : collectionIds[i % collectionIds.length]!;
      await change('createPriceAlert', { targetId, when: { change: { percent: 5 + i, days: 30 } } });
    }
    const held = await this.#heldIn(client, collectionId);
    const variantIds = [...held, ...this.#variantIds];
    const csv = previewCsv(variantIds);
    const { previewImport } = await change('previewImport', { collectionId, csv });
    const { collection } = await client.ask(
      `{ collection(id: "${collectionId}") { transactions(first: 200) { nodes { id } } transactionSummaries(first: 200) { nodes { id } } } }`,
    );
    const idsOf = ({ nodes }: { nodes: { id: string }[] }) => nodes.map(({ id }) => id);
    return {
      collectionId,
      collectionCount: collectionIds.length,
      variantIds,
      productIds: this.#productIds,
      importPreviewId: previewImport.preview.id,
      transactionIds: idsOf(collection.transactions),
      summaryIds: idsOf(collection.transactionSummaries),
    };
  }

  async #heldIn(client: Client, id: string): Promise<string[]> {
    const query = `{ collection(id: "${id}") { transactionSummaries(first: 1) { nodes { variant { id } } } } }`;
    const { nodes } = (await client.ask(query)).collection.transactionSummaries;
    return nodes.map(({ variant }: { variant: { id: string } }) => variant.id);
  }

  async #webhook(client: Client): Promise<string> {
    const input = { url: 'https://app.example/webhooks' };
    const { createWebhook } = await client.ask(mutationDocument('createWebhook'), { input });
    const { id } = createWebhook.webhook;
    for (let i = 0; i < 50; i++) await client.ask(mutationDocument('testWebhook'), { input: { id } });
    // Nothing more is sent while others are measured.
    await client.ask(mutationDocument('updateWebhook'), { input: { id, status: 'DISABLED' } });
    return id;
  }

  async #queries(
    client: Client,
    size: number,
    of: string,
    all: Iterable<Query>,
    write: () => Promise<unknown> = async () => {},
  ): Promise<void> {
    for (const { name, ...query } of all) {
      const before = name.includes('of the market') ? () => this.#importHasCome(client) : write;
      const named = { name: of + name };
      if (!isChosen(named)) continue;
      await this.#tried(named.name, () =>
        this.#operation(client, size, 'query', { ...query, ...named, before }),
      );
    }
  }

  async #each(client: Client, size: number, of: string, all: Iterable<Change>): Promise<void> {
    for (const { name, text, variables } of all) {
      const named = { name: of + name };
      // What later ones build on is done in any case.
      if (!isChosen(named) && !text.includes('updatePreferences')) continue;
      await this.#tried(named.name, () =>
        this.#operation(client, size, 'change', { ...named, text, variables }),
      );
    }
  }

  /** One that goes wrong does not end the run. */
  async #tried(name: string, work: () => Promise<void>): Promise<void> {
    await work().catch((error) => say(`${name}: ${error}`));
  }

  async #operation(
    client: Client,
    size: number,
    kind: Measured['kind'],
    { name, text, less, variables, before }: Query & Partial<Change> & { before?: () => Promise<unknown> },
  ): Promise<void> {
    await before?.();
    const first = await this.#timed(client, text, await variables?.());
    let best: Measured = { ...first, firstTurn: first.turn, size, kind, name };
    // What is cheap or refused is not among the dearest.
    const isDear = first.codes.length === 0 && perThousand(best) > CHEAP_MILLIS;
    const isTooLong = first.millis > LONG_MILLIS && variables !== undefined;
    for (let run = 1; isDear && !isTooLong && run < RUNS; run++) {
      await before?.();
      const measured = await this.#timed(client, text, await variables?.());
      if (measured.millis < best.millis) best = { ...best, ...measured };
      if (measured.millis > LONG_MILLIS) break;
    }
    this.#keep(best);
    if (less && first.codes.includes('COST_LIMIT'))
      await this.#operation(client, size, kind, { ...less, ...(before && { before }) });
  }

  #keep(measured: Measured): void {
    this.all.push(measured);
    if (options.results) appendFileSync(options.results, `${JSON.stringify(measured)}\n`);
  }

  async #timed(client: Client, text: string, variables?: object) {
    await longestTurn(this.#server);
    const began = performance.now();
    const { result, node, database } = await this.#time.spentOn(() => client.sent(text, variables));
    const wall = performance.now() - began;
    const turn = await longestTurn(this.#server);
    const codes = codesOf(result);
    if (codes.some((code) => !EXPECTED.has(code)))
      say(`${text.slice(0, 150)}: ${codes} ${JSON.stringify(result).slice(0, 300)}`);
    return {
      cost: result.extensions?.cost?.requested ?? 0,
      millis: Math.max(0, node + database - this.#smallMillis),
      database,
      wall,
      turn,
      codes,
    };
  }

  async #route(
    client: Client,
    size: number,
    { name, method, path, contentType, body, graphql }: Route,
    write: () => Promise<unknown>,
  ): Promise<void> {
    const isWrite = method !== 'GET';
    if (!isChosen({ name: `REST: ${name}` })) return;
    let best: Measured | undefined;
    for (let run = 0; run < 2; run++) {
      if (!isWrite) await write();
      await longestTurn(this.#server);
      const sent = await body?.();
      const began = performance.now();
      const { result, node, database } = await this.#time.spentOn(async () => {
        const response = await client.fetch(method, path, contentType, sent);
        await response.arrayBuffer();
        return response.status;
      });
      const [wall, turn] = [performance.now() - began, await longestTurn(this.#server)];
      if (result !== 200) say(`${method} ${path}: ${result}`);
      const millis = Math.max(0, node + database - this.#smallMillis);
      if (best && best.millis <= millis) continue;
      best = { size, kind: 'route', name, cost: 0, millis, database, wall, turn, codes: [] };
    }
    if (graphql) {
      const [text, variables] = [graphql.text, graphql.variables];
      await this.#operation(client, size, 'equivalent', {
        ...{ name, text, before: isWrite ? async () => {} : write },
        ...(variables && { variables: async () => variables() }),
      });
    }
    this.#keep(best!);
  }

  async #write(client: Client, id: string, variantId: string): Promise<void> {
    const sale = { occurredDate: '2025-10-20', action: 'SALE', quantity: 1 };
    const input = { collectionId: id, variantId, ...sale, unitAmount: { currency: 'USD', value: 1.25 } };
    await client.ask(
      'mutation ($input: CreateTransactionInput!) { createTransaction(input: $input) { __typename } }',
      { input },
    );
  }

  /** Waits until the market is read again. */
  async #importHasCome(client: Client): Promise<void> {
    await marketChanged(this.#db);
    for (let i = 0; i < 20; i++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      await client.sent('{ products(query: "snatch", first: 1) { totalCount } }');
    }
  }
}

/** Of what is refused since it is dear, or takes too long. */
const EXPECTED = new Set(['COST_LIMIT', 'ALIAS_LIMIT', 'TooMuchWork', 'ANSWER_TOO_LARGE']);

/** Of errors, and of failures of mutations, which are data. */
function codesOf({ data, errors = [] }: Answer): string[] {
  const failures = Object.values(data ?? {}).flatMap((field) => {
    const name = (field as { __typename?: string } | null)?.__typename;
    return name && /^[A-Z]/.test(name) && /Failed|NotFound|Exceeded|InUse|Mismatch/.test(name)
      ? [`${name} ${JSON.stringify(field).slice(0, 200)}`]
      : [];
  });
  return [...new Set([...errors.map(({ extensions, message }) => extensions?.code ?? message), ...failures])];
}

async function filled(db: OpenDatabase, filler: Filler, size: number): Promise<Stock> {
  const collections = size > 10_000 ? 2 : 10;
  const transactions = collections * size;
  const many = await filler.add(`Of ${size}`, { collections, transactions, variants: VARIANTS[size]! });
  const one = await filler.add(`Of ${size}, one card`, { collections: 1, transactions: size, variants: 1 });
  const now = new Date();
  const { accountId } = await createAccount(db, { name: 'Platform', now });
  await setLimits(db, { accountId, maxAccounts: LIMITS.maxAccounts });
  const client = await createClient(db, { accountId, name: 'Platform', now });
  const accountIds = await fillAccounts(db, accountId, size);
  return { size, many, one, platform: { ...client, accountId, collectionIds: [] }, accountIds };
}

/** A database with three years of prices and the stock of each size: a copy of one that is made first where the server has none. */
async function filledDatabase(serverUrl: string, sizes: readonly number[]): Promise<string> {
  const template = `query_cost_${sizes.join('_')}`;
  const admin = postgresDatabase(serverUrl);
  try {
    const known = await admin.query('select from pg_database where datname = $1', [template]);
    if (known.length === 0) {
      const { url } = await loadedPostgresUrl(serverUrl);
      await fill(url, sizes);
      await admin.query(`alter database ${new URL(url).pathname.slice(1)} rename to ${template}`);
    }
  } finally {
    await admin.close();
  }
  return emptyPostgresUrl(serverUrl, template);
}

async function fill(url: string, sizes: readonly number[]): Promise<void> {
  const db = postgresDatabase(url);
  say('prices');
  await fillMarket(db);
  const filler = new Filler(db);
  const stocks: Stock[] = [];
  for (const size of sizes) {
    say(`collections of ${size}`);
    stocks.push(await filled(db, filler, size));
  }
  await db.query('create table query_cost_stock (stocks text)');
  await db.query('insert into query_cost_stock values ($1)', [JSON.stringify(stocks)]);
  await db.query('analyze');
  await db.close();
}

async function measureAll(sizes: readonly number[]): Promise<Measured[]> {
  const own = options.server ? null : await startPostgres({ settings: SETTINGS });
  try {
    const databaseUrl = await filledDatabase(options.server ?? own!.url, sizes);
    const db = postgresDatabase(databaseUrl);
    const [row] = await db.query<{ stocks: string }>('select stocks from query_cost_stock');
    const ids = async (text: string) => (await db.query<{ id: string }>(text)).map(({ id }) => id);
    const catalogue = {
      variantIds: await ids(
        'select v.id from variant v join price p on p.variant_id = v.id where p.amount is not null order by md5(v.id) limit 2000',
      ),
      productIds: await ids(
        'select p.id from product p join variant v on v.product_id = p.id group by p.id order by count(*) desc, p.id limit 200',
      ),
    };
    const server = await startWatched(databaseUrl);
    try {
      const time = new ProcessorTime(server.pid, await postmasterOf(db));
      const bench = new Bench(server, time, db, catalogue);
      for (const stock of JSON.parse(row!.stocks) as Stock[]) await bench.measure(stock);
      return bench.all;
    } finally {
      await server.stop();
      await db.close();
    }
  } finally {
    await own?.stop();
  }
}

const sizes = options.sizes === '' ? [] : options.sizes.split(',').map(Number);
const measured = sizes.length > 0 ? await measureAll(sizes) : [];
const { results } = options;
const kept = results && existsSync(results) ? readFileSync(results, 'utf8').trim().split('\n') : null;
const all = kept ? kept.map((line): Measured => JSON.parse(line)) : measured;
process.stdout.write(`${report(all, Number(options.top))}\n`);
