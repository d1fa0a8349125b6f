import { PRICING_REVISION } from './market.ts';

/** Statements on expected values. Amounts are in the currency $1, at the latest rate. */

const RATE = `latest_exchange_rate('USD', $1)`;

export const EV_COLUMNS = `
  e.set_type as "setType", e.product_type as "productType", e.product_id as "productId", p.name as "productName",
  p.image_url as "productImage", v.fc_id as "fcId", e.estimated_value * ${RATE} as "estimatedValue",
  e.market_price * ${RATE} as "marketPrice", (e.estimated_value - e.market_price) * ${RATE} as "marketPriceDelta",
  e.release_date::text as "releaseDate", e.warning, e.packs_per_box as "packsPerBox",
  (${PRICING_REVISION}) as "marketRevision"`;

export const EVS_FROM = `
  product_ev e join product p on p.id = e.product_id join variant v on v.product_id = p.id and v.position = 0`;

/** $2 pairs of set type and product type as JSON. */
export const EV_BREAKDOWNS = `
  select ${EV_COLUMNS}, e.categories, e.distribution, ${RATE} as rate from ${EVS_FROM}
  join jsonb_to_recordset($2::jsonb) as k("setType" text, "productType" text)
    on k."setType" = e.set_type and k."productType" = e.product_type`;

/** $2 pairs of set type and product type as JSON, $3 first and $4 last day. Amounts at the rate of their day. */
export const EV_HISTORY = `
  select h.set_type as "setType", h.product_type as "productType", h.day::text as date,
    h.estimated_value * exchange_rate('USD', $1, h.day) as "estimatedValue",
    h.market_price * exchange_rate('USD', $1, h.day) as "marketPrice"
  from product_ev_history h
  join jsonb_to_recordset($2::jsonb) as k("setType" text, "productType" text)
    on k."setType" = h.set_type and k."productType" = h.product_type
  where h.day between $3::date and $4::date
  order by h.set_type, h.product_type, h.day`;

export interface EvHistoryRow {
  setType: string;
  productType: string;
  date: string;
  estimatedValue: string;
  marketPrice: string;
}

export interface EvRow {
  setType: string;
  productType: 'Pack' | 'Box' | 'Case';
  productId: string;
  productName: string;
  productImage: string;
  fcId: string;
  estimatedValue: string;
  marketPrice: string;
  marketPriceDelta: string;
  releaseDate: string | null;
  warning: string | null;
  packsPerBox: number;
  marketRevision: number;
}
