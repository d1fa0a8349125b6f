import { Decimal } from 'decimal.js';

/** What the market value of what is held is divided by. */
export const ALLOCATION_KEYS = ['Set', 'Rarity', 'Class', 'Finish'] as const;
export type AllocationKey = (typeof ALLOCATION_KEYS)[number];

/** Decimals of a share: hundredths of a percent. */
const SHARE_DECIMALS = 4;
const WHOLE = 10n ** BigInt(SHARE_DECIMALS);

/**
 * The shares of values (decimals, none below 0) in their sum, to 4 decimals, by the largest remainder: each is rounded down, and
 * what is missing to 1 goes, a ten-thousandth each, to those that lost most by it, the first of those that lost as much. So
 * they add up to exactly 1. Null for all where the sum is 0.
 */
export function sharesOf(values: readonly string[]): (string | null)[] {
  const whole = wholeNumbers(values);
  const sum = whole.reduce((a, b) => a + b, 0n);
  if (sum === 0n) return values.map(() => null);
  const shares = whole.map((value) => (value * WHOLE) / sum);
  const lost = whole.map((value) => (value * WHOLE) % sum);
  const missing = Number(WHOLE - shares.reduce((a, b) => a + b, 0n));
  const byLoss = whole
    .map((_, i) => i)
    .sort((a, b) => Number(lost[b]! > lost[a]!) - Number(lost[b]! < lost[a]!) || a - b);
  for (const i of byLoss.slice(0, missing)) shares[i]!++;
  return shares.map((share) =>
    new Decimal(share.toString()).dividedBy(WHOLE.toString()).toFixed(SHARE_DECIMALS),
  );
}

/** In the unit of the smallest digit of all. */
function wholeNumbers(values: readonly string[]): bigint[] {
  const decimalsOf = (value: string) => value.split('.')[1]?.length ?? 0;
  const decimals = Math.max(0, ...values.map(decimalsOf));
  return values.map((value) => BigInt(value.replace('.', '') + '0'.repeat(decimals - decimalsOf(value))));
}
