import { isCalendarDate, notCalendarDate } from './dates.ts';
import { type Breach, validationFailed } from './errors.ts';
import { Tag } from './inputs.ts';
import { LIMITS } from './limits.ts';
import { breachesOf } from './parse-input.ts';
import type { Action, CardCondition, Language } from './transactions.ts';

/** What transactions are to match: all that is given, of each list any of its values. */
export interface TransactionFilter {
  variantId?: string | null | undefined;
  productId?: string | null | undefined;
  action?: Action | null | undefined;
  /** First and last day, `YYYY-MM-DD`. */
  from?: string | null | undefined;
  to?: string | null | undefined;
  cardCondition?: readonly CardCondition[] | null | undefined;
  language?: readonly Language[] | null | undefined;
  tags?: readonly string[] | null | undefined;
  /** Whether the cards have a grade. */
  graded?: boolean | null | undefined;
}

/**
 * Throws `ValidationFailed` for days that the calendar does not have, or that are not in their order, for lists without values
 * or with too many, and for what no tag can be.
 */
export function checkTransactionFilter(filter: TransactionFilter): void {
  const breaches = [...breachesOfDays(filter), ...breachesOfLists(filter)];
  if (breaches.length > 0) throw validationFailed(breaches);
}

function breachesOfDays({ from, to }: TransactionFilter): Breach[] {
  const breaches: Breach[] = Object.entries({ from, to }).flatMap(([name, date]) =>
    date == null || isCalendarDate(date) ? [] : [{ path: ['filter', name], detail: notCalendarDate(date) }],
  );
  if (breaches.length === 0 && from && to && from > to)
    breaches.push({ path: ['filter', 'to'], detail: 'must not be before from' });
  return breaches;
}

function breachesOfLists({ cardCondition, language, tags }: TransactionFilter): Breach[] {
  const ofSizes = Object.entries({ cardCondition, language, tags }).flatMap(([name, values]) =>
    values == null || (values.length >= 1 && values.length <= LIMITS.filterValues)
      ? []
      : [{ path: ['filter', name], detail: `must have 1 to ${LIMITS.filterValues} values` }],
  );
  if (ofSizes.length > 0) return ofSizes;
  return (tags ?? []).flatMap((tag, i) => {
    const { error } = Tag.safeParse(tag);
    return error ? breachesOf(error, tag, ['filter', 'tags', i]) : [];
  });
}
