import type { Currency } from './currencies.ts';

/** Dates and amounts as people and spreadsheets write them. What could be read in two ways is not: an input says which it is. */

export const DATE_ORDERS = ['MonthDayYear', 'DayMonthYear'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

export const DECIMAL_SIGNS = ['Point', 'Comma'] as const;
export type DecimalSign = (typeof DECIMAL_SIGNS)[number];

/** A number, or what is wrong with the text. */
export type Read<T> = { value: T } | { detail: string };

/** Three numbers, and a time of day that some programs add. */
const NUMERIC_DATE = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?:[ T]\d{1,2}:\d{2}(?::\d{2})?)?$/;
const YEAR_FIRST = /^(\d{4})[/.](\d{1,2})[/.](\d{1,2})$/;
const WITH_TIME = /^(\d{4}-\d{2}-\d{2})[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?$/;

/** The day as `YYYY-MM-DD`; a text that is no numeric date as it is, for the rule to refuse. Two digits are a year since 2000. */
export function readDate(text: string, order: DateOrder | undefined): Read<string> {
  const yearFirst = YEAR_FIRST.exec(text);
  if (yearFirst) return { value: isoDate(yearFirst[1]!, yearFirst[2]!, yearFirst[3]!) };
  const numeric = NUMERIC_DATE.exec(text);
  if (!numeric) return { value: WITH_TIME.exec(text)?.[1] ?? text };
  const [, first, , second, year] = numeric as unknown as [string, string, string, string, string];
  if (order === undefined) {
    const detail = `may be of two days: say by dateOrder whether "${text}" has the month or the day first, or write YYYY-MM-DD`;
    return { detail };
  }
  const [month, day] = order === 'MonthDayYear' ? [first, second] : [second, first];
  if (Number(month) > 12) {
    const detail = `has ${month} in the place of the month: see whether dateOrder is right for "${text}"`;
    return { detail };
  }
  return { value: isoDate(year.length === 2 ? `20${year}` : year, month, day) };
}

function isoDate(year: string, month: string, day: string): string {
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

/** Which currencies a sign may stand for; of others the code says it. */
const SIGNS: Record<string, readonly Currency[]> = {
  $: ['USD', 'AUD', 'CAD', 'HKD', 'MXN', 'NZD', 'SGD'],
  '€': ['EUR'],
  '£': ['GBP'],
  '¥': ['JPY', 'CNY'],
};
const SIGN = `[$€£¥]|[A-Z]{3}`;
const SIGNED = new RegExp(`^(${SIGN})?[ \u00a0\u202f]*(\\d.*?)[ \u00a0\u202f]*(${SIGN})?$`);

/** No amount is longer; in a text of many spaces it takes long to see that there is none. */
const LONGEST_AMOUNT = 100;

const GROUPED = {
  Point: /^\d{1,3}([,' \u00a0\u202f])\d{3}(?:\1\d{3})*(?:\.\d+)?$/,
  Comma: /^\d{1,3}([.' \u00a0\u202f])\d{3}(?:\1\d{3})*(?:,\d+)?$/,
} as const;
const PLAIN = { Point: /^\d+(?:\.\d+)?$/, Comma: /^\d+(?:,\d+)?$/ } as const;

/**
 * The digits of an amount, with a point before its decimals; a text that is no amount as it is, for the rule to refuse. A sign or code of
 * a currency beside it must be of `currency`, the one that it is said to be in. Thousands may be set apart where `sign` says what the decimals are.
 */
export function readAmount(
  text: string,
  sign: DecimalSign | undefined,
  currency: string | undefined,
): Read<string> {
  const match = text.length > LONGEST_AMOUNT ? null : SIGNED.exec(text);
  // The rule of amounts says what is wrong.
  if (!match) return { value: text };
  const [, before, number = '', behind] = match;
  const stated = before ?? behind;
  if (stated && currency && !(SIGNS[stated] ?? [stated]).includes(currency as Currency))
    return { detail: `has ${stated}, and the currency is ${currency}` };
  if (PLAIN[sign ?? 'Point'].test(number)) return { value: number.replace(',', '.') };
  if (sign === undefined && !isOfOtherSign(number)) return { value: text };
  if (sign === undefined) {
    const detail = `may be of two amounts: say by decimalSign whether "${text}" has a point or a comma before its decimals`;
    return { detail };
  }
  if (GROUPED[sign].test(number)) return { value: withoutGroups(number, sign) };
  return { detail: `is no amount with a ${sign.toLowerCase()} before its decimals: "${text}"` };
}

/** Where nothing is said, only a plain number with a point is taken. */
function isOfOtherSign(number: string): boolean {
  return [PLAIN.Comma, GROUPED.Point, GROUPED.Comma].some((form) => form.test(number));
}

function withoutGroups(number: string, sign: DecimalSign): string {
  const [whole, decimals] = number.split(sign === 'Point' ? '.' : ',') as [string, string?];
  const digits = whole.replace(/\D/g, '');
  return decimals === undefined ? digits : `${digits}.${decimals}`;
}
