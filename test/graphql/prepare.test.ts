import { describe, expect, it } from 'vitest';
import { createPreparation, type OperationKey } from '../../src/graphql/prepare.ts';
import { sampleYoga } from './plugins/sample-yoga.ts';

const { schema } = sampleYoga().yoga.getEnveloped({});

function preparing() {
  const preparation = createPreparation(schema);
  const admit = (key: OperationKey & { variables?: Record<string, unknown> }) => {
    const known = preparation.known(key);
    return preparation.admit(key, known?.document ?? preparation.parse(key.query!), {
      known,
      withShares: false,
    });
  };
  return { preparation, admit };
}

describe('an operation that is prepared', () => {
  it('is known from then on, each of a document apart', async () => {
    const { preparation, admit } = preparing();
    const query = 'query a { name } query b { self { name } } mutation c { ping }';
    for (const operationName of ['a', 'b', 'c']) {
      const key = { query, operationName };
      expect(preparation.known(key)).toBeUndefined();
      const { errors } = admit(key);
      expect(errors).toBeUndefined();
      expect(preparation.known(key)!.operation.name!.value).toBe(operationName);
    }
  });

  it('is not taken for a text that only looks like it', () => {
    const { preparation, admit } = preparing();
    admit({ query: 'query a { name }', operationName: 'a' });
    expect(preparation.known({ query: 'query a { name }', operationName: 'a' })).toBeDefined();
    expect(preparation.known({ query: 'query a { name }' })).toBeUndefined();
    expect(preparation.known({ query: 'a\nquery a { name }' })).toBeUndefined();
    admit({ query: '#\n{ name }' });
    expect(preparation.known({ query: '#\n{ name }', operationName: null })).toBeDefined();
    expect(preparation.known({ query: '#\n{ name }', operationName: '' })).toBeUndefined();
    expect(preparation.known({ query: '{ name }', operationName: '\n#' })).toBeUndefined();
  });

  it('is judged anew by the variables of each request', () => {
    const { admit } = preparing();
    const query =
      'query ($n: Int = 2, $t: String!) { collections(first: $n) { nodes { id } } echo(text: $t) }';
    const outcome = (variables: Record<string, unknown>) => {
      const { cost, errors } = admit({ query, variables });
      return [cost!.requested, errors?.[0]?.extensions.code];
    };
    for (let time = 1; time <= 2; time++) {
      expect(outcome({ t: 'x' })).toEqual([1 + 2, undefined]);
      expect(outcome({ t: 'x', n: 200 })).toEqual([1 + 200, undefined]);
      expect(outcome({})).toEqual([1 + 2, 'BAD_USER_INPUT']);
      expect(outcome({ t: 5 })).toEqual([1 + 2, 'BAD_USER_INPUT']);
      expect(() => outcome({ t: 'x', n: 201 })).toThrow(
        'collections: first: must be a whole number from 1 to 200',
      );
    }
  });

  it.each([
    '($on: Boolean!) { ticks(count: 1) @skip(if: $on) }',
    '($on: Boolean!) { one: ticks(count: 1) @skip(if: $on) two: ticks(count: 2) @include(if: $on) }',
    '($on: Boolean!) { ... @include(if: $on) { ticks(count: 1) } }',
    '($on: Boolean!) { ...F } fragment F on Subscription { ...F ticks(count: 1) @skip(if: $on) }',
    '{ ticks(count: 1) @include(if: false) }',
  ])('is no subscription whose root field may be left out: %s', (text) => {
    const { admit } = preparing();
    const { errors = [] } = admit({ query: `subscription ${text}`, variables: { on: false } });
    expect(errors.map(({ message }) => message)).toContain(
      'The root field of a subscription can have neither @skip nor @include; leave them out.',
    );
    for (const { extensions } of errors) expect(extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
  });

  it('may leave out what is not the root field of a subscription', () => {
    const { admit } = preparing();
    const condition = '($on: Boolean!) { name @skip(if: $on) self { name @include(if: $on) } }';
    for (const query of [
      `query ${condition}`,
      'subscription { ...F } fragment F on Subscription { ticks(count: 1) }',
    ])
      expect(admit({ query, variables: { on: true } }).errors).toBeUndefined();
  });

  it('is not kept where it is refused', () => {
    const { preparation, admit } = preparing();
    for (const [query, code] of [
      ['{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
      ['{ collections(first: 200) { nodes { summaries(first: 200) { nodes { id } } } } }', 'COST_LIMIT'],
    ] as const) {
      const { errors } = admit({ query });
      expect(errors![0]!.extensions.code).toBe(code);
      expect(preparation.known({ query })).toBeUndefined();
    }
  });
});

describe('what is remembered', () => {
  const MAX_BYTES = 48 * 1024 * 1024;
  const fields = (count: number) => (i: number) => `#${i}\n{ ${'name '.repeat(count)} }`;

  it.each([
    ['fields', fields(500)],
    ['tokens', (i: number) => `#${i}\n{ nodes(ids: [${'"a" '.repeat(1900)}]) { id } }`],
    [
      'conditions',
      (i: number) => `#${i}\nquery ($a: Boolean!, $b: Boolean!, $c: Boolean!, $d: Boolean!) {
        self @skip(if: $a) { self @skip(if: $b) { self @skip(if: $c) { name @skip(if: $d) } } } ${'name '.repeat(50)} }`,
    ],
  ])('is bounded by its %s', (_name, textOf) => {
    const { preparation, admit } = preparing();
    const variables = { a: true, b: true, c: true, d: true };
    for (let i = 0; i < 60; i++) expect(admit({ query: textOf(i), variables }).errors).toBeUndefined();
    const { calculatedSize, size } = preparation.cache;
    expect(calculatedSize).toBeLessThanOrEqual(MAX_BYTES);
    expect(calculatedSize + calculatedSize / size).toBeGreaterThan(MAX_BYTES);
    expect(preparation.known({ query: textOf(0) })).toBeUndefined();
    expect(preparation.known({ query: textOf(59) })).toBeDefined();
  });

  it('is 1,000 small operations', () => {
    const { preparation, admit } = preparing();
    for (let i = 0; i <= 1000; i++) admit({ query: fields(1)(i) });
    expect(preparation.cache.size).toBe(1000);
    expect(preparation.known({ query: fields(1)(0) })).toBeUndefined();
    expect(preparation.known({ query: fields(1)(1) })).toBeDefined();
  });
});
