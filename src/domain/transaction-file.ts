import type { Money } from './money.ts';
import type { Action, TransactionDetails } from './transactions.ts';

/** Files of transactions: the formats that are read, and the one that is written (docs/imports.md). */

export const TRANSACTION_FORMATS = [
  'Cardledger',
  'Fabrary',
  'Collectr',
  'Tcgplayer',
  'DragonShield',
  'Manabox',
  'Archidekt',
  'List',
  'Columns',
] as const;
export type TransactionFormat = (typeof TRANSACTION_FORMATS)[number];

/** What is said of the cards, of which the three in the middle are one grade. */
export const DETAIL_COLUMNS = [
  'cardCondition',
  'language',
  'gradeCompany',
  'grade',
  'certificate',
  'notes',
  'tags',
] as const;
export type DetailColumn = (typeof DETAIL_COLUMNS)[number];

/** What the columns of a file that no format has can be said to hold: of our own format, those that are read, and the set. */
export const MAPPED_COLUMNS = [
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
  'setName',
  'variantName',
  'fees',
  'shipping',
  ...DETAIL_COLUMNS,
] as const;
/** Those of them that tell the card, in the order in which they count. */
export const CARD_COLUMNS = ['variantId', 'fcId', 'vendorProductId', 'number', 'productName'] as const;
export type ColumnNames = { quantity: string } & Partial<Record<(typeof MAPPED_COLUMNS)[number], string>>;

/** What cards cost of which a file has no price: it is to have one, a flat one, the market price of their day. */
export const IMPORT_COSTS = ['AsFiled', 'Flat', 'MarketPrice'] as const;
export type ImportCost = (typeof IMPORT_COSTS)[number];

/** What is known of a row of an import: what it means, or that it is not known for sure, wrong, or no transaction. */
export const IMPORT_ROW_STATES = ['Matched', 'Unclear', 'Wrong', 'Skipped'] as const;
export type ImportRowState = (typeof IMPORT_ROW_STATES)[number];

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
  'fees',
  'shipping',
  ...DETAIL_COLUMNS,
] as const;

export interface ExportedTransaction extends TransactionDetails {
  id: string;
  /** `YYYY-MM-DD` */
  occurred: string;
  action: Action;
  quantity: number;
  unitAmount: Money;
  /** Null where there are none. */
  fees: Money | null;
  shipping: Money | null;
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
  const { unitAmount, fees, shipping, vendorProductId, number } = transaction;
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
    fees?.amount ?? '',
    shipping?.amount ?? '',
    ...detailCells(transaction),
  ]);
}

/** In the order of `DETAIL_COLUMNS`; commas separate tags, which have none. */
function detailCells({ cardCondition, language, grade, notes, tags }: TransactionDetails): string[] {
  return [
    cardCondition ?? '',
    language ?? '',
    grade?.company ?? '',
    grade?.grade ?? '',
    grade?.certificate ?? '',
    notes,
    tags.join(', '),
  ];
}

/** What a spreadsheet would take for a formula and run, and what it takes as text: the same behind an apostrophe. */
const FORMULA = /^([ "]*)(?='*[=+\-@\t\r])/;
const SHIELDED_FORMULA = /^([ "]*)'(?='*[=+\-@\t\r])/;

/** A spreadsheet that separates by semicolons or tabs begins a further cell in the middle of ours. */
const CELL_STARTS = /(?<=[;\t\r\n])/;

/** Nothing is run for it, and behind an apostrophe a spreadsheet would not add it up. */
const NUMBER = /^-\d+(\.\d+)?$/;

function shielded(cell: string): string {
  if (NUMBER.test(cell)) return cell;
  return cell
    .split(CELL_STARTS)
    .map((part) => part.replace(FORMULA, "$1'"))
    .join('');
}

export function withoutShield(cell: string): string {
  return cell
    .split(CELL_STARTS)
    .map((part) => part.replace(SHIELDED_FORMULA, '$1'))
    .join('');
}

/** A line of cells, quoted where they need it, and safe in a spreadsheet. */
export function csvLine(cells: readonly string[], delimiter = ','): string {
  return `${cells.map((cell) => csvCell(cell, delimiter)).join(delimiter)}\r\n`;
}

function csvCell(text: string, delimiter: string): string {
  const safe = shielded(text);
  return safe.includes(delimiter) || /["\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
