import type { CardClues, CardVariant } from '../../domain/card-match.ts';
import type { CollectionKind } from '../../domain/collections.ts';
import type { Currency } from '../../domain/currencies.ts';
import { dateOf } from '../../domain/dates.ts';
import { type Breach, validationFailed } from '../../domain/errors.ts';
import {
  type CreateTransactionInput,
  type PreviewImportInput,
  transactionRules,
} from '../../domain/inputs.ts';
import { LIMITS } from '../../domain/limits.ts';
import { breachesOf } from '../../domain/parse-input.ts';
import { type DetailColumn, UNKNOWN_AMOUNT } from '../../domain/transaction-file.ts';
import type { Grade } from '../../domain/transactions.ts';
import { type Read, readAmount, readDate } from '../../domain/written-values.ts';
import type { FileContent } from '../../importers/begun-file.ts';
import { ImportFileError } from '../../importers/import-file.ts';
import type { ReadRow, RowProblem, TransactionDialect } from '../../importers/transaction-dialects.ts';
import { readTransactionsFile, type TransactionFile } from '../../importers/transactions-file.ts';
import { inTurns } from '../../lib/in-turns.ts';
import { mappedOneByOne, PART } from '../../lib/parts.ts';
import { firstCharacters } from '../../lib/text.ts';
import type { Context } from '../context.ts';
import type { Tell } from '../events/import-progress.ts';
import { type MatchedCards, matchCards } from './match-cards.ts';

/** How the file of an import is read. */
export type ImportForm = Omit<PreviewImportInput, 'csv'>;

/** What a program's files are like, as far as messages tell it. */
export type FileDialect = Pick<TransactionDialect, 'format' | 'name' | 'columns'>;

/** What a row says of a transaction, without the parts that it `lacks`. */
export type FiledEntry = Omit<CreateTransactionInput, 'variantId' | LackingPart> &
  Partial<Pick<CreateTransactionInput, LackingPart>>;

/** What a row may leave to who imports it. */
export const LACKING_PARTS = ['occurredDate', 'unitAmount'] as const;
export type LackingPart = (typeof LACKING_PARTS)[number];

/** A row that is to be a transaction, as it was understood. */
export interface ExaminedRow {
  line: number;
  /** Of the card, as the row has them. */
  name: string | null;
  number: string | null;
  /** The only variant that fits, or null. */
  variantId: string | null;
  /** Variants that may be meant, the closest first, where that is not clear. */
  candidates: CardVariant[];
  problems: RowProblem[];
  lacks: LackingPart[];
  /** Null where there are problems beside the card. */
  entry: FiledEntry | null;
  /** What the row says of the currency of its fees and shipping, where it has no price. */
  chargedIn?: Currency;
}

/** A file with the rows that are to be transactions. */
export interface ExaminedFile {
  dialect: FileDialect;
  rowCount: number;
  skipped: { reason: string; count: number }[];
  rows: ExaminedRow[];
}

/** Throws `ValidationFailed` for a file that cannot be read at all. */
export async function readFile(
  { work }: Context,
  { csv, format, columns, decimalSign }: Omit<PreviewImportInput, 'csv'> & { csv: FileContent },
  tell: Tell,
): Promise<TransactionFile> {
  if (format === 'Columns' && !columns)
    throw validationFailed([{ path: ['columns'], detail: 'is required: it says what each column holds' }]);
  if (columns && format !== undefined && format !== 'Columns')
    throw validationFailed([{ path: ['columns'], detail: 'must be left out where the file has a format' }]);
  const onRows = (done: number) => tell({ phase: 'Reading', done, total: null });
  onRows(0);
  try {
    return await readTransactionsFile(csv, { format, columns, decimalSign }, work, onRows);
  } catch (error) {
    if (!(error instanceof ImportFileError)) throw error;
    throw validationFailed([{ path: ['csv'], detail: `line ${error.line}: ${error.problem}` }]);
  }
}

/** What the rows of a file mean. Throws `ValidationFailed` where its prices have no currency. */
export async function examineFile(
  ctx: Context,
  { dialect, rows, rowCount, skipped }: TransactionFile,
  form: ImportForm,
  kind: CollectionKind,
  tell: Tell,
): Promise<ExaminedFile> {
  const total = rows.length;
  tell({ phase: 'Matching', done: 0, total });
  checkCurrency(dialect, rows, form);
  const read = rows.flatMap(({ row }) => ('card' in row ? [row] : []));
  const cards = await matchCards(
    ctx,
    read.map(({ card }) => card),
  );
  const rules = transactionRules(dateOf(ctx.now()));
  const parts = { dialect, form, cards, rule: kind === 'Wishlist' ? rules.wish : rules.create };
  let done = 0;
  const examined = await inTurns(
    mappedOneByOne(rows, ({ line, row }) => {
      if (done++ % PART === 0) tell({ phase: 'Matching', done: done - 1, total });
      return 'card' in row ? examineRow(line, row, parts) : broken(line, row);
    }),
    ctx.work,
  );
  await suggestVariants(rows, examined, cards);
  tell({ phase: 'Matching', done: total, total });
  return {
    dialect,
    rowCount,
    skipped: [...skipped].map(([reason, count]) => ({ reason, count })),
    rows: examined,
  };
}

function checkCurrency(
  { name, columns }: TransactionDialect,
  rows: TransactionFile['rows'],
  { currency }: ImportForm,
): void {
  const needsCurrency = columns.currency === null && currency === undefined;
  if (!needsCurrency || !rows.some(({ row }) => 'card' in row && row.entry.unitAmount)) return;
  throw validationFailed([
    { path: ['currency'], detail: `is required: a file of ${name} has prices without one` },
  ]);
}

function broken(line: number, { detail }: { detail: string }): ExaminedRow {
  const problems = [{ column: null, detail }];
  const unknown = { name: null, number: null, variantId: null, candidates: [], lacks: [] };
  return { line, ...unknown, problems, entry: null };
}

interface RowParts {
  dialect: TransactionDialect;
  form: ImportForm;
  cards: MatchedCards;
  rule: ReturnType<typeof transactionRules>['create'];
}

/** A row by the very rules of createTransaction. */
function examineRow(
  line: number,
  { card, cardColumn, entry, details, problem }: ReadRow,
  { dialect, form, cards, rule }: RowParts,
): ExaminedRow {
  const variant = cards.match(card);
  const currency = entry.currency || form.currency;
  const date = entry.occurredDate ? readDate(entry.occurredDate, form.dateOrder) : null;
  const costUnknown = entry.unitAmount?.toLowerCase() === UNKNOWN_AMOUNT;
  const [amount, fees, shipping] = [costUnknown ? '0' : entry.unitAmount, entry.fees, entry.shipping].map(
    (text) => (text ? readAmount(text, form.decimalSign, currency) : null),
  );
  const charges = fees ?? shipping;
  const unitAmount = amount
    ? moneyOf(amount, currency)
    : { ...ANY_AMOUNT, ...(charges && currency && { currency }) };
  const given = {
    variantId: variant?.variantId ?? '',
    occurredDate: date ? valueOr(date, ANY_DATE) : ANY_DATE,
    action: entry.action,
    quantity: quantityOf(entry.quantity),
    unitAmount,
    ...(costUnknown && { costUnknown }),
    ...(fees && { fees: moneyOf(fees, unitAmount.currency) }),
    ...(shipping && { shipping: moneyOf(shipping, unitAmount.currency) }),
    ...details?.given,
  };
  const parsed = rule.safeParse(given);
  const problems: RowProblem[] = [
    ...(problem ? [problem] : []),
    ...(details?.problems ?? []),
    ...(!variant && !problem
      ? [unknownCard(card, cardColumn ?? dialect.columns.card, { dialect, cards })]
      : []),
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
  const lacks: LackingPart[] = [
    ...(date === null ? ['occurredDate' as const] : []),
    ...(!amount ? ['unitAmount' as const] : []),
  ];
  const isSound = parsed.success && problems.every(({ isOfCard }) => isOfCard);
  return {
    line,
    name: shown(card.name),
    number: shown(card.number),
    variantId: problem ? null : (variant?.variantId ?? null),
    candidates: problem?.isOfCard && variant ? [variant] : [],
    problems: problems.slice(0, LIMITS.importRowProblems),
    lacks,
    entry: isSound ? filed(parsed.data, lacks) : null,
    ...(isSound && charges && !amount && currency && { chargedIn: parsed.data.unitAmount.currency }),
  };
}

/** The text of an amount as the rule takes it, which says what is wrong with it. */
function moneyOf(read: Read<string>, currency: string | undefined) {
  return { currency, value: amountOf(valueOr(read, '0')) };
}

/** Fees and shipping have the currency of the amount, of which it is told. */
function isOfItsOwn({ path: [field, part] }: Breach): boolean {
  return part !== 'currency' || field === 'unitAmount';
}

/** For the rule to go on with where a text could not be read, which is told by itself, or there is none. */
const ANY_DATE = LIMITS.firstOccurredDate;
const ANY_AMOUNT = { currency: 'USD', value: 0 };

function filed(
  { variantId: _, ...entry }: CreateTransactionInput,
  lacks: readonly LackingPart[],
): FiledEntry {
  return Object.fromEntries(
    Object.entries(entry).filter(([part]) => !(lacks as readonly string[]).includes(part)),
  ) as FiledEntry;
}

function shown(text: string | undefined): string | null {
  return text === undefined ? null : firstCharacters(text, LIMITS.searchQueryCharacters);
}

function valueOr(read: Read<string>, other: string): string {
  return 'value' in read ? read.value : other;
}

function unreadable(column: string | null, read: Read<string> | null | undefined): RowProblem[] {
  return read && 'detail' in read ? [{ column, detail: read.detail }] : [];
}

function unknownCard(
  card: CardClues,
  column: string,
  { dialect, cards }: Pick<RowParts, 'dialect' | 'cards'>,
): RowProblem {
  const { correction = 'correct the row, or leave it out' } = dialect;
  const unknown = cards.unknownClue(card);
  const detail =
    Object.keys(card).length === 0
      ? 'is empty, and so is all else that would say which card it is'
      : unknown === null
        ? `does not fit exactly one variant of the catalogue; ${correction}`
        : `fits no card: none has the ${unknown.clue} "${shown(unknown.value)}"; correct it, or leave the row out`;
  return { column, detail, isOfCard: true };
}

const GRADE_COLUMNS = { company: 'gradeCompany', grade: 'grade', certificate: 'certificate' } as const;

const ADVICE: Partial<Record<string, string>> = {
  unitAmount: ', or give unitAmount for rows without one, or a cost, such as unknown',
};

/** A breach of the rules in the words of the file. */
export function inColumn(
  { path, detail }: Breach,
  { columns: { details, ...columns } }: FileDialect,
): RowProblem {
  const said = path[0] === 'grade' ? GRADE_COLUMNS[path[1] as keyof Grade] : (path[0] as DetailColumn);
  if (details?.[said] !== undefined) return { column: details[said], detail };
  const named = path.at(-1) === 'currency' ? 'currency' : path[0];
  if (named === 'costUnknown') return saleOfUnknown(columns);
  const field = named as keyof typeof columns | 'action';
  const column = field === 'action' ? field : (columns[field] ?? field);
  const isMissing = detail === 'is required';
  const advice =
    field === 'quantity' || field === 'action'
      ? ''
      : (ADVICE[field] ?? `, or give ${field} for rows without one`);
  return { column, detail: isMissing ? `is empty: fill it in${advice}` : detail };
}

/** Of a row whose price is unknown, which only what something cost can be. */
export function saleOfUnknown({ unitAmount }: Pick<FileDialect['columns'], 'unitAmount'>): RowProblem {
  const detail = 'is not known, and the row is a sale: fill in what it brought, or leave the row out';
  return { column: unitAmount ?? 'unitAmount', detail };
}

/** What is no plain number stays as it is, for the rule to refuse. */
function quantityOf(text: string): number | string {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

/** A number with more digits than an amount may have would be rounded on the way. */
function amountOf(text: string): number | string {
  return /^\d{1,10}(\.\d{1,4}0*)?$/.test(text) ? Number(text) : text;
}

async function suggestVariants(
  rows: TransactionFile['rows'],
  examined: readonly ExaminedRow[],
  cards: MatchedCards,
): Promise<void> {
  const unclear = rows.flatMap(({ row }, i) => {
    const { variantId, candidates } = examined[i]!;
    return 'card' in row && variantId === null && candidates.length === 0
      ? [{ card: row.card, row: examined[i]! }]
      : [];
  });
  const suggestions = await cards.suggest(unclear.map(({ card }) => card));
  for (const [i, { row }] of unclear.entries()) row.candidates = suggestions[i]!;
}
