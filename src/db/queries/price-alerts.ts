import { latestRate } from './exchange.ts';
import { PRICING_REVISION } from './market-data.ts';
import { ascending, type List } from './page.ts';
import { priceOn } from './prices.ts';

/** Statements on price alerts. $1 is always the account. */

const ALERT_COLUMNS = `
  p.id, p.variant_id as "variantId", p.collection_id as "collectionId", p.condition, p.amount, p.currency, p.percent,
  p.days, p.direction, p.created_at as "createdAt", p.is_met as "isMet", p.trigger_count as "triggerCount",
  p.last_triggered_at as "lastTriggeredAt", p.last_triggered_day::text as "lastTriggeredDay",
  p.last_value as "lastValue", p.last_currency as "lastCurrency", p.last_change as "lastChange"`;

const JUDGED_ALERT_COLUMNS = `${ALERT_COLUMNS}, p.market_revision as "marketRevision"`;

/** Oldest first: ids sort by the time they were made. */
export const ALERTS: List = {
  columns: JUDGED_ALERT_COLUMNS,
  from: 'price_alert p',
  where: 'p.account_id = $1',
  order: ascending('price-alerts-created', ['p.id', 'text']),
};

export interface PriceAlertRow {
  id: string;
  variantId: string | null;
  collectionId: string | null;
  condition: string;
  amount: string | null;
  currency: string | null;
  percent: string | null;
  days: number | null;
  direction: string | null;
  createdAt: string;
  isMet: boolean;
  triggerCount: number;
  lastTriggeredAt: string | null;
  lastTriggeredDay: string | null;
  lastValue: string | null;
  lastCurrency: string | null;
  lastChange: string | null;
}

/** $2 id, $3 variant or null, $4 collection or null, $5 to $10 the condition, $11 time. */
export const INSERT_ALERT = `
  insert into price_alert (account_id, id, variant_id, collection_id, condition, amount, currency, percent, days,
    direction, created_at, market_revision)
  select $1::uuid, $2::text, $3::text, $4::text, $5::text, $6::numeric, $7::text, $8::numeric, $9::integer, $10::text,
    $11::timestamptz, (${PRICING_REVISION})
  returning id`;

export const COUNT_ALERTS = 'select count(*) as count from price_alert where account_id = $1';

/** $2 collection. */
export const COUNT_ALERTS_OF_COLLECTION =
  'select count(*) as count from price_alert where account_id = $1 and collection_id = $2';

/** $2 ids as JSON. */
export const ALERTS_BY_ID = `
  select ${JUDGED_ALERT_COLUMNS} from price_alert p
  where p.account_id = $1 and p.id in (select jsonb_array_elements_text($2::jsonb))`;

export interface JudgedAlertRow extends PriceAlertRow {
  /** The state of the market that it was judged by. */
  marketRevision: number;
}

/** $2 id. In turn with those who delete the collection, so that they can say why they may not. */
export const DELETE_ALERT = `
  with acc as (select account_id from account where account_id = $1 for no key update)
  delete from price_alert p using acc where p.account_id = $1 and p.id = $2 returning p.id`;

/** In two parts, each of which the index price_alert_due answers. */
const IS_DUE = `(market_revision < (${PRICING_REVISION}) or market_revision > (${PRICING_REVISION}))`;

/**
 * The accounts of some alerts, $2 at most, that were judged by another state of the market than the newest, but for those of $1, a
 * JSON array.
 */
export const ACCOUNTS_WITH_DUE_ALERTS = `
  select distinct account_id as "accountId" from (
    select account_id from price_alert
    where ${IS_DUE} and account_id not in (select jsonb_array_elements_text($1::jsonb)::uuid)
    limit $2::integer
  ) due`;

/** Such alerts of the account $1 that nobody else has taken, $2 at most. On Citus the rows of one account are locked at a time. */
export const LOCK_DUE_ALERTS = `
  select id, (${PRICING_REVISION}) as "marketRevision" from price_alert
  where account_id = $1 and ${IS_DUE} order by id limit $2::integer for no key update skip locked`;

/**
 * Whether the condition of each of the account's alerts was true by the prices of each day that is to be judged: the days of imports
 * since it was judged last, and the newest. Null where it is not known (domain/price-alerts.ts). `which` is a condition
 * on the alert `p`.
 */
const verdicts = (which: string) => `
  alert as (
    select p.id, p.variant_id, p.collection_id, p.condition, p.amount, p.percent, p.direction, p.days,
      p.is_met, coalesce(p.currency, a.preferred_currency) as currency, a.preferred_price_source as source, d.day,
      d.is_newest
    from price_alert p join account a on a.account_id = $1
    join market_data m on m.kind = 'prices' and m.newest_day is not null
    cross join lateral (
      select m.newest_day as day, true as is_newest
      union all select day, false from price_day where day > p.judged_through and day < m.newest_day
    ) d
    where p.account_id = $1 and ${which}
  ),
  priced as (
    select alert.id, alert.day, today.currency, past.currency as past_currency,
      sum(item.quantity * today.amount) as amount, sum(item.quantity * past.amount) as past_amount
    from alert
    cross join lateral (
      select alert.variant_id, 1::bigint as quantity where alert.variant_id is not null
      union all
      select h.variant_id, h.quantity from holding h
      where h.account_id = $1 and h.collection_id = alert.collection_id and h.quantity > 0
    ) item
    cross join lateral (
      select currency, amount from price
      where alert.is_newest and variant_id = item.variant_id and source = alert.source
      union all
      select * from ${priceOn('item.variant_id', 'alert.source', 'alert.day')} then_ where not alert.is_newest
    ) today
    left join lateral ${priceOn('item.variant_id', 'alert.source', 'alert.day - alert.days')} past
      on alert.condition = 'Change'
    where today.amount is not null and (alert.condition <> 'Change' or past.amount is not null)
    group by alert.id, alert.day, today.currency, past.currency
  ),
  valued as (
    select alert.id, alert.day, alert.currency, alert.is_met as was_met, alert.condition, alert.amount, alert.percent,
      alert.direction, sum(priced.amount * ${latestRate('priced.currency', 'alert.currency')}) as value,
      sum(priced.past_amount * ${latestRate('priced.past_currency', 'alert.currency')}) as past_value
    from alert join priced on priced.id = alert.id and priced.day = alert.day
    group by 1, 2, 3, 4, 5, 6, 7, 8
  ),
  verdict as (
    select id, day, currency, value, was_met,
      round((value - past_value) * 100 / past_value, 2) as change,
      case
        when condition = 'Above' then value > amount
        when condition = 'Below' then value < amount
        else direction <> 'Down' and (value - past_value) * 100 >= percent * past_value
          or direction <> 'Up' and (past_value - value) * 100 >= percent * past_value
      end as is_met
    from valued where condition <> 'Change' or past_value > 0
  )`;

/** $2 the id of a new alert: what its condition is at the start. It does not fire. */
export const START_ALERT = `
  with ${verdicts('p.id = $2')},
  started as (
  update price_alert p set
    is_met = x.is_met, judged_through = x.newest_day, market_revision = x.revision
  from (
    select coalesce((select v.is_met from verdict v), false) as is_met, (${PRICING_REVISION}) as revision,
      (select newest_day from market_data where kind = 'prices') as newest_day
  ) x
  where p.account_id = $1 and p.id = $2
  returning p.*
  )
  select ${JUDGED_ALERT_COLUMNS} from started p`;

/**
 * Judges alerts ($2, ids as JSON, which are locked) by all days at once, and marks them as judged by the revision $3 of the market.
 * Gives a row for each time that one of them fires, in the order of their events.
 */
export const JUDGE_ALERTS = `
  with ${verdicts('p.id in (select jsonb_array_elements_text($2::jsonb))')},
  turn as (
    select v.*, lag(v.is_met, 1, v.was_met) over by_day as was_met_before,
      row_number() over (partition by v.id order by v.day desc) as age
    from verdict v window by_day as (partition by v.id order by v.day)
  ),
  fired as (
    select id, day, value, currency, change,
      row_number() over (partition by id order by day desc) as age, count(*) over (partition by id) as times
    from turn where is_met and not was_met_before
  ),
  judged as (
    update price_alert p set
      is_met = coalesce(x.is_met, p.is_met), judged_through = x.newest_day, market_revision = $3::bigint,
      trigger_count = p.trigger_count + coalesce(x.times, 0),
      last_triggered_at = case when x.times > 0 then x.now else p.last_triggered_at end,
      last_triggered_day = coalesce(x.day, p.last_triggered_day),
      last_value = coalesce(x.value, p.last_value), last_currency = coalesce(x.currency, p.last_currency),
      last_change = case when x.times > 0 then x.change else p.last_change end
    from (
      select taken.id, now() as now, t.is_met, f.times, f.day, f.value, f.currency, f.change,
        (select newest_day from market_data where kind = 'prices') as newest_day
      from jsonb_array_elements_text($2::jsonb) as taken(id)
      left join turn t on t.id = taken.id and t.age = 1
      left join fired f on f.id = taken.id and f.age = 1
    ) x
    where p.account_id = $1 and p.id = x.id
    returning p.id
  )
  select id as "alertId" from fired order by day, id`;
