import { ONE_SNAPSHOT } from '../db/queries/snapshot.ts';
import { type Context, Seen } from './context.ts';

/** What `work` reads, of one state of the market: on a snapshot where a change came between its statements. */
export async function ofOneMarket<T>(ctx: Context, work: (ctx: Context) => Promise<T>): Promise<T> {
  const seen = new Seen();
  const read = await work({ ...ctx, seen });
  return seen.isMixed ? inOneMarket(ctx, work) : read;
}

/** Runs `work`, which reads, on a snapshot of the database: all that it sees is of one state of the market and the ledger. */
export function inOneMarket<T>(ctx: Context, work: (ctx: Context) => Promise<T>): Promise<T> {
  return ctx.db.transaction(
    async (tx) => {
      await tx.query(ONE_SNAPSHOT);
      return work({ ...ctx, db: tx, seen: new Seen() });
    },
    { reads: true },
  );
}
