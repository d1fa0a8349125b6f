import { HELD_QUANTITIES, TRANSACTIONS_LIKE } from '../../db/queries/ledger.ts';
import { VARIANTS_EXIST } from '../../db/queries/products.ts';
import type { CardVariant } from '../../domain/card-match.ts';
import type { Currency } from '../../domain/currencies.ts';
import { type Breach, notFoundAt, validationFailed } from '../../domain/errors.ts';
import { isIdOf } from '../../domain/ids.ts';
import type { CreateTransactionInput, ImportPreviewedInput } from '../../domain/inputs.ts';
import { LIMITS } from '../../domain/limits.ts';
import { decimalOf } from '../../domain/money.ts';
import type { ImportCost, TransactionFormat } from '../../domain/transaction-file.ts';
import type { RowProblem } from '../../importers/transaction-dialects.ts';
import { inTurns } from '../../lib/in-turns.ts';
import { mappedInParts } from '../../lib/parts.ts';
import { readPreferences } from '../accounts/preferences.ts';
import type { Context } from '../context.ts';
import type { Tell } from '../events/import-progress.ts';
import { recordAll } from './create.ts';
import { NO_PRICE, pricesOfDays } from './import-prices.ts';
import {
  type ExaminedFile,
  type ExaminedRow,
  type FileDialect,
  inColumn,
  saleOfUnknown,
} from './import-rows.ts';

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

/** A row with the variant, day, action, quantity and amount of another, which is known of both or of neither. */
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

/** What became of the rows of an import. */
export interface Settled {
  /** Those that are recorded or, in a dry run, would be. */
  importedLines: number[];
  /** Those that were chosen to be skipped. */
  skippedLines: number[];
  errors: RowError[];
}

/** What rows without a price cost, but for a price that is given. */
export const OTHER_COSTS: Partial<Record<ImportCost, string>> = {
  MarketPrice: 'the market price',
  Unknown: 'unknown',
};

/** What is wrong with the input as a whole, for a file that lacks what it does not say. Throws `ValidationFailed`. */
export function checkLacking(
  { name, columns }: FileDialect,
  hasRows: boolean,
  { occurredDate, unitAmount, cost }: ImportPreviewedInput,
): void {
  const breaches: Breach[] = [];
  if (cost in OTHER_COSTS && unitAmount !== undefined)
    breaches.push({
      path: ['unitAmount'],
      detail: `must be left out where the cost is ${OTHER_COSTS[cost]}`,
    });
  if (cost === 'Flat' && unitAmount === undefined)
    breaches.push({ path: ['unitAmount'], detail: 'is required where the cost is flat' });
  if (hasRows && columns.occurredDate === null && occurredDate === undefined)
    breaches.push({ path: ['occurredDate'], detail: `is required: a file of ${name} has no dates` });
  if (hasRows && columns.unitAmount === null && unitAmount === undefined && cost === 'AsFiled')
    breaches.push({
      path: ['unitAmount'],
      detail: `is required: a file of ${name} has no prices paid; or give a cost, such as unknown`,
    });
  if (breaches.length > 0) throw validationFailed(breaches);
}

/**
 * Records what a file says, all or none of what is to be imported of it. Throws `NotFound`, `LimitExceeded`, and
 * `ValidationFailed` for choices that fit no row.
 */
export async function recordExamined(
  ctx: Context,
  collection: { id: string; transactionCount: number },
  file: ExaminedFile,
  decisions: ImportPreviewedInput,
  tell: Tell,
): Promise<Settled & { report: ImportReport }> {
  const { entries, errors, skippedLines } = await decide(ctx, file, decisions);
  const duplicates = await findDuplicates(ctx, collection, entries);
  const oversold = await findOversold(ctx, collection, entries);
  const { dryRun, skipErrors } = decisions;
  const written = !dryRun && (skipErrors || errors.length === 0);
  if (written) {
    const all = entries.map(({ entry }) => entry);
    await recordAll(ctx, collection.id, all, tell);
  }
  const report: ImportReport = {
    collectionId: collection.id,
    format: file.dialect.format,
    dryRun,
    written,
    rowCount: file.rowCount,
    transactionCount: entries.length,
    skipped: skippedOf(file, skippedLines),
    errorCount: errors.length,
    errors: errors.slice(0, LIMITS.importReportItems),
    duplicateCount: duplicates.length,
    duplicates: duplicates.slice(0, LIMITS.importReportItems),
    oversoldCount: oversold.length,
    oversold: oversold.slice(0, LIMITS.importReportItems),
  };
  return { report, importedLines: entries.map(({ line }) => line), skippedLines, errors };
}

/** What rows are counted by that were chosen to be skipped. */
export const CHOSEN = 'skipped by choice';

function skippedOf({ skipped }: ExaminedFile, lines: readonly number[]): ImportReport['skipped'] {
  return lines.length === 0 ? skipped : [...skipped, { reason: CHOSEN, count: lines.length }];
}

/** The transactions that the rows make, with what was decided of them, and what is wrong with the others. */
async function decide(
  ctx: Context,
  { dialect, rows }: ExaminedFile,
  decisions: ImportPreviewedInput,
): Promise<{ entries: Entry[]; errors: RowError[]; skippedLines: number[] }> {
  const choices = new Map(decisions.choices.map((choice) => [choice.line, choice]));
  await checkChoices(ctx, rows, decisions.choices);
  const skippedLines = rows.flatMap(({ line }) => (choices.get(line)?.skip ? [line] : []));
  const toImport = rows.filter(({ line }) => !choices.get(line)?.skip);
  const decided = await inTurns(
    mappedInParts(toImport, (row) =>
      decidedRow(row, choices.get(row.line)?.variantId, { dialect, decisions }),
    ),
    ctx.work,
  );
  if (decisions.cost === 'MarketPrice') await takeMarketPrices(ctx, dialect, decided);
  if (decisions.cost === 'Unknown') await leaveUnknown(ctx, dialect, decided);
  for (const row of decided) chargeInCurrencyOfPrice(dialect, row);
  const isSound = (row: DecidedRow): row is DecidedRow & { entry: CreateTransactionInput } =>
    row.problems.length === 0;
  return {
    entries: decided.filter(isSound).map(({ line, entry }) => ({ line, entry })),
    errors: decided.flatMap(({ line, problems, candidates }) =>
      problems.map(({ column, detail }, i) => ({
        line,
        column,
        detail,
        suggestions: i === 0 ? candidates : [],
      })),
    ),
    skippedLines,
  };
}

/** Throws `ValidationFailed` for lines that are not to be imported, `NotFound` for variants. */
async function checkChoices(
  { db }: Context,
  rows: readonly ExaminedRow[],
  choices: ImportPreviewedInput['choices'],
): Promise<void> {
  if (choices.length === 0) return;
  const lines = new Set(rows.map(({ line }) => line));
  const breaches = choices.flatMap(({ line }, i) =>
    lines.has(line)
      ? []
      : [{ path: ['choices', i, 'line'], detail: 'is not that of a row that is to be imported' }],
  );
  if (breaches.length > 0) throw validationFailed(breaches);
  const ids = choices.flatMap(({ variantId }) => variantId ?? []);
  const wellFormed = [...new Set(ids)].filter((id) => isIdOf('Variant', id));
  const found = await db.query<{ id: string }>(VARIANTS_EXIST, [JSON.stringify(wellFormed)]);
  const known = new Set(found.map(({ id }) => id));
  for (const [i, { variantId }] of choices.entries())
    if (variantId !== undefined && !known.has(variantId))
      throw notFoundAt('variant', variantId, ['choices', i, 'variantId']);
}

interface DecidedRow {
  line: number;
  problems: RowProblem[];
  candidates: CardVariant[];
  /** Without its price where that is still to be looked up. Null where there are problems. */
  entry: (Omit<CreateTransactionInput, 'unitAmount'> & Partial<CreateTransactionInput>) | null;
  chargedIn?: Currency | undefined;
}

function decidedRow(
  row: ExaminedRow,
  chosen: string | undefined,
  { dialect, decisions }: { dialect: FileDialect; decisions: ImportPreviewedInput },
): DecidedRow {
  const { line, candidates, entry, lacks, chargedIn } = row;
  const { occurredDate, unitAmount, cost } = decisions;
  const isMissing = {
    occurredDate: occurredDate === undefined,
    unitAmount: unitAmount === undefined && !(cost in OTHER_COSTS),
  };
  const problems = [
    ...(chosen === undefined ? row.problems : row.problems.filter(({ isOfCard }) => !isOfCard)),
    ...lacks
      .filter((part) => isMissing[part])
      .map((part) => inColumn({ path: [part], detail: 'is required' }, dialect)),
  ];
  if (problems.length > 0 || !entry) return { line, problems, candidates, entry: null };
  const variantId = (chosen ?? row.variantId)!;
  const filled = { occurredDate: occurredDate!, ...(unitAmount && { unitAmount }), ...entry, variantId };
  return { line, problems, candidates, entry: filled, chargedIn };
}

/** Fees and shipping of a row have the currency of its price; where the row says another one, that is a problem of it. */
function chargeInCurrencyOfPrice({ columns }: FileDialect, { entry, chargedIn, problems }: DecidedRow): void {
  if (!entry?.unitAmount) return;
  const { currency } = entry.unitAmount;
  if (chargedIn !== undefined && chargedIn !== currency) {
    const detail = `of fees and shipping is ${chargedIn}, and the price is in ${currency}: give both in one currency`;
    problems.push({ column: columns.currency ?? 'currency', detail });
  }
  if (entry.fees) entry.fees = { ...entry.fees, currency };
  if (entry.shipping) entry.shipping = { ...entry.shipping, currency };
}

/** Gives rows without a price that of their day; without one, it is a problem of the row. */
async function takeMarketPrices(
  ctx: Context,
  { columns }: FileDialect,
  decided: DecidedRow[],
): Promise<void> {
  const lacking = decided.filter(({ entry }) => entry && entry.unitAmount === undefined);
  const prices = await pricesOfDays(
    ctx,
    lacking.map(({ entry }) => entry!),
  );
  for (const [i, row] of lacking.entries()) {
    const price = prices[i]!;
    if (price) row.entry!.unitAmount = price;
    else row.problems.push({ column: columns.unitAmount, detail: NO_PRICE });
  }
}

/** Says of rows without a price that nobody knows it. A sale has one. */
async function leaveUnknown(ctx: Context, { columns }: FileDialect, decided: DecidedRow[]): Promise<void> {
  const { preferredCurrency } = await readPreferences(ctx);
  for (const { entry, chargedIn, problems } of decided) {
    if (!entry || entry.unitAmount) continue;
    if (entry.action === 'Sale') problems.push(saleOfUnknown(columns));
    entry.unitAmount = { currency: chargedIn ?? preferredCurrency, value: 0 };
    entry.costUnknown = true;
  }
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
    const { variantId, occurredDate, action, quantity, unitAmount, costUnknown = false } = entry;
    const { value, currency } = unitAmount;
    const key = JSON.stringify([variantId, occurredDate, action, quantity, value, currency, costUnknown]);
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
      costUnknown: entry.costUnknown ?? false,
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
