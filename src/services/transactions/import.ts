import { dateOf } from '../../domain/dates.ts';
import type { ImportTransactionsInput } from '../../domain/inputs.ts';
import { transactionRules } from '../../domain/inputs.ts';
import { parseInput } from '../../domain/parse-input.ts';
import { getCollection } from '../collections/get.ts';
import type { Context } from '../context.ts';
import { followedImport, type Tell } from '../events/import-progress.ts';
import { idempotently } from '../idempotency.ts';
import { noProgress, type Progress } from '../market/progress.ts';
import { checkLacking, type ImportReport, recordExamined } from './import-record.ts';
import { restOf, restRowsOf } from './import-rest.ts';
import { examineFile, readFile } from './import-rows.ts';
import { inPlaceForFile } from './large.ts';
import { withShare } from './share.ts';

/**
 * Reads transactions from CSV and records them, all or none: where a row has an error that is not to be skipped, nothing is
 * written. Throws `NotFound`, `LimitExceeded`, and `ValidationFailed` for a file that cannot be read at all, or that lacks what the input must then say.
 */
export async function importTransactions(
  ctx: Context,
  collectionId: string,
  input: unknown,
): Promise<ImportReport> {
  const options = parseInput(transactionRules(dateOf(ctx.now())).importFile, input);
  // One that a node of the version before has kept for the key does not say what was sold beyond what was bought.
  const {
    oversoldCount = 0,
    oversold = [],
    ...report
  } = await inPlaceForFile(ctx, options.csv, () =>
    followedImport(ctx, collectionId, (tell) =>
      withShare(ctx, collectionId, (shared) =>
        idempotently(
          shared,
          'importTransactions',
          { collectionId, ...options },
          async (once) => (await importFile(once, collectionId, options, tell)).report,
          // A file that was refused may be mended and sent again with its key.
          { writes: collectionId, isKept: ({ written }) => written },
        ),
      ),
    ),
  );
  return { ...report, oversoldCount, oversold };
}

/** What was not imported of a file: how many rows, and the file of them. */
export interface Rest {
  count: number;
  lines(): Iterable<string>;
}

/** The same, with the rows that are left. */
export async function importWithRest(
  ctx: Context,
  collectionId: string,
  input: unknown,
  progress: Progress = noProgress,
): Promise<{ report: ImportReport; rest: Rest }> {
  const options = parseInput(transactionRules(dateOf(ctx.now())).importFile, input);
  const telling =
    (tell: Tell): Tell =>
    (step) => {
      tell(step);
      if (step.phase === 'Recording' && step.done > 0) progress('transactions', step.done, step.total!);
    };
  return followedImport(ctx, collectionId, (tell) =>
    withShare(ctx, collectionId, (shared) => importFile(shared, collectionId, options, telling(tell))),
  );
}

async function importFile(
  ctx: Context,
  collectionId: string,
  options: ImportTransactionsInput,
  tell: Tell,
): Promise<{ report: ImportReport; rest: Rest }> {
  const collection = await getCollection(ctx, collectionId);
  const file = await readFile(ctx, options, tell);
  checkLacking(
    file.dialect,
    file.rows.some(({ row }) => 'card' in row),
    options,
  );
  const examined = await examineFile(ctx, file, options, collection.kind, tell);
  const { report, ...settled } = await recordExamined(ctx, collection, examined, options, tell);
  const { header, delimiter, dialect } = file;
  const rest = restOf({ format: dialect.format, header, delimiter }, restRowsOf(file, settled));
  return { report, rest };
}
