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

/** What every verb is given. */
export interface Context {
  db: Database;
  caller: Caller;
  now: () => Date;
  /**
   * The revisions of the market data that the amounts read so far are made of: more than one, and an answer would mix
   * old prices with new ones. Kept where an answer takes several statements.
   */
  marketRevisions?: Set<number>;
  observation?: Observation;
}

/** Notes the market data that rows with amounts are made of, and gives the rows. */
export function observed<Row extends { marketRevision: number }>(ctx: Context, rows: Row[]): Row[] {
  if (ctx.marketRevisions) for (const { marketRevision } of rows) ctx.marketRevisions.add(marketRevision);
  return rows;
}
