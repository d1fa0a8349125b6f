import { DomainError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { Counts } from '../../lib/counts.ts';
import { type Spool, spool } from '../../lib/spool.ts';
import type { Context } from '../context.ts';
import { inPlaces, RETRY_AFTER_SECONDS, unavailable } from '../places.ts';

/**
 * Whole accounts that are read or written by this process. Each holds a connection for as long as that takes, so there are
 * few at a time, of different callers, who take turns; and archives that are still being taken wait on the disk: so they are bounded too.
 */

let archives = 0;
const archivesOf = new Counts();

/** Does the work when it is the caller's turn. Throws `Unavailable` where that does not come in time. */
export const inTransferPlace = inPlaces(
  LIMITS.transfersAtOnce,
  'The service reads and writes as many whole accounts at the moment as it does at a time.',
);

/** A place for an archive that the caller takes or sends; to be given back by the function. Throws `RateLimited`, `Unavailable`. */
export function takeArchivePlace(ctx: Context): () => void {
  const { accountId, platformId } = ctx.caller;
  assertFewer(accountId, LIMITS.archivesPerCaller, 'a caller');
  if (platformId !== undefined)
    assertFewer(below(platformId), LIMITS.archivesPerPlatform, 'all accounts below a platform');
  if (archives >= LIMITS.archivesPerNode)
    throw unavailable('The service has as many archives under way as it may.');
  const count = (change: number) => {
    archives += change;
    archivesOf.add(accountId, change);
    if (platformId !== undefined) archivesOf.add(below(platformId), change);
  };
  count(1);
  let isGivenBack = false;
  return () => {
    if (!isGivenBack) count(-1);
    isGivenBack = true;
  };
}

const below = (platformId: string) => `below ${platformId}`;

function assertFewer(key: string, most: number, whose: string): void {
  if (archivesOf.of(key) < most) return;
  const message = `At most ${most} archives of ${whose} may be under way at a time. Wait for the end of one.`;
  throw new DomainError('RateLimited', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** Puts an archive down on the disk. Throws `Unavailable` where that is full. */
export async function spooled(archive: AsyncIterable<Uint8Array>): Promise<Spool> {
  try {
    return await spool(archive);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    throw unavailable('The service has no room on its disk for the archive.');
  }
}
