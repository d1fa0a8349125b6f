import type { PricedHolding } from '../domain/holding-value.ts';
import { unitsOf } from '../domain/money.ts';
import { countedInParts, type Parts } from '../lib/parts.ts';
import type { NamedVariant, Names } from './names.ts';

/** How many lines a text has. */
export function countLines(text: string): number {
  if (text === '') return 0;
  let count = 1;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) count++;
  return count;
}

/**
 * What a collection holds, taken apart from its lines: a holding is known by its place among them. Columns, since objects
 * would take three times the memory, and would have to be gone through by each collection of garbage.
 */
export class Holdings {
  readonly size: number;
  readonly lines: string;
  /** The places of their variants. */
  readonly variants: Uint32Array;
  readonly quantities: Float64Array;
  /** What is invested in units of a `DecimalSum`; NaN where it is long. */
  readonly investedUnits: Float64Array;
  /** Cards whose cost is not known, or in part. */
  readonly unknownCosts: Float64Array;
  readonly #starts: Uint32Array;

  private constructor(lines: readonly string[]) {
    this.size = lines.length;
    this.lines = lines.join('\n');
    this.variants = new Uint32Array(lines.length);
    this.quantities = new Float64Array(lines.length);
    this.investedUnits = new Float64Array(lines.length);
    this.unknownCosts = new Float64Array(lines.length);
    this.#starts = new Uint32Array(lines.length);
    let start = 0;
    for (const [i, line] of lines.entries()) {
      this.#starts[i] = start;
      start += line.length + 1;
    }
  }

  /** Null where the names do not have one of the variants. */
  static *of(lines: string, names: Names): Parts<Holdings | null> {
    const all = lines === '' ? [] : lines.split('\n');
    const holdings = new Holdings(all);
    let isWhole = true;
    yield* countedInParts(all.length, (i) => {
      isWhole &&= holdings.#read(i, all[i]!, names);
    });
    return isWhole ? holdings : null;
  }

  /** With other lines at some places, all of variants that the names have; new places are behind all others. */
  changed(changes: ReadonlyMap<number, string>, names: Names): Holdings {
    const all = Array.from({ length: this.size }, (_, i) => this.line(i));
    for (const [place, line] of changes) all[place] = line;
    const holdings = new Holdings(all);
    holdings.variants.set(this.variants);
    holdings.quantities.set(this.quantities);
    holdings.investedUnits.set(this.investedUnits);
    holdings.unknownCosts.set(this.unknownCosts);
    for (const [place, line] of changes) holdings.#read(place, line, names);
    return holdings;
  }

  #read(i: number, line: string, names: Names): boolean {
    const quantity = line.indexOf(' ') + 1;
    const invested = line.indexOf(' ', quantity) + 1;
    const variant = names.variant(line.slice(0, quantity - 1));
    if (!variant) return false;
    this.variants[i] = variant.place;
    this.quantities[i] = Number(line.slice(quantity, invested - 1));
    this.investedUnits[i] = unitsOf(line.slice(invested, line.indexOf(' ', invested)));
    this.unknownCosts[i] = Number(line.slice(line.lastIndexOf(' ') + 1));
    return true;
  }

  line(i: number): string {
    const start = this.#starts[i]!;
    const end = this.lines.indexOf('\n', start);
    return this.lines.slice(start, end === -1 ? undefined : end);
  }

  /** Exact. */
  invested(i: number): string {
    return this.line(i).split(' ', 3)[2]!;
  }

  priced(i: number, price: string | null): PricedHolding {
    return {
      price,
      quantity: this.quantities[i]!,
      invested: this.invested(i),
      unknownCost: this.unknownCosts[i]!,
    };
  }

  /** That of a variant; -1 where there is none. */
  placeOf({ place }: NamedVariant): number {
    return this.variants.indexOf(place);
  }
}
