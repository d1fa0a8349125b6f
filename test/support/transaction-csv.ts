import type { OpenDatabase } from '../../src/db/client.ts';
import type { ExportFormat } from '../../src/domain/transaction-file.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import type { Context } from '../../src/services/context.ts';
import { exportTransactions } from '../../src/services/transactions/export.ts';
import { importTransactions } from '../../src/services/transactions/import.ts';
import { newAccount } from '../harness.ts';

/** Files of transactions, and what tests of their import and export do with them. */

const HEADER =
  'occurredDate,action,quantity,unitAmount,currency,variantId,fcId,number,productName,variantName';

/** A row that is as it should be, but for the cells that are given. */
export function row(cells: Record<string, string | number> = {}): string {
  const all: Record<string, string | number> = {
    occurredDate: '2026-01-31',
    action: 'Purchase',
    quantity: '1',
    unitAmount: '1.50',
    currency: 'USD',
    fcId: 'ARC159-Unlimited',
    ...cells,
  };
  return HEADER.split(',')
    .map((column) => all[column] ?? '')
    .join(',');
}

export function fileOf(...rows: string[]): string {
  return [HEADER, ...rows].join('\n');
}

/** An account that may have many collections; the index of the search, which the first import makes, is there. */
export async function importingAccount(db: OpenDatabase): Promise<Context> {
  const ctx = await newAccount(db, { maxCollections: 10_000 });
  await importTransactions(ctx, await newBinder(ctx), { csv: fileOf(row()) });
  return ctx;
}

export async function newBinder(ctx: Context, name = 'Binder'): Promise<string> {
  return (await createCollection(ctx, { name })).id;
}

export async function exported(ctx: Context, collectionId: string, format?: ExportFormat): Promise<string> {
  let csv = '';
  for await (const piece of exportTransactions(ctx, collectionId, format)) csv += piece;
  return csv;
}

/** The cells of each transaction that the collection has, without the two columns that say where it is. */
export async function contentsOf(ctx: Context, collectionId: string): Promise<string[]> {
  return (await exported(ctx, collectionId))
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.split(',').slice(2).join(','));
}
