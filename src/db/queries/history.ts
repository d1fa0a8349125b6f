/**
 * What collections were worth on given days: $1 account, $2 collections as JSON, $3 days as an array literal, ascending.
 *
 * Only what changes is computed. Entries and prices count from the first of the days (the `step`) that has them; each
 * gives the difference that it makes, and the differences are summed up over the days. That of the market value is what
 * was held before the step times the change of the price, and the change of what is held times the price then. Market
 * values are summed by currency, since their exchange rate is that of the day.
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
  running as (
    select collection_id, variant_id, step,
      coalesce(sum(bought) over so_far, 0)::bigint as bought, coalesce(sum(cost) over so_far, 0) as cost,
      coalesce(sum(sold) over so_far, 0)::bigint as sold, coalesce(sum(proceeds) over so_far, 0) as proceeds
    from entry
    window so_far as (partition by collection_id, variant_id order by step)
  ),
  valued as (
    select collection_id, variant_id, step, invested(bought, cost, sold) as invested,
      profit(bought, cost, sold, proceeds) as profit, sold, proceeds, market_value(bought, sold, 1) as held
    from running
  ),
  difference as (
    select collection_id, variant_id, step, held,
      invested - lag(invested, 1, 0::numeric) over earlier as invested,
      profit - lag(profit, 1, 0::numeric) over earlier as profit,
      sold - lag(sold, 1, 0::bigint) over earlier as sold,
      proceeds - lag(proceeds, 1, 0::numeric) over earlier as proceeds,
      held - lag(held, 1, 0::numeric) over earlier as more_held
    from valued
    window earlier as (partition by collection_id, variant_id order by step)
  ),
  by_step as (
    select collection_id, step, sum(invested) as invested, sum(profit) as profit, sum(sold) as sold, sum(proceeds) as proceeds
    from difference group by 1, 2
  ),
  holding_then as (
    select d.collection_id, d.variant_id, w.source,
      array_agg(d.step order by d.step) as steps, array_agg(d.held order by d.step) as held
    from difference d join wanted w on w.id = d.collection_id
    group by 1, 2, 3
  ),
  priced as (
    select h.collection_id, p.currency, p.step, p.until_step,
      p.amount * h.held[width_bucket(p.step - 1, h.steps)] as opened,
      p.amount * h.held[width_bucket(p.until_step - 1, h.steps)] as closed
    from holding_then h cross join lateral (
      select currency, amount,
        width_bucket(day - 1, $3::date[]) as step, width_bucket(until - 1, $3::date[]) as until_step
      from (
        select unnest(days) as day, unnest(currencies) as currency, unnest(amounts) as amount,
          unnest(days[2:] || next_day) as until
        from (
          select days, currencies, amounts, lead(days[1], 1, 'infinity') over (order by year) as next_day from price_year
          where variant_id = h.variant_id and source = h.source and days[1] <= ($3::date[])[cardinality($3::date[])]
        ) years
        where next_day > ($3::date[])[1]
      ) changes
      offset 0
    ) p
    where p.step < p.until_step and p.amount is not null
  ),
  market_step as (
    select collection_id, step, currency, sum(amount) as amount from (
      select collection_id, step, currency, sum(opened) as amount from priced group by 1, 2, 3
      union all
      select collection_id, until_step, currency, -sum(closed) from priced group by 1, 2, 3
      union all
      select d.collection_id, d.step, y.currencies[y.at], d.more_held * y.amounts[y.at]
      from difference d join wanted w on w.id = d.collection_id cross join lateral (
        select currencies, amounts, width_bucket(($3::date[])[d.step + 1], days) as at from price_year
        where variant_id = d.variant_id and source = w.source and days[1] <= ($3::date[])[d.step + 1]
        order by year desc limit 1
      ) y
    ) parts where amount is not null group by 1, 2, 3
  ),
  point as (
    select w.id as collection_id, w.currency, d.day, d.number - 1 as step
    from wanted w, unnest($3::date[]) with ordinality as d(day, number)
  ),
  market_point as (
    select p.collection_id, p.step, p.currency as wanted_currency, p.day, c.currency,
      sum(m.amount) over (partition by p.collection_id, c.currency order by p.step) as amount
    from point p join (select distinct collection_id, currency from market_step) c using (collection_id)
    left join market_step m on m.collection_id = p.collection_id and m.currency = c.currency and m.step = p.step
  ),
  market_by_step as (
    select collection_id, step, sum(amount * exchange_rate(currency, wanted_currency, day)) as amount
    from market_point group by 1, 2
  )
  select p.collection_id as "collectionId", p.currency, p.day::text as date,
    coalesce(sum(s.invested) over so_far, 0) as invested, coalesce(sum(s.profit) over so_far, 0) as profit,
    coalesce(sum(s.sold) over so_far, 0)::bigint as sold, coalesce(sum(s.proceeds) over so_far, 0) as proceeds,
    coalesce(m.amount, 0) as "marketValue"
  from point p left join by_step s on s.collection_id = p.collection_id and s.step = p.step
  left join market_by_step m on m.collection_id = p.collection_id and m.step = p.step
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
