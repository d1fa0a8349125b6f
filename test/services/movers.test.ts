import { beforeAll, expect, it } from 'vitest';
import type { Database, OpenDatabase } from '../../src/db/client.ts';
import { latestRate } from '../../src/db/queries/exchange.ts';
import { MOVES_OF_CATALOGUE, type MoversRow, movers } from '../../src/db/queries/movers.ts';
import { CURRENCIES, type Currency } from '../../src/domain/currencies.ts';
import { addDays } from '../../src/domain/dates.ts';
import { DIRECTIONS, MOVER_MEASURES, PERIODS } from '../../src/domain/movers.ts';
import { heldCatalogue } from '../../src/memory/memory.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import {
  getMarketMovers,
  getMovers,
  getMoversOfValued,
  MOST_HELD_MOVERS,
  type Mover,
  type Movers,
} from '../../src/services/collections/movers.ts';
import { updateCollection } from '../../src/services/collections/update.ts';
import type { Context } from '../../src/services/context.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { describeOnOwnDatabases, newAccount, pricedVariants, statementsOf } from '../harness.ts';
import { entry } from '../support/furnished.ts';
import { type PriceSteps, priceAt, randomPrices, seededRandom } from '../support/random-market.ts';
import { compared, decimal, minus, over, type Ratio, ratio, textOf, times } from '../support/ratio.ts';

const NEWEST = '2026-04-13';
const DAYS = { Day: 1, Week: 7, Month: 30, Year: 365 };

/** What `work` gives, which leaves nothing changed. */
async function inUndone<T>(db: Database, work: (tx: Database) => Promise<T>): Promise<T> {
  const undo = new Error('undone');
  let result: T;
  await db
    .transaction(async (tx) => {
      result = await work(tx);
      throw undo;
    })
    .catch((error) => {
      if (error !== undo) throw error;
    });
  return result!;
}

describeOnOwnDatabases('movers', (database) => {
  let db: OpenDatabase;
  let ctx: Context;
  let variants: string[];
  let market: Map<string, PriceSteps>;
  let euro: Ratio;
  const collections: { id: string; held: Map<string, number> }[] = [];

  beforeAll(async () => {
    db = database();
    const random = seededRandom(7);
    variants = await pricedVariants(db, 120);
    ctx = await newAccount(db);
    for (const name of ['A', 'B', 'Empty']) {
      const { id } = await createCollection(ctx, { name });
      const held = new Map<string, number>();
      const entries = variants.flatMap((variantId) => {
        const bought = 1 + Math.floor(random() * 4);
        const sold = Math.floor(random() * 4);
        if (name === 'Empty' || random() < 0.3) return [];
        held.set(variantId, bought - sold);
        const sale = sold === 0 ? [] : [entry(variantId, { action: 'Sale', quantity: sold })];
        return [entry(variantId, { quantity: bought }), ...sale];
      });
      if (entries.length > 0) await createTransactions(ctx, id, entries);
      if (name !== 'B') await updateCollection(ctx, id, { valued: true });
      collections.push({ id, held });
    }
    market = await randomPrices(db, variants, NEWEST, random);
    const [rate] = await db.query<{ rate: string }>(`select ${latestRate("'EUR'", "'USD'")} as rate`);
    euro = decimal(rate!.rate);
  });

  const inDollars = (price: { currency: string; amount: string }) =>
    times(decimal(price.amount), price.currency === 'EUR' ? euro : ratio(1));

  /** What is expected, from the steps of each price alone. */
  function expected(
    held: ReadonlyMap<string, number>,
    days: number,
    by: string,
    direction: string,
    first: number,
  ) {
    let unknownCount = 0;
    const moves = [...held].flatMap(([variantId, quantity]) => {
      if (quantity <= 0) return [];
      const steps = market.get(variantId) ?? [];
      const now = priceAt(steps, NEWEST);
      const then = priceAt(steps, addDays(NEWEST, -days));
      const past = then && inDollars(then);
      if (!now || !past || (by === 'Percentage' && past.n === 0n)) {
        unknownCount++;
        return [];
      }
      const price = inDollars(now);
      const change = times(minus(price, past), ratio(quantity));
      const percentage = past.n === 0n ? null : over(minus(price, past), past);
      return [{ variantId, quantity, price, past, change, percentage }];
    });
    const measure = (move: (typeof moves)[number]) => (by === 'Amount' ? move.change : move.percentage!);
    const sign = direction === 'Gain' ? 1 : -1;
    const movers = moves
      .filter(({ change }) => compared(change, ratio(0)) === sign)
      .sort((a, b) => sign * compared(measure(b), measure(a)) || (a.variantId < b.variantId ? -1 : 1))
      .slice(0, first)
      .map(({ variantId, quantity, price, past, change, percentage }) => ({
        variantId,
        quantity,
        price: textOf(price, 2),
        priceBefore: textOf(past, 2),
        change: textOf(change, 2),
        changeRatio: percentage && Number(textOf(percentage, 20)),
      }));
    return { from: addDays(NEWEST, -days), to: NEWEST, unknownCount, movers };
  }

  const plain = ({ movers, ...rest }: Movers) => ({
    ...rest,
    movers: movers.map(({ variantId, quantity, price, priceBefore, change, changeRatio }) => ({
      variantId,
      quantity,
      price: price.amount,
      priceBefore: priceBefore.amount,
      change: change.amount,
      changeRatio,
    })),
  });

  const CASES = PERIODS.flatMap((period) =>
    MOVER_MEASURES.flatMap((by) => DIRECTIONS.map((direction) => ({ period, by, direction }))),
  );

  it.each(CASES)('are those of the oracle: $period, $by, $direction', async (asked) => {
    const of = (held: ReadonlyMap<string, number>, first: number) =>
      expected(held, DAYS[asked.period], asked.by, asked.direction, first);
    const ids = collections.map(({ id }) => id);
    for (const first of [1, 7, 200]) {
      const { result, statements } = await statementsOf(() => getMovers(ctx, ids, asked, first));
      expect(statements).toHaveLength(1);
      expect(result.map(plain)).toEqual(collections.map(({ held }) => of(held, first)));
    }
    expect(plain(await getMoversOfValued(ctx, asked, 200))).toEqual(of(collections[0]!.held, 200));
    const [all] = await db.query<{ count: number }>('select count(*) as count from variant');
    const each = new Map(variants.map((variantId) => [variantId, 1]));
    const ofMarket = of(each, 200);
    const unknownCount = ofMarket.unknownCount + all!.count - variants.length;
    expect(plain(await getMarketMovers(ctx, asked, 200))).toEqual({ ...ofMarket, unknownCount });
    // In a transaction it is asked for afresh, else what is kept is given.
    const byStatement = await db.transaction((tx) => getMarketMovers({ ...ctx, db: tx }, asked, 200));
    expect(plain(byStatement)).toEqual({ ...ofMarket, unknownCount });
    expect(plain(await getMarketMovers(ctx, asked, 3))).toEqual({ ...of(each, 3), unknownCount });
    expect(ofMarket.movers.length).toBeGreaterThan(3);
  });

  it('are of both valued collections together', async () => {
    const held = new Map(collections[0]!.held);
    for (const [variant, quantity] of collections[1]!.held)
      held.set(variant, Math.max(quantity, 0) + Math.max(held.get(variant) ?? 0, 0));
    await updateCollection(ctx, collections[1]!.id, { valued: true });
    const asked = { period: 'Month', by: 'Amount', direction: 'Gain' } as const;
    expect(plain(await getMoversOfValued(ctx, asked, 200))).toEqual(
      expected(held, 30, 'Amount', 'Gain', 200),
    );
  });

  it.each(MOVER_MEASURES)('leave out what is in a currency without a rate, by %s', async (by) => {
    const asked = { period: 'Week', by, direction: 'Gain' } as const;
    const before = await getMarketMovers(ctx, asked, 200);
    const [{ variantId }, ...others] = before.movers as [Mover, ...Mover[]];
    for (const column of ['currency', 'week_currency']) {
      const without = await inUndone(db, async (tx) => {
        await tx.query(`delete from fx_rate where currency = 'JPY'`);
        await tx.query(`update price_move set ${column} = 'JPY' where variant_id = $1`, [variantId]);
        return getMarketMovers({ ...ctx, db: tx }, asked, 200);
      });
      expect(without.unknownCount).toBe(before.unknownCount + 1);
      expect(without.movers.map((mover) => mover.variantId)).toEqual(others.map((mover) => mover.variantId));
    }
  });

  it('of the catalogue are kept as long as not too many others are asked for', async () => {
    expect(await heldCatalogue(ctx)).not.toBeNull();
    const [row] = await db.query<MoversRow>(movers(MOVES_OF_CATALOGUE, CASES[0]!), [ctx.caller.accountId, 1]);
    let made = 0;
    /** As if they were made, in each currency. */
    const askerIn = async (currency: Currency): Promise<Context> => {
      const asker = await newAccount(db, { currency });
      const query: Database['query'] = async (text, params, how) => {
        if (!text.includes('price_move')) return asker.db.query(text, params, how);
        made++;
        return [{ ...row, currency }] as never;
      };
      return { ...asker, db: Object.create(asker.db, { query: { value: query } }) };
    };
    const askers = await Promise.all(CURRENCIES.slice(0, 5).map(askerIn));
    const lists = askers.flatMap((asker) => CASES.map((asked) => () => getMarketMovers(asker, asked, 1)));
    const [first, ...others] = lists.slice(0, MOST_HELD_MOVERS + 1);
    const madeBy = async (list = first!) => {
      const before = made;
      await list();
      return made - before;
    };
    expect([await madeBy(), await madeBy()]).toEqual([1, 0]);
    for (const other of others) expect(await madeBy(other)).toBe(1);
    expect([await madeBy(others.at(-1)), await madeBy(), await madeBy()]).toEqual([0, 1, 0]);
  });

  it('are of nobody else', async () => {
    const stranger = await newAccount(db);
    const asked = { period: 'Week', by: 'Amount', direction: 'Gain' } as const;
    const nothing = { from: '2026-04-06', to: NEWEST, unknownCount: 0, movers: [] };
    expect(await getMovers(stranger, [collections[0]!.id], asked, 10)).toEqual([nothing]);
    expect(await getMoversOfValued(stranger, asked, 10)).toEqual(nothing);
  });

  it('say that nothing is known while no prices are loaded', async () => {
    const empty = await newAccount(db);
    await db.query(`update market_data set kind = 'none' where kind = 'prices'`);
    await db.query('delete from price_move');
    const asked = { period: 'Week', by: 'Amount', direction: 'Gain' } as const;
    const { from, to, movers, unknownCount } = await getMoversOfValued(ctx, asked, 10);
    expect({ from, to, movers }).toEqual({ from: null, to: null, movers: [] });
    expect(unknownCount).toBeGreaterThan(50);
    expect((await getMoversOfValued(empty, asked, 10)).unknownCount).toBe(0);
    await db.query(`update market_data set kind = 'prices' where kind = 'none'`);
  });
});
