import type { Database } from '../../db/client.ts';
import { LOCK_ACCOUNT } from '../../db/queries/accounts.ts';
import { CLEAR_GOAL_COLLECTION, SET_GOAL_COLLECTION } from '../../db/queries/collections.ts';
import type { ChangedCollection } from '../../db/queries/events.ts';
import {
  ADD_GOAL_ITEMS,
  ADD_GOAL_SET,
  DELETE_GOAL_ITEMS,
  DELETE_OTHER_GOALS,
  MISSING_GOAL_ITEM,
  SET_GOAL,
} from '../../db/queries/goals.ts';
import { notFound, notFoundAt, validationFailed } from '../../domain/errors.ts';
import { GoalMatchInput, type GoalTarget, GoalTargetInput } from '../../domain/goals.ts';
import { isIdOf } from '../../domain/ids.ts';
import { parseInput } from '../../domain/parse-input.ts';
import { pointsOfReading } from '../../domain/read-points.ts';
import { getCollection, keepValueOf } from '../collections/get.ts';
import type { Collection } from '../collections/model.ts';
import type { Context } from '../context.ts';
import { logCollections } from '../events/announce.ts';
import { idempotently } from '../idempotency.ts';

/**
 * Makes the collection the account's one goal collection; null for none. With a target it is to hold that from now on; without
 * one it keeps what it was to hold while it was the goal already, and else has none. `match` belongs to a target. Throws `NotFound`, `ValidationFailed`.
 */
export async function setGoalCollection(
  ctx: Context,
  id: string | null,
  target?: unknown,
  match?: unknown,
): Promise<Collection | null> {
  if (target === undefined && match !== undefined)
    throw validationFailed([{ path: ['match'], detail: 'must be left out where there is no target' }]);
  const parsed =
    target === undefined
      ? undefined
      : {
          ...parseInput(GoalTargetInput, target, ['target']),
          match: parseInput(GoalMatchInput, match, ['match']),
        };
  if (parsed && id === null)
    throw validationFailed([{ path: ['collectionId'], detail: 'is required where there is a target' }]);
  if (parsed?.collectionId !== undefined && parsed.collectionId === id)
    throw validationFailed([
      { path: ['target', 'collectionId'], detail: 'must be another collection than the goal collection' },
    ]);
  const input = parsed ? { id, target: parsed } : { id };
  if (id !== null) await keepValueOf(ctx, id);
  return idempotently(ctx, 'setGoalCollection', input, (once) => setGoal(once, id, parsed));
}

async function setGoal(
  ctx: Context,
  id: string | null,
  target: GoalTarget | undefined,
): Promise<Collection | null> {
  if (id !== null && !isIdOf('Collection', id)) throw notFound('collection');
  const { accountId } = ctx.caller;
  return ctx.db.transaction(async (tx) => {
    await tx.query(LOCK_ACCOUNT, [accountId]);
    await tx.query(DELETE_OTHER_GOALS, [accountId, id]);
    const changed = await tx.query<ChangedCollection>(CLEAR_GOAL_COLLECTION, [accountId, id]);
    if (id !== null) {
      const params = [accountId, id, target !== undefined];
      changed.push(...(await tx.query<ChangedCollection>(SET_GOAL_COLLECTION, params)));
      if (target) await setTarget({ ...ctx, db: tx }, id, target);
    }
    await logCollections(tx, accountId, 'Updated', changed);
    return id === null ? null : goalOf({ ...ctx, db: tx }, id);
  });
}

/** What throws takes the change back. */
async function goalOf(ctx: Context, id: string): Promise<Collection> {
  const collection = await getCollection(ctx, id);
  if (collection.kind === 'Collection') return collection;
  const detail = 'must be of cards that you have: a wish list may be the target of a goal';
  throw validationFailed([{ path: ['collectionId'], detail }]);
}

async function setTarget(
  { db, charge, caller: { accountId } }: Context,
  id: string,
  target: GoalTarget,
): Promise<void> {
  const { collectionId = null, items, setCode, match } = target;
  const noTarget = () => notFoundAt('collection', collectionId!, ['target', 'collectionId']);
  if (collectionId !== null && !isIdOf('Collection', collectionId)) throw noTarget();
  await db.query(DELETE_GOAL_ITEMS, [accountId, id]);
  const set = await db.query(SET_GOAL, [accountId, id, match, collectionId]);
  if (set.length === 0) throw collectionId === null ? notFound('collection') : noTarget();
  if (items) {
    charge?.(pointsOfReading('wanted', items.length));
    await addItems(db, [accountId, id], items);
  }
  if (setCode !== undefined) {
    const added = await db.query(ADD_GOAL_SET, [accountId, id, setCode, match]);
    if (added.length === 0) throw notFoundAt('set', setCode, ['target', 'setCode']);
    // How many there are is known by now; beyond the limit the change is taken back.
    charge?.(pointsOfReading('wanted', added.length));
  }
}

async function addItems(
  db: Database,
  goal: readonly [accountId: string, id: string],
  items: NonNullable<GoalTarget['items']>,
): Promise<void> {
  const malformed = items.findIndex(({ variantId }) => !isIdOf('Variant', variantId));
  const missing = malformed < 0 ? await missingItem(db, items) : malformed;
  if (missing !== null)
    throw notFoundAt('variant', items[missing]!.variantId, ['target', 'items', missing, 'variantId']);
  await db.query(ADD_GOAL_ITEMS, [...goal, JSON.stringify(items)]);
}

/** The place of the first that is no variant; null where all are. */
export async function missingItem(
  db: Database,
  items: readonly { variantId: string }[],
): Promise<number | null> {
  const [row] = await db.query<{ missing: number | null }>(MISSING_GOAL_ITEM, [JSON.stringify(items)]);
  return row!.missing;
}
