import { createHash } from 'node:crypto';
import { DomainError } from '../domain/errors.ts';
import { IdempotencyKey, parseInput } from '../domain/inputs.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Context } from './context.ts';

const CLAIM = `
  insert into idempotency_key (account_id, client_id, key, request_digest, created_at)
  values ($1, $2, $3, $4, $5::timestamptz) on conflict do nothing returning key`;
const FORGET = `
  delete from idempotency_key
  where account_id = $1 and client_id = $2 and key = $3 and created_at < $4::timestamptz`;
const SWEEP = `
  delete from idempotency_key where account_id = $1 and (client_id, key) in (
    select client_id, key from idempotency_key where account_id = $1 and created_at < $2::timestamptz limit 10)`;
const FIRST_ANSWER = `
  select request_digest as "requestDigest", answer from idempotency_key
  where account_id = $1 and client_id = $2 and key = $3`;
const RELEASE = `
  delete from idempotency_key where account_id = $1 and client_id = $2 and key = $3`;
const KEEP_ANSWER = `
  update idempotency_key set answer = $4::jsonb where account_id = $1 and client_id = $2 and key = $3`;

export interface Answer<T> {
  value: T;
  /** True where this is the answer to an earlier request with the same key. */
  replayed: boolean;
}

/**
 * Runs `verb` once for the client's key, however many requests bring it at once: the key, the change and the answer
 * commit together, and everyone after the first gets the first answer (decisions §4). A failure keeps nothing, so the
 * request can be repeated; nor does an answer for which `isKept` is false. Without a key the verb just runs.
 *
 * `operation` and `input` are what makes a request the same. Throws `IdempotencyMismatch`, `ValidationFailed`.
 */
export async function idempotently<T>(
  ctx: Context,
  key: string | null,
  operation: string,
  input: unknown,
  verb: (ctx: Context) => Promise<T>,
  isKept: (value: T) => boolean = () => true,
): Promise<Answer<T>> {
  if (key === null) return { value: await verb(ctx), replayed: false };
  parseInput(IdempotencyKey, key, ['idempotencyKey']);
  const { accountId, clientId } = ctx.caller;
  const id = [accountId, clientId, key];
  const digest = createHash('sha256')
    .update(JSON.stringify([operation, input]))
    .digest('hex');
  const now = ctx.now();
  const oldest = new Date(now.getTime() - LIMITS.idempotencyKeyHours * 3_600_000).toISOString();
  return ctx.db.transaction(async (tx) => {
    await tx.query(FORGET, [...id, oldest]);
    // One that waited for another's claim finds it taken, and its committed answer.
    const claimed = await tx.query(CLAIM, [...id, digest, now.toISOString()]);
    if (claimed.length === 0) return firstAnswer<T>(await tx.query(FIRST_ANSWER, id), digest);
    // Each new key takes some expired ones of its account away, so that they do not pile up.
    await tx.query(SWEEP, [accountId, oldest]);
    const value = await verb({ ...ctx, db: tx });
    if (isKept(value)) await tx.query(KEEP_ANSWER, [...id, JSON.stringify(value ?? null)]);
    else await tx.query(RELEASE, id);
    return { value, replayed: false };
  });
}

function firstAnswer<T>([row]: { requestDigest: string; answer: T }[], digest: string): Answer<T> {
  if (row?.requestDigest !== digest) {
    throw new DomainError(
      'IdempotencyMismatch',
      'This idempotency key was used with another request. Use a new key for a new request.',
    );
  }
  return { value: row.answer, replayed: true };
}
