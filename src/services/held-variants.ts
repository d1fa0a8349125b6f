import { HELD_VARIANTS, HELD_VARIANTS_OF_ACCOUNT } from '../db/queries/summaries.ts';
import type { MatchingVariants } from '../domain/search/search-index.ts';
import { type Context, turnToRead } from './context.ts';

/** So many variants are sent with a statement sooner than those that are held are asked for. */
const MANY = 1000;
/** With more of them in all of an account, leaving the others out makes a statement little shorter. */
const MOST_OF_ACCOUNT = 5000;

/** What an answer knows to be held, by the collections: read once, however many searches it has. */
const held = new WeakMap<Context, Map<string, Promise<readonly string[] | null>>>();

/**
 * The variants that each part of a search finds, without what nobody holds where they are many: each may find most of the catalogue, and is
 * sent with a statement.
 *
 * @param collectionIds null for all of the caller's
 */
export async function heldVariants(
  ctx: Context,
  collectionIds: readonly string[] | null,
  found: readonly { matching: MatchingVariants }[],
): Promise<string[][]> {
  const isMany = found.reduce((sum, { matching }) => sum + matching.count(), 0) > MANY;
  const ids = isMany ? await heldIn(ctx, collectionIds) : null;
  const variants: string[][] = [];
  for (const { matching } of found) {
    const turn = turnToRead(ctx);
    if (turn) await turn;
    variants.push(ids ? ids.filter((id) => matching.has(id)) : matching.ids());
  }
  return variants;
}

/** Null where they are too many. */
function heldIn(ctx: Context, collectionIds: readonly string[] | null): Promise<readonly string[] | null> {
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
): Promise<readonly string[] | null> {
  type Held = { ids: string[] };
  if (collectionIds !== null) {
    const [row] = await db.query<Held>(HELD_VARIANTS, [accountId, JSON.stringify(collectionIds)]);
    return row!.ids;
  }
  const [row] = await db.query<Held>(HELD_VARIANTS_OF_ACCOUNT, [accountId, MOST_OF_ACCOUNT + 1]);
  return row!.ids.length > MOST_OF_ACCOUNT ? null : [...new Set(row!.ids)];
}
