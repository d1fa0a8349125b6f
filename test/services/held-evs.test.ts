import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Database } from '../../src/db/client.ts';
import { latestRate } from '../../src/db/queries/exchange.ts';
import { PRODUCT_TYPES } from '../../src/domain/catalogue.ts';
import { CURRENCIES, minorUnitDigits } from '../../src/domain/currencies.ts';
import { PRODUCT_EV_SORTS, type ProductEvSort } from '../../src/domain/orders.ts';
import type { KeyCursor, PageRequest } from '../../src/domain/pagination.ts';
import type { EvBreakdown, ProductEv } from '../../src/domain/product-ev.ts';
import { HeldEv } from '../../src/memory/catalogue.ts';
import { heldCatalogue, keepCatalogue } from '../../src/memory/memory.ts';
import type { Context } from '../../src/services/context.ts';
import { diagnose } from '../../src/services/doctor.ts';
import { getEvBreakdown, getEvBreakdowns } from '../../src/services/evs/breakdown.ts';
import { countProductEvs, listProductEvs, productEvOrder } from '../../src/services/evs/list.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { describeOnOwnDatabases, NOW, newAccount, statementsOf } from '../harness.ts';
import { eventually } from '../support/eventually.ts';
import { fuzzRuns } from '../support/fuzz.ts';
import { importPrices } from '../support/import-prices.ts';
import { comparable } from '../support/pages.ts';

const TYPES = [null, ...PRODUCT_TYPES];
const ALL = { kind: 'key', after: null, before: null, size: 200, fromEnd: false } as const;

/** The same, asked of the database. */
const inDatabase = (ctx: Context): Context => ({ ...ctx, db: { ...ctx.db, isTransaction: true } });

/** With the amounts, which are made when they are asked for. */
const shown = (ev: ProductEv) => {
  const { currentEstimatedValue, marketPrice, marketPriceDelta, evRatio } = ev;
  const { places: _, ...plain } = ev as ProductEv & { places?: unknown };
  return { ...plain, currentEstimatedValue, marketPrice, marketPriceDelta, evRatio };
};
const shownWhole = (ev: EvBreakdown) => {
  const { categories, distribution } = ev;
  return { ...shown(ev), categories, distribution };
};

async function list(
  ctx: Context,
  sort: ProductEvSort,
  productType: (typeof TYPES)[number],
  request: PageRequest,
) {
  const page = await listProductEvs(ctx, productType, productEvOrder(sort), request);
  return { ...comparable(page, request), items: page.items.map(shown) };
}

describeOnOwnDatabases('expected values in memory', (database, kind) => {
  let ctx: Context;
  let millis = NOW.getTime();
  const now = () => new Date(millis);
  /** The keys of every order. */
  const keys = new Map<ProductEvSort, KeyCursor[]>();

  /** As an import leaves it, whose data lack some things and have others twice. */
  beforeAll(async () => {
    const db = database();
    await db.query(`update product_ev set release_date = null where set_type in ('Hnt', 'Out')`);
    await db.query(`update product_ev set market_price = 0 where product_type = 'Case' and set_type < 'F'`);
    await db.query(`update product_ev set estimated_value = 7.50 where set_type in ('Dtd', 'Evr', 'Mon')`);
    await db.query(
      `update product_ev set estimated_value = 0, distribution = null, warning = null where set_type = 'Out'`,
    );
    await db.query('update market_data set revision = revision + 1');
    ctx = await newAccount(db, { now });
    for (const sort of PRODUCT_EV_SORTS) keys.set(sort, (await list(inDatabase(ctx), sort, null, ALL)).keys);
    expect(await heldCatalogue(ctx)).not.toBeNull();
  });

  const pageCase = fc.record({
    sort: fc.constantFrom(...PRODUCT_EV_SORTS),
    productType: fc.constantFrom(...TYPES),
    account: fc.nat(2),
    size: fc.integer({ min: 1, max: 200 }).map((size) => (size > 80 ? 200 : size)),
    fromEnd: fc.boolean(),
    after: fc.option(fc.nat(74)),
    before: fc.option(fc.nat(74)),
    position: fc.option(fc.nat(80)),
  });

  it('are listed as the database lists them, in all orders, from everywhere, in both directions', async () => {
    const currencies = ['USD', 'JPY', 'NZD'];
    const accounts = await Promise.all(
      currencies.map((currency) => newAccount(database(), { currency, now })),
    );
    const property = fc.asyncProperty(
      pageCase,
      async ({ account: number, sort, productType, size, ...at }) => {
        const account = accounts[number]!;
        const keyAt = (place: number | null) => (place === null ? null : keys.get(sort)![place]!);
        const request: PageRequest =
          at.position === null
            ? { kind: 'key', after: keyAt(at.after), before: keyAt(at.before), size, fromEnd: at.fromEnd }
            : { kind: 'position', position: at.position, size };
        const held = await statementsOf(() => list(account, sort, productType, request));
        expect(held.statements.filter(({ text }) => text.includes('product_ev'))).toEqual([]);
        expect(held.result).toEqual(await list(inDatabase(account), sort, productType, request));
      },
    );
    await fc.assert(property, { numRuns: fuzzRuns(60, kind) });
  });

  it.each(PRODUCT_EV_SORTS)('have the cursors of the database in the order %s', async (sort) => {
    for (const productType of TYPES) {
      const page = await list(ctx, sort, productType, ALL);
      expect(page).toEqual(await list(inDatabase(ctx), sort, productType, ALL));
      expect(page.items).toHaveLength(await countProductEvs(ctx, productType));
      expect(page.items).toHaveLength(await countProductEvs(inDatabase(ctx), productType));
    }
  });

  it('leave the cursor of a row that has gone to the database', async () => {
    for (const sort of PRODUCT_EV_SORTS) {
      const [key] = keys.get(sort)!.slice(30);
      for (const gone of [
        [key![0]!, 'Gone', 'Box'],
        [key![0]!, key![1]!, 'Crate'],
        [...key!].with(0, keys.get(sort)![9]![0]!),
      ]) {
        for (const bounds of [
          { after: gone },
          { before: gone },
          { after: gone, before: keys.get(sort)![40]! },
        ]) {
          const request = { ...ALL, ...bounds, size: 5 };
          expect(await list(ctx, sort, null, request)).toEqual(
            await list(inDatabase(ctx), sort, null, request),
          );
        }
      }
    }
  });

  it('have the digits of the database in every currency, and so have their categories', async () => {
    for (const currency of CURRENCIES) {
      const account = await newAccount(database(), { currency, now });
      const { items } = await list(account, 'OldestReleaseDate', null, ALL);
      expect(items).toEqual((await list(inDatabase(account), 'OldestReleaseDate', null, ALL)).items);
      const ids = items.map(({ id }) => id);
      const breakdowns = await getEvBreakdowns(account, ids);
      const stored = await getEvBreakdowns(inDatabase(account), ids);
      expect(breakdowns.map((ev) => shownWhole(ev!))).toEqual(stored.map((ev) => shownWhole(ev!)));
      const rows = await database().query<{ value: string; delta: string }>(
        `select round(estimated_value * rate, $2::integer)::text as value,
           round((estimated_value - market_price) * rate, $2::integer)::text as delta
         from product_ev, (select ${latestRate("'USD'", '$1')} as rate) latest
         order by coalesce(release_date, 'infinity'), set_type, product_type`,
        [currency, minorUnitDigits(currency)],
      );
      const amounts = items.map(({ currentEstimatedValue: value, marketPriceDelta: delta }) => ({
        value: value.amount,
        delta: delta.amount,
      }));
      expect(amounts).toEqual(rows);
    }
  });

  it('and their breakdowns and counts send no statement, and what is not there is looked for', async () => {
    const { result, statements } = await statementsOf(async () => [
      (await list(ctx, 'HighestMarketPrice', 'Box', ALL)).items.length,
      await countProductEvs(ctx, null),
      (await getEvBreakdown(ctx, 'Wtr1stEdition', 'Box')).categories.length,
    ]);
    expect(statements).toEqual([]);
    expect(result).toEqual([25, 75, expect.any(Number)]);
    expect(await getEvBreakdowns(ctx, ['pev_Gone_Box', 'pev_Hnt_Box', 'x'])).toMatchObject([
      null,
      { setType: 'Hnt' },
      null,
    ]);
  });

  describe('after a change', () => {
    const evTo = () => getEvBreakdown(ctx, 'Out', 'Box');
    const valueTo = async () => (await evTo()).currentEstimatedValue.amount;
    /** Once it comes from memory. */
    const heldValueTo = () =>
      eventually(async () => {
        const ev = await evTo();
        expect(ev).toBeInstanceOf(HeldEv);
        return ev.currentEstimatedValue.amount;
      });
    const storedValue = async () => {
      const [row] = await database().query<{ value: string }>(
        `select round(estimated_value, 2)::text as value from product_ev where set_type = 'Out' and product_type = 'Box'`,
      );
      return row!.value;
    };
    /** The database of another process: what it says of a change is only heard by those who listen. */
    const elsewhere = (): Database => ({ ...database(), identity: {} });

    const importDoubled = async (db: Database) => {
      const prices = await db.query<{ variantId: string; currency: string; amount: string }>(
        `select p.variant_id as "variantId", p.currency, (p.amount * 2)::text as amount
         from price p join variant v on v.id = p.variant_id where v.set_code = 'OUT' and p.amount is not null`,
      );
      await importPrices(db, prices, '2026-04-14', { version: 'doubled', isSample: true }, noProgress);
    };
    const repair = async (db: Database) => {
      await db.query(`update product_ev set estimated_value = 8 where product_type = 'Box'`);
      expect((await diagnose(db, { fix: true })).fixed).toBe(true);
    };

    it.each([
      ['a repair', repair],
      ['an import', importDoubled],
    ])('by %s of another node are the new ones within a second', async (_by, change) => {
      const old = await heldValueTo();
      await change(elsewhere());
      millis += 1000;
      const value = await valueTo();
      expect(value).not.toBe(old);
      expect(value).toBe(await storedValue());
      expect(await heldValueTo()).toBe(value);
    });

    it('are the new ones as soon as the other node tells of it', async () => {
      const stop = keepCatalogue(database(), now);
      const old = await heldValueTo();
      await importDoubled(elsewhere());
      await eventually(async () => expect(await heldValueTo()).not.toBe(old));
      expect(await heldValueTo()).toBe(await storedValue());
      await stop();
    });

    it('are refused in both ways in a currency that has no rate any more', async () => {
      const account = await newAccount(database(), { currency: 'ISK', now });
      await database().query(`delete from fx_rate where currency = 'ISK'`);
      await database().query('update market_data set revision = revision + 1');
      millis += 1000;
      const catalogue = await vi.waitUntil(() => heldCatalogue(account), 10_000);
      expect(catalogue.evs('ISK')).toBeUndefined();
      for (const one of [account, inDatabase(account)])
        await expect(list(one, 'OldestReleaseDate', null, ALL)).rejects.toThrow();
    });
  });
});
