import { DomainError } from '../domain/errors.ts';
import type { Driver, Drivers } from './drivers.ts';
import type { ReplicaPools } from './pool.ts';
import type { Lease } from './replica.ts';
import type { Replicas } from './replicas.ts';

/**
 * The drivers of one operation that only reads: all that it sends goes to one replica, which has what was committed before
 * its first statement, or to the primary. What a replica cannot do, or not any more, is done again on the primary, and so
 * is all that follows.
 */
export function readingDrivers(
  replicas: Replicas,
  primary: Drivers,
  driversOn: (pools: ReplicaPools) => Drivers,
): Drivers {
  /** Undefined where the next statement is to see what was committed up to then. */
  let lease: Promise<Lease | null> | undefined;

  const read = async <T>(kind: keyof Drivers, work: (driver: Driver) => Promise<T>): Promise<T> => {
    lease ??= replicas.lease();
    const taken = await lease;
    if (!taken) return work(primary[kind]);
    try {
      const result = await work(driversOn(taken.replica.pools)[kind]);
      if (taken.isGood()) return result;
    } catch (error) {
      // Not of the replica: the operation may not have it, or it was too much for it.
      if (error instanceof DomainError) throw error;
    }
    taken.replica.leftReads++;
    lease = Promise.resolve(null);
    return work(primary[kind]);
  };
  /** What is read next sees it. */
  const write = async <T>(kind: keyof Drivers, work: (driver: Driver) => Promise<T>): Promise<T> => {
    try {
      return await work(primary[kind]);
    } finally {
      if (lease && (await lease)) lease = undefined;
    }
  };
  const driver = (kind: keyof Drivers): Driver => ({
    rows(text, params, how) {
      if (how.isKept && lease) lease = renewed(lease);
      const send = how.writes !== undefined || how.stores ? write : read;
      return send(kind, (driver) => driver.rows(text, params, how));
    },
    begin(work, how) {
      const send = how.writes === undefined ? read : write;
      return send(kind, (driver) => driver.begin(work, how));
    },
  });
  /** Not where the primary answers already. */
  const renewed = (before: Promise<Lease | null>) => before.then((taken) => taken && replicas.lease());
  return { own: driver('own'), hot: driver('hot') };
}
