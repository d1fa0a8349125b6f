import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import type { Currency } from '../../src/domain/currencies.ts';
import { addDays, dayNumber } from '../../src/domain/dates.ts';
import { add, type Fraction, subtract, toDecimal, toNumber, ZERO } from '../../src/domain/fraction.ts';
import type { Money } from '../../src/domain/money.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { getDashboardHistory, getValueHistory } from '../../src/services/collections/history.ts';
import { getDashboardPerformance, getPerformances } from '../../src/services/collections/performance.ts';
import { updateCollection } from '../../src/services/collections/update.ts';
import type { Context } from '../../src/services/context.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { deleteTransaction } from '../../src/services/transactions/delete.ts';
import { updateTransaction } from '../../src/services/transactions/update.ts';
import { describeOnOwnDatabases, newAccount, pricedVariants } from '../harness.ts';
import { documentTables } from '../support/document-tables.ts';
import { fuzzRuns } from '../support/fuzz.ts';
import {
  type NaiveDay,
  NaiveMarket,
  naiveDays,
  naiveTimeWeightedReturn,
} from '../support/naive-performance.ts';

const CURRENCIES = ['USD', 'EUR', 'JPY'] as const;
/** Over the turn of a year, with a weekend without rates in it. */
const FIRST = '2024-12-12';
const DAYS = 36;
const dayOf = (n: number) => addDays(FIRST, n);

type Price = readonly [day: string, amount: string | null, currency?: string];

/** In place of all prices of the variant. */
async function setPrices(db: OpenDatabase, variantId: string, prices: readonly Price[]): Promise<void> {
  await db.query('delete from price_year where variant_id = $1', [variantId]);
  const rows = prices.map(([day, amount, currency = 'USD']) => ({ day, amount, currency }));
  await db.query(
    `insert into price_year (variant_id, source, year, days, currencies, amounts)
     select $1, 'VendorMarket', extract(year from day), array_agg(day order by day), array_agg(currency order by day), array_agg(amount order by day)
     from jsonb_to_recordset($2::jsonb) as p(day date, amount numeric, currency text) group by extract(year from day)`,
    [variantId, JSON.stringify(rows)],
  );
}

describeOnOwnDatabases('performance', (database) => {
  let variants: string[];

  beforeAll(async () => {
    variants = await pricedVariants(database(), 5);
  });

  const entry = (
    variantId: string,
    occurredDate: string,
    action: 'Purchase' | 'Sale',
    quantity: number,
    value: number,
    currency: Currency = 'USD',
    charges: { fees?: number; shipping?: number } = {},
  ) => ({
    variantId,
    occurredDate,
    action,
    quantity,
    unitAmount: { currency, value },
    ...Object.fromEntries(
      Object.entries(charges).map(([name, charge]) => [name, { currency, value: charge }]),
    ),
  });

  async function collectionOf(entries: ReturnType<typeof entry>[], ctx?: Context) {
    const owner = ctx ?? (await newAccount(database()));
    const { id } = await createCollection(owner, { name: 'Performance' });
    if (entries.length > 0) await createTransactions(owner, id, entries);
    return { ctx: owner, id };
  }

  const performanceOf = async ({ ctx, id }: { ctx: Context; id: string }, from: string, to: string) =>
    (await getPerformances(ctx, [id], { from, to }))[0]!;

  it('is that of the example in the documents', async () => {
    const [prices, entries, expected] = documentTables('money.md', '## Performance').slice(1, 4);
    const a = variants[0]!;
    await setPrices(
      database(),
      a,
      prices!.map(([day, amount]) => [day!, amount!] as const),
    );
    const made = await collectionOf(
      entries!.map(([day, action, quantity, value]) =>
        entry(a, day!, action as 'Purchase' | 'Sale', Number(quantity), Number(value)),
      ),
    );
    const performance = await performanceOf(made, '2025-01-01', '2025-12-31');
    const shown = expected!.map(([name]) => {
      const value = performance[name!.replaceAll('`', '') as keyof typeof performance];
      return value !== null && typeof value === 'object' && 'amount' in value
        ? value.amount
        : String((value as { value: number }).value);
    });
    expect(shown).toHaveLength(7);
    expect(shown).toEqual(expected!.map(([, value]) => value));
    const rate = performance.internalRateOfReturn.value!;
    const sum = -100 - 110 / (1 + rate) ** (41 / 365) + 50 / (1 + rate) ** (100 / 365) + 225 / (1 + rate);
    expect(Math.abs(sum)).toBeLessThan(1e-6);
    expect(performance).toMatchObject({ unpricedVariants: 0, unpricedUntil: null, warning: null });
  });

  it('of parts that follow on each other multiplies and adds up to that of the whole', async () => {
    const a = variants[0]!;
    await setPrices(
      database(),
      a,
      Array.from({ length: 30 }, (_, i) => [dayOf(i), String(10 + ((i * 7) % 11))]),
    );
    const made = await collectionOf([
      entry(a, dayOf(2), 'Purchase', 3, 9),
      entry(a, dayOf(10), 'Sale', 1, 13),
      entry(a, dayOf(11), 'Purchase', 4, 12.5),
    ]);
    const whole = await performanceOf(made, dayOf(0), dayOf(25));
    const parts = [
      await performanceOf(made, dayOf(0), dayOf(10)),
      await performanceOf(made, dayOf(11), dayOf(25)),
    ];
    expect(parts[1]!.startValue).toEqual(parts[0]!.endValue);
    const growth = (1 + parts[0]!.timeWeightedReturn.value!) * (1 + parts[1]!.timeWeightedReturn.value!);
    expect(whole.timeWeightedReturn.value).toBeCloseTo(growth - 1, 8);
    expect(Number(whole.gain!.amount)).toBeCloseTo(
      Number(parts[0]!.gain!.amount) + Number(parts[1]!.gain!.amount),
      6,
    );
  });

  describe('is null, with a reason,', () => {
    const returnsOf = async (entries: ReturnType<typeof entry>[], prices: Price[], from = 0, to = 10) => {
      await setPrices(database(), variants[0]!, prices);
      const performance = await performanceOf(await collectionOf(entries), dayOf(from), dayOf(to));
      const { timeWeightedReturn, internalRateOfReturn, unpricedVariants, unpricedUntil, warning } =
        performance;
      return { timeWeightedReturn, internalRateOfReturn, unpricedVariants, unpricedUntil, warning };
    };
    const none = (reason: string) => ({ value: null, reason });
    const buy = (day: number, value = 10) => entry(variants[0]!, dayOf(day), 'Purchase', 2, value);
    const sell = (day: number) => entry(variants[0]!, dayOf(day), 'Sale', 2, 10);

    it('where nothing was held', async () => {
      const nothing = { timeWeightedReturn: none('NothingHeld'), internalRateOfReturn: none('NothingHeld') };
      expect(await returnsOf([], [])).toMatchObject(nothing);
      expect(await returnsOf([buy(12)], [[dayOf(0), '5']])).toMatchObject(nothing);
      expect(await returnsOf([buy(1), sell(2)], [[dayOf(0), '5']], 3)).toMatchObject(nothing);
    });

    it('where no price is known', async () => {
      expect(await returnsOf([buy(1)], [])).toEqual({
        timeWeightedReturn: none('NoPrice'),
        internalRateOfReturn: none('NoPrice'),
        unpricedVariants: 1,
        unpricedUntil: dayOf(10),
        warning: `1 variant was held without a known price, on days up to ${dayOf(10)}, and counted as 0 there.`,
      });
    });

    it('but the internal rate where the price is known at the end', async () => {
      const late = await returnsOf([buy(1)], [[dayOf(6), '5']]);
      expect(late).toMatchObject({
        timeWeightedReturn: none('NoPrice'),
        internalRateOfReturn: { reason: null },
        unpricedUntil: dayOf(5),
      });
      // Half after 9 days.
      expect(late.internalRateOfReturn.value).toBeCloseTo(0.5 ** (365 / 9) - 1, 9);
    });

    it('where money only went in, though the time-weighted return is known', async () => {
      expect(await returnsOf([buy(1)], [[dayOf(0), '0']])).toMatchObject({
        timeWeightedReturn: { value: -1, reason: null },
        internalRateOfReturn: none('NoOppositeFlows'),
      });
    });

    it('where something came of nothing', async () => {
      expect(await returnsOf([sell(3)], [[dayOf(0), '5']])).toMatchObject({
        timeWeightedReturn: none('NothingPaidIn'),
        internalRateOfReturn: none('NoOppositeFlows'),
      });
    });

    it('where the rate is more than a number holds', async () => {
      expect(await returnsOf([buy(9, 0.01)], [[dayOf(0), '5']])).toMatchObject({
        timeWeightedReturn: { value: 499, reason: null },
        internalRateOfReturn: none('NoRate'),
      });
    });
  });

  it('counts what has no price as 0, and says so', async () => {
    const [a, b] = variants as [string, string];
    await setPrices(database(), a, [[dayOf(0), '10']]);
    await setPrices(database(), b, [
      [dayOf(3), '5'],
      [dayOf(8), null],
    ]);
    const made = await collectionOf([
      entry(a, dayOf(1), 'Purchase', 1, 10),
      entry(b, dayOf(1), 'Purchase', 2, 5),
    ]);
    expect(await performanceOf(made, dayOf(0), dayOf(7))).toMatchObject({
      endValue: { amount: '20.00' },
      gain: { amount: '0.00' },
      timeWeightedReturn: { value: 0 },
      unpricedVariants: 1,
      unpricedUntil: dayOf(2),
    });
    expect(await performanceOf(made, dayOf(4), dayOf(7))).toMatchObject({
      unpricedVariants: 0,
      warning: null,
    });
    const range = { from: dayOf(0), to: dayOf(9), interval: 'Day' as const };
    const [points] = await getValueHistory(made.ctx, [made.id], range);
    expect(points!.map(({ unpricedVariants }) => unpricedVariants)).toEqual([0, 1, 1, 0, 0, 0, 0, 0, 1, 1]);
  });

  it.each([
    [
      'between two known ones',
      [
        ['0', '5'],
        ['4', null],
        ['6', '7'],
      ],
      9,
      1,
      5,
    ],
    [
      'from the day on that it is sold',
      [
        ['0', '5'],
        ['9', null],
      ],
      9,
      0,
      null,
    ],
    [
      'up to the day that it is sold',
      [
        ['0', '5'],
        ['8', null],
      ],
      9,
      1,
      8,
    ],
    ['up to the day that it is bought', [['1', '5']], 9, 0, null],
  ] as const)('tells a price that is unknown %s', async (_, prices, sold, unpricedVariants, until) => {
    const [a] = variants as [string];
    await setPrices(
      database(),
      a,
      prices.map(([day, amount]) => [dayOf(Number(day)), amount] as const),
    );
    const made = await collectionOf([
      entry(a, dayOf(1), 'Purchase', 1, 10),
      entry(a, dayOf(sold), 'Sale', 1, 10),
    ]);
    expect(await performanceOf(made, dayOf(0), dayOf(12))).toMatchObject({
      unpricedVariants,
      unpricedUntil: until === null ? null : dayOf(until),
    });
  });

  const price = fc.record({
    day: fc.integer({ min: -5, max: DAYS }),
    variant: fc.nat({ max: 3 }),
    amount: fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: 1, max: 99_999 }).map((cents) => (cents / 100).toFixed(2)) },
      { weight: 1, arbitrary: fc.constantFrom(null, '0', '0.123456', '1234567890123.5') },
    ),
    currency: fc.constantFrom(...CURRENCIES),
  });
  const deal = fc.record({
    day: fc.integer({ min: -3, max: DAYS - 2 }),
    variant: fc.nat({ max: 3 }),
    collection: fc.nat({ max: 1 }),
    action: fc.constantFrom('Purchase', 'Purchase', 'Sale' as const),
    quantity: fc.integer({ min: 1, max: 7 }),
    value: fc.integer({ min: 1, max: 999_999 }).map((units) => units / 10_000),
    currency: fc.constantFrom(...CURRENCIES),
    charges: fc.record({ fees: fc.constantFrom(0, 0.0001, 2.5, 40), shipping: fc.constantFrom(0, 4.99) }),
  });
  const history = fc.record({
    prices: fc.array(price, { maxLength: 40 }),
    deals: fc.array(deal, { minLength: 1, maxLength: 14 }),
    edits: fc.array(fc.record({ at: fc.nat(), deal: fc.option(deal) }), { maxLength: 6 }),
    currency: fc.constantFrom(...CURRENCIES),
    from: fc.integer({ min: 0, max: 15 }),
  });
  type History = typeof history extends fc.Arbitrary<infer T> ? T : never;
  type Deal = History['deals'][number];

  async function record({ prices, deals, edits, currency }: History) {
    const ctx = await newAccount(database(), { currency });
    for (const [i, variantId] of variants.slice(0, 4).entries()) {
      const own = new Map(prices.filter(({ variant }) => variant === i).map((price) => [price.day, price]));
      await setPrices(
        database(),
        variantId,
        [...own.values()].map(({ day, amount, currency }) => [dayOf(day), amount, currency] as const),
      );
    }
    const entryOf = ({ variant, day, action, quantity, value, currency, charges }: Deal) =>
      entry(
        variants[variant]!,
        dayOf(day),
        action as 'Purchase' | 'Sale',
        quantity,
        value,
        currency,
        charges,
      );
    const ids: string[] = [];
    for (const collection of [0, 1]) {
      const { id } = await createCollection(ctx, { name: 'Random' });
      ids.push(id);
      await updateCollection(ctx, id, { valued: true });
      const own = deals.filter((of) => of.collection === collection).map(entryOf);
      const made = own.length === 0 ? [] : await createTransactions(ctx, id, own);
      for (const { at, deal } of edits.filter(({ at }) => made.length > 0 && at % 2 === collection)) {
        const transactionId = made.splice(at % made.length, 1)[0]!.id;
        if (!deal) await deleteTransaction(ctx, transactionId);
        else {
          const { variantId: _, ...changes } = entryOf(deal);
          await updateTransaction(ctx, transactionId, changes);
        }
        if (made.length === 0) break;
      }
    }
    return { ctx, ids };
  }

  it('is that of fractions, day by day, to the last digit', { timeout: 600_000 }, async () => {
    let defined = 0;
    await fc.assert(
      fc.asyncProperty(history, async (random) => {
        const { currency, from } = random;
        const { ctx, ids } = await record(random);
        const market = await NaiveMarket.read(database(), variants);
        const dates = Array.from({ length: DAYS - from + 1 }, (_, i) => dayOf(from - 1 + i));
        const range = { from: dates[1]!, to: dates.at(-1)! };
        const digits = currency === 'JPY' ? 0 : 2;
        const shown = (exact: Fraction) => ({ currency, amount: toDecimal(exact, digits) });
        const compare = async (
          collections: string[],
          points: Awaited<ReturnType<typeof getDashboardHistory>>,
          performance: Awaited<ReturnType<typeof getDashboardPerformance>>,
        ) => {
          const days = await naiveDays(database(), market, collections, dates, currency);
          expect(points).toEqual(
            days.slice(1).map((day) => ({
              date: day.date,
              invested: shown(day.invested),
              marketValue: shown(day.marketValue),
              knownMarketValue:
                day.unpriced > 0 && day.marketValue.numerator === 0n ? null : shown(day.marketValue),
              profit: shown(day.profit),
              paidIn: shown(day.paidIn),
              takenOut: shown(day.takenOut),
              unpricedVariants: day.unpriced,
              warning: day.unpriced > 0 ? expect.any(String) : null,
            })),
          );
          comparePerformance(performance, days, shown);
          if (performance.timeWeightedReturn.value !== null) defined++;
        };
        const histories = await getValueHistory(ctx, ids, { ...range, interval: 'Day' });
        const performances = await getPerformances(ctx, ids, range);
        for (const i of [0, 1]) await compare([ids[i]!], histories[i]!, performances[i]!);
        await compare(
          ids,
          await getDashboardHistory(ctx, { ...range, interval: 'Day' }),
          await getDashboardPerformance(ctx, range),
        );
      }),
      { numRuns: fuzzRuns(25) },
    );
    expect(defined).toBeGreaterThan(10);
  });

  function comparePerformance(
    performance: Awaited<ReturnType<typeof getDashboardPerformance>>,
    days: readonly NaiveDay[],
    shown: (exact: Fraction) => Money,
  ) {
    const [first, last] = [days[0]!, days.at(-1)!];
    const within = days.slice(1);
    const paidIn = within.map((day) => day.paidIn).reduce(add, ZERO);
    const takenOut = within.map((day) => day.takenOut).reduce(add, ZERO);
    const { timeWeightedReturn, internalRateOfReturn, unpricedUntil, ...amounts } = performance;
    expect(amounts).toMatchObject({
      startValue: shown(first.marketValue),
      endValue: shown(last.marketValue),
      paidIn: shown(paidIn),
      takenOut: shown(takenOut),
      gain: shown(subtract(add(last.marketValue, takenOut), add(first.marketValue, paidIn))),
    });
    expect(unpricedUntil).toBe(days.filter(({ unpriced }) => unpriced > 0).at(-1)?.date ?? null);
    if (timeWeightedReturn.value !== null)
      expect(timeWeightedReturn.value).toBe(Number(toDecimal(naiveTimeWeightedReturn(days)!, 10)));
    else if (timeWeightedReturn.reason !== 'NoPrice') expect(naiveTimeWeightedReturn(days)).toBeNull();
    else
      expect(days.some(({ marketValue, unpriced }) => marketValue.numerator === 0n && unpriced > 0)).toBe(
        true,
      );
    const rate = internalRateOfReturn.value;
    if (rate === null || Math.abs(rate) > 1000 || rate < -0.99) return;
    const flows = days.map(({ date, paidIn, takenOut, marketValue }, i) => {
      const value = i === 0 ? -toNumber(marketValue) : i === days.length - 1 ? toNumber(marketValue) : 0;
      const flow = i === 0 ? 0 : toNumber(subtract(takenOut, paidIn));
      return { years: (dayNumber(date) - dayNumber(first.date)) / 365, amount: value + flow };
    });
    const at = (x: number) => flows.reduce((sum, { years, amount }) => sum + amount / (1 + x) ** years, 0);
    const size = flows.reduce((sum, { amount }) => sum + Math.abs(amount), 0);
    const [below, above] = [at(rate - 2e-10), at(rate + 2e-10)];
    // The sum changes its sign within the rounding of the rate, or is 0 to what doubles tell.
    expect(below > 0 !== above > 0 || Math.abs(below) < 1e-12 * size).toBe(true);
  }

  it('is of the caller alone', async () => {
    const made = await collectionOf([entry(variants[0]!, dayOf(1), 'Purchase', 2, 10)]);
    const stranger = await newAccount(database());
    const range = { from: dayOf(0), to: dayOf(10) };
    await expect(getPerformances(stranger, [made.id], range)).rejects.toMatchObject({ problem: 'NotFound' });
    await expect(getValueHistory(stranger, [made.id], { ...range, interval: 'Day' })).rejects.toMatchObject({
      problem: 'NotFound',
    });
    await updateCollection(made.ctx, made.id, { valued: true });
    expect(await getDashboardPerformance(made.ctx, range)).toMatchObject({ paidIn: { amount: '20.00' } });
    expect(await getDashboardPerformance(stranger, range)).toMatchObject({
      paidIn: { amount: '0.00' },
      timeWeightedReturn: { reason: 'NothingHeld' },
    });
  });

  it.each([
    ['2025-02-30', '2025-03-01', 'from'],
    ['2025-01-02', '2025-01-01', 'to'],
    ['1969-12-31', '2025-01-01', 'from'],
    ['2025-01-01', '2026-04-15', 'to'],
  ])('refuses %s to %s', async (from, to, field) => {
    const ctx = await newAccount(database());
    const refused = { problem: 'ValidationFailed', details: { breaches: [{ path: [field] }] } };
    await expect(getPerformances(ctx, [], { from, to })).rejects.toMatchObject(refused);
    await expect(getDashboardPerformance(ctx, { from, to })).rejects.toMatchObject(refused);
  });
});
