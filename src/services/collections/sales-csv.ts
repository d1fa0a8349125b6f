import type { CostBasis } from '../../domain/cost-basis.ts';
import { LIMITS } from '../../domain/limits.ts';
import { encodeCursor, pageByKey, withoutGone } from '../../domain/pagination.ts';
import { csvLine, UNKNOWN_AMOUNT } from '../../domain/transaction-file.ts';
import type { Parts } from '../../lib/parts.ts';
import type { VariantLabel } from '../../memory/names.ts';
import { type Context, readInTurns } from '../context.ts';
import { getVariantLabels } from '../products/get.ts';
import { SALES_ORDER, type Sale, SaleLot, type SoldCards, salesOfRows } from './sales.ts';

/** A part of the sales as CSV: the parts that follow one another are the file. */
export interface SalesCsvPage {
  /** The first part begins with the header. */
  csv: string;
  /** Where the next part begins; null on the last. */
  endCursor: string | null;
}

const COLUMNS = [
  'saleId',
  'soldOn',
  'variantId',
  'fcId',
  'number',
  'productName',
  'variantName',
  'quantity',
  'unitAmount',
  'unitCurrency',
  'exchangeRate',
  'purchaseId',
  'boughtOn',
  'daysHeld',
  'purchaseUnitAmount',
  'purchaseCurrency',
  'purchaseExchangeRate',
  'proceeds',
  'cost',
  'gain',
  'currency',
];

/**
 * A row for the cards of each purchase, and one for those of none; the collection is known to be the caller's. Throws
 * `ValidationFailed`.
 */
export async function getSalesCsv(
  ctx: Context,
  collectionId: string,
  year: number,
  basis: CostBasis,
  after: string | null,
): Promise<SalesCsvPage> {
  const request = { ...pageByKey({ after }, SALES_ORDER), size: LIMITS.exportPageSize };
  const page = await salesOfRows(ctx, collectionId, year, basis, request);
  const { items } = withoutGone(page);
  const ids = [...new Set(items.map(({ variantId }) => variantId))];
  const found = await getVariantLabels(ctx, ids);
  const labels = new Map(ids.map((id, i) => [id, found[i]!]));
  const csv = (await readInTurns(ctx, salesLines(items, labels))).join('');
  return {
    csv: after === null ? csvLine(COLUMNS) + csv : csv,
    endCursor: page.hasNextPage ? encodeCursor(SALES_ORDER, page.keyOf(page.items.length - 1)) : null,
  };
}

/** One by one: a sale can be of as many purchases as there are. */
export function* salesLines(
  sales: readonly Sale[],
  labels: ReadonlyMap<string, VariantLabel>,
): Parts<string[]> {
  const lines: string[] = [];
  for (const sale of sales) {
    for (const row of rowsOf(sale)) {
      lines.push(csvLine(cellsOf(sale, labels.get(sale.variantId)!, row)));
      yield;
    }
  }
  return lines;
}

function* rowsOf(sale: Sale): Iterable<SoldCards> {
  for (let i = 0; i < sale.lotCount; i++) yield* sale.lotsIn(i, i + 1);
  if (sale.uncovered !== null) yield sale.uncovered;
}

function cellsOf(
  sale: Sale,
  { fcId, number, productName, variantName }: VariantLabel,
  row: SoldCards,
): string[] {
  const { quantity, proceeds, cost, gain } = row;
  return [
    sale.transactionId,
    sale.occurred,
    sale.variantId,
    fcId,
    number ?? '',
    productName,
    variantName,
    String(quantity),
    sale.unitAmount.amount,
    sale.unitAmount.currency,
    sale.exchangeRate,
    ...(row instanceof SaleLot ? purchaseCellsOf(row) : NO_PURCHASE),
    proceeds.amount,
    cost.amount,
    gain.amount,
    cost.currency,
  ];
}

const NO_PURCHASE = ['', '', '', '', '', ''];

function purchaseCellsOf(lot: SaleLot): string[] {
  const { transactionId, occurred, daysHeld, unitAmount, isCostUnknown, exchangeRate } = lot;
  const amount = isCostUnknown ? UNKNOWN_AMOUNT : unitAmount.amount;
  return [transactionId, occurred, String(daysHeld), amount, unitAmount.currency, exchangeRate];
}
