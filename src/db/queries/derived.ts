import { logChange } from './events.ts';
import { PRICING_REVISION } from './market.ts';

/**
 * The derived state computed afresh, set-based, for one account ($1). Rows are written only where they differ, so a
 * pass over what is right writes nothing. Callers lock the account's collections first, as every writer does.
 */

/** The sums of the ledger, to which the holdings must be equal. */
export const LEDGER_SUMS = `
  select account_id, collection_id, variant_id, count(*) as transaction_count,
    coalesce(sum(quantity) filter (where action = 'Purchase'), 0)::bigint as bought,
    coalesce(sum(quantity * unit_amount * rate) filter (where action = 'Purchase'), 0) as cost,
    coalesce(sum(quantity) filter (where action = 'Sale'), 0)::bigint as sold,
    coalesce(sum(quantity * unit_amount * rate) filter (where action = 'Sale'), 0) as proceeds
  from transaction where account_id = $1 group by account_id, collection_id, variant_id`;

export const REDERIVE_HOLDINGS = `
  update holding h set bought = l.bought, cost = l.cost, sold = l.sold, proceeds = l.proceeds,
    transaction_count = l.transaction_count
  from (${LEDGER_SUMS}) l
  where h.account_id = $1 and h.collection_id = l.collection_id and h.variant_id = l.variant_id
    and (h.bought, h.cost, h.sold, h.proceeds, h.transaction_count)
      is distinct from (l.bought, l.cost, l.sold, l.proceeds, l.transaction_count)`;

/** The market price of every variant in the account's currency, at the latest prices and exchange rates. */
export const FRESH_MARKET_PRICES = `
  select price.variant_id, price.amount * rate.rate as amount
  from price join (
    select source, from_currency, latest_exchange_rate(from_currency, to_currency) as rate
    from (
      select distinct p.source, p.currency as from_currency, a.preferred_currency as to_currency
      from price p join account a on a.preferred_price_source = p.source where a.account_id = $1
    ) pairs
  ) rate on rate.source = price.source and rate.from_currency = price.currency`;

export const REPRICE_HOLDINGS = `
  with fresh as materialized (${FRESH_MARKET_PRICES})
  update holding h set market_price = x.amount
  from (
    select held.collection_id, held.variant_id, fresh.amount
    from holding held left join fresh on fresh.variant_id = held.variant_id
    where held.account_id = $1
  ) x
  where h.account_id = $1 and h.collection_id = x.collection_id and h.variant_id = x.variant_id
    and h.market_price is distinct from x.amount`;

/** The rate of each transaction, by the day it occurred; gives the number of those that were not right. */
export const RATE_LEDGER = `
  with rated as (
    update transaction t set rate = exchange_rate(t.currency, c.currency, t.occurred)
    from collection c
    where t.account_id = $1 and c.account_id = $1 and c.id = t.collection_id and not c.deleted
      and t.rate is distinct from exchange_rate(t.currency, c.currency, t.occurred)
    returning 1
  )
  select count(*) as rated from rated`;

/** The sums of the holdings, to which the collections' totals must be equal. */
export const HOLDING_SUMS = `
  select c.account_id, c.id as collection_id, coalesce(sum(h.transaction_count), 0)::bigint as transaction_count,
    coalesce(sum(h.quantity), 0)::bigint as quantity, coalesce(sum(h.invested), 0) as invested,
    coalesce(sum(h.profit), 0) as profit, coalesce(sum(h.cash_position), 0) as cash_position,
    coalesce(sum(h.market_value), 0) as market_value, coalesce(sum(h.gain), 0) as gain
  from collection c left join holding h on h.account_id = c.account_id and h.collection_id = c.id
  where c.account_id = $1 and not c.deleted group by c.account_id, c.id`;

/** Gives the ids of the collections that it changes. */
export const RETOTAL_COLLECTIONS = `
  with changed as (
    update collection c set transaction_count = s.transaction_count, quantity = s.quantity, invested = s.invested,
      profit = s.profit, cash_position = s.cash_position, market_value = s.market_value, gain = s.gain,
      revision = c.revision + 1
    from (${HOLDING_SUMS}) s
    where c.account_id = $1 and c.id = s.collection_id
      and (c.transaction_count, c.quantity, c.invested, c.profit, c.cash_position, c.market_value, c.gain)
        is distinct from (s.transaction_count, s.quantity, s.invested, s.profit, s.cash_position, s.market_value, s.gain)
    returning c.id, c.revision
  ),
  logged as (${logChange('Revalued', 'changed')})
  select id from changed`;

/**
 * $2 the revision of the market data from before the pass: marks the account's collections as priced by it. Writers
 * wait for the mark to be that of the market as they see it, so that no amount is made of what has been replaced.
 */
export const MARK_PRICED = `
  update collection set market_revision = $2::bigint where account_id = $1 and market_revision <> $2::bigint`;

/** The revision of the market data, and whether all of the account's collections and alerts have seen it. */
export const PRICING_STATE = `
  select m.revision, not exists (
      select from collection c where c.account_id = $1 and not c.deleted and c.market_revision <> m.revision)
    and not exists (
      select from price_alert p where p.account_id = $1 and p.market_revision <> m.revision) as current
  from (${PRICING_REVISION}) m(revision)`;

/** $1 account, $2 its new currency. */
export const SET_COLLECTION_CURRENCY = `
  with changed as (
    update collection set currency = $2, revision = revision + 1
    where account_id = $1 and not deleted returning id, revision
  ),
  logged as (${logChange('Revalued', 'changed')})
  select id from changed`;
