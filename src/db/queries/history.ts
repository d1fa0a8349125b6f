/**
 * What collections were worth on given days: $1 account, $2 collections as JSON, $3 days as an array literal, ascending.
 *
 * Only what changes is computed: the entries and prices of a variant are put into the first day that has them, each
 * change gives the difference of the variant's values, and the differences are summed up over the days. Prices are
 * summed by currency, since their exchange rate is that of the day.
 */
export const VALUE_HISTORY = `
  with wanted as (
    select c.account_id, c.id, c.currency, a.preferred_price_source as source
    from collection c join account a on a.account_id = c.account_id
    where c.account_id = $1 and not c.deleted and c.id in (select jsonb_array_elements_text($2::jsonb))
  ),
  entry as (
    select t.collection_id, t.variant_id, width_bucket(t.occurred - 1, $3::date[]) as step,
      sum(t.quantity) filter (where t.action = 'Purchase') as bought,
      sum(t.quantity * t.unit_amount * t.rate) filter (where t.action = 'Purchase') as cost,
      sum(t.quantity) filter (where t.action = 'Sale') as sold,
      sum(t.quantity * t.unit_amount * t.rate) filter (where t.action = 'Sale') as proceeds
    from transaction t join wanted w on w.account_id = t.account_id and w.id = t.collection_id
    where t.account_id = $1
    group by 1, 2, 3
  ),
  held as (
    select distinct e.collection_id, e.variant_id, w.source from entry e join wanted w on w.id = e.collection_id
  ),
  priced as (
    select distinct on (h.collection_id, h.variant_id, step) h.collection_id, h.variant_id,
      width_bucket(p.day - 1, $3::date[]) as step, p.currency, coalesce(p.amount, 0) as amount
    from held h cross join lateral (
      select day, currency, amount from price_history
      where variant_id = h.variant_id and source = h.source and day <= ($3::date[])[cardinality($3::date[])] offset 0
    ) p
    order by h.collection_id, h.variant_id, step, p.day desc
  ),
  change as (
    select collection_id, variant_id, step, bought, cost, sold, proceeds, currency, amount
    from entry full join priced using (collection_id, variant_id, step)
  ),
  running as (
    select collection_id, variant_id, step,
      coalesce(sum(bought) over so_far, 0)::bigint as bought, coalesce(sum(cost) over so_far, 0) as cost,
      coalesce(sum(sold) over so_far, 0)::bigint as sold, coalesce(sum(proceeds) over so_far, 0) as proceeds,
      currency, amount, count(currency) over so_far as price_number
    from change
    window so_far as (partition by collection_id, variant_id order by step)
  ),
  valued as (
    select collection_id, variant_id, step, invested(bought, cost, sold) as invested,
      profit(bought, cost, sold, proceeds) as profit, sold, proceeds,
      max(currency) over same_price as currency,
      market_value(bought, sold, max(amount) over same_price) as market_value
    from running
    window same_price as (partition by collection_id, variant_id, price_number)
  ),
  difference as (
    select collection_id, step, currency,
      invested - lag(invested, 1, 0::numeric) over earlier as invested,
      profit - lag(profit, 1, 0::numeric) over earlier as profit,
      sold - lag(sold, 1, 0::bigint) over earlier as sold,
      proceeds - lag(proceeds, 1, 0::numeric) over earlier as proceeds,
      market_value, lag(market_value) over earlier as market_value_before, lag(currency) over earlier as currency_before
    from valued
    window earlier as (partition by collection_id, variant_id order by step)
  ),
  by_step as (
    select collection_id, step, sum(invested) as invested, sum(profit) as profit, sum(sold) as sold, sum(proceeds) as proceeds
    from difference group by 1, 2
  ),
  market_step as (
    select collection_id, step, currency, sum(amount) as amount from (
      select collection_id, step, currency, market_value as amount from difference where currency is not null
      union all
      select collection_id, step, currency_before, -market_value_before from difference where currency_before is not null
    ) parts group by 1, 2, 3
  ),
  point as (
    select w.id as collection_id, w.currency, d.day, d.number - 1 as step
    from wanted w, unnest($3::date[]) with ordinality as d(day, number)
  ),
  market_point as (
    select p.collection_id, p.step,
      sum(m.amount) over (partition by p.collection_id, c.currency order by p.step)
        * exchange_rate(c.currency, p.currency, p.day) as amount
    from point p join (select distinct collection_id, currency from market_step) c using (collection_id)
    left join market_step m on m.collection_id = p.collection_id and m.currency = c.currency and m.step = p.step
  )
  select p.collection_id as "collectionId", p.currency, p.day::text as date,
    coalesce(sum(s.invested) over so_far, 0) as invested, coalesce(sum(s.profit) over so_far, 0) as profit,
    coalesce(sum(s.sold) over so_far, 0)::bigint as sold, coalesce(sum(s.proceeds) over so_far, 0) as proceeds,
    coalesce((select sum(m.amount) from market_point m
      where m.collection_id = p.collection_id and m.step = p.step), 0) as "marketValue"
  from point p left join by_step s on s.collection_id = p.collection_id and s.step = p.step
  window so_far as (partition by p.collection_id order by p.step)
  order by p.collection_id, p.day`;

export interface ValueHistoryRow {
  collectionId: string;
  currency: string;
  date: string;
  invested: string;
  profit: string;
  sold: number;
  proceeds: string;
  marketValue: string;
}
