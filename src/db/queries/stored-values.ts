import { type CollectionRow, READ_COLUMNS } from './collections.ts';
import { PRICING_REVISION } from './market-data.ts';
import { LEDGER_STATE } from './parents.ts';
import { newestStamp } from './valuation.ts';

/** A collection with the value that was stored. */
export interface StoredValueRow extends CollectionRow {
  ledgerState: string;
  /** Whether the value is another one now. */
  isOther: boolean;
  /** The state of the ledger by its row before: of the same holdings. */
  was: string;
}

/**
 * Stores values, $2 a list of `{id, state, marketValue, gain, unpriced, unknownCost, unknownCostValue}` as JSON, where those of $3 are still the newest prices and
 * rates: in collections whose row is still the one of that state. One that somebody writes at the moment is left to the next
 * reader: nobody waits. Gives their rows as they are now, and whether the value is another one, which is a change for
 * those who follow it.
 */
export const STORE_VALUES = `
  with fresh as materialized (
    select v.id, v.state, v."marketValue" as market_value, v.gain, v.unpriced, v."unknownCost" as unknown_cost,
      v."unknownCostValue" as unknown_cost_value
    from jsonb_to_recordset($2::jsonb) as v(id text, state text, "marketValue" numeric, gain numeric, unpriced bigint,
      "unknownCost" bigint, "unknownCostValue" numeric)
    where (${PRICING_REVISION}) = $3::bigint
    -- In one order for all who lock them.
    order by v.id
  ),
  valued as (
    update collection c set market_value = x.market_value, gain = x.gain, unpriced = x.unpriced, unknown_cost = x.unknown_cost,
      unknown_cost_value = x.unknown_cost_value, revision = c.revision + x.is_other::integer, market_revision = ${newestStamp('c.revision')} - x.is_other::integer
    from (
      select fresh.*, (free.market_value, free.gain, free.unpriced, free.unknown_cost, free.unknown_cost_value)
        is distinct from (fresh.market_value, fresh.gain, fresh.unpriced, fresh.unknown_cost, fresh.unknown_cost_value) as is_other
      from fresh cross join lateral (
        select c.market_value, c.gain, c.unpriced, c.unknown_cost, c.unknown_cost_value from collection c
        where c.account_id = $1 and c.id = fresh.id and ${LEDGER_STATE} = fresh.state for no key update skip locked
      ) free
    ) x
    where c.account_id = $1 and c.id = x.id
    returning c.*, c.xmin, x.is_other, x.state as was
  ),
  changed as (select id, revision from valued where is_other),
  logged as (
    insert into event (account_id, stream, sequence, kind, variant_ids)
    select $1, id, revision, 'Revalued', '[]' from changed returning sequence
  )
  select ${READ_COLUMNS}, c.is_other as "isOther", c.was from valued c`;
