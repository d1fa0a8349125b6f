import { OWNED, type OwnedRow } from '../../db/queries/owned.ts';
import type { Context } from '../context.ts';

/** How many cards the caller holds of each product or variant: over all collections, or in one; of another's it is none. */
export async function getOwned(
  { db, caller }: Context,
  of: keyof typeof OWNED,
  ids: readonly string[],
  collectionId: string | null,
): Promise<number[]> {
  const rows = await db.hot<OwnedRow>(OWNED[of], [caller.accountId, JSON.stringify(ids), collectionId]);
  const byId = new Map(rows.map(({ id, quantity }) => [id, quantity]));
  return ids.map((id) => byId.get(id)!);
}
