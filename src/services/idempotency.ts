import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Database } from '../db/client.ts';
import {
  CLAIM_KEY,
  FIRST_ANSWER,
  type FirstAnswer,
  FORGET_ANSWERS_BEYOND,
  KEEP_ANSWER,
  PURGE_KEYS,
  RELEASE_KEY,
} from '../db/queries/idempotency.ts';
import { DomainError } from '../domain/errors.ts';
import { IdempotencyKey } from '../domain/inputs.ts';
import { LIMITS } from '../domain/limits.ts';
import { parseInput } from '../domain/parse-input.ts';
import { inBatches, type MayGoOn, toTheEnd } from '../lib/may-go-on.ts';
import type { Context } from './context.ts';

/** So that a batch holds its locks for some milliseconds. */
const PURGE_ROWS = 1000;

/** A shorter answer takes little more than its key does. */
const COUNTED_BYTES = 1024;
/** So much an account may keep beyond its limit: they are added up once for so much, not for each. */
const UNCOUNTED_BYTES = LIMITS.idempotencyAnswersBytes / 16;
/** What this process has kept for accounts since it added up last. */
const uncounted = new LRUCache<string, number>({ max: 10_000 });

/** For a write that comes with a key; `at` is where the caller gave it. Throws `ValidationFailed`. */
export function withIdempotencyKey(ctx: Context, key: unknown, at: string) {
  return { ...ctx, idempotency: { key: parseInput(IdempotencyKey, key, [at]), replayed: false } };
}

/**
 * Runs `write` once for the key of the caller's client, however many requests bring it at once: the key, the change and
 * the answer commit together, and everyone after the first gets the first answer (docs/decisions.md#idempotency). A
 * failure keeps nothing, so the request can be repeated; nor does an answer for which `isKept` is false. Without a key it
 * just runs.
 *
 * `verb` and `input`, as its rule gives it, are what makes a request the same, by whichever transport it comes. `writes` is
 * the lock that `write` takes first, where it is not the account's. Throws `IdempotencyMismatch`, where the first answer had to make room for others, too.
 */
export async function idempotently<T>(
  { idempotency, ...ctx }: Context,
  verb: string,
  input: object,
  write: (ctx: Context) => Promise<T>,
  { writes, isKept = () => true }: { writes?: string; isKept?: (value: T) => boolean } = {},
): Promise<T> {
  if (!idempotency) return write(ctx);
  const { accountId, clientId } = ctx.caller;
  const id: Id = [accountId, clientId, idempotency.key];
  const digest = createHash('sha256').update(JSON.stringify({ verb, input })).digest('hex');
  const how = writes === undefined ? {} : { writes };
  return ctx.db.transaction(async (tx) => {
    // One that waited for another's claim finds it taken, and its committed answer.
    const now = ctx.now();
    const keptFrom = new Date(now.getTime() - LIMITS.idempotencyKeyHours * 3_600_000);
    const claimed = await tx.query(CLAIM_KEY, [...id, digest, now.toISOString(), keptFrom.toISOString()]);
    if (claimed.length === 0) {
      idempotency.replayed = true;
      return firstAnswer<T>(await tx.query(FIRST_ANSWER, id), digest);
    }
    const value = await write({ ...ctx, db: tx });
    if (isKept(value)) await keepAnswer(tx, id, JSON.stringify(value ?? null));
    else await tx.query(RELEASE_KEY, id);
    return value;
  }, how);
}

async function keepAnswer(tx: Database, id: Id, answer: string): Promise<void> {
  const length = Buffer.byteLength(answer);
  const bytes = length < COUNTED_BYTES ? 0 : length;
  await tx.query(KEEP_ANSWER, [...id, answer, bytes]);
  if (bytes === 0) return;
  const [accountId] = id;
  const sum = (uncounted.get(accountId) ?? 0) + bytes;
  uncounted.set(accountId, sum < UNCOUNTED_BYTES ? sum : 0);
  if (sum >= UNCOUNTED_BYTES) await tx.query(FORGET_ANSWERS_BEYOND, id);
}

type Id = [accountId: string, clientId: string, key: string];

function firstAnswer<T>([row]: FirstAnswer<T>[], digest: string): T {
  if (row?.requestDigest === digest && row.isGone) throw new DomainError('IdempotencyMismatch', GONE);
  if (row?.requestDigest === digest) return row.answer;
  throw new DomainError(
    'IdempotencyMismatch',
    'This idempotency key was used with another request. Use a new key for a new request.',
  );
}

const GONE =
  'The request with this idempotency key was done, once, and nothing is done again: but its answer is not kept any more, ' +
  `as those to an account may take ${LIMITS.idempotencyAnswersBytes / 1024 ** 2} MiB, and the oldest go. Read what it has made.`;

/** Removes keys that are expired, of all accounts, in batches that hold no lock for long. Gives their number. */
export async function purgeIdempotencyKeys(db: Database, mayGoOn: MayGoOn = toTheEnd): Promise<number> {
  return inBatches(mayGoOn, PURGE_ROWS, async () => {
    const [gone] = await db.query<{ count: number }>(PURGE_KEYS, [PURGE_ROWS]);
    return gone!.count;
  });
}
