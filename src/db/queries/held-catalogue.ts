/** Statements that read the catalogue and the market into memory, in batches. */

import { latestRate } from './exchange.ts';
import { PRICING_KINDS, revisionAmong } from './market-data.ts';
import { PRODUCT_COLUMNS } from './products.ts';

/** Grows with every import; and the parts of it, each of which grows with what changes that part. */
export const CATALOGUE_REVISION = `
  select coalesce(sum(revision), 0)::bigint as revision, ${revisionAmong(...PRICING_KINDS)} as "pricingRevision",
    ${revisionAmong('catalogue')} as names, ${revisionAmong('prices')} as prices, ${revisionAmong('rates')} as rates,
    ${revisionAmong('sales')} as sales, ${revisionAmong('pull-rates')} as evs,
    max(newest_day) filter (where kind = 'sales')::text as "newestSalesDay"
  from market_data`;

export interface CatalogueRevision {
  revision: number;
  /** Of what a card is worth. */
  pricingRevision: number;
  /** Of products and variants. */
  names: number;
  prices: number;
  rates: number;
  sales: number;
  evs: number;
  newestSalesDay: string | null;
}

/** What has too many is not read. */
export const VARIANT_COUNT = 'select count(*) as count from variant';

/** $1 id after which a batch starts, $2 its size. */
export const HELD_PRODUCTS = `
  select ${PRODUCT_COLUMNS} from product p where p.id > $1 order by p.id limit $2::integer`;

/** $1 id after which a batch starts, $2 its size. */
export const HELD_VARIANTS = `
  select v.id, v.product_id as "productId", v.name as "variantName", v.position, v.fc_id as "fcId"
  from variant v where v.id > $1 order by v.id limit $2::integer`;

export interface HeldVariantRow {
  id: string;
  productId: string;
  variantName: string;
  position: number;
  fcId: string;
}

/**
 * Every variant in the order of names, which is the database's: no other program orders texts quite like it. Their ids are
 * in one text, a line each, since to take in as many rows would hold up all others.
 */
export const HELD_ORDER = `
  select string_agg(v.id, e'\\n' order by p.name, v.name, v.id) as ids
  from variant v join product p on p.id = v.product_id`;

/** $1 variant after which a batch starts, $2 the last one of it. */
export const HELD_SALES = `
  select s.variant_id as "variantId", s.daily, s.through::text as through, s.total
  from sale_volumes s where s.variant_id > $1 and s.variant_id <= $2`;

export interface HeldSalesRow {
  variantId: string;
  /** Up to `through`. */
  daily: number[];
  through: string;
  total: number;
}

/** The same; a variant has as many rows as there are sources of prices. */
export const HELD_PRICES = `
  select p.variant_id as "variantId", p.source, p.currency, p.amount
  from price p where p.variant_id > $1 and p.variant_id <= $2 and p.amount is not null`;

export interface HeldPriceRow {
  variantId: string;
  source: string;
  currency: string;
  amount: string;
}

/** The latest rate from each currency that prices and expected values are in to each of those in $1, a JSON array. */
export const HELD_RATES = `
  select f.currency as "from", t.currency as "to", ${latestRate('f.currency', 't.currency')} as rate
  from (select 'USD' as currency union select currency from price) f, jsonb_array_elements_text($1::jsonb) t(currency)`;

export interface HeldRateRow {
  from: string;
  to: string;
  rate: string | null;
}
