import { UNTOLD_FROM } from './events.ts';
import { ascending, indexed } from './page.ts';

/** Statements on the accounts below an account. $1 is the account that they are below, where nothing else is said. */

export interface SubAccountRow {
  /** uuid */
  id: string;
  externalId: string;
  name: string;
  suspended: boolean;
  maxCollections: number;
  maxValuedCollections: number;
  maxTransactions: number;
  revision: number;
  createdAt: string;
}

const OF_ACCOUNT = `a.name, a.suspended, a.max_collections as "maxCollections",
    a.max_valued_collections as "maxValuedCollections", a.max_transactions as "maxTransactions", a.revision,
    a.created_at as "createdAt"`;

/** Oldest first: their ids sort by the time they were made. */
export const SUB_ACCOUNT_ORDER = indexed(ascending('accounts-created', ['s.id', 'uuid']));

const ID = 's.id, s.external_id as "externalId"';
const WHERE = 's.account_id = $1';

/** $2 external id, where one is looked for. Of the accounts it has the ids alone: the rest is for `SUB_ACCOUNTS`. */
export const subAccountList = (hasExternalId: boolean) => ({
  columns: 's.id',
  from: 'sub_account s',
  where: `${WHERE}${hasExternalId ? ' and s.external_id = $2' : ''}`,
  order: SUB_ACCOUNT_ORDER,
});

/** $2 ids, as an array literal: those of them that are below the account. They are looked up by their own ids, as they may be on other nodes. */
export const SUB_ACCOUNTS = `
  with s as materialized (select s.id, s.external_id from sub_account s where ${WHERE} and s.id = any($2::uuid[]))
  select ${ID}, ${OF_ACCOUNT} from s join account a on a.account_id = s.id where a.account_id = any($2::uuid[])`;

/** $2 external id. */
export const SUB_ACCOUNT_ID = `select s.id from sub_account s where ${WHERE} and s.external_id = $2`;

/** How many there are and may be, and what else the account may have, which none below it may have more of. */
export interface SubAccountCount {
  count: number;
  limit: number;
  maxCollections: number;
  maxValuedCollections: number;
  maxTransactions: number;
}

export const SUB_ACCOUNT_COUNT = `
  select account_count as count, max_accounts as "limit", max_collections as "maxCollections",
    max_valued_collections as "maxValuedCollections", max_transactions as "maxTransactions"
  from account where account_id = $1`;

/**
 * $2 id, $3 external id, $4 name, $5 time, $6 to $8 the usual limits; the account is locked. It begins with the preferences of
 * the one above, and with no more than that may have. No row comes back where there is one of the external id, or as many as
 * there may be.
 */
export const CREATE_SUB_ACCOUNT = `
  with parent as (
    update account set account_count = account_count + 1
    where account_id = $1 and account_count < max_accounts
      and not exists (select from sub_account s where s.account_id = $1 and s.external_id = $3)
    returning account_id as parent_id, preferred_currency, preferred_price_source, cost_basis, max_collections,
      max_valued_collections, max_transactions
  ),
  listed as (insert into sub_account (account_id, id, external_id) select parent_id, $2::uuid, $3 from parent returning id),
  made as (
    insert into account as a (account_id, parent_id, name, preferred_currency, preferred_price_source, cost_basis,
    max_collections, max_valued_collections, max_transactions, created_at)
  select $2::uuid, parent_id, $4, preferred_currency, preferred_price_source, cost_basis, least(max_collections, $6::integer),
    least(max_valued_collections, $7::integer), least(max_transactions, $8::integer), $5::timestamptz
  from parent
    returning *
  )
  select a.account_id as id, $3 as "externalId", ${OF_ACCOUNT} from made a`;

/**
 * $1 is the account itself. $2 name, $3 collections, $4 valued collections and $5 transactions that it may have, $6 whether it is
 * suspended (each null where it stays); the account above is locked. Shares of transactions are taken back with another limit, as
 * SET_LIMITS does.
 */
export const UPDATE_SUB_ACCOUNT = `
  with changed as (
    update account a set name = coalesce($2, a.name), max_collections = coalesce($3::integer, a.max_collections),
      max_valued_collections = coalesce($4::integer, a.max_valued_collections),
      max_transactions = coalesce($5::integer, a.max_transactions), suspended = coalesce($6::boolean, a.suspended),
      revision = a.revision + 1
    where a.account_id = $1
    returning a.*, $5::integer is not null as has_other_limit
  ),
  taken_back as (
    update collection set transaction_share = 0 from changed
    where collection.account_id = $1 and changed.has_other_limit
    returning collection.id
  )
  select a.account_id as id, ${OF_ACCOUNT} from changed a`;

/**
 * $2 id, $3 time; the account above is locked. It is gone for everyone at once, and another may have its external id.
 */
export const DELETE_SUB_ACCOUNT = `
  with listed as materialized (select id from sub_account where account_id = $1 and id = $2),
  gone as (
    update account a set deleted_at = $3::timestamptz, revision = a.revision + 1 from listed
    where a.account_id = $2 and a.account_id = listed.id
    returning a.account_id, a.revision
  ),
  unlisted as (
    delete from sub_account s using gone where s.account_id = $1 and s.id = gone.account_id returning s.external_id
  ),
  former as (
    insert into former_sub_account (account_id, external_id, deleted_at)
    select p.account_id, unlisted.external_id, $3::timestamptz from unlisted join identity_provider p on p.account_id = $1
    on conflict (account_id, external_id) do update set deleted_at = excluded.deleted_at
    returning external_id
  ),
  counted as (
    update account a set account_count = a.account_count - 1 from gone where a.account_id = $1
    returning a.account_id
  ),
  logged as (
    insert into event (account_id, stream, sequence, kind)
    select $1, 'acc_' || account_id, revision, 'AccountDeleted' from gone
    returning sequence
  )
  select from gone`;

/** $2 external id: of a deleted account. */
export const FORMER_SUB_ACCOUNT = `
  select deleted_at as "deletedAt" from former_sub_account where account_id = $1 and external_id = $2`;

/** By then no token is good any more that was issued before. */
const FORMER = "deleted_at < now() - interval '25 hours'";

/** $1 at most, the oldest first. */
export const PURGE_FORMER_SUB_ACCOUNTS = `
  with former as (
    select account_id, external_id from former_sub_account where ${FORMER} order by deleted_at limit $1::integer
  ),
  gone as (
    delete from former_sub_account f using former x where f.account_id = x.account_id and f.external_id = x.external_id
    returning 1
  )
  select count(*) as count from gone`;

/** What is asked before anybody may act as an account ($1): whose it is, and whether it is suspended. */
export const ACCOUNT_ACCESS = `
  select parent_id as "parentId", suspended from account where account_id = $1 and deleted_at is null`;

/** For so long after its deletion an account may be worked in by who had access: tokens, and what a node knows, end before. */
const GRACE = "interval '2 minutes'";

/** Deleted accounts of which webhooks are told, 100 at most, but for those of $1, a JSON array. */
export const DELETED_ACCOUNTS = `
  select account_id as "accountId" from account where deleted_at < least(now() - ${GRACE}, ${UNTOLD_FROM})
    and account_id not in (select jsonb_array_elements_text($1::jsonb)::uuid)
  order by deleted_at limit 100`;

/** The account $1, unless somebody else is purging it. */
export const LOCK_DELETED_ACCOUNT =
  'select account_id from account where account_id = $1 and deleted_at is not null for update skip locked';

/** Every table with an account, but for that of accounts: those that refer to others before them. */
export const PURGED_TABLES = [
  ...['import_preview_row', 'import_preview', 'goal_item', 'goal', 'price_alert', 'cost_state', 'holding'],
  ...[
    'transaction',
    'collection',
    'ledger_to_rate',
    'event',
    'event_stream',
    'idempotency_key',
    'sub_account',
    'former_sub_account',
  ],
  ...['webhook_delivery', 'webhook', 'identity_provider', 'client'],
] as const;

/** Of an account that had much, rows that are gone are looked for by the statistics of before: in the whole table, each time. */
export const BY_INDEX = 'set local enable_seqscan = off';

/** $1 account, $2 rows at most. */
export const PURGE_ACCOUNT_ROWS = PURGED_TABLES.map(
  (table) => `
  delete from ${table} where account_id = $1 and ctid = any (array(
    select ctid from ${table} where account_id = $1 limit $2::integer))
  returning 1 as one`,
);

/** $1 account. */
export const PURGE_ACCOUNT = 'delete from account where account_id = $1 and deleted_at is not null';
