import {
  foldHoldings,
  type HoldingField,
  type HoldingNode,
  type QueryNode,
  withNegatedLeaves,
} from '../../domain/search/query.ts';
import type { MatchingVariants } from '../../domain/search/search-index.ts';
import type { Param } from '../client.ts';
import { INVESTED, PROFIT } from './holdings.ts';
import { hasRecorded, OPERATORS } from './recorded.ts';
import { GAIN, MARKET_VALUE } from './summaries.ts';

const COLUMNS: Record<HoldingField, string> = {
  quantity: 'h.quantity',
  value: `coalesce(${MARKET_VALUE}, 0)`,
  gain: GAIN,
  invested: INVESTED,
  profit: PROFIT,
};

/** A condition on holdings `h`, as `HoldingCondition`, whose variants are still to be put among the parameters, as JSON. */
interface SearchedHoldings {
  sql: string;
  params: Param[];
  /** At each place what a part of the search finds. */
  found: { param: number; matching: MatchingVariants }[];
}

/**
 * A search of holdings.
 *
 * @param matching what the catalogue finds by a part of it
 */
export function searchedHoldings(
  root: QueryNode,
  matching: (part: QueryNode) => MatchingVariants,
): SearchedHoldings {
  const params: Param[] = [];
  const bind = (value: Param) => {
    params.push(value);
    // Behind the account.
    return `$${params.length + 1}`;
  };
  const found: SearchedHoldings['found'] = [];
  // Else "not" of a group would be said of all transactions of a holding together.
  const sql = foldHoldings(withNegatedLeaves(root), {
    catalogue: (part) => {
      found.push({ param: params.length, matching: matching(part) });
      return `h.variant_id in (select jsonb_array_elements_text(${bind(null)}::jsonb))`;
    },
    recorded: (part) => hasRecorded(part, (value, type) => `${bind(value)}::${type}`),
    holding: (leaf) => comparison(leaf, bind),
    and: (parts) => `(${parts.join(' and ')})`,
    or: (parts) => `(${parts.join(' or ')})`,
    not: (part) => `(not ${part})`,
  });
  return { sql, params, found };
}

/** What is not known compares as false, so that its negation is true. */
function comparison({ field, operator, value }: HoldingNode, bind: (value: Param) => string): string {
  return `coalesce(${COLUMNS[field]} ${OPERATORS[operator]} ${bind(value)}::numeric, false)`;
}
