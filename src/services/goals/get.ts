import {
  GOAL_PROGRESS,
  GOALS,
  type GoalProgressRow,
  type GoalRow,
  MISSING,
  type MissingRow,
} from '../../db/queries/goals.ts';
import { readPages } from '../../db/queries/page.ts';
import type { Currency } from '../../domain/currencies.ts';
import type { GoalMatch } from '../../domain/goals.ts';
import { derivedMoney, type Money, product } from '../../domain/money.ts';
import type { Page, PageRequest } from '../../domain/pagination.ts';
import { type Context, observed } from '../context.ts';

/** What a goal collection is to hold. */
export interface Goal {
  collectionId: string;
  match: GoalMatch;
  /** Null where it has a list. */
  targetCollectionId: string | null;
  /** Transactions of the target, or items of the list. */
  size: number;
}

/** How far a goal is, in cards. */
export interface GoalProgress {
  wanted: number;
  /** Of those wanted, what the goal collection itself holds. */
  owned: number;
  missing: number;
  /** Entries of the list of what is missing. */
  missingCount: number;
  /** At market prices, each by the cheapest variant that serves; what has no known price is not in it. */
  costToComplete: Money;
  /** Of those missing, without a known price. */
  unpricedMissing: number;
}

/** A card that is missing. */
export interface MissingCard {
  variantId: string;
  wanted: number;
  owned: number;
  missing: number;
  marketPrice: Money | null;
  cost: Money | null;
}

/** The order of what is missing: by the names of product and variant. */
export const MISSING_ORDER = MISSING.order;

/** What each collection is to hold; null for one that is not the goal collection, or has no target. */
export async function getGoals(ctx: Context, collectionIds: readonly string[]): Promise<(Goal | null)[]> {
  const params = [ctx.caller.accountId, JSON.stringify(collectionIds)];
  const rows = await ctx.db.query<GoalRow>(GOALS, params);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return collectionIds.map((id) => {
    const row = byId.get(id);
    if (!row) return null;
    return {
      collectionId: id,
      match: row.match as GoalMatch,
      targetCollectionId: row.targetId,
      size: row.size,
    };
  });
}

/** How far the goal collections are. */
export async function getGoalProgress(
  ctx: Context,
  collectionIds: readonly string[],
): Promise<(GoalProgress | null)[]> {
  const params = [ctx.caller.accountId, JSON.stringify(collectionIds)];
  const rows = observed(ctx, await ctx.db.query<GoalProgressRow>(GOAL_PROGRESS, params));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return collectionIds.map((id) => {
    const row = byId.get(id);
    return row ? progressOf(row) : null;
  });
}

export function progressOf(row: Omit<GoalProgressRow, 'id'>): GoalProgress {
  const { wanted, owned, missing, missingCount, unpriced, cost, currency } = row;
  const costToComplete = derivedMoney(currency as Currency, cost);
  return { wanted, owned, missing, missingCount, costToComplete, unpricedMissing: unpriced };
}

/** A page of what each goal collection lacks. */
export async function listMissing(
  ctx: Context,
  collectionIds: readonly string[],
  request: PageRequest,
): Promise<Page<MissingCard>[]> {
  const pages = await readPages<MissingRow>(ctx.db, MISSING, [ctx.caller.accountId], request, collectionIds);
  return pages.map((page) => ({ ...page, items: observed(ctx, page.items).map(missingCard) }));
}

function missingCard({ variantId, wanted, owned, missing, price, currency }: MissingRow): MissingCard {
  const money = (exact: string) => derivedMoney(currency as Currency, exact);
  return {
    variantId,
    wanted,
    owned,
    missing,
    marketPrice: price === null ? null : money(price),
    cost: price === null ? null : money(product(price, String(missing))),
  };
}
