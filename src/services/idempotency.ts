import { createHash } from 'node:crypto';
import type { Database } from '../db/client.ts';
import {
  CLAIM_KEY,
  FIRST_ANSWER,
  type FirstAnswer,
  KEEP_ANSWER,
  PURGE_KEYS,
  RELEASE_KEY,
} from '../db/queries/idempotency.ts';
import { DomainError } from '../domain/errors.ts';
import { IdempotencyKey, parseInput } from '../domain/inputs.ts';
import type { Context } from './context.ts';

/** So that a batch holds its locks for some milliseconds. */
const PURGE_ROWS = 1000;

export interface Answer<T> {
  value: T;
  /** True where this is the answer to an earlier request with the same key. */
  replayed: boolean;
}

/**
 * Runs `verb` once for the client's key, however many requests bring it at once: the key, the change and the answer
 * commit together, and everyone after the first gets the first answer (docs/decisions.md#idempotency). A failure keeps nothing, so the
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
  return ctx.db.transaction(async (tx) => {
    // One that waited for another's claim finds it taken, and its committed answer.
    const claimed = await tx.query(CLAIM_KEY, [...id, digest, ctx.now().toISOString()]);
    if (claimed.length === 0) return firstAnswer<T>(await tx.query(FIRST_ANSWER, id), digest);
    const value = await verb({ ...ctx, db: tx });
    if (isKept(value)) await tx.query(KEEP_ANSWER, [...id, JSON.stringify(value ?? null)]);
    else await tx.query(RELEASE_KEY, id);
    return { value, replayed: false };
  });
}

function firstAnswer<T>([row]: FirstAnswer<T>[], digest: string): Answer<T> {
  if (row?.requestDigest !== digest) {
    throw new DomainError(
      'IdempotencyMismatch',
      'This idempotency key was used with another request. Use a new key for a new request.',
    );
  }
  return { value: row.answer, replayed: true };
}

/** Removes keys that are expired, of all accounts, in batches that hold no lock for long. Gives their number. */
export async function purgeIdempotencyKeys(db: Database): Promise<number> {
  for (let purged = 0; ; ) {
    const [gone] = await db.query<{ count: number }>(PURGE_KEYS, [PURGE_ROWS]);
    purged += gone!.count;
    if (gone!.count < PURGE_ROWS) return purged;
  }
}
