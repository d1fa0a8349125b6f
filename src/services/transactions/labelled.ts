import type { Page, PageRequest } from '../../domain/pagination.ts';
import type { VariantLabel } from '../../memory/names.ts';
import type { Context } from '../context.ts';
import { findVariantLabels, getVariantLabels } from '../products/get.ts';
import { createTransaction } from './create.ts';
import { type TransactionOrder, transactionsOf } from './list.ts';
import type { Transaction } from './model.ts';

/** A transaction with what its variant is called. */
export interface LabelledTransaction {
  transaction: Transaction;
  label: VariantLabel;
}

/**
 * Records one as `createTransaction` does. What its variant is called is looked up before, so that nothing is said to have failed that
 * is done.
 */
export async function createLabelled(
  ctx: Context,
  collectionId: string,
  input: { variantId?: unknown },
): Promise<LabelledTransaction> {
  const { variantId } = input;
  const [label] = typeof variantId === 'string' ? await findVariantLabels(ctx, [variantId]) : [];
  const transaction = await createTransaction(ctx, collectionId, input);
  return label ? { transaction, label } : labelled(ctx, transaction);
}

export async function labelled(ctx: Context, transaction: Transaction): Promise<LabelledTransaction> {
  const [label] = await getVariantLabels(ctx, [transaction.variantId]);
  return { transaction, label: label! };
}

/** The page of the transactions of one collection, in full. Throws `NotFound` where there is no such collection. */
export async function labelledTransactionsOf(
  ctx: Context,
  collectionId: string,
  order: TransactionOrder,
  request: PageRequest,
): Promise<Page<LabelledTransaction>> {
  const page = await transactionsOf(ctx, collectionId, order, request);
  const labels = await getVariantLabels(
    ctx,
    page.items.map(({ variantId }) => variantId),
  );
  const items = page.items.map((transaction, i) => ({ transaction, label: labels[i]! }));
  return { ...page, items };
}
