import { isCalendarDate } from './dates.ts';
import { type Breach, validationFailed } from './errors.ts';
import type { Action } from './transactions.ts';

/** What transactions are to match: all that is given. */
export interface TransactionFilter {
  variantId?: string | null | undefined;
  productId?: string | null | undefined;
  action?: Action | null | undefined;
  /** First and last day, `YYYY-MM-DD`. */
  from?: string | null | undefined;
  to?: string | null | undefined;
}

/** Throws `ValidationFailed` for days that the calendar does not have, or that are not in their order. */
export function checkTransactionFilter({ from, to }: TransactionFilter): void {
  const breaches: Breach[] = Object.entries({ from, to }).flatMap(([name, date]) =>
    date == null || isCalendarDate(date)
      ? []
      : [{ path: ['filter', name], detail: 'must be a calendar date of the form YYYY-MM-DD' }],
  );
  if (breaches.length === 0 && from && to && from > to)
    breaches.push({ path: ['filter', 'to'], detail: 'must not be before from' });
  if (breaches.length > 0) throw validationFailed(breaches);
}
