const DIGITS = 8;

/** Sorts after every card number. */
const NO_NUMBER = '~';

/** Text that sorts card numbers naturally, byte by byte: WTR2 before WTR10; none sorts last (docs/decisions.md#orders). */
export function naturalKey(number: string | null): string {
  if (number === null) return NO_NUMBER;
  return number.toUpperCase().replace(/\d+/g, (digits) => digits.padStart(DIGITS, '0'));
}
