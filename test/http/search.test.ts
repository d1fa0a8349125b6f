import { describe, expect, it } from 'vitest';
import { describeOnDatabases, newTestApp, statementsOf, type TestApp } from '../harness.ts';
import { allPages, expectPagination, expectProblem, newCollection, record } from './support.ts';

interface Result {
  productId: string;
  name: string;
  imageUrl: string;
  number: string | null;
}

const BAD_QUERIES: [query: string, column: number | null][] = [
  ['', 1],
  ['   ', 1],
  ['x'.repeat(201), 201],
  ['"command and', null],
  ['(ninja', null],
  ['ninja)', null],
  ['nothing:x', 1],
  ['cost>=', null],
  ['cost>=x', null],
  ['a\u0000b', null],
];

describeOnDatabases('REST product search', (database) => {
  const search = async (app: TestApp, q: string, more = '') => {
    const { status, body } = await app.send('GET', `/product/search?q=${encodeURIComponent(q)}${more}`);
    expect(status).toBe(200);
    return body.results as Result[];
  };

  it('gives the fields of the contract, and no others', async () => {
    const app = await newTestApp(database());
    const [first] = await search(app, 'command and conquer');
    const [row] = await database().query<Result>(
      'select id as "productId", name, image_url as "imageUrl", number from product where id = $1',
      [first!.productId],
    );
    expect(first).toEqual(row);
  });

  it('finds an exact number first', async () => {
    const app = await newTestApp(database());
    for (const q of ['WTR040', 'wtr040', ' wtr-040 ']) {
      expect((await search(app, q))[0]).toMatchObject({ number: 'WTR040' });
    }
  });

  it('finds an exact name first, whatever its accents, case and punctuation', async () => {
    const app = await newTestApp(database());
    for (const q of ['Command and Conquer', 'command AND conquer', 'cómmand-and-conquer!']) {
      expect((await search(app, q))[0]!.name).toBe('Command and Conquer');
    }
  });

  it('finds a name that is spelt nearly right', async () => {
    const app = await newTestApp(database());
    const names = (await search(app, 'comand and conqer')).map(({ name }) => name);
    expect(names).toContain('Command and Conquer');
    expect(names[0]).toBe('Command and Conquer');
  });

  it('finds nothing where there is nothing', async () => {
    const app = await newTestApp(database());
    const nothing = 'zzqxjkvw qqqzzzxxy';
    expect(await search(app, nothing)).toEqual([]);
    const path = `/product/search?q=${encodeURIComponent(nothing)}`;
    expect((await app.send('GET', path)).body).toEqual({ results: [] });
    expectProblem(await app.send('GET', `${path}&cursor=1`), 'NotFound');
  });

  it('is in pages, of which 1,000 results can be reached', async () => {
    const app = await newTestApp(database());
    await expectPagination(app, '/product/search?q=command+and+conquer');
    const { items, sizes } = await allPages(app, '/product/search?q=class:generic', 200);
    expect(sizes).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(items.map(({ productId }: Result) => productId)).size).toBe(1000);
    expectProblem(await app.send('GET', '/product/search?q=class:generic&cursor=1000'), 'NotFound');
    const last = await app.send('GET', '/product/search?q=class:generic&cursor=999');
    expect(last.body.results).toHaveLength(1);
    expect('nextCursor' in last.body).toBe(false);
  });

  it('takes 200 characters', async () => {
    const app = await newTestApp(database());
    await search(app, 'x'.repeat(200));
    await search(app, '𝒜'.repeat(200));
    expectProblem(
      await app.send('GET', `/product/search?q=${encodeURIComponent('𝒜'.repeat(201))}`),
      'InvalidQuery',
    );
  });

  it('says where a query is wrong', async () => {
    const app = await newTestApp(database());
    for (const [query, column] of BAD_QUERIES) {
      const answer = await app.send('GET', `/product/search?q=${encodeURIComponent(query)}`);
      expectProblem(answer, 'InvalidQuery');
      expect(answer.body.detail).toMatch(
        column === null ? /column \d+/i : new RegExp(`column ${column}\\b`, 'i'),
      );
    }
  });

  it('needs q, once', async () => {
    const app = await newTestApp(database());
    for (const query of ['', '?q=a&q=b', '?Q=a']) {
      const pointers = query === '?Q=a' ? ['?q', '?Q'] : ['?q'];
      expectProblem(await app.send('GET', `/product/search${query}`), 'ValidationFailed', { pointers });
    }
  });

  it('fails on nothing that people may type', async () => {
    const app = await newTestApp(database());
    const odd = [
      '%',
      "'; drop table product; --",
      '\\',
      '*',
      '🃏',
      'é'.repeat(50),
      'ﷺ',
      '\u202e',
      '-x',
      'or',
      '()',
      '<>',
    ];
    for (const q of odd) {
      const { status } = await app.send('GET', `/product/search?q=${encodeURIComponent(q)}`);
      expect([200, 400]).toContain(status);
    }
    for (const raw of ['%', '%zz', '%ff', '%ed%a0%80', '+', '%00', '%F0%9F']) {
      const { status } = await app.send('GET', `/product/search?q=${raw}`);
      expect([200, 400]).toContain(status);
    }
  });

  describe('within a collection', () => {
    const filled = async () => {
      const app = await newTestApp(database());
      const id = await newCollection(app);
      const [wanted] = await search(app, 'Command and Conquer');
      const [other] = await search(app, 'Enlightened Strike');
      for (const { productId } of [wanted!, other!]) {
        const { variants } = (await app.send('GET', `/product/${productId}`)).body;
        await record(app, id, variants[0].variantId);
      }
      const path = `/collection/${id}/transaction-summary`;
      const find = (query: string) => app.send('GET', `${path}?searchQuery=${encodeURIComponent(query)}`);
      return { app, path, find };
    };

    it('finds the summaries whose product matches', async () => {
      const { app, path, find } = await filled();
      const names = async (query: string) =>
        (await find(query)).body.results.map((s: { productName: string }) => s.productName);
      expect(await names('command and conquer')).toEqual(['Command and Conquer']);
      expect(await names('comand and conqer')).toEqual(['Command and Conquer']);
      expect(await names('zzqxjkvw')).toEqual([]);
      const all = await app.send('GET', path);
      expect(all.body.results).toHaveLength(2);
      expectProblem(await app.send('GET', `${path}?searchQuery=conquer&cursor=1`), 'NotFound');
    });

    describe('is asked of the variant that is held', () => {
      const HELD = [
        'ARC159-First',
        'ARC159-Unlimited-Rainbow',
        'WTR167-Alpha',
        'WTR167-Unlimited',
        'WTR150-Alpha-Cold',
        'FAB001-Gold-Extended Art',
        'MON001-Unlimited',
        'EVR017-First',
      ];

      const held = async () => {
        const app = await newTestApp(database());
        const id = await newCollection(app);
        const variants = await database().query<{ id: string; fcId: string; price: string | null }>(
          `select v.id, v.fc_id as "fcId", p.amount as price from variant v
           left join price p on p.variant_id = v.id where v.fc_id in (select jsonb_array_elements_text($1::jsonb))`,
          [JSON.stringify(HELD)],
        );
        expect(variants).toHaveLength(HELD.length);
        for (const variant of variants) await record(app, id, variant.id);
        const rest = async (query: string) => {
          const path = `/collection/${id}/transaction-summary?searchQuery=${encodeURIComponent(query)}`;
          const { status, body } = await app.send('GET', path);
          expect([query, status]).toEqual([query, 200]);
          return body.results.map(({ fcId }: { fcId: string }) => fcId).sort();
        };
        const graphql = async (query: string) => {
          const document = `query ($id: ID!, $query: String) { node(id: $id) { ... on Collection {
            transactionSummaries(searchQuery: $query) { nodes { variant { fcId } } } } } }`;
          interface Answer {
            node: { transactionSummaries: { nodes: { variant: { fcId: string } }[] } };
          }
          const { node } = await app.graphql<Answer>(document, { id, query });
          return node.transactionSummaries.nodes.map(({ variant }) => variant.fcId).sort();
        };
        const matches = async (searchQuery: string | null) => {
          const document = `query ($id: ID!, $searchQuery: String) { collection(id: $id) {
            transactionSummaries(searchQuery: $searchQuery, sort: CARD_NUMBER) { edges {
              matches { typed field value } node { variant { fcId } } } } } }`;
          interface Answer {
            collection: {
              transactionSummaries: {
                edges: {
                  matches: { typed: string; field: string; value: string }[];
                  node: { variant: { fcId: string } };
                }[];
              };
            };
          }
          const { collection } = await app.graphql<Answer>(document, { id, searchQuery });
          return collection.transactionSummaries.edges.map(({ matches, node }) => [
            node.variant.fcId,
            ...matches.map(({ typed, field, value }) => `${typed} ${field} ${value}`),
          ]);
        };
        return {
          rest,
          graphql,
          matches,
          priceOf: new Map(variants.map(({ fcId, price }) => [fcId, Number(price)])),
        };
      };

      it('by words and fields', async () => {
        const { rest, graphql } = await held();
        const expected: [query: string, fcIds: string[]][] = [
          ['rainbow foil', ['ARC159-Unlimited-Rainbow']],
          ['finish:rainbow', ['ARC159-Unlimited-Rainbow']],
          ['cold foil', ['WTR150-Alpha-Cold']],
          ['gold foil', ['FAB001-Gold-Extended Art']],
          ['is:foil', ['ARC159-Unlimited-Rainbow', 'FAB001-Gold-Extended Art', 'WTR150-Alpha-Cold']],
          ['not:foil snatch', ['WTR167-Alpha', 'WTR167-Unlimited']],
          ['1st edition', ['ARC159-First', 'EVR017-First', 'WTR150-Alpha-Cold', 'WTR167-Alpha']],
          ['alpha', ['WTR150-Alpha-Cold', 'WTR167-Alpha']],
          ['unlimited', ['ARC159-Unlimited-Rainbow', 'MON001-Unlimited', 'WTR167-Unlimited']],
          ['snatch unlimited', ['WTR167-Unlimited']],
          ['snatch cf', []],
          ['-unlimited set:arc', ['ARC159-First']],
          ['edition:first finish:cold', ['WTR150-Alpha-Cold']],
          ['treatment:ea', ['FAB001-Gold-Extended Art']],
          ['rarity:marvel', []],
          ['starvo', ['EVR017-First']],
          ['WTR167-Alpha', ['WTR167-Alpha']],
          ['number:wtr167', ['WTR167-Alpha', 'WTR167-Unlimited']],
          ['snatch and edition:alpha', ['WTR167-Alpha']],
          ['quantity>0 and rainbow foil', ['ARC159-Unlimited-Rainbow']],
          ['-(edition:unlimited or edition:alpha) command', ['ARC159-First']],
        ];
        for (const [query, fcIds] of expected) {
          expect([query, await rest(query)]).toEqual([query, fcIds]);
          expect([query, await graphql(query)]).toEqual([query, fcIds]);
        }
      });

      it('and GraphQL says why each is there', async () => {
        const { matches } = await held();
        expect(await matches('finish:rainbow or snatch alpha')).toEqual([
          ['ARC159-Unlimited-Rainbow', 'rainbow finish rainbow foil'],
          ['WTR167-Alpha', 'snatch name snatch red', 'alpha edition alpha'],
        ]);
        expect(await matches('(quantity>4 or invested>0) snatch -alpha')).toEqual([
          ['WTR167-Unlimited', 'snatch name snatch red', expect.stringMatching(/^0 invested \d+\.\d\d$/)],
        ]);
        expect((await matches('gain<0|gain>=0 profit=0 value>0')).flat()).toContain('0 profit 0.00');
        expect((await matches('cold '.repeat(21)))[0]).toHaveLength(1 + 20);
        expect((await matches('cold '.repeat(19)))[0]).toHaveLength(1 + 19);
        expect(await matches(null)).toHaveLength(HELD.length);
        expect((await matches(null)).every(({ length }) => length === 1)).toBe(true);
      });

      it('and sends no more of the catalogue than is held', async () => {
        const { rest } = await held();
        const sent = async (query: string) => {
          const { result, statements } = await statementsOf(() => rest(query));
          return { result, length: Math.max(...statements.map(({ params }) => String(params).length)) };
        };
        const all = await sent('(quantity>9 or -snatch) (quantity>8 or -rf) (quantity>7 or -banned:cc)');
        expect(all.result).toContain('ARC159-First');
        expect(all.result).not.toContain('WTR167-Alpha');
        expect(all.length).toBeLessThan(2000);
        expect((await sent('snatch')).result).toEqual(['WTR167-Alpha', 'WTR167-Unlimited']);
      });

      it('by its price', async () => {
        const { rest, priceOf } = await held();
        const [dear, cheap] = ['ARC159-First', 'ARC159-Unlimited-Rainbow'].toSorted(
          (a, b) => priceOf.get(b)! - priceOf.get(a)!,
        ) as [string, string];
        expect(priceOf.get(dear)).toBeGreaterThan(priceOf.get(cheap)!);
        expect(await rest(`set:arc price<=${priceOf.get(cheap)}`)).toEqual([cheap]);
        expect(await rest(`set:arc price>${priceOf.get(cheap)}`)).toEqual([dear]);
        expect(await rest(`set:arc eur>0`)).toEqual([dear, cheap].sort());
      });
    });

    it('says where a query is wrong', async () => {
      const { find } = await filled();
      for (const [query] of BAD_QUERIES) expectProblem(await find(query), 'InvalidQuery');
    });
  });
});
