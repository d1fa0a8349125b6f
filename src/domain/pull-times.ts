/** `daily`, or a time of each day such as `06:00` (UTC). */
export type PullTimes = string;

export const PULL_TIMES = /^(daily|([01]\d|2[0-3]):[0-5]\d)$/;

const DAY_MILLIS = 24 * 3600 * 1000;

/** When it should have been pulled last: what was pulled before then is due. */
export function dueSince(times: PullTimes, now: Date): Date {
  if (times === 'daily') return new Date(now.getTime() - DAY_MILLIS);
  const today = new Date(`${now.toISOString().slice(0, 10)}T${times}:00Z`);
  return today > now ? new Date(today.getTime() - DAY_MILLIS) : today;
}
