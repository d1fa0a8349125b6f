import { HELD_VARIANTS, HELD_VARIANTS_OF_ACCOUNT } from '../db/queries/summaries.ts';
import { type Context, turnToRead } from './context.ts';

/** So many variants are sent with a statement sooner than those that are held are asked for. */
const MANY = 1000;
/** With more of them in all of an account, leaving the others out makes a statement little shorter. */
const MOST_OF_ACCOUNT = 5000;

/** What an answer knows to be held, by the collections: read once, however many searches it has. */
const held = new WeakMap<Context, Map<string, Promise<ReadonlySet<string> | null>>>();

/**
 * Leaves out of what the parts of a search find what nobody holds: each may find most of the catalogue, and is sent with a statement.
 *
 * @param collectionIds null for all of the caller's
 */
export async function keepHeld(
  ctx: Context,
  collectionIds: readonly string[] | null,
  found: readonly { variants: readonly string[] }[],
): Promise<void> {
  if (found.reduce((sum, { variants }) => sum + variants.length, 0) <= MANY) return;
  const ids = await heldIn(ctx, collectionIds);
  if (!ids) return;
  const turn = turnToRead(ctx);
  if (turn) await turn;
  for (const part of found) part.variants = part.variants.filter((id) => ids.has(id));
}

/** Null where they are too many. */
function heldIn(ctx: Context, collectionIds: readonly string[] | null): Promise<ReadonlySet<string> | null> {
  let ofAnswer = held.get(ctx);
  if (!ofAnswer) {
    ofAnswer = new Map();
    held.set(ctx, ofAnswer);
  }
  const key = JSON.stringify(collectionIds);
  let ids = ofAnswer.get(key);
  if (!ids) {
    ids = readHeld(ctx, collectionIds);
    ofAnswer.set(key, ids);
  }
  return ids;
}

async function readHeld(
  { db, caller: { accountId } }: Context,
  collectionIds: readonly string[] | null,
): Promise<ReadonlySet<string> | null> {
  const rows =
    collectionIds === null
      ? await db.query<{ id: string }>(HELD_VARIANTS_OF_ACCOUNT, [accountId, MOST_OF_ACCOUNT + 1])
      : await db.query<{ id: string }>(HELD_VARIANTS, [accountId, JSON.stringify(collectionIds)]);
  if (collectionIds === null && rows.length > MOST_OF_ACCOUNT) return null;
  return new Set(rows.map(({ id }) => id));
}
