import { PRICING_REVISION } from './market.ts';

/** Statements on expected values. Amounts are in the currency $1, at the latest rate. */

const RATE = `latest_exchange_rate('USD', $1)`;

export const EV_COLUMNS = `
  e.set_type as "setType", e.product_type as "productType", e.product_id as "productId", p.name as "productName",
  p.image_url as "productImage", v.fc_id as "fcId", e.estimated_value * ${RATE} as "estimatedValue",
  e.market_price * ${RATE} as "marketPrice", (e.estimated_value - e.market_price) * ${RATE} as "marketPriceDelta",
  e.release_date::text as "releaseDate", e.warning, (${PRICING_REVISION}) as "marketRevision"`;

export const EVS_FROM = `
  product_ev e join product p on p.id = e.product_id join variant v on v.product_id = p.id and v.position = 0`;

/** $2 pairs of set type and product type as JSON. */
export const EV_BREAKDOWNS = `
  select ${EV_COLUMNS}, e.categories, ${RATE} as rate from ${EVS_FROM}
  join jsonb_to_recordset($2::jsonb) as k("setType" text, "productType" text)
    on k."setType" = e.set_type and k."productType" = e.product_type`;

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
  marketRevision: number;
}
