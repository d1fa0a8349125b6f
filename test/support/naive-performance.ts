import type { OpenDatabase } from '../../src/db/client.ts';
import {
  add,
  divide,
  type Fraction,
  fraction,
  multiply,
  parseFraction,
  subtract,
  toDecimal,
  ZERO,
} from '../../src/domain/fraction.ts';

/**
 * What collections were worth and how they did, by fractions, day after day from the rows of the database: slow, and written apart from
 * the product.
 */

interface Entry {
  variantId: string;
  occurred: string;
  action: 'Purchase' | 'Sale';
  quantity: number;
  unitAmount: string;
  fees: string;
  shipping: string;
  rate: string;
}

interface Price {
  variantId: string;
  day: string;
  currency: string;
  amount: string | null;
}

export interface NaiveDay {
  date: string;
  invested: Fraction;
  profit: Fraction;
  marketValue: Fraction;
  unpriced: number;
  paidIn: Fraction;
  takenOut: Fraction;
}

const decimal = (text: string) => parseFraction(text);
const RATE_DECIMALS = 20;

export class NaiveMarket {
  readonly #prices: Price[];
  readonly #rates: { currency: string; day: string; perEuro: string }[];

  static async read(db: OpenDatabase, variantIds: readonly string[]): Promise<NaiveMarket> {
    const prices = await db.query<Price>(
      `select variant_id as "variantId", day::text as day, currency, amount from price_history
       where variant_id in (select jsonb_array_elements_text($1::jsonb)) order by day`,
      [JSON.stringify(variantIds)],
    );
    const rates = await db.query<{ currency: string; day: string; perEuro: string }>(
      `select currency, day::text as day, per_euro as "perEuro" from fx_rate order by day`,
    );
    return new NaiveMarket(prices, rates);
  }

  private constructor(prices: Price[], rates: { currency: string; day: string; perEuro: string }[]) {
    this.#prices = prices;
    this.#rates = rates;
  }

  /** Null where none is known. */
  price(variantId: string, day: string, currency: string): Fraction | null {
    const price = this.#prices.filter((of) => of.variantId === variantId && of.day <= day).at(-1);
    if (!price || price.amount === null) return null;
    return multiply(decimal(price.amount), this.#rate(price.currency, currency, day));
  }

  /** As rates are recorded: to 20 decimals. */
  #rate(from: string, to: string, day: string): Fraction {
    if (from === to) return fraction(1n);
    return decimal(toDecimal(divide(this.#perEuro(to, day), this.#perEuro(from, day)), RATE_DECIMALS));
  }

  #perEuro(currency: string, day: string): Fraction {
    if (currency === 'EUR') return fraction(1n);
    const rates = this.#rates.filter((rate) => rate.currency === currency);
    return decimal((rates.filter((rate) => rate.day <= day).at(-1) ?? rates[0]!).perEuro);
  }
}

/** Every day of a range, and the one before it, of collections together. */
export async function naiveDays(
  db: OpenDatabase,
  market: NaiveMarket,
  collectionIds: readonly string[],
  dates: readonly string[],
  currency: string,
): Promise<NaiveDay[]> {
  const ledgers = await Promise.all(
    collectionIds.map((id) =>
      db.query<Entry>(
        `select t.variant_id as "variantId", t.occurred::text as occurred, t.action, t.quantity, t.unit_amount as "unitAmount", t.fees, t.shipping, t.rate
         from transaction t join collection c on c.account_id = t.account_id and c.id = t.collection_id where c.id = $1`,
        [id],
      ),
    ),
  );
  return dates.map((date) => {
    const parts = ledgers.flatMap((entries) => holdingsOn(entries, date, market, currency));
    const sum = (of: (part: (typeof parts)[number]) => Fraction) => parts.map(of).reduce(add, ZERO);
    const ofDay = (action: string) =>
      ledgers
        .flat()
        .filter((entry) => entry.occurred === date && entry.action === action)
        .map(amountOf)
        .reduce(add, ZERO);
    return {
      date,
      invested: sum(({ invested }) => invested),
      profit: sum(({ profit }) => profit),
      marketValue: sum(({ marketValue }) => marketValue),
      unpriced: parts.filter(({ isUnpriced }) => isUnpriced).length,
      paidIn: ofDay('Purchase'),
      takenOut: ofDay('Sale'),
    };
  });
}

function amountOf({ action, quantity, unitAmount, fees, shipping, rate }: Entry): Fraction {
  const cards = multiply(fraction(BigInt(quantity)), decimal(unitAmount));
  const charges = add(decimal(fees), decimal(shipping));
  return multiply(action === 'Purchase' ? add(cards, charges) : subtract(cards, charges), decimal(rate));
}

function holdingsOn(entries: readonly Entry[], date: string, market: NaiveMarket, currency: string) {
  const until = entries.filter(({ occurred }) => occurred <= date);
  return [...new Set(until.map(({ variantId }) => variantId))].map((variantId) => {
    const own = (action: string) => until.filter((of) => of.variantId === variantId && of.action === action);
    const count = (action: string) => own(action).reduce((sum, { quantity }) => sum + BigInt(quantity), 0n);
    const amount = (action: string) => own(action).map(amountOf).reduce(add, ZERO);
    const [bought, sold] = [count('Purchase'), count('Sale')];
    const average = bought === 0n ? ZERO : divide(amount('Purchase'), fraction(bought));
    const held = bought > sold ? bought - sold : 0n;
    const price = market.price(variantId, date, currency);
    return {
      invested: multiply(average, fraction(held)),
      profit: subtract(amount('Sale'), multiply(average, fraction(sold))),
      marketValue: price ? multiply(price, fraction(held)) : ZERO,
      isUnpriced: held > 0n && price === null,
    };
  });
}

/** Of the days from the second on, by those with cash flows: null where it is not defined. */
export function naiveTimeWeightedReturn(all: readonly NaiveDay[]): Fraction | null {
  const flows = (day: NaiveDay | undefined) =>
    day !== undefined && (day.paidIn.numerator !== 0n || day.takenOut.numerator !== 0n);
  const days = all.filter((day, i) => i === 0 || i === all.length - 1 || flows(day) || flows(all[i + 1]));
  let growth: Fraction | null = null;
  for (let i = 1; i < days.length; i++) {
    const before = add(days[i - 1]!.marketValue, days[i]!.paidIn);
    const after = add(days[i]!.marketValue, days[i]!.takenOut);
    if (before.numerator === 0n && after.numerator === 0n) continue;
    if (before.numerator === 0n) return null;
    growth = multiply(growth ?? fraction(1n), divide(after, before));
  }
  return growth && subtract(growth, fraction(1n));
}
