import { EXPORTED_TRANSACTIONS } from './ledger.ts';

/** Statements on the whole of an account, to write it down and to take it in again. $1 is always the account. */

/** To the microsecond, as it is stored. */
const utc = (time: string) => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

export const ACCOUNT_TO_ARCHIVE = `
  select a.name, ${utc('a.created_at')} as "createdAt", a.preferred_currency as "preferredCurrency",
    a.preferred_price_source as "preferredPriceSource", a.cost_basis as "costBasis",
    a.collection_count as "collectionCount",
    (select count(*) from price_alert p where p.account_id = $1) as "priceAlertCount",
    (select coalesce(sum(c.transaction_count), 0)::bigint from collection c where c.account_id = $1 and not c.deleted)
      as "transactionCount"
  from account a where a.account_id = $1 and a.deleted_at is null`;

export interface AccountToArchive {
  name: string;
  createdAt: string;
  preferredCurrency: string;
  preferredPriceSource: string;
  costBasis: string;
  collectionCount: number;
  priceAlertCount: number;
  transactionCount: number;
}

/** $2 the id behind which it goes on, $3 rows at most. */
export const COLLECTIONS_TO_ARCHIVE = `
  select c.id as "collectionId", c.name, c.description, c.kind as "collectionKind", c.valued, c.pinned, c.image,
    c.is_goal as "isGoalCollection", ${utc('c.created_at')} as "createdAt", c.transaction_count as "transactionCount"
  from collection c where c.account_id = $1 and c.id > $2 and not c.deleted order by c.id limit $3::integer`;

/** No row where the goal collection has no target, or there is none. A target that is deleted is none. */
export const GOAL_TO_ARCHIVE = `
  select g.match, g.target_collection_id as "targetCollectionId", (
      select coalesce(json_agg(json_build_object('variantId', i.variant_id, 'quantity', i.quantity) order by i.variant_id), '[]')
      from goal_item i where i.account_id = $1 and i.collection_id = g.collection_id
    ) as items
  from goal g join collection c on c.account_id = $1 and c.id = g.collection_id
  where g.account_id = $1 and c.is_goal and not c.deleted`;

export const ALERTS_TO_ARCHIVE = `
  select p.id, p.variant_id as "variantId", p.collection_id as "collectionId", p.condition, p.amount, p.currency, p.percent,
    p.days, p.direction, ${utc('p.created_at')} as "createdAt", p.is_met as "isMet", p.trigger_count as "triggerCount",
    ${utc('p.last_triggered_at')} as "lastTriggeredAt", p.last_triggered_day::text as "lastTriggeredDay",
    p.last_value as "lastValue", p.last_currency as "lastCurrency", p.last_change as "lastChange"
  from price_alert p where p.account_id = $1 order by p.id`;

/** What is another one after each change of what is archived: a collection has another revision after each of its ledger. */
export const ARCHIVED_STATE = `
  select md5(jsonb_build_array(
    (select jsonb_build_array(a.name, a.preferred_currency, a.preferred_price_source, a.cost_basis)
      from account a where a.account_id = $1 and a.deleted_at is null),
    (select jsonb_agg(jsonb_build_array(c.id, c.revision) order by c.id)
      from collection c where c.account_id = $1 and not c.deleted),
    (select jsonb_agg(jsonb_build_array(g.collection_id, g.match, g.target_collection_id) order by g.collection_id)
      from goal g where g.account_id = $1),
    (select jsonb_agg(jsonb_build_array(i.collection_id, i.variant_id, i.quantity) order by i.collection_id, i.variant_id)
      from goal_item i where i.account_id = $1),
    (select jsonb_agg(jsonb_build_array(p.id, p.is_met, p.trigger_count) order by p.id)
      from price_alert p where p.account_id = $1)
  )::text) as state`;

/** Looked up for each row: the planner, who takes any JSON for a hundred rows, would read the whole catalogue. */
const WITH_PRODUCT = `
  cross join lateral (select * from variant where variant.id = t.variant_id limit 1) v
  cross join lateral (select * from product where product.id = v.product_id limit 1) p`;

/** In the order in which they were entered: $2 the id behind which it goes on, $3 rows at most. */
export const TRANSACTIONS_TO_ARCHIVE = `
  select t.collection_id as "collectionId", ${EXPORTED_TRANSACTIONS.columns}
  from transaction t ${WITH_PRODUCT}
  where t.account_id = $1 and t.id > $2
    and exists (select from collection c where c.account_id = $1 and c.id = t.collection_id and not c.deleted)
  order by t.id limit $3::integer`;

/** What an account has of what an archive brings; it is locked. */
export const THINGS_OF_ACCOUNT = `
  select a.collection_count + (select count(*) from price_alert p where p.account_id = $1) as count
  from account a where a.account_id = $1 and a.deleted_at is null`;

/**
 * $2 collection, $3 description, $4 pinned, $5 image, $6 time, $7 transactions that it is to have: of one that the same database
 * transaction has made, in an account that may have all of them.
 */
export const RESTORE_COLLECTION = `
  update collection set description = $3, pinned = $4::boolean, image = $5::integer, created_at = $6::timestamptz,
    transaction_share = $7::bigint
  where account_id = $1 and id = $2`;

/** $2 alert, $3 time, $4 how often it fired; $5 to $9 the last time, its day, value, currency and change, or null. */
export const RESTORE_ALERT = `
  update price_alert set created_at = $3::timestamptz, trigger_count = $4::integer, last_triggered_at = $5::timestamptz,
    last_triggered_day = $6::date, last_value = $7::numeric, last_currency = $8, last_change = $9::numeric
  where account_id = $1 and id = $2`;
