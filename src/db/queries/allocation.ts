import type { AllocationKey } from '../../domain/allocation.ts';
import { type Items, PREFERRED, RATES } from './held-items.ts';
import { PRICING_REVISION } from './market-data.ts';

/** What cards are divided by, and its name: of the variant `v` and the product `p`. */
const KEYS: Record<AllocationKey, { key: string; name: string }> = {
  Set: { key: 'p.set_code', name: 'max(p.set_name)' },
  Rarity: { key: 'p.rarity', name: 'p.rarity' },
  Class: { key: 'p.class', name: 'p.class' },
  Finish: { key: 'v.finish', name: 'v.finish' },
};

/** What each scope holds, divided: a row for each part of it, highest value first; the key is null for cards that have none. */
export const allocation = (items: Items, by: AllocationKey): string => `
  with ${PREFERRED},
  ${RATES},
  item as materialized (${items.sql}),
  part as materialized (
    select item.scope, ${KEYS[by].key} as key, ${KEYS[by].name} as name, price.currency,
      sum(item.quantity)::bigint as quantity, sum(item.quantity * price.amount) as amount,
      coalesce(sum(item.quantity) filter (where price.amount is null), 0)::bigint as unpriced
    from item join variant v on v.id = item.variant_id join product p on p.id = v.product_id
    left join price on price.variant_id = item.variant_id and price.source = (select source from preferred)
    group by item.scope, ${KEYS[by].key}, price.currency
  )
  select part.scope, part.key, max(part.name) as name, sum(part.quantity)::bigint as quantity,
    sum(case when rate.rate is null then part.quantity else part.unpriced end)::bigint as unpriced, coalesce(sum(part.amount * rate.rate), 0) as value, preferred.currency,
    (${PRICING_REVISION}) as "marketRevision"
  from part cross join preferred left join rate on rate.currency = part.currency
  group by part.scope, part.key, preferred.currency
  order by part.scope, value desc, part.key nulls last`;

export interface AllocationRow {
  /** The id of a collection, or empty. */
  scope: string;
  key: string | null;
  name: string | null;
  quantity: number;
  /** Of them, without a known price. */
  unpriced: number;
  /** Exact, in the currency. */
  value: string;
  currency: string;
  marketRevision: number;
}
