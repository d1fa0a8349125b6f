import { upsert } from './upsert.ts';

/** Sales of the last days. */

/** Takes the variants' ids as JSON in $1. */
export const SALE_VOLUMES_OF = `
  select variant_id as "variantId", through::text as through, daily from sale_volumes
  where variant_id in (select jsonb_array_elements_text($1::jsonb))`;

export interface StoredSaleVolumes {
  variantId: string;
  through: string;
  daily: number[];
}

export const UPSERT_SALE_VOLUMES = upsert('sale_volumes', 'variant_id', [
  ['variant_id', 'text'],
  ['through', 'date'],
  ['daily', 'jsonb'],
  ['total', 'integer'],
]);

/** What made-up rows are removed by, when the first real ones are imported. */
export const DELETE_SALE_VOLUMES = 'delete from sale_volumes';
