import { DomainError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { Counts } from '../../lib/counts.ts';
import { type Spool, spool } from '../../lib/spool.ts';

/**
 * Whole accounts that are read or written by this process. Each holds a connection for as long as that takes, so there are
 * few at a time, and archives that are still being taken wait on the disk: so they are bounded too.
 */

const RETRY_AFTER_SECONDS = 5;

let atWork = 0;
let archives = 0;
const archivesOf = new Counts();

/** Does the work where there is a place for it. Throws `Unavailable`. */
export async function inTransferPlace<T>(work: () => Promise<T>): Promise<T> {
  if (atWork >= LIMITS.transfersAtOnce)
    throw noPlace('The service reads and writes as many whole accounts at the moment as it does at a time.');
  atWork++;
  try {
    return await work();
  } finally {
    atWork--;
  }
}

/** A place for an archive that the account (a uuid) takes; to be given back by the function. Throws `RateLimited`, `Unavailable`. */
export function takeArchivePlace(accountId: string): () => void {
  if (archivesOf.of(accountId) >= LIMITS.archivesPerCaller) {
    const message = `At most ${LIMITS.archivesPerCaller} archives of a caller may be under way at a time. Wait for the end of one.`;
    throw new DomainError('RateLimited', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  if (archives >= LIMITS.archivesPerNode)
    throw noPlace('The service has as many archives under way as it may.');
  count(accountId, 1);
  let isGivenBack = false;
  return () => {
    if (!isGivenBack) count(accountId, -1);
    isGivenBack = true;
  };
}

/** Puts an archive down on the disk. Throws `Unavailable` where that is full. */
export async function spooled(archive: AsyncIterable<Uint8Array>): Promise<Spool> {
  try {
    return await spool(archive);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    throw noPlace('The service has no room on its disk for the archive.');
  }
}

function count(accountId: string, change: number): void {
  archives += change;
  archivesOf.add(accountId, change);
}

function noPlace(message: string): DomainError {
  return new DomainError('Unavailable', `${message} Try again shortly.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
