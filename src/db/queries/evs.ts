import type { ProductEvSort } from '../../domain/orders.ts';
import type { KeyCursor } from '../../domain/pagination.ts';
import type { EvBreakdownInDollars } from '../../domain/product-ev.ts';
import { exchangeRate, latestRate } from './exchange.ts';
import { PRICING_REVISION, PULL_RATES_REVISION } from './market-data.ts';
import { ascending, descending, type Order, orderBy } from './page.ts';
import { IMAGE_URL } from './products.ts';

/** Statements on expected values. Amounts are in US dollars, to be converted at the rate that stands beside them. */

const STORED = `
  e.set_type as "setType", e.product_type as "productType", e.product_id as "productId", p.name as "productName",
  ${IMAGE_URL} as "productImage", v.fc_id as "fcId", e.estimated_value as "estimatedValue",
  e.market_price as "marketPrice", e.release_date::text as "releaseDate", e.warning, e.packs_per_box as "packsPerBox"`;
const STORED_BREAKDOWN = `${STORED}, e.categories, e.distribution`;

const REVISIONS = `(${PRICING_REVISION}) as "marketRevision", (${PULL_RATES_REVISION}) as "pullRatesRevision"`;

/** To the currency $1, the latest. */
const RATE = `(select ${latestRate(`'USD'`, '$1::text')}) as rate, ${REVISIONS}`;

const FROM = `
  product_ev e join product p on p.id = e.product_id join variant v on v.product_id = p.id and v.position = 0`;

/** A list of those of the type $2, or of all. */
export const EV_LIST = {
  columns: `${STORED}, ${RATE}`,
  from: FROM,
  where: '($2::text is null or e.product_type = $2)',
};

/** $1 product type or null. */
export const EV_COUNT = `select count(*) as count from ${FROM} where $1::text is null or e.product_type = $1`;

/** $2 pairs of set type and product type as JSON. */
export const EV_BREAKDOWNS = `
  select ${STORED_BREAKDOWN}, ${RATE} from ${FROM}
  join jsonb_to_recordset($2::jsonb) as k("setType" text, "productType" text)
    on k."setType" = e.set_type and k."productType" = e.product_type`;

const DELTA = 'e.estimated_value - e.market_price';
const SET_TYPE = ['e.set_type', 'text'] as const;
const PRODUCT_TYPE = ['e.product_type', 'text'] as const;

const highest = (name: string, sql: string) =>
  descending(`evs-${name}`, [sql, 'numeric'], SET_TYPE, PRODUCT_TYPE);
const lowest = (name: string, sql: string) =>
  ascending(`evs-${name}`, [sql, 'numeric'], SET_TYPE, PRODUCT_TYPE);

/** An unknown date is after all others in either direction. */
export const EV_ORDERS: Record<ProductEvSort, Order> = {
  HighestEstimatedValue: highest('value-highest', 'e.estimated_value'),
  LowestEstimatedValue: lowest('value-lowest', 'e.estimated_value'),
  HighestMarketPrice: highest('price-highest', 'e.market_price'),
  LowestMarketPrice: lowest('price-lowest', 'e.market_price'),
  MarketPriceDeltaPositive: highest('delta-highest', DELTA),
  MarketPriceDeltaNegative: lowest('delta-lowest', DELTA),
  NewestReleaseDate: descending(
    'evs-newest',
    [`coalesce(e.release_date, '-infinity'::date)`, 'date'],
    SET_TYPE,
    PRODUCT_TYPE,
  ),
  OldestReleaseDate: ascending(
    'evs-oldest',
    [`coalesce(e.release_date, 'infinity'::date)`, 'date'],
    SET_TYPE,
    PRODUCT_TYPE,
  ),
};

/** Where an expected value stands in an order: no other program compares and writes keys quite like the database. */
export interface EvPlace {
  rank: number;
  key: KeyCursor;
}

const PLACES = Object.values(EV_ORDERS).map((order) => {
  const key = order.key.map((sql) => `(${sql})::text`).join(', ');
  const rank = `row_number() over (order by ${orderBy(order, order.descending)})`;
  return `'${order.name}', json_build_object('rank', ${rank}, 'key', json_build_array(${key}))`;
});

export const HELD_EVS = `
  select ${STORED_BREAKDOWN}, json_build_object(${PLACES.join(', ')}) as places from ${FROM}`;

/**
 * $2 pairs of set type and product type as JSON, $3 first and $4 last day. Amounts in the currency $1, at the rate of their day. Of a
 * pair without a day, one row without a date.
 */
export const EV_HISTORY = `
  select k."setType", k."productType", h.day::text as date,
    h.estimated_value * rate.rate as "estimatedValue",
    h.market_price * rate.rate as "marketPrice", ${REVISIONS}
  from jsonb_to_recordset($2::jsonb) as k("setType" text, "productType" text)
  left join product_ev_history h
    on h.set_type = k."setType" and h.product_type = k."productType" and h.day between $3::date and $4::date
  cross join lateral (select ${exchangeRate(`'USD'`, '$1::text', 'h.day')} as rate) rate
  order by k."setType", k."productType", h.day`;

interface EvOfDay {
  date: string;
  estimatedValue: string;
  marketPrice: string;
}

/** What expected values are of. */
interface EvRevisions {
  marketRevision: number;
  pullRatesRevision: number;
}

export type EvHistoryRow = EvRevisions & { setType: string; productType: string } & (
    | EvOfDay
    | { date: null }
  );

/** Beside what is stored. */
export interface EvRate extends EvRevisions {
  rate: string;
}

export interface HeldEvRow extends EvBreakdownInDollars {
  /** By the names of the orders. */
  places: Readonly<Record<string, EvPlace>>;
}
