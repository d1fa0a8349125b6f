import type { Param } from '../../db/client.ts';
import { GAIN, HELD_VARIANTS, type HoldingCondition, MARKET_VALUE } from '../../db/queries/summaries.ts';
import { compare } from '../../domain/money.ts';
import { COMPARISONS } from '../../domain/search/field-search.ts';
import { parseQuery, SUMMARY_SEARCH_FIELDS } from '../../domain/search/parse.ts';
import {
  foldHoldings,
  type HoldingField,
  type HoldingNode,
  type Operator,
} from '../../domain/search/query.ts';
import type { Reason } from '../../domain/search/search-index.ts';
import { searchableCatalogue } from '../../memory/memory.ts';
import type { Context } from '../context.ts';
import type { TransactionSummary } from './model.ts';

const COLUMNS: Record<HoldingField, string> = {
  quantity: 'h.quantity',
  value: `coalesce(${MARKET_VALUE}, 0)`,
  gain: GAIN,
  invested: 'h.invested',
  profit: 'h.profit',
};

const OPERATORS: Record<Operator, string> = {
  '=': '=',
  '!=': '<>',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
};

const AMOUNTS = {
  value: 'marketValue',
  gain: 'gain',
  invested: 'invested',
  profit: 'profit',
} as const satisfies Record<Exclude<HoldingField, 'quantity'>, keyof TransactionSummary>;

/** So many variants are sent with a statement sooner than those that are held are asked for. */
const MANY = 1000;

/** A condition that knows what of its query a holding that fulfils it matches. */
interface SearchCondition extends HoldingCondition {
  reasons(summary: TransactionSummary): Reason[];
}

/**
 * A condition on holdings (`h`), by the variants that are held, for a query in the language of product search, which
 * here takes quantity and amounts too. Throws `InvalidQuery`.
 */
export async function holdingCondition(
  ctx: Context,
  collectionIds: readonly string[],
  query: string,
): Promise<SearchCondition> {
  const parsed = parseQuery(query, SUMMARY_SEARCH_FIELDS);
  const { index } = await searchableCatalogue(ctx);
  const params: Param[] = [];
  const bind = (value: Param) => {
    params.push(value);
    // Behind the account.
    return `$${params.length + 1}`;
  };
  const found: { param: number; variants: readonly string[] }[] = [];
  const sql = foldHoldings(parsed.root, {
    catalogue: (part) => {
      found.push({ param: params.length, variants: index.matchingVariants(part) });
      return `h.variant_id in (select jsonb_array_elements_text(${bind(null)}::jsonb))`;
    },
    holding: (leaf) => comparison(leaf, bind),
    and: (parts) => `(${parts.join(' and ')})`,
    or: (parts) => `(${parts.join(' or ')})`,
    not: (part) => `(not ${part})`,
  });
  const isMeant = await heldAmong(ctx, collectionIds, found);
  for (const { param, variants } of found) params[param] = JSON.stringify(variants.filter(isMeant));
  const reasonsFor = index.holdingReasons(parsed);
  return { sql, params, reasons: (summary) => reasonsFor(summary.variantId, (leaf) => held(summary, leaf)) };
}

/** Each part of a query may find most of the catalogue: what nobody holds is not sent with the statement. */
async function heldAmong(
  { db, caller }: Context,
  collectionIds: readonly string[],
  found: readonly { variants: readonly string[] }[],
): Promise<(variantId: string) => boolean> {
  if (found.reduce((sum, { variants }) => sum + variants.length, 0) <= MANY) return () => true;
  const params = [caller.accountId, JSON.stringify(collectionIds)];
  const rows = await db.hot<{ id: string }>(HELD_VARIANTS, params);
  const ids = new Set(rows.map(({ id }) => id));
  return (variantId) => ids.has(variantId);
}

function held(summary: TransactionSummary, { field, operator, value }: HoldingNode): string | null {
  const exact = summary.exactly(field);
  if (exact === null || !COMPARISONS[operator](compare(exact, value), 0)) return null;
  return field === 'quantity' ? exact : summary[AMOUNTS[field]]!.amount;
}

/** What is not known compares as false, so that its negation is true. */
function comparison({ field, operator, value }: HoldingNode, bind: (value: Param) => string): string {
  return `coalesce(${COLUMNS[field]} ${OPERATORS[operator]} ${bind(value)}::numeric, false)`;
}
