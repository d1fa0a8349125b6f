import type { VariantRow } from '../../db/queries/products.ts';
import { addDays } from '../../domain/dates.ts';
import { LIMITS } from '../../domain/limits.ts';

export type { ProductRow as Product } from '../../db/queries/products.ts';

/** One finish and edition of a product; its price is asked for apart, in a currency. */
export interface Variant {
  id: string;
  productId: string;
  variantName: string;
  fcId: string;
  /** Sales per day of the last 30 days, the last one for the newest day that has been imported. */
  saleVolumes: number[];
}

export function variantOf({ daily, through, newestDay, ...row }: VariantRow): Variant {
  return { ...row, saleVolumes: saleVolumesOf({ daily: daily ?? [], through, newestDay }) };
}

/** The volumes of the 30 days up to `newestDay`, or else up to their own last one; days that are not known are 0. */
export function saleVolumesOf(sales: {
  daily: ArrayLike<number>;
  through: string | null;
  newestDay: string | null;
}): number[] {
  const { daily, through } = sales;
  const newestDay = sales.newestDay ?? through;
  const volumes = new Array<number>(LIMITS.saleVolumeDays).fill(0);
  if (through === null || newestDay === null) return volumes;
  let day = newestDay;
  let last = volumes.length - 1;
  for (; day > through && last >= 0; last--) day = addDays(day, -1);
  for (let i = daily.length - 1; i >= 0 && last >= 0; i--, last--) volumes[last] = daily[i]!;
  return volumes;
}
