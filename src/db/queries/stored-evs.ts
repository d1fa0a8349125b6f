import type { EvDistribution } from '../../domain/ev-distribution.ts';
import { upsert } from './upsert.ts';

/** Expected values as they are stored, for now and by day. */

export const STORED_EVS = `
  select 'pev_' || set_type || '_' || product_type as id, estimated_value as "estimatedValue",
    market_price as "marketPrice", distribution
  from product_ev`;

export interface StoredEv {
  id: string;
  estimatedValue: string;
  marketPrice: string;
  distribution: EvDistribution | null;
}

export const UPSERT_PRODUCT_EVS = upsert('product_ev', 'set_type, product_type', [
  ['set_type', 'text'],
  ['product_type', 'text'],
  ['product_id', 'text'],
  ['estimated_value', 'numeric'],
  ['market_price', 'numeric'],
  ['release_date', 'date'],
  ['warning', 'text'],
  ['categories', 'jsonb'],
  ['packs_per_box', 'integer'],
  ['distribution', 'jsonb'],
]);

/** The expected values as they are now, for the day of the newest prices. */
export const RECORD_EV_HISTORY = `
  insert into product_ev_history (set_type, product_type, day, estimated_value, market_price)
  select e.set_type, e.product_type, m.newest_day, e.estimated_value, e.market_price
  from product_ev e, market_data m where m.kind = 'prices' and m.newest_day is not null
  on conflict (set_type, product_type, day) do update set
    estimated_value = excluded.estimated_value, market_price = excluded.market_price`;

/** What made-up rows are removed by, when the first real ones are imported. */
export const DELETE_EV_HISTORY = 'delete from product_ev_history';
