import { z } from '@hono/zod-openapi';
import { DomainError } from '../../domain/errors.ts';
import { ColumnName, DecimalAmount, PreviewImportInput } from '../../domain/inputs.ts';
import { LIMITS } from '../../domain/limits.ts';
import { MAPPED_COLUMNS } from '../../domain/transaction-file.ts';
import { previewImport } from '../../services/transactions/import-preview.ts';
import { ImportPreviewSchema, importPreviewBody } from '../models/import-previews.ts';
import { addRoute } from '../route.ts';
import type { RestApp } from '../route-description.ts';
import { COLLECTION_ID } from './collections.ts';

const { format, dateOrder, decimalSign, occurredDate, currency } = PreviewImportInput.shape;

/** `columns.quantity` and the like: each says which column of the file holds it. */
const COLUMN_PARAMETERS = Object.fromEntries(
  MAPPED_COLUMNS.map((column) => [
    `columns.${column}`,
    ColumnName.optional().meta({
      description: `The column of another file that holds ${column}`,
      example: column,
    }),
  ]),
) as Record<`columns.${(typeof MAPPED_COLUMNS)[number]}`, z.ZodOptional<typeof ColumnName>>;

const OPTIONS = z.strictObject({
  format: format.meta({
    description: 'Its format; where it is left out, the header tells',
    example: 'Columns',
  }),
  dateOrder: dateOrder.meta({ description: 'Of days such as 3/2/2025', example: 'MonthDayYear' }),
  decimalSign: decimalSign.meta({ description: 'Of prices such as 1.234,50', example: 'Point' }),
  occurredDate: occurredDate.meta({ description: 'The day of rows that have none' }),
  unitAmount: DecimalAmount.optional().meta({
    description: 'The price of one card in rows that have none; needs currency',
    maxLength: 15,
    example: '0.25',
  }),
  currency: currency.meta({ description: 'Of unitAmount, and of prices that name none', example: 'USD' }),
  ...COLUMN_PARAMETERS,
});

export function addImportRoutes(app: RestApp): void {
  addRoute(app, {
    method: 'post',
    path: '/collection/{collectionId}/import',
    operationId: 'previewImport',
    summary: 'Upload a file of transactions',
    description: `Reads it and keeps a preview of what its rows mean for ${LIMITS.importPreviewHours} hours; nothing is recorded. GraphQL shows the rows, takes choices, and imports them.`,
    tag: 'Transactions',
    params: COLLECTION_ID,
    query: OPTIONS,
    file: 'csv',
    response: ImportPreviewSchema,
    problems: ['NotFound', 'IdempotencyMismatch'],
    handle: async ({ context, params, query, file }) => {
      const collectionId = params.collectionId!;
      const input = { csv: file(), ...optionsOf(query) };
      const preview = await previewImport(context, collectionId, input).catch(inWordsOfUpload);
      return { body: importPreviewBody(preview, preview.counts) };
    },
  });
}

function optionsOf({ unitAmount, ...query }: z.output<typeof OPTIONS>): Record<string, unknown> {
  if (unitAmount !== undefined && query.currency === undefined)
    throw new DomainError('ValidationFailed', '?currency is required beside unitAmount', {
      breaches: [{ path: ['currency'], detail: 'is required beside unitAmount', inQuery: true }],
    });
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const columns = given.filter(([name]) => name.startsWith('columns.'));
  return {
    ...Object.fromEntries(given.filter(([name]) => !name.startsWith('columns.'))),
    ...(columns.length > 0 && {
      columns: Object.fromEntries(columns.map(([name, column]) => [name.slice('columns.'.length), column])),
    }),
    ...(unitAmount !== undefined && { unitAmount: { currency: query.currency, decimal: unitAmount } }),
  };
}

/** What is wrong is with the body, or with a parameter. */
function inWordsOfUpload(error: unknown): never {
  if (!(error instanceof DomainError) || error.problem !== 'ValidationFailed') throw error;
  const breaches = (error.details.breaches ?? []).map(({ path, detail }) =>
    path[0] === 'csv' ? { path: [], detail } : { path, detail, inQuery: true as const },
  );
  throw new DomainError('ValidationFailed', error.message.replace(/^csv: /, ''), { breaches });
}
