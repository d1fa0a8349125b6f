import { beforeAll, describe, expect, it } from 'vitest';
import {
  COLLECTION_SORTS,
  PRODUCT_EV_SORTS,
  SUMMARY_SORTS,
  TRANSACTION_SORTS,
} from '../../src/domain/orders.ts';
import { describeOnOneDatabase, newTestApp, type TestApp } from '../harness.ts';
import { type Furnished, furnish } from '../support/furnished.ts';
import { type Item, MAPPINGS } from './representations.ts';

/** A list in one order, as both transports name it. */
interface Case {
  label: string;
  path: (furnished: Furnished) => string;
  /** Query parameters. */
  query?: Record<string, string>;
  field: keyof typeof MAPPINGS;
  /** Arguments besides those of the page. */
  args: string;
}

const inCapitals = (name: string) => name.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase();

const sorted = (
  field: Case['field'],
  path: Case['path'],
  parameter: string,
  sorts: readonly string[],
  more: { args?: string; query?: Record<string, string> } = {},
): Case[] => [
  {
    label: `${field} without a sort`,
    field,
    path,
    args: more.args ?? '',
    ...(more.query && { query: more.query }),
  },
  ...sorts.map((sort) => ({
    label: `${field} by ${sort} ${Object.values(more.query ?? {}).join(' ')}`,
    field,
    path,
    query: { ...more.query, [parameter]: sort },
    args: `sort: ${inCapitals(sort)}${more.args ?? ''}`,
  })),
];

const SUMMARIES = ({ stocked }: Furnished) => `/collection/${stocked}/transaction-summary`;

const CASES: Case[] = [
  ...sorted('collections', () => '/collection', 'sort', COLLECTION_SORTS),
  ...sorted(
    'transactions',
    ({ stocked }) => `/collection/${stocked}/transaction`,
    'sortOrder',
    TRANSACTION_SORTS,
  ),
  ...sorted('transactionSummaries', SUMMARIES, 'sort', SUMMARY_SORTS),
  ...sorted('transactionSummaries', SUMMARIES, 'sortOrder', SUMMARY_SORTS, {
    query: { searchQuery: 'class:ninja or class:generic' },
    args: ', searchQuery: "class:ninja or class:generic"',
  }),
  ...sorted('productEvs', () => '/ev/list', 'sort', PRODUCT_EV_SORTS),
  ...sorted('productEvs', () => '/ev/list', 'sort', PRODUCT_EV_SORTS, {
    query: { productType: 'Pack' },
    args: ', productType: PACK',
  }),
  ...['command and conquer', 'comand and conqer', 'wtr', 'class:ninja cost<2', '"go again"', 'Éclair'].map(
    (q) => ({
      label: `products for ${q}`,
      field: 'products' as const,
      path: () => '/product/search',
      query: { q },
      args: `query: ${JSON.stringify(q)}`,
    }),
  ),
];

describeOnOneDatabase('both transports give the same lists', (database) => {
  let app: TestApp;
  let furnished: Furnished;

  beforeAll(async () => {
    app = await newTestApp(database());
    furnished = await furnish(database(), app);
  });

  const overRest = async (one: Case, pageSize: number): Promise<Item[]> => {
    const items: Item[] = [];
    let cursor: number | undefined = 0;
    while (cursor !== undefined) {
      const query: string = new URLSearchParams({
        ...one.query,
        cursor: `${cursor}`,
        pageSize: `${pageSize}`,
      }).toString();
      const { status, body } = await app.send('GET', `${one.path(furnished)}?${query}`);
      expect(status, JSON.stringify(body)).toBe(200);
      items.push(...body.results);
      expect(body.nextCursor).toBe(body.nextCursor === undefined ? undefined : items.length);
      cursor = body.nextCursor;
    }
    return items;
  };

  const overGraphQL = async (one: Case, first: number): Promise<Item[]> => {
    const { isInCollection, selection } = MAPPINGS[one.field];
    const field = `${one.field}(first: $first, after: $after ${one.args}) {
      nodes ${selection} totalCount pageInfo { hasNextPage endCursor } }`;
    const query = `query ($first: Int, $after: String ${isInCollection ? ', $id: ID!' : ''}) {
      ${isInCollection ? `collection(id: $id) { ${field} }` : field} }`;
    const nodes: Item[] = [];
    let after: string | null = null;
    for (;;) {
      const variables = { first, after, ...(isInCollection && { id: furnished.stocked }) };
      const data: Item = await app.graphql(query, variables);
      const page: Item = (isInCollection ? data.collection : data)[one.field];
      nodes.push(...page.nodes);
      if (!page.pageInfo.hasNextPage) {
        expect(page.totalCount).toBe(nodes.length);
        return nodes;
      }
      after = page.pageInfo.endCursor;
    }
  };

  describe.each(CASES.map((one) => [one.label, one] as const))('%s', (_label, one) => {
    const { id, toRest } = MAPPINGS[one.field];

    it('has the same items in the same order, with the same values', async () => {
      const rest = await overRest(one, 200);
      const graphql = (await overGraphQL(one, 100)).map(toRest);
      expect(graphql.map(id)).toEqual(rest.map(id));
      expect(graphql).toEqual(rest);
      if (one.field !== 'transactionSummaries' && one.field !== 'products')
        expect(rest.length).toBeGreaterThan(10);
    });

    it('has them page by page, too', async () => {
      const pages = one.field === 'products' ? 40 : 7;
      const ids = (await overRest(one, 200)).map(id);
      expect((await overRest(one, pages)).map(id)).toEqual(ids);
      expect((await overGraphQL(one, pages)).map(toRest).map(id)).toEqual(ids);
    });
  });
});
