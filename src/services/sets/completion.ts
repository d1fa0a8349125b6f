import { SET_COMPLETION, type SetCompletionRow } from '../../db/queries/goals.ts';
import type { GoalMatch } from '../../domain/goals.ts';
import { isIdOf } from '../../domain/ids.ts';
import { type Context, observed } from '../context.ts';
import { type GoalProgress, progressOf } from '../goals/get.ts';

/** A set, and the collection that it is looked for in. */
export interface Completion {
  setCode: string;
  collectionId: string;
}

/** What of each set a collection of the caller holds, and what it lacks; null where there is no such collection. */
export async function getCompletions(
  ctx: Context,
  asked: readonly Completion[],
  match: GoalMatch,
): Promise<(GoalProgress | null)[]> {
  const known = asked.flatMap(({ setCode, collectionId }, place) =>
    isIdOf('Collection', collectionId) ? { place, setCode, collectionId } : [],
  );
  const params = [ctx.caller.accountId, JSON.stringify(known), match];
  const rows = await ctx.db.query<SetCompletionRow>(SET_COMPLETION, params);
  const byPlace = new Map(observed(ctx, rows).map((row) => [row.place, progressOf(row)]));
  return asked.map((_, place) => byPlace.get(place) ?? null);
}
