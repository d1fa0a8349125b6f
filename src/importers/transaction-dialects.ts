import { type CardClues, isIdentified } from '../domain/card-match.ts';
import { type Edition, FINISHES, type Finish } from '../domain/catalogue.ts';
import {
  CARD_COLUMNS,
  type ColumnNames,
  DETAIL_COLUMNS,
  type TransactionFormat,
  withoutShield,
} from '../domain/transaction-file.ts';
import { firstCharacters } from '../lib/text.ts';
import type { DetailNames, ReadDetails } from './card-details.ts';

/** What the programs of collectors write: which columns tell them apart, and what each of those means. */

/** The texts of a row that make a transaction; none where the row does not say it. */
export interface EntryTexts {
  occurredDate?: string;
  action: string;
  quantity: string;
  unitAmount?: string;
  currency?: string;
  fees?: string;
  shipping?: string;
}

export interface ReadRow {
  card: CardClues;
  /** The column that says most of it, where that is not the dialect's. */
  cardColumn?: string;
  entry: EntryTexts;
  /** What is said of the cards. */
  details?: ReadDetails;
  /** What keeps the card from being known, whatever the rest says. */
  problem?: RowProblem;
}

/** What is wrong with a row. */
export interface RowProblem {
  /** Null where the whole row is at fault. */
  column: string | null;
  detail: string;
  /** Set where it is all right once it is said which variant is meant. */
  isOfCard?: true;
}

/** A row that stands for no transaction; `reason` is what such rows are counted by. */
export interface SkippedRow {
  reason: string;
}

/** The text of a column, without spaces around it; empty where there is none. */
type Cells = (column: string) => string;

export interface TransactionDialect {
  format: TransactionFormat;
  /** As people call it. */
  name: string;
  /** What to do about a card that is not known, where it is not a row to correct. */
  correction?: string;
  /** By these the header is known. */
  required: readonly string[];
  /** Where each part of a transaction stands; null for what such files do not say. */
  columns: {
    card: string;
    occurredDate: string | null;
    quantity: string;
    fees?: string | undefined;
    shipping?: string | undefined;
    details?: DetailNames;
  } & ({ unitAmount: string; currency: string | null } | { unitAmount: null; currency: null });
  read(cells: Cells): ReadRow | SkippedRow;
}

export const HOLDS_NONE = { reason: 'holds none' };
const ANOTHER_GAME = { reason: 'of another game' };

export const ownDialect: TransactionDialect = {
  format: 'Cardledger',
  name: 'cardledger',
  required: ['occurredDate', 'action', 'quantity', 'unitAmount', 'currency'],
  columns: {
    card: 'variantId',
    occurredDate: 'occurredDate',
    quantity: 'quantity',
    unitAmount: 'unitAmount',
    currency: 'currency',
    details: Object.fromEntries(DETAIL_COLUMNS.map((column) => [column, column])),
  },
  read: (cells) => ({
    ...ownCard(cells),
    entry: {
      occurredDate: cells('occurredDate'),
      action: cells('action'),
      quantity: cells('quantity'),
      unitAmount: cells('unitAmount'),
      currency: cells('currency'),
      fees: cells('fees'),
      shipping: cells('shipping'),
    },
  }),
};

/** Ids say it all; without them the rest counts, as a person may have written it. */
function ownCard(cells: Cells): Omit<ReadRow, 'entry'> & { cardColumn: string } {
  const cardColumn = CARD_COLUMNS.find((column) => cells(column) !== '') ?? 'variantId';
  const ids = clues({ variantId: cells('variantId'), fcId: withoutShield(cells('fcId')) });
  const rest = {
    vendorProductId: idOf(cells('vendorProductId')),
    number: withoutShield(cells('number')),
    name: withoutShield(cells('productName')),
  };
  const read = isIdentified(ids)
    ? { card: clues({ ...ids, ...rest }) }
    : withPrinting(cells, 'variantName', rest);
  return { ...read, cardColumn };
}

/** Any file with a header, by what its columns are said to hold. */
export function dialectOfColumns(columns: ColumnNames): TransactionDialect {
  const { occurredDate = null, quantity, unitAmount, currency = null, fees, shipping } = columns;
  const card = CARD_COLUMNS.map((column) => columns[column]).find((name) => name !== undefined);
  return {
    format: 'Columns',
    name: 'the columns that were named',
    required: Object.values(columns),
    columns: {
      card: card ?? 'columns',
      occurredDate,
      quantity,
      fees,
      shipping,
      details: Object.fromEntries(
        DETAIL_COLUMNS.flatMap((column) =>
          columns[column] === undefined ? [] : [[column, columns[column]]],
        ),
      ),
      ...(unitAmount === undefined ? { unitAmount: null, currency: null } : { unitAmount, currency }),
    },
    read: (cells) => {
      const named: Cells = (column) => {
        const name = columns[column as keyof ColumnNames];
        return name === undefined ? '' : cells(name);
      };
      if (isNone(named('quantity'))) return HOLDS_NONE;
      const read = ownCard(named);
      const setName = named('setName');
      return {
        ...read,
        card: clues({ ...read.card, ...(setName !== '' && { setName }) }),
        cardColumn: columns[read.cardColumn as keyof ColumnNames] ?? card ?? 'columns',
        ...(read.problem && { problem: { ...read.problem, column: columns.variantName! } }),
        entry: {
          occurredDate: named('occurredDate'),
          action: named('action') || 'Purchase',
          quantity: named('quantity'),
          ...(unitAmount !== undefined && { unitAmount: named('unitAmount') }),
          currency: named('currency'),
          fees: named('fees'),
          shipping: named('shipping'),
        },
      };
    },
  };
}

const fabrary: TransactionDialect = {
  format: 'Fabrary',
  name: 'FaBrary',
  required: ['Identifier', 'Name', 'Pitch', 'Set', 'Set number', 'Edition', 'Foiling', 'Treatment', 'Have'],
  columns: {
    card: 'Set number',
    occurredDate: null,
    quantity: 'Have',
    unitAmount: null,
    currency: null,
  },
  // It lists the whole catalogue, with the number that is held of each printing.
  read: (cells) => {
    if (isNone(cells('Have'))) return HOLDS_NONE;
    const edition = cells('Edition');
    const foiling = cells('Foiling');
    const text = [edition === 'Alpha' ? '1st' : edition, foiling === '' ? 'Normal' : `${foiling} Foil`];
    const printing = printingOf(text.join(' ').trim());
    return {
      card: clues({
        number: cells('Set number'),
        name: cells('Name'),
        setName: cells('Set'),
        ...printing,
        treatments: cells('Treatment')
          .split(',')
          .map((treatment) => treatment.trim())
          .filter(Boolean),
      }),
      entry: { action: 'Purchase', quantity: cells('Have') },
      ...(printing ? {} : { problem: unknownPrinting('Foiling', `${edition} ${foiling}`.trim()) }),
    };
  },
};

const collectr: TransactionDialect = {
  format: 'Collectr',
  name: 'Collectr',
  required: [
    'Portfolio Name',
    'Category',
    'Set',
    'Product Name',
    'Card Number',
    'Variance',
    'Average Cost Paid',
    'Quantity',
    'Watchlist',
    'Date Added',
  ],
  columns: {
    card: 'Card Number',
    occurredDate: 'Date Added',
    quantity: 'Quantity',
    unitAmount: 'Average Cost Paid',
    currency: null,
    details: { cardCondition: 'Card Condition', grade: 'Grade', notes: 'Notes' },
  },
  read: (cells) => {
    if (!isFleshAndBlood(cells('Category'))) return ANOTHER_GAME;
    if (cells('Watchlist').toLowerCase() === 'true') return { reason: 'on the watchlist' };
    if (isNone(cells('Quantity'))) return HOLDS_NONE;
    return {
      ...withPrinting(cells, 'Variance', {
        number: cells('Card Number'),
        name: cells('Product Name'),
        setName: cells('Set'),
      }),
      entry: {
        occurredDate: cells('Date Added'),
        action: 'Purchase',
        quantity: cells('Quantity'),
        unitAmount: cells('Average Cost Paid'),
      },
    };
  },
};

const tcgplayerApp: TransactionDialect = {
  format: 'Tcgplayer',
  name: 'TCGplayer (app)',
  required: ['Quantity', 'Name', 'Set', 'Card Number', 'Set Code', 'Printing', 'Product ID'],
  columns: {
    card: 'Product ID',
    occurredDate: null,
    quantity: 'Quantity',
    unitAmount: null,
    currency: null,
    details: { cardCondition: 'Condition', language: 'Language' },
  },
  read: (cells) => {
    if (isNone(cells('Quantity'))) return HOLDS_NONE;
    return {
      ...withPrinting(cells, 'Printing', {
        vendorProductId: idOf(cells('Product ID')),
        number: numberOf(cells('Set Code'), cells('Card Number')),
        name: cells('Name'),
        setName: cells('Set'),
      }),
      entry: { action: 'Purchase', quantity: cells('Quantity') },
    };
  },
};

const CONDITION = /^(Near Mint|Lightly Played|Moderately Played|Heavily Played|Damaged|Unopened)\s*/i;

const tcgplayerSeller: TransactionDialect = {
  format: 'Tcgplayer',
  name: 'TCGplayer (seller)',
  required: [
    'TCGplayer Id',
    'Product Line',
    'Set Name',
    'Product Name',
    'Number',
    'Condition',
    'Total Quantity',
    'Add to Quantity',
  ],
  columns: {
    card: 'Number',
    occurredDate: null,
    quantity: 'Total Quantity',
    unitAmount: null,
    currency: null,
    details: { cardCondition: 'Condition' },
  },
  read: (cells) => {
    if (!isFleshAndBlood(cells('Product Line'))) return ANOTHER_GAME;
    const quantities = [cells('Total Quantity'), cells('Add to Quantity')].filter((text) => !isNone(text));
    if (quantities.length === 0) return HOLDS_NONE;
    // `TCGplayer Id` is that of a condition of the card, and no product's.
    const column = cells('Printing') === '' ? 'Condition' : 'Printing';
    const text = column === 'Printing' ? cells('Printing') : cells('Condition').replace(CONDITION, '');
    const printing = printingOf(text, 'Normal');
    const row: ReadRow = {
      card: clues({
        vendorProductId: idOf(cells('Product ID')),
        number: cells('Number'),
        name: cells('Product Name'),
        setName: cells('Set Name'),
        ...printing,
      }),
      entry: { action: 'Purchase', quantity: quantities[0]! },
    };
    if (!printing) return { ...row, problem: unknownPrinting(column, cells(column)) };
    if (quantities.length === 1) return row;
    const detail = 'is above 0, and Add to Quantity is too: leave the one that says how many are held';
    return { ...row, problem: { column: 'Total Quantity', detail } };
  },
};

const dragonShield: TransactionDialect = {
  format: 'DragonShield',
  name: 'Dragon Shield',
  required: [
    'Quantity',
    'Card Name',
    'Set Code',
    'Set Name',
    'Card Number',
    'Printing',
    'Price Bought',
    'Date Bought',
  ],
  columns: {
    card: 'Card Number',
    occurredDate: 'Date Bought',
    quantity: 'Quantity',
    unitAmount: 'Price Bought',
    currency: null,
    details: { cardCondition: 'Condition', language: 'Language' },
  },
  read: (cells) => {
    if (isNone(cells('Quantity'))) return HOLDS_NONE;
    // Editions are in the set: `ARC-U`, `Arcane Rising Unlimited`.
    const [setCode = '', edition = ''] = cells('Set Code').split('-');
    const named = / (Alpha|First|1st|Unlimited)( Edition)?$/i.exec(cells('Set Name'))?.[1] ?? '';
    return {
      ...withPrinting(
        cells,
        'Printing',
        {
          number: numberOf(setCode, cells('Card Number')),
          name: cells('Card Name'),
          setName: cells('Set Name'),
        },
        EDITIONS.get((edition || named).toLowerCase()),
      ),
      entry: {
        occurredDate: cells('Date Bought'),
        action: 'Purchase',
        quantity: cells('Quantity'),
        unitAmount: cells('Price Bought'),
      },
    };
  },
};

const manaBox: TransactionDialect = {
  format: 'Manabox',
  name: 'ManaBox',
  required: [
    'Name',
    'Set code',
    'Set name',
    'Collector number',
    'Foil',
    'Quantity',
    'Purchase price',
    'Purchase price currency',
  ],
  columns: {
    card: 'Collector number',
    occurredDate: null,
    quantity: 'Quantity',
    unitAmount: 'Purchase price',
    currency: 'Purchase price currency',
    details: { cardCondition: 'Condition', language: 'Language' },
  },
  read: (cells) => {
    if (isNone(cells('Quantity'))) return HOLDS_NONE;
    return {
      ...withPrinting(cells, 'Foil', {
        number: numberOf(cells('Set code').toUpperCase(), cells('Collector number')),
        name: cells('Name'),
        setName: cells('Set name'),
      }),
      entry: {
        action: 'Purchase',
        quantity: cells('Quantity'),
        unitAmount: cells('Purchase price'),
        currency: cells('Purchase price currency'),
      },
    };
  },
};

const archidekt: TransactionDialect = {
  format: 'Archidekt',
  name: 'Archidekt',
  required: [
    'Quantity',
    'Name',
    'Finish',
    'Date Added',
    'Purchase Price',
    'Edition Name',
    'Edition Code',
    'Collector Number',
  ],
  columns: {
    card: 'Collector Number',
    occurredDate: 'Date Added',
    quantity: 'Quantity',
    unitAmount: 'Purchase Price',
    currency: null,
    details: { cardCondition: 'Condition', language: 'Language', tags: 'Tags' },
  },
  read: (cells) => {
    if (isNone(cells('Quantity'))) return HOLDS_NONE;
    return {
      ...withPrinting(cells, 'Finish', {
        number: numberOf(cells('Edition Code').toUpperCase(), cells('Collector Number')),
        name: cells('Name'),
        setName: cells('Edition Name'),
      }),
      entry: {
        occurredDate: cells('Date Added'),
        action: 'Purchase',
        quantity: cells('Quantity'),
        unitAmount: cells('Purchase Price'),
      },
    };
  },
};

/** The variant, and the currency where a program has no column for it: what our exports have beside its own columns. */
export const EXPORT_COLUMNS = { card: 'variantId', currency: 'currency' } as const;

/** The dialect of a file, with the columns of ours that an export of ours has. */
export function dialectOfExport(dialect: TransactionDialect, header: readonly string[]): TransactionDialect {
  const { card, currency } = EXPORT_COLUMNS;
  const { columns } = dialect;
  if (dialect === ownDialect || !header.includes(card)) return dialect;
  const withCurrency = columns.unitAmount !== null && columns.currency === null && header.includes(currency);
  return {
    ...dialect,
    columns: withCurrency ? { ...columns, currency } : columns,
    read: (cells) => {
      const row = dialect.read(cells);
      if (!('card' in row)) return row;
      const entry = withCurrency ? { ...row.entry, currency: cells(currency) } : row.entry;
      if (cells(card) === '') return { ...row, entry };
      const { problem, ...rest } = row;
      return {
        ...rest,
        card: { variantId: cells(card) },
        cardColumn: card,
        entry,
        ...(problem && !problem.isOfCard && { problem }),
      };
    },
  };
}

/** The first whose columns a header has is the one that is meant. */
export const TRANSACTION_DIALECTS: readonly TransactionDialect[] = [
  ownDialect,
  fabrary,
  collectr,
  tcgplayerApp,
  tcgplayerSeller,
  dragonShield,
  manaBox,
  archidekt,
];

const EDITIONS = new Map<string, Edition>([
  ['a', '1st'],
  ['f', '1st'],
  ['alpha', '1st'],
  ['first', '1st'],
  ['1st', '1st'],
  ['u', 'Unlimited'],
  ['unlimited', 'Unlimited'],
]);

const FOILS = FINISHES.filter((finish) => finish !== 'Normal');
const PRINTING =
  /^(?:(1st|First|Unlimited)(?: Edition)?(?= |$))? ?(Normal|(?:(?:Rainbow|Cold|Gold) )?Foil)?$/i;

/** `1st Edition Rainbow Foil` and the like; a foil without its kind may be any. Null for other texts. */
function printingOf(text: string, finishIfNone?: Finish): Pick<CardClues, 'edition' | 'finishes'> | null {
  const match = PRINTING.exec(text);
  if (!match) return null;
  const edition = EDITIONS.get(match[1]?.toLowerCase() ?? '');
  const named = match[2]?.toLowerCase() ?? finishIfNone?.toLowerCase();
  const finishes = named === 'foil' ? FOILS : FINISHES.filter((finish) => finish.toLowerCase() === named);
  return { ...(edition && { edition }), ...(finishes.length > 0 && { finishes }) };
}

/** The clues with what a column says of the printing. */
export function withPrinting(
  cells: Cells,
  column: string,
  card: Parameters<typeof clues>[0],
  edition?: Edition,
): Pick<ReadRow, 'card' | 'problem'> {
  const printing = printingOf(cells(column));
  if (!printing) return { card: clues(card), problem: unknownPrinting(column, cells(column)) };
  return { card: clues({ ...card, ...(edition && { edition }), ...printing }) };
}

function unknownPrinting(column: string, text: string): RowProblem {
  const known = `${FINISHES.join(', ')}, with "1st Edition" or "Unlimited Edition" before it where there were both`;
  const detail = `is not a known printing: "${firstCharacters(text, 60)}"; write ${known}`;
  return { column, detail, isOfCard: true };
}

/** No card's name, number or set is as long: what is behind that would only take its time. */
const MOST_OF_CLUE = 200;

/** Without what is empty. */
function clues(card: { [Clue in keyof CardClues]: CardClues[Clue] | undefined }): CardClues {
  const given = Object.entries(card).filter(([, clue]) => clue !== undefined && clue !== '');
  return Object.fromEntries(
    given.map(([name, clue]) => [
      name,
      typeof clue === 'string' ? firstCharacters(clue, MOST_OF_CLUE) : clue,
    ]),
  );
}

function idOf(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** A card's number has its set's code in front; some write them apart. */
export function numberOf(setCode: string, number: string): string {
  return /^\d+$/.test(number) && setCode !== '' ? `${setCode}${number.padStart(3, '0')}` : number;
}

export function isNone(quantity: string): boolean {
  return /^0*$/.test(quantity);
}

function isFleshAndBlood(game: string): boolean {
  return /^flesh (and|&) blood\b/i.test(game);
}
