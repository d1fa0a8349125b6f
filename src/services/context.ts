import type { Database } from '../db/client.ts';

/** Who asks: known from the access token. */
export interface Caller {
  /** uuid */
  accountId: string;
  clientId: string;
}

/** Told of what happens while a request is answered, for its line in the log, the metrics and its trace. */
export interface Observation {
  /** A GraphQL operation begins; the function that it gives is called at the operation's end. */
  operation(kind: string, name: string | undefined): (failed: boolean) => void;
}

/** The key of a write, by which it is done once. */
export interface Idempotency {
  readonly key: string;
  /** Set where the answer is that to an earlier request with the same key. */
  replayed: boolean;
}

/** What every verb is given. */
export interface Context {
  db: Database;
  caller: Caller;
  now: () => Date;
  observation?: Observation;
  /** Kept where an answer is made of several readings. */
  seen?: Seen;
  /** Of a write that may be sent again. */
  idempotency?: Idempotency;
}

/**
 * What the amounts read so far are made of: revisions of the market data, and the account's currency. More than one of
 * either, and an answer would mix old amounts with new ones.
 */
export class Seen {
  readonly marketRevisions = new Set<number>();
  readonly currencies = new Set<string>();
  /** What one statement saw, another did not find any more. */
  isTorn = false;

  get isMixed(): boolean {
    return this.isTorn || this.marketRevisions.size > 1 || this.currencies.size > 1;
  }
}

/** Notes what rows with amounts are made of, and gives the rows. */
export function observed<Row extends { marketRevision: number; currency?: string }>(
  { seen }: Context,
  rows: Row[],
): Row[] {
  if (!seen) return rows;
  for (const { marketRevision, currency } of rows) {
    seen.marketRevisions.add(marketRevision);
    if (currency) seen.currencies.add(currency);
  }
  return rows;
}
