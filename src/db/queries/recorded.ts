import {
  foldHoldings,
  type Operator,
  type QueryNode,
  type RecordedLeaf,
  recordedIn,
} from '../../domain/search/query.ts';
import type { MatchingVariants } from '../../domain/search/search-index.ts';
import type { Param } from '../client.ts';

/** What a search asks of what is recorded of the cards of transactions `t`. */

/** Makes a value a parameter, and gives its name with its type. */
export type Bind = (value: Param, type: string) => string;

/** As SQL. */
export const OPERATORS: Record<Operator, string> = {
  '=': '=',
  '!=': '<>',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
};

/** A part of a query that asks for nothing else. What is not recorded is false, so that its negation is true. */
function recordedCondition(node: QueryNode, bind: Bind): string {
  return recordedIn<string>(node, {
    recorded: (leaf) => `coalesce(${conditionOf(leaf, bind)}, false)`,
    and: (parts) => `(${parts.join(' and ')})`,
    or: (parts) => `(${parts.join(' or ')})`,
    not: (part) => `(not ${part})`,
  });
}

/** Grades are texts, most of them numbers. */
const GRADE = `case when t.grade ~ '^[0-9]+([.][0-9]+)?$' then t.grade::numeric end`;

function conditionOf(leaf: RecordedLeaf, bind: Bind): string {
  const listed = (values: readonly string[]) =>
    `(select jsonb_array_elements_text(${bind(JSON.stringify(values), 'jsonb')}))`;
  switch (leaf.field) {
    case 'condition':
      return `t.card_condition in ${listed(leaf.values)}`;
    case 'language':
      return `t.language in ${listed(leaf.values)}`;
    case 'tag':
      return `exists (select from jsonb_array_elements_text(t.tags) as tag where lower(tag) = lower(${bind(leaf.value, 'text')}))`;
    case 'grade':
      return `${GRADE} ${OPERATORS[leaf.operator]} ${bind(leaf.value, 'numeric')}`;
    case 'graded':
      return 't.grade is not null';
  }
}

/** Of holdings `h`: that one of their transactions fulfils it. By `offset 0` each is looked up by its index. */
export function hasRecorded(node: QueryNode, bind: Bind): string {
  return `exists (select from transaction t
    where t.account_id = $1 and t.collection_id = h.collection_id and t.variant_id = h.variant_id
      and ${recordedCondition(node, bind)} offset 0)`;
}

/** A search of transactions `t`. */
export interface TransactionSearch {
  condition: (bind: Bind) => string;
  /** What the catalogue finds by each part of it, and the variants that are then to be sent: those that nobody holds may be left out. */
  found: { matching: MatchingVariants; variants: readonly string[] }[];
}

/** @param matching what the catalogue finds by a part of it */
export function transactionSearch(
  root: QueryNode,
  matching: (part: QueryNode) => MatchingVariants,
): TransactionSearch {
  const found: TransactionSearch['found'] = [];
  const condition = foldHoldings<(bind: Bind) => string>(root, {
    catalogue(part) {
      const own: TransactionSearch['found'][number] = { matching: matching(part), variants: [] };
      found.push(own);
      return (bind) =>
        `t.variant_id in (select jsonb_array_elements_text(${bind(JSON.stringify(own.variants), 'jsonb')}))`;
    },
    recorded: (part) => (bind) => recordedCondition(part, bind),
    holding({ field }) {
      throw new TypeError(`A transaction has no ${field}.`);
    },
    and: (parts) => (bind) => `(${parts.map((part) => part(bind)).join(' and ')})`,
    or: (parts) => (bind) => `(${parts.map((part) => part(bind)).join(' or ')})`,
    not: (part) => (bind) => `(not ${part(bind)})`,
  });
  return { condition, found };
}
