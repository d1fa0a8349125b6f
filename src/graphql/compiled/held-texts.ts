import type { Catalogue } from '../../services/catalogue/catalogue.ts';
import type { Write } from './run.ts';

const MAX_BYTES = 32 * 1024 * 1024;
/** Of an entry, beside its text. */
const BYTES_PER_ENTRY = 100;

type Texts = Map<unknown, string>;

/**
 * What was written of products and variants, which are the same for everybody until the next import: for each selection,
 * and each currency and source of prices where it shows any. All are forgotten when the catalogue changes, or when they
 * take too much.
 */
export class HeldTexts {
  #catalogue: Catalogue | undefined;
  #texts = new Map<Write, Map<string, Texts>>();
  #bytes = 0;
  readonly #maxBytes: number;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** By object. */
  of(catalogue: Catalogue, write: Write, prices: string): Texts {
    if (catalogue !== this.#catalogue) this.#forget(catalogue);
    let byPrices = this.#texts.get(write);
    if (!byPrices) {
      byPrices = new Map();
      this.#texts.set(write, byPrices);
    }
    let texts = byPrices.get(prices);
    if (!texts) {
      texts = new Map();
      byPrices.set(prices, texts);
    }
    return texts;
  }

  keep(texts: Texts, object: unknown, text: string): void {
    this.#bytes += text.length + BYTES_PER_ENTRY;
    if (this.#bytes > this.#maxBytes) this.#forget(this.#catalogue);
    else texts.set(object, flat(text));
  }

  #forget(catalogue: Catalogue | undefined): void {
    this.#catalogue = catalogue;
    this.#texts = new Map();
    this.#bytes = 0;
  }
}

/** The text in one piece: V8 would keep all the pieces that it was put together from. */
function flat(text: string): string {
  text.charCodeAt(0);
  return text;
}
