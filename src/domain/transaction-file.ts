import type { Money } from './money.ts';
import type { Action } from './transactions.ts';

/** Files of transactions: the formats that are read, and the one that is written (docs/imports.md). */

export const TRANSACTION_FORMATS = [
  'Cardledger',
  'Fabrary',
  'Collectr',
  'Tcgplayer',
  'DragonShield',
] as const;
export type TransactionFormat = (typeof TRANSACTION_FORMATS)[number];

/** The columns of our own format. */
export const OWN_COLUMNS = [
  'transactionId',
  'collection',
  'occurredDate',
  'action',
  'quantity',
  'unitAmount',
  'currency',
  'variantId',
  'fcId',
  'vendorProductId',
  'number',
  'productName',
  'variantName',
] as const;

export interface ExportedTransaction {
  id: string;
  /** `YYYY-MM-DD` */
  occurred: string;
  action: Action;
  quantity: number;
  unitAmount: Money;
  variantId: string;
  fcId: string;
  vendorProductId: number | null;
  number: string | null;
  productName: string;
  variantName: string;
}

export const CSV_HEADER = `${OWN_COLUMNS.join(',')}\r\n`;

/** A transaction as a line of our own format, in the order of `OWN_COLUMNS`. */
export function transactionLine(collectionName: string, transaction: ExportedTransaction): string {
  const { unitAmount, vendorProductId, number } = transaction;
  return csvLine([
    transaction.id,
    collectionName,
    transaction.occurred,
    transaction.action,
    String(transaction.quantity),
    unitAmount.amount,
    unitAmount.currency,
    transaction.variantId,
    transaction.fcId,
    vendorProductId === null ? '' : String(vendorProductId),
    number ?? '',
    transaction.productName,
    transaction.variantName,
  ]);
}

/** What a spreadsheet would take for a formula and run, and what it takes as text: the same behind an apostrophe. */
const FORMULA = /^'*[=+\-@\t\r]/;
const SHIELDED_FORMULA = /^'(?='*[=+\-@\t\r])/;

export function withoutShield(cell: string): string {
  return cell.replace(SHIELDED_FORMULA, '');
}

function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(text: string): string {
  const shielded = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(shielded) ? `"${shielded.replaceAll('"', '""')}"` : shielded;
}
