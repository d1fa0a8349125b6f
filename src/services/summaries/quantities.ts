import { COUNT_HELD_TRANSACTIONS } from '../../db/queries/cost-states.ts';
import { QUANTITIES, type QuantityRow } from '../../db/queries/quantities.ts';
import { parseSummaryId, summaryId } from '../../domain/ids.ts';
import { pointsOfReading } from '../../domain/read-points.ts';
import { CARD_CONDITIONS, type CardCondition, LANGUAGES, type Language } from '../../domain/transactions.ts';
import type { Context } from '../context.ts';

/** Cards of a holding in a condition and a language; null where their transactions do not say it. */
export interface QuantityPart {
  cardCondition: CardCondition | null;
  language: Language | null;
  /** Below 0 where more of them were sold than bought. */
  quantity: number;
}

/** Each may be left unsaid. */
export const MAX_QUANTITIES = (CARD_CONDITIONS.length + 1) * (LANGUAGES.length + 1);

/** The quantities of each summary, the best condition first, and last what says nothing (docs/decisions.md#what-is-said-of-cards). */
export async function getQuantities(ctx: Context, summaryIds: readonly string[]): Promise<QuantityPart[][]> {
  const keys = summaryIds.map(parseSummaryId).filter((key) => key !== null);
  const params = [ctx.caller.accountId, JSON.stringify(keys)];
  if (ctx.charge) {
    const [size] = await ctx.db.hot<{ count: number }>(COUNT_HELD_TRANSACTIONS, params);
    ctx.charge(pointsOfReading('quantities', size!.count));
  }
  const rows = await ctx.db.hot<QuantityRow>(QUANTITIES, params);
  const found = new Map<string, QuantityPart[]>(summaryIds.map((id) => [id, []]));
  for (const { collectionId, variantId, ...part } of rows)
    found.get(summaryId(collectionId, variantId))!.push(part);
  return summaryIds.map((id) => found.get(id)!.sort((a, b) => placeOf(a) - placeOf(b)));
}

function placeOf({ cardCondition, language }: QuantityPart): number {
  return placeIn(CARD_CONDITIONS, cardCondition) * (LANGUAGES.length + 1) + placeIn(LANGUAGES, language);
}

function placeIn<Value>(values: readonly Value[], value: Value | null): number {
  return value === null ? values.length : values.indexOf(value);
}
