import { createReadStream } from 'node:fs';
import type { Command } from 'commander';
import type { CardVariant } from '../../domain/card-match.ts';
import { didYouMean } from '../../domain/did-you-mean.ts';
import { DomainError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import {
  EXPORT_FORMATS,
  type ExportFormat,
  IMPORT_COSTS,
  MAPPED_COLUMNS,
  TRANSACTION_FORMATS,
} from '../../domain/transaction-file.ts';
import { DATE_ORDERS, DECIMAL_SIGNS } from '../../domain/written-values.ts';
import { CliError } from '../../server/errors.ts';
import type { Progress } from '../../services/market/progress.ts';
import type { ImportReport, RowError } from '../../services/transactions/import-record.ts';
import { assertCatalogue, contextOf } from '../account.ts';
import type { Cli } from '../cli.ts';
import { writeFile, writeTo } from '../files.ts';
import { examples } from '../help.ts';
import { assertReadable } from '../import-kinds.ts';
import { counted } from '../output.ts';

/** As they are typed: `DragonShield` as `dragon-shield`. */
const typed = (values: readonly string[]) =>
  new Map(values.map((value) => [value.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase(), value]));

const FORMATS = typed(TRANSACTION_FORMATS.filter((format) => format !== 'Columns'));
const WRITTEN = typed(EXPORT_FORMATS);
const ORDERS = typed(DATE_ORDERS);
const SIGNS = typed(DECIMAL_SIGNS);
const COSTS = typed(IMPORT_COSTS);

export function addTransactionsCommands(program: Command, cli: Cli): void {
  const group = program
    .command('transactions')
    .description('the transactions of a collection as CSV, in and out');
  group
    .command('export')
    .description(
      "Write a collection's transactions as CSV, oldest first, in a format that import reads. Those of other programs know purchases only.",
    )
    .argument('<collection>', 'its id, col_... ("collection list" shows the ids)')
    .option('--account <id>', 'the account that owns it, acc_... (default: the only one)')
    .option('--format <format>', `${[...WRITTEN.keys()].join(', ')} (default: cardledger)`)
    .option('--output <file>', 'where to write; without it, to standard output')
    .addHelpText(
      'after',
      examples(
        'transactions export col_... > binder.csv',
        'transactions export col_... --output binder.csv',
        ['transactions export col_... --format dragon-shield > binder.csv', 'for another program'],
      ),
    )
    .action((collection: string, options: ExportOptions) => exportTo(cli, collection, options));
  group
    .command('import')
    .description(
      'Record the transactions of a CSV file, all or none: where a row has an error, nothing is written and the exit ' +
        'code is 1. Formats: that of export, FaBrary, Collectr, TCGplayer, Dragon Shield, ManaBox, Archidekt, a list of cards, ' +
        'and any other with its columns named.',
    )
    .argument('<file>', 'the CSV file')
    .requiredOption('--collection <id>', 'where to record them, col_... ("collection list" shows the ids)')
    .option('--account <id>', 'the account that owns it, acc_... (default: the only one)')
    .option('--format <format>', `${[...FORMATS.keys()].join(', ')} (default: as the header tells)`)
    .option(
      '--columns <what=name...>',
      `what the columns of another file hold, such as quantity=Qty "number=Card No"; quantity and one that tells the card are needed. What there is: ${MAPPED_COLUMNS.join(', ')}`,
    )
    .option('--date-order <order>', 'of days such as 3/2/2025: month-day-year or day-month-year')
    .option('--decimal-sign <sign>', 'of prices such as 1.234,50: point or comma')
    .option('--date <YYYY-MM-DD>', 'the day of rows that have none')
    .option('--price <amount>', 'the price of one card in rows that have none; needs --currency')
    .option('--currency <code>', 'the currency of --price, and of prices that name none')
    .option(
      '--cost <cost>',
      'what cards cost of which the file has no price: flat (--price), market-price of their day, or unknown',
    )
    .option(
      '--choose <line=variant...>',
      'the variant that a row means, such as 12=var_..., or 12=skip to leave it out',
    )
    .option('--skip-errors', 'record all but the rows with an error')
    .option('--rest <file>', 'where to write the rows that were left out, with the reasons')
    .option('--dry-run', 'only report, and write nothing')
    .addHelpText(
      'after',
      examples(
        'transactions import binder.csv --collection col_...',
        [
          'transactions import dragon-shield.csv --collection col_... --currency USD --dry-run',
          'try it first',
        ],
        [
          'transactions import fabrary.csv --collection col_... --date 2026-01-31 --cost unknown',
          'a file without days and prices',
        ],
        [
          'transactions import binder.csv --collection col_... --choose 12=var_... --skip-errors --rest rest.csv',
          'all that can be recorded; the rest is to be mended',
        ],
      ),
    )
    .action((file: string, options: ImportOptions) => importFrom(cli, file, options));
}

interface ExportOptions {
  account?: string;
  format?: string;
  output?: string;
}

interface ImportOptions {
  collection: string;
  account?: string;
  format?: string;
  columns?: string[];
  dateOrder?: string;
  decimalSign?: string;
  date?: string;
  price?: string;
  currency?: string;
  cost?: string;
  choose?: string[];
  skipErrors?: boolean;
  rest?: string;
  dryRun?: boolean;
}

async function exportTo(
  cli: Cli,
  collectionId: string,
  { account, format = 'cardledger', output }: ExportOptions,
): Promise<void> {
  const written = namedValue('--format', WRITTEN, format) as ExportFormat;
  if (output === undefined && cli.output.isJson) {
    throw new CliError('InvalidUsage', 'With --json, name the file to write: --output FILE.');
  }
  const { exportTransactions } = await import('../../services/transactions/export.ts');
  await cli.withDatabase(async (db) => {
    const ctx = await contextOf(cli, db, account);
    let salesLeftOut = 0;
    const pieces = (progress?: Progress) =>
      exportTransactions(ctx, collectionId, written, progress, (sales) => {
        salesLeftOut += sales;
      });
    const noteSales = () => {
      if (salesLeftOut === 0) return;
      cli.output.note(`Left out ${counted(salesLeftOut, 'sale')}: this format knows purchases only.`);
    };
    if (output === undefined) {
      await writeTo(cli.io.stdout, pieces());
      return noteSales();
    }
    let transactions = 0;
    const work = (progress: Progress) => {
      const counting: Progress = (label, done, total) => {
        transactions = total;
        progress(label, done, total);
      };
      return writeFile(output, pieces(counting));
    };
    await (cli.io.stderr.isTTY ? cli.withProgress(work) : work(() => {}));
    transactions -= salesLeftOut;
    cli.output.result({ file: output, transactions, ...(salesLeftOut > 0 && { salesLeftOut }) }, '');
    cli.output.note(`Wrote ${counted(transactions, 'transaction')} to ${output}.`);
    noteSales();
  });
}

async function importFrom(cli: Cli, file: string, options: ImportOptions): Promise<void> {
  const input = inputOf(options);
  await assertReadable(file);
  const csv = await bytesOf(file);
  const { importWithRest } = await import('../../services/transactions/import.ts');
  const { report, rest } = await cli.withDatabase(async (db) => {
    await assertCatalogue(db);
    const ctx = await contextOf(cli, db, options.account);
    return cli.withProgress((progress) =>
      inFile(file, importWithRest(ctx, options.collection, { csv, ...input }, progress), {
        choices: options.choose,
      }),
    );
  });
  if (options.rest !== undefined && (report.written || report.dryRun)) {
    await writeFile(options.rest, rest.lines());
    cli.output.note(
      `Wrote ${counted(rest.count, 'row')} that ${rest.count === 1 ? 'is' : 'are'} left to ${options.rest}.`,
    );
  }
  cli.output.result(report, errorLines(report));
  const skipsErrors = options.skipErrors ?? false;
  for (const note of notesOf(report, skipsErrors)) cli.output.note(note);
  if (report.errorCount > 0 && !skipsErrors) cli.exitCode = 1;
}

async function bytesOf(file: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of createReadStream(file) as AsyncIterable<Uint8Array>) {
    parts.push(part);
    length += part.length;
    if (length > LIMITS.importFileBytes)
      throw new CliError('InvalidFile', `${file} is larger than 16 MiB; split it.`);
  }
  return Buffer.concat(parts);
}

/** The value that one of the names of an option stands for. */
function namedValue(option: string, names: ReadonlyMap<string, string>, given: string): string {
  const value = names.get(given.toLowerCase());
  if (value !== undefined) return value;
  const known = [...names.keys()];
  throw new CliError(
    'InvalidUsage',
    `${option}: there is no ${option.slice(2).replace('-', ' ')} "${given}"${didYouMean(given, known)}, but ${known.join(', ')}.`,
  );
}

function columnsOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((pair) => {
      const [what, ...name] = pair.split('=');
      if (name.length > 0 && (MAPPED_COLUMNS as readonly string[]).includes(what!))
        return [what, name.join('=')];
      const known = MAPPED_COLUMNS.join(', ');
      throw new CliError(
        'InvalidUsage',
        `--columns: expected one of ${known}, then = and the name of a column, found "${pair}".`,
      );
    }),
  );
}

function choicesOf(given: readonly string[]): object[] {
  return given.map((pair) => {
    const [, line, choice] = /^(\d{1,9})=(skip|var_\w{1,100})$/.exec(pair) ?? [];
    if (line === undefined)
      throw new CliError(
        'InvalidUsage',
        `--choose: expected a line, then = and a variant or skip, such as 12=var_..., found "${pair}".`,
      );
    return { line: Number(line), ...(choice === 'skip' ? { skip: true } : { variantId: choice }) };
  });
}

function inputOf(options: ImportOptions): Record<string, unknown> {
  const { format, columns, dateOrder, decimalSign, date, price, currency, dryRun } = options;
  const { cost, choose, skipErrors } = options;
  if (price !== undefined && currency === undefined) {
    throw new CliError('InvalidUsage', '--price needs --currency, such as --price 0 --currency USD.');
  }
  return {
    ...(format !== undefined && { format: namedValue('--format', FORMATS, format) }),
    ...(columns !== undefined && { columns: columnsOf(columns) }),
    ...(dateOrder !== undefined && { dateOrder: namedValue('--date-order', ORDERS, dateOrder) }),
    ...(decimalSign !== undefined && { decimalSign: namedValue('--decimal-sign', SIGNS, decimalSign) }),
    ...(date !== undefined && { occurredDate: date }),
    ...(currency !== undefined && { currency }),
    ...(price !== undefined && { unitAmount: { currency, decimal: price } }),
    ...(cost !== undefined && { cost: namedValue('--cost', COSTS, cost) }),
    ...(choose !== undefined && { choices: choicesOf(choose) }),
    skipErrors: skipErrors ?? false,
    dryRun: dryRun ?? false,
  };
}

const OPTION_OF_FIELD: Record<string, string> = {
  columns: '--columns',
  dateOrder: '--date-order',
  decimalSign: '--decimal-sign',
  occurredDate: '--date',
  unitAmount: '--price',
  currency: '--currency',
  cost: '--cost',
};

/** With the option of each field that a message tells to set: `by dateOrder`. */
function withOptions(detail: string): string {
  return detail.replace(
    /\bby (columns|dateOrder|decimalSign)\b/,
    (_, field: string) => `by ${OPTION_OF_FIELD[field]}`,
  );
}

/** Says what is wrong with the input in the words of the command line. */
async function inFile<T>(
  file: string,
  work: Promise<T>,
  given: { choices?: readonly string[] | undefined } = {},
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof DomainError) || error.problem !== 'ValidationFailed') throw error;
    const { choices } = given;
    const lines = (error.details.breaches ?? []).map(({ path: [field, place], detail }) => {
      if (field === 'csv') return `${file}, ${withOptions(detail)}`;
      if (field === 'choices') return `--choose ${choices?.[Number(place)] ?? ''} ${detail}`;
      return `${OPTION_OF_FIELD[String(field)] ?? field} ${detail}`;
    });
    throw new CliError('InvalidFile', `${lines.join('; ').replace(/\.$/, '')}.`, { cause: error });
  }
}

const MOST_LINES = 20;

function errorLines({ errors }: ImportReport): string {
  return errors.slice(0, MOST_LINES).map(errorLine).join('\n');
}

function errorLine({ line, column, detail, suggestions }: RowError): string {
  const place = column === null ? `line ${line}` : `line ${line}, ${column}`;
  const perhaps = suggestions.map(
    ({ variantId, number, productName, variantName }: CardVariant) =>
      `\n  perhaps ${variantId}: ${number ?? ''} ${productName}, ${variantName}`,
  );
  return `${place}: ${withOptions(detail)}${perhaps.join('')}`;
}

function notesOf(report: ImportReport, skipsErrors: boolean): string[] {
  const { transactionCount, skipped, errorCount, duplicateCount, duplicates, dryRun, written } = report;
  const { oversoldCount, oversold } = report;
  const notes = skipped.map(({ reason, count }) => `Skipped ${counted(count, 'row')}: ${reason}.`);
  if (errorCount > MOST_LINES) notes.push(`There are ${errorCount} errors in all; --json lists more.`);
  if (duplicateCount > 0) {
    const first = duplicates[0]!;
    const same = first.sameAsTransactionId ?? `line ${first.sameAsLine}`;
    notes.push(
      `${counted(duplicateCount, 'duplicate')}, which count all the same; the first: line ${first.line} is like ${same}.`,
    );
  }
  if (oversoldCount > 0) {
    const first = oversold[0]!;
    notes.push(
      `More sold than bought: ${counted(oversoldCount, 'variant')}; the first: line ${first.line}, by ${first.quantity}.`,
    );
  }
  if (errorCount > 0 && !skipsErrors)
    notes.push(`Nothing was written: there ${errorCount === 1 ? 'is 1 error' : `are ${errorCount} errors`}.`);
  else if (dryRun)
    notes.push(
      `Nothing was written: this was a dry run. ${counted(transactionCount, 'transaction')} would be.`,
    );
  else if (written) notes.push(`Recorded ${counted(transactionCount, 'transaction')}.`);
  return notes;
}
