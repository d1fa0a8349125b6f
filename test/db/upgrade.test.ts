import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import postgres from 'postgres';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import type { Database, OpenDatabase } from '../../src/db/client.ts';
import { migrate } from '../../src/db/migrate.ts';
import { pgliteDatabase } from '../../src/db/pglite-database.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { COMPARISONS } from '../../src/db/queries/doctor.ts';
import { minorUnitDigits } from '../../src/domain/currencies.ts';
import { newId } from '../../src/domain/ids.ts';
import { projectPath } from '../../src/paths.ts';
import { getAccount } from '../../src/services/accounts/get.ts';
import { updatePreferences } from '../../src/services/accounts/update-preferences.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { deleteCollection } from '../../src/services/collections/delete.ts';
import { getCollection, getCollections } from '../../src/services/collections/get.ts';
import { updateCollection } from '../../src/services/collections/update.ts';
import type { Context } from '../../src/services/context.ts';
import { diagnose } from '../../src/services/doctor.ts';
import { importExchangeRates } from '../../src/services/market/import.ts';
import { derivePriceMoves } from '../../src/services/market/import-run.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { settleMarket } from '../../src/services/market/settle.ts';
import { importAges } from '../../src/services/market/state.ts';
import { listSummaries, summaryOrder } from '../../src/services/summaries/list.ts';
import { createTransaction, createTransactions } from '../../src/services/transactions/create.ts';
import { deleteTransaction } from '../../src/services/transactions/delete.ts';
import { updateTransaction } from '../../src/services/transactions/update.ts';
import { CREATE_TRANSACTIONS } from '../fixtures/database/last-version-statements.ts';
import { NOW } from '../harness.ts';
import { emptyPostgresUrl } from '../support/empty-postgres.ts';
import { importPrices } from '../support/import-prices.ts';
import { lastVersionNode } from '../support/last-version-node.ts';
import { migrationsBefore } from '../support/migrations-before.ts';
import { type NaiveEntry, type NaiveMarket, naiveSummaries } from '../support/naive-ledger.ts';
import { dumpOf, freshPglite, freshServer } from '../support/pglite-template.ts';
import { plus, type Ratio, ratio, textOf } from '../support/ratio.ts';

/** A dump of a small shop's database (NZD, three currencies, a deleted collection) at migration 0002. */
const FIRST_VERSION = readFileSync(projectPath('test/fixtures/database/first-version.sql'), 'utf8');
const LAST_VERSION = readFileSync(projectPath('test/fixtures/database/last-version.sql'), 'utf8');
const STEPS = 60;
const WRITERS = 6;
const TENANT_TABLES = ['account', 'client', 'collection', 'transaction', 'holding'];

/** A dump as it is, or brought to this version. */
type Brought = 'as it is' | 'migrated';

/** Databases to copy, each made once. */
const templates = new Map<string, Promise<Blob | string>>();

async function templateOf<T extends Blob | string>(
  kind: string,
  dump: string,
  brought: Brought,
  make: () => Promise<T>,
): Promise<T> {
  const key = [kind, brought, dump].join();
  if (!templates.has(key)) templates.set(key, make());
  return (await templates.get(key)) as T;
}

async function pgliteWith(dump: string, brought: Brought): Promise<Blob> {
  const pglite = await freshPglite();
  await pglite.exec(dump);
  const loaded = await pglite.dumpDataDir('none');
  await pglite.close();
  return brought === 'migrated' ? dumpOf((server) => migrate(pgliteDatabase(server)), loaded) : loaded;
}

async function onPglite(dump: string, brought: Brought): Promise<OpenDatabase> {
  const template = await templateOf('pglite', dump, brought, () => pgliteWith(dump, brought));
  return pgliteDatabase(await freshServer(template));
}

/** The address of a database. */
async function postgresWith(dump: string, brought: Brought): Promise<string> {
  const url = await emptyPostgresUrl(inject('postgresUrl')!);
  const loader = postgres(url, { max: 1, onnotice: () => {} });
  await loader.unsafe(dump);
  await loader.end();
  const db = postgresDatabase(url);
  if (brought === 'migrated') await migrate(db);
  await db.close();
  return url;
}

async function onPostgres(dump: string, brought: Brought): Promise<OpenDatabase> {
  const make = () => postgresWith(dump, brought);
  // There the daemon of a database is at it, and nobody may be at one that is copied.
  if (process.env.TEST_CITUS_URL) return postgresDatabase(await make());
  const template = new URL(await templateOf('postgres', dump, brought, make)).pathname.slice(1);
  return postgresDatabase(await emptyPostgresUrl(inject('postgresUrl')!, template));
}

/** Columns of what followed from prices, which this version does not keep. */
const TAKEN_AWAY: Record<string, string> = {
  holding: '{market_price,market_value,gain,percentage_gain}',
  collection: '{percentage_gain}',
};

/** The tenants' rows as they are, by table. */
async function tenantRows(db: Database, columnsLike?: Record<string, object[]>) {
  const tables = await Promise.all(
    TENANT_TABLES.map(async (table) => {
      const rows = await db.query<{ row: object }>(
        `select to_jsonb(t) - $1::text[] as row from ${table} t order by to_jsonb(t)::text collate "C"`,
        [TAKEN_AWAY[table] ?? '{}'],
      );
      return [table, rows.map(({ row }) => onlyKeysOf(row, columnsLike?.[table]?.[0] ?? row))] as const;
    }),
  );
  return Object.fromEntries(tables.map(([table, rows]) => [table, sorted(rows)]));
}

/** Later versions may have more columns. */
function onlyKeysOf(row: object, like: object): object {
  return Object.fromEntries(Object.entries(row).filter(([name]) => name in like));
}

/** Changes of a price within a year and over its end, in two currencies, and the end of what is known. */
const PRICE_CHANGES = `
  insert into price_history (variant_id, source, day, currency, amount)
  select 'var_4pgzg5sf8885g0sk', 'VendorMarket', day, currency, amount from (values
    (date '2024-12-31', 'EUR', 0.5), (date '2025-01-01', 'USD', 0), (date '2025-07-01', 'USD', 12.3456),
    (date '2025-12-31', 'USD', null)
  ) as change(day, currency, amount)`;

function priceChanges(db: Database) {
  return db.query<{ variantId: string; day: string; currency: string; amount: string | null }>(
    'select variant_id as "variantId", source, day, currency, amount from price_history order by variant_id, day',
  );
}

const sorted = (rows: object[]) => rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

const DATABASES = [
  ['pglite', onPglite],
  ['postgres', onPostgres],
] as const;

describe.each(DATABASES)('a database of the first version (%s)', (kind, open) => {
  it.skipIf(kind === 'postgres' && !inject('postgresUrl'))(
    'is brought to this one, with all that was in it',
    async () => {
      const db = await open(FIRST_VERSION, 'as it is');
      onTestFinished(() => db.close());
      const before = await tenantRows(db);
      expect(before.transaction).toHaveLength(17);
      await db.query(PRICE_CHANGES);
      const prices = await priceChanges(db);
      expect(prices).toHaveLength(10);
      const { applied } = await migrate(db);
      expect(applied).toBeGreaterThan(0);
      expect(await tenantRows(db, before)).toEqual(before);
      expect(await priceChanges(db)).toEqual(prices);
      expect(await diagnose(db, { fix: false })).toEqual({ differences: [], fixed: false });
      for (const { seconds } of await importAges(db)) expect(seconds).toBeLessThan(3600);

      const { account_id: accountId } = before.account![0] as { account_id: string };
      const ctx = { db, caller: { accountId, clientId: 'cli_test' }, now: () => NOW };
      const { id } = await createCollection(ctx, { name: 'Of this version' });
      await deleteCollection(ctx, id);
      expect((await diagnose(db, { fix: false })).differences).toEqual([]);
    },
  );
});

/** An account of the fixture, as nodes of both versions serve it, and what its ledger is to hold. */
interface Shop {
  ctx: Context;
  accountId: string;
  /** By collection and transaction. */
  ledgers: Map<string, Map<string, NaiveEntry>>;
}

async function shopsOf(db: OpenDatabase): Promise<Shop[]> {
  const accounts = await db.query<{ id: string }>('select account_id as id from account order by name');
  return Promise.all(
    accounts.map(async ({ id: accountId }) => {
      const collections = await db.query<{ id: string }>(
        'select id from collection where account_id = $1 and not deleted order by id',
        [accountId],
      );
      const ledgers = new Map(collections.map(({ id }) => [id, new Map<string, NaiveEntry>()]));
      const rows = await db.query<NaiveEntry & { id: string; collectionId: string; unitAmount: string }>(
        `select id, collection_id as "collectionId", variant_id as "variantId", occurred::text as occurred, action, quantity,
           unit_amount as "unitAmount", currency from transaction where account_id = $1 order by id`,
        [accountId],
      );
      for (const { id, collectionId, unitAmount, ...entry } of rows)
        ledgers.get(collectionId)?.set(id, { ...entry, value: Number(unitAmount) });
      const caller = { accountId, clientId: 'cli_test' };
      return { ctx: { db: db.forAccount(accountId), caller, now: () => NOW }, accountId, ledgers };
    }),
  );
}

async function marketOf(db: Database): Promise<NaiveMarket> {
  const prices = await db.query<{ variantId: string; currency: string; amount: string }>(
    'select variant_id as "variantId", currency, amount from price where amount is not null',
  );
  return {
    rates: await db.query(`select currency, day::text as day, per_euro as "perEuro" from fx_rate`),
    prices: new Map(prices.map(({ variantId, amount }) => [variantId, amount])),
    priceCurrencies: new Map(prices.map(({ variantId, currency }) => [variantId, currency])),
  };
}

/** Every amount that this version shows of the collections, beside what the naive ledger says. */
async function amountsOf(db: Database, { ctx, ledgers }: Shop) {
  const market = await marketOf(db);
  const { preferredCurrency: currency } = await getAccount(ctx);
  const digits = minorUnitDigits(currency);
  const shown: unknown[] = [];
  const expected: unknown[] = [];
  for (const collection of await getCollections(ctx, [...ledgers.keys()])) {
    const { id, quantity, invested, profit, cashPosition, marketValue, gain } = collection!;
    const money = [cashPosition, invested, profit, marketValue, gain].map((m) => Number(m?.amount ?? 0));
    shown.push([id, quantity, ...money]);
    const naive = [...naiveSummaries([...ledgers.get(id)!.values()], currency, market).values()];
    const total = (of: (one: (typeof naive)[number]) => Ratio | null) =>
      Number(
        textOf(
          naive.reduce((sum, one) => plus(sum, of(one) ?? ratio(0)), ratio(0)),
          digits,
        ),
      );
    const totals = (['cashPosition', 'invested', 'profit', 'marketValue', 'gain'] as const).map((name) =>
      total((one) => one[name]),
    );
    expected.push([id, naive.reduce((sum, one) => sum + one.quantity, 0), ...totals]);
  }
  return { shown, expected };
}

/** The last version knows no Citus: there its nodes are stopped before this one places the tables. */
const runsLastVersion = (kind: OpenDatabase['kind']) => kind === 'pglite' || !process.env.TEST_CITUS_URL;

/** What is wrong in the database as it is now, by the doctors of both versions, before anybody catches up. */
async function wrongNow(db: OpenDatabase, shops: Shop[]): Promise<unknown[]> {
  const node = lastVersionNode(db);
  const found = [];
  for (const { accountId } of shops) {
    if (runsLastVersion(db.kind)) found.push(...(await node.differences(accountId)));
    for (const statement of COMPARISONS) found.push(...(await db.query(statement, [accountId])));
  }
  return found;
}

const DAYS = ['2024-12-31', '2025-01-02', '2025-05-05', '2025-06-30', '2026-04-10', '2026-04-13'];
const CURRENCIES = ['USD', 'EUR', 'JPY', 'NZD'] as const;
const entry = fc.record({
  variant: fc.nat(11),
  occurred: fc.constantFrom(...DAYS),
  action: fc.constantFrom('Purchase' as const, 'Purchase' as const, 'Sale' as const),
  quantity: fc.integer({ min: 1, max: 9 }),
  cents: fc.integer({ min: 0, max: 5000 }),
  currency: fc.constantFrom(...CURRENCIES),
});
const LEDGER = ['create', 'create', 'update', 'update', 'delete', 'delete', 'delete'] as const;
const OFTEN = [...LEDGER, ...LEDGER, 'read', 'read', 'read', 'read', 'read', 'read'] as const;
const IMPORTS = ['prices', 'rates'] as const;
const SELDOM = ['createMany', 'currency', 'rename', 'createCollection', 'catchUp'] as const;
const step = fc.record({
  version: fc.constantFrom('last' as const, 'this' as const),
  act: fc.constantFrom(...OFTEN, ...SELDOM, ...IMPORTS),
  shop: fc.nat(1),
  place: fc.noBias(fc.nat()),
  entries: fc.array(entry, { minLength: 2, maxLength: 4 }),
});
/** A deletion is the one write of the last version that does not catch up. */
const history = (numRuns: number) =>
  fc.sample(
    fc.oneof(
      { arbitrary: step, weight: 4 },
      step.map((one) => ({ ...one, version: 'last' as const, act: 'delete' as const })),
    ),
    { seed: 20260413, numRuns },
  );
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Nodes of both versions on one database. */
async function nodesOn(db: OpenDatabase) {
  const last = lastVersionNode(db);
  const shops = await shopsOf(db);
  const variants = (await db.query<{ id: string }>('select id from variant order by id')).map(({ id }) => id);
  let imports = 0;

  const lastEntry = ({ variant, cents, ...one }: Step['entries'][number]) => ({
    ...one,
    variantId: variants[variant]!,
    unitAmount: (cents / 100).toFixed(2),
  });
  const input = ({ variant, occurred, cents, currency, ...one }: Step['entries'][number]) => ({
    ...one,
    variantId: variants[variant]!,
    occurredDate: occurred,
    unitAmount: { currency, value: cents / 100 },
  });
  const naive = ({ variant, cents, ...one }: Step['entries'][number]): NaiveEntry => ({
    ...one,
    variantId: variants[variant]!,
    value: cents / 100,
  });

  /** Of the transactions `own`, or of all. */
  async function take({ version, act, shop, place, entries }: Step, own?: Set<string>): Promise<void> {
    const { ctx, accountId, ledgers } = shops[shop]!;
    const isLast = version === 'last';
    const collections = [...ledgers.keys()];
    const collectionId = collections[place % collections.length]!;
    const ledger = ledgers.get(collectionId)!;
    const ids = [...ledger.keys()].filter((id) => !own || own.has(id));
    const id = ids[place % ids.length];
    const first = entries[0]!;
    const create = async (made: typeof entries) => {
      const created = isLast
        ? await last.createTransactions(accountId, collectionId, made.map(lastEntry))
        : made.length > 1
          ? (await createTransactions(ctx, collectionId, made.map(input))).map((one) => one.id)
          : [(await createTransaction(ctx, collectionId, input(first))).id];
      for (const [i, one] of created.entries()) {
        ledger.set(one, naive(made[i]!));
        own?.add(one);
      }
    };
    const source = { version: 'of this version', isSample: false };
    const day = `2026-05-${String(Math.min(++imports, 31)).padStart(2, '0')}`;
    switch (act) {
      case 'create':
        return create([first]);
      case 'createMany':
        return create(entries);
      case 'update': {
        if (!id) return;
        const changes = { ...first, variant: variants.indexOf(ledger.get(id)!.variantId) };
        const { variantId: _, ...changed } = input(changes);
        if (isLast) await last.updateTransaction(accountId, id, lastEntry(changes));
        else await updateTransaction(ctx, id, changed);
        ledger.set(id, naive(changes));
        return;
      }
      case 'delete':
        if (!id) return;
        if (isLast) await last.deleteTransaction(accountId, id);
        else await deleteTransaction(ctx, id);
        ledger.delete(id);
        return;
      case 'read':
        if (isLast) return last.read(accountId);
        await getCollections(ctx, collections);
        await listSummaries(ctx, [collectionId], null, summaryOrder('MarketValue'), ALL);
        return;
      case 'catchUp':
        return isLast ? last.catchUp(accountId) : void (await settleMarket(db));
      case 'rename':
        if (isLast) return last.renameCollection(accountId, collectionId, `Renamed ${place}`);
        await updateCollection(ctx, collectionId, { name: `Renamed ${place}` });
        return;
      case 'createCollection': {
        const made = isLast
          ? await last.createCollection(accountId, 'Of the last version')
          : (await createCollection(ctx, { name: 'Of this version' })).id;
        ledgers.set(made, new Map());
        return;
      }
      case 'currency':
        if (isLast) return last.setCurrency(accountId, first.currency);
        await updatePreferences(ctx, { preferredCurrency: first.currency });
        return;
      case 'prices': {
        const rows = new Map(
          entries.map(({ variant, currency, cents }) => [
            variants[variant]!,
            { currency, amount: (cents / 100).toFixed(2) },
          ]),
        );
        const prices = [...rows].map(([variantId, price]) => ({ variantId, ...price }));
        if (isLast)
          return last.importPrices(
            day,
            prices.map(({ variantId, ...price }) => ({ variant_id: variantId, ...price })),
          );
        await importPrices(db, prices, day, source, noProgress);
        return;
      }
      case 'rates': {
        const rows = new Map(
          entries.map(({ currency, occurred, cents }) => [
            `${currency} ${occurred}`,
            { currency, day: occurred, per_euro: String(1 + cents / 1000) },
          ]),
        );
        const rates = [...rows.values()].filter(({ currency }) => currency !== 'EUR');
        if (rates.length === 0) return;
        if (isLast) return last.importRates(rates);
        await importExchangeRates(db, rates, source, noProgress);
        return;
      }
    }
  }
  return { last, shops, take };
}

const ALL = { kind: 'position', position: 0, size: 50 } as const;

describe.each(DATABASES)('a database of the last version (%s)', (kind, open) => {
  const isLeftOut = kind === 'postgres' && !inject('postgresUrl');
  const areLastLeftOut = isLeftOut || !runsLastVersion(kind);
  const openAs = async (brought: Brought) => {
    const db = await open(LAST_VERSION, brought);
    onTestFinished(() => db.close());
    return db;
  };
  const openLast = () => openAs('as it is');
  /** Where the nodes of the last version still run. */
  const openForBoth = () => openAs('migrated');

  it.skipIf(isLeftOut)('is brought to this one, with all that was in it', async () => {
    const db = await openLast();
    const before = await tenantRows(db);
    expect(before.transaction).toHaveLength(34);
    const shops = await shopsOf(db);
    const { differences } = lastVersionNode(db);
    for (const { accountId } of shops) expect(await differences(accountId)).toEqual([]);
    expect((await migrate(db)).applied).toBeGreaterThan(0);
    expect(await tenantRows(db, before)).toEqual(before);
    expect(await wrongNow(db, shops)).toEqual([]);
    expect(await diagnose(db, { fix: false })).toEqual({ differences: [], fixed: false });

    expect((await migrate(db, { contract: true })).applied).toBeGreaterThan(0);
    expect(await diagnose(db, { fix: false })).toEqual({ differences: [], fixed: false });
    for (const shop of await shopsOf(db)) {
      const { shown, expected } = await amountsOf(db, shop);
      expect(shown).toEqual(expected);
    }
  });

  it.skipIf(areLastLeftOut)(
    'has the moves of prices and the gaps of rates again that an import left',
    async () => {
      const db = await openLast();
      await migrate(db, { folder: await migrationsBefore('0024_') });
      const derived = () =>
        Promise.all([
          db.query('select * from price_move order by variant_id, source'),
          db.query('select * from rate_gap order by currency, last_day'),
        ]);
      const { last } = await nodesOn(db);
      const [variantId, price] = [...(await marketOf(db)).prices][0]!;
      const before = await derived();
      await last.importPrices('2031-01-01', [
        { variant_id: variantId, currency: 'USD', amount: String(Number(price) + 1) },
      ]);
      await last.importRates([{ currency: 'USD', day: '2031-01-01', per_euro: '1.1' }]);
      expect(await derived()).toEqual(before);
      await migrate(db);
      const [moves, gaps] = await derived();
      expect(moves).toContainEqual(
        expect.objectContaining({
          variant_id: variantId,
          amount: String(Number(price) + 1),
          day_amount: price,
        }),
      );
      expect(gaps).toContainEqual(expect.objectContaining({ currency: 'USD', next_day: '2031-01-01' }));
      await db.transaction(derivePriceMoves);
      expect(await derived()).toEqual([moves, gaps]);
    },
  );

  it.skipIf(areLastLeftOut)(
    'has no wrong value after a deletion by the last version, which knows no newer price',
    async () => {
      const db = await openForBoth();
      const { last, shops } = await nodesOn(db);
      const [{ ctx, accountId, ledgers }] = shops as [Shop];
      const [collectionId] = [...ledgers.keys()] as [string];
      const variantId = [...(await marketOf(db)).prices.keys()][0]!;
      const purchase = {
        variantId,
        occurredDate: '2025-05-05',
        action: 'Purchase',
        quantity: 3,
        unitAmount: { currency: 'USD', value: 1 },
      };
      const source = { version: 'of this version', isSample: false };
      await importPrices(
        db,
        [{ variantId, currency: 'USD', amount: '123.45' }],
        '2026-05-01',
        source,
        noProgress,
      );
      const before = (await getCollection(ctx, collectionId)).marketValue;
      const { id } = await createTransaction(ctx, collectionId, purchase);
      expect((await getCollection(ctx, collectionId)).marketValue).not.toEqual(before);
      await last.deleteTransaction(accountId, id);
      expect(await wrongNow(db, shops)).toEqual([]);
      expect((await getCollection(ctx, collectionId)).marketValue).toEqual(before);
    },
  );

  it.skipIf(areLastLeftOut)(
    'is read by the last version, without prices of what this one has recorded, until it writes there',
    async () => {
      const db = await openForBoth();
      const { shops, last } = await nodesOn(db);
      const [{ ctx, accountId, ledgers }] = shops as [Shop];
      const collectionId = [...ledgers.keys()].at(-1)!;
      const [variantId, price] = [...(await marketOf(db)).prices][0]!;
      const unitAmount = { currency: 'USD', value: 1 };
      const purchase = { variantId, occurredDate: '2025-05-05', action: 'Purchase', quantity: 3, unitAmount };
      await createTransaction(ctx, collectionId, purchase);
      const marketValue = async () =>
        (await last.summaries(accountId, collectionId)).map((line) => line.split(' ')[5]);
      expect(await marketValue()).toEqual(['NaN']);
      const entry = {
        variantId,
        occurred: '2025-05-05',
        action: 'Purchase',
        quantity: 1,
        unitAmount: '1',
        currency: 'USD',
      };
      await last.createTransactions(accountId, collectionId, [entry]);
      expect((await marketValue()).map(Number)).toEqual([Number(price) * 4]);
    },
  );

  it.skipIf(areLastLeftOut)('is used by nodes of both versions in turn', async () => {
    const db = await openForBoth();
    const { shops, take, last } = await nodesOn(db);
    const steps = history(STEPS);
    for (const [i, one] of steps.entries()) {
      await take(one);
      expect(await wrongNow(db, shops), `after step ${i}: ${JSON.stringify(one)}`).toEqual([]);
      if (i % 20 > 0) continue;
      for (const shop of shops) {
        const { shown, expected } = await amountsOf(db, shop);
        expect(shown, `after step ${i}`).toEqual(expected);
      }
    }
    await last.catchUpAll();
    expect(await wrongNow(db, shops)).toEqual([]);
    await migrate(db, { contract: true });
    expect((await diagnose(db, { fix: false })).differences).toEqual([]);
  });

  it.skipIf(areLastLeftOut)('is used by nodes of both versions at the same time', async () => {
    const db = await openForBoth();
    const { shops, take } = await nodesOn(db);
    const steps = history(STEPS);
    const isImport = ({ act }: Step) => act === 'prices' || act === 'rates';
    const work = async (part: Step[]) => {
      const own = new Set<string>();
      for (const one of part) await take(one, own);
    };
    const imports = steps.filter(isImport);
    const others = steps.filter((one) => !isImport(one));
    const writers = Array.from({ length: WRITERS }, (_, n) => others.filter((_, i) => i % WRITERS === n));
    await Promise.all([...writers, imports].map(work));

    // When the last node of the version before has gone.
    await migrate(db, { contract: true });
    expect((await diagnose(db, { fix: false })).differences).toEqual([]);
    for (const shop of shops) {
      const { shown, expected } = await amountsOf(db, shop);
      expect(shown).toEqual(expected);
    }
  });

  // The embedded database has one node.
  it.skipIf(areLastLeftOut || kind === 'pglite')(
    'gives transactions the rate of their day that the last version recorded during an import of rates',
    async () => {
      const db = await openForBoth();
      const { shops, last } = await nodesOn(db);
      const [{ accountId, ledgers }] = shops as [Shop];
      const [collectionId] = [...ledgers.keys()] as [string];
      const variantId = [...(await marketOf(db)).prices.keys()][0]!;
      const entry = { variantId, occurred: '2026-04-13', action: 'Purchase', quantity: 3 };
      const source = { version: 'of this version', isSample: false };
      await last.catchUp(accountId);
      await db.forAccount(accountId).transaction(async (tx) => {
        const entries = [
          { id: newId('Transaction', Date.now()), ...entry, unitAmount: '500', currency: 'JPY' },
        ];
        const made = await tx.query(CREATE_TRANSACTIONS, [accountId, collectionId, JSON.stringify(entries)]);
        expect(made).toHaveLength(1);
        const rates = [{ currency: 'JPY', day: '2026-04-13', per_euro: '200' }];
        await importExchangeRates(db, rates, source, noProgress);
      });
      expect(await diagnose(db, { fix: false })).toMatchObject({ differences: [{ kind: 'rate' }] });
      await migrate(db, { contract: true });
      expect(await diagnose(db, { fix: false })).toEqual({ differences: [], fixed: false });
    },
  );
});
