/** Statements on clients, the keys that sign tokens, and the limits of the token endpoint. */

/** $1 client: one that has not been revoked. */
export const CLIENT_SECRET = `
  select account_id as "accountId", secret_digest as digest from client where id = $1 and revoked_at is null`;

/** $1 account: whether it is there, and not suspended. */
export const IS_OPEN =
  'select 1 as one from account where account_id = $1 and not suspended and deleted_at is null';

/** $1 account: whether it may have accounts below it, or has some. */
export const IS_PLATFORM =
  'select 1 as one from account where account_id = $1 and parent_id is null and greatest(max_accounts, account_count) > 0';

export interface ClientRow {
  clientId: string;
  accountId: string;
  name: string;
  createdAt: string;
  revokedAt: string | null;
}

/** $1 id, $2 account, $3 name, $4 digest of the secret, $5 time. No row comes back where there is no such account. */
export const INSERT_CLIENT = `
  insert into client (id, account_id, name, secret_digest, created_at)
  select $1::text, account_id, $3::text, $4::text, $5::timestamptz from account where account_id = $2 and deleted_at is null returning id`;

/** $1 account, or null for all: oldest first. */
export const CLIENTS = `
  select id as "clientId", account_id as "accountId", name, created_at as "createdAt", revoked_at as "revokedAt"
  from client where $1::uuid is null or account_id = $1 order by created_at, id`;

/** $1 client, $2 time. */
export const REVOKE_CLIENT = `
  update client set revoked_at = coalesce(revoked_at, $2::timestamptz) where id = $1 returning id`;

/** $1 client, $2 digest of its new secret. */
export const SET_CLIENT_SECRET = `
  update client set secret_digest = $2 where id = $1 and revoked_at is null returning id`;

/** To the end of the transaction. */
export const LOCK_SIGNING_KEYS = 'select pg_advisory_xact_lock(7201102)';

/** Oldest first. */
export const SIGNING_KEYS = `
  select id, public_jwk as "publicJwk", private_jwk as "privateJwk", created_at as "createdAt"
  from signing_key order by created_at, id`;

/** $1 id, $2 public and $3 private key, $4 time. As text first: the driver would make JSON of a JSON text once more. */
export const INSERT_SIGNING_KEY = `
  insert into signing_key (id, public_jwk, private_jwk, created_at)
  values ($1, $2::text::jsonb, $3::text::jsonb, $4)`;

export const DELETE_SIGNING_KEY = 'delete from signing_key where id = $1';

/** A minute and the time by which the clocks of two nodes may differ. */
export const LONGEST_LIMIT_MILLIS = 2 * 60_000;

const hasEnded = `rate_limit.expire not between $3::bigint + 1 and $3::bigint + ${LONGEST_LIMIT_MILLIS}`;

/**
 * $1 key. A minute starts with the first request of a key, and anew where it would end later than the clocks of two nodes
 * explain: after a clock was set back nobody waits for what it said. $2 is when a minute that starts now ends, $3 is now.
 */
export const COUNT_REQUEST = `
  insert into rate_limit (key, points, expire) values ($1, 1, $2)
  on conflict (key) do update set
    points = case when ${hasEnded} then 1 else rate_limit.points + 1 end,
    expire = case when ${hasEnded} then excluded.expire else rate_limit.expire end
  returning points, expire`;

/** $1 now. */
export const SWEEP_LIMITS = `
  delete from rate_limit where key in (
    select key from rate_limit where expire <= $1 for update skip locked)`;
