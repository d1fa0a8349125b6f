import type { Database } from '../db/client.ts';

/** Who asks: known from the access token. */
export interface Caller {
  /** uuid */
  accountId: string;
  clientId: string;
}

/** What every verb is given. */
export interface Context {
  db: Database;
  caller: Caller;
  now: () => Date;
}
