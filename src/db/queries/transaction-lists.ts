import type { KeyRequest } from '../../domain/pagination.ts';
import type { Param } from '../client.ts';
import { JOIN_PRODUCTS, TRANSACTION_COLUMNS } from './ledger.ts';
import { ascending, type Order, orderBy, pageStatement, type Statement, withKeys } from './page.ts';
import type { Bind, TransactionSearch } from './recorded.ts';
import type { HoldingCondition } from './summaries.ts';

/**
 * Transactions of several collections, or those of one that fulfil conditions. $1 is the account, $2 the ids of the parents
 * as JSON. An index has the transactions of a collection, and those of a variant in it, in their order; so a page takes
 * the first of each, at most as many as it has itself, however large the ledgers are.
 */

/** What lists are of, but for wish lists; the account itself has one parent, whose id says nothing. */
export type ListParent = 'Account' | 'Collection' | 'Variant' | 'Product';

/** Conditions of transactions; each null where it is none. */
export interface TransactionConditions {
  variantId: string | null;
  productId: string | null;
  action: string | null;
  /** First and last day. */
  from: string | null;
  to: string | null;
  /** Each any of these, as JSON. */
  cardCondition: string | null;
  language: string | null;
  tags: string | null;
  graded: boolean | null;
  /** Of a search. */
  search: TransactionSearch | null;
}

interface Sources {
  /** Rows `s` with collections, their variants if those are given, and how many transactions there are in each. */
  sql: string;
  /** Of transactions `t` in a source. */
  where: string;
  params: Param[];
}

function sourcesOf(parent: ListParent, asked: TransactionConditions): Sources {
  const params: Param[] = [];
  const bind: Bind = (value, type) => {
    params.push(value);
    // Behind the account and the parents.
    return `$${params.length + 2}::${type}`;
  };
  const collections = `select c.id as collection_id, c.transaction_count from collection c
    where c.account_id = $1 and not c.deleted${parent === 'Collection' ? ' and c.id = x.parent' : ` and c.kind = 'Collection'`}`;
  const variants = variantsOf(parent, asked, bind);
  const inSource = ['t.account_id = $1', 't.collection_id = s.collection_id', ...conditionsOn(asked, bind)];
  if (variants !== null) inSource.push('t.variant_id = s.variant_id');
  const sql =
    variants === null
      ? collections
      : `select h.collection_id, h.variant_id, h.transaction_count from (${variants}) v
         cross join lateral (
           select h.* from holding h where h.account_id = $1 and h.variant_id = v.id and h.transaction_count > 0 offset 0
         ) h join (${collections}) c on c.collection_id = h.collection_id`;
  return { sql, where: inSource.join(' and '), params };
}

/** What is asked of transactions `t` themselves. */
function conditionsOn(asked: TransactionConditions, bind: Bind): string[] {
  const conditions: string[] = [];
  const { action, from, to, cardCondition, language, tags, graded, search } = asked;
  if (action !== null) conditions.push(`t.action = ${bind(action, 'text')}`);
  if (from !== null) conditions.push(`t.occurred >= ${bind(from, 'date')}`);
  if (to !== null) conditions.push(`t.occurred <= ${bind(to, 'date')}`);
  const listed = { card_condition: cardCondition, language };
  for (const [column, values] of Object.entries(listed)) {
    if (values !== null)
      conditions.push(`t.${column} in (select jsonb_array_elements_text(${bind(values, 'jsonb')}))`);
  }
  if (tags !== null)
    conditions.push(`t.tags ?| array(select jsonb_array_elements_text(${bind(tags, 'jsonb')}))`);
  if (graded !== null) conditions.push(`(t.grade is not null) = ${bind(graded, 'boolean')}`);
  if (search !== null) conditions.push(search.condition(bind));
  return conditions;
}

/** The variants that are asked for by their ids or that of their product, as SQL; null for all. */
function variantsOf(
  parent: ListParent,
  { variantId, productId }: TransactionConditions,
  bind: Bind,
): string | null {
  const conditions: string[] = [];
  if (parent === 'Variant') conditions.push('v.id = x.parent');
  if (parent === 'Product') conditions.push('v.product_id = x.parent');
  if (variantId !== null) conditions.push(`v.id = ${bind(variantId, 'text')}`);
  if (productId !== null) conditions.push(`v.product_id = ${bind(productId, 'text')}`);
  return conditions.length === 0 ? null : `select v.id from variant v where ${conditions.join(' and ')}`;
}

const PARENTS = 'jsonb_array_elements_text($2::jsonb) as x(parent)';

/** The page of each parent, as rows with their `parent` and the keys of the order; the first two values are left out. */
export function transactionPages(
  parent: ListParent,
  asked: TransactionConditions,
  order: Order & { isByName: boolean },
  request: KeyRequest,
): Statement {
  const { sql, where, params } = sourcesOf(parent, asked);
  const given = [null, null, ...params];
  // In the order of names all that match are put in order.
  const list = order.isByName
    ? {
        columns: TRANSACTION_COLUMNS,
        from: `(${sql}) s join transaction t on ${where} ${JOIN_PRODUCTS}`,
        where: 'true',
      }
    : { columns: 't.*', from: 'transaction t', where };
  const { text, values } = pageStatement(withKeys({ ...list, order }, request), given, request);
  return ofParents(order.isByName ? text : merged(sql, text, order, request), values);
}

/** The first of the pages of all sources. */
function merged(sources: string, page: string, order: Order, request: KeyRequest): string {
  const inOrder = orderBy(order, order.descending !== request.fromEnd);
  const keys = order.key.map((_, i) => `t.key${i}`).join(', ');
  return `
    select ${TRANSACTION_COLUMNS}, ${keys} from (
      select t.* from (${sources}) s cross join lateral (${page}) t order by ${inOrder} limit ${request.size + 1}
    ) t order by ${inOrder}`;
}

/** How many there are of each parent. */
export function transactionCounts(parent: ListParent, asked: TransactionConditions): Statement {
  const { sql, where, params } = sourcesOf(parent, asked);
  const count = isOfAll(asked)
    ? `select coalesce(sum(s.transaction_count), 0)::bigint as count from (${sql}) s`
    : `select count(*) as count from (${sql}) s join transaction t on ${where}`;
  return ofParents(count, [null, null, ...params]);
}

/** Whether all transactions of the sources are meant, so that none need be looked at. */
export function isOfAll({ variantId, productId, ...others }: TransactionConditions): boolean {
  return Object.values(others).every((condition) => condition === null);
}

const NO_CONDITIONS: TransactionConditions = {
  variantId: null,
  productId: null,
  action: null,
  from: null,
  to: null,
  cardCondition: null,
  language: null,
  tags: null,
  graded: null,
  search: null,
};

/**
 * Of holdings `h`: that a transaction fulfils the conditions. The parameters are behind the account's and `before` others. By
 * `offset 0` each is looked up by its index: joined, all transactions would be gone through for each.
 */
export function hasTransaction(asked: TransactionConditions, before: number): HoldingCondition {
  const params: Param[] = [];
  const bind: Bind = (value, type) => {
    params.push(value);
    return `$${before + params.length + 1}::${type}`;
  };
  const { variantId, productId } = asked;
  const conditions = [
    't.account_id = $1 and t.collection_id = h.collection_id and t.variant_id = h.variant_id',
    ...conditionsOn(asked, bind),
  ];
  const ofHolding = [`exists (select from transaction t where ${conditions.join(' and ')} offset 0)`];
  if (variantId !== null) ofHolding.push(`h.variant_id = ${bind(variantId, 'text')}`);
  if (productId !== null)
    ofHolding.push(`h.variant_id in (select id from variant where product_id = ${bind(productId, 'text')})`);
  return { sql: ofHolding.join(' and '), params };
}

/** By the time that the collections were made. */
export const HOLDING_ORDER = ascending('holdings', ['s.collection_id', 'text'], ['s.variant_id', 'text']);

/** The holdings of each variant or product, by their keys. */
export function holdingPages(parent: 'Variant' | 'Product', request: KeyRequest): Statement {
  const { sql } = sourcesOf(parent, NO_CONDITIONS);
  const list = {
    columns: 's.collection_id as "collectionId", s.variant_id as "variantId"',
    from: `(${sql}) s`,
    where: 'true',
    order: HOLDING_ORDER,
  };
  const { text, values } = pageStatement(withKeys(list, request), [null, null], request);
  return ofParents(text, values);
}

export function holdingCounts(parent: 'Variant' | 'Product'): Statement {
  const { sql } = sourcesOf(parent, NO_CONDITIONS);
  return ofParents(`select count(*) as count from (${sql}) s`, [null, null]);
}

function ofParents(text: string, values: Param[]): Statement {
  return { text: `select x.parent, rows.* from ${PARENTS} cross join lateral (${text}) rows`, values };
}
