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

/** What is written: all that have columns of their own, and our rows as JSON. */
export const EXPORT_FORMATS = [
  'Cardledger',
  'Json',
  'Fabrary',
  'Collectr',
  'Tcgplayer',
  'DragonShield',
  'Manabox',
  'Archidekt',
  'List',
] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

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

/** What cards cost of which a file has no price: it is to have one, a flat one, the market price of their day, or nobody knows. */
export const IMPORT_COSTS = ['AsFiled', 'Flat', 'MarketPrice', 'Unknown'] as const;
export type ImportCost = (typeof IMPORT_COSTS)[number];

/** In place of a price that nobody knows. */
export const UNKNOWN_AMOUNT = 'unknown';

/** What is known of a row of an import: what it means, or that it is not known for sure, wrong, or no transaction. */
export const IMPORT_ROW_STATES = ['Matched', 'Unclear', 'Wrong', 'Skipped'] as const;
export type ImportRowState = (typeof IMPORT_ROW_STATES)[number];

/** What is done with the rows of an import, one behind the other; a preview records what they mean. */
export const IMPORT_PHASES = ['Reading', 'Matching', 'Recording'] as const;
export type ImportPhase = (typeof IMPORT_PHASES)[number];

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
  costUnknown: boolean;
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

type OwnRow = Record<(typeof OWN_COLUMNS)[number], OwnValue>;
type OwnValue = string | number | string[] | null;

/** What our own format says of a transaction, by its columns. */
function ownRow(collectionName: string, transaction: ExportedTransaction): OwnRow {
  const { unitAmount, fees, shipping, grade } = transaction;
  return {
    transactionId: transaction.id,
    collection: collectionName,
    occurredDate: transaction.occurred,
    action: transaction.action,
    quantity: transaction.quantity,
    unitAmount: transaction.costUnknown ? UNKNOWN_AMOUNT : unitAmount.amount,
    currency: unitAmount.currency,
    variantId: transaction.variantId,
    fcId: transaction.fcId,
    vendorProductId: transaction.vendorProductId,
    number: transaction.number,
    productName: transaction.productName,
    variantName: transaction.variantName,
    fees: fees?.amount ?? null,
    shipping: shipping?.amount ?? null,
    cardCondition: transaction.cardCondition,
    language: transaction.language,
    gradeCompany: grade?.company ?? null,
    grade: grade?.grade ?? null,
    certificate: grade?.certificate ?? null,
    notes: transaction.notes,
    tags: transaction.tags,
  };
}

export function isOwnValue(value: unknown): value is OwnValue {
  if (Array.isArray(value)) return value.every((one) => typeof one === 'string');
  return value === null || typeof value === 'string' || typeof value === 'number';
}

/** A value as a cell; commas separate tags, which have none. */
export function cellOf(value: OwnValue): string {
  return Array.isArray(value) ? value.join(', ') : String(value ?? '');
}

/** A transaction as a line of our own format. */
export function transactionLine(collectionName: string, transaction: ExportedTransaction): string {
  const row = ownRow(collectionName, transaction);
  return csvLine(OWN_COLUMNS.map((column) => cellOf(row[column])));
}

/** The same as an object of JSON, on a line of its own. */
export function transactionJson(collectionName: string, transaction: ExportedTransaction): string {
  return `${JSON.stringify(ownRow(collectionName, transaction))}\n`;
}

/** With what a formula begins, also of full width, where Japanese is written, and small; a tab or the end of a line stands for a cell that does. */
const SIGNS = '[=+\\-@＝＋－＠﹦﹢﹣﹫\\t\\r]';
/**
 * What may stand before that: spaces of all kinds, and what is not seen, which some programs trim, and quotes. One class: of two that share a character
 * each of a run would be tried in both.
 */
const BEFORE = '[ \\v\\f"\\u0085\\p{Zs}\\p{Zl}\\p{Zp}\\p{Cf}\\p{DI}]';

/** What a spreadsheet would take for a formula and run, and what it takes as text: the same behind an apostrophe. */
const FORMULA = new RegExp(`^(${BEFORE}*)(?='*${SIGNS})`, 'u');
const SHIELDED_FORMULA = new RegExp(`^(${BEFORE}*)'(?='*${SIGNS})`, 'u');

/** A spreadsheet that separates by semicolons or tabs begins a further cell in the middle of ours. */
const CELL_STARTS = /(?<=[;\t\r\n])/;

/** Nothing is run for it, and behind an apostrophe a spreadsheet would not add it up. */
const NUMBER = /^-\d+(\.\d+)?$/;

/** What needs neither a shield nor quotes, which is most: looked at as a whole, it costs a tenth. */
const PLAIN = new RegExp(`^(?!${BEFORE}|'|${SIGNS})[^"\\t\\r\\n;,]*$`, 'u');

/** The column that what is left of a file has behind its own; by a name that no other program gives to one. */
export const WHY = 'whyNotImported';

/** Our files have shields, what is left of another program's too, and so what people make of them; others stand as they are. */
export function hasShields(format: TransactionFormat, header: readonly string[]): boolean {
  return (
    format === 'Cardledger' || format === 'Columns' || header.includes('variantId') || header.at(-1) === WHY
  );
}

export function shielded(cell: string): string {
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
  if (PLAIN.test(text) && !text.includes(delimiter)) return text;
  const safe = shielded(text);
  return safe.includes(delimiter) || /["\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
