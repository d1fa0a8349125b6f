/**
 * Exact decimals as whole numbers of 10⁻³⁰, for long sums: a transaction's amount has 24 decimals at most, a price at the rate of a
 * day hardly more. Only quotients are rounded, half away from zero (docs/decisions.md#rounding).
 */
export type Fixed = bigint;

export const DECIMALS = 30;
export const ONE: Fixed = 10n ** BigInt(DECIMALS);

const TEN_TO = Array.from({ length: DECIMALS + 1 }, (_, exponent) => 10n ** BigInt(exponent));

/** Decimals beyond the last are rounded. */
export function fixed(decimal: string): Fixed {
  const point = decimal.indexOf('.');
  if (point === -1) return BigInt(decimal) * ONE;
  const decimals = decimal.length - point - 1;
  if (decimals > DECIMALS)
    return roundedQuotient(BigInt(decimal.replace('.', '')), 10n ** BigInt(decimals - DECIMALS));
  return BigInt(decimal.slice(0, point) + decimal.slice(point + 1)) * TEN_TO[DECIMALS - decimals]!;
}

/** So many units of 10^-`decimals`. */
export function fixedOfUnits(units: bigint, decimals: number): Fixed {
  return units * TEN_TO[DECIMALS - decimals]!;
}

/** The decimal text, with the decimals that it needs. */
export function fixedText(value: Fixed): string {
  const digits = (value < 0n ? -value : value).toString().padStart(DECIMALS + 1, '0');
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}${fraction && `.${fraction}`}`;
}

export function times(a: Fixed, b: Fixed): Fixed {
  return roundedQuotient(a * b, ONE);
}

/** Half away from zero to so many decimals. */
export function roundedTo(value: Fixed, decimals: number): Fixed {
  const unit = TEN_TO[DECIMALS - decimals]!;
  return roundedQuotient(value, unit) * unit;
}

/** The quotient of whole numbers, rounded half away from zero. Throws a RangeError where the divisor is 0. */
export function roundedQuotient(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const rest = dividend - quotient * divisor;
  const isHalf = 2n * (rest < 0n ? -rest : rest) >= (divisor < 0n ? -divisor : divisor);
  if (!isHalf || rest === 0n) return quotient;
  return dividend < 0n === divisor < 0n ? quotient + 1n : quotient - 1n;
}
