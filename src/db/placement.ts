/**
 * Where each table is on Citus. A new table is put into one of these lists, and `npm test` says so
 * (test/contract/placement.test.ts). One that is in a list and not in the database is one of a later migration.
 */

/** Spread over the nodes by `account_id`, all rows of an account on the same one. */
export const TENANT_TABLES = [
  'account',
  'sub_account',
  'former_sub_account',
  'collection',
  'transaction',
  'holding',
  'cost_state',
  'goal',
  'goal_item',
  'ledger_to_rate',
  'price_alert',
  'idempotency_key',
  'event',
  'event_stream',
  'import_preview',
  'import_preview_row',
  'webhook',
  'webhook_delivery',
] as const;

/** Whole on every node: the catalogue and the market, what is found before the account is known, and what is joined with tenants' rows. */
export const REFERENCE_TABLES = [
  'product',
  'variant',
  'price',
  'price_year',
  'price_day',
  'price_move',
  'index_day',
  'sale_volumes',
  'fx_rate',
  'rate_gap',
  'rate_change',
  'pull_rate_set',
  'product_ev',
  'product_ev_history',
  'market_data',
  'client',
  'identity_provider',
  'webhook_feed',
] as const;

/** On the coordinator alone: joined with nothing, and written by each request for a token or hardly ever. */
export const COORDINATOR_TABLES = ['migration', 'market_pull', 'rate_limit', 'signing_key'] as const;
