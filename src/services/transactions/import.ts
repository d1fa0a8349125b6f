import { HELD_QUANTITIES, TRANSACTIONS_LIKE } from '../../db/queries/ledger.ts';
import type { CardClues, CardVariant } from '../../domain/card-match.ts';
import { dateOf } from '../../domain/dates.ts';
import { type Breach, validationFailed } from '../../domain/errors.ts';
import {
  breachesOf,
  type CreateTransactionInput,
  type ImportTransactionsInput,
  parseInput,
  transactionRules,
} from '../../domain/inputs.ts';
import { LIMITS } from '../../domain/limits.ts';
import { decimalOf } from '../../domain/money.ts';
import type { DetailColumn, TransactionFormat } from '../../domain/transaction-file.ts';
import type { Grade } from '../../domain/transactions.ts';
import { type Read, readAmount, readDate } from '../../domain/written-values.ts';
import { ImportFileError } from '../../importers/import-file.ts';
import type { ReadRow, TransactionDialect } from '../../importers/transaction-dialects.ts';
import { readTransactionsFile, type TransactionFile } from '../../importers/transactions-file.ts';
import { inTurns } from '../../lib/in-turns.ts';
import { mappedInParts } from '../../lib/parts.ts';
import { getCollection } from '../collections/get.ts';
import type { Context } from '../context.ts';
import { idempotently } from '../idempotency.ts';
import { noProgress, type Progress } from '../market/progress.ts';
import { recordAll } from './create.ts';
import { type MatchedCards, matchCards } from './match-cards.ts';
import { withShare } from './share.ts';

/** What an import did or, in a dry run, would do. */
export interface ImportReport {
  collectionId: string;
  format: TransactionFormat;
  dryRun: boolean;
  /** Whether the transactions are in the ledger now: all of them, or none. */
  written: boolean;
  /** Rows below the header that are not empty. */
  rowCount: number;
  /** Rows without an error that stand for a transaction. */
  transactionCount: number;
  /** Rows that stand for none, by the reason. */
  skipped: { reason: string; count: number }[];
  errorCount: number;
  /** The first 1,000. */
  errors: RowError[];
  duplicateCount: number;
  /** The first 1,000. They are written too. */
  duplicates: Duplicate[];
  oversoldCount: number;
  /** The first 1,000. Their sales are written too. */
  oversold: Oversold[];
}

export interface RowError {
  line: number;
  /** Null where the whole row is at fault. */
  column: string | null;
  detail: string;
  /** Variants that may be meant, the closest first, where the card is not known. */
  suggestions: CardVariant[];
}

/** A row with the variant, day, action, quantity and amount of another. */
export interface Duplicate {
  line: number;
  /** The first such row above it. */
  sameAsLine: number | null;
  /** The first such transaction of the collection. */
  sameAsTransactionId: string | null;
}

/** A variant of which more is sold than bought, by the file and what is recorded together. */
export interface Oversold {
  /** Of its first sale in the file. */
  line: number;
  /** Cards sold beyond those bought. */
  quantity: number;
}

interface Entry {
  line: number;
  entry: CreateTransactionInput;
}

/**
 * Reads transactions from CSV and records them, all or none: where a row has an error, nothing is written. Throws
 * `NotFound`, `LimitExceeded`, and `ValidationFailed` for a file that cannot be read at all, or that lacks what the input must then say.
 */
export async function importTransactions(
  ctx: Context,
  collectionId: string,
  input: unknown,
  progress: Progress = noProgress,
): Promise<ImportReport> {
  const options = parseInput(transactionRules(dateOf(ctx.now())).importFile, input);
  // One that a node of the version before has kept for the key does not say what was sold beyond what was bought.
  const {
    oversoldCount = 0,
    oversold = [],
    ...report
  } = await withShare(ctx, collectionId, (shared) =>
    idempotently(
      shared,
      'importTransactions',
      { collectionId, ...options },
      (once) => importFile(once, collectionId, options, progress),
      // A file that was refused may be mended and sent again with its key.
      { writes: collectionId, isKept: ({ written }) => written },
    ),
  );
  return { ...report, oversoldCount, oversold };
}

async function importFile(
  ctx: Context,
  collectionId: string,
  options: ImportTransactionsInput,
  progress: Progress,
): Promise<ImportReport> {
  const collection = await getCollection(ctx, collectionId);
  const { dialect, rows } = await readFile(ctx, options);
  const read = rows.flatMap(({ line, row }) => ('card' in row ? [{ line, row }] : []));
  checkFile(dialect, read, options);
  const cards = await matchCards(
    ctx,
    read.map(({ row }) => row.card),
  );
  const rowParts = { dialect, options, cards, rule: transactionRules(dateOf(ctx.now())).create };
  const checked = await inTurns(
    mappedInParts(read, ({ line, row }) => ({ line, row, ...checkRow(row, rowParts) })),
    ctx.work,
  );
  const entries = checked.flatMap(({ line, entry }) => (entry ? [{ line, entry }] : []));
  const errors = await rowErrors(rows, checked, cards);
  const duplicates = await findDuplicates(ctx, collection, entries);
  const oversold = await findOversold(ctx, collection, entries);
  const written = !options.dryRun && errors.length === 0;
  if (written) {
    const all = entries.map(({ entry }) => entry);
    await recordAll(ctx, collectionId, all, progress);
  }
  return {
    collectionId,
    format: dialect.format,
    dryRun: options.dryRun,
    written,
    rowCount: rows.length,
    transactionCount: entries.length,
    skipped: countSkipped(rows),
    errorCount: errors.length,
    errors: errors.slice(0, LIMITS.importReportItems),
    duplicateCount: duplicates.length,
    duplicates: duplicates.slice(0, LIMITS.importReportItems),
    oversoldCount: oversold.length,
    oversold: oversold.slice(0, LIMITS.importReportItems),
  };
}

async function readFile(
  { work }: Context,
  { csv, format, columns, decimalSign }: ImportTransactionsInput,
): Promise<TransactionFile> {
  if (format === 'Columns' && !columns)
    throw validationFailed([{ path: ['columns'], detail: 'is required: it says what each column holds' }]);
  if (columns && format !== undefined && format !== 'Columns')
    throw validationFailed([{ path: ['columns'], detail: 'must be left out where the file has a format' }]);
  try {
    return await readTransactionsFile(csv, { format, columns, decimalSign }, work);
  } catch (error) {
    if (!(error instanceof ImportFileError)) throw error;
    throw validationFailed([{ path: ['csv'], detail: `line ${error.line}: ${error.problem}` }]);
  }
}

/** What is wrong with the file or the input as a whole. */
function checkFile(
  { name, columns }: TransactionDialect,
  read: readonly { row: ReadRow }[],
  { occurredDate, unitAmount, currency }: ImportTransactionsInput,
): void {
  const breaches: Breach[] = [];
  if (read.length > LIMITS.importTransactions) {
    const detail = `has ${read.length} transactions, and one import takes at most ${LIMITS.importTransactions}; split it`;
    breaches.push({ path: ['csv'], detail });
  }
  if (read.length > 0) {
    if (columns.occurredDate === null && occurredDate === undefined)
      breaches.push({ path: ['occurredDate'], detail: `is required: a file of ${name} has no dates` });
    if (columns.unitAmount === null && unitAmount === undefined)
      breaches.push({ path: ['unitAmount'], detail: `is required: a file of ${name} has no prices paid` });
    if (columns.currency === null && currency === undefined && read.some(({ row }) => row.entry.unitAmount))
      breaches.push({ path: ['currency'], detail: `is required: a file of ${name} has prices without one` });
  }
  if (breaches.length > 0) throw validationFailed(breaches);
}

interface CheckedRow {
  /** Null where there are errors. */
  entry: CreateTransactionInput | null;
  breaches: { column: string | null; detail: string }[];
  isUnknownCard: boolean;
}

interface RowParts {
  dialect: TransactionDialect;
  options: ImportTransactionsInput;
  cards: MatchedCards;
  rule: ReturnType<typeof transactionRules>['create'];
}

/** A row by the very rules of createTransaction. */
function checkRow({ card, cardColumn, entry, details, problem }: ReadRow, parts: RowParts): CheckedRow {
  const { dialect, options, cards, rule } = parts;
  const variant = cards.match(card);
  const currency = entry.currency || options.currency;
  const date = entry.occurredDate ? readDate(entry.occurredDate, options.dateOrder) : null;
  const [amount, fees, shipping] = [entry.unitAmount, entry.fees, entry.shipping].map((text) =>
    text ? readAmount(text, options.decimalSign, currency) : null,
  );
  const unitAmount = amount ? moneyOf(amount, currency) : options.unitAmount;
  const given = {
    variantId: variant?.variantId ?? '',
    occurredDate: date ? valueOr(date, FIRST_DATE) : options.occurredDate,
    action: entry.action,
    quantity: quantityOf(entry.quantity),
    unitAmount,
    ...(fees && { fees: moneyOf(fees, unitAmount?.currency) }),
    ...(shipping && { shipping: moneyOf(shipping, unitAmount?.currency) }),
    ...details?.given,
  };
  const parsed = rule.safeParse(given);
  const breaches = [
    ...(problem ? [problem] : []),
    ...(details?.problems ?? []),
    ...(!variant && !problem ? [unknownCard(card, cardColumn ?? dialect.columns.card, dialect)] : []),
    ...unreadable(dialect.columns.occurredDate, date),
    ...unreadable(dialect.columns.unitAmount, amount),
    ...unreadable(dialect.columns.fees ?? 'fees', fees),
    ...unreadable(dialect.columns.shipping ?? 'shipping', shipping),
    ...(parsed.success
      ? []
      : breachesOf(parsed.error, given)
          .filter(isOfItsOwn)
          .map((breach) => inColumn(breach, dialect))),
  ];
  const isSound = breaches.length === 0 && parsed.success;
  return { entry: isSound ? parsed.data : null, breaches, isUnknownCard: variant === null };
}

/** The text of an amount as the rule takes it, which says what is wrong with it. */
function moneyOf(read: Read<string>, currency: string | undefined) {
  return { currency, value: amountOf(valueOr(read, '0')) };
}

/** Fees and shipping have the currency of the amount, of which it is told. */
function isOfItsOwn({ path: [field, part] }: Breach): boolean {
  return part !== 'currency' || field === 'unitAmount';
}

/** For the rule to go on with where a text could not be read, which is told by itself. */
const FIRST_DATE = LIMITS.firstOccurredDate;

function valueOr(read: Read<string>, other: string): string {
  return 'value' in read ? read.value : other;
}

function unreadable(column: string | null, read: Read<string> | null | undefined): CheckedRow['breaches'] {
  return read && 'detail' in read ? [{ column, detail: read.detail }] : [];
}

function unknownCard(
  card: CardClues,
  column: string,
  { correction = 'correct the row, or leave it out' }: TransactionDialect,
): CheckedRow['breaches'][number] {
  const isEmpty = Object.keys(card).length === 0;
  const detail = isEmpty
    ? 'is empty, and so is all else that would say which card it is'
    : `does not fit exactly one variant of the catalogue; ${correction}`;
  return { column, detail };
}

const GRADE_COLUMNS = { company: 'gradeCompany', grade: 'grade', certificate: 'certificate' } as const;

function inColumn(
  { path, detail }: Breach,
  { columns: { details, ...columns } }: TransactionDialect,
): CheckedRow['breaches'][number] {
  const said = path[0] === 'grade' ? GRADE_COLUMNS[path[1] as keyof Grade] : (path[0] as DetailColumn);
  if (details?.[said] !== undefined) return { column: details[said], detail };
  const field = path.at(-1) === 'currency' ? 'currency' : (path[0] as keyof typeof columns | 'action');
  const column = field === 'action' ? field : (columns[field] ?? field);
  const isMissing = detail === 'is required';
  const advice = field === 'quantity' || field === 'action' ? '' : `, or give ${field} for rows without one`;
  return { column, detail: isMissing ? `is empty: fill it in${advice}` : detail };
}

/** What is no plain number stays as it is, for the rule to refuse. */
function quantityOf(text: string): number | string {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

/** A number with more digits than an amount may have would be rounded on the way. */
function amountOf(text: string): number | string {
  return /^\d{1,10}(\.\d{1,4}0*)?$/.test(text) ? Number(text) : text;
}

async function rowErrors(
  rows: TransactionFile['rows'],
  checked: readonly (CheckedRow & { line: number; row: ReadRow })[],
  cards: MatchedCards,
): Promise<RowError[]> {
  const unknown = checked.filter(({ isUnknownCard }) => isUnknownCard);
  const suggestions = await cards.suggest(unknown.map(({ row }) => row.card));
  const suggestionsAt = new Map(unknown.map(({ line }, i) => [line, suggestions[i]!]));
  const broken = rows.flatMap(({ line, row }) =>
    'detail' in row ? [{ line, column: null, detail: row.detail, suggestions: [] }] : [],
  );
  const refused = checked.flatMap(({ line, breaches }) =>
    breaches.map((breach, i) => ({
      line,
      ...breach,
      suggestions: i === 0 ? (suggestionsAt.get(line) ?? []) : [],
    })),
  );
  return [...broken, ...refused].sort((a, b) => a.line - b.line);
}

async function findDuplicates(
  ctx: Context,
  collection: { id: string; transactionCount: number },
  entries: readonly Entry[],
): Promise<Duplicate[]> {
  const firstLines = new Map<string, number>();
  const inLedger =
    collection.transactionCount === 0 ? new Map() : await findInLedger(ctx, collection.id, entries);
  const lookedAt = mappedInParts(entries, ({ line, entry }) => {
    const key = JSON.stringify({ ...entry, fees: undefined, shipping: undefined });
    const sameAsLine = firstLines.get(key) ?? null;
    if (sameAsLine === null) firstLines.set(key, line);
    return { line, sameAsLine, sameAsTransactionId: inLedger.get(line) ?? null };
  });
  const all = await inTurns(lookedAt, ctx.work);
  return all.filter(
    ({ sameAsLine, sameAsTransactionId }) => sameAsLine !== null || sameAsTransactionId !== null,
  );
}

async function findInLedger(
  ctx: Context,
  collectionId: string,
  entries: readonly Entry[],
): Promise<Map<number, string>> {
  const found = new Map<number, string>();
  for (let at = 0; at < entries.length; at += LIMITS.bulkTransactions) {
    const part = entries.slice(at, at + LIMITS.bulkTransactions).map(({ line, entry }) => ({
      line,
      variantId: entry.variantId,
      occurred: entry.occurredDate,
      action: entry.action,
      quantity: entry.quantity,
      unitAmount: decimalOf(entry.unitAmount.value),
      currency: entry.unitAmount.currency,
    }));
    const params = [ctx.caller.accountId, collectionId, JSON.stringify(part)];
    type Like = { line: number; transactionId: string };
    for (const { line, transactionId } of await ctx.db.query<Like>(TRANSACTIONS_LIKE, params))
      found.set(line, transactionId);
  }
  return found;
}

async function findOversold(
  { db, caller }: Context,
  collection: { id: string; transactionCount: number },
  entries: readonly Entry[],
): Promise<Oversold[]> {
  const lines = new Map<string, number>();
  for (const { line, entry } of entries)
    if (entry.action === 'Sale' && !lines.has(entry.variantId)) lines.set(entry.variantId, line);
  if (lines.size === 0) return [];
  const params = [caller.accountId, collection.id, JSON.stringify([...lines.keys()])];
  type Held = { variantId: string; quantity: number };
  const rows = collection.transactionCount === 0 ? [] : await db.query<Held>(HELD_QUANTITIES, params);
  const left = new Map(rows.map(({ variantId, quantity }) => [variantId, quantity]));
  for (const { entry } of entries) {
    const { variantId, action, quantity } = entry;
    left.set(variantId, (left.get(variantId) ?? 0) + (action === 'Sale' ? -quantity : quantity));
  }
  return [...lines]
    .map(([variantId, line]) => ({ line, quantity: -left.get(variantId)! }))
    .filter(({ quantity }) => quantity > 0);
}

function countSkipped(rows: TransactionFile['rows']): ImportReport['skipped'] {
  const counts = new Map<string, number>();
  for (const { row } of rows) if ('reason' in row) counts.set(row.reason, (counts.get(row.reason) ?? 0) + 1);
  return [...counts].map(([reason, count]) => ({ reason, count }));
}
