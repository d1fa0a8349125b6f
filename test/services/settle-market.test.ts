import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, expect, it } from 'vitest';
import type { Database, Param } from '../../src/db/client.ts';
import { LOCK_SHARE } from '../../src/db/drivers.ts';
import { OPERATION_USE } from '../../src/db/operation.ts';
import { LOCK_ACCOUNT } from '../../src/db/queries/accounts.ts';
import { RATE_LEDGER } from '../../src/db/queries/derived.ts';
import { TAKE_IMPORT_TURN } from '../../src/db/queries/market-data.ts';
import { JUDGE_ALERTS } from '../../src/db/queries/price-alerts.ts';
import {
  BAR_CONVERTED_WRITES,
  JOIN_CONVERTED_WRITES,
  NOTE_LEDGERS_TO_RATE,
  NOTE_RATE_CHANGE,
} from '../../src/db/queries/rates.ts';
import type { Currency } from '../../src/domain/currencies.ts';
import { addDays } from '../../src/domain/dates.ts';
import { updatePreferences } from '../../src/services/accounts/update-preferences.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { getCollection } from '../../src/services/collections/get.ts';
import type { Context } from '../../src/services/context.ts';
import { diagnose } from '../../src/services/doctor.ts';
import { barConvertedWrites, LONGEST_BAR_MILLIS } from '../../src/services/market/bar.ts';
import { importExchangeRates, importSaleVolumes } from '../../src/services/market/import.ts';
import { importHistories } from '../../src/services/market/import-history.ts';
import { keepMarketSettled } from '../../src/services/market/keep-settled.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { type OnFailure, settleMarket } from '../../src/services/market/settle.ts';
import { createPriceAlert } from '../../src/services/price-alerts/create.ts';
import { getPriceAlerts } from '../../src/services/price-alerts/get.ts';
import { createTransaction, createTransactions } from '../../src/services/transactions/create.ts';
import { deleteTransaction } from '../../src/services/transactions/delete.ts';
import { updateTransaction } from '../../src/services/transactions/update.ts';
import { describeOnOwnDatabases, newAccount, statementsOf } from '../harness.ts';
import { eventually } from '../support/eventually.ts';
import { entry } from '../support/furnished.ts';
import { importPrices } from '../support/import-prices.ts';
import { commitPrices, type DayPrices, importDay, smallCatalogue } from '../support/price-days.ts';
import { rowsRead } from '../support/rows-read.ts';

const SOURCE = { version: 'test', isSample: true };

/** Rows of an import that come when they are let. */
function heldRows<Row>(rows: readonly Row[]) {
  let letGo = () => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const generator = {
    length: rows.length,
    async *[Symbol.asyncIterator]() {
      begin();
      await gate;
      yield* rows;
    },
  };
  return { rows: generator, begun, letGo };
}

/** The database as a process sees it that ends with the first statement for which `isLast` holds: nothing of it is kept. */
function dying(db: Database, isLast: (text: string, params: readonly Param[]) => boolean): Database {
  let isDead = false;
  const live = () => {
    if (isDead) throw new Error('the process has ended');
  };
  const wrapped = (inner: Database): Database => ({
    ...inner,
    query: async (text, params = []) => {
      live();
      const rows = await inner.query(text, params);
      isDead ||= isLast(text, params);
      live();
      return rows as never;
    },
    transaction: (work) => inner.transaction((tx) => work(wrapped(tx))),
  });
  return wrapped(db);
}

describeOnOwnDatabases('the history of prices', (database, kind) => {
  const price = (day: string, prices: DayPrices) =>
    importPrices(
      database(),
      Object.entries(prices).map(([variantId, amount]) => ({ variantId, currency: 'USD', amount })),
      day,
      SOURCE,
      noProgress,
    );

  let id: string;
  beforeAll(async () => {
    [id] = (await smallCatalogue(database(), 1)) as [string];
  });

  it('has what the imports of each day say, also where another history came between', async () => {
    const db = database();
    const [reference] = await db.query<{ vendorProductId: number; variantName: string }>(
      `select p.vendor_product_id as "vendorProductId", v.name as "variantName"
       from variant v join product p on p.id = v.product_id`,
    );
    await price('2026-06-01', { [id]: '10' });
    const buckets = ['02', '03', '04', '05'].map((day) => ({ day: `2026-06-${day}`, sold: 1, price: '12' }));
    const history = { ...reference!, place: { file: 'test', line: 1 }, bucketDays: 1, buckets };
    await importHistories(db, [history], SOURCE, noProgress);
    await price('2026-06-06', { [id]: '10' });

    const steps = await db.query(
      `select day::text as day, amount::float8 as amount
       from price_year y, unnest(y.days, y.amounts) as s(day, amount)
       where y.variant_id = $1 and day >= '2026-06-01' order by day`,
      [id],
    );
    expect(steps).toEqual([
      { day: '2026-06-01', amount: 10 },
      { day: '2026-06-02', amount: 12 },
      { day: '2026-06-06', amount: 10 },
    ]);

    // From 12 to 10 it is no fifth, and from 10 to 9.5 neither.
    const ctx = await newAccount(db);
    const fall = { targetId: id, condition: 'Change', percent: 20, days: 1, direction: 'Down' };
    const alert = await createPriceAlert(ctx, fall);
    await price('2026-06-07', { [id]: '9.5' });
    const [judged] = await getPriceAlerts(ctx, [alert.id]);
    expect(judged).toMatchObject({ isMet: false, triggerCount: 0 });
  });

  it('refuses older days in the turn of an import, also when a newer one is being imported', async () => {
    const db = database();
    await price('2026-06-10', { [id]: '1' });
    await expect(price('2026-06-09', { [id]: '2' })).rejects.toThrow(
      'prices of 2026-06-09 are older than those that are loaded, of 2026-06-10',
    );
    const newer = heldRows([{ variantId: id, currency: 'USD', amount: '3' }]);
    const importing = importPrices(db, newer.rows, '2026-06-12', SOURCE, noProgress);
    await newer.begun;
    const older = price('2026-06-11', { [id]: '2' });
    older.catch(() => {});
    newer.letGo();
    await importing;
    await expect(older).rejects.toThrow('older than those that are loaded, of 2026-06-12');
    expect(await db.query('select amount::float8 as amount from price where variant_id = $1', [id])).toEqual([
      { amount: 3 },
    ]);
  });

  // The embedded database has no two transactions at once.
  it.skipIf(kind === 'pglite')('is written by one import at a time, and those who wait say so', async () => {
    const db = database();
    const said: string[] = [];
    let importing: Promise<unknown> = Promise.resolve();
    await db.transaction(async (tx) => {
      await tx.query(TAKE_IMPORT_TURN);
      const rows = [{ variantId: id, currency: 'USD', amount: '4' }];
      importing = importPrices(db, rows, '2026-06-20', SOURCE, (label) => said.push(label));
      await eventually(() => expect(said).toEqual(['waiting for another import to end']));
    });
    await importing;
    expect(said).toContain('prices');
    const alone: string[] = [];
    const rows = [{ variantId: id, currency: 'USD', amount: '4' }];
    await importPrices(db, rows, '2026-06-20', SOURCE, (label) => alone.push(label));
    expect(alone).toEqual(['prices']);
  });
});

describeOnOwnDatabases('what an import leaves to be done for accounts', (database, kind) => {
  let variantId: string;
  const DAYS = { beforeAll: '2026-01-05', first: '2026-01-12', second: '2026-01-25', last: '2026-03-01' };
  type Name = keyof typeof DAYS | 'unconverted' | 'deleted';
  const owners = new Map<Name, { ctx: Context; collectionId: string }>();

  beforeAll(async () => {
    [variantId] = (await smallCatalogue(database(), 1)) as [string];
    await rates({ '2026-01-10': '2', '2026-01-20': '2', '2026-01-30': '2' });
    for (const [name, occurredDate] of Object.entries(DAYS)) await own(name as Name, occurredDate, 'NZD');
    await own('unconverted', DAYS.first, 'USD');
  });
  afterEach(async () => expect(await ledgerDifferences()).toEqual([]));

  async function own(name: Name, occurredDate: string, currency: string) {
    const ctx = await newAccount(database());
    const { id } = await createCollection(ctx, { name });
    await createTransaction(
      ctx,
      id,
      entry(variantId, { occurredDate, unitAmount: { currency, value: 100 } }),
    );
    owners.set(name, { ctx, collectionId: id });
  }

  /** New Zealand dollars for one euro, by day. */
  function rates(
    perEuro: Record<string, string>,
    db: Database = database(),
    onFailure: OnFailure = () => {},
  ) {
    const rows = Object.entries(perEuro).map(([day, rate]) => ({ currency: 'NZD', day, per_euro: rate }));
    return importExchangeRates(db, rows, SOURCE, noProgress, { onFailure });
  }

  const rowVersions = async () => {
    const rows = await database().query<{ account: string; version: string }>(
      'select account_id as account, xmin::text as version from transaction',
    );
    return new Map(rows.map(({ account, version }) => [account, version]));
  };

  /** Whose ledgers were looked through, and whose transactions were written. */
  async function touchedBy(work: () => Promise<unknown>) {
    const before = await rowVersions();
    const { statements } = await statementsOf(work);
    const after = await rowVersions();
    const names = [...owners];
    const rated = statements.filter(({ text }) => text === RATE_LEDGER).map(({ params }) => params[0]);
    return {
      rated: names.filter(([, { ctx }]) => rated.includes(ctx.caller.accountId)).map(([name]) => name),
      written: names
        .filter(
          ([
            ,
            {
              ctx: { caller },
            },
          ]) => before.get(caller.accountId) !== after.get(caller.accountId),
        )
        .map(([name]) => name),
      lookedThrough: rated.length,
    };
  }
  const touched = (...names: Name[]) => ({ rated: names, written: names, lookedThrough: names.length });

  async function ledgerDifferences() {
    const { differences } = await diagnose(database(), { fix: false });
    return differences.filter(({ kind }) => kind !== 'expected value');
  }

  const invested = async (name: Name) => {
    const { ctx, collectionId } = owners.get(name)!;
    return Number((await getCollection(ctx, collectionId)).invested!.amount);
  };

  it('is to rate the ledgers with converted transactions of the days whose rates have changed', async () => {
    expect(await touchedBy(() => rates({ '2026-01-20': '2.1' }))).toEqual(touched('second'));
    // The first known day counts for all before it.
    expect(await touchedBy(() => rates({ '2026-01-10': '2.2' }))).toEqual(touched('beforeAll', 'first'));
    expect(await touchedBy(() => rates({ '2026-01-10': '2.3', '2026-01-20': '2.3' }))).toEqual(
      touched('beforeAll', 'first', 'second'),
    );
    expect(await touchedBy(() => rates({ '2026-01-10': '2.3', '2026-01-20': '2.3' }))).toEqual(touched());
    // A new day, as most imports bring it: those of that day on.
    expect(await touchedBy(() => rates({ '2026-02-20': '2.4' }))).toEqual(touched('last'));
    expect(await touchedBy(() => rates({ '2026-04-20': '2.5' }))).toEqual(touched());
    expect(await database().query('select 1 from rate_change')).toEqual([]);
    expect(await database().query('select 1 from ledger_to_rate')).toEqual([]);
  });

  it('is looked for among what was converted on those days alone, whatever else there is', async () => {
    const db = database();
    const { ctx, collectionId } = owners.get('unconverted')!;
    const many = Array.from({ length: 1000 }, () => entry(variantId, { occurredDate: DAYS.second }));
    await createTransactions(ctx, collectionId, many);
    await db.query('analyze transaction');
    const { statements } = await statementsOf(() => rates({ '2026-01-20': '2.55' }));
    const note = statements.find(({ text }) => text === NOTE_LEDGERS_TO_RATE)!;
    // Of the 1,000. On Citus the shards of other accounts may have so few rows that PostgreSQL reads them from end to end.
    const read = await rowsRead(db, 'transaction', note);
    if (process.env.TEST_CITUS_URL) expect(read).toBeLessThan(50);
    else expect(read).toBe(1);
    await db.query('delete from ledger_to_rate');
  });

  it('is not missed where a rate was 1 between two currencies', async () => {
    const db = database();
    const ctx = await newAccount(db, { currency: 'AUD' });
    const { id } = await createCollection(ctx, { name: 'At par' });
    const day = '2026-01-20';
    const both = (perEuro: string) =>
      importExchangeRates(
        db,
        ['NZD', 'AUD'].map((currency) => ({ currency, day, per_euro: perEuro })),
        SOURCE,
        noProgress,
      );
    await both('2');
    const unitAmount = (currency: Currency) => ({ currency, value: 100 });
    const occurredDate = DAYS.second;
    await createTransaction(ctx, id, entry(variantId, { occurredDate, unitAmount: unitAmount('NZD') }));
    const { id: own } = await createTransaction(
      ctx,
      id,
      entry(variantId, { occurredDate, unitAmount: unitAmount('AUD') }),
    );
    const invested = async () => Number((await getCollection(ctx, id)).invested!.amount);
    expect(await invested()).toBe(200);
    await rates({ [day]: '4' });
    expect(await invested()).toBe(150);

    await both('2');
    // What was its own currency is at par with the new one.
    await updatePreferences(ctx, { preferredCurrency: 'NZD' });
    expect(await invested()).toBe(200);
    await rates({ [day]: '3' });
    expect(await invested()).toBe(250);
    await deleteTransaction(ctx, own);
    expect(await invested()).toBe(100);
  });

  it('is nothing for collections that are deleted', async () => {
    await own('deleted', DAYS.second, 'NZD');
    const { ctx, collectionId } = owners.get('deleted')!;
    await database().query('update collection set deleted = true where account_id = $1 and id = $2', [
      ctx.caller.accountId,
      collectionId,
    ]);
    expect(await touchedBy(() => rates({ '2026-01-20': '2.6' }))).toEqual(touched('second'));
    owners.delete('deleted');
    await database().query(
      'update account set collection_count = collection_count - 1 where account_id = $1',
      [ctx.caller.accountId],
    );
  });

  it('fails for one account without stopping others, and is tried again', async () => {
    const db = database();
    const { ctx, collectionId } = owners.get('first')!;
    await db.query(
      `alter table collection add constraint unlucky check (id <> '${collectionId}' or market_revision <> 0) not valid`,
    );
    const told: (string | null)[] = [];
    const onFailure = (accountId: string | null) => told.push(accountId);
    const before = { first: await invested('first'), beforeAll: await invested('beforeAll') };
    await rates({ '2026-01-10': '4' }, db, onFailure);
    expect(told).toEqual([ctx.caller.accountId]);
    expect(await invested('first')).toBe(before.first);
    expect(await invested('beforeAll')).toBeLessThan(before.beforeAll);

    expect(await settleMarket(db, onFailure)).toBe(1);
    expect(told).toHaveLength(2);
    await db.query('alter table collection drop constraint unlucky');
    expect(await settleMarket(db, onFailure)).toBe(0);
    expect(told).toHaveLength(2);
    expect(await invested('first')).toBe(await invested('beforeAll'));
  });

  it('fails for the alerts of one account alone', async () => {
    const db = database();
    const above = { targetId: variantId, condition: 'Above', amount: { currency: 'USD', value: 10 } };
    await importDay(db, '2026-07-01', { [variantId]: '5' });
    const alerts = new Map<Name, string>();
    for (const [name, { ctx }] of owners) alerts.set(name, (await createPriceAlert(ctx, above)).id);
    const firings = async () => {
      const counts: Record<string, number> = {};
      for (const [name, id] of alerts)
        counts[name] = (await getPriceAlerts(owners.get(name)!.ctx, [id]))[0]!.triggerCount;
      return counts;
    };
    const all = (count: number) => Object.fromEntries([...alerts.keys()].map((name) => [name, count]));

    await db.query(
      `alter table price_alert add constraint unlucky check (id <> '${alerts.get('second')}' or trigger_count = 0)`,
    );
    await commitPrices(db, '2026-07-02', { [variantId]: '11' });
    const told: (string | null)[] = [];
    expect(await settleMarket(db, (accountId) => told.push(accountId))).toBe(1);
    expect(told).toEqual([owners.get('second')!.ctx.caller.accountId]);
    expect(await firings()).toEqual({ ...all(1), second: 0 });
    expect(await settleMarket(db)).toBe(1);
    await db.query('alter table price_alert drop constraint unlucky');
    expect(await settleMarket(db)).toBe(0);
    expect(await firings()).toEqual(all(1));
  });

  it.skipIf(kind === 'pglite')('does not wait for an account that somebody holds for long', async () => {
    const db = database();
    const { ctx } = owners.get('second')!;
    await importDay(db, '2026-07-10', { [variantId]: '5' });
    const amount = { currency: 'USD', value: 10 };
    const { id } = await createPriceAlert(ctx, { targetId: variantId, condition: 'Above', amount });
    const { accountId } = owners.get('first')!.ctx.caller;
    await db.transaction(async (tx) => {
      await tx.liftTimeouts();
      await tx.query(LOCK_ACCOUNT, [accountId]);
      const told: (string | null)[] = [];
      await rates({ '2026-01-10': '9' }, db, (whose) => told.push(whose));
      expect(told).toEqual([accountId]);
      await commitPrices(db, '2026-07-11', { [variantId]: '11' });
      expect(await settleMarket(db)).toBe(1);
      expect((await getPriceAlerts(ctx, [id]))[0]!.triggerCount).toBe(1);
    });
    expect(await settleMarket(db)).toBe(0);
    await rates({ '2026-01-10': '4' });
    expect(await invested('first')).toBe(await invested('beforeAll'));
  });

  it('is done by another node where the process ends in the middle', async () => {
    const db = database();
    const before = await invested('first');
    let count = 0;
    const first = (statement: string) => (text: string) => text === statement;
    const second = (statement: string) => (text: string) => text === statement && ++count === 2;
    const above = { targetId: variantId, condition: 'Above', amount: { currency: 'USD', value: 10 } };
    await importDay(db, '2026-08-01', { [variantId]: '5' });
    const alerts: { ctx: Context; id: string }[] = [];
    for (const { ctx } of owners.values()) alerts.push({ ctx, id: (await createPriceAlert(ctx, above)).id });

    const told: (string | null)[] = [];
    await rates({ '2026-01-10': '8' }, dying(db, second(RATE_LEDGER)), (whose) => told.push(whose));
    expect(told).toContain(null);
    await commitPrices(db, '2026-08-02', { [variantId]: '12' });
    await expect(settleMarket(dying(db, first(JUDGE_ALERTS)))).rejects.toThrow('has ended');
    expect(await alertsFired()).toEqual(alerts.map(() => 0));
    const failed: (string | null)[] = [];
    const stop = keepMarketSettled(db, (accountId) => failed.push(accountId), 50);
    try {
      await eventually(async () => {
        expect(await invested('first')).toBeCloseTo(before / 2, 1);
        expect(await invested('beforeAll')).toBeCloseTo(before / 2, 1);
        expect(await alertsFired()).toEqual(alerts.map(() => 1));
      });
    } finally {
      await stop();
    }
    expect(failed).toEqual([]);

    async function alertsFired() {
      const counts: number[] = [];
      for (const { ctx, id } of alerts) counts.push((await getPriceAlerts(ctx, [id]))[0]!.triggerCount);
      return counts;
    }
  });

  it('is taken up by a server that runs already, and has heard of nothing', async () => {
    const db = database();
    const ctx = await newAccount(db);
    const above = { targetId: variantId, condition: 'Above', amount: { currency: 'USD', value: 10 } };
    await importDay(db, '2026-08-03', { [variantId]: '5' });
    const { id } = await createPriceAlert(ctx, above);
    const failed: (string | null)[] = [];
    const deaf = { ...db, listen: () => async () => {} };
    const stop = keepMarketSettled(deaf, (accountId) => failed.push(accountId), 50);
    try {
      await commitPrices(db, '2026-08-04', { [variantId]: '12' });
      await eventually(async () => expect((await getPriceAlerts(ctx, [id]))[0]!.triggerCount).toBe(1));
    } finally {
      await stop();
    }
    expect(failed).toEqual([]);
  });

  it('is shared by several that begin at once, and done once', async () => {
    const db = database();
    const above = { targetId: variantId, condition: 'Above', amount: { currency: 'USD', value: 10 } };
    await importDay(db, '2026-09-01', { [variantId]: '5' });
    const alerts: { ctx: Context; id: string }[] = [];
    for (const { ctx } of owners.values()) alerts.push({ ctx, id: (await createPriceAlert(ctx, above)).id });
    const revalued = async () =>
      (
        await db.query<{ count: number }>(
          `select count(*) as count from event where kind = 'Revalued' and stream in (
             select id from collection where name in ('first', 'beforeAll'))`,
        )
      )[0]!.count;
    const before = await revalued();
    const told: (string | null)[] = [];
    const last = dying(db, (text) => text === RATE_LEDGER);
    await rates({ '2026-01-10': '9' }, last, (whose) => told.push(whose));
    expect(told).toContain(null);
    await commitPrices(db, '2026-09-02', { [variantId]: '13' });
    const { statements } = await statementsOf(() =>
      Promise.all(Array.from({ length: 4 }, () => settleMarket(db))),
    );
    const rated = statements.filter(({ text }) => text === RATE_LEDGER).map(({ params }) => params[0]);
    expect(rated.sort()).toEqual(
      [owners.get('first')!, owners.get('beforeAll')!].map(({ ctx }) => ctx.caller.accountId).sort(),
    );
    expect(await revalued()).toBe(before + 2);
    for (const { ctx, id } of alerts)
      expect((await getPriceAlerts(ctx, [id]))[0]).toMatchObject({ isMet: true, triggerCount: 1 });
  });

  it.skipIf(kind === 'pglite')('waits for those who convert an amount, and for nobody else', async () => {
    const ctx = await newAccount(database());
    const { id: collectionId } = await createCollection(ctx, { name: 'Dollars' });
    const { id } = await createTransaction(ctx, collectionId, entry(variantId));
    let converted: Promise<unknown> = Promise.resolve();
    await database().transaction(async (tx) => {
      await tx.query(BAR_CONVERTED_WRITES);
      await updateTransaction(ctx, id, { quantity: 2 });
      await createTransaction(ctx, collectionId, entry(variantId));
      converted = updateTransaction(ctx, id, { unitAmount: { currency: 'NZD', value: 100 } });
      const waiting = `
        select from pg_locks l join pg_database d on d.oid = l.database
        where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`;
      await eventually(async () => expect(await tx.query(waiting)).toHaveLength(1));
    });
    expect(await converted).toMatchObject({ quantity: 2, unitAmount: { currency: 'NZD' } });
  });

  it.skipIf(kind === 'pglite')('holds up nobody who converts while it waits for another', async () => {
    const db = database();
    const ctx = await newAccount(db);
    const { id: collectionId } = await createCollection(ctx, { name: 'Dollars' });
    let isAsked = false;
    const watched = (inner: Database): Database => ({
      ...inner,
      query: async (text, params, how) => {
        isAsked ||= text === BAR_CONVERTED_WRITES;
        return (await inner.query(text, params, how)) as never;
      },
      transaction: (work) => inner.transaction((tx) => work(watched(tx))),
    });
    let isImported = false;
    let importing: Promise<unknown> = Promise.resolve();
    await db.transaction(async (tx) => {
      await tx.query(JOIN_CONVERTED_WRITES);
      const rows = [{ currency: 'SEK', day: '2020-01-02', per_euro: '9.87' }];
      importing = importExchangeRates(watched(db), rows, SOURCE, noProgress).then(() => {
        isImported = true;
      });
      await eventually(async () => expect(isAsked).toBe(true));
      const unitAmount = { currency: 'NZD' as const, value: 100 };
      await createTransaction(ctx, collectionId, entry(variantId, { unitAmount }));
      expect(isImported).toBe(false);
    });
    await importing;
  });

  it.skipIf(kind === 'pglite')('gives up in the end, and keeps nothing', async () => {
    const db = database();
    await db.transaction(async (other) => {
      await other.query(JOIN_CONVERTED_WRITES);
      const barred = db.transaction(async (tx) => {
        await tx.query(NOTE_RATE_CHANGE, [
          JSON.stringify([{ currency: 'SEK', first: '2020-01-02', last: '2020-01-02' }]),
        ]);
        await barConvertedWrites(tx, noProgress, 100);
      });
      await expect(barred).rejects.toThrow(
        'changes in other currencies have kept the rates waiting for 1 min; import them again when fewer are made',
      );
    });
    expect(await db.query('select from rate_change')).toEqual([]);
    await db.transaction((tx) => barConvertedWrites(tx, noProgress, 0));
  });

  it('stands in the way of nobody for as long as a request waits for a lock', () => {
    expect(LONGEST_BAR_MILLIS).toBeLessThan((OPERATION_USE.millis * LOCK_SHARE) / 2);
  });

  it.skipIf(kind === 'pglite')('has its turn where there is always one who converts', async () => {
    const db = database();
    const converting = () => {
      let end = () => {};
      const isEnded = new Promise<void>((resolve) => {
        end = resolve;
      });
      const done = db.transaction(async (tx) => {
        await tx.query(JOIN_CONVERTED_WRITES);
        await isEnded;
      });
      return { end, done };
    };
    let one = converting();
    let isImported = false;
    const rows = [{ currency: 'SEK', day: '2020-01-03', per_euro: '9.87' }];
    const importing = importExchangeRates(db, rows, SOURCE, noProgress).then(() => {
      isImported = true;
    });
    while (!isImported) {
      const next = converting();
      await sleep(20);
      one.end();
      await one.done;
      one = next;
    }
    one.end();
    await Promise.all([importing, one.done]);
  });

  it('follows no sales of a day before the newest, and rates of any: those of a past day leave the newest as they are', async () => {
    const db = database();
    const newestOf = async (kind: 'sales' | 'rates') => {
      const text = 'select newest_day::text as day from market_data where kind = $1';
      return (await db.query<{ day: string }>(text, [kind]))[0]!.day;
    };
    const sold = () => db.query('select * from sale_volumes order by variant_id');
    const importSales = (daily: number[], day: string) =>
      importSaleVolumes(db, [{ variantId, daily }], day, SOURCE, noProgress);
    const lastSales = await newestOf('sales');
    await importSales([1, 2], lastSales);
    const before = await sold();
    await expect(importSales([3], addDays(lastSales, -1))).rejects.toThrow(
      `sales of ${addDays(lastSales, -1)} are older than those that are loaded, of ${lastSales}; import days in their order`,
    );
    expect(await sold()).toEqual(before);
    expect(await newestOf('sales')).toBe(lastSales);

    const lastRates = await newestOf('rates');
    const rateOf = async (day: string) =>
      (
        await db.query<{ rate: number }>(
          `select per_euro::float8 as rate from fx_rate where currency = 'SEK' and day = $1::date`,
          [day],
        )
      )[0]?.rate;
    const newest = await rateOf(lastRates);
    const past = addDays(lastRates, -400);
    const rows = [{ currency: 'SEK', day: past, per_euro: '12.5' }];
    await importExchangeRates(db, rows, SOURCE, noProgress);
    expect([await rateOf(past), await rateOf(lastRates)]).toEqual([12.5, newest]);
    expect(await newestOf('rates')).toBe(lastRates);
  });
});
