import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { heldCatalogue, keepCatalogue, marketChanged, untilChecked } from '../../src/memory/memory.ts';
import { getPreferences } from '../../src/services/accounts/preferences.ts';
import { updatePreferences } from '../../src/services/accounts/update-preferences.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import type { Context } from '../../src/services/context.ts';
import { idempotently, withIdempotencyKey } from '../../src/services/idempotency.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { getMarketPrices, getVariantLabels, getVariants } from '../../src/services/products/get.ts';
import { listSummaries, summaryOrder } from '../../src/services/summaries/list.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import {
  describeOnDatabases,
  NOW,
  newAccount,
  ownDatabase,
  pricedVariants,
  statementsOf,
} from '../harness.ts';
import { eventually } from '../support/eventually.ts';
import { entry } from '../support/furnished.ts';
import { importPrices } from '../support/import-prices.ts';
import { comparable } from '../support/pages.ts';
import { smallCatalogue } from '../support/price-days.ts';

/** The same, asked of the database. */
const inDatabase = (ctx: Context): Context => ({ ...ctx, db: { ...ctx.db, isTransaction: true } });

describeOnDatabases('the catalogue in memory', (database) => {
  it('says of every variant what the database says', async () => {
    const ctx = await newAccount(database());
    const ids = (
      await ctx.db.query<{ id: string }>('select id from variant order by md5(id) limit 3000')
    ).map(({ id }) => id);
    expect(await heldCatalogue(ctx)).not.toBeNull();
    const held = await statementsOf(() => getVariants(ctx, ids));
    expect(held.statements).toEqual([]);
    const plain = held.result.map((variant) => {
      const { id, productId, variantName, fcId, saleVolumes } = variant!;
      return { id, productId, variantName, fcId, saleVolumes };
    });
    expect(plain).toEqual(await getVariants(inDatabase(ctx), ids));
    expect(await getVariantLabels(ctx, ids)).toEqual(await getVariantLabels(inDatabase(ctx), ids));
    for (const currency of ['USD', 'NZD', 'JPY', 'EUR', 'GBP', 'USD'] as const) {
      const prices = await getMarketPrices(ctx, ids, currency, 'VendorMarket');
      expect(prices).toEqual(await getMarketPrices(inDatabase(ctx), ids, currency, 'VendorMarket'));
    }
  });

  it('orders a collection by name as the database does', async () => {
    const ctx = await newAccount(database());
    const ids = (await ctx.db.query<{ id: string }>('select id from variant order by md5(id) limit 90')).map(
      ({ id }) => id,
    );
    const collections: string[] = [];
    for (const part of [ids, ids.slice(0, 7), []]) {
      const { id } = await createCollection(ctx, { name: 'Ordered' });
      collections.push(id);
      if (part.length > 0)
        await createTransactions(
          ctx,
          id,
          part.map((variantId) => entry(variantId)),
        );
    }
    for (const reverse of [false, true]) {
      const order = summaryOrder('Alphabetical', reverse);
      const list = async (request: Parameters<typeof listSummaries>[4]) => {
        const held = await statementsOf(() => listSummaries(ctx, collections, null, order, request));
        expect(held.statements.map(({ text }) => text).join()).not.toContain('join product');
        const found = await listSummaries(inDatabase(ctx), collections, null, order, request);
        expect(held.result.map((page) => comparable(page, request))).toEqual(
          found.map((page) => comparable(page, request)),
        );
        return held.result;
      };
      const byKey = { kind: 'key', after: null, before: null, size: 25, fromEnd: false } as const;
      const [first] = await list(byKey);
      const [after, before] = [first!.keyOf(4), first!.keyOf(20)];
      for (const fromEnd of [false, true])
        for (const size of [3, 25, 200])
          for (const bounds of [{}, { after }, { before }, { after, before }])
            await list({ ...byKey, ...bounds, size, fromEnd });
      for (const position of [0, 5, 80, 90, 100]) await list({ kind: 'position', position, size: 10 });
    }
  });

  it('orders a collection by name however the database joins its prices', async () => {
    const ctx = await newAccount(database());
    const ids = (await ctx.db.query<{ id: string }>('select id from variant order by md5(id) limit 60')).map(
      ({ id }) => id,
    );
    const { id } = await createCollection(ctx, { name: 'Joined' });
    await createTransactions(
      ctx,
      id,
      ids.map((variantId) => entry(variantId)),
    );
    const byKey = { kind: 'key', after: null, before: null, size: 50, fromEnd: false } as const;
    const list = (asker: Context) =>
      listSummaries(asker, [id], null, summaryOrder('Alphabetical'), byKey).then(([page]) =>
        page!.items.map(({ variantId }) => variantId),
      );
    // A merge join has them in the order of the ids.
    const merged = await ctx.db.transaction(async (tx) => {
      for (const join of ['hashjoin', 'nestloop']) await tx.query(`set local enable_${join} = off`);
      return list({ ...ctx, db: tx });
    });
    expect(merged).toEqual(await list(ctx));
  });

  it('leaves to the database a cursor of names that have changed', async () => {
    const ctx = await newAccount(database());
    const variants = await pricedVariants(database(), 20);
    const { id } = await createCollection(ctx, { name: 'Large' });
    await createTransactions(
      ctx,
      id,
      variants.map((variantId) => entry(variantId)),
    );
    const order = summaryOrder('Alphabetical');
    const request = {
      kind: 'key',
      after: ['A', 'Old name', variants[0]!],
      before: null,
      size: 5,
      fromEnd: false,
    } as const;
    for (const one of [request, { ...request, after: null }]) {
      const pages = await listSummaries(ctx, [id], null, order, one);
      const found = await listSummaries(inDatabase(ctx), [id], null, order, one);
      expect(pages.map((page) => comparable(page, one))).toEqual(found.map((page) => comparable(page, one)));
    }
  });

  it.each([
    [2, 8000],
    [11, 400],
  ])('orders %i collections by name where they have %i holdings, and no more', async (asked, max) => {
    const ctx = await newAccount(database());
    const collections: string[] = [];
    while (collections.length < asked) collections.push((await createCollection(ctx, { name: 'A' })).id);
    const request = { kind: 'position', position: max - 5, size: 5 } as const;
    const order = summaryOrder('Alphabetical');
    const hold = (offset: number, limit: number) =>
      database().query(
        `with written as (update collection set revision = revision + 1 where account_id = $1 and id = $2)
         insert into holding (account_id, collection_id, variant_id, transaction_count, bought, cost, sold, proceeds)
         select $1, $2, id, 1, 1, 1, 0, 0 from variant order by id offset $3 limit $4`,
        [ctx.caller.accountId, collections[0]!, offset, limit],
      );
    const list = async () => {
      await eventually(async () => expect(await heldCatalogue(ctx)).not.toBeNull());
      const { result, statements } = await statementsOf(() =>
        listSummaries(ctx, collections, null, order, request),
      );
      const found = await listSummaries(inDatabase(ctx), collections, null, order, request);
      expect(result.map((page) => comparable(page, request))).toEqual(
        found.map((page) => comparable(page, request)),
      );
      return statements.some(({ text }) => text.includes('join product'));
    };
    await hold(0, max);
    expect(await list()).toBe(false);
    await hold(max, 1);
    expect(await list()).toBe(true);
  });
});

const KINDS = inject('postgresUrl') ? (['pglite', 'postgres'] as const) : (['pglite'] as const);

describe.each(KINDS)('a change of the market (%s)', (kind) => {
  let db: OpenDatabase;
  let variantId: string;
  let millis = NOW.getTime();
  const now = () => new Date(millis);
  let ctx: Context;
  let imports = 0;

  beforeAll(async () => {
    db = await ownDatabase(kind);
    [variantId] = (await smallCatalogue(db, 100)) as [string];
    ctx = await newAccount(db, { now });
  });
  afterAll(() => db.close());

  const price = async () => (await getMarketPrices(ctx, [variantId], 'USD', 'VendorMarket'))[0]?.amount;
  /** Until no newer one is read any more. */
  const untilHeld = () => eventually(async () => expect((await statementsOf(price)).statements).toEqual([]));
  const importPrice = (into: OpenDatabase, amount: string) =>
    importPrices(
      into,
      [{ variantId, currency: 'USD', amount }],
      '2026-04-13',
      { version: `import ${++imports}`, isSample: true },
      noProgress,
    );
  /** As another node does it, whose notification is lost. */
  const changeUnheard = async (amount: string) => {
    await db.query('update price set amount = $1 where variant_id = $2', [amount, variantId]);
    await db.query(`update market_data set revision = revision + 1 where kind = 'prices'`);
  };

  it('is seen at once by the process that imports', async () => {
    await importPrice(db, '11.11');
    expect(await price()).toBe('11.11');
    await importPrice(db, '12.12');
    expect(await price()).toBe('12.12');
  });

  it('is seen at once by it, though the catalogue of before is just being read', async () => {
    await untilHeld();
    await changeUnheard('12.50');
    millis += 1000;
    // Until the reading has its snapshot.
    for (let i = 0; i < 10; i++) expect(await price()).toBe('12.50');
    await changeUnheard('12.75');
    marketChanged(db);
    for (let isHeld = false; !isHeld; ) {
      const { result, statements } = await statementsOf(price);
      expect(result).toBe('12.75');
      isHeld = statements.length === 0;
    }
  });

  it('is seen within a second where nobody tells of it', async () => {
    await importPrice(db, '13.13');
    expect(await price()).toBe('13.13');
    await changeUnheard('14.14');
    millis += 1000;
    expect(await price()).toBe('14.14');
  });

  it('is seen within a second after the clock was set back', async () => {
    await changeUnheard('15.15');
    millis -= 3_600_000;
    expect(await price()).toBe('15.15');
  });

  it('costs a statement when the catalogue is to be looked after, and none before', async () => {
    await untilHeld();
    millis += 299;
    expect((await statementsOf(price)).statements).toHaveLength(0);
    millis += 1;
    expect((await statementsOf(price)).statements).toHaveLength(1);
  });

  it('is seen as soon as a node tells of it', async () => {
    const stop = keepCatalogue(db, now);
    await untilHeld();
    await changeUnheard('16.16');
    db.notify('market', 'changed');
    await eventually(async () => expect(await price()).toBe('16.16'));
    await stop();
  });

  it.each(['urgent', 'housekeeping'] as const)(
    'tells once of a reading that fails, until it is good (%s)',
    async (of) => {
      let isBroken = true;
      const failing = <Send extends (...args: never[]) => Promise<unknown>>(send: Send) =>
        ((...args) => (isBroken ? Promise.reject(new TypeError('a defect')) : send(...args))) as Send;
      const { query, hot, transaction } = db[of];
      const reader: OpenDatabase = {
        ...db,
        identity: {},
        [of]: { ...db[of], query: failing(query), hot: failing(hot), transaction: failing(transaction) },
      };
      const failures: unknown[] = [];
      const look = async () => {
        millis += 1000;
        await untilChecked({ ...ctx, db: reader });
      };
      const stop = keepCatalogue(reader, now, { failed: (error) => failures.push(error) });
      await eventually(async () => expect(failures[0]).toEqual(new TypeError('a defect')));
      for (let i = 0; i < 3; i++) await look();
      expect(failures).toHaveLength(1);
      isBroken = false;
      await eventually(async () => expect(await heldCatalogue({ ...ctx, db: reader })).not.toBeNull());
      isBroken = true;
      await db.query(`update market_data set revision = revision + 1 where kind = 'prices'`);
      await eventually(async () => {
        await look();
        expect(failures).toHaveLength(2);
      });
      await stop();
    },
  );

  it('leaves nothing old where the database is asked while a newer one is read', async () => {
    await importPrice(db, '17.17');
    const prices = await Promise.all(Array.from({ length: 5 }, price));
    expect(new Set(prices)).toEqual(new Set(['17.17']));
  });

  it('keeps the preferences of an account for a second at most', async () => {
    expect((await getPreferences(ctx)).preferredCurrency).toBe('USD');
    await updatePreferences(ctx, { preferredCurrency: 'NZD' });
    expect((await getPreferences(ctx)).preferredCurrency).toBe('NZD');
    await db.query(`update account set preferred_currency = 'EUR' where account_id = $1`, [
      ctx.caller.accountId,
    ]);
    millis += 999;
    expect((await getPreferences(ctx)).preferredCurrency).toBe('NZD');
    millis += 1;
    expect((await getPreferences(ctx)).preferredCurrency).toBe('EUR');
  });

  // The embedded database lets nobody read beside a transaction.
  it.skipIf(kind === 'pglite')(
    'keeps no preferences that were read before their change was committed',
    async () => {
      const mine = await newAccount(db);
      const keyed = withIdempotencyKey(mine, 'preferences-1', 'key');
      await idempotently(keyed, 'changing', {}, async (inner) => {
        const account = await updatePreferences(inner, { preferredCurrency: 'JPY' });
        expect((await getPreferences(mine)).preferredCurrency).toBe('USD');
        return account;
      });
      expect((await getPreferences(mine)).preferredCurrency).toBe('JPY');
    },
  );

  it('keeps no preferences that were changed while they were read', async () => {
    const mine = await newAccount(db);
    let hasChanged = () => {};
    let hasRead = () => {};
    const change = new Promise<void>((resolve) => {
      hasChanged = resolve;
    });
    const isRead = new Promise<void>((resolve) => {
      hasRead = resolve;
    });
    const late =
      <Args extends unknown[], T>(read: (...args: Args) => Promise<T>) =>
      async (...args: Args) => {
        const rows = await read(...args);
        hasRead();
        await change;
        return rows;
      };
    const slow = { ...mine.db, query: late(mine.db.query), hot: late(mine.db.hot) } as typeof mine.db;
    const reading = getPreferences({ ...mine, db: slow });
    await isRead;
    await updatePreferences(mine, { preferredCurrency: 'JPY' });
    hasChanged();
    expect((await reading).preferredCurrency).toBe('USD');
    expect((await getPreferences(mine)).preferredCurrency).toBe('JPY');
  });
});
