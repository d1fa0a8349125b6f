import { treatmentsOf } from '../domain/card-match.ts';
import {
  CSV_HEADER,
  csvLine,
  DETAIL_COLUMNS,
  type DetailColumn,
  type ExportedTransaction,
  type ExportFormat,
  transactionJson,
  transactionLine,
} from '../domain/transaction-file.ts';
import type { TransactionDetails } from '../domain/transactions.ts';
import { EXPORT_COLUMNS, TRANSACTION_DIALECTS, type TransactionDialect } from './transaction-dialects.ts';

/** Transactions as other programs write them: by the columns by which their files are read. */

export interface WrittenTransaction extends ExportedTransaction {
  collectionName: string;
  setName: string;
  pitchValue: string | null;
}

export interface TransactionWriter {
  header: string;
  /** False where the format knows purchases only. */
  hasSales: boolean;
  line(transaction: WrittenTransaction): string;
}

type Dialect = Exclude<ExportFormat, 'Cardledger' | 'Json' | 'List'>;

/** What a dialect says of a card and of nothing else; the rest stands where `TransactionDialect.columns` says. */
const CARD_CELLS: Record<Dialect, (transaction: WrittenTransaction) => Record<string, string>> = {
  Fabrary: ({ productName, pitchValue, setName, number, fcId }) => {
    const name = productName.replace(COLOUR, '');
    const pitch = COLOURS.get(pitchValue ?? '') ?? COLOUR.exec(productName)?.[1] ?? '';
    const parts = fcId.split('-');
    return {
      Identifier: identifierOf(`${name} ${pitch}`),
      Name: name,
      Pitch: pitch,
      Set: setName,
      'Set number': number ?? '',
      Edition: ['Alpha', 'First', 'Unlimited'].find((edition) => parts.includes(edition)) ?? '',
      Foiling: ['Rainbow', 'Cold', 'Gold'].find((foiling) => parts.includes(foiling)) ?? '',
      Treatment: treatmentsOf(fcId).join(', '),
    };
  },
  Collectr: ({ collectionName, setName, productName, number, variantName, grade }) => ({
    'Portfolio Name': collectionName,
    Category: 'Flesh and Blood TCG',
    Set: setName,
    'Product Name': productName,
    'Card Number': number ?? '',
    Variance: variantName,
    Watchlist: 'false',
    ...(grade === null && { Grade: 'Ungraded' }),
  }),
  Tcgplayer: ({ productName, setName, number, variantName, vendorProductId }) => ({
    Name: productName,
    Set: setName,
    'Card Number': number ?? '',
    'Set Code': setOf(number).code,
    Printing: variantName,
    'Product ID': String(vendorProductId ?? ''),
  }),
  DragonShield: ({ productName, setName, number, variantName }) => {
    const [, edition = '', printing = ''] = EDITION.exec(variantName)!;
    return {
      'Card Name': productName,
      'Set Code':
        edition === '' ? setOf(number).code : `${setOf(number).code}-${edition[0] === '1' ? 'F' : 'U'}`,
      'Set Name': edition === '' ? setName : `${setName} ${edition === '1st' ? 'First' : edition}`,
      'Card Number': number ?? '',
      Printing: printing,
    };
  },
  Manabox: ({ productName, setName, number, variantName }) => ({
    Name: productName,
    'Set code': setOf(number).code,
    'Set name': setName,
    'Collector number': number ?? '',
    Foil: variantName,
  }),
  Archidekt: ({ productName, setName, number, variantName }) => ({
    Name: productName,
    Finish: variantName,
    'Edition Name': setName,
    'Edition Code': setOf(number).code,
    'Collector Number': number ?? '',
  }),
};

const COLOUR = / \((Red|Yellow|Blue)\)$/;
const COLOURS = new Map([
  ['1', 'Red'],
  ['2', 'Yellow'],
  ['3', 'Blue'],
]);
const EDITION = /^(?:(1st|Unlimited) Edition ?)?(.*)$/;

const WRITERS: Record<ExportFormat, TransactionWriter> = {
  Cardledger: {
    header: CSV_HEADER,
    hasSales: true,
    line: (transaction) => transactionLine(transaction.collectionName, transaction),
  },
  Json: {
    header: '',
    hasSales: true,
    line: (transaction) => transactionJson(transaction.collectionName, transaction),
  },
  List: { header: '', hasSales: false, line: listLine },
  Fabrary: writerOfDialect('Fabrary'),
  Collectr: writerOfDialect('Collectr'),
  Tcgplayer: writerOfDialect('Tcgplayer'),
  DragonShield: writerOfDialect('DragonShield'),
  Manabox: writerOfDialect('Manabox'),
  Archidekt: writerOfDialect('Archidekt'),
};

export function writerOf(format: ExportFormat): TransactionWriter {
  return WRITERS[format];
}

function writerOfDialect(format: Dialect): TransactionWriter {
  const { required, columns } = TRANSACTION_DIALECTS.find((dialect) => dialect.format === format)!;
  const details = Object.values(columns.details ?? {});
  const lacksCurrency = columns.unitAmount !== null && columns.currency === null;
  const own = [...(lacksCurrency ? [EXPORT_COLUMNS.currency] : []), EXPORT_COLUMNS.card];
  const header = [...new Set([...required, ...details, ...own])];
  return {
    header: csvLine(header),
    hasSales: false,
    line: (transaction) => {
      const cells: Record<string, string> = {
        ...entryCells(columns, transaction),
        ...CARD_CELLS[format](transaction),
        [EXPORT_COLUMNS.card]: transaction.variantId,
      };
      return csvLine(header.map((column) => cells[column] ?? ''));
    },
  };
}

function entryCells(
  columns: TransactionDialect['columns'],
  transaction: WrittenTransaction,
): Record<string, string> {
  const { occurred, quantity, unitAmount, costUnknown } = transaction;
  const details = detailCells(transaction);
  return {
    ...Object.fromEntries(
      DETAIL_COLUMNS.flatMap((column) => {
        const name = columns.details?.[column];
        return name === undefined ? [] : [[name, details[column] ?? '']];
      }),
    ),
    [columns.quantity]: String(quantity),
    ...(columns.occurredDate !== null && { [columns.occurredDate]: occurred }),
    ...(columns.unitAmount !== null && {
      [columns.unitAmount]: costUnknown ? '' : unitAmount.amount,
      [columns.currency ?? EXPORT_COLUMNS.currency]: unitAmount.currency,
    }),
  };
}

/** Programs have a grade in one column, in which the company is one word. */
function detailCells({ cardCondition, language, grade, notes, tags }: TransactionDetails) {
  const cells: Partial<Record<DetailColumn, string>> = {
    cardCondition: cardCondition?.replace(/(?<=[a-z])(?=[A-Z])/g, ' ') ?? '',
    language: language ?? '',
    grade: grade && /^[a-z]+$/i.test(grade.company) ? `${grade.company} ${grade.grade}` : '',
    notes,
    tags: tags.join(', '),
  };
  return cells;
}

function listLine({ quantity, productName, number, variantName }: WrittenTransaction): string {
  const { code, rest } = setOf(number);
  const place = code === '' ? '' : ` (${code}) ${rest}`;
  return `${quantity} ${productName}${place} *${variantName}*\r\n`;
}

/** A number such as `ARC159` is that of a set and the one in it. */
function setOf(number: string | null): { code: string; rest: string } {
  const [, code = '', rest = ''] = /^(\w*[A-Z])(\d+)$/.exec(number ?? '') ?? [];
  return { code, rest };
}

/** As FaBrary makes them: `10000-year-reunion-red`. */
function identifierOf(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[\u0300-\u036f,.'’!?"]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
