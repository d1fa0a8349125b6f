import { addDays } from './dates.ts';
import { LIMITS } from './limits.ts';

/** The volumes of the 30 days up to `newestDay`, or else up to their own last one; days that are not known are 0. */
export function saleVolumesOf(sales: {
  /** Up to `through`; null where there is none. */
  daily: ArrayLike<number> | null;
  through: string | null;
  newestDay: string | null;
}): number[] {
  const { daily, through } = sales;
  const newestDay = sales.newestDay ?? through;
  const volumes = new Array<number>(LIMITS.saleVolumeDays).fill(0);
  if (daily === null || through === null || newestDay === null) return volumes;
  let day = newestDay;
  let last = volumes.length - 1;
  for (; day > through && last >= 0; last--) day = addDays(day, -1);
  for (let i = daily.length - 1; i >= 0 && last >= 0; i--, last--) volumes[last] = daily[i]!;
  return volumes;
}
