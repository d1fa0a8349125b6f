import { PREFERRED, RATES } from './held-items.ts';
import { PRICING_REVISION } from './market-data.ts';
import { ascending } from './page.ts';
import { parentCollection, parentCollections } from './parents.ts';

/** Statements on what the goal collection of an account is to hold. $1 is always the account. */

/** Takes away what is not of the collection $2 while that is the goal. */
export const DELETE_OTHER_GOALS = `
  delete from goal g where g.account_id = $1 and (g.collection_id <> coalesce($2, '') or not exists (
    select from collection c where c.account_id = $1 and c.id = g.collection_id and c.is_goal))`;

/** $2 collection. */
export const DELETE_GOAL_ITEMS = 'delete from goal_item where account_id = $1 and collection_id = $2';

/** $2 collection, $3 match, $4 the collection that is the target, or null; nothing where one of them is not there. */
export const SET_GOAL = `
  insert into goal (account_id, collection_id, match, target_collection_id)
  select c.account_id, c.id, $3, $4::text from collection c
  where c.account_id = $1 and c.id = $2 and not c.deleted and ($4::text is null or exists (
    select from collection t where t.account_id = $1 and t.id = $4 and not t.deleted))
  on conflict (account_id, collection_id) do update set match = excluded.match, target_collection_id = excluded.target_collection_id
  returning collection_id`;

/** $1 a list of `{variantId}` as JSON: gives the place, from 0, of the first that is no variant; else null. */
export const MISSING_GOAL_ITEM = `
  select min(place) - 1 as missing from jsonb_array_elements($1::jsonb) with ordinality as x(item, place)
  where not exists (select from variant v where v.id = x.item->>'variantId')`;

/** $2 collection, $3 a list of `{variantId, quantity}` as JSON. */
export const ADD_GOAL_ITEMS = `
  insert into goal_item (account_id, collection_id, variant_id, quantity)
  select $1::uuid, $2, v.id, sum(x.quantity)
  from jsonb_to_recordset($3::jsonb) as x("variantId" text, quantity bigint) join variant v on v.id = x."variantId"
  group by v.id
  returning 1 as one`;

/** The card of a product: printings of one name and pitch are one card. */
const card = (product: string) => `concat_ws(e'\\n', ${product}.name, ${product}.pitch_value) collate "C"`;

/** What counts as one by a match (SQL); cards of its match are known by it. What is sealed has no other printings. */
const keyBy = (
  match: string,
) => `(case when ${match} = 'Variant' then v.id when ${match} = 'Product' then p.id
  else case when p.sealed_set_type is null then ${card('p')} else p.id end end) collate "C"`;

/** $2 collection, $3 code of a set, $4 match: one of each variant, product or card of the set, but for what is sealed. */
export const ADD_GOAL_SET = `
  insert into goal_item (account_id, collection_id, variant_id, quantity)
  select distinct on (${keyBy('$4::text')}) $1::uuid, $2, v.id, 1
  from product p join variant v on v.product_id = p.id
  where p.set_code = $3 and p.sealed_set_type is null
  order by ${keyBy('$4::text')}, v.position, v.id
  returning 1 as one`;

/** What the collections ($2, ids as JSON) are to hold, where they are goals that have a target. */
export const GOALS = `
  select g.collection_id as id, g.match, t.id as "targetId", coalesce(t.transaction_count, items.count, 0) as size
  from goal g join collection c on c.account_id = $1 and c.id = g.collection_id
  left join collection t on t.account_id = $1 and t.id = g.target_collection_id and not t.deleted
  left join lateral (
    select count(*) as count from goal_item i where i.account_id = $1 and i.collection_id = g.collection_id
  ) items on g.target_collection_id is null
  where g.account_id = $1 and c.is_goal and not c.deleted and g.collection_id in (select jsonb_array_elements_text($2::jsonb))`;

export interface GoalRow {
  id: string;
  match: string;
  /** Null where it has a list. */
  targetId: string | null;
  /** Transactions of the target, or items of the list. */
  size: number;
}

/** Of each key that is `lacking` by a match: the cheapest variant that serves, and its price in the preferred currency. */
const CHEAPEST = `
  serving as materialized (
    select key, key as variant_id from lacking where match = 'Variant'
    union all
    select key, v.id from lacking join variant v on v.product_id = key where match <> 'Variant'
    union all
    select key, v.id from lacking join product p on ${card('p')} = key and p.sealed_set_type is null
    join variant v on v.product_id = p.id where match = 'Card'
  ),
  priced as materialized (
    select serving.key, serving.variant_id, price.currency, price.amount from serving
    join price on price.variant_id = serving.variant_id and price.source = (select source from preferred)
    where price.amount is not null
  ),
  cheapest as materialized (
    select distinct on (key) key, variant_id, amount * rate as price from priced join rate using (currency)
    where rate is not null order by key, price, variant_id
  )`;

/**
 * Of the goal collection `c`: what is wanted, owned and missing of each key. Only what the collection itself holds counts as
 * owned, and of each key no more than is wanted.
 */
const PARTS = `${PREFERRED}, ${RATES},
  aim as materialized (
    select g.match, g.target_collection_id as target from goal g where g.account_id = $1 and g.collection_id = c.id
  ),
  wanted_item as (
    select i.variant_id, i.quantity from aim join goal_item i on i.account_id = $1 and i.collection_id = c.id
    where aim.target is null
    union all
    select h.variant_id, h.quantity from aim join collection t on t.account_id = $1 and t.id = aim.target and not t.deleted
    join holding h on h.account_id = $1 and h.collection_id = t.id and h.quantity > 0
  ),
  wanted as materialized (
    select match, ${keyBy('match')} as key, sum(item.quantity)::bigint as wanted, min(v.id) as first_variant
    from aim cross join wanted_item item join variant v on v.id = item.variant_id join product p on p.id = v.product_id
    group by 1, 2
  ),
  owned as materialized (
    select ${keyBy('match')} as key, sum(h.quantity)::bigint as owned
    from aim cross join holding h join variant v on v.id = h.variant_id join product p on p.id = v.product_id
    where h.account_id = $1 and h.collection_id = c.id and h.quantity > 0 group by 1
  ),
  part as materialized (
    select w.match, w.key, w.first_variant, w.wanted, least(coalesce(o.owned, 0), w.wanted) as owned,
      greatest(w.wanted - coalesce(o.owned, 0), 0) as missing
    from wanted w left join owned o using (key)
  ),
  lacking as materialized (select match, key from part where missing > 0),
  ${CHEAPEST},
  gap as (
    select coalesce(cheapest.variant_id, part.first_variant) as variant_id, wanted, owned, missing, cheapest.price
    from part left join cheapest using (key)
  )`;

const PROGRESS = `
  coalesce(sum(wanted), 0)::bigint as wanted, coalesce(sum(owned), 0)::bigint as owned,
  coalesce(sum(missing), 0)::bigint as missing, count(*) filter (where missing > 0) as "missingCount",
  coalesce(sum(missing * price), 0) as cost,
  coalesce(sum(missing) filter (where price is null), 0)::bigint as unpriced`;

/** How far the goal collections ($2, ids as JSON) are. */
export const GOAL_PROGRESS = `
  select c.id, c.currency, (${PRICING_REVISION}) as "marketRevision", progress.*
  from ${parentCollections(2)} cross join lateral (
    with ${PARTS} select ${PROGRESS} from gap) progress`;

/**
 * What collections hold of sets, a list of `{place, setCode, collectionId}` as JSON ($2), by the match $3: of each key one is wanted, and
 * nothing of another set serves but for another printing of a card. However many are asked for, each collection is read once.
 */
export const SET_COMPLETION = `
  with ${PREFERRED}, ${RATES},
  asked as materialized (
    select x.place, x."setCode" as set_code, c.id as collection_id, c.currency
    from jsonb_to_recordset($2::jsonb) as x(place integer, "setCode" text, "collectionId" text)
    cross join lateral (${parentCollection('x."collectionId"')}) c
  ),
  wanted as materialized (
    select distinct p.set_code, ${keyBy('$3::text')} as key
    from product p join variant v on v.product_id = p.id
    where p.set_code in (select set_code from asked) and p.sealed_set_type is null
  ),
  owned as materialized (
    select distinct h.collection_id, ${keyBy('$3::text')} as key
    from holding h join variant v on v.id = h.variant_id join product p on p.id = v.product_id
    where h.account_id = $1 and h.collection_id in (select collection_id from asked) and h.quantity > 0
  ),
  part as materialized (
    select asked.place, asked.currency, wanted.key, (wanted.key is not null)::int as wanted, (owned.key is not null)::int as owned,
      (wanted.key is not null and owned.key is null)::int as missing
    from asked left join wanted using (set_code)
    left join owned on owned.collection_id = asked.collection_id and owned.key = wanted.key
  ),
  lacking as materialized (select distinct $3::text as match, key from part where missing > 0),
  ${CHEAPEST}
  select place, currency, (${PRICING_REVISION}) as "marketRevision", ${PROGRESS}
  from part left join cheapest using (key) group by place, currency`;

export type SetCompletionRow = Omit<GoalProgressRow, 'id'> & { place: number };

export interface GoalProgressRow {
  id: string;
  currency: string;
  marketRevision: number;
  wanted: number;
  owned: number;
  missing: number;
  missingCount: number;
  /** Exact, of those whose price is known. */
  cost: string;
  /** Of those that are missing, how many have no known price. */
  unpriced: number;
}

/** What is missing of the goal collection `c`, by the names of what is shown for it. */
export const MISSING = {
  columns: `m.variant_id as "variantId", m.wanted, m.owned, m.missing, m.price, c.currency, (${PRICING_REVISION}) as "marketRevision"`,
  from: `(with ${PARTS} select gap.*, p.name as product_name, v.name as variant_name
    from gap join variant v on v.id = gap.variant_id join product p on p.id = v.product_id where gap.missing > 0) m`,
  where: 'true',
  order: ascending(
    'goal-missing',
    ['m.product_name', 'text'],
    ['m.variant_name', 'text'],
    ['m.variant_id', 'text'],
  ),
};

export interface MissingRow {
  /** The cheapest that would serve, or one of those that are wanted where no price is known. */
  variantId: string;
  wanted: number;
  owned: number;
  missing: number;
  /** Exact, of one card in the currency; null where none is known. */
  price: string | null;
  currency: string;
  marketRevision: number;
}
