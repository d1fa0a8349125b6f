import { type Fixed, fixed, fixedOfUnits } from './fixed-point.ts';
import type { PriceChanges } from './price-changes.ts';

const UNIT_DECIMALS = 4;

/** Sums of prices of one currency by steps, as differences to the step before: short ones as whole doubles, others as big ones. */
export class Differences {
  readonly #units: Float64Array;
  readonly #others = new Map<number, Fixed>();

  constructor(steps: number) {
    this.#units = new Float64Array(steps);
  }

  add(step: number, quantity: number, changes: PriceChanges, price: number): void {
    const more = changes.units[price]! * quantity;
    const sum = this.#units[step]! + more;
    if (Number.isSafeInteger(more) && Number.isSafeInteger(sum)) this.#units[step] = sum;
    else {
      const exact = fixed(changes.exact(price)) * BigInt(quantity);
      this.#others.set(step, (this.#others.get(step) ?? 0n) + exact);
    }
  }

  at(step: number): Fixed {
    const units = this.#units[step]!;
    return (units === 0 ? 0n : fixedOfUnits(BigInt(units), UNIT_DECIMALS)) + (this.#others.get(step) ?? 0n);
  }
}
