/** Calendar dates are `YYYY-MM-DD` text, in UTC; `Date` objects never stand for a day. */

const DAY_MILLIS = 86_400_000;
const DATE_PATTERN = /^\d{4}-\d{2}-\d{2}$/;

/** True for a date that the calendar has; JavaScript would turn 2023-02-30 into 2 March. */
export function isCalendarDate(text: string): boolean {
  if (!DATE_PATTERN.test(text)) return false;
  return new Date(`${text}T00:00:00Z`).getUTCDate() === Number(text.slice(8));
}

/** What is wrong with a text that is none. */
export function notCalendarDate(text: string): string {
  return DATE_PATTERN.test(text)
    ? `must be a calendar date: there is no ${text}`
    : 'must be a calendar date of the form YYYY-MM-DD';
}

export function dateOf(now: Date): string {
  return now.toISOString().slice(0, 10);
}

export function yearOf(date: string): number {
  return Number(date.slice(0, 4));
}

/** Days since 1970-01-01. */
export function dayNumber(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / DAY_MILLIS;
}

/** The date that is so many days after 1970-01-01. */
export function dateOfDay(day: number): string {
  return dateOf(new Date(day * DAY_MILLIS));
}

/** The day `days` after the given one (before it, where negative). */
export function addDays(date: string, days: number): string {
  const moved = new Date(`${date}T00:00:00Z`);
  moved.setUTCDate(moved.getUTCDate() + days);
  return dateOf(moved);
}

/** The date-time that the contract gives for a day: noon, UTC. */
export function occurredAt(date: string): string {
  return `${date}T12:00:00Z`;
}
