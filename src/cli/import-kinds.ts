import { access, constants, open, stat } from 'node:fs/promises';
import { dateOf, isCalendarDate } from '../domain/dates.ts';
import { CliError, messageOf } from '../server/errors.ts';
import type { WriteImport } from '../services/market/write-import.ts';

export interface ImportFlags {
  /** `YYYY-MM-DD` */
  day?: string;
  /** The vendor's id of a product. */
  product?: string;
  now: () => Date;
}

/** One thing that can be imported: `cardledger import <name> FILE…`. A new kind or format is a new entry of IMPORT_KINDS. */
export interface ImportKind {
  name: string;
  /** A shorter name of the command, or one that it had. */
  alias?: string;
  description: string;
  /** What the files are, for the help. */
  files: string;
  /** Arguments for the examples of the help. */
  example: string;
  /** Flags of this kind only, with what they do. */
  flags?: readonly (readonly [flag: string, meaning: string])[];
  /** Reads and checks all files before the database is opened; the function that it gives writes them. */
  prepare(files: readonly string[], flags: ImportFlags): Promise<WriteImport>;
}

export const IMPORT_KINDS: readonly ImportKind[] = [
  {
    name: 'catalogue',
    description:
      'Load cards and sealed products with their variants. What is there and not in the files stays.',
    files:
      "the catalogue format of this service (data/catalogue.json.gz), or the-fab-cube's card.csv and card-printing.csv " +
      '(and card-face-association.csv, set.csv, set-printing.csv), in any order',
    example: 'data/catalogue.json.gz',
    async prepare(files) {
      for (const file of files) await assertReadable(file);
      return (await isGzip(files[0]!)) ? prepareCatalogue(files) : prepareFabCube(files);
    },
  },
  {
    name: 'prices',
    description:
      "Load the vendor's market prices of a day, then compute all expected values again. Prices of other variants stay; sample prices go.",
    files: 'files of TCGCSV: products and prices of groups (JSON), or ProductsAndPrices.csv, in any order',
    example: 'products.json prices.json',
    flags: [['--day <YYYY-MM-DD>', 'the day of the prices (default: today)']],
    async prepare(files, flags) {
      for (const file of files) await assertReadable(file);
      return preparePrices(files, dayOf(flags));
    },
  },
  {
    name: 'sales',
    description: 'Load sale volumes and prices of the past. Other days stay; sample sales go.',
    files:
      "the vendor's price history of a product (JSON with buckets), named after its product id: 225211.json",
    example: '225211.json',
    flags: [['--product <id>', "the vendor's id of the product, for one file of another name"]],
    async prepare(files, flags) {
      const { readPriceHistory } = await import('../importers/price-history.ts');
      const { importHistories } = await import('../services/market/import-history.ts');
      const { joinedRows } = await import('../importers/import-file.ts');
      const { importSource } = await import('../services/market/write-import.ts');
      const product = productOf(flags, files);
      const read = await readEach(files, (file) => readPriceHistory(file, product));
      const histories = joinedRows(read.map(({ content }) => content));
      return async (db, progress, options) => {
        const counts = await importHistories(db, histories, importSource(files), progress, options);
        return { counts: { ...counts }, notes: [] };
      };
    },
  },
  {
    name: 'exchange-rates',
    alias: 'fx',
    description:
      'Load exchange rates, then convert the transactions of their days and compute all expected values again. Rates of other days stay.',
    files: "the ECB's eurofxref-hist, CSV or ZIP: a row a day, a column a currency, units for one euro",
    example: 'eurofxref-hist.csv',
    async prepare(files, { now }) {
      for (const file of files) await assertReadable(file);
      return prepareRates(files, dateOf(now()));
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
      const { importSource } = await import('../services/market/write-import.ts');
      const read = await readEach(files, readPullRatesFile);
      const sets = merged(
        read.map(({ file, content }) => ({ file, rows: content })),
        ({ setType }) => `set ${setType}`,
      );
      return async (db, progress, options) => ({
        counts: { pullRates: await importPullRates(db, sets, importSource(files), progress, options) },
        notes: [],
      });
    },
  },
];

async function prepareCatalogue(files: readonly string[]): Promise<WriteImport> {
  const { readCatalogueFile } = await import('../importers/catalogue-file.ts');
  const { importCatalogue } = await import('../services/market/import-catalogue.ts');
  const read = await readEach(files, readCatalogueFile);
  const version = read.map(({ content }) => content.version).join('+');
  const products = merged(
    read.map(({ file, content }) => ({ file, rows: content.products })),
    ({ productId, name }) => `${name} (${productId})`,
  );
  return async (db, progress, options) => ({
    counts: { ...(await importCatalogue(db, { version, products }, progress, options)) },
    notes: [],
  });
}

async function prepareFabCube(files: readonly string[]): Promise<WriteImport> {
  const { readFabCube } = await import('../importers/fab-cube.ts');
  const { importFabCube } = await import('../services/market/import-catalogue.ts');
  const cube = await explained(files.join(', '), () => readFabCube(files));
  return async (db, progress, options) => ({
    counts: { ...(await importFabCube(db, cube, progress, options)) },
    notes: [],
  });
}

async function preparePrices(files: readonly string[], day: string): Promise<WriteImport> {
  const { readTcgcsv } = await import('../importers/tcgcsv.ts');
  const { pricesImport } = await import('../services/market/write-import.ts');
  const read = await readEach(files, readTcgcsv);
  return pricesImport(contentsOf(read), files, day);
}

async function prepareRates(files: readonly string[], today: string): Promise<WriteImport> {
  const { readEcbRates } = await import('../importers/ecb-rates.ts');
  const { ratesImport } = await import('../services/market/write-import.ts');
  const read = await readEach(files, (file) => readEcbRates(file, today));
  return ratesImport(contentsOf(read), files);
}

export function dayOf({ day, now }: ImportFlags): string {
  const today = dateOf(now());
  if (day === undefined) return today;
  if (!isCalendarDate(day)) {
    throw new CliError('InvalidUsage', `--day: expected a date of the form YYYY-MM-DD, found "${day}".`);
  }
  if (day > today) throw new CliError('InvalidUsage', `--day: ${day} has not come yet.`);
  return day;
}

function productOf({ product }: ImportFlags, files: readonly string[]): number | null {
  if (product === undefined) return null;
  if (files.length > 1)
    throw new CliError('InvalidUsage', '--product is for one file; name others after their products.');
  if (/^[1-9]\d{0,8}$/.test(product)) return Number(product);
  throw new CliError('InvalidUsage', `--product: expected a whole number above 0, found "${product}".`);
}

function readEach<Content>(
  files: readonly string[],
  read: (file: string) => Promise<Content>,
): Promise<{ file: string; content: Content }[]> {
  return inTurn(files, async (file) => {
    await assertReadable(file);
    return { file, content: await explained(file, () => read(file)) };
  });
}

function contentsOf<Content>(read: readonly { content: Content }[]): Content[] {
  return read.map(({ content }) => content);
}

async function inTurn<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

/** What is wrong with a file; the message names it. */
export async function explained<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const message = messageOf(error);
    const { name } = error as Error;
    const located = name === 'ImportFileError' || message.includes(file) ? message : `${file}: ${message}`;
    throw new CliError('InvalidFile', located, { cause: error });
  }
}

export async function assertReadable(file: string): Promise<void> {
  const refuse = (why: string) => {
    throw new CliError('InvalidFile', `Cannot read ${file}: ${why}.`);
  };
  const found = await stat(file).catch(() => refuse('there is no such file'));
  if (found?.isDirectory()) refuse('it is a directory, name the files in it');
  await access(file, constants.R_OK).catch(() => refuse('this user may not read it'));
}

/** By the first two bytes; what is no text is left to the reader of the service's own format too. */
async function isGzip(file: string): Promise<boolean> {
  if (/\.gz$/.test(file)) return true;
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
  } finally {
    await handle.close();
  }
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
