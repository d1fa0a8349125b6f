import { JOIN_CONVERTED_WRITES } from '../../db/queries/rates.ts';
import type { Context } from '../context.ts';

/**
 * Sends a statement that may record an amount in another currency than its own, with the rate of its day: an import of rates waits, at
 * its end, for those who do, and they for its commit. So each transaction has the new rates, or is seen by those who apply them to
 * the ledger afterwards. In the caller's database transaction, or in one of its own.
 *
 * @param writes what it locks
 */
export function converting<Row>(
  { db }: Context,
  text: string,
  params: Parameters<Context['db']['query']>[1],
  writes: string,
): Promise<Row[]> {
  return db.transaction(
    async (tx) => {
      // Sent together: the second begins, and looks at the rates, when the first has what it waits for.
      const [, rows] = await Promise.all([tx.query(JOIN_CONVERTED_WRITES), tx.query<Row>(text, params)]);
      return rows;
    },
    { writes },
  );
}
