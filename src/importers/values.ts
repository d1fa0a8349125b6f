import { LosslessNumber } from 'lossless-json';
import { z } from 'zod';
import { isCalendarDate } from '../domain/dates.ts';

const DECIMAL = /^\d{1,10}(\.\d{1,30})?$/;
const MOST_AMOUNT = 1e9;

/** Whether the text is an amount: a plain decimal from 0 to 1,000,000,000. */
export function isAmount(text: string): boolean {
  return DECIMAL.test(text) && Number(text) <= MOST_AMOUNT;
}

const numberText = z
  .custom<LosslessNumber>((value) => value instanceof LosslessNumber, 'expected a number')
  .transform(String);

/** An amount of a JSON file: a number, or the text of one, as decimal text. */
export const amountField = z
  .union([numberText, z.string()], 'expected a number')
  .refine(isAmount, 'expected an amount from 0 to 1,000,000,000');

/** A whole number above 0 that identifies something of the vendor. */
export const idField = numberText.refine(isVendorId, 'expected a whole number above 0').transform(Number);

/** A quantity: a whole number from 0, or the text of one. */
export const quantityField = z
  .union([numberText, z.string()], 'expected a number')
  .refine((text) => /^\d{1,9}$/.test(text), 'expected a whole number from 0')
  .transform(Number);

export const dayField = z.string().refine(isCalendarDate, 'expected a date of the form YYYY-MM-DD');

const MOST_VENDOR_ID = 2 ** 31 - 1;

export function isVendorId(text: string): boolean {
  return /^[1-9]\d{0,9}$/.test(text) && Number(text) <= MOST_VENDOR_ID;
}

/** What is wrong first, e.g. `marketPrice: expected a number`. */
export function firstProblem(error: z.ZodError): string {
  const { path, message } = error.issues[0]!;
  return [path.join('.'), message].filter(Boolean).join(': ');
}
