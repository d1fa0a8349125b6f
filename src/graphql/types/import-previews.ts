import type { Currency } from '../../domain/currencies.ts';
import { LIMITS } from '../../domain/limits.ts';
import { decimalOf, givenMoney } from '../../domain/money.ts';
import type { ImportRowState } from '../../domain/transaction-file.ts';
import { withCommas } from '../../lib/text.ts';
import {
  IMPORT_ROW_ORDER,
  type ImportPreview,
  type ImportRow,
  importPreviewed,
  listImportRows,
  previewImport,
  type RestPage,
  restOfPreview,
} from '../../services/transactions/import-preview.ts';
import type { ImportReport } from '../../services/transactions/import-record.ts';
import { LACKING_PARTS } from '../../services/transactions/import-rows.ts';
import { connectionNames, connectionOf } from '../connection.ts';
import { collectionOf, mustExist } from '../node.ts';
import type { SchemaParts } from './refs.ts';
import {
  costField,
  EXPORT_POINTS,
  IMPORT_POINTS,
  type ImportTypes,
  MAX_SKIP_REASONS,
  type ReportFields,
  readingFields,
  reportFields,
} from './transfer.ts';

/** Imports whose rows are looked at, and mended, before they are recorded. */
export function addImportPreviews(parts: SchemaParts, types: ImportTypes): void {
  const { builder, addMutation } = parts;
  const PreviewType = addPreview(parts, types);
  builder.queryField('importPreview', (t) =>
    t.field({
      type: PreviewType,
      nullable: true,
      description: 'A preview of an import by its id; null where you have none with it.',
      args: { id: t.arg.id({ required: true, description: 'Its id.' }) },
      resolve: (_root, { id }, { loaders }) => loaders.importPreview(id),
    }),
  );
  addMutation<{ preview: ImportPreview }>({
    name: 'previewImport',
    description: `Reads a CSV file of transactions and keeps a preview of what its rows mean for ${LIMITS.importPreviewHours} hours; nothing is recorded. Of an account's previews the newest ${LIMITS.importPreviews} are kept.`,
    problems: ['NotFound'],
    points: IMPORT_POINTS,
    fields: (t) => ({
      collectionId: t.id({ required: true, description: 'Where its rows are to be recorded.' }),
      ...readingFields(t, parts, types),
    }),
    payload: (t) => ({
      preview: t.expose('preview', { type: PreviewType, description: 'The preview.' }),
    }),
    verb: async (ctx, { collectionId, ...input }) => ({
      preview: await previewImport(ctx, String(collectionId), input),
    }),
  });
  addImportPreviewed(parts, types, PreviewType);
}

type PreviewRef = ReturnType<typeof addPreview>;

function addImportPreviewed(parts: SchemaParts, types: ImportTypes, PreviewType: PreviewRef): void {
  const { builder, addMutation, MoneyInput } = parts;
  const ChoiceInput = builder.inputType('ImportChoiceInput', {
    description: 'What is to be done with a row.',
    fields: (t) => ({
      line: t.int({ required: true, description: 'The line of the file where the row begins.' }),
      variantId: t.id({ description: 'The variant that it means.' }),
      skip: t.boolean({ description: 'Leave it out, in place of `variantId`.' }),
    }),
  });
  addMutation<ImportReport & { previewId: string }>({
    name: 'importPreviewed',
    description:
      'Records the rows of a preview that are matched or chosen, all or none, and takes them from the preview; what is left stays there.',
    problems: ['NotFound', 'LimitExceeded'],
    points: IMPORT_POINTS,
    fields: (t) => ({
      id: t.id({ required: true, description: 'Id of the preview.' }),
      choices: t.field({
        type: [ChoiceInput],
        description: `What rows mean that are not clear, or that they are to be left out; at most ${LIMITS.importChoices}.`,
      }),
      skipErrors: t.boolean({
        description: 'Leave out rows with an error; without it, none is recorded where there is one.',
      }),
      cost: costField(t, parts),
      unitAmount: t.field({
        type: MoneyInput,
        description: 'Price of one card in rows that have none; the one of the preview where it is left out.',
      }),
      occurredDate: t.field({
        type: 'Date',
        description: 'Day of rows that have none; the one of the preview where it is left out.',
      }),
      dryRun: t.boolean({ description: 'Only report, and write nothing.' }),
    }),
    payload: (t) => ({
      ...reportFields(t as unknown as ReportFields, parts, types),
      preview: t.field({
        type: PreviewType,
        nullable: true,
        description: 'The preview with the rows that are left; null where it is not kept any more.',
        resolve: ({ previewId }, _args, { loaders }) => loaders.importPreview(previewId),
      }),
    }),
    verb: (ctx, { id, ...input }) => importPreviewed(ctx, String(id), input),
  });
}

function addPreview(parts: SchemaParts, { SkippedType }: ImportTypes) {
  const { builder, enums, CollectionType } = parts;
  const RowType = addRow(parts);
  const CountsType = addCounts(parts);
  const RestType = addRest(parts);
  const PreviewType = builder.objectRef<ImportPreview>('ImportPreview');
  builder.node(PreviewType, {
    id: { resolve: ({ id }) => id, description: 'Global id, `imp_…`.' },
    description: `A file of transactions that was read, and what its rows mean, until they are imported. It is kept ${LIMITS.importPreviewHours} hours.`,
    fields: (t) => ({
      createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the file was read.' }),
      collection: t.field({
        type: CollectionType,
        description: 'Where its rows are to be recorded.',
        resolve: ({ collectionId }, _args, graphql) => collectionOf(collectionId, graphql),
      }),
      format: t.expose('format', {
        type: enums.TransactionFormat,
        description: 'The format that it was read by.',
      }),
      rowCount: t.exposeInt('rowCount', { description: 'Rows below the header that are not empty.' }),
      skipped: t.expose('skipped', {
        type: [SkippedType],
        extensions: { maxItems: MAX_SKIP_REASONS },
        description: 'Rows that stand for no transaction, by the reason.',
      }),
      counts: t.field({
        type: CountsType,
        description: 'How many of the rows that are left are in each state.',
        resolve: ({ id }, _args, { loaders }) => loaders.importRowCounts(id),
      }),
      rows: t.connection(
        {
          type: RowType,
          description: `The rows that are not imported yet, by line. Of those that stand for no transaction, the first ${LIMITS.importReportItems} that hold something.`,
          args: {
            state: t.arg({ type: enums.ImportRowState, description: 'Only those in this state.' }),
          },
          resolve: ({ id }, { state, ...args }, { context, loaders }) =>
            connectionOf(
              args,
              IMPORT_ROW_ORDER,
              (request) => listImportRows(context, id, state ?? null, request),
              async () => countOf(await loaders.importRowCounts(id), state ?? null),
            ),
        },
        ...connectionNames('ImportRow'),
      ),
      restCsv: t.field({
        type: RestType,
        description:
          'The rows that are not matched, and those that an import has left, as they are written, with a column that says why.',
        extensions: { points: EXPORT_POINTS },
        args: { after: t.arg.string({ description: '`endCursor` of the part before.' }) },
        resolve: ({ id }, { after }, { context }) => restOfPreview(context, id, after ?? null),
      }),
    }),
  });
  return PreviewType;
}

function countOf(counts: Record<ImportRowState, number>, state: ImportRowState | null): number {
  if (state !== null) return counts[state];
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function addCounts({ builder }: SchemaParts) {
  return builder.objectRef<Record<ImportRowState, number>>('ImportRowCounts').implement({
    description: 'Rows by their state.',
    fields: (t) => ({
      matched: t.exposeInt('Matched', {
        description: 'Rows that are all right, or lack but a day or a price, which the import may be given.',
      }),
      unclear: t.exposeInt('Unclear', { description: 'Rows of which it is not clear which card is meant.' }),
      wrong: t.exposeInt('Wrong', { description: 'Rows with another error.' }),
      skipped: t.exposeInt('Skipped', { description: 'Rows that are listed and stand for no transaction.' }),
    }),
  });
}

function addRest({ builder }: SchemaParts) {
  return builder.objectRef<RestPage>('ImportRestCsv').implement({
    description:
      'A part of the rows that are left. All parts, one behind the other, are a file of the same form.',
    fields: (t) => ({
      csv: t.exposeString('csv', {
        description: `Up to ${withCommas(LIMITS.exportPageSize)} rows, by line; the first part begins with the header.`,
      }),
      endCursor: t.exposeString('endCursor', {
        nullable: true,
        description: 'Gives the next part as `after`; null on the last one.',
      }),
    }),
  });
}

function addRow({ builder, enums, MoneyType, VariantType }: SchemaParts) {
  const ProblemType = builder.objectRef<ImportRow['problems'][number]>('ImportRowProblem').implement({
    description: 'Why a row is not imported as it is.',
    fields: (t) => ({
      column: t.exposeString('column', {
        nullable: true,
        description: 'Column of the file, or field of the input; null where the whole row is at fault.',
      }),
      detail: t.exposeString('detail', { description: 'What is wrong, and what to do.' }),
    }),
  });
  return builder.objectRef<ImportRow>('ImportRow').implement({
    description: 'A row of a file of transactions, as it was understood.',
    fields: (t) => ({
      line: t.exposeInt('line', { description: 'Line of the file where it begins, from 1.' }),
      state: t.expose('state', { type: enums.ImportRowState, description: 'What is known of it.' }),
      name: t.exposeString('name', { nullable: true, description: 'Name of the card in the file.' }),
      number: t.exposeString('number', { nullable: true, description: 'Number of the card in the file.' }),
      variant: t.field({
        type: VariantType,
        nullable: true,
        description: 'The only variant that it can mean; null where there is not exactly one.',
        resolve: ({ variantId }, _args, { loaders }) =>
          variantId === null ? null : loaders.variant(variantId),
      }),
      candidates: t.field({
        type: [VariantType],
        extensions: { maxItems: LIMITS.importSuggestions },
        description: `Where that is not clear: up to ${LIMITS.importSuggestions} variants that it may mean, for the first ${LIMITS.importSuggestedCards} such cards.`,
        resolve: ({ candidates }, _args, { loaders }) =>
          candidates.map(({ variantId }) => mustExist(loaders.variant(variantId))),
      }),
      problems: t.expose('problems', {
        type: [ProblemType],
        extensions: { maxItems: LIMITS.importRowProblems },
        description: 'What is wrong with it, beside what it `lacks`; none where it is matched.',
      }),
      lacks: t.stringList({
        extensions: { maxItems: LACKING_PARTS.length },
        description:
          'What it does not say, as importPreviewed calls it: `occurredDate`, `unitAmount` (in place of which `cost` will do). The row is an error of an import where neither that nor the preview was given it.',
        resolve: ({ lacks }) => lacks,
      }),
      occurredDate: t.field({
        type: 'Date',
        nullable: true,
        description: 'Its day; null where it has none, or is wrong.',
        resolve: ({ entry }) => entry?.occurredDate ?? null,
      }),
      action: t.field({
        type: enums.Action,
        nullable: true,
        description: 'Purchase or sale; null where it is wrong.',
        resolve: ({ entry }) => entry?.action ?? null,
      }),
      quantity: t.field({
        type: 'SafeInt',
        nullable: true,
        description: 'How many cards; null where it is wrong.',
        resolve: ({ entry }) => entry?.quantity ?? null,
      }),
      unitAmount: t.field({
        type: MoneyType,
        nullable: true,
        description: 'The price of one card; null where it has none, is wrong, or nobody knows it.',
        resolve: ({ entry }) => moneyOf(entry?.costUnknown ? undefined : entry?.unitAmount),
      }),
      costUnknown: t.boolean({
        description: 'Whether the row says that nobody knows its price.',
        resolve: ({ entry }) => entry?.costUnknown ?? false,
      }),
    }),
  });
}

function moneyOf(amount: { currency: Currency; value: number } | undefined) {
  return amount ? givenMoney(amount.currency, decimalOf(amount.value)) : null;
}
