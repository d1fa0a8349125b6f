import type { How } from '../../db/client.ts';
import { LOCK_ACCOUNT } from '../../db/queries/accounts.ts';
import type { Way } from '../../db/queries/ledger.ts';
import type { CostBasis } from '../../domain/cost-basis.ts';
import { memoryOf } from '../../memory/memory.ts';
import { applyPreferences } from '../accounts/apply-preferences.ts';
import { learnPreferences } from '../accounts/preferences.ts';
import type { Context } from '../context.ts';

/**
 * Runs a write of the ledger in the way of the account's cost basis (db/queries/ledger.ts): where the order counts, in one
 * database transaction with what follows from it. `write` gives null where its way finds nothing to change, and so does this
 * where both ways do. A collection that has not the account's basis, as one that a node of the version before has made, is
 * made right first.
 *
 * @param writes what it locks
 */
export async function byCostBasis<T>(
  ctx: Context,
  writes: NonNullable<How['writes']>,
  write: (ctx: Context, way: Way) => Promise<T | null>,
): Promise<T | null> {
  const known = memoryOf(ctx.db).preferences.last(ctx.caller.accountId);
  const likely = wayOf(known?.costBasis ?? 'Average');
  const written = await inWay(ctx, likely, writes, write);
  if (written !== null) return written;
  // With the account locked its basis stays as it is: that of a moment ago may have been another one at the write.
  return ctx.db.transaction(
    async (tx) => {
      const locked = { ...ctx, db: tx };
      const { accountId } = ctx.caller;
      await tx.query(LOCK_ACCOUNT, [accountId]);
      await applyPreferences(locked);
      // The next write goes the right way at once.
      return write(locked, wayOf((await learnPreferences(locked)).costBasis));
    },
    { writes },
  );
}

export function wayOf(costBasis: CostBasis): Way {
  return costBasis === 'Average' ? 'average' : 'ordered';
}

function inWay<T>(
  ctx: Context,
  way: Way,
  writes: NonNullable<How['writes']>,
  write: (ctx: Context, way: Way) => Promise<T | null>,
): Promise<T | null> {
  if (way === 'average') return write(ctx, way);
  return ctx.db.transaction((tx) => write({ ...ctx, db: tx }, way), { writes });
}
