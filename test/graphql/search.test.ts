import { expect, it } from 'vitest';
import { describeOnDatabases, newTestApp } from '../harness.ts';

interface Match {
  typed: string;
  field: string;
  value: string;
  place: number | null;
}

interface Found {
  products: {
    totalCount: number;
    didYouMean: string | null;
    facets: Record<string, { value: string; count: number }[]>;
    edges: { matches: Match[]; node: { name: string; number: string | null } }[];
  };
}

const FACET = '{ value label count }';
const SEARCH = `query ($query: String!) { products(query: $query, first: 1) {
  totalCount didYouMean
  facets { class ${FACET} set ${FACET} rarity ${FACET} finish ${FACET} edition ${FACET} treatment ${FACET} }
  edges { matches { typed field value place } node { name number } } } }`;

const SUGGEST = `query ($text: String!, $first: Int) { suggest(text: $text, first: $first) { text kind completion } }`;

describeOnDatabases('GraphQL product search', (database) => {
  it('says why a product is found, and where the query matches', async () => {
    const app = await newTestApp(database());
    const matches = async (query: string) => {
      const { products } = await app.graphql<Found>(SEARCH, { query });
      return products.edges[0]!.matches.map(({ typed, field, value, place }) => [typed, field, value, place]);
    };
    expect(await matches('comand and conquer set:arc')).toEqual([
      ['comand', 'name', 'command and conquer', 1],
      ['and', 'name', 'command and conquer', 2],
      ['conquer', 'name', 'command and conquer', 3],
      ['arc', 'set', 'arc', null],
    ]);
    expect(await matches('snatch cf or snatch rf p:1')).toEqual([
      ['snatch', 'name', 'snatch red', 1],
      ['rf', 'finish', 'rainbow foil', null],
      ['1', 'pitch', '1', null],
    ]);
    expect(await matches('WTR114')).toEqual([['WTR114', 'number', 'wtr114', null]]);
    expect(await matches('snatch '.repeat(20))).toHaveLength(20);
    expect(await matches('snatch '.repeat(21))).toHaveLength(20);
    expect(await matches('snatch '.repeat(19))).toHaveLength(19);
  });

  it('counts by finish, edition and treatment what is found', async () => {
    const app = await newTestApp(database());
    const { products } = await app.graphql<Found>(SEARCH, { query: '!"command and conquer" set:arc' });
    expect(products.facets).toMatchObject({
      finish: [
        { value: 'Normal', count: 1 },
        { value: 'Rainbow Foil', count: 1 },
      ],
      edition: [
        { value: '1st', label: '1st Edition', count: 1 },
        { value: 'Unlimited', label: 'Unlimited Edition', count: 1 },
      ],
      treatment: [],
    });
    const foils = await app.graphql<Found>(SEARCH, { query: '!"command and conquer" set:arc rf unlimited' });
    expect(foils.products.facets).toMatchObject({
      finish: [{ value: 'Rainbow Foil', count: 1 }],
      edition: [{ value: 'Unlimited', count: 1 }],
    });
  });

  it('gives the closest value for one that there is not', async () => {
    const app = await newTestApp(database());
    for (const [query, meant] of [
      ['class:ninjja', 'class:ninja'],
      ['set:wrt snatch', 'set:wtr snatch'],
      ['keyword:"go agian"', 'keyword:"go again"'],
      ['finish:cld', 'finish:cold'],
      ['artist:gurskyi', 'artist:gurskiy'],
      ['class:qqqqqq', null],
    ]) {
      const { products } = await app.graphql<Found>(SEARCH, { query });
      expect([products.totalCount, products.didYouMean]).toEqual([0, meant]);
    }
  });

  it('completes what is typed', async () => {
    const app = await newTestApp(database());
    const suggest = async (text: string, first?: number) => {
      const { suggest: found } = await app.graphql<{ suggest: { text: string; kind: string }[] }>(SUGGEST, {
        text,
        first,
      });
      return found.map(({ text, kind }) => `${kind} ${text}`);
    };
    expect((await suggest('command and c'))[0]).toBe('NAME Command and Conquer');
    expect(await suggest('tal', 20)).toContain('FIELD talent:');
    expect(await suggest('red class:ni')).toEqual(['VALUE red class:ninja']);
    expect(await suggest('keyword:go')).toContain('VALUE keyword:"go again"');
    expect(await suggest('s', 1)).toHaveLength(1);
    expect(await suggest('s', 20)).toHaveLength(20);
    expect(await suggest('')).toEqual([]);
  });

  it('refuses suggestions beyond the limits', async () => {
    const app = await newTestApp(database());
    const status = async (text: string, first: number) => {
      const { body } = await app.send('POST', '/graphql', { query: SUGGEST, variables: { text, first } });
      return body.errors?.[0].message ?? 'taken';
    };
    expect(await status('s', 0)).toBe('suggest: first: must be a whole number from 1 to 200');
    expect(await status('s', 21)).toBe('first: must be from 1 to 20');
    expect(await status('s', 20)).toBe('taken');
    expect(await status('s'.repeat(200), 1)).toBe('taken');
    expect(await status('s'.repeat(201), 1)).toBe('text: must have at most 200 characters');
  });
});
