import type { CursorShape, KeyCursor, KeyKind, Page, PageRequest } from '../../domain/pagination.ts';
import type { Database, Param } from '../client.ts';
import { parentCollections } from './parents.ts';

/** A total order: expressions that are never null, the last of them unique. Its name and kinds shape its cursors. */
export interface Order extends CursorShape {
  key: readonly string[];
  descending: boolean;
  /** Whether its usual pages are hot statements. */
  isHot?: boolean;
  /** Whether all rows are sorted for each page, so that its plan is the same for each size, and its size a parameter. */
  isOfFew?: boolean;
}

/** `key` gives each expression with the kind of its value. */
export function ascending(name: string, ...key: readonly (readonly [sql: string, kind: KeyKind])[]): Order {
  return { name, key: key.map(([sql]) => sql), kinds: key.map(([, kind]) => kind), descending: false };
}

export function descending(name: string, ...key: readonly (readonly [sql: string, kind: KeyKind])[]): Order {
  return { ...ascending(name, ...key), descending: true };
}

/** Of an order that an index has, so that a page by key costs the same however much is stored. */
export function indexed(order: Order): Order {
  return { ...order, isHot: true };
}

/** Of an order of so few rows that they are sorted for each page. */
export function ofFew(order: Order): Order {
  return { ...order, isHot: true, isOfFew: true };
}

export function reversed(order: Order, reverse: boolean): Order {
  return reverse ? { ...order, name: `${order.name}-reversed`, descending: !order.descending } : order;
}

export interface List {
  columns: string;
  from: string;
  /** For lists of a collection, such as its transactions, it compares with the collection `c`. */
  where: string;
  order: Order;
}

export interface Statement {
  text: string;
  values: Param[];
}

/**
 * One page of a list. By key it costs the same at any depth; by position it costs what is skipped. `params` are those
 * of the list's own clauses. One row more than the page is read, to know whether there is another.
 */
export async function readPage<Row>(
  db: Database,
  list: List,
  params: readonly Param[],
  request: PageRequest,
): Promise<Page<Row>> {
  const statement = pageStatement(withKeys(list, request), params, request);
  return keyedPage(await sendPage<Keyed<Row>>(db, statement, list.order, request), list.order, request);
}

/** The last place from which a page by position still costs about as much as the first. */
const NEAR = 1000;

/** Pages of more rows are sent alone: others would wait behind them. */
const MOST_OF_HOT = 500;

/** The usual pages in an order that costs little are few texts: all others are planned each time. */
function sendPage<Row>(
  db: Database,
  { text, values }: Statement,
  { isHot }: Order,
  request: PageRequest,
  parents = 1,
): Promise<Row[]> {
  const isUsual =
    request.kind === 'position' ? request.position <= NEAR : !request.fromEnd && request.before === null;
  if (!isHot || !isUsual) return db.query<Row>(text, values, { varies: true });
  return request.size * parents <= MOST_OF_HOT ? db.hot<Row>(text, values) : db.query<Row>(text, values);
}

/** The same page of the list of each collection, all in one statement; the first of `params` is the account. */
export async function readPages<Row>(
  db: Database,
  list: List,
  params: readonly Param[],
  request: PageRequest,
  collectionIds: readonly string[],
): Promise<Page<Row>[]> {
  const { text, values } = pageStatement(withKeys(list, request), params, request);
  // LIMIT inside makes this a nested loop, which keeps the order within each parent.
  const statement = {
    text: `select c.id as parent, page.* from ${parentCollections(values.length + 1)} cross join lateral (${text}) page`,
    values: [...values, JSON.stringify(collectionIds)],
  };
  const rows = await sendPage<Keyed<Row> & { parent: string }>(
    db,
    statement,
    list.order,
    request,
    collectionIds.length,
  );
  const byParent = new Map<string, Keyed<Row>[]>(collectionIds.map((id) => [id, []]));
  for (const row of rows) byParent.get(row.parent)!.push(row);
  return collectionIds.map((id) => keyedPage(byParent.get(id)!, list.order, request));
}

export type Keyed<Row> = Row & Record<`key${number}`, string>;

/** A list with the keys of its rows, for pages that are asked for by key. */
export function withKeys(list: List, request: PageRequest): List {
  if (request.kind === 'position') return list;
  const keys = list.order.key.map((sql, i) => `(${sql})::text as "key${i}"`);
  return { ...list, columns: [list.columns, ...keys].join(', ') };
}

/** The page of the rows of a statement `withKeys`. */
export function keyedPage<Row>(rows: Keyed<Row>[], order: Order, request: PageRequest): Page<Row> {
  const keyOf = (place: number) => order.key.map((_, i) => rows[place]![`key${i}`] as string);
  return pageOf(rows, keyOf, request);
}

/** The statement of a page, whose rows `pageOf` takes. */
export function pageStatement(list: List, params: readonly Param[], request: PageRequest): Statement {
  const { columns, from, where, order } = list;
  const values = [...params];
  const limit = () => (order.isOfFew ? `$${values.push(request.size + 1)}::integer` : fetched(request));
  if (request.kind === 'position') {
    const offset = values.push(request.position);
    const text = `select ${columns} from ${from} where ${where}
      order by ${orderBy(order, order.descending)} limit ${limit()} offset $${offset}`;
    return { text, values };
  }
  const bound = (cursor: KeyCursor | null, operator: '<' | '>') => {
    if (!cursor) return '';
    values.push(...cursor);
    return `and ${comparison(order, operator, values.length - cursor.length)}`;
  };
  const after = bound(request.after, order.descending ? '<' : '>');
  const before = bound(request.before, order.descending ? '>' : '<');
  const text = `select ${columns} from ${from} where (${where}) ${after} ${before}
    order by ${orderBy(order, order.descending !== request.fromEnd)} limit ${limit()}`;
  return { text, values };
}

/** Of so many sizes are the texts of pages; what is beyond the page is cut off. */
const SIZES = [10, 50, 200, 1000];

/** A row more than the page, or than the next of the sizes. */
function fetched({ size }: PageRequest): number {
  return SIZES.find((one) => one >= size)! + 1;
}

/** The page of the rows that its statement gave, and of their keys, which pages by position do not have. */
export function pageOf<Row>(
  rows: readonly Row[],
  keyOf: (place: number) => KeyCursor,
  request: PageRequest,
): Page<Row> {
  const hasMore = rows.length > request.size;
  const items = rows.slice(0, request.size);
  if (request.kind === 'position') {
    return { items, keyOf, hasNextPage: hasMore, hasPreviousPage: request.position > 0 };
  }
  const last = items.length - 1;
  return {
    items: request.fromEnd ? items.reverse() : items,
    keyOf: request.fromEnd ? (place) => keyOf(last - place) : keyOf,
    hasNextPage: request.fromEnd ? request.before !== null : hasMore,
    hasPreviousPage: request.fromEnd ? hasMore : request.after !== null,
  };
}

/** Places in the order of a list that is at hand, exclusive; null where there is no such bound. */
export interface Bounds {
  after: number | null;
  before: number | null;
}

/** Of a page's cursors; null where one has no rank, and only the database can tell its place. */
export function boundsOf(
  request: PageRequest,
  rankOf: (cursor: KeyCursor) => number | undefined,
): Bounds | null {
  if (request.kind === 'position') return { after: null, before: null };
  const after = request.after && rankOf(request.after);
  const before = request.before && rankOf(request.before);
  return after === undefined || before === undefined ? null : { after, before };
}

/** The page of rows that are all at hand, in the order of their ranks, as its statement would give it. */
export function pageAtHand<Row>(
  rows: readonly Row[],
  request: PageRequest,
  { after, before }: Bounds,
  rankOf: (row: Row) => number,
  keyOf: (row: Row) => KeyCursor,
): Page<Row> {
  if (request.kind === 'position') {
    const shown = rows.slice(request.position, request.position + request.size + 1);
    return pageOf(shown, (place) => keyOf(shown[place]!), request);
  }
  const between = rows.filter(
    (row) => (after === null || rankOf(row) > after) && (before === null || rankOf(row) < before),
  );
  const shown = (request.fromEnd ? between.reverse() : between).slice(0, request.size + 1);
  return pageOf(shown, (place) => keyOf(shown[place]!), request);
}

export function orderBy(order: Order, isDescending: boolean): string {
  return order.key.map((sql) => `${sql} ${isDescending ? 'desc' : 'asc'}`).join(', ');
}

function comparison(order: Order, operator: '<' | '>', firstParam: number): string {
  const left = order.key.join(', ');
  const right = order.kinds.map((kind, i) => `$${firstParam + i + 1}::${SQL_TYPES[kind]}`).join(', ');
  return `(${left}) ${operator} (${right})`;
}

const SQL_TYPES: Record<KeyKind, string> = {
  text: 'text',
  numeric: 'numeric',
  date: 'date',
  position: 'integer',
  count: 'bigint',
  uuid: 'uuid',
};
