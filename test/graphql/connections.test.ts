import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeOnDatabases, newTestApp, type TestApp } from '../harness.ts';
import { type Furnished, furnish } from '../support/furnished.ts';
import { fuzzRuns } from '../support/fuzz.ts';
import {
  type ConnectionPage,
  idsOf,
  labelOf,
  ORDERED_LISTS,
  type OrderedList,
  readPage,
  walk,
} from './lists.ts';

const CASES = ORDERED_LISTS.map((ordered) => [labelOf(ordered), ordered] as const);

describeOnDatabases('connections', (database) => {
  let app: TestApp;
  let furnished: Furnished;

  beforeAll(async () => {
    app = await newTestApp(database());
    furnished = await furnish(database(), app);
  });

  const whole = (ordered: OrderedList) => readPage(app, ordered, furnished.stocked, { first: 200 });
  const cursorsOf = ({ edges }: ConnectionPage) => edges.map(({ cursor }) => cursor);

  describe.each(CASES)('%s', (_label, ordered) => {
    it('cover the list exactly once, in either direction and with any page size', async () => {
      const all = await whole(ordered);
      const ids = idsOf([all]);
      expect(ids.length).toBeGreaterThan(10);
      expect(new Set(ids).size).toBe(ids.length);
      expect(all.totalCount).toBe(ids.length);
      const sizes = fc.oneof(fc.integer({ min: 2, max: 12 }), fc.integer({ min: 1, max: ids.length + 2 }));
      await fc.assert(
        fc.asyncProperty(sizes, fc.boolean(), async (size, backwards) => {
          const pages = await walk(app, ordered, furnished.stocked, { size, backwards });
          expect(idsOf(pages)).toEqual(ids);
          expect(pages.flatMap(cursorsOf)).toEqual(cursorsOf(all));
          expect(pages).toHaveLength(Math.ceil(ids.length / size));
          const partial = backwards ? pages[0]! : pages.at(-1)!;
          for (const [i, page] of pages.entries()) {
            if (page !== partial) expect(page.edges).toHaveLength(size);
            expect(page.nodes).toEqual(page.edges.map(({ node }) => node));
            expect(page.totalCount).toBe(ids.length);
            expect(page.pageInfo).toEqual({
              hasPreviousPage: i > 0,
              hasNextPage: i < pages.length - 1,
              startCursor: page.edges[0]!.cursor,
              endCursor: page.edges.at(-1)!.cursor,
            });
          }
        }),
        {
          numRuns: fuzzRuns(4),
          examples: [
            [200, false],
            [200, true],
          ],
        },
      );
    });

    it('cut what is between two cursors', async () => {
      const all = await whole(ordered);
      const ids = idsOf([all]);
      const cursors = cursorsOf(all);
      const index = fc.integer({ min: 0, max: ids.length - 1 });
      await fc.assert(
        fc.asyncProperty(
          index,
          index,
          fc.integer({ min: 1, max: 20 }),
          fc.boolean(),
          async (a, b, size, fromEnd) => {
            const bounds = { after: cursors[a]!, before: cursors[b]! };
            const page = await readPage(app, ordered, furnished.stocked, {
              ...bounds,
              ...(fromEnd ? { last: size } : { first: size }),
            });
            const between = ids.slice(a + 1, Math.max(a + 1, b));
            const expected = fromEnd ? between.slice(-size) : between.slice(0, size);
            expect(idsOf([page])).toEqual(expected);
            expect(page.totalCount).toBe(ids.length);
            if (expected.length === 0)
              expect(page.pageInfo).toMatchObject({ startCursor: null, endCursor: null });
            if (between.length > expected.length) {
              expect(fromEnd ? page.pageInfo.hasPreviousPage : page.pageInfo.hasNextPage).toBe(true);
            }
          },
        ),
        { numRuns: fuzzRuns(4) },
      );
    });

    it('have the first 50 where no size is given, from either cursor', async () => {
      const all = await whole(ordered);
      const ids = idsOf([all]);
      const cursors = cursorsOf(all);
      const read = async (page: object) => idsOf([await readPage(app, ordered, furnished.stocked, page)]);
      expect(await read({})).toEqual(ids.slice(0, 50));
      expect(await read({ first: null, last: null, after: null, before: null })).toEqual(ids.slice(0, 50));
      expect(await read({ after: cursors[4] })).toEqual(ids.slice(5, 55));
      expect(await read({ before: cursors[4] })).toEqual(ids.slice(0, 4));
      expect(await read({ before: cursors[0] })).toEqual([]);
      expect(await read({ after: cursors.at(-1) })).toEqual([]);
    });
  });

  it.each(CASES.filter(([, { reverse }]) => reverse))(
    '%s is the list from its other end',
    async (_label, ordered) => {
      const reversed = idsOf([await whole(ordered)]);
      const forward = idsOf([await whole({ ...ordered, reverse: false })]);
      expect(reversed).toEqual([...forward].reverse());
    },
  );

  it('give each collection of a page its own page', async () => {
    const fields = 'totalCount pageInfo { hasNextPage } nodes { id }';
    const { collections } = await app.graphql<{
      collections: {
        nodes: { id: string; transactions: ConnectionPage; transactionSummaries: ConnectionPage }[];
      };
    }>(
      `{ collections { nodes { id transactions(first: 3) { ${fields} } transactionSummaries(first: 3) { ${fields} } } } }`,
    );
    for (const { id, transactions, transactionSummaries } of collections.nodes) {
      for (const [name, page] of Object.entries({ transactions, transactionSummaries })) {
        const list = ORDERED_LISTS.find((one) => one.list.name === name && !one.reverse)!;
        const alone = await readPage(app, list, id, { first: 3 });
        expect(page).toEqual({
          totalCount: alone.totalCount,
          pageInfo: { hasNextPage: alone.pageInfo.hasNextPage },
          nodes: alone.nodes,
        });
      }
    }
  });
});
