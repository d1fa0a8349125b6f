import type { TestApp, TestResponse } from '../harness.ts';

/** One connection field: where it is, and the orders that it takes. */
export interface List {
  name: string;
  /** Of a collection, which is asked for by `$parent`. */
  inCollection?: true;
  sorts: readonly string[];
  /** Takes `reverse`. */
  reversible?: true;
  /** Arguments that it always gets. */
  always?: string;
}

export const LISTS: readonly List[] = [
  {
    name: 'collections',
    sorts: ['CHRONOLOGICAL', 'ALPHABETICAL', 'VALUE', 'PERCENTAGE_GAIN'],
    reversible: true,
  },
  { name: 'transactions', inCollection: true, sorts: ['CHRONOLOGICAL', 'ALPHABETICAL'], reversible: true },
  {
    name: 'transactionSummaries',
    inCollection: true,
    sorts: [
      'ALPHABETICAL',
      'MARKET_VALUE',
      'UNIT_VALUE',
      'GAIN',
      'QUANTITY',
      'CARD_NUMBER',
      'PERCENTAGE_GAIN',
      'CHRONOLOGICAL',
    ],
    reversible: true,
  },
  {
    name: 'productEvs',
    sorts: [
      'HIGHEST_ESTIMATED_VALUE',
      'LOWEST_ESTIMATED_VALUE',
      'HIGHEST_MARKET_PRICE',
      'LOWEST_MARKET_PRICE',
      'MARKET_PRICE_DELTA_POSITIVE',
      'MARKET_PRICE_DELTA_NEGATIVE',
      'NEWEST_RELEASE_DATE',
      'OLDEST_RELEASE_DATE',
    ],
  },
  { name: 'sets', sorts: [] },
  { name: 'products', sorts: [], always: 'query: "class:ninja set:wtr"' },
];

/** A list in one order. */
export interface OrderedList {
  list: List;
  sort?: string;
  reverse?: boolean;
}

export const ORDERED_LISTS: readonly OrderedList[] = LISTS.flatMap((list) => [
  ...(list.sorts.length === 0 ? [{ list }] : []),
  ...list.sorts.flatMap((sort) =>
    (list.reversible ? [false, true] : [false]).map((reverse) => ({ list, sort, reverse })),
  ),
]);

export function labelOf({ list, sort, reverse }: OrderedList): string {
  return [list.name, sort, reverse && 'reversed'].filter(Boolean).join(' ');
}

export interface PageArguments {
  first?: number | null;
  last?: number | null;
  after?: string | null;
  before?: string | null;
}

export interface ConnectionPage {
  edges: { cursor: string; node: { id: string } }[];
  nodes: { id: string }[];
  pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor: string | null;
    endCursor: string | null;
  };
  totalCount: number;
}

const CONNECTION = `{ edges { cursor node { id } } nodes { id } totalCount
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }`;

/** The operation that asks for a page, with `fields` of the connection. */
export function pageDocument({ list, sort, reverse }: OrderedList, fields = CONNECTION): string {
  const args = [
    'first: $first, last: $last, after: $after, before: $before',
    list.always,
    sort && `sort: ${sort}`,
    reverse && 'reverse: true',
  ];
  const field = `${list.name}(${args.filter(Boolean).join(', ')}) ${fields}`;
  const variables = '$first: Int, $last: Int, $after: String, $before: String';
  return list.inCollection
    ? `query (${variables}, $parent: ID!) { collection(id: $parent) { ${field} } }`
    : `query (${variables}) { ${field} }`;
}

/** Asks for a page of a list; `parent` is the collection of those that are in one. */
export function sendPage(
  app: TestApp,
  ordered: OrderedList,
  parent: string,
  page: PageArguments,
  fields?: string,
): Promise<TestResponse> {
  const variables = { ...page, ...(ordered.list.inCollection && { parent }) };
  return app.send('POST', '/graphql', { query: pageDocument(ordered, fields), variables });
}

export async function readPage(
  app: TestApp,
  ordered: OrderedList,
  parent: string,
  page: PageArguments,
): Promise<ConnectionPage> {
  const { body } = await sendPage(app, ordered, parent, page);
  if (body.errors) throw new Error(`${labelOf(ordered)}: ${JSON.stringify(body.errors)}`);
  return (ordered.list.inCollection ? body.data.collection : body.data)[ordered.list.name];
}

/** Reads a list page by page, in its order whatever the direction; `between` runs after each page but the last. */
export async function walk(
  app: TestApp,
  ordered: OrderedList,
  parent: string,
  { size, backwards, between }: { size: number; backwards: boolean; between?: () => Promise<void> },
): Promise<ConnectionPage[]> {
  const pages: ConnectionPage[] = [];
  let cursor: string | null = null;
  for (;;) {
    const page: ConnectionPage = await readPage(
      app,
      ordered,
      parent,
      backwards ? { last: size, before: cursor } : { first: size, after: cursor },
    );
    if (backwards) pages.unshift(page);
    else pages.push(page);
    if (!(backwards ? page.pageInfo.hasPreviousPage : page.pageInfo.hasNextPage)) return pages;
    cursor = backwards ? page.pageInfo.startCursor : page.pageInfo.endCursor;
    await between?.();
  }
}

export const idsOf = (pages: ConnectionPage[]) =>
  pages.flatMap(({ edges }) => edges.map(({ node }) => node.id));
