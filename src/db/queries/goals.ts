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

/** What counts as one for a goal; cards of its match are known by it. What is sealed has no other printings. */
const KEY = `(case when match = 'Variant' then v.id when match = 'Product' then p.id
  else case when p.sealed_set_type is null then ${card('p')} else p.id end end) collate "C"`;

/** $2 collection, $3 code of a set, $4 match: one of each variant, product or card of the set, but for what is sealed. */
export const ADD_GOAL_SET = `
  insert into goal_item (account_id, collection_id, variant_id, quantity)
  select distinct on (${KEY.replaceAll('match', '$4::text')}) $1::uuid, $2, v.id, 1
  from product p join variant v on v.product_id = p.id
  where p.set_code = $3 and p.sealed_set_type is null
  order by ${KEY.replaceAll('match', '$4::text')}, v.position, v.id
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

/** What is wanted: the match as `aim`, and a `wanted_item` for each; a condition of what of the collection may serve. */
interface Aim {
  parts: string;
  serves: string;
}

const OF_GOAL: Aim = {
  parts: `
  aim as materialized (
    select g.match, g.target_collection_id as target from goal g where g.account_id = $1 and g.collection_id = c.id
  ),
  wanted_item as (
    select i.variant_id, i.quantity from aim join goal_item i on i.account_id = $1 and i.collection_id = c.id
    where aim.target is null
    union all
    select h.variant_id, h.quantity from aim join collection t on t.account_id = $1 and t.id = aim.target and not t.deleted
    join holding h on h.account_id = $1 and h.collection_id = t.id and h.quantity > 0
  )`,
  serves: 'true',
};

/** One of each of the set `x."setCode"`, by the match $3; nothing of another set serves but for another printing of a card. */
const OF_SET: Aim = {
  parts: `
  aim as materialized (select $3::text as match),
  wanted_item as (
    select distinct on (${KEY}) v.id as variant_id, 1::bigint as quantity
    from aim cross join product p join variant v on v.product_id = p.id
    where p.set_code = x."setCode" and p.sealed_set_type is null
    order by ${KEY}, v.position, v.id
  )`,
  serves: `(aim.match = 'Card' or p.set_code = x."setCode")`,
};

/**
 * Of the collection `c`: what is wanted, owned and missing of each key. Only what the collection itself holds counts as
 * owned, and of each key no more than is wanted.
 */
const parts = (aim: Aim) => `
  ${aim.parts},
  wanted as materialized (
    select match, ${KEY} as key, sum(item.quantity)::bigint as wanted, min(v.id) as first_variant
    from aim cross join wanted_item item join variant v on v.id = item.variant_id join product p on p.id = v.product_id
    group by 1, 2
  ),
  owned as materialized (
    select ${KEY} as key, sum(h.quantity)::bigint as owned
    from aim cross join holding h join variant v on v.id = h.variant_id join product p on p.id = v.product_id
    where h.account_id = $1 and h.collection_id = c.id and h.quantity > 0 and ${aim.serves} group by 1
  ),
  part as materialized (
    select w.match, w.key, w.first_variant, w.wanted, least(coalesce(o.owned, 0), w.wanted) as owned,
      greatest(w.wanted - coalesce(o.owned, 0), 0) as missing
    from wanted w left join owned o using (key)
  ),
  serving as materialized (
    select key, key as variant_id from part where match = 'Variant' and missing > 0
    union all
    select part.key, v.id from part join variant v on v.product_id = part.key where match <> 'Variant' and missing > 0
    union all
    select part.key, v.id from part join product p on ${card('p')} = part.key and p.sealed_set_type is null
    join variant v on v.product_id = p.id where match = 'Card' and missing > 0
  ),
  priced as materialized (
    select serving.key, serving.variant_id, price.currency, price.amount from serving
    join price on price.variant_id = serving.variant_id and price.source = (select source from preferred)
    where price.amount is not null
  ),
  cheapest as materialized (
    select distinct on (key) key, variant_id, amount * rate as price from priced join rate using (currency)
    where rate is not null order by key, price, variant_id
  ),
  gap as (
    select coalesce(cheapest.variant_id, part.first_variant) as variant_id, wanted, owned, missing, cheapest.price
    from part left join cheapest using (key)
  )`;
const PARTS = `${PREFERRED}, ${RATES}, ${parts(OF_GOAL)}`;

const PROGRESS = `
    select coalesce(sum(wanted), 0)::bigint as wanted, coalesce(sum(owned), 0)::bigint as owned,
      coalesce(sum(missing), 0)::bigint as missing, count(*) filter (where missing > 0) as "missingCount",
      coalesce(sum(missing * price), 0) as cost,
      coalesce(sum(missing) filter (where price is null), 0)::bigint as unpriced
    from gap`;

/** How far the goal collections ($2, ids as JSON) are. */
export const GOAL_PROGRESS = `
  select c.id, c.currency, (${PRICING_REVISION}) as "marketRevision", progress.*
  from ${parentCollections(2)} cross join lateral (
    with ${PARTS} ${PROGRESS}) progress`;

/** What collections hold of sets, a list of `{place, setCode, collectionId}` as JSON ($2), by the match $3. */
export const SET_COMPLETION = `
  with ${PREFERRED}, ${RATES}
  select x.place, c.currency, (${PRICING_REVISION}) as "marketRevision", progress.*
  from jsonb_to_recordset($2::jsonb) as x(place integer, "setCode" text, "collectionId" text)
  cross join lateral (${parentCollection('x."collectionId"')}) c
  cross join lateral (with ${parts(OF_SET)} ${PROGRESS}) progress`;

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
