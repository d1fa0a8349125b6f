import { INVESTED, UNKNOWN_COST } from './holdings.ts';

/**
 * What the cards of a collection have cost by a basis that depends on the order (domain/cost-basis.ts): kept for each
 * transaction and, at the end, for each holding. Whoever writes has locked the collection. $1 is always the account.
 */

/** Where a variant's transactions are others from a place on: the day, and an id there. */
export interface CostPlace {
  variantId: string;
  occurred: string;
  id: string;
}

/** Before all transactions. */
export const FROM_THE_BEGINNING = { occurred: '-infinity', id: '' };

const PLACES = 'x("variantId" text, occurred date, id text)';

/** Its transaction `t` in a line. */
export const ENTRY_LINE = `concat_ws(' ', t.id, t.occurred, t.action, t.quantity, t.unit_amount, t.fees + t.shipping, t.currency,
  t.rate, t.cost_unknown)`;

/**
 * What is kept of transactions ($8 ids as JSON) of the variant $3 in the collection $2, where they may be no more: the first of them
 * is of the day $4 and has the id $5, the last of $6 and $7. Of one variant: joined with many, all that is kept of the collection
 * would be read, as the planner takes what an account has in a collection for a single row.
 */
export const DELETE_COST_STATES_AT = `
  delete from cost_state
  where account_id = $1 and collection_id = $2 and variant_id = $3
    and (occurred, transaction_id) >= ($4::date, $5) and (occurred, transaction_id) <= ($6::date, $7)
    and transaction_id = any(array(select jsonb_array_elements_text($8::jsonb)))`;

/**
 * For each of the places ($2 collection, $3 as JSON) the state before it and the transactions from there on, $4 at most.
 */
export const BEGIN_COST_STATES = `
  select x."variantId", (select c.cost_basis from collection c where c.account_id = $1 and c.id = $2) as "costBasis", s.held, s.held_cost as "heldCost",
    s.held_unknown as "heldUnknown", s.lot_occurred::text as "lotOccurred", s.lot_id as "lotId",
    s.lot_taken as "lotTaken", e.lines
  from jsonb_to_recordset($3::jsonb) as ${PLACES}
  left join lateral (
    select s.* from cost_state s
    where s.account_id = $1 and s.collection_id = $2 and s.variant_id = x."variantId"
      and (s.occurred, s.transaction_id) < (x.occurred, x.id)
    order by s.occurred desc, s.transaction_id desc limit 1
  ) s on true
  cross join lateral (
    select string_agg(line, E'\\n') as lines from (
      select ${ENTRY_LINE} as line from transaction t
      where t.account_id = $1 and t.collection_id = $2 and t.variant_id = x."variantId"
        and (t.occurred, t.id) >= (x.occurred, x.id)
      order by t.occurred, t.id limit $4::integer
    ) t
  ) e`;

export interface CostStateRow {
  variantId: string;
  costBasis: string;
  /** Null, as all of the state, where nothing is before the place. */
  held: number | null;
  heldCost: string | null;
  heldUnknown: number | null;
  lotOccurred: string | null;
  lotId: string | null;
  lotTaken: number | null;
  /** Null where there are none. */
  lines: string | null;
}

/** The transactions of the variant $3 in the collection $2 behind the day $4 and the id $5 there, $6 at most. */
export const ENTRIES_AFTER = `
  select string_agg(line, E'\\n') as lines from (
    select ${ENTRY_LINE} as line from transaction t
    where t.account_id = $1 and t.collection_id = $2 and t.variant_id = $3 and (t.occurred, t.id) > ($4::date, $5)
    order by t.occurred, t.id limit $6::integer
  ) t`;

/** The purchases of the collection $2 that are lots: of each variant those between two places, so many at most ($3, as JSON). */
export const OPEN_LOTS = `
  select x."variantId", e.lines
  from jsonb_to_recordset($3::jsonb) as x("variantId" text, occurred date, id text, "untilOccurred" date, "untilId" text, most integer)
  cross join lateral (
    select string_agg(line, E'\\n') as lines from (
      select ${ENTRY_LINE} as line from transaction t
      where t.account_id = $1 and t.collection_id = $2 and t.variant_id = x."variantId" and t.action = 'Purchase'
        and (t.occurred, t.id) >= (x.occurred, x.id) and (t.occurred, t.id) < (x."untilOccurred", x."untilId")
      order by t.occurred, t.id limit x.most
    ) t
  ) e`;

/** From the first lot on, and how many at most. */
export interface LotsAsked extends CostPlace {
  untilOccurred: string;
  untilId: string;
  most: number;
}

/** The purchases of the variant $3 in the collection $2 behind the day $4 and the id $5 there, and before $6 and $7; $8 at most. */
export const LOTS_AFTER = `
  select string_agg(line, E'\\n') as lines from (
    select ${ENTRY_LINE} as line from transaction t
    where t.account_id = $1 and t.collection_id = $2 and t.variant_id = $3 and t.action = 'Purchase'
      and (t.occurred, t.id) > ($4::date, $5) and (t.occurred, t.id) < ($6::date, $7)
    order by t.occurred, t.id limit $8::integer
  ) t`;

/** $2 collection, $3 states as JSON, which take the place of those that are kept. */
export const KEEP_COST_STATES = `
  insert into cost_state (account_id, collection_id, variant_id, occurred, transaction_id, cost, held, held_cost,
    held_unknown, lot_occurred, lot_id, lot_taken)
  select $1, $2, s."variantId", s.occurred, s.id, s.cost, s.held, s."heldCost", s."heldUnknown", s."lotOccurred", s."lotId", s."lotTaken"
  from jsonb_to_recordset($3::jsonb) as s("variantId" text, occurred date, id text, cost numeric, held bigint,
    "heldCost" numeric, "heldUnknown" bigint, "lotOccurred" date, "lotId" text, "lotTaken" integer)
  on conflict (account_id, collection_id, variant_id, occurred, transaction_id) do update set cost = excluded.cost,
    held = excluded.held, held_cost = excluded.held_cost, held_unknown = excluded.held_unknown, lot_occurred = excluded.lot_occurred, lot_id = excluded.lot_id,
    lot_taken = excluded.lot_taken`;

export interface KeptCostState {
  variantId: string;
  occurred: string;
  id: string;
  cost: string;
  held: number;
  heldCost: string;
  heldUnknown: number;
  lotOccurred: string | null;
  lotId: string | null;
  lotTaken: number | null;
}

/**
 * The holdings of the collection $2 as $3 has them, a list of `{variantId, held, heldCost, heldUnknown}` as JSON; the totals of the collection
 * are summed up afterwards. Each is looked up, as in all that are changed: joined, the planner would read all holdings of the collection for one.
 */
export const KEEP_HELD_COST = `
  insert into holding as h (account_id, collection_id, variant_id, transaction_count, bought, cost, bought_unknown, sold, proceeds,
    held, held_cost, held_unknown)
  select b.account_id, b.collection_id, b.variant_id, b.transaction_count, b.bought, b.cost, b.bought_unknown, b.sold, b.proceeds, x.held, x."heldCost",
    x."heldUnknown"
  from jsonb_to_recordset($3::jsonb) as x("variantId" text, held bigint, "heldCost" numeric, "heldUnknown" bigint)
  cross join lateral (
    select h.* from holding h where h.account_id = $1 and h.collection_id = $2 and h.variant_id = x."variantId" limit 1) b
  on conflict (account_id, collection_id, variant_id) do update
    set held = excluded.held, held_cost = excluded.held_cost, held_unknown = excluded.held_unknown`;

/** The same, with the totals of the collection, in the transaction that has changed its ledger. */
export const ADD_HELD_COST = 'select add_held_costs($1::uuid, $2, $3::jsonb)';

/** The variants that collections ($2, ids as JSON) hold, where the order of their transactions counts. */
export const ORDERED_VARIANTS = `
  select c.id as "collectionId", json_agg(h.variant_id) as "variantIds"
  from collection c join holding h on h.account_id = $1 and h.collection_id = c.id
  where c.account_id = $1 and not c.deleted and c.cost_basis <> 'Average'
    and c.id in (select jsonb_array_elements_text($2::jsonb))
  group by c.id`;

/** What is kept of the collections ($2, ids as JSON), before it is computed afresh or, by the average, not at all. */
export const DELETE_COST_STATES = `
  delete from cost_state where account_id = $1 and collection_id in (select jsonb_array_elements_text($2::jsonb))`;
export const CLEAR_HELD_COST = `
  update holding h set held = null, held_cost = null, held_unknown = null
  from collection c
  where h.account_id = $1 and c.account_id = $1 and c.id = h.collection_id and c.cost_basis = 'Average'
    and c.id in (select jsonb_array_elements_text($2::jsonb)) and h.held is not null`;

/**
 * What is kept of the variants of the collection $2, $4 of them at most behind $3: the transactions, the states after them
 * and the holding's. Numbers are without trailing zeros.
 */
export const KEPT_COSTS = `
  select h.variant_id as "variantId", c.cost_basis as "costBasis", h.held, trim_scale(h.held_cost) as "heldCost",
    case when h.held is not null then coalesce(h.held_unknown, 0) end as "heldUnknown",
    (select string_agg(${ENTRY_LINE}, E'\\n' order by t.occurred, t.id) from transaction t
     where t.account_id = $1 and t.collection_id = $2 and t.variant_id = h.variant_id) as lines,
    (select string_agg(concat_ws(' ', s.transaction_id, trim_scale(s.cost), s.held, trim_scale(s.held_cost), s.held_unknown, s.lot_occurred,
       s.lot_id, s.lot_taken), E'\\n' order by s.occurred, s.transaction_id) from cost_state s
     where s.account_id = $1 and s.collection_id = $2 and s.variant_id = h.variant_id) as states
  from holding h join collection c on c.account_id = $1 and c.id = $2
  where h.account_id = $1 and h.collection_id = $2 and h.variant_id > $3 and h.transaction_count > 0
  order by h.variant_id limit $4::integer`;

export interface KeptCostsRow {
  variantId: string;
  costBasis: string;
  held: number | null;
  heldCost: string | null;
  heldUnknown: number | null;
  lines: string | null;
  /** As text, since one is compared with another. */
  states: string | null;
}

/** The variants that the collection $2 ever sold, as a list. */
export const SOLD_VARIANTS = `
  select coalesce(json_agg(h.variant_id order by h.variant_id), '[]') as ids
  from holding h where h.account_id = $1 and h.collection_id = $2 and h.sold > 0`;

/** Of each variant ($3, ids as JSON) of the collection $2 the first transactions up to the day $4, $5 at most. */
export const FIRST_ENTRIES = `
  select v.id as "variantId",
    (select string_agg(line, E'\\n') from (
       select ${ENTRY_LINE} as line from transaction t
       where t.account_id = $1 and t.collection_id = $2 and t.variant_id = v.id and t.occurred <= $4::date
       order by t.occurred, t.id limit $5::integer
     ) t) as lines
  from jsonb_array_elements_text($3::jsonb) with ordinality as v(id, position) order by v.position`;

/** Holdings `x` ($2, pairs of collection and variant as JSON) with what is held and what that has cost. */
const HELD = `
  jsonb_to_recordset($2::jsonb) as x("collectionId" text, "variantId" text)
  cross join lateral (
    select c.currency, c.cost_basis, h.transaction_count, ${INVESTED} as cost, coalesce(h.held, greatest(h.quantity, 0)) as cards,
      ${UNKNOWN_COST} as unknown
    from holding h join collection c on c.account_id = $1 and c.id = h.collection_id
    where h.account_id = $1 and not c.deleted and h.collection_id = x."collectionId"
      and h.variant_id = x."variantId" and h.transaction_count > 0
  ) h`;

/** How many transactions the holdings have. */
export const COUNT_HELD_TRANSACTIONS = `select coalesce(sum(h.transaction_count), 0)::bigint as count from ${HELD}`;

/**
 * A page of the lots of each holding, the oldest first: whatever the cost basis, lots are the purchases bought last, as many as
 * there are cards. The page is of the places behind $3 and, but for null, before $4, $5 of them at most: the last ones where $6
 * says so. Lines of the purchases, each behind the cards that are left of it.
 */
export const HELD_LOTS = `
  select x."collectionId", x."variantId", h.currency, h.cost_basis as "costBasis", h.cards as "cardsHeld",
    trim_scale(h.cost) as cost, h.unknown as "unknownCost", lot.count, lot.lines
  from ${HELD} cross join lateral (
    with open as (
      select * from (
        select t.id, sum(t.quantity) over newest - t.quantity as newer, row_number() over newest as nth from transaction t
        where t.account_id = $1 and t.collection_id = x."collectionId" and t.variant_id = x."variantId"
          and t.action = 'Purchase'
        window newest as (order by t.occurred desc, t.id desc)
      ) t
      where newer < h.cards
    ), counted as (select count(*) from open)
    select counted.count, (
      select string_agg(concat_ws(' ', least(t.quantity, h.cards - page.newer), ${ENTRY_LINE}), E'\\n' order by t.occurred, t.id)
      from (
        select id, newer from (select id, newer, counted.count - nth as place from open) placed
        where place > $3::bigint and ($4::bigint is null or place < $4)
        order by case when $6::boolean then -place else place end limit $5::integer
      ) page join transaction t
        on t.account_id = $1 and t.collection_id = x."collectionId" and t.variant_id = x."variantId" and t.id = page.id
    ) as lines
    from counted
  ) lot`;

export interface HeldLotsRow {
  collectionId: string;
  variantId: string;
  currency: string;
  costBasis: string;
  cardsHeld: number;
  cost: string;
  unknownCost: number;
  /** Of all lots of the holding. */
  count: number;
  /** Null where the page has none. */
  lines: string | null;
}
