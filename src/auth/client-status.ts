import type { Database } from '../db/client.ts';
import type { CacheUse } from '../lib/cache-use.ts';
import { CountedCache } from '../lib/counted-cache.ts';
import { findActiveClient } from './active-client.ts';

/** Half of the 60 seconds within which a revoked client's tokens must end on every node. */
const MAX_AGE_MILLIS = 30_000;
const MAX_CLIENTS = 10_000;

export interface ClientStatus {
  isActive(clientId: string): boolean | Promise<boolean>;
  cache: CacheUse;
}

/** Tells whether a client may still call; known for 30 seconds, so that most requests need no look-up. */
export function createClientStatus(db: Database, elapsed: () => number): ClientStatus {
  const known = new CountedCache<string, { atMillis: number; active: boolean | Promise<boolean> }>({
    max: MAX_CLIENTS,
  });
  const isActive = (clientId: string) => {
    const atMillis = elapsed();
    const status = known.get(clientId);
    if (status && atMillis - status.atMillis < MAX_AGE_MILLIS) return status.active;
    // The promise itself is kept: requests that come meanwhile wait for the same look-up.
    const active = hasActive(db, clientId);
    const entry: { atMillis: number; active: boolean | Promise<boolean> } = { atMillis, active };
    known.set(clientId, entry);
    active.then(
      (isActive) => {
        entry.active = isActive;
      },
      () => known.delete(clientId),
    );
    return active;
  };
  return { isActive, cache: known };
}

async function hasActive(db: Database, clientId: string): Promise<boolean> {
  return (await findActiveClient(db, clientId)) !== null;
}
