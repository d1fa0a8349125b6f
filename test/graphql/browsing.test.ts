import { beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/domain/limits.ts';
import { naturalKey } from '../../src/domain/natural-order.ts';
import { fold } from '../../src/domain/search/normalise.ts';
import { asNewAccount, describeOnDatabases, newTestApp, statementsOf, type TestApp } from '../harness.ts';
import { entry } from '../support/furnished.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests assert on the shape of answers
type Any = any;

describeOnDatabases('browsing the catalogue', (database) => {
  let app: TestApp;

  beforeAll(async () => {
    app = await newTestApp(database());
  });

  const ask = async (query: string, variables?: object): Promise<Any> =>
    (await app.send('POST', '/graphql', { query, variables })).body;
  const names = (text: string) => ask(`{ products(${text}) { totalCount nodes { id name number } } }`);

  describe('sets', () => {
    it('are those of all products, the newest first', async () => {
      const { data } = await ask(
        '{ sets(first: 200) { totalCount nodes { id code name releaseDate kind editions cardCount sealedCount variantCount } } }',
      );
      const rows = await database().query<Any>(
        `select p.set_code as code, count(*) filter (where sealed_set_type is null)::integer as "cardCount",
           count(*) filter (where sealed_set_type is not null)::integer as "sealedCount",
           min(release_date)::text as "releaseDate",
           sum((select count(*) from variant v where v.product_id = p.id)) filter (where sealed_set_type is null)::integer as "variantCount"
         from product p group by p.set_code`,
      );
      const sets = data.sets.nodes;
      expect(data.sets.totalCount).toBe(rows.length);
      const counted = sets.map(({ code, cardCount, sealedCount, variantCount, releaseDate }: Any) => ({
        ...{ code, cardCount, sealedCount, variantCount, releaseDate },
      }));
      const byCode = (a: Any, b: Any) => (a.code < b.code ? -1 : 1);
      expect(counted.toSorted(byCode)).toEqual(rows.toSorted(byCode));
      const days = sets.map(({ releaseDate }: Any) => releaseDate ?? '');
      expect(days).toEqual(days.toSorted().reverse());
      expect(sets.find(({ code }: Any) => code === 'WTR')).toMatchObject({
        id: 'set_WTR',
        name: 'Welcome to Rathe',
        kind: 'BOOSTER',
        editions: ['1st', 'Unlimited'],
      });
    });

    it('are found by code and by id, and from a product', async () => {
      const { data } = await ask(
        `{ set(code: "WTR") { name } lower: set(code: "wtr") { name } none: set(code: "wtr?") { name } node(id: "set_WTR") { __typename id }
           other: node(id: "set_nothing") { id } products(query: "command and conquer set:arc") { nodes { set { code name } } } }`,
      );
      expect(data).toMatchObject({
        set: { name: 'Welcome to Rathe' },
        lower: { name: 'Welcome to Rathe' },
        none: null,
        node: { __typename: 'Set', id: 'set_WTR' },
        other: null,
      });
      expect(data.products.nodes[0].set).toEqual({ code: 'ARC', name: 'Arcane Rising' });
    });

    it('are read page by page, from either end', async () => {
      const codes = async (args: string) => {
        const { data } = await ask(
          `{ sets(${args}) { nodes { code } pageInfo { endCursor startCursor hasNextPage } } }`,
        );
        return data.sets;
      };
      const all = (await codes('first: 200')).nodes;
      const first = await codes('first: 40');
      const second = await codes(`first: 40, after: "${first.pageInfo.endCursor}"`);
      const last = await codes(`last: 200, after: "${second.pageInfo.endCursor}"`);
      expect([...first.nodes, ...second.nodes, ...last.nodes]).toEqual(all);
    });
  });

  describe('products', () => {
    it('are all there are without a query', async () => {
      const [row] = await database().query<{ count: number }>('select count(*) as count from product');
      expect((await names('sort: NUMBER, first: 1')).data.products.totalCount).toBe(row!.count);
      expect((await names('first: 1')).data.products.totalCount).toBe(LIMITS.searchResults);
    });

    const KEYS: Record<string, (product: Any) => string | number> = {
      NUMBER: ({ number }) => naturalKey(number),
      NAME: ({ name }) => fold(name),
      RELEASE: ({ set }) => -Number((set.releaseDate ?? '0').replaceAll('-', '')),
      VOLUME: ({ variants }) =>
        -variants.flatMap(({ saleVolumes }: Any) => saleVolumes).reduce((a: number, b: number) => a + b, 0),
      PRICE: ({ variants }) => {
        const prices = variants.flatMap(({ marketPrice }: Any) => marketPrice?.value ?? []);
        return prices.length === 0 ? Infinity : -Math.min(...prices);
      },
    };

    it.each(Object.keys(KEYS))('are in the order of %s, from both ends, page by page', async (sort) => {
      const page = async (args: string) =>
        (
          await ask(
            `{ products(query: "set:arc,cru", sort: ${sort}, ${args}) { totalCount pageInfo { endCursor startCursor hasNextPage hasPreviousPage }
               nodes { id name number set { releaseDate } variants { saleVolumes marketPrice(currency: USD) { value } } } } }`,
          )
        ).data.products;
      const forwards: Any[] = [];
      for (let after = ''; ; ) {
        const { nodes, pageInfo } = await page(`first: 90${after}`);
        forwards.push(...nodes);
        if (!pageInfo.hasNextPage) break;
        after = `, after: "${pageInfo.endCursor}"`;
      }
      const keys = forwards.map(KEYS[sort]!);
      expect(keys).toEqual(keys.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
      const { totalCount, pageInfo } = await page('first: 1');
      expect(new Set(forwards.map(({ id }) => id)).size).toBe(totalCount);
      expect(pageInfo.hasPreviousPage).toBe(false);
      const last = await page('last: 90');
      expect(last.nodes.map(({ id }: Any) => id)).toEqual(forwards.slice(-90).map(({ id }) => id));
      const reversed = await page('first: 90, reverse: true');
      expect(reversed.nodes.map(({ id }: Any) => id)).toEqual(
        forwards
          .slice(-90)
          .reverse()
          .map(({ id }) => id),
      );
    });

    it.each([
      ['filter: { set: ["WTR", "ARC"], class: ["Ninja"] }', 'set:wtr,arc class:ninja'],
      [
        'filter: { rarity: ["Majestic"], sealed: false, set: ["Arcane Rising"] }',
        'r:majestic set:arc not:sealed',
      ],
      ['filter: { sealed: true }', 'is:sealed'],
      [
        'query: "strike", filter: { finish: ["Cold Foil"], edition: ["1st"] }',
        'strike finish:cold edition:1st',
      ],
      ['filter: { treatment: ["Extended Art"] }', 'treatment:ea'],
    ])('match %s as %s', async (args, query) => {
      const ids = ({ data }: Any) => data.products.nodes.map(({ id }: Any) => id);
      const wanted = await names(`query: "${query}", sort: NAME, first: 200`);
      expect(ids(wanted).length).toBeGreaterThan(0);
      expect(ids(await names(`${args}, sort: NAME, first: 200`))).toEqual(ids(wanted));
    });

    it('have facets and matches beside filters', async () => {
      const { data } = await ask(
        `{ products(query: "strike", filter: { class: ["Ninja"] }, first: 1) { didYouMean facets { class { value count } } edges { matches { typed field } } }
           all: products(sort: NUMBER, first: 1) { didYouMean edges { matches { typed } } } }`,
      );
      expect(data.products.facets.class[0].value).toBe('Ninja');
      expect(data.products.edges[0].matches).toEqual([{ typed: 'strike', field: 'name' }]);
      expect(data.all).toEqual({ didYouMean: null, edges: [{ matches: [] }] });
    });

    it('refuse cursors of another order, relevance from its other end, and filters beyond the limits', async () => {
      const { data } = await ask('{ products(sort: NAME, first: 1) { pageInfo { endCursor } } }');
      const { endCursor } = data.products.pageInfo;
      const codeOf = async (args: string, variables?: object) => {
        const body = await ask(
          variables
            ? `query ($f: ProductFilter) { products(${args}) { totalCount } }`
            : `{ products(${args}) { totalCount } }`,
          variables,
        );
        return body.errors?.[0].extensions.code;
      };
      expect(await codeOf(`sort: PRICE, after: "${endCursor}"`)).toBe('BAD_USER_INPUT');
      expect(await codeOf(`sort: NAME, reverse: true, after: "${endCursor}"`)).toBe('BAD_USER_INPUT');
      expect(await codeOf('reverse: true')).toBe('BAD_USER_INPUT');
      const values = (count: number, characters = 3) => ({
        f: { set: Array(count).fill('W'.repeat(characters)) },
      });
      expect(await codeOf('filter: $f', values(LIMITS.filterValues))).toBeUndefined();
      expect(await codeOf('filter: $f', values(LIMITS.filterValues + 1))).toBe('BAD_USER_INPUT');
      expect(await codeOf('filter: $f', values(0))).toBe('BAD_USER_INPUT');
      expect(await codeOf('filter: $f', values(1, LIMITS.filterValueCharacters))).toBeUndefined();
      expect(await codeOf('filter: $f', values(1, LIMITS.filterValueCharacters + 1))).toBe('BAD_USER_INPUT');
      expect(await codeOf('filter: { set: ["!?"] }')).toBe('BAD_USER_INPUT');
      expect(await codeOf('filter: { set: ["nothing"] }')).toBeUndefined();
    });
  });

  describe('what is owned', () => {
    let owner: TestApp;
    let variants: string[];
    let product: string;
    let binder: string;

    const collectionOf = async (of: TestApp, cards: [string, number, ('Purchase' | 'Sale')?][]) => {
      const { body } = await of.send('POST', '/collection', { name: 'Cards' });
      for (const [variantId, quantity, action = 'Purchase'] of cards)
        await of.send(
          'POST',
          `/collection/${body.collectionId}/transaction`,
          entry(variantId, { quantity, action }),
        );
      return body.collectionId;
    };
    const owned = async (of: TestApp, args = '') => {
      const text = `owned${args && `(${args})`}`;
      const { product: found } = await of.graphql<Any>(
        `{ product(id: "${product}") { ${text} variants { id ${text} } } }`,
      );
      return [
        found.owned,
        ...variants.slice(0, 2).map((id) => found.variants.find((v: Any) => v.id === id).owned),
      ];
    };

    beforeAll(async () => {
      owner = await asNewAccount(database(), app.fetch);
      const rows = await database().query<{ id: string; product: string }>(
        `select id, product_id as product from variant where product_id = (
           select v.product_id from variant v join product p on p.id = v.product_id
           where p.set_code = 'ARC' and p.sealed_set_type is null group by 1 having count(*) = 4 order by 1 limit 1) order by position`,
      );
      variants = rows.map(({ id }) => id);
      product = rows[0]!.product;
      binder = await collectionOf(owner, [
        [variants[0]!, 3],
        [variants[1]!, 2],
        [variants[1]!, 5, 'Sale'],
      ]);
      await collectionOf(owner, [
        [variants[0]!, 1],
        [variants[1]!, 4],
      ]);
    });

    it('is that of all collections or of one, what is oversold in one counts as none', async () => {
      expect(await owned(owner)).toEqual([8, 4, 4]);
      expect(await owned(owner, `collectionId: "${binder}"`)).toEqual([3, 3, 0]);
      const gone = await collectionOf(owner, [[variants[0]!, 7]]);
      expect(await owned(owner)).toEqual([15, 11, 4]);
      await owner.send('DELETE', `/collection/${gone}`);
      expect(await owned(owner)).toEqual([8, 4, 4]);
      expect(await owned(owner, `collectionId: "${gone}"`)).toEqual([0, 0, 0]);
    });

    it("is told of the caller's alone, though texts of the catalogue are kept", async () => {
      expect(await owned(app)).toEqual([0, 0, 0]);
      expect(await owned(app, `collectionId: "${binder}"`)).toEqual([0, 0, 0]);
      expect(await owned(owner)).toEqual([8, 4, 4]);
    });

    it('takes one statement for 200 products', async () => {
      const query = '{ products(filter: { set: ["WTR"] }, sort: NUMBER, first: 200) { nodes { id owned } } }';
      await owner.graphql(query);
      const { result, statements } = await statementsOf(() => owner.graphql<Any>(query));
      expect(result.products.nodes).toHaveLength(200);
      expect(statements).toHaveLength(1);
    });

    it('completes a set, by what is wanted one of each of', async () => {
      const completion = async (of: TestApp, args = '') => {
        const data = await of.graphql<Any>(
          `{ set(code: "ARC") { cardCount variantCount completion(collectionId: "${binder}"${args}) {
               wanted owned missing unpricedMissing costToComplete { value } } } }`,
        );
        return data.set;
      };
      const products = await completion(owner);
      expect(products.completion).toMatchObject({
        wanted: products.cardCount,
        owned: 1,
        missing: products.cardCount - 1,
      });
      expect(products.completion.costToComplete.value).toBeGreaterThan(0);
      const ofVariants = await completion(owner, ', match: VARIANT');
      expect(ofVariants.completion).toMatchObject({ wanted: ofVariants.variantCount, owned: 1 });
      const ofCards = await completion(owner, ', match: CARD');
      expect(ofCards.completion.owned).toBe(1);
      expect(ofCards.completion.wanted).toBeLessThanOrEqual(products.cardCount);
      expect((await completion(app)).completion).toBeNull();
    });

    it('completes a set as a goal of it does', async () => {
      const [wanted, goal] = [[], []] as Any[][];
      for (const match of ['VARIANT', 'PRODUCT', 'CARD']) {
        await owner.graphql(
          `mutation { setGoalCollection(input: { collectionId: "${binder}", target: { setCode: "CRU" }, match: ${match} }) { __typename } }`,
        );
        const fields = '{ wanted owned missing unpricedMissing costToComplete { value } }';
        const data = await owner.graphql<Any>(
          `{ set(code: "CRU") { completion(collectionId: "${binder}", match: ${match}) ${fields} }
             collection(id: "${binder}") { goal { progress ${fields} } } }`,
        );
        wanted!.push(data.set.completion);
        goal!.push(data.collection.goal.progress);
      }
      expect(wanted).toEqual(goal);
    });

    it('reads many sets of a collection in one statement', async () => {
      const query = `{ sets(first: 20) { nodes { completion(collectionId: "${binder}") { owned } } } }`;
      await owner.graphql(query);
      const { statements } = await statementsOf(() => owner.graphql(query));
      // The collection, for what that costs; then all completions.
      expect(statements).toHaveLength(2);
    });
  });
});
