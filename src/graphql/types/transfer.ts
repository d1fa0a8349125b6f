import type { FieldMap, InputFieldMap, ObjectFieldBuilder } from '@pothos/core';
import type { CardVariant } from '../../domain/card-match.ts';
import { LIMITS } from '../../domain/limits.ts';
import { withCommas } from '../../lib/text.ts';
import type { ExportedPage } from '../../services/transactions/export.ts';
import { importTransactions } from '../../services/transactions/import.ts';
import type {
  Duplicate,
  ImportReport,
  Oversold,
  RowError,
} from '../../services/transactions/import-record.ts';
import type { BuilderTypes } from '../builder.ts';
import type { InputFields } from '../mutation.ts';
import { collectionOf } from '../node.ts';
import type { SchemaParts } from './refs.ts';

/** A point for each row of a page. */
export const EXPORT_POINTS = 1000;
/** One import in an operation: the next would be above the limit of cost. */
export const IMPORT_POINTS = 5000;
/** Each format has its own, of which there are two at most; and what was chosen. */
export const MAX_SKIP_REASONS = 5;

/** Transactions as CSV, in and out. */
export function addTransfer(parts: SchemaParts): ImportTypes {
  addExport(parts);
  const types = addImportTypes(parts);
  addImport(parts, types);
  return types;
}

function addExport({ builder, enums, CollectionType }: SchemaParts): void {
  const PageType = builder.objectRef<ExportedPage>('TransactionsCsv').implement({
    description: 'A part of the export of a collection. All parts, one behind the other, are the file.',
    fields: (t) => ({
      csv: t.exposeString('csv', {
        description: `Up to ${withCommas(LIMITS.exportPageSize)} transactions, oldest first; the first part begins with the header.`,
      }),
      salesLeftOut: t.exposeInt('salesLeftOut', {
        description: 'How many sales are left out of this part, as the format knows purchases only.',
      }),
      endCursor: t.exposeString('endCursor', {
        nullable: true,
        description: 'Gives the next part as `after`; null on the last one.',
      }),
    }),
  });
  builder.objectField(CollectionType, 'transactionsCsv', (t) =>
    t.field({
      type: PageType,
      description:
        "The transactions as CSV, or as JSON: in this service's own format or another program's, which importTransactions reads.",
      extensions: { points: EXPORT_POINTS },
      args: {
        after: t.arg.string({ description: '`endCursor` of the part before, in the same format.' }),
        format: t.arg({
          type: enums.ExportFormat,
          defaultValue: 'Cardledger',
          description: 'What it is written in.',
        }),
      },
      resolve: ({ id }, { after, format }, { loaders }) =>
        loaders.exported(id, format ?? 'Cardledger', after ?? null),
    }),
  );
}

/** What all imports are told by. */
export type ImportTypes = ReturnType<typeof addImportTypes>;

function addImportTypes(parts: SchemaParts) {
  return {
    RowErrorType: addRowError(parts),
    DuplicateType: addDuplicate(parts),
    OversoldType: addOversold(parts),
    SkippedType: addSkipped(parts),
    ColumnsInput: addColumnsInput(parts),
  };
}

function addImport(parts: SchemaParts, types: ImportTypes): void {
  parts.addMutation<ImportReport>({
    name: 'importTransactions',
    description: `Records the transactions of a CSV file of up to ${withCommas(LIMITS.importTransactions)}, all or none: where a row has an error, nothing is written.`,
    problems: ['NotFound', 'LimitExceeded'],
    points: IMPORT_POINTS,
    fields: (t) => ({
      collectionId: t.id({ required: true, description: 'Where they are recorded.' }),
      ...readingFields(t, parts, types),
      cost: costField(t, parts),
      dryRun: t.boolean({ description: 'Only report, and write nothing.' }),
    }),
    payload: (t) => reportFields(t, parts, types),
    verb: (ctx, { collectionId, ...input }) => importTransactions(ctx, String(collectionId), input),
  });
}

/** A file, and how it is to be read. */
export function readingFields(
  t: InputFields,
  { enums, MoneyInput }: SchemaParts,
  { ColumnsInput }: ImportTypes,
): InputFieldMap {
  return {
    csv: t.string({ required: true, description: 'The text of the file.' }),
    format: t.field({
      type: enums.TransactionFormat,
      description: 'Its format; where it is left out, the header tells.',
    }),
    columns: t.field({
      type: ColumnsInput,
      description: 'The columns of a file that is of no format, by what they hold.',
    }),
    dateOrder: t.field({
      type: enums.DateOrder,
      description: 'Of days such as 3/2/2025; YYYY-MM-DD needs none.',
    }),
    decimalSign: t.field({
      type: enums.DecimalSign,
      description: 'Before the decimals of prices, so that 1,234.50 or 1.234,50 can be read.',
    }),
    occurredDate: t.field({ type: 'Date', description: 'Day of rows that have none.' }),
    unitAmount: t.field({
      type: MoneyInput,
      description: 'Price of one card in rows that have none.',
    }),
    currency: t.field({ type: enums.Currency, description: 'Currency of prices that name none.' }),
  };
}

/** What is done for prices that neither the file nor the input has. */
export function costField(t: InputFields, { enums }: SchemaParts) {
  return t.field({
    type: enums.ImportCost,
    description: 'What cards cost of which the file has no price; `AS_FILED` where it is left out.',
  });
}

export type ReportFields = ObjectFieldBuilder<BuilderTypes, ImportReport>;

/** What an import did. */
export function reportFields(
  t: ReportFields,
  { enums, CollectionType }: SchemaParts,
  { RowErrorType, DuplicateType, OversoldType, SkippedType }: ImportTypes,
): FieldMap {
  return {
    written: t.exposeBoolean('written', {
      description:
        'Whether the transactions are recorded now, all that `transactionCount` counts: none is in a dry run, or where there are errors that are not to be left out.',
    }),
    format: t.expose('format', {
      type: enums.TransactionFormat,
      description: 'The format it was read by.',
    }),
    rowCount: t.exposeInt('rowCount', { description: 'Rows below the header that are not empty.' }),
    transactionCount: t.exposeInt('transactionCount', {
      description: 'Rows without an error that stand for a transaction.',
    }),
    skipped: t.expose('skipped', {
      type: [SkippedType],
      extensions: { maxItems: MAX_SKIP_REASONS },
      description: 'Rows that stand for no transaction, by the reason.',
    }),
    errorCount: t.exposeInt('errorCount', { description: 'How many errors there are in all.' }),
    errors: t.expose('errors', {
      type: [RowErrorType],
      description: `The first ${withCommas(LIMITS.importReportItems)} errors, by line.`,
      extensions: { maxItems: LIMITS.importReportItems },
    }),
    duplicateCount: t.exposeInt('duplicateCount', { description: 'How many duplicates there are in all.' }),
    duplicates: t.expose('duplicates', {
      type: [DuplicateType],
      extensions: { maxItems: LIMITS.importReportItems },
      description: `The first ${withCommas(LIMITS.importReportItems)} duplicates, by line. They are recorded too.`,
    }),
    oversoldCount: t.exposeInt('oversoldCount', {
      description: 'How many variants are sold beyond what was bought, in all.',
    }),
    oversold: t.expose('oversold', {
      type: [OversoldType],
      extensions: { maxItems: LIMITS.importReportItems },
      description: `The first ${withCommas(LIMITS.importReportItems)} variants sold beyond what was bought, by line. Their sales are recorded too.`,
    }),
    collection: t.field({
      type: CollectionType,
      description: 'The collection, as it is now.',
      resolve: ({ collectionId }, _args, graphql) => collectionOf(collectionId, graphql),
    }),
  };
}

function addColumnsInput({ builder }: SchemaParts) {
  return builder.inputType('ImportColumnsInput', {
    description:
      'Names of columns in the header of a file, by what they hold: how many, one of those that tell the card, and what else there is.',
    fields: (t) => ({
      quantity: t.string({ required: true, description: 'How many; rows with 0 or nothing are left out.' }),
      occurredDate: t.string({ description: 'The day.' }),
      action: t.string({ description: 'Purchase or Sale; a purchase where it is left out or empty.' }),
      unitAmount: t.string({ description: 'The price of one card.' }),
      currency: t.string({ description: 'The code of its currency.' }),
      variantId: t.string({ description: 'Tells the card: the id of the variant.' }),
      fcId: t.string({ description: 'Tells the card: the printing code of the catalogue.' }),
      vendorProductId: t.string({ description: "Tells the card: TCGplayer's id of the product." }),
      number: t.string({ description: 'Tells the card: its number, such as ARC159.' }),
      productName: t.string({ description: 'Tells the card: its name.' }),
      setName: t.string({ description: 'The name of the set.' }),
      variantName: t.string({
        description: 'Edition and finish, such as "1st Edition Rainbow Foil", "Foil" or "Normal".',
      }),
      fees: t.string({ description: 'Fees of all cards of the row, in the same currency.' }),
      shipping: t.string({ description: 'Shipping of all cards of the row, in the same currency.' }),
      cardCondition: t.string({ description: 'How well the cards are kept, such as "Near Mint" or "NM".' }),
      language: t.string({ description: 'Their language, such as "English" or "EN".' }),
      gradeCompany: t.string({ description: 'Who graded them; it may stand before the grade, too.' }),
      grade: t.string({
        description: 'Their grade, such as "9.5", or with the company before it "PSA 9.5".',
      }),
      certificate: t.string({ description: 'The number of the certificate.' }),
      notes: t.string({ description: 'Text of yours.' }),
      tags: t.string({ description: 'Words of yours, with commas or semicolons between them.' }),
    }),
  });
}

function addRowError({ builder }: SchemaParts) {
  const SuggestionType = builder.objectRef<CardVariant>('VariantSuggestion').implement({
    description: 'A variant that a row may mean.',
    fields: (t) => ({
      variantId: t.exposeID('variantId', { description: 'Its id.' }),
      variantName: t.exposeString('variantName', { description: 'Edition and finish.' }),
      productName: t.exposeString('productName', { description: 'Name of the product.' }),
      number: t.exposeString('number', { nullable: true, description: 'Card number.' }),
      fcId: t.exposeString('fcId', { description: 'Printing code of the catalogue.' }),
    }),
  });
  return builder.objectRef<RowError>('ImportRowError').implement({
    description: 'What is wrong with a row.',
    fields: (t) => ({
      line: t.exposeInt('line', { description: 'Line of the file where the row begins, from 1.' }),
      column: t.exposeString('column', {
        nullable: true,
        description: 'Column of the file, or field of the input; null where the whole row is at fault.',
      }),
      detail: t.exposeString('detail', { description: 'What is wrong, and what to do.' }),
      suggestions: t.expose('suggestions', {
        type: [SuggestionType],
        // Of all the errors together there are fewer than one for each.
        extensions: { maxItems: 1 },
        description: `Where the card is not known: up to ${LIMITS.importSuggestions} variants that come close, for the first ${LIMITS.importSuggestedCards} such cards.`,
      }),
    }),
  });
}

function addDuplicate({ builder }: SchemaParts) {
  return builder.objectRef<Duplicate>('ImportDuplicate').implement({
    description: 'A row with the variant, day, action, quantity and amount of another.',
    fields: (t) => ({
      line: t.exposeInt('line', { description: 'Line of the file where the row begins, from 1.' }),
      sameAsLine: t.exposeInt('sameAsLine', {
        nullable: true,
        description: 'Line of the first such row above it.',
      }),
      sameAsTransactionId: t.exposeID('sameAsTransactionId', {
        nullable: true,
        description: 'The first such transaction that the collection had before.',
      }),
    }),
  });
}

function addOversold({ builder }: SchemaParts) {
  return builder.objectRef<Oversold>('ImportOversold').implement({
    description: 'A variant of which more is sold than bought, by the file and what is recorded together.',
    fields: (t) => ({
      line: t.exposeInt('line', { description: 'Line of its first sale in the file, from 1.' }),
      quantity: t.expose('quantity', { type: 'SafeInt', description: 'Cards sold beyond those bought.' }),
    }),
  });
}

function addSkipped({ builder }: SchemaParts) {
  return builder.objectRef<ImportReport['skipped'][number]>('ImportSkipped').implement({
    description: 'Rows that stand for no transaction.',
    fields: (t) => ({
      reason: t.exposeString('reason', { description: 'Why: "holds none", for example.' }),
      count: t.exposeInt('count', { description: 'How many rows.' }),
    }),
  });
}
