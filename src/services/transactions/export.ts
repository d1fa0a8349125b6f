import { type DetailsRow, EXPORTED_TRANSACTIONS } from '../../db/queries/ledger.ts';
import { readPages } from '../../db/queries/page.ts';
import type { Currency } from '../../domain/currencies.ts';
import { LIMITS } from '../../domain/limits.ts';
import { encodeCursor, type Page, pageByKey } from '../../domain/pagination.ts';
import { CSV_HEADER, type ExportedTransaction, transactionLine } from '../../domain/transaction-file.ts';
import type { TransactionDetails } from '../../domain/transactions.ts';
import { getCollection } from '../collections/get.ts';
import type { Context } from '../context.ts';
import { noProgress, type Progress } from '../market/progress.ts';
import { transactionOrder } from './list.ts';
import { amountsOf, detailsOf } from './model.ts';

/** A part of the export of a collection: the parts that follow one another are the file. */
export interface ExportedPage {
  /** Lines of our own format; the first page begins with the header. */
  csv: string;
  /** Where the next page begins; null on the last. */
  endCursor: string | null;
}

const ORDER = transactionOrder('Chronological');
type ExportedRow = Omit<ExportedTransaction, 'unitAmount' | 'fees' | 'shipping' | keyof TransactionDetails> &
  DetailsRow & {
    unitAmount: string;
    fees: string;
    shipping: string;
    currency: Currency;
    collectionName: string;
  };

/**
 * The page behind the cursor of each collection, oldest transactions first; the collections are known to be the
 * caller's. Throws `ValidationFailed` for a malformed cursor.
 */
export async function exportedPages(
  ctx: Context,
  collectionIds: readonly string[],
  after: string | null,
): Promise<ExportedPage[]> {
  const list = { ...EXPORTED_TRANSACTIONS, order: ORDER };
  const request = { ...pageByKey({ after }, ORDER), size: LIMITS.exportPageSize };
  const pages = await readPages<ExportedRow>(ctx.db, list, [ctx.caller.accountId], request, collectionIds);
  return pages.map((page) => exportedPage(page, after === null));
}

/** The whole file in pieces, none larger than a page. Throws `NotFound`. */
export async function* exportTransactions(
  ctx: Context,
  collectionId: string,
  progress: Progress = noProgress,
): AsyncGenerator<string> {
  const { transactionCount } = await getCollection(ctx, collectionId);
  let after: string | null = null;
  let done = 0;
  do {
    const [page]: ExportedPage[] = await exportedPages(ctx, [collectionId], after);
    yield page!.csv;
    after = page!.endCursor;
    done = after === null ? transactionCount : done + LIMITS.exportPageSize;
    progress('transactions', Math.min(done, transactionCount), transactionCount);
  } while (after !== null);
}

function exportedPage({ items, keys, hasNextPage }: Page<ExportedRow>, isFirst: boolean): ExportedPage {
  const lines = items.map((row) =>
    transactionLine(row.collectionName, { ...row, ...amountsOf(row), ...detailsOf(row) }),
  );
  return {
    csv: `${isFirst ? CSV_HEADER : ''}${lines.join('')}`,
    endCursor: hasNextPage ? encodeCursor(ORDER, keys.at(-1)!) : null,
  };
}
