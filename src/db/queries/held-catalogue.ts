/**
 * Statements that read the catalogue and the market into memory. `$1` id after which a batch starts, `$2` its size. It is
 * said of both sides of a join, since PostgreSQL would begin at the first row of the other one for each batch.
 */

import { PRODUCT_COLUMNS } from './products.ts';

/** Grows with every import; and the part of it that grows with what changes what a card is worth. */
export const CATALOGUE_REVISION = `
  select coalesce(sum(revision), 0)::bigint as revision,
    coalesce(sum(revision) filter (where kind in ('prices', 'rates')), 0)::bigint as "pricingRevision",
    max(newest_day) filter (where kind = 'sales')::text as "newestSalesDay"
  from market_data`;

export interface CatalogueRevision {
  revision: number;
  pricingRevision: number;
  newestSalesDay: string | null;
}

/** What has too many is not read. */
export const VARIANT_COUNT = 'select count(*) as count from variant';

export const HELD_PRODUCTS = `
  select ${PRODUCT_COLUMNS} from product p where p.id > $1 order by p.id limit $2::integer`;

export const HELD_VARIANTS = `
  select v.id, v.product_id as "productId", v.name as "variantName", v.position, v.fc_id as "fcId", s.daily,
    s.through::text as through
  from variant v left join sale_volumes s on s.variant_id = v.id and s.variant_id > $1
  where v.id > $1 order by v.id limit $2::integer`;

export interface HeldVariantRow {
  id: string;
  productId: string;
  variantName: string;
  position: number;
  fcId: string;
  daily: number[] | null;
  through: string | null;
}

/** Every variant in the order of names, which is the database's: no other program orders texts quite like it. */
export const HELD_ORDER = `
  select v.id from variant v join product p on p.id = v.product_id order by p.name, v.name, v.id`;

/** In the order of `HELD_VARIANTS`; a variant has as many rows as there are sources of prices. */
export const HELD_PRICES = `
  select v.id as "variantId", p.source, p.currency, p.amount
  from (select id from variant where id > $1 order by id limit $2::integer) v
  join price p on p.variant_id = v.id and p.variant_id > $1 and p.amount is not null order by v.id`;

export interface HeldPriceRow {
  variantId: string;
  source: string;
  currency: string;
  amount: string;
}

/** The latest rate from each currency that prices and expected values are in to each of those in $1, a JSON array. */
export const HELD_RATES = `
  select f.currency as "from", t.currency as "to", latest_exchange_rate(f.currency, t.currency) as rate
  from (select 'USD' as currency union select currency from price) f, jsonb_array_elements_text($1::jsonb) t(currency)`;

export interface HeldRateRow {
  from: string;
  to: string;
  rate: string | null;
}
