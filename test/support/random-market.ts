import type { OpenDatabase } from '../../src/db/client.ts';
import { addDays } from '../../src/domain/dates.ts';
import { marketChanged } from '../../src/memory/memory.ts';
import { derivePriceMoves } from '../../src/services/market/import-run.ts';

/** Numbers from 0 to 1 that are the same each time. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** The prices of a variant: each day on which they became others, ascending, with null where none is known from then on. */
export type PriceSteps = { day: string; currency: string; amount: string | null }[];

/**
 * Replaces all prices of a database by random ones of some variants, in two currencies, over four years up to `newest`: some
 * change daily, some once, some are not known any more, some of 0, and some known only since lately. The others have none.
 */
export async function randomPrices(
  db: OpenDatabase,
  variants: readonly string[],
  newest: string,
  random: () => number,
): Promise<Map<string, PriceSteps>> {
  const market = new Map(variants.map((variant) => [variant, randomSteps(newest, random)]));
  const years = [...market].flatMap(([variant, steps]) =>
    [...new Set(steps.map(({ day }) => day.slice(0, 4)))].map((year) => {
      const inYear = steps.filter(({ day }) => day.startsWith(year));
      const column = (name: 'day' | 'currency' | 'amount') =>
        `{${inYear.map((step) => step[name] ?? 'NULL').join()}}`;
      return {
        variant,
        year,
        days: column('day'),
        currencies: column('currency'),
        amounts: column('amount'),
      };
    }),
  );
  const prices = [...market].flatMap(([variant, steps]) => {
    const last = steps.at(-1);
    return last ? [{ variant, currency: last.currency, amount: last.amount }] : [];
  });
  await db.transaction(async (tx) => {
    for (const table of ['price', 'price_year']) await tx.query(`delete from ${table}`);
    await tx.query(
      `insert into price_year (variant_id, source, year, days, currencies, amounts)
       select variant, 'VendorMarket', year, days::date[], currencies::text[], amounts::numeric[]
       from jsonb_to_recordset($1::jsonb) as r(variant text, year integer, days text, currencies text, amounts text)`,
      [JSON.stringify(years)],
    );
    await tx.query(
      `insert into price (variant_id, source, currency, amount, as_of)
       select variant, 'VendorMarket', currency, amount, $2::date
       from jsonb_to_recordset($1::jsonb) as r(variant text, currency text, amount numeric)`,
      [JSON.stringify(prices), newest],
    );
    await tx.query(
      `update market_data set newest_day = $1::date, revision = revision + 1 where kind = 'prices'`,
      [newest],
    );
    await derivePriceMoves(tx);
  });
  marketChanged(db);
  return market;
}

function randomSteps(newest: string, random: () => number): PriceSteps {
  const whole = (most: number) => Math.floor(random() * most);
  const count = [0, 1, 2, 30, 300][whole(5)]!;
  const reach = [3, 40, 400, 1300][whole(4)]!;
  const days = new Set(Array.from({ length: count }, () => addDays(newest, -whole(reach))));
  return [...days].sort().map((day) => {
    const isUnknown = random() < 0.05;
    const amount = random() < 0.05 ? '0' : (whole(2000) / 100 + whole(100) / 10_000).toFixed(4);
    return { day, currency: random() < 0.2 ? 'EUR' : 'USD', amount: isUnknown ? null : amount };
  });
}

/** The price at the end of a day; null where none is known. */
export function priceAt(steps: PriceSteps, day: string): { currency: string; amount: string } | null {
  const last = steps.filter((step) => step.day <= day).at(-1);
  return last?.amount == null ? null : { currency: last.currency, amount: last.amount };
}
