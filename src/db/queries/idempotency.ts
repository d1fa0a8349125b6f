import { LIMITS } from '../../domain/limits.ts';

/** $1 account, $2 client, $3 key, where nothing else is said. */

const KEPT = `interval '${LIMITS.idempotencyKeyHours} hours'`;

/**
 * $4 digest of the request, $5 now, $6 from when on keys are kept. Gives a row to the first that brings the key, or brings it again when it is expired; one
 * that comes meanwhile waits for the end of the transaction.
 */
export const CLAIM_KEY = `
  insert into idempotency_key as k (account_id, client_id, key, request_digest, created_at)
  values ($1, $2, $3, $4, $5::timestamptz)
  on conflict (account_id, client_id, key) do update
  set request_digest = excluded.request_digest, answer = null, answer_bytes = 0, created_at = excluded.created_at
  where k.created_at < $6::timestamptz
  returning 1`;

export interface FirstAnswer<T> {
  requestDigest: string;
  answer: T;
  /** Whether it had to make room for others. */
  isGone: boolean;
}

export const FIRST_ANSWER = `
  select request_digest as "requestDigest", answer, answer is null as "isGone" from idempotency_key
  where account_id = $1 and client_id = $2 and key = $3`;

/** $4 the answer as JSON, $5 the bytes that count. */
export const KEEP_ANSWER = `
  update idempotency_key set answer = $4::jsonb, answer_bytes = $5::integer where account_id = $1 and client_id = $2 and key = $3`;

/**
 * The newest stays. Takes the oldest large answers of the account away that are more than it may keep, but for those that somebody else is taking
 * away: of each the key stands.
 */
export const FORGET_ANSWERS_BEYOND = `
  with beyond as (
    select client_id, key from (
      select client_id, key, sum(answer_bytes) over (order by created_at desc, client_id, key) as bytes
      from idempotency_key where account_id = $1 and answer_bytes > 0
    ) kept
    where bytes > ${LIMITS.idempotencyAnswersBytes} and not (client_id = $2 and key = $3)
  ),
  taken as (
    select k.client_id, k.key from idempotency_key k join beyond b on b.client_id = k.client_id and b.key = k.key
    where k.account_id = $1 for update of k skip locked
  )
  update idempotency_key k set answer = null, answer_bytes = 0 from taken t
  where k.account_id = $1 and k.client_id = t.client_id and k.key = t.key`;

export const RELEASE_KEY = `
  delete from idempotency_key where account_id = $1 and client_id = $2 and key = $3`;

/**
 * $1 rows at most. Takes the oldest of the expired keys of all accounts away, but for those that a request has replaced meanwhile.
 * Gives how many.
 */
export const PURGE_KEYS = `
  with expired as (
    select account_id, client_id, key from idempotency_key where created_at < now() - ${KEPT}
    order by created_at limit $1::integer
  ),
  gone as (
    delete from idempotency_key k using expired e
    where k.account_id = e.account_id and k.client_id = e.client_id and k.key = e.key
      and k.created_at < now() - ${KEPT}
    returning 1
  )
  select count(*) as count from gone`;
