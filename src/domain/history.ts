import { addDays, dateOf, dayNumber, isCalendarDate, notCalendarDate, yearOf } from './dates.ts';
import { type Breach, validationFailed } from './errors.ts';
import { LIMITS } from './limits.ts';

export const INTERVALS = ['Day', 'Week', 'Month'] as const;
export type Interval = (typeof INTERVALS)[number];

/**
 * The days of a history: every day, the Sundays, or the last days of months from `from` to `to`, and `to` itself.
 * Throws `ValidationFailed` for what is no date, a range that is not forwards or reaches beyond tomorrow, and more
 * than `LIMITS.historyPoints` days.
 */
export function historyDays(from: string, to: string, interval: Interval, today: string): string[] {
  checkDateRange(from, to, today);
  if (countHistoryDays(from, to, interval) > LIMITS.historyPoints) throw tooManyPoints(interval);
  const days: string[] = [];
  for (let day = endOf(from, interval); day < to; day = endOf(addDays(day, 1), interval)) days.push(day);
  return [...days, to];
}

/** Throws as `historyDays` does, for a history that has a point for each of certain days from `from` to `to`. */
export function checkHistoryOfDays(from: string, to: string, today: string): void {
  checkDateRange(from, to, today);
  if (countHistoryDays(from, to, 'Day') <= LIMITS.historyPoints) return;
  const detail = `is more than ${LIMITS.historyPoints} days from the first; take a shorter range`;
  throw validationFailed([{ path: ['to'], detail }]);
}

/** How many days a history has, of dates of the calendar in their order. */
export function countHistoryDays(from: string, to: string, interval: Interval): number {
  if (interval === 'Month') return monthNumber(to) - monthNumber(from) + 1;
  if (interval === 'Day') return dayNumber(to) - dayNumber(from) + 1;
  const sundaysBefore = (date: string) => Math.floor((dayNumber(date) + FIRST_SUNDAY) / 7);
  return sundaysBefore(to) - sundaysBefore(from) + 1;
}

/** How many days are charged for: none of what is no range, which is refused later. */
export function daysInRange(from: string, to: string): number {
  const isRange = isCalendarDate(from) && isCalendarDate(to) && from <= to;
  return isRange ? countHistoryDays(from, to, 'Day') : 0;
}

/** 4 January 1970, as days since the first. */
const FIRST_SUNDAY = 3;

function monthNumber(date: string): number {
  return yearOf(date) * 12 + Number(date.slice(5, 7));
}

function tooManyPoints(interval: Interval) {
  const detail = `gives more than ${LIMITS.historyPoints} points by ${interval.toLowerCase()}; take a shorter range or a longer interval`;
  return validationFailed([{ path: ['to'], detail }]);
}

/** The last day of the interval that the day is in. */
function endOf(day: string, interval: Interval): string {
  if (interval === 'Day') return day;
  // The day before the first of the month that follows: months count from 0.
  if (interval === 'Month') return dateOf(new Date(Date.UTC(yearOf(day), Number(day.slice(5, 7)), 0)));
  return addDays(day, 6 - ((dayNumber(day) + FIRST_SUNDAY) % 7));
}

/** Throws `ValidationFailed` for what is no date, or a range that is not forwards or reaches beyond tomorrow. */
export function checkDateRange(from: string, to: string, today: string): void {
  const breaches: Breach[] = [];
  const last = addDays(today, 1);
  for (const [name, date] of [
    ['from', from],
    ['to', to],
  ] as const) {
    if (!isCalendarDate(date)) {
      breaches.push({ path: [name], detail: notCalendarDate(date) });
    } else if (date < LIMITS.firstOccurredDate || date > last) {
      breaches.push({ path: [name], detail: `must be from ${LIMITS.firstOccurredDate} to ${last}` });
    }
  }
  if (breaches.length === 0 && from > to) breaches.push({ path: ['to'], detail: 'must not be before from' });
  if (breaches.length > 0) throw validationFailed(breaches);
}
