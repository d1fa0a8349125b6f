import { createHash, type Hash } from 'node:crypto';
import type { Database } from '../../db/client.ts';
import { LOCK_ACCOUNT } from '../../db/queries/accounts.ts';
import {
  COUNT_PREVIEWED_ROWS,
  DELETE_IMPORTED_ROWS,
  DELETE_PREVIEWS_BEYOND,
  INSERT_PREVIEW,
  INSERT_PREVIEW_ROWS,
  LEAVE_ROWS,
  LOCK_PREVIEW,
  PREVIEWED_ROW_ORDER,
  PREVIEWS_BY_ID,
  type PreviewedRow,
  type PreviewRow,
  PURGE_PREVIEW,
  previewedRows,
  REST_OF_PREVIEW,
  ROWS_TO_IMPORT,
  SKIP_ROWS,
} from '../../db/queries/import-previews.ts';
import { readPage } from '../../db/queries/page.ts';
import type { CollectionKind } from '../../domain/collections.ts';
import { dateOf } from '../../domain/dates.ts';
import { notFound } from '../../domain/errors.ts';
import { isIdOf, newId } from '../../domain/ids.ts';
import { type ImportPreviewedInput, type PreviewImportInput, transactionRules } from '../../domain/inputs.ts';
import { LIMITS } from '../../domain/limits.ts';
import { encodeCursor, type KeyRequest, type Page, pageByKey } from '../../domain/pagination.ts';
import { parseInput } from '../../domain/parse-input.ts';
import type { ImportRowState, TransactionFormat } from '../../domain/transaction-file.ts';
import type { TransactionFile } from '../../importers/transactions-file.ts';
import { turnOf } from '../../lib/in-turns.ts';
import { groupBy } from '../../lib/lists.ts';
import { type MayGoOn, toTheEnd } from '../../lib/may-go-on.ts';
import { getCollection } from '../collections/get.ts';
import type { Context } from '../context.ts';
import { followedImport, type Tell } from '../events/import-progress.ts';
import { idempotently } from '../idempotency.ts';
import {
  CHOSEN,
  checkLacking,
  type ImportReport,
  OTHER_COSTS,
  recordExamined,
  type Settled,
} from './import-record.ts';
import { type FileStyle, restHeader, restLine, whyOf } from './import-rest.ts';
import { type ExaminedFile, type ExaminedRow, examineFile, readFile } from './import-rows.ts';
import { inPlaceForBatch, inPlaceForFile } from './large.ts';
import { withShare } from './share.ts';

/** A file that was read, kept until it is said what is to be done with its rows. */
export interface ImportPreview {
  id: string;
  collectionId: string;
  /** ISO 8601 */
  createdAt: string;
  format: TransactionFormat;
  /** Rows below the header that are not empty. */
  rowCount: number;
  /** Rows that stand for no transaction, by the reason. */
  skipped: { reason: string; count: number }[];
}

/** How many rows of a preview are in each state. */
export type ImportRowCounts = Record<ImportRowState, number>;

/** A row of such a file. */
export interface ImportRow extends ExaminedRow {
  state: ImportRowState;
}

/** As it is stored. */
type StoredRow = Omit<ExaminedRow, 'line'>;
type StoredFile = Pick<ExaminedFile, 'dialect' | 'rowCount' | 'skipped'> &
  Pick<FileStyle, 'header' | 'delimiter'> & {
    given: Pick<PreviewImportInput, 'occurredDate' | 'unitAmount'>;
  };
type NewRow = { line: number; state: ImportRowState; row: StoredRow; cells: readonly string[] };

/**
 * Reads a file of transactions and keeps what its rows mean for 24 hours; nothing is recorded. Of an account's previews the
 * oldest make room. The counts are of its rows as they are kept. Throws `NotFound`, and `ValidationFailed` for a file that cannot be read at all.
 */
export async function previewImport(
  ctx: Context,
  collectionId: string,
  input: unknown,
): Promise<ImportPreview & { counts: ImportRowCounts }> {
  const options = parseInput(transactionRules(dateOf(ctx.now())).previewImport, input);
  const { kind } = await getCollection(ctx, collectionId);
  // One that arrives while it is read has a room of its own.
  const inBody = typeof options.csv === 'string' ? options.csv : '';
  return inPlaceForFile(ctx, inBody, () =>
    followedImport(ctx, collectionId, async (tell) => {
      const hash = createHash('sha256');
      const csv = hashed(options.csv, hash);
      // Before the key is claimed: no transaction is to be open while a large file is read.
      const { rows, file } = await readPreview(ctx, { ...options, csv }, kind, tell);
      const asked = { collectionId, ...options, csv: hash.digest('hex') };
      const counts = countByState(rows.map(({ state }) => ({ state, count: 1 })));
      const preview = await idempotently(ctx, 'previewImport', asked, async (once) => ({
        ...(await keep(once, collectionId, { rows, file, tell })),
        counts,
      }));
      // A node of the version before keeps an answer without them.
      return { ...preview, counts: preview.counts ?? counts };
    }),
  );
}

/** The same, of which a hash is made as it is read. */
async function* hashed(file: PreviewImportInput['csv'], hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const piece of typeof file === 'string' ? [Buffer.from(file)] : file) {
    hash.update(piece);
    yield piece;
  }
}

async function readPreview(
  ctx: Context,
  options: PreviewImportInput,
  kind: CollectionKind,
  tell: Tell,
): Promise<{ rows: NewRow[]; file: StoredFile }> {
  const read = await readFile(ctx, options, tell);
  const { dialect, rowCount, skipped, rows } = await examineFile(ctx, read, options, kind, tell);
  const { format, name, columns } = dialect;
  const { header, delimiter } = read;
  const { occurredDate, unitAmount } = options;
  const given = { ...(occurredDate && { occurredDate }), ...(unitAmount && { unitAmount }) };
  const file = { dialect: { format, name, columns }, rowCount, skipped, header, delimiter, given };
  return { rows: rowsToKeep(read, rows), file };
}

/** In the order of their lines. */
function rowsToKeep(file: TransactionFile, examined: readonly ExaminedRow[]): NewRow[] {
  const rows = examined.map(({ line, ...row }, i) => ({
    line,
    state: stateOf(row),
    row,
    cells: file.rows[i]!.cells,
  }));
  const skipped = file.skippedRows.map(({ line, cells, row: { reason } }) => ({
    line,
    state: 'Skipped' as const,
    row: { ...NOTHING_KNOWN, problems: [{ column: null, detail: reason }] },
    cells,
  }));
  return [...rows, ...skipped].sort((a, b) => a.line - b.line);
}

const NOTHING_KNOWN = { name: null, number: null, variantId: null, candidates: [], lacks: [], entry: null };

function stateOf({ problems, entry }: Pick<ExaminedRow, 'problems' | 'entry'>): ImportRowState {
  if (problems.length === 0) return 'Matched';
  return entry ? 'Unclear' : 'Wrong';
}

async function keep(
  ctx: Context,
  collectionId: string,
  { rows, file, tell }: { rows: readonly NewRow[]; file: StoredFile; tell: Tell },
): Promise<ImportPreview> {
  const { accountId } = ctx.caller;
  const now = ctx.now();
  const id = newId('ImportPreview', now.getTime());
  const parts = await storedParts(ctx, rows);
  const bytes = parts.reduce((sum, { text }) => sum + text.length, 0);
  await ctx.db.transaction(async (tx) => {
    // As many rows as a file may have, and a part of them at a time.
    await tx.liftOperation();
    // Of two that come at once the later one counts the earlier one, too.
    await tx.query(LOCK_ACCOUNT, [accountId]);
    const createdAt = now.toISOString();
    await tx.query(INSERT_PREVIEW, [accountId, id, collectionId, createdAt, bytes, JSON.stringify(file)]);
    const total = rows.length;
    tell({ phase: 'Recording', done: 0, total });
    for (const { text, end } of parts) {
      await tx.query(INSERT_PREVIEW_ROWS, [accountId, id, text]);
      tell({ phase: 'Recording', done: end, total });
    }
    await tx.query(DELETE_PREVIEWS_BEYOND, [accountId, id]);
  });
  return previewOf({ id, collectionId, createdAt: now.toISOString(), file });
}

/** What a statement stores at most, but for its last row. */
const PART_CHARACTERS = 256 * 1024;

/** Lists of rows as JSON, and where each ends. */
interface StoredPart {
  text: string;
  end: number;
}

async function storedParts({ work }: Context, rows: readonly NewRow[]): Promise<StoredPart[]> {
  const parts: StoredPart[] = [];
  let part: string[] = [];
  let length = 0;
  const close = (end: number) => {
    if (part.length > 0) parts.push({ text: `[${part.join(',')}]`, end });
    part = [];
    length = 0;
  };
  for (const [i, row] of rows.entries()) {
    await turnOf(work);
    const text = JSON.stringify(row);
    part.push(text);
    length += text.length;
    if (length >= PART_CHARACTERS) close(i + 1);
  }
  close(rows.length);
  return parts;
}

function previewOf({ id, collectionId, createdAt, file }: PreviewRow): ImportPreview {
  const { dialect, rowCount, skipped } = file as StoredFile;
  const { format } = dialect;
  return { id, collectionId, createdAt: new Date(createdAt).toISOString(), format, rowCount, skipped };
}

/** The caller's previews in the order of the ids, with null where there is none. */
export async function getImportPreviews(
  ctx: Context,
  ids: readonly string[],
): Promise<(ImportPreview | null)[]> {
  const known = ids.filter((id) => isIdOf('ImportPreview', id));
  const params = [ctx.caller.accountId, JSON.stringify(known), ctx.now().toISOString()];
  const rows = await ctx.db.query<PreviewRow>(PREVIEWS_BY_ID, params);
  const byId = new Map(rows.map((row) => [row.id, previewOf(row)]));
  return ids.map((id) => byId.get(id) ?? null);
}

export { PREVIEWED_ROW_ORDER as IMPORT_ROW_ORDER };

/** The rows of a preview of the caller's that are not imported yet, by line; those in a state where it is given. */
export async function listImportRows(
  { db, caller }: Context,
  previewId: string,
  state: ImportRowState | null,
  request: KeyRequest,
): Promise<Page<ImportRow>> {
  const params = [caller.accountId, previewId, ...(state === null ? [] : [state])];
  const page = await readPage<PreviewedRow<StoredRow>>(db, previewedRows(state !== null), params, request);
  return { ...page, items: page.items.map(({ line, state, row }) => ({ line, state, ...row })) };
}

/** How many rows of each preview are in each state. */
export async function countImportRows(
  { db, caller }: Context,
  previewIds: readonly string[],
): Promise<ImportRowCounts[]> {
  const counts = await db.query<StateCount & { previewId: string }>(COUNT_PREVIEWED_ROWS, [
    caller.accountId,
    JSON.stringify(previewIds),
  ]);
  return previewIds.map((id) => countByState(counts.filter(({ previewId }) => previewId === id)));
}

interface StateCount {
  state: ImportRowState;
  count: number;
}

function countByState(counts: readonly StateCount[]): ImportRowCounts {
  const byState: ImportRowCounts = { Matched: 0, Unclear: 0, Wrong: 0, Skipped: 0 };
  for (const { state, count } of counts) byState[state] += count;
  return byState;
}

/**
 * Records the rows of a preview by what is decided of them, all or none of those that are to be imported, and takes them
 * from the preview: what is left stays there. Throws `NotFound`, `LimitExceeded`, `ValidationFailed`.
 */
export async function importPreviewed(
  ctx: Context,
  id: string,
  input: unknown,
): Promise<ImportReport & { previewId: string }> {
  const decisions = parseInput(transactionRules(dateOf(ctx.now())).importPreviewed, input);
  const [preview] = await getImportPreviews(ctx, [id]);
  const asked = { id, ...decisions };
  // What a key has given is given again, also where the preview is no longer kept.
  if (!preview)
    return idempotently(ctx, 'importPreviewed', asked, gone).then((first) => ({ ...first, previewId: id }));
  const { collectionId } = preview;
  const writes = collectionId;
  const report = await inPlaceForBatch(ctx, preview.rowCount, () =>
    followedImport(ctx, collectionId, (tell) => {
      const write = (once: Context) =>
        once.db.transaction((tx) => recordPreviewed({ ...once, db: tx }, preview, decisions, tell), {
          writes,
        });
      return withShare(ctx, collectionId, (shared) =>
        idempotently(shared, 'importPreviewed', asked, write, { writes, isKept: ({ written }) => written }),
      );
    }),
  );
  return { ...report, previewId: id };
}

async function gone(): Promise<ImportReport> {
  throw notFound('preview of an import');
}

async function recordPreviewed(
  ctx: Context,
  { id, collectionId }: ImportPreview,
  decisions: ImportPreviewedInput,
  tell: Tell,
): Promise<ImportReport> {
  const { db, caller } = ctx;
  // As many rows as a file may have.
  await db.liftOperation();
  const [locked] = await db.query<PreviewRow>(LOCK_PREVIEW, [caller.accountId, id, ctx.now().toISOString()]);
  if (!locked) return gone();
  const collection = await getCollection(ctx, collectionId);
  const { dialect, rowCount, skipped, given } = locked.file as StoredFile;
  const rows = await rowsToImport(ctx, id, tell);
  const { unitAmount: _, ...givenDay } = given;
  const filled = { ...(decisions.cost in OTHER_COSTS ? givenDay : given), ...decisions };
  checkLacking(dialect, rows.length > 0, filled);
  const file = { dialect, rowCount, skipped, rows };
  const { report, ...settled } = await recordExamined(ctx, collection, file, filled, tell);
  if (report.written) await takeOut(db, caller.accountId, id, settled);
  return report;
}

/** A part at a time: what a statement answers is made in one turn of the event loop. */
async function rowsToImport({ db, caller }: Context, id: string, tell: Tell): Promise<ExaminedRow[]> {
  type Row = { line: number; row: StoredRow };
  const rows: ExaminedRow[] = [];
  for (let line = 0; ; line = rows.at(-1)!.line) {
    tell({ phase: 'Reading', done: rows.length, total: null });
    const part = await db.query<Row>(ROWS_TO_IMPORT, [caller.accountId, id, line, LIMITS.bulkTransactions]);
    for (const { line, row } of part) rows.push({ line, ...row });
    if (part.length < LIMITS.bulkTransactions) return rows;
  }
}

async function takeOut(
  db: Database,
  accountId: string,
  id: string,
  { importedLines, skippedLines, errors }: Settled,
): Promise<void> {
  await db.query(DELETE_IMPORTED_ROWS, [accountId, id, JSON.stringify(importedLines)]);
  if (skippedLines.length > 0)
    await db.query(SKIP_ROWS, [
      accountId,
      id,
      JSON.stringify(skippedLines),
      JSON.stringify({ problems: [{ column: null, detail: CHOSEN }] }),
    ]);
  const reasons = reasonsOf(errors);
  for (let at = 0; at < reasons.length; at += LIMITS.bulkTransactions) {
    const part = Object.fromEntries(reasons.slice(at, at + LIMITS.bulkTransactions));
    await db.query(LEAVE_ROWS, [accountId, id, JSON.stringify(part)]);
  }
}

/** Why each row was left, by its line. */
function reasonsOf(errors: Settled['errors']): [line: number, why: string][] {
  return [...groupBy(errors, ({ line }) => line)].map(([line, own]) => [line, whyOf(own)]);
}

/** A part of the rows that are left of a preview: the parts that follow one another are a file. */
export interface RestPage {
  csv: string;
  /** Where the next part begins; null on the last. */
  endCursor: string | null;
}

/**
 * Rows that would not be imported as they are, and those that an import has left, behind a cursor, as they are written, each with the reason. Throws
 * `NotFound`, and `ValidationFailed` for a malformed cursor.
 */
export async function restOfPreview(ctx: Context, id: string, after: string | null): Promise<RestPage> {
  const { db, caller } = ctx;
  const request = pageByKey({ after }, PREVIEWED_ROW_ORDER);
  const [preview] = await db.query<PreviewRow>(PREVIEWS_BY_ID, [
    caller.accountId,
    JSON.stringify([id]),
    ctx.now().toISOString(),
  ]);
  if (!preview) throw notFound('preview of an import');
  const { dialect, header, delimiter } = preview.file as StoredFile;
  const style = { format: dialect.format, header, delimiter };
  type Left = { line: number; row: StoredRow & { left?: string }; cells: string[] };
  const behind = Number(request.after?.[0] ?? 0);
  const rows = await db.query<Left>(REST_OF_PREVIEW, [
    caller.accountId,
    id,
    behind,
    LIMITS.exportPageSize + 1,
  ]);
  let csv = after === null ? restHeader(style) : '';
  for (const [i, { line, row, cells }] of rows.entries()) {
    if (i === LIMITS.exportPageSize || csv.length > LIMITS.importRestBytes) {
      const last = rows[i - 1]!.line;
      return { csv, endCursor: encodeCursor(PREVIEWED_ROW_ORDER, [String(last)]) };
    }
    csv += restLine(style, { line, cells, why: row.left ?? whyOf(row.problems) });
  }
  return { csv, endCursor: null };
}

/** Removes previews that are no longer kept, of all accounts, one at a time. Gives their number. */
export async function purgeImportPreviews(db: Database, mayGoOn: MayGoOn = toTheEnd): Promise<number> {
  let purged = 0;
  for (; mayGoOn(); purged++) {
    const [gone] = await db.query<{ count: number }>(PURGE_PREVIEW);
    if (gone!.count === 0) break;
  }
  return purged;
}
