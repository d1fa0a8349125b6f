import { type DetailsRow, EXPORTED_TRANSACTIONS } from '../../db/queries/ledger.ts';
import { readPages } from '../../db/queries/page.ts';
import type { Currency } from '../../domain/currencies.ts';
import { LIMITS } from '../../domain/limits.ts';
import { encodeCursor, type Page, pageByKey } from '../../domain/pagination.ts';
import type { ExportFormat } from '../../domain/transaction-file.ts';
import type { TransactionDetails } from '../../domain/transactions.ts';
import { type WrittenTransaction, writerOf } from '../../importers/transaction-writers.ts';
import { fewAtATime } from '../../lib/few-at-a-time.ts';
import { turnBehindOthers } from '../../lib/in-turns.ts';
import { mappedInParts, type Parts } from '../../lib/parts.ts';
import { getCollection } from '../collections/get.ts';
import { type Context, readInTurns } from '../context.ts';
import { noProgress, type Progress } from '../market/progress.ts';
import { transactionOrder } from './list.ts';
import { amountsOf, detailsOf } from './model.ts';

/** A part of the export of a collection: the parts that follow one another are the file. */
export interface ExportedPage {
  /** Lines of the format; the first page begins with the header. */
  csv: string;
  /** How many sales are left out, where the format knows purchases only. */
  salesLeftOut: number;
  /** Where the next page begins; null on the last. */
  endCursor: string | null;
}

const ORDER = transactionOrder('Chronological');
/** A row of `EXPORTED_TRANSACTIONS`. */
export type ExportedRow = Omit<
  WrittenTransaction,
  'unitAmount' | 'fees' | 'shipping' | keyof TransactionDetails
> &
  DetailsRow & {
    unitAmount: string;
    fees: string;
    shipping: string;
    currency: Currency;
  };

/** The rows of many pages, which wait for their turn to be written, the collector of garbage would move, and stand still for. */
const oneOfAnAccount = fewAtATime(1);

/**
 * The page behind the cursor of each collection, oldest transactions first; the collections are known to be the
 * caller's. Throws `ValidationFailed` for a malformed cursor.
 */
export async function exportedPages(
  ctx: Context,
  collectionIds: readonly string[],
  after: string | null,
  format: ExportFormat,
): Promise<ExportedPage[]> {
  const list = { ...EXPORTED_TRANSACTIONS, order: ORDER };
  const request = { ...pageByKey({ after }, ORDER), size: LIMITS.exportPageSize };
  const { accountId } = ctx.caller;
  const write = async () => {
    await turnBehindOthers(ctx.work);
    const pages = await readPages<ExportedRow>(ctx.db, list, [accountId], request, collectionIds);
    return readInTurns(ctx, exportedIn(pages, format, after === null));
  };
  // In a transaction they wait for those of that one alone: while it is open others may wait for its place of the database.
  return oneOfAnAccount(ctx.db.isTransaction ? ctx.db : accountId, write);
}

/**
 * The whole file in pieces, none larger than a page. Throws `NotFound`.
 * @param leavesOut is told of the sales of each page that the format has no place for
 */
export async function* exportTransactions(
  ctx: Context,
  collectionId: string,
  format: ExportFormat = 'Cardledger',
  progress: Progress = noProgress,
  leavesOut: (sales: number) => void = () => {},
): AsyncGenerator<string> {
  const { transactionCount } = await getCollection(ctx, collectionId);
  let after: string | null = null;
  let done = 0;
  do {
    const [page]: ExportedPage[] = await exportedPages(ctx, [collectionId], after, format);
    yield page!.csv;
    leavesOut(page!.salesLeftOut);
    after = page!.endCursor;
    done = after === null ? transactionCount : done + LIMITS.exportPageSize;
    progress('transactions', Math.min(done, transactionCount), transactionCount);
  } while (after !== null);
}

function* exportedIn(
  pages: readonly Page<ExportedRow>[],
  format: ExportFormat,
  isFirst: boolean,
): Parts<ExportedPage[]> {
  const exported: ExportedPage[] = [];
  for (const page of pages) exported.push(yield* exportedPage(page, format, isFirst));
  return exported;
}

function* exportedPage(
  { items, keyOf, hasNextPage }: Page<ExportedRow>,
  format: ExportFormat,
  isFirst: boolean,
): Parts<ExportedPage> {
  const { header, hasSales, line } = writerOf(format);
  const written = items.filter(({ action }) => hasSales || action === 'Purchase');
  const lines = yield* mappedInParts(written, (row) => line(writtenOf(row)));
  return {
    csv: `${isFirst ? header : ''}${lines.join('')}`,
    salesLeftOut: items.length - written.length,
    endCursor: hasNextPage ? encodeCursor(ORDER, keyOf(items.length - 1)) : null,
  };
}

/** What is written of it. Each field is named, as in `transactionOf`. */
export function writtenOf(row: ExportedRow): WrittenTransaction {
  const { unitAmount, fees, shipping } = amountsOf(row);
  const { cardCondition, grade, language, notes, tags } = detailsOf(row);
  return {
    id: row.id,
    collectionName: row.collectionName,
    occurred: row.occurred,
    action: row.action,
    quantity: row.quantity,
    unitAmount,
    costUnknown: row.costUnknown,
    fees,
    shipping,
    variantId: row.variantId,
    fcId: row.fcId,
    vendorProductId: row.vendorProductId,
    number: row.number,
    productName: row.productName,
    variantName: row.variantName,
    setName: row.setName,
    pitchValue: row.pitchValue,
    cardCondition,
    grade,
    language,
    notes,
    tags,
  };
}
