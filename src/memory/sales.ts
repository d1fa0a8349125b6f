import type { HeldSalesRow } from '../db/queries/held-catalogue.ts';
import { LIMITS } from '../domain/limits.ts';
import { saleVolumesOf } from '../domain/sale-volumes.ts';

/** Sales per day, by the variants' places. */
export class Sales {
  readonly #newestDay: string | null;
  readonly #daily: (Uint16Array | Uint32Array | null)[];
  readonly #through: (string | null)[];
  readonly #totals: Float64Array;

  constructor(variantCount: number, newestDay: string | null) {
    this.#newestDay = newestDay;
    this.#daily = new Array(variantCount).fill(null);
    this.#through = new Array(variantCount).fill(null);
    this.#totals = new Float64Array(variantCount);
  }

  add(place: number, { daily, through, total }: Omit<HeldSalesRow, 'variantId'>): void {
    this.#daily[place] = compact(daily);
    this.#through[place] = through;
    this.#totals[place] = total;
  }

  /** Per day of the last 30 days, the last one for the newest day that has been imported. */
  volumes(place: number): number[] {
    const through = this.#through[place]!;
    return saleVolumesOf({ daily: this.#daily[place]!, through, newestDay: this.#newestDay });
  }

  total(place: number): number {
    return this.#totals[place]!;
  }
}

/** Most variants are not sold. */
function compact(daily: readonly number[]): Uint16Array | Uint32Array | null {
  const last = daily.slice(-LIMITS.saleVolumeDays);
  if (!last.some((sales) => sales !== 0)) return null;
  return Math.max(...last) < 65_536 ? Uint16Array.from(last) : Uint32Array.from(last);
}
