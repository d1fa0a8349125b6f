import type { Page, PageRequest } from '../../domain/pagination.ts';
import type { VariantLabel } from '../../memory/names.ts';
import type { Context } from '../context.ts';
import { getVariantLabels } from '../products/get.ts';
import { type SummaryOrder, summariesOf } from './list.ts';
import type { TransactionSummary } from './model.ts';
import { getWarnings } from './warnings.ts';

/** A summary with what its variant is called, and what is to be said of its figures. */
export interface LabelledSummary {
  summary: TransactionSummary;
  label: VariantLabel;
  warning: string | null;
}

/** The page of the summaries of one collection, in full. Throws `NotFound` where there is no such collection, `InvalidQuery`. */
export async function labelledSummariesOf(
  ctx: Context,
  collectionId: string,
  searchQuery: string | null,
  order: SummaryOrder,
  request: PageRequest,
): Promise<Page<LabelledSummary>> {
  const page = await summariesOf(ctx, collectionId, searchQuery, order, request);
  const variantIds = page.items.map(({ variantId }) => variantId);
  const [labels, warnings] = await Promise.all([
    getVariantLabels(ctx, variantIds),
    getWarnings(ctx, page.items),
  ]);
  const items = page.items.map((summary, i) => ({ summary, label: labels[i]!, warning: warnings[i]! }));
  return { ...page, items };
}
