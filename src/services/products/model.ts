import type { VariantRow } from '../../db/queries/products.ts';
import { saleVolumesOf } from '../../domain/sale-volumes.ts';

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
  return { ...row, saleVolumes: saleVolumesOf({ daily, through, newestDay }) };
}
