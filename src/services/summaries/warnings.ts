import { UNTIMELY_RATES, type UntimelyRatesRow } from '../../db/queries/rates.ts';
import { parseSummaryId, summaryId } from '../../domain/ids.ts';
import { groupBy } from '../../lib/lists.ts';
import { sentences } from '../../lib/text.ts';
import type { Context } from '../context.ts';
import type { TransactionSummary } from './model.ts';

/**
 * What makes the figures of summaries (by their ids, in collections with converted amounts) less than they seem because of the exchange rates that their
 * transactions were converted at, in plain words; null where nothing does (docs/decisions.md#currencies-and-rates).
 */
export async function getRateWarnings(ctx: Context, ids: readonly string[]): Promise<(string | null)[]> {
  const keys = JSON.stringify(ids.map(parseSummaryId));
  const rows = await ctx.db.hot<UntimelyRatesRow>(UNTIMELY_RATES, [ctx.caller.accountId, keys]);
  const ofSummary = groupBy(rows, ({ collectionId, variantId }) => summaryId(collectionId, variantId));
  return ids.map((id) => ofSummary.get(id)?.map(inWords).join(' ') ?? null);
}

/** All warnings of each summary as one text; null where there is none. */
export async function getWarnings(
  ctx: Context,
  summaries: readonly TransactionSummary[],
): Promise<(string | null)[]> {
  const converted = summaries.filter(({ isConverted }) => isConverted).map(({ id }) => id);
  if (converted.length === 0) return summaries.map(({ warning }) => warning);
  const found = await getRateWarnings(ctx, converted);
  const ofRates = new Map(converted.map((id, i) => [id, found[i]!]));
  return summaries.map((summary) => allWarnings(summary, ofRates.get(summary.id) ?? null));
}

const TIMES: Record<UntimelyRatesRow['kind'], string> = {
  Older: 'older than the first known rate',
  Between: 'of a time without known rates',
  Newer: 'newer than the last known rate',
};

function inWords({ from, to, kind, day, rateDay }: UntimelyRatesRow): string {
  return `A transaction of ${day} is ${TIMES[kind]}: the exchange rate from ${from} to ${to} is that of ${rateDay}.`;
}

/** The same of one, with what there is to say of its rates. */
export function allWarnings({ warning }: TransactionSummary, ofRates: string | null): string | null {
  return sentences([warning, ofRates]);
}
