import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { createWorkLimit } from '../../src/auth/work-limit.ts';
import type { OpenDatabase } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { DASHBOARD } from '../../src/db/queries/accounts.ts';
import { COLLECTIONS_BY_ID } from '../../src/db/queries/collections.ts';
import { STORE_VALUES } from '../../src/db/queries/stored-values.ts';
import { VALUES_OF_FEW, VALUES_OF_MANY } from '../../src/db/queries/valuation.ts';
import type { CollectionSort } from '../../src/domain/orders.ts';
import { encodeCursor, pageByKey } from '../../src/domain/pagination.ts';
import { HeldLedger } from '../../src/memory/ledgers.ts';
import { marketChanged } from '../../src/memory/memory.ts';
import { getDashboard } from '../../src/services/accounts/get.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { getCollection, getCollections } from '../../src/services/collections/get.ts';
import { collectionOrder, listCollections } from '../../src/services/collections/list.ts';
import { storeBehind, untilStored } from '../../src/services/collections/store-values.ts';
import { updateCollection } from '../../src/services/collections/update.ts';
import { revalue } from '../../src/services/collections/valued.ts';
import type { Context } from '../../src/services/context.ts';
import { diagnose } from '../../src/services/doctor.ts';
import { setGoalCollection } from '../../src/services/goals/set.ts';
import { withIdempotencyKey } from '../../src/services/idempotency.ts';
import { createTransaction, createTransactions } from '../../src/services/transactions/create.ts';
import { mutate } from '../graphql/mutate.ts';
import { startServer, subscribe } from '../graphql/subscriptions/support.ts';
import {
  describeOnOwnDatabases,
  type Kind,
  NOW,
  newAccount,
  newTestApp,
  ownDatabase,
  statementsOf,
} from '../harness.ts';
import { eventually } from '../support/eventually.ts';
import { contextOf, entry } from '../support/furnished.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { type DayPrices, importDay, smallCatalogue, untilHeld } from '../support/price-days.ts';

const DAY = '2026-05-01';

/** What an import of prices leaves of the values of collections, and what those who look at them make of it. */
describeOnOwnDatabases('values of collections after an import', (database) => {
  let a: string;
  let b: string;
  let reader: Context;

  beforeAll(async () => {
    [a, b] = (await smallCatalogue(database(), 5)) as [string, string];
    reader = await newAccount(database());
  });

  /** Until they are held in memory, too: to load them there takes statements, which a test would count. */
  const setPrices = async (prices: DayPrices) => {
    await importDay(database(), DAY, prices);
    marketChanged(database());
    await untilHeld(reader);
  };
  const newCollection = async (ctx: Context, cards: Record<string, number>) => {
    const { id } = await createCollection(ctx, { name: 'Valued' });
    const entries = Object.entries(cards).map(([variantId, quantity]) => entry(variantId, { quantity }));
    await createTransactions(ctx, id, entries);
    return id;
  };
  interface Stored {
    version: string;
    revision: number;
    value: number;
    isStale: boolean;
  }
  const stored = async (id: string) =>
    (
      await database().query<Stored>(
        `select xmin::text as version, revision, market_value::float8 as value,
           -market_revision - revision <> (select sum(revision)::bigint from market_data where kind in ('prices', 'rates')) as "isStale"
         from collection where id = $1`,
        [id],
      )
    )[0]!;
  const worthOf = async (ctx: Context, id: string) =>
    Number((await getCollection(ctx, id)).marketValue.amount);
  const countOf = async (work: () => Promise<unknown>) => (await statementsOf(work)).statements.length;
  const valueEvents = (id: string) =>
    database().query<{ sequence: number }>(
      `select sequence from event where stream = $1 and kind = 'Revalued' order by sequence`,
      [id],
    );
  const differences = async () =>
    (await diagnose(database(), { fix: false })).differences.filter(({ kind }) => kind !== 'expected value');

  it('are made afresh by the first who looks, and kept', async () => {
    await setPrices({ [a]: '5', [b]: '3' });
    const ctx = await newAccount(database());
    const id = await newCollection(ctx, { [a]: 2, [b]: 1 });
    expect(await countOf(() => getCollection(ctx, id))).toBe(1);
    const before = await stored(id);
    expect(before).toMatchObject({ value: 13, isStale: false });

    await setPrices({ [a]: '7', [b]: '3' });
    // Nobody has looked: its row is what it was.
    expect(await stored(id)).toEqual({ ...before, isStale: true });
    expect(await differences()).toEqual([]);
    // As stored; what it holds, which nobody has asked for yet; and what it is worth by that.
    expect(await countOf(() => getCollection(ctx, id))).toBe(3);
    const after = await stored(id);
    expect(after).toMatchObject({ value: 17, revision: before.revision + 1, isStale: false });
    expect(await valueEvents(id)).toEqual([{ sequence: after.revision }]);
    expect(await countOf(() => getCollection(ctx, id))).toBe(1);
    expect(await getCollection(ctx, id)).toMatchObject({
      marketValue: { amount: '17.00' },
      gain: { amount: '14.00' },
      revision: after.revision,
    });

    // Prices that leave the value as it was are no change for those who follow it.
    await setPrices({ [a]: '6', [b]: '5' });
    // By then it is known to be stale, and what it holds: to store what it is worth will do.
    expect(await countOf(() => getCollection(ctx, id))).toBe(1);
    expect(await worthOf(ctx, id)).toBe(17);
    expect(await stored(id)).toMatchObject({ value: 17, revision: after.revision, isStale: false });
    expect(await valueEvents(id)).toHaveLength(1);
    expect(await differences()).toEqual([]);
  });

  it('are made afresh of those that are looked at, and of no other account', async () => {
    await setPrices({ [a]: '5', [b]: '3' });
    const [ctx, other] = [await newAccount(database()), await newAccount(database())];
    const [first, second] = [await newCollection(ctx, { [a]: 1 }), await newCollection(ctx, { [a]: 2 })];
    const foreign = await newCollection(other, { [a]: 3 });
    const untouched = [await stored(second), await stored(foreign)];
    await setPrices({ [a]: '9', [b]: '3' });
    expect(await worthOf(ctx, first)).toBe(9);
    expect([await stored(second), await stored(foreign)]).toEqual(
      untouched.map((row) => ({ ...row, isStale: true })),
    );
  });

  it.each(['Value', 'PercentageGain'] as const)(
    'decide the order by %s, also where some are stale',
    async (sort: CollectionSort) => {
      await setPrices({ [a]: '5', [b]: '3' });
      const ctx = await newAccount(database());
      // Worth 20, 15 and 11 for 4, 5 and 3; then 8, 20 and 10.
      const many = await newCollection(ctx, { [a]: 4 });
      const some = await newCollection(ctx, { [b]: 5 });
      const few = await newCollection(ctx, { [b]: 2, [a]: 1 });
      const empty = (await createCollection(ctx, { name: 'Empty' })).id;
      const order = collectionOrder(sort);
      const list = () => listCollections(ctx, order, pageByKey({}, order));
      const ids = async () => (await list()).items.map(({ id }) => id);
      const keysOf = ({ items, keyOf }: Awaited<ReturnType<typeof list>>) => items.map((_, i) => keyOf(i));
      const expected = sort === 'Value' ? [many, some, few, empty] : [many, few, some, empty];
      expect(await ids()).toEqual(expected);
      expect(await countOf(ids)).toBe(1);

      await setPrices({ [a]: '2', [b]: '4' });
      expect(await worthOf(ctx, few)).toBe(10);
      expect((await stored(many)).isStale).toBe(true);
      const { result, statements } = await statementsOf(list);
      // All are on the page: it, and what they hold, which nobody has asked for yet.
      expect(statements).toHaveLength(2);
      expect(statements.map(({ text }) => text)).not.toContain(VALUES_OF_MANY);
      expect(result.items.map(({ id }) => id)).toEqual([some, few, many, empty]);
      await untilStored(ctx);
      expect((await stored(many)).isStale).toBe(false);
      expect(await ids()).toEqual([some, few, many, empty]);
      expect(keysOf(result)).toEqual(keysOf(await list()));
      expect(await countOf(ids)).toBe(1);

      // By the first page alone a reader would not see that what follows was of older prices.
      await setPrices({ [a]: '20', [b]: '4' });
      expect(await worthOf(ctx, some)).toBe(20);
      const first = await listCollections(ctx, order, pageByKey({ first: 1 }, order));
      expect(first.items.map(({ id }) => id)).toEqual([many]);
      const last = await listCollections(ctx, order, pageByKey({ last: 1 }, order));
      expect(last.items.map(({ id }) => id)).toEqual([empty]);
      expect(await countOf(() => listCollections(ctx, order, pageByKey({ first: 1 }, order)))).toBe(1);
      expect(await differences()).toEqual([]);
    },
  );

  it('are those before or behind a cursor by what they are worth now', async () => {
    await setPrices({ [a]: '5', [b]: '3' });
    const ctx = await newAccount(database());
    const [high, low] = [await newCollection(ctx, { [a]: 2 }), await newCollection(ctx, { [b]: 2 })];
    const order = collectionOrder('Value');
    const idsOf = async (args: Parameters<typeof pageByKey>[0]) =>
      (await listCollections(ctx, order, pageByKey(args, order))).items.map(({ id }) => id);
    const sevenAndAbove = { before: encodeCursor(order, ['7', 'c']) };
    const belowSeven = { after: encodeCursor(order, ['7', 'c']) };
    expect(await idsOf({ first: 5, ...sevenAndAbove })).toEqual([high]);
    await setPrices({ [a]: '1', [b]: '4' });
    expect(await idsOf({ first: 5, ...sevenAndAbove })).toEqual([low]);
    await setPrices({ [a]: '5', [b]: '3' });
    expect(await idsOf({ last: 5, ...belowSeven })).toEqual([low]);
  });

  it.each(['Alphabetical', 'Value', 'PercentageGain'] as const)(
    'are listed by %s, of each kind and in both directions, by hot statements alone',
    async (sort) => {
      const ctx = await newAccount(database());
      const planned = () => Promise.reject(new Error('This is planned each time.'));
      const hotOnly = { ...ctx, db: { ...ctx.db, query: planned } };
      const made = [await createCollection(ctx, { name: 'A' }), await createCollection(ctx, { name: 'B' })];
      for (const kind of [null, 'Collection', 'Wishlist'] as const) {
        for (const reverse of [false, true]) {
          const order = collectionOrder(sort, reverse);
          const page = (after?: string) =>
            listCollections(hotOnly, order, pageByKey({ first: 1, after: after ?? null }, order), kind);
          const first = await page();
          const next = kind === 'Wishlist' ? first : await page(encodeCursor(order, first.keyOf(0)));
          const ids = [...first.items, ...next.items].map(({ id }) => id);
          const isDescending = sort !== 'Alphabetical';
          const all = made.map(({ id }) => id);
          expect(ids).toEqual(kind === 'Wishlist' ? [] : isDescending !== reverse ? all.reverse() : all);
        }
      }
    },
  );

  it('are made afresh on a page of a list by name for that page alone', async () => {
    await setPrices({ [a]: '5', [b]: '3' });
    const ctx = await newAccount(database());
    const ids = [await newCollection(ctx, { [a]: 1 }), await newCollection(ctx, { [a]: 2 })];
    await setPrices({ [a]: '6', [b]: '3' });
    const order = collectionOrder('Chronological');
    const list = () => listCollections(ctx, order, pageByKey({ first: 1 }, order));
    const { result, statements } = await statementsOf(list);
    expect(statements).toHaveLength(2);
    expect(result.items.map(({ marketValue }) => marketValue.amount)).toEqual(['6.00']);
    await untilStored(ctx);
    expect((await stored(ids[0]!)).isStale).toBe(false);
    expect((await stored(ids[1]!)).isStale).toBe(true);
    expect(await countOf(list)).toBe(1);
  });

  it('are summed on the dashboard by the newest prices', async () => {
    await setPrices({ [a]: '5', [b]: '3' });
    const ctx = await newAccount(database());
    const ids = [await newCollection(ctx, { [a]: 1 }), await newCollection(ctx, { [b]: 2 })];
    for (const id of ids) await updateCollection(ctx, id, { valued: true });
    const unvalued = await newCollection(ctx, { [a]: 100 });
    const sum = async () => Number((await getDashboard(ctx)).marketValue.amount);
    expect(await sum()).toBe(11);
    expect(await countOf(sum)).toBe(1);
    await setPrices({ [a]: '6', [b]: '4' });
    expect(await worthOf(ctx, ids[0]!)).toBe(6);
    // The sums, and what the other one holds, which nobody has asked for yet.
    expect(await countOf(sum)).toBe(2);
    await untilStored(ctx);
    expect(await sum()).toBe(14);
    expect(await countOf(sum)).toBe(1);
    expect((await stored(unvalued)).isStale).toBe(true);
  });

  it('are summed on the dashboard by what was made in memory as by a statement', async () => {
    const ctx = await newAccount(database());
    await setPrices({ [a]: '2', [b]: '3' });
    const ids: string[] = [];
    for (const cards of [{ [a]: 3 }, { [b]: 7 }]) {
      const id = await newCollection(ctx, cards);
      await updateCollection(ctx, id, { valued: true });
      ids.push(id);
    }
    const shown = async () => {
      const dashboard = await getDashboard(ctx);
      const { collectionCount, transactionCount, quantity, percentageGain } = dashboard;
      const { invested, profit, cashPosition, marketValue, gain } = dashboard;
      return {
        ...{ collectionCount, transactionCount, quantity, percentageGain, invested, profit },
        ...{ cashPosition, marketValue, gain },
      };
    };
    for (const isOneStored of [false, true]) {
      for (const [first, second] of [
        ['0.3333', '1234567890.1234'],
        ['0', '0'],
        [null, '4'],
        [null, null],
      ] as const) {
        await setPrices({ [a]: first, [b]: second });
        if (isOneStored) await getCollection(ctx, ids[0]!);
        const dashboards: unknown[] = [];
        const look = async () => void dashboards.push(await shown());
        const { statements } = await statementsOf(look);
        expect(statements.filter(({ text }) => text === DASHBOARD.stored)).toHaveLength(1);
        await untilStored(ctx);
        expect(await countOf(look)).toBe(1);
        expect(dashboards[0]).toEqual(dashboards[1]);
      }
    }
  });

  it('are the same by ledgers and prices in memory as by a statement', async () => {
    const ctx = await newAccount(database(), { currency: 'EUR' });
    // Bought for thirds, sold out, sold short, worth more than a double holds, of two currencies, and without a price.
    const id = await newCollection(ctx, { [a]: 3 });
    const [c, d, e] = (
      await database().query<{ id: string }>(
        'select id from variant where id <> $1 and id <> $2 order by id',
        [a, b],
      )
    ).map((row) => row.id) as [string, string, string];
    await createTransactions(ctx, id, [
      entry(a, { action: 'Sale', quantity: 1 }),
      entry(b, { quantity: 1_000_000, unitAmount: { currency: 'JPY', value: 999_999_999 } }),
      entry(c, { action: 'Sale', quantity: 4 }),
      entry(d, { quantity: 7, unitAmount: { currency: 'USD', value: 0.3333 } }),
      entry(e, { quantity: 2 }),
    ]);
    await createCollection(ctx, { name: 'Empty' });
    const order = collectionOrder('Chronological');
    const list = () => listCollections(ctx, order, pageByKey({}, order));
    const exact = async () =>
      (
        await database().query<{ value: string; gain: string; isStale: boolean }>(
          `select trim_scale(market_value) as value, trim_scale(gain) as gain from collection where id = $1`,
          [id],
        )
      )[0];
    for (const [i, amount] of ['123456789.1234', '0.01', '7.77'].entries()) {
      const prices = { [a]: amount, [b]: '999999999.9999', [c]: '5', [d]: `1.00${i}3`, [e]: null };
      await importDay(database(), DAY, prices);
      await database().query(`update price set currency = 'JPY' where variant_id = $1`, [d]);
      marketChanged(database());
      await untilHeld(ctx);
      const { statements } = await statementsOf(async () => {
        await list();
        await untilStored(ctx);
      });
      expect(statements.map(({ text }) => text)).toContain(STORE_VALUES);
      expect(statements.map(({ text }) => text)).not.toContain(VALUES_OF_FEW);
      const inMemory = await exact();
      for (const asked of [[id], 'all'] as const) {
        await database().query('update collection set market_revision = 0, market_value = -1 where id = $1', [
          id,
        ]);
        await revalue(ctx, asked);
        expect(await exact()).toEqual(inMemory);
      }
      expect(await differences()).toEqual([]);
    }
  });

  it('are made in memory beside the requests of others, who wait for one collection at most', async () => {
    const ctx = await newAccount(database());
    for (let i = 0; i < 3; i++) await newCollection(ctx, { [a]: 1 });
    await setPrices({ [a]: '8', [b]: '8' });
    let turn = 0;
    const next = () => {
      turn++;
      timer = setImmediate(next);
    };
    let timer = setImmediate(next);
    const turns: number[] = [];
    const value = HeldLedger.prototype.value;
    const valued = vi.spyOn(HeldLedger.prototype, 'value').mockImplementation(function (
      this: HeldLedger,
      prices,
    ) {
      turns.push(turn);
      return value.call(this, prices);
    });
    // Of those for whom much was done: others go on once more beside them.
    const work = createWorkLimit({ account: 0, platform: 0 }, () => 0)('heavy');
    work.pay(1e9);
    // Each takes long.
    let millis = performance.now();
    const later = () => {
      millis += 5;
      return millis;
    };
    const clock = vi.spyOn(performance, 'now').mockImplementation(later);
    const processor = vi
      .spyOn(process, 'cpuUsage')
      .mockImplementation(() => ({ user: later() * 1000, system: 0 }));
    const order = collectionOrder('Chronological');
    await listCollections({ ...ctx, work }, order, pageByKey({}, order));
    clearImmediate(timer);
    for (const spy of [valued, clock, processor]) spy.mockRestore();
    expect(turns).toHaveLength(3);
    expect(new Set(turns).size).toBe(3);
  });

  it('are never shown beside what was written since the row was read', async () => {
    await setPrices({ [a]: '5', [b]: '3' });
    const ctx = await newAccount(database());
    const id = await newCollection(ctx, { [a]: 2 });
    await setPrices({ [a]: '8', [b]: '3' });
    let isFirst = true;
    const hot: Context['db']['hot'] = async (text, params) => {
      const rows = await ctx.db.hot(text, params);
      if (isFirst) {
        isFirst = false;
        await createTransaction(ctx, id, entry(a, { quantity: 1 }));
      }
      return rows as never;
    };
    const meddled = { ...ctx, db: Object.create(ctx.db, { hot: { value: hot } }) };
    expect(await getCollection(meddled, id)).toMatchObject({ quantity: 3, marketValue: { amount: '24.00' } });
    expect(await differences()).toEqual([]);
  });

  /** The account's context, in which what stores values waits until it may go on; counts what has come so far. */
  const heldBack = (ctx: Context) => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const sent: string[] = [];
    const held = (db: Context['db'], members: PropertyDescriptorMap = {}): Context['db'] => {
      const waiting: Context['db']['hot'] = async (text, params, how) => {
        if (text === STORE_VALUES) {
          sent.push(text);
          await released;
        }
        return db.hot(text, params, how);
      };
      return Object.create(db, { hot: { value: waiting }, ...members });
    };
    return { ctx: { ...ctx, db: held(ctx.db, { behind: { value: held(ctx.db.behind) } }) }, release, sent };
  };
  const chronological = collectionOrder('Chronological');
  const valuesIn = async (ctx: Context) =>
    (await listCollections(ctx, chronological, pageByKey({}, chronological))).items.map(
      ({ marketValue }) => marketValue.amount,
    );

  it('are shown before they are stored, and by whoever comes meanwhile', async () => {
    await setPrices({ [a]: '5', [b]: '3' });
    const reading = await newAccount(database());
    const id = await newCollection(reading, { [a]: 2, [b]: 1 });
    await updateCollection(reading, id, { valued: true });
    await valuesIn(reading);
    const before = await stored(id);
    await setPrices({ [a]: '7', [b]: '3' });
    const { ctx, release, sent } = heldBack(reading);
    expect(await valuesIn(ctx)).toEqual(['17.00']);
    expect((await getDashboard(ctx)).marketValue.amount).toBe('17.00');
    expect((await getCollections(ctx, [id]))[0]!.marketValue.amount).toBe('17.00');
    expect(await stored(id)).toEqual({ ...before, isStale: true });
    await eventually(async () => expect(sent).toEqual([STORE_VALUES]));
    // Its revision is that of what it shows.
    const shown = await getCollection(reading, id);
    expect(shown).toMatchObject({ revision: before.revision + 1, marketValue: { amount: '17.00' } });
    release();
    await untilStored(ctx);
    expect(await stored(id)).toMatchObject({ value: 17, revision: before.revision + 1, isStale: false });
    expect(await valueEvents(id)).toHaveLength(1);
    expect(await differences()).toEqual([]);
  });

  it.each(['write', 'import'] as const)('are not stored over what a %s has changed since', async (change) => {
    await setPrices({ [a]: '5', [b]: '3' });
    const reading = await newAccount(database());
    const id = await newCollection(reading, { [a]: 2 });
    await valuesIn(reading);
    await setPrices({ [a]: '8', [b]: '3' });
    const { ctx, release, sent } = heldBack(reading);
    expect(await valuesIn(ctx)).toEqual(['16.00']);
    await eventually(async () => expect(sent).toHaveLength(1));
    if (change === 'write') await createTransaction(reading, id, entry(a, { quantity: 1 }));
    else await setPrices({ [a]: '9', [b]: '3' });
    const changed = await stored(id);
    release();
    await untilStored(ctx);
    expect(await stored(id)).toEqual(changed);
    expect(changed.isStale).toBe(true);
    expect(await valuesIn(reading)).toEqual([change === 'write' ? '24.00' : '18.00']);
    await untilStored(reading);
    expect(await differences()).toEqual([]);
  });

  it('are shown where they cannot be stored, and made again by the next reader', async () => {
    await setPrices({ [a]: '5', [b]: '3' });
    const reading = await newAccount(database());
    const id = await newCollection(reading, { [a]: 2 });
    await setPrices({ [a]: '6', [b]: '3' });
    const refused = () => Promise.reject(new Error('The service is stopping.'));
    const behind = { ...reading.db.behind, hot: refused };
    const ctx = { ...reading, db: Object.create(reading.db, { behind: { value: behind } }) };
    for (let i = 0; i < 2; i++) {
      expect(await valuesIn(ctx)).toEqual(['12.00']);
      await untilStored(ctx);
      expect((await stored(id)).isStale).toBe(true);
    }
    expect(await valuesIn(reading)).toEqual(['12.00']);
    await untilStored(reading);
    expect((await stored(id)).isStale).toBe(false);
  });

  const nothingWorth = async () => {
    const [value] = await database().query<{ pricingRevision: number }>(
      `select coalesce(sum(revision), 0)::bigint as "pricingRevision" from market_data where kind in ('prices', 'rates')`,
    );
    const worth = { marketValue: '1', gain: '0', unpriced: 0, unknownCost: 0, unknownCostValue: '0' };
    return { ...value!, values: [{ id: 'col_none', state: '1 1', ...worth }] };
  };
  const readers = (ctx: Context, length: number, platformId?: string) =>
    Array.from({ length }, () => ({
      ...ctx,
      caller: { ...ctx.caller, accountId: randomUUID(), ...(platformId && { platformId }) },
    }));

  it('wait to be stored for 64 accounts at most, of each once', async () => {
    const { ctx, release, sent } = heldBack(reader);
    const contexts = readers(ctx, 80);
    const made = await nothingWorth();
    for (const one of [...contexts, ...contexts]) storeBehind(one, made);
    await eventually(async () => expect(sent).toHaveLength(64));
    release();
    await Promise.all(contexts.map(untilStored));
    expect(sent).toHaveLength(64);
    // There is room again.
    storeBehind(contexts[79]!, made);
    await untilStored(contexts[79]!);
    expect(sent).toHaveLength(65);
  });

  it('wait to be stored for 16 accounts below a platform at most', async () => {
    const { ctx, release, sent } = heldBack(reader);
    const contexts = [
      ...readers(ctx, 20, randomUUID()),
      ...readers(ctx, 5, randomUUID()),
      ...readers(ctx, 5),
    ];
    const made = await nothingWorth();
    for (const one of contexts) storeBehind(one, made);
    await eventually(async () => expect(sent).toHaveLength(26));
    release();
    await Promise.all(contexts.map(untilStored));
    expect(sent).toHaveLength(26);
  });

  it('are stored as work of the account', async () => {
    await setPrices({ [a]: '5', [b]: '3' });
    const { caller, now } = await newAccount(database());
    const reading = { caller, now, db: database().forAccount(caller.accountId) };
    await newCollection(reading, { [a]: 2 });
    await setPrices({ [a]: '6', [b]: '3' });
    const { ctx, release, sent } = heldBack(reading);
    const paying: string[] = [];
    await valuesIn(ctx);
    await eventually(async () => expect(sent).toHaveLength(1));
    database().onWork((accountId) => paying.push(accountId));
    release();
    await untilStored(ctx);
    expect(paying).toContain(caller.accountId);
  });

  it('are right in a transaction too, which writes nothing for a reader', async () => {
    await setPrices({ [a]: '5', [b]: '3' });
    const ctx = await newAccount(database());
    const id = await newCollection(ctx, { [a]: 2 });
    await updateCollection(ctx, id, { valued: true });
    await setPrices({ [a]: '8', [b]: '3' });
    const before = await stored(id);
    await ctx.db.transaction(async (tx) => {
      const within = { ...ctx, db: tx };
      expect(await countOf(() => getCollection(within, id))).toBe(2);
      // The next reader stores the value, by which the row is another.
      expect((await getCollection(within, id)).revision).toBeUndefined();
      expect(await worthOf(within, id)).toBe(16);
      expect((await getDashboard(within)).marketValue.amount).toBe('16.00');
      const order = collectionOrder('Value');
      const { items } = await listCollections(within, order, pageByKey({}, order));
      expect(items.map(({ gain }) => gain!.amount)).toEqual(['14.00']);
    });
    expect(await stored(id)).toEqual(before);
  });

  it('are right in what mutations answer, with and without an idempotency key', async () => {
    await setPrices({ [a]: '5', [b]: '3' });
    const app = await newTestApp(database());
    const ctx = contextOf(database(), app);
    const id = await newCollection(ctx, { [a]: 2 });
    for (const [i, more] of [{}, { idempotencyKey: 'renamed' }].entries()) {
      await setPrices({ [a]: String(10 + i), [b]: '3' });
      const { collection } = await mutate(app, 'updateCollection', { id, name: `No. ${i}`, ...more });
      expect(collection).toMatchObject({ name: `No. ${i}`, marketValue: { value: 20 + 2 * i } });
      expect(await worthOf(ctx, id)).toBe(20 + 2 * i);
    }
    await setPrices({ [a]: '30' });
    expect(await updateCollection(ctx, id, { name: 'Direct' })).toMatchObject({
      name: 'Direct',
      marketValue: { amount: '60.00' },
    });
    await setPrices({ [a]: '31' });
    await setGoalCollection(ctx, id);
    expect(await worthOf(ctx, id)).toBe(62);
    await setPrices({ [a]: '32' });
    await createTransaction(ctx, id, entry(b, { quantity: 10 }));
    expect(await worthOf(ctx, id)).toBe(94);
    expect(await differences()).toEqual([]);
  });

  it('are made once for changes that show them, whether their answers are kept or not', async () => {
    const ctx = await newAccount(database());
    const id = await newCollection(ctx, { [a]: 2 });
    let times = 0;
    const keyed = () => withIdempotencyKey(ctx, `key-${times++}`, 'idempotencyKey');
    const changes = {
      goal: () => setGoalCollection(ctx, id, { items: [{ variantId: b, quantity: 1 }] }),
      'goal with a key': () => setGoalCollection(keyed(), id, { items: [{ variantId: a, quantity: 1 }] }),
      'change with a key': () => updateCollection(keyed(), id, { description: `No. ${times}` }),
    };
    for (const [what, change] of Object.entries(changes)) {
      await setPrices({ [a]: String(5 + times++) });
      const { result, statements } = await statementsOf(change);
      expect([what, Number(result?.marketValue.amount)]).toEqual([what, (await stored(id)).value]);
      expect([what, (await stored(id)).isStale]).toEqual([what, false]);
      expect(statements.filter(({ text }) => text.includes('sum(greatest(h.quantity'))).toEqual([]);
    }
    expect(await differences()).toEqual([]);
  });

  it('are not asked for before a change that shows them where they were seen stored', async () => {
    const now = () => NOW;
    const ctx = await newAccount(database(), { now });
    const id = await newCollection(ctx, { [a]: 2 });
    let times = 0;
    const keyed = () => withIdempotencyKey(ctx, `key-${times++}`, 'idempotencyKey');
    const describe = () => updateCollection(keyed(), id, { description: `No. ${times}` });
    const setPrice = async (amount: string) => {
      await setPrices({ [a]: amount });
      await untilHeld(ctx);
    };
    const sentBy = async (change: () => Promise<unknown>) => {
      const { statements } = await statementsOf(change);
      const texts = statements.map(({ text }) => text);
      const count = (text: string) => texts.filter((one) => one === text).length;
      return { asked: count(COLLECTIONS_BY_ID.stored), stored: count(STORE_VALUES) };
    };
    await setPrice('5');
    expect(await sentBy(describe)).toEqual({ asked: 1, stored: 1 });
    expect(await sentBy(describe)).toEqual({ asked: 0, stored: 0 });
    await createTransaction(ctx, id, entry(a, { quantity: 1 }));
    expect(await sentBy(describe)).toEqual({ asked: 0, stored: 0 });
    // What it answers with is read within its transaction.
    expect(await sentBy(() => setGoalCollection(ctx, id))).toEqual({ asked: 1, stored: 0 });

    await setPrice('6');
    expect((await stored(id)).isStale).toBe(true);
    await describe();
    expect(await stored(id)).toMatchObject({ value: 18, isStale: false });
    expect(await sentBy(describe)).toEqual({ asked: 0, stored: 0 });

    // Another node has changed it so that it is of no market: it is asked for once that is seen.
    await database().query('update collection set market_revision = 0 where id = $1', [id]);
    await describe();
    expect((await stored(id)).isStale).toBe(true);
    await describe();
    expect(await stored(id)).toMatchObject({ value: 18, isStale: false });
    expect(await differences()).toEqual([]);
  });

  it('have another ETag where they changed, and the same where they did not', async () => {
    await setPrices({ [a]: '5', [b]: '3' });
    const app = await newTestApp(database());
    const id = await newCollection(contextOf(database(), app), { [a]: 1, [b]: 1 });
    const get = (etag?: string) =>
      app.send('GET', `/collection/${id}`, undefined, etag === undefined ? {} : { 'If-None-Match': etag });
    const first = await get();
    const etag = first.headers.get('ETag')!;
    expect(first.body.marketValue).toMatchObject({ value: 8 });
    await setPrices({ [a]: '4', [b]: '4' });
    expect((await get(etag)).status).toBe(304);
    await setPrices({ [a]: '6', [b]: '4' });
    const changed = await get(etag);
    expect(changed.status).toBe(200);
    expect(changed.body.marketValue).toMatchObject({ value: 10 });
    expect(changed.headers.get('ETag')).not.toBe(etag);
    expect((await get(changed.headers.get('ETag')!)).status).toBe(304);
  });
});

for (const kind of ['pglite', 'postgres'] as const satisfies Kind[]) {
  describe.skipIf(kind === 'postgres' && !inject('postgresUrl'))(`who follows a collection (${kind})`, () => {
    /** Two nodes where there can be: the one that is followed on, and the one that imports. */
    let nodes: [OpenDatabase, OpenDatabase];
    let variantId: string;

    beforeAll(async () => {
      if (kind === 'pglite') {
        const db = await ownDatabase(kind);
        nodes = [db, db];
      } else {
        const { url } = await loadedPostgresUrl(inject('postgresUrl')!);
        nodes = [postgresDatabase(url), postgresDatabase(url)];
      }
      [variantId] = (await smallCatalogue(nodes[0], 1)) as [string];
    });
    afterAll(() => Promise.all([...new Set(nodes)].map((node) => node.close())));

    it('is told of another value after an import, and of no value that stays', {}, async () => {
      const [followed, importing] = nodes;
      const setPrice = async (amount: string) => {
        await importDay(importing, DAY, { [variantId]: amount });
        marketChanged(importing);
      };
      await setPrice('5');
      const server = await startServer(followed);
      const ctx = contextOf(followed, server.app);
      const { id } = await createCollection(ctx, { name: 'Followed' });
      await createTransaction(ctx, id, entry(variantId, { quantity: 2 }));
      const query = `subscription ($id: ID!) { collectionChanged(id: $id) {
        kind collection { id quantity marketValue { value } transactionSummaries(first: 1) { nodes { marketValue { value } } } } } }`;
      const subscription = subscribe(server, id, { query });
      await subscription.connected;
      for (const [i, amount] of ['6', '6', '7.5'].entries()) {
        await setPrice(amount);
        if (i !== 1) await subscription.until(i === 0 ? 1 : 2);
      }
      const change = (value: number) => ({
        kind: 'REVALUED',
        collection: {
          id,
          quantity: 2,
          marketValue: { value },
          transactionSummaries: { nodes: [{ marketValue: { value } }] },
        },
      });
      expect(subscription.changes()).toEqual([change(12), change(15)]);
    });
  });
}
