import { cameTo } from './amounts.ts';
import { parentCollections } from './parents.ts';

/** Of transactions `t`. */
const SUMS = `
  coalesce(sum(t.quantity) filter (where t.action = 'Purchase'), 0)::bigint as bought,
  coalesce(sum(${cameTo('t.')}) filter (where t.action = 'Purchase'), 0) as cost,
  coalesce(sum(t.quantity) filter (where t.cost_unknown), 0)::bigint as bought_unknown,
  coalesce(sum(t.quantity) filter (where t.action = 'Sale'), 0)::bigint as sold,
  coalesce(sum(${cameTo('t.')}) filter (where t.action = 'Sale'), 0) as proceeds`;

/**
 * The ledgers of collections by days: $1 account, $2 collections as JSON, or null for those that are valued, $3 a first day, $4 a
 * last one. A row for each variant of a collection, and one without a variant for a collection that has none. Its entries are
 * `day bought cost sold proceeds relieved`, joined by commas in the order of the days; the first day has all up to it.
 *
 * Of the ledger the holdings are read, and the transactions after the first day: what was held before them is the difference.
 * What sales took of the cost (`relieved`) is kept where the order counts, and left out by the average.
 */
export const LEDGERS_BY_DAY = `
  with wanted as (
    select c.id, c.currency, c.cost_basis, a.preferred_price_source as source
    from collection c join account a on a.account_id = $1
    where c.account_id = $1 and not c.deleted and case when $2::jsonb is null then c.valued
      else c.id in (select jsonb_array_elements_text($2::jsonb)) end
  ),
  moved as (
    select t.collection_id, t.variant_id, t.occurred as day, ${SUMS}, sum(s.cost) as relieved
    from transaction t join wanted w on w.id = t.collection_id
    left join lateral (
      select s.cost from cost_state s
      where w.cost_basis <> 'Average' and s.account_id = $1 and s.collection_id = w.id and s.variant_id = t.variant_id
        and s.occurred = t.occurred and s.transaction_id = t.id
    ) s on true
    where t.account_id = $1 and t.occurred > $3::date
    group by 1, 2, 3
  ),
  entry as (
    select * from moved where day <= $4::date
    union all
    select h.collection_id, h.variant_id, $3::date, h.bought - coalesce(m.bought, 0), h.cost - coalesce(m.cost, 0),
      h.bought_unknown - coalesce(m.bought_unknown, 0),
      h.sold - coalesce(m.sold, 0), h.proceeds - coalesce(m.proceeds, 0), h.cost - h.held_cost - coalesce(m.relieved, 0)
    from wanted w join holding h on h.account_id = $1 and h.collection_id = w.id
    left join (
      select collection_id, variant_id, sum(bought)::bigint as bought, sum(cost) as cost,
        sum(bought_unknown)::bigint as bought_unknown, sum(sold)::bigint as sold,
        sum(proceeds) as proceeds, sum(relieved) as relieved
      from moved group by 1, 2
    ) m on m.collection_id = h.collection_id and m.variant_id = h.variant_id
    where h.transaction_count > 0
      and (h.bought > coalesce(m.bought, 0) or h.sold > coalesce(m.sold, 0))
  ),
  ledger as (
    select collection_id, variant_id,
      string_agg(concat_ws(' ', day, bought, cost, bought_unknown, sold, proceeds, relieved), ',' order by day) as entries
    from entry group by 1, 2
  )
  select w.id as "collectionId", w.currency, w.cost_basis as "costBasis", w.source, l.variant_id as "variantId", l.entries
  from wanted w left join ledger l on l.collection_id = w.id`;

export interface LedgerByDayRow {
  collectionId: string;
  currency: string;
  costBasis: string;
  source: string;
  variantId: string | null;
  entries: string | null;
}

/**
 * What the sales of each year brought, of collections ($2, ids as JSON): the profit at the end of the year less that at
 * the end of the year before. A variant that was never sold brought nothing, and its transactions are not read.
 */
export const REALIZED_YEARS = `
  select c.id, c.currency, c.ledger_state as state, coalesce((
    select json_agg(json_build_object('year', year, 'sold', sold, 'proceeds', proceeds::text, 'gain', gain::text, 'unknown', unknown))
    from (
      select year, sum(sold)::bigint as sold, sum(proceeds) as proceeds, sum(gain) as gain,
        coalesce(sum(sold) filter (where is_unknown), 0)::bigint as unknown
      from (
        select year, sold, proceeds, is_unknown, profit - lag(profit, 1, 0::numeric) over (partition by variant_id order by year) as gain
        from (
          select variant_id, year, sold, proceeds, sum(bought_unknown) over so_far > 0 as is_unknown, profit(
            (sum(bought) over so_far)::bigint, sum(cost) over so_far,
            (sum(sold) over so_far)::bigint, sum(proceeds) over so_far) as profit
          from (
            select t.variant_id, extract(year from t.occurred)::integer as year, ${SUMS}
            from holding h join transaction t
              on t.account_id = $1 and t.collection_id = h.collection_id and t.variant_id = h.variant_id
            where h.account_id = $1 and h.collection_id = c.id and t.collection_id = c.id and h.sold > 0
            group by 1, 2
          ) entry
          window so_far as (partition by variant_id order by year)
        ) running
      ) gained group by year
    ) years
  ), '[]') as years
  from ${parentCollections(2)}`;
