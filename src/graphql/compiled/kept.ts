import type { Catalogue } from '../../memory/catalogue.ts';
import type { Preferences } from '../../services/accounts/preferences.ts';

const MAX_BYTES = 32 * 1024 * 1024;
/** Of an entry, beside its texts. */
const BYTES_PER_ENTRY = 200;

/**
 * What was made of the catalogue in memory, which is the same for everybody until the next import: for each owner, and for
 * each currency and source of prices where it shows any. All is forgotten when the catalogue changes, or when it takes
 * too much; what an owner has, when nothing else holds the owner.
 */
export class Kept<V> {
  #catalogue: Catalogue | undefined;
  #values = new WeakMap<object, Map<string, Map<unknown, V>>>();
  #bytes = 0;
  /** What was asked for last, which mostly is asked for next. */
  #last: { owner: object; prices: string; values: Map<unknown, V> } | undefined;
  readonly #maxBytes: number;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  of(catalogue: Catalogue, owner: object, prices: string): Map<unknown, V> {
    if (catalogue !== this.#catalogue) this.#forget(catalogue);
    const last = this.#last;
    if (last?.owner === owner && last.prices === prices) return last.values;
    let byPrices = this.#values.get(owner);
    if (!byPrices) {
      byPrices = new Map();
      this.#values.set(owner, byPrices);
    }
    let values = byPrices.get(prices);
    if (!values) {
      values = new Map();
      byPrices.set(prices, values);
    }
    this.#last = { owner, prices, values };
    return values;
  }

  /** @param characters of the texts that the entry has */
  keep(values: Map<unknown, V>, key: unknown, value: V, characters: number): void {
    this.#bytes += characters + BYTES_PER_ENTRY;
    if (this.#bytes > this.#maxBytes) this.#forget(this.#catalogue);
    else values.set(key, value);
  }

  #forget(catalogue: Catalogue | undefined): void {
    this.#catalogue = catalogue;
    this.#values = new WeakMap();
    this.#last = undefined;
    this.#bytes = 0;
  }
}

/** Names the prices that preferences ask for. */
export function pricesOf({ preferredCurrency, preferredPriceSource }: Preferences): string {
  return `${preferredCurrency} ${preferredPriceSource}`;
}

/** The text in one piece: V8 would keep all the pieces that it was put together from. */
export function flat(text: string): string {
  text.charCodeAt(0);
  return text;
}
