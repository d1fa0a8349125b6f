import { holdingRow, priceIn, SUMMARIES_BY_KEY, type SummariesRow } from '../../db/queries/summaries.ts';
import { parseSummaryId } from '../../domain/ids.ts';
import { type Context, observed } from '../context.ts';
import { TransactionSummary } from './model.ts';

/** The caller's summaries in the order of the ids, with null where there is none. */
export async function getSummaries(
  ctx: Context,
  ids: readonly string[],
): Promise<(TransactionSummary | null)[]> {
  const keys = ids.map(parseSummaryId).filter((key) => key !== null);
  const rows =
    keys.length === 0
      ? []
      : await ctx.db.hot<SummariesRow>(SUMMARIES_BY_KEY, [ctx.caller.accountId, JSON.stringify(keys)]);
  const byId = new Map(
    observed(ctx, rows)
      .map((row) => new TransactionSummary({ ...holdingRow(row, row.lines), price: priceIn(row.lines) }))
      .map((summary) => [summary.id, summary]),
  );
  return ids.map((id) => byId.get(id) ?? null);
}
