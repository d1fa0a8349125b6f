import { z } from '@hono/zod-openapi';
import { TRANSACTION_FORMATS } from '../../domain/transaction-file.ts';
import type { ImportPreview, ImportRowCounts } from '../../services/transactions/import-preview.ts';
import { collectionId, EXAMPLE_IDS, idOf, MAX_PARTS, text, whole } from './parts.ts';

const rows = (description: string) => whole(0, 2 ** 31 - 1, { description });

export const ImportPreviewSchema = z
  .strictObject({
    importPreviewId: idOf('imp', EXAMPLE_IDS.importPreviewId, 'Identifier of the preview'),
    collectionId,
    createdAt: z.iso.datetime().max(24).meta({ description: 'When the file was read' }),
    format: z.enum(TRANSACTION_FORMATS).meta({ description: 'The format that it was read by' }),
    rowCount: rows('Rows below the header that are not empty'),
    skipped: z
      .array(z.strictObject({ reason: text('short'), count: rows('How many rows') }))
      .max(MAX_PARTS)
      .meta({ description: 'Rows that stand for no transaction, by the reason' }),
    counts: z
      .strictObject({
        matched: rows('Rows that are all right, or lack but a day or a price, which the import may be given'),
        unclear: rows('Rows of which it is not clear which card is meant'),
        wrong: rows('Rows with another error'),
        skipped: rows('Rows that are listed and stand for no transaction'),
      })
      .meta({ description: 'Rows by what is known of them' }),
  })
  .openapi('ImportPreviewResponseModel');
type ImportPreviewBody = z.output<typeof ImportPreviewSchema>;

export function importPreviewBody(
  { id, collectionId, createdAt, format, rowCount, skipped }: ImportPreview,
  { Matched, Unclear, Wrong, Skipped }: ImportRowCounts,
): ImportPreviewBody {
  const counts = { matched: Matched, unclear: Unclear, wrong: Wrong, skipped: Skipped };
  return { importPreviewId: id, collectionId, createdAt, format, rowCount, skipped, counts };
}

export const IMPORT_PREVIEW: ImportPreviewBody = {
  importPreviewId: EXAMPLE_IDS.importPreviewId,
  collectionId: EXAMPLE_IDS.collectionId,
  createdAt: '2026-04-13T10:00:00.000Z',
  format: 'Columns',
  rowCount: 2,
  skipped: [],
  counts: { matched: 1, unclear: 1, wrong: 0, skipped: 0 },
};
