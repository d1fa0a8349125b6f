import { type GraphQLInterfaceType, getOperationAST, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { costShares, measureOperation, type OperationMeasure } from '../../../src/graphql/cost/measure.ts';
import { sampleYoga } from '../plugins/sample-yoga.ts';

const { schema } = sampleYoga().yoga.getEnveloped({});

function measure(query: string, variables: Record<string, unknown> = {}): OperationMeasure {
  const document = parse(query);
  return measureOperation(schema, document, getOperationAST(document)!, variables);
}

const costOf = (query: string, variables?: Record<string, unknown>) => measure(query, variables).cost;

describe('cost', () => {
  it.each([
    ['scalars are free', '{ name __typename }', 0],
    ['an object', '{ self { name } }', 1],
    ['nodes, 50 without a size', '{ collections { nodes { id } } }', 1 + 50],
    ['edges are free, their nodes not', '{ collections(first: 7) { edges { cursor node { id } } } }', 1 + 7],
    ['both', '{ collections(last: 7) { edges { cursor node { id } } nodes { id } } }', 1 + 14],
    ['only what is listed is multiplied', '{ collections { totalCount pageInfo { hasNextPage } } }', 1 + 1],
    [
      'nested pages',
      '{ collections(first: 4) { nodes { summaries(first: 3) { nodes { id } } } } }',
      1 + 4 * (1 + 1 + 3),
    ],
    ['a list without a size', '{ product(id: 1) { variants { id } } }', 1 + 5],
    ['money, as a number', '{ product(id: 1) { variants { price { value } } } }', 1 + 5],
    [
      'nodes by ids',
      '{ nodes(ids: [1, 2, 3]) { id ... on Collection { summaries { totalCount } } } }',
      3 * 2,
    ],
    ['a mutation', 'mutation { rename(name: "x") { id } ping }', 10 + 1 + 10],
    ['a subscription', 'subscription { ticks(count: 1) }', 0],
    [
      'every type of a union or interface',
      '{ node(id: 1) { ... on Product { variant { id } } ... on Variant { product { id } } } }',
      3,
    ],
    [
      'what does not exist is free',
      '{ nope { nope } self { nope(first: 9) { nodes } } ... on Nope { a { b } } }',
      1,
    ],
  ])('%s', (_name, query, points) => {
    expect(costOf(query)).toBe(points);
  });

  it('counts the ids of variables and of their defaults', () => {
    const query = 'query ($ids: [ID!]! = [1, 2]) { nodes(ids: $ids) { id } }';
    expect(costOf(query)).toBe(2);
    expect(costOf(query, { ids: [] })).toBe(0);
    expect(costOf(query, { ids: Array.from({ length: 20_000 }, String) })).toBe(20_000);
  });

  it.each([
    ['from: "2025-01-01", to: "2025-03-31"', 90],
    ['from: "2025-01-01", to: "2025-03-31", interval: null', 90],
    ['from: "2025-01-01", to: "2025-03-31", interval: WEEK', 13 + 1],
    ['from: "2025-01-01", to: "2025-03-31", interval: MONTH', 3],
    ['from: $from, to: $to, interval: $interval', 3 * 12 + 1],
    ['from: "2025-01-01", to: "2025-01-01"', 1],
    // More points than may come back are refused by the field, as is what is no range.
    ['from: "1970-01-01", to: "2025-01-01"', 400],
    ['from: "2025-02-30", to: "2025-03-31"', 5],
    ['from: "2025-02-02", to: "2025-02-01"', 5],
    ['from: "2025-02-02", to: "2025-02-03", interval: YEAR', 5],
  ])('counts the points of a history: %s', (range, points) => {
    const query = `query ($from: String!, $to: String!, $interval: Interval) {
      node(id: 1) { ... on Collection { history(${range}) { value } } } }`;
    const variables = { from: '2023-04-14', to: '2026-04-13', interval: 'MONTH' };
    expect(costOf(query, variables)).toBe(1 + points);
  });

  it('is the same through fragments, on connections too', () => {
    const plain = '{ collections(first: 9) { edges { node { summaries(first: 2) { nodes { id } } } } } }';
    const spread = `{ ...Q } fragment Q on Query { collections(first: 9) { ...C } }
      fragment C on CollectionConnection { ... { edges { ...E } } } fragment E on CollectionEdge { node { ...N } }
      fragment N on Collection { summaries(first: 2) { ...S } } fragment S on SummaryConnection { nodes { id } }`;
    expect(measure(spread)).toMatchObject({ ...measure(plain), visited: expect.any(Number) });
  });

  it('counts fields once for each place where their fragment is spread', () => {
    const spread = '{ ...F self { ...F name } } fragment F on Query { name self { name } }';
    expect(measure(spread).fields).toBe(3 + 1 + 3 + 1);
  });

  it('counts fields once for each type that what they are selected from may be of', () => {
    const types = schema.getPossibleTypes(schema.getType('Node') as GraphQLInterfaceType).length;
    expect(types).toBeGreaterThan(1);
    expect(measure('{ node(id: 1) { id ... on Product { name } } }').fields).toBe(1 + types + 1);
  });

  it('multiplies a fragment on a connection by the size of each page it is spread in', () => {
    const query = `{ a: collections(first: 2) { ...C } b: collections(first: 5) { ...C } }
      fragment C on CollectionConnection { nodes { id } }`;
    expect(costOf(query)).toBe(1 + 2 + 1 + 5);
  });

  const standard = (size: string) => `query ($n: Int) { collections(first: ${size}) { edges { node { name
    summaries(first: ${size}) { edges { node { id variant { name product { name } price { value } } } } } } } } }`;

  it('lets the usual page pass by far, and refuses 200 × 200 by far', () => {
    expect(costOf(standard('10'))).toBe(1 + 10 * (1 + 1 + 10 * 3));
    expect(costOf(standard('$n'), { n: 200 })).toBe(1 + 200 * (2 + 200 * 3));
  });
});

describe('depth and aliases', () => {
  it('counts fields, not fragments', () => {
    expect(measure('{ self { ... { ...F } } } fragment F on Query { self { name } }').depth).toBe(3);
    expect(measure('{ name }').depth).toBe(1);
  });

  it('counts introspection for itself', () => {
    const query = '{ __schema { types { name } } self { __typename } }';
    expect(measure(query)).toMatchObject({ depth: 2, introspectionDepth: 3 });
  });

  it('counts an alias for each spread of its fragment', () => {
    const query = `{ self { ...F } b: self { ...F } ...F } fragment F on Query { x: name ...G }
      fragment G on Query { y: name }`;
    expect(measure(query).aliases).toBe(1 + 3 * 2);
  });
});

describe('hostile documents', () => {
  const chain = (length: number, body: (next: string) => string) =>
    `{ ...F0 } ${Array.from({ length }, (_, index) => `fragment F${index} on Query { ${body(`...F${index + 1}`)} }`).join(' ')}
     fragment F${length} on Query { name }`;

  it.each([
    ['aliases × fragments', chain(60, (next) => `a: self { ${next} } b: self { ${next} }`), 'aliases'],
    [
      'fields × fragments, without an alias',
      chain(60, (next) => `self { ${next} } product(id: 1) { id } ${next}`),
      'cost',
    ],
    [
      'pages × fragments',
      chain(60, (next) => `collections(first: 200) { nodes { id } } self { ${next} } ${next}`),
      'cost',
    ],
  ] as const)('%s: visits each selection once', (_name, query, counted) => {
    const result = measure(query);
    expect(result.visited).toBeLessThan(600);
    expect(result[counted]).toBeGreaterThan(1e12);
    expect(Number.isSafeInteger(result[counted])).toBe(true);
  });

  it('stays finite where lists are nested beyond all numbers', () => {
    const ids = '1 '.repeat(200);
    const query = `${`{ nodes(ids: [${ids}]) { ... on Query `.repeat(9)}{ name }${'} }'.repeat(9)}`;
    expect(measure(query).cost).toBe(Number.MAX_SAFE_INTEGER);
  });

  it.each([
    ['a fragment within itself', '{ ...A } fragment A on Query { self { ...A } }'],
    ['a ring of two', '{ ...A } fragment A on Query { self { ...B } } fragment B on Query { self { ...A } }'],
    [
      'many rings',
      `{ ...F0 } ${Array.from({ length: 100 }, (_, i) => `fragment F${i} on Query { self { ...F${(i + 1) % 100} } b: self { ...F${(i + 7) % 100} } }`).join(' ')}`,
    ],
  ])('%s ends, and is left to validation', (_name, query) => {
    expect(measure(query).visited).toBeLessThan(500);
    expect(validate(schema, parse(query))[0]?.message).toContain('within itself');
  });
});

describe('the share of each field', () => {
  const sharesOf = (query: string, variables: Record<string, unknown> = {}) => {
    const document = parse(query);
    return costShares(schema, document, getOperationAST(document)!, variables);
  };

  it('is what the field and all below it cost, in the order of the document', () => {
    expect(
      sharesOf(
        'query ($size: Int) { collections(first: 4) { totalCount nodes { name summaries(first: $size) { edges { node { id } } } } } self { name } }',
        { size: 3 },
      ),
    ).toEqual([
      { path: 'collections', requested: 1 + 4 * (1 + 1 + 3) },
      { path: 'collections.nodes', requested: 4 * (1 + 1 + 3) },
      { path: 'collections.nodes.summaries', requested: 4 * (1 + 3) },
      { path: 'collections.nodes.summaries.edges', requested: 4 * 3 },
      { path: 'collections.nodes.summaries.edges.node', requested: 4 * 3 },
      { path: 'self', requested: 1 },
    ]);
  });

  it('names aliases, counts lists and mutations, and adds up what fragments repeat', () => {
    expect(sharesOf('{ p: product(id: 1) { variants { price { value } } } }')).toEqual([
      { path: 'p', requested: 6 },
      { path: 'p.variants', requested: 5 },
    ]);
    expect(sharesOf('mutation { ping rename(name: "x") { id } }')).toEqual([
      { path: 'ping', requested: 10 },
      { path: 'rename', requested: 11 },
    ]);
    expect(sharesOf('{ ...A ...A self { name } } fragment A on Query { self { self { name } } }')).toEqual([
      { path: 'self', requested: 5 },
      { path: 'self.self', requested: 2 },
    ]);
  });

  it('sums up to the cost, for the fields at the top', () => {
    const query =
      '{ collections { nodes { summaries(last: 5) { nodes { id } edges { cursor } } } } nodes(ids: [1, 2]) { id } product(id: 1) { variants { id } } }';
    const top = sharesOf(query).filter(({ path }) => !path.includes('.'));
    expect(top.reduce((sum, { requested }) => sum + requested, 0)).toBe(costOf(query));
  });

  it('takes no longer for fragments that double at each level', () => {
    const levels = Array.from(
      { length: 200 },
      (_, i) => `fragment F${i} on CollectionConnection { ...F${i + 1} ...F${i + 1} }`,
    ).join(' ');
    const query = `{ collections(first: 1) { ...F0 } } ${levels} fragment F200 on CollectionConnection { edges { cursor } }`;
    expect(sharesOf(query)).toEqual([{ path: 'collections', requested: 1 }]);
  });
});
