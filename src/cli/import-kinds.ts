import { access, constants, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Database } from '../db/client.ts';
import type { Written } from '../services/market/batches.ts';
import type { ImportSource } from '../services/market/import.ts';
import type { Progress } from '../services/market/progress.ts';
import { CliError, messageOf } from './errors.ts';

/** What an import did, by the name of what it wrote (in camel case, as `--json` gives it). */
export type ImportCounts = Record<string, Written>;

/** One thing that can be imported: `cardledger import <name> FILE…`. A new kind or format is a new entry of IMPORT_KINDS. */
export interface ImportKind {
  name: string;
  description: string;
  /** What the files are, for the help. */
  files: string;
  /** Arguments for the examples of the help. */
  example: string;
  /** Reads and checks all files before the database is opened; the function that it gives writes them. */
  prepare(files: readonly string[]): Promise<(db: Database, progress: Progress) => Promise<ImportCounts>>;
}

export const IMPORT_KINDS: readonly ImportKind[] = [
  {
    name: 'catalogue',
    description:
      'Load cards and sealed products with their variants. What is there and not in the files stays.',
    files: 'the catalogue format of this service, as in data/catalogue.json.gz',
    example: 'data/catalogue.json.gz',
    async prepare(files) {
      const { readCatalogueFile } = await import('../importers/catalogue-file.ts');
      const { importCatalogue } = await import('../services/market/import-catalogue.ts');
      const read = await readEach(files, readCatalogueFile);
      const version = read.map(({ content }) => content.version).join('+');
      const products = merged(
        read.map(({ file, content }) => ({ file, rows: content.products })),
        ({ productId, name }) => `${name} (${productId})`,
      );
      return async (db, progress) => ({ ...(await importCatalogue(db, { version, products }, progress)) });
    },
  },
  {
    name: 'fx',
    description:
      'Load exchange rates, then bring all market and expected values to them. Rates of other days stay.',
    files: "the ECB's CSV (eurofxref-hist.csv): a row a day, a column a currency, units for one euro",
    example: 'eurofxref-hist.csv',
    async prepare(files) {
      const { readEcbRates } = await import('../importers/ecb-rates.ts');
      const { importExchangeRates } = await import('../services/market/import.ts');
      const read = await readEach(files, readEcbRates);
      const rates = merged(
        read.map(({ file, content }) => ({ file, rows: content })),
        ({ currency, day }) => `${currency} of ${day}`,
      );
      return async (db, progress) => ({
        exchangeRates: await importExchangeRates(db, rates, sourceOf(files), progress),
      });
    },
  },
  {
    name: 'pull-rates',
    description:
      'Load the published odds of booster packs by set, then compute all expected values again. Other sets stay.',
    files: 'the JSON format of this service; data/pull-rates.json explains its fields',
    example: 'data/pull-rates.json',
    async prepare(files) {
      const { readPullRatesFile } = await import('../importers/pull-rates-file.ts');
      const { importPullRates } = await import('../services/market/import.ts');
      const read = await readEach(files, readPullRatesFile);
      const sets = merged(
        read.map(({ file, content }) => ({ file, rows: content })),
        ({ setType }) => `set ${setType}`,
      );
      return async (db, progress) => ({
        pullRates: await importPullRates(db, sets, sourceOf(files), progress),
      });
    },
  },
];

function sourceOf(files: readonly string[]): ImportSource {
  return { version: files.map((file) => basename(file)).join(', '), isSample: false };
}

async function readEach<Content>(
  files: readonly string[],
  read: (file: string) => Promise<Content>,
): Promise<{ file: string; content: Content }[]> {
  const contents: { file: string; content: Content }[] = [];
  for (const file of files) {
    await assertReadable(file);
    const content = await read(file).catch((error) => {
      const message = messageOf(error);
      const located = message.includes(file) ? message : `${file}: ${message}`;
      throw new CliError('InvalidFile', located, { cause: error });
    });
    contents.push({ file, content });
  }
  return contents;
}

async function assertReadable(file: string): Promise<void> {
  const refuse = (why: string) => {
    throw new CliError('InvalidFile', `Cannot read ${file}: ${why}.`);
  };
  const found = await stat(file).catch(() => refuse('there is no such file'));
  if (found?.isDirectory()) refuse('it is a directory, name the files in it');
  await access(file, constants.R_OK).catch(() => refuse('this user may not read it'));
}

/** The rows of all files. Of a row that several files have the last one counts; twice in one file it is an error. */
function merged<Row>(
  contents: readonly { file: string; rows: readonly Row[] }[],
  nameOf: (row: Row) => string,
): Row[] {
  const all = new Map<string, Row>();
  for (const { file, rows } of contents) {
    const own = new Set<string>();
    for (const row of rows) {
      const name = nameOf(row);
      if (own.has(name)) throw new CliError('InvalidFile', `${file}: ${name} is there twice.`);
      own.add(name);
      all.set(name, row);
    }
  }
  return [...all.values()];
}
