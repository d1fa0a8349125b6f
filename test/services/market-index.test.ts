import { beforeAll, expect, it } from 'vitest';
import type { Database, OpenDatabase } from '../../src/db/client.ts';
import { addDays } from '../../src/domain/dates.ts';
import { add, type Fraction, toNumber, ZERO } from '../../src/domain/fraction.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { INDEX_WEIGHTINGS, type IndexWeighting } from '../../src/domain/market-index.ts';
import type { Context } from '../../src/services/context.ts';
import { importCatalogue } from '../../src/services/market/import-catalogue.ts';
import { recomputeIndexes } from '../../src/services/market/indexes.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { getMarketIndex, type IndexAsked } from '../../src/services/market-index.ts';
import { describeOnOwnDatabases, newAccount, statementsOf } from '../harness.ts';
import { documentTables } from '../support/document-tables.ts';
import { importPrices } from '../support/import-prices.ts';
import { NaiveMarket } from '../support/naive-performance.ts';
import { smallCatalogue } from '../support/price-days.ts';
import { randomPrices, seededRandom } from '../support/random-market.ts';
import { over, type Ratio, ratio, textOf, times } from '../support/ratio.ts';

const NEWEST = '2026-04-07';
const DAYS = 60;
const NOW = '2026-04-13';
const SOURCE = { version: 'test', isSample: false };
const CURRENCIES = ['USD', 'EUR', 'JPY'] as const;

interface Card {
  id: string;
  set: string;
  rarity: string;
}

/** The daily values of an index from a day with a price on, by fractions: slow, and written apart from the product. */
class NaiveIndex {
  readonly #cards: readonly Card[];
  readonly #market: NaiveMarket;
  readonly #currency: string;

  constructor(cards: readonly Card[], market: NaiveMarket, currency: string) {
    this.#cards = cards;
    this.#market = market;
    this.#currency = currency;
  }

  points(dates: readonly string[], weighting: IndexWeighting) {
    let growth: Ratio | undefined;
    let log = 0;
    return dates.map((date, i) => {
      const now = this.#pricesOn(date);
      const before = i === 0 || !growth ? undefined : this.#pricesOn(dates[i - 1]!);
      const both = before ? [...now.keys()].filter((id) => before.has(id)) : [...now.keys()];
      if (!growth && both.length > 0) growth = ratio(1);
      else if (growth && both.length > 0) {
        const sum = (prices: Map<string, Fraction>) => {
          const { numerator, denominator } = both.map((id) => prices.get(id)!).reduce(add, ZERO);
          return ratio(numerator, denominator);
        };
        growth = times(growth, over(sum(now), sum(before!)));
        const logs = both.map((id) => Math.log(toNumber(now.get(id)!) / toNumber(before!.get(id)!)));
        log += logs.reduce((a, b) => a + b, 0) / both.length;
      }
      const value = !growth
        ? null
        : weighting === 'Price'
          ? textOf(times(growth, ratio(100)), 10)
          : 100 * Math.exp(log);
      return { date, value, variants: both.length };
    });
  }

  /** What costs 0 has no price. */
  #pricesOn(date: string): Map<string, Fraction> {
    const prices = this.#cards.map(({ id }) => [id, this.#market.price(id, date, this.#currency)] as const);
    return new Map(prices.flatMap(([id, price]) => (price && price.numerator > 0n ? [[id, price]] : [])));
  }
}

const datesFrom = (from: string, count: number) => Array.from({ length: count }, (_, i) => addDays(from, i));

describeOnOwnDatabases('the market index', (database) => {
  let db: OpenDatabase;
  let cards: Card[];
  const accounts = new Map<string, Context>();

  beforeAll(async () => {
    db = database();
    const ids = await smallCatalogue(db, 40);
    await spread(ids);
    for (const currency of CURRENCIES) accounts.set(currency, await newAccount(db, { currency }));
    const random = seededRandom(11);
    await randomRates(random);
    await randomPrices(db, ids, NEWEST, random);
    await remake(db);
  });

  /** Of most days of four years. */
  async function randomRates(random: () => number): Promise<void> {
    const rows = Array.from({ length: 1000 }, () => addDays(NEWEST, -Math.floor(random() * 1400))).flatMap(
      (day) => [
        { currency: 'USD', day, rate: (1 + random() / 5).toFixed(4) },
        { currency: 'JPY', day, rate: (150 + random() * 20).toFixed(2) },
      ],
    );
    await db.query(
      `insert into fx_rate (currency, day, per_euro)
       select * from jsonb_to_recordset($1::jsonb) as r(currency text, day date, rate numeric) on conflict do nothing`,
      [JSON.stringify(rows)],
    );
  }

  /** Over three sets and two rarities, and one card that is sealed. */
  async function spread(ids: readonly string[]): Promise<void> {
    cards = ids.map((id, i) => ({
      id,
      set: ['WTR', 'ARC', 'CRU'][i % 3]!,
      rarity: i % 2 ? 'Rare' : 'Majestic',
    }));
    await db.query(
      `update product p set set_code = r.set, rarity = r.rarity
       from jsonb_to_recordset($1::jsonb) as r(id text, set text, rarity text) join variant v on v.id = r.id where p.id = v.product_id`,
      [JSON.stringify(cards)],
    );
    // Variants of one product are of one set and rarity.
    const rows = await db.query<Card>(
      `select v.id, p.set_code as set, p.rarity from variant v join product p on p.id = v.product_id order by v.id`,
    );
    const sealed = rows.pop()!;
    await db.query(
      `update product set sealed_set_type = 'Wtr1stEdition', sealed_product_type = 'Box' where id = (select product_id from variant where id = $1)`,
      [sealed.id],
    );
    cards = await db.query<Card>(
      `select v.id, p.set_code as set, p.rarity from variant v join product p on p.id = v.product_id where p.sealed_set_type is null order by v.id`,
    );
  }

  /** From nothing. */
  async function remake(tx: Database): Promise<void> {
    await tx.query(`delete from market_data where kind = 'market-index'`);
    await tx.transaction((inner) => recomputeIndexes(inner));
  }

  const index = (currency: string, asked: Partial<IndexAsked>) =>
    getMarketIndex(
      { ...accounts.get(currency)!, now: () => new Date(`${NOW}T10:00:00Z`) },
      { weighting: 'Price', from: NEWEST, to: NEWEST, interval: 'Day', ...asked },
    );

  const indexDays = () => db.query('select * from index_day order by source, scope, key, day, currency');

  async function compareWithOracle(from: string, days: number): Promise<void> {
    const market = await NaiveMarket.read(
      db,
      cards.map(({ id }) => id),
    );
    const dates = datesFrom(from, days);
    for (const currency of CURRENCIES) {
      for (const scope of [{}, { set: 'WTR' }, { set: 'ARC' }, { rarity: 'Rare' }]) {
        const of = cards.filter((card) =>
          Object.entries(scope).every(([key, value]) => card[key as 'set'] === value),
        );
        const naive = new NaiveIndex(of, market, currency);
        for (const weighting of INDEX_WEIGHTINGS) {
          const asked = { ...scope, weighting, from, to: dates.at(-1)! };
          const points = await index(currency, asked);
          const [, ...expected] = naive.points([addDays(from, -1), ...dates], weighting);
          expect(points.map(({ date, variants }) => ({ date, variants }))).toEqual(
            expected.map(({ date, variants }) => ({ date, variants })),
          );
          for (const [i, { value }] of points.entries()) {
            const right = expected[i]!.value;
            if (typeof right === 'number')
              expect(Math.abs(Number(value) - right)).toBeLessThan(1e-9 * Math.max(right, 1));
            else expect(value === null ? null : textOf(decimalOf(value), 10)).toBe(right);
          }
        }
      }
    }
  }

  const decimalOf = (text: string): Ratio => {
    const [whole = '', part = ''] = text.split('.');
    return { n: BigInt(whole + part), d: 10n ** BigInt(part.length) };
  };

  it.each([addDays(NEWEST, 6 - DAYS), addDays(NEWEST, -430), addDays(NEWEST, -1330)])(
    'is that of the oracle, from %s on',
    (from) => compareWithOracle(from, DAYS),
  );

  it('has by weeks and months the values of those days, each day being chained', async () => {
    const from = addDays(NEWEST, -200);
    for (const weighting of INDEX_WEIGHTINGS) {
      const daily = new Map(
        (await index('EUR', { weighting, from: '2025-09-29', to: NEWEST })).map((point) => [
          point.date,
          point,
        ]),
      );
      // The first is a Sunday.
      const weekly = await index('EUR', { weighting, from: '2025-09-29', to: NEWEST, interval: 'Week' });
      expect(weekly[0]!.date).toBe('2025-10-05');
      expect(weekly.map(({ value }) => value)).toEqual(weekly.map(({ date }) => daily.get(date)!.value));
      expect(weekly.length).toBeGreaterThan(20);
    }
    const [month] = await index('EUR', { from, to: NEWEST, interval: 'Month' });
    const days = await index('EUR', { from, to: NEWEST });
    expect(month).toEqual(days.find(({ date }) => date === month!.date));
    expect(month!.value).not.toBe('100');
  });

  it('is null before the first price, and 100 on its day', async () => {
    const from = '2022-01-01';
    const points = await index('USD', { from, to: addDays(from, 399) });
    expect(points[0]).toEqual({ date: from, value: null, variants: 0 });
    const first = points.findIndex(({ value }) => value !== null);
    expect(first).toBeGreaterThan(0);
    expect(points[first]).toMatchObject({ value: '100' });
    expect(points[first]!.variants).toBeGreaterThan(0);
  });

  it('goes on with each day that is imported, as if it was made from the first', async () => {
    const rowsOf = (day: number) =>
      cards.flatMap(({ id }, i) => {
        // Some have no news, some are not known any more, and some are known again.
        if ((i + day) % 4 === 0) return [];
        const amount = (i + day) % 7 === 0 ? null : (((i * 37 + day * 11) % 500) / 100).toFixed(2);
        return [{ variantId: id, currency: 'USD', amount }];
      });
    const dayOf = async (day: string, n: number) => {
      await importPrices(
        db,
        {
          length: 40,
          async *[Symbol.asyncIterator]() {
            yield* rowsOf(n);
          },
        },
        day,
        SOURCE,
        noProgress,
      );
    };
    // The random ones are not of an import.
    await db.query(`update market_data set is_sample = false where kind in ('prices', 'price-history')`);
    await dayOf('2026-04-09', 1);
    // A day once more, one after it, and one that leaves days out.
    for (const [day, n] of [
      ['2026-04-09', 2],
      ['2026-04-10', 3],
      ['2026-04-13', 4],
    ] as const) {
      await dayOf(day, n);
      const made = await indexDays();
      await remake(db);
      expect(made).toEqual(await indexDays());
    }
    await compareWithOracle('2026-03-20', 25);
  });

  it('is not made again by an import that it does not depend on, and anew after another catalogue', async () => {
    const again = async () =>
      (await statementsOf(() => db.transaction((tx) => recomputeIndexes(tx)))).statements;
    expect(await again()).toHaveLength(1);
    await importCatalogue(db, { version: 'test', products: [] }, noProgress);
    const [row] = await db.query<{ id: string }>(`select id from product where set_code = 'WTR' limit 1`);
    await db.query(`update product set set_code = 'MON' where id = $1`, [row!.id]);
    await importCatalogue(db, { version: 'test', products: [] }, noProgress);
    expect((await index('USD', { set: 'MON', from: '2026-04-01' })).at(-1)!.date).toBe(NEWEST);
    const [of] = await db.query<{ count: number }>(
      `select count(*) as count from index_day where scope = 'Set' and key = 'MON'`,
    );
    const [priced] = await db.query<{ count: number }>(
      `select count(*) as count from price_year y join variant v on v.id = y.variant_id where v.product_id = $1`,
      [row!.id],
    );
    expect(of!.count > 0).toBe(priced!.count > 0);
    await db.query(`update product set set_code = 'WTR' where id = $1`, [row!.id]);
    await importCatalogue(db, { version: 'test', products: [] }, noProgress);
  });

  const refused = (asked: Partial<IndexAsked>) =>
    index('USD', asked).catch((error) => error.details?.breaches ?? error);

  it('takes the code of a set in any case', async () => {
    const since = { from: '2026-03-01', interval: 'Month' } as const;
    const points = await index('USD', { ...since, set: 'WTR' });
    expect(points.at(-1)!.value).not.toBeNull();
    expect(await index('USD', { ...since, set: 'wtr' })).toEqual(points);
  });

  it('says what is wrong with what is asked for', async () => {
    expect(await refused({ set: 'WTR', rarity: 'Rare' })).toEqual([
      {
        path: ['rarity'],
        detail: 'must be left out beside a set: an index is of a set, of a rarity or of all cards',
      },
    ]);
    expect(await refused({ set: 'WTS' })).toEqual([
      { path: ['set'], detail: 'must be the code of a set, e.g. WTR (Did you mean WTR?)' },
    ]);
    for (const path of ['set', 'rarity']) {
      const text = async (key: string) => (await refused({ [path]: key }))[0];
      expect(await text('X'.repeat(LIMITS.idCharacters))).toMatchObject({ path: [path] });
      expect(await text('X'.repeat(LIMITS.idCharacters + 1))).toEqual({
        path: [path],
        detail: 'must have at most 104 characters',
      });
      expect(await text('W\0')).toEqual({ path: [path], detail: 'must not contain control characters' });
      expect((await text('W\ud800')).detail).toContain('well-formed');
    }
    expect(await refused({ rarity: 'rare' })).toEqual([
      { path: ['rarity'], detail: 'must be one of Majestic, Rare' },
    ]);
    expect(await refused({ from: '2026-04-02', to: '2026-04-01' })).toEqual([
      { path: ['to'], detail: 'must not be before from' },
    ]);
    expect(await refused({ from: '2026-02-30' })).toEqual([
      { path: ['from'], detail: 'must be a calendar date: there is no 2026-02-30' },
    ]);
    expect(await refused({ from: '2025-01-01', to: '2026-02-05' })).toMatchObject([{ path: ['to'] }]);
    expect(await index('USD', { from: '2025-01-01', to: '2026-02-04' })).toHaveLength(400);
  });

  it('has the values of the example in the documents', async () => {
    const [prices, expected] = documentTables('money.md', '## Market index').slice(1) as [
      string[][],
      string[][],
    ];
    const [a, b, c] = cards.map(({ id }) => id) as [string, string, string];
    const ofCard = (cell: number) =>
      prices.map((row) => ({ day: row[0]!, amount: row[cell]! === 'none' ? null : row[cell]! }));
    await db.query('delete from price_year');
    for (const [i, variantId] of [a, b, c].entries()) {
      const own = ofCard(i + 1).filter(({ amount }) => amount !== '');
      await db.query(
        `insert into price_year (variant_id, source, year, days, currencies, amounts)
         select $1, 'VendorMarket', 2026, array_agg(day order by day), array_agg(text 'USD' order by day), array_agg(amount order by day)
         from jsonb_to_recordset($2::jsonb) as p(day date, amount numeric)`,
        [variantId, JSON.stringify(own)],
      );
    }
    await remake(db);
    const asked = { from: '2026-01-01', to: '2026-01-05' };
    const [byPrice, equally] = [
      await index('USD', asked),
      await index('USD', { ...asked, weighting: 'Equal' }),
    ];
    expect(expected).toHaveLength(5);
    expect(
      byPrice.map(({ date, value, variants }, i) => [date, String(variants), value, equally[i]!.value]),
    ).toEqual(expected.map((row) => row.slice(0, 4)));
    // Of one card alone, both are its price.
    await db.query(
      `update product set set_code = 'ONE' where id = (select product_id from variant where id = $1)`,
      [c],
    );
    await remake(db);
    for (const weighting of INDEX_WEIGHTINGS) {
      const points = await index('USD', { ...asked, set: 'ONE', weighting });
      expect(points.map(({ value }) => value)).toEqual([null, '100', '120', '120', '96']);
    }
  });

  it('has no values for a set without prices', async () => {
    await db.query(
      `update product set set_code = 'EMP' where id = (select product_id from variant where id = $1)`,
      [cards[0]!.id],
    );
    expect(await index('USD', { set: 'EMP' })).toEqual([{ date: NEWEST, value: null, variants: 0 }]);
  });
});
