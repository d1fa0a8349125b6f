import { LRUCache } from 'lru-cache';
import { type Currency, isCurrency } from '../domain/currencies.ts';
import { derivedMoney, type Money, product as times, unitsOf } from '../domain/money.ts';

/** Pairs of a source and a currency whose amounts are kept once they were asked for; one takes some 80 bytes a variant. */
const MAX_CURRENCIES = 4;
/** Where there are as many, another takes the place of the one that was not asked for for longest when so many amounts were asked for in it: to make one takes as long as some dozens of them. */
const ASKED_BEFORE_KEPT = 500;

/** The latest prices of a source, by the variants' places: undefined where none is known. */
export interface PriceList {
  currencies: (string | undefined)[];
  amounts: (string | undefined)[];
  /** Of the amounts, for sums. */
  units: number[];
}

export class Prices {
  readonly #lists = new Map<string, PriceList>();

  add(place: number, source: string, currency: string, amount: string): void {
    const list = this.#lists.get(source) ?? { currencies: [], amounts: [], units: [] };
    this.#lists.set(source, list);
    list.currencies[place] = currency;
    list.amounts[place] = amount;
    list.units[place] = unitsOf(amount);
  }

  of(source: string): PriceList | undefined {
    return this.#lists.get(source);
  }
}

/** The latest rate from one currency to another. */
export class Rates {
  readonly #rates = new Map<string, string>();

  add(from: string, to: string, rate: string): void {
    this.#rates.set(`${from} ${to}`, rate);
  }

  rate(from: string, to: string): string | undefined {
    return this.#rates.get(`${from} ${to}`);
  }
}

/** Amounts by the variants' places: null where no price is known, undefined where none was asked for. */
interface Converted {
  source: string;
  currency: Currency;
  exact: (string | null | undefined)[];
  rounded: (Money | null | undefined)[];
}

/** The latest market prices at the latest rates. */
export class Pricing {
  readonly prices: Prices;
  readonly rates: Rates;
  readonly #variantCount: number;
  readonly #converted = new LRUCache<string, Converted>({ max: MAX_CURRENCIES });
  /** How often those were asked for that are not kept. */
  readonly #asked = new Map<string, number>();
  /** What was asked for last, which mostly is asked for next. */
  #last: Converted | undefined;

  constructor(variantCount: number, prices: Prices, rates: Rates) {
    this.#variantCount = variantCount;
    this.prices = prices;
    this.rates = rates;
  }

  /** Unrounded, and kept where there is room; null where no price is known. */
  exact(place: number, currency: Currency, source: string): string | null {
    const kept = this.#convertedTo(currency, source);
    if (!kept) return this.converted(place, currency, source);
    const { exact } = kept;
    let amount = exact[place];
    if (amount === undefined) {
      amount = this.converted(place, currency, source);
      exact[place] = amount;
    }
    return amount;
  }

  /** Gives the exact amounts in units of a `DecimalSum`; NaN where none is known, or it is long. */
  units(currency: Currency, source: string): (place: number) => number {
    const list = this.prices.of(source);
    return (place) => {
      if (list?.currencies[place] === currency) return list.units[place]!;
      const amount = this.exact(place, currency, source);
      return amount === null ? Number.NaN : unitsOf(amount);
    };
  }

  rounded(place: number, currency: Currency, source: string): Money | null {
    const kept = this.#convertedTo(currency, source);
    const known = kept?.rounded[place];
    if (known !== undefined) return known;
    const exact = kept ? this.exact(place, currency, source) : this.converted(place, currency, source);
    const money = exact === null ? null : derivedMoney(currency, exact);
    if (kept) kept.rounded[place] = money;
    return money;
  }

  /** Null where it is not kept. */
  #convertedTo(currency: Currency, source: string): Converted | null {
    const last = this.#last;
    if (last && last.currency === currency && last.source === source) return last;
    const key = `${source} ${currency}`;
    const converted = this.#converted.get(key) ?? this.#newlyKept(key, currency, source);
    if (converted) this.#last = converted;
    return converted;
  }

  #newlyKept(key: string, currency: Currency, source: string): Converted | null {
    if (this.#converted.size >= MAX_CURRENCIES) {
      const asked = (this.#asked.get(key) ?? 0) + 1;
      this.#asked.set(key, asked % ASKED_BEFORE_KEPT);
      if (asked < ASKED_BEFORE_KEPT) return null;
    }
    const empty = () => new Array(this.#variantCount);
    const converted = { source, currency, exact: empty(), rounded: empty() };
    this.#converted.set(key, converted);
    return converted;
  }

  /** The same, and not kept: for who asks for all. */
  converted(place: number, currency: Currency, source: string): string | null {
    const list = this.prices.of(source);
    const from = list?.currencies[place];
    const rate = from && isCurrency(currency) ? this.rates.rate(from, currency) : undefined;
    // As in SQL, an amount of a currency without a rate is not known.
    if (rate === undefined) return null;
    const amount = list!.amounts[place]!;
    return rate === '1' ? amount : times(amount, rate);
  }
}
