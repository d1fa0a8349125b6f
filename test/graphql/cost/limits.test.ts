import { getIntrospectionQuery } from 'graphql';
import { describe, expect, it } from 'vitest';
import { OPERATION_LIMIT_CODES, OPERATION_LIMITS } from '../../../src/graphql/cost/limits.ts';
import { answerOf, codeOf, post, sampleYoga } from '../plugins/sample-yoga.ts';

/** `levels` fields deep, the last one a leaf. */
function deep(levels: number): string {
  return `${'{ self '.repeat(levels - 1)}{ name }${' }'.repeat(levels - 1)}`;
}

function aliases(count: number): string {
  return Array.from({ length: count }, (_, index) => `a${index}: name`).join(' ');
}

/** Names, and of tokens as many: two of them the braces. */
function tokens(count: number): string {
  return `{ ${'name '.repeat(count - 2)}}`;
}

function bytes(count: number): string {
  const text = '{ name } #';
  // Two bytes for each é.
  return text + 'é'.repeat((count - text.length) / 2);
}

const CASES = [
  { limit: 'documentBytes', within: bytes(64 * 1024), beyond: bytes(64 * 1024 + 2) },
  { limit: 'tokens', within: tokens(2000), beyond: tokens(2001) },
  { limit: 'depth', within: deep(12), beyond: deep(13) },
  { limit: 'aliases', within: `{ ${aliases(30)} }`, beyond: `{ ${aliases(31)} }` },
  {
    limit: 'aliases',
    within: `{ ...F s: self { ...F } t: self { ...F } } fragment F on Query { ${aliases(9)} }`,
    beyond: `{ ...F s: self { ...F } t: self { ...F } } fragment F on Query { ${aliases(10)} }`,
  },
  {
    // 1 + 199 × (1 + 1 + 48) = 9,951; 1 + 200 × (1 + 1 + 48) = 10,001
    limit: 'cost',
    within: '{ collections(first: 199) { nodes { summaries(first: 48) { nodes { id } } } } }',
    beyond: '{ collections(first: 200) { nodes { summaries(first: 48) { nodes { id } } } } }',
  },
] as const;

describe('limits of one operation', () => {
  for (const [index, { limit, within, beyond }] of CASES.entries()) {
    it(`${limit}: takes what is within (${index})`, async () => {
      const sample = sampleYoga();
      const answer = await post(sample, { query: within });
      if (limit === 'tokens') {
        // 1,998 times the same field is within, and then graphql's own budget for overlapping fields ends it.
        expect(answer.body.errors?.[0]?.message).toBe('Validation aborted.');
        return;
      }
      expect(answer.body.errors).toBeUndefined();
      expect(answer.status).toBe(200);
      expect(sample.executed()).toBeGreaterThan(0);
    });

    it.each(['application/graphql-response+json', 'application/json'])(
      `${limit}: refuses what is beyond (${index}, %s)`,
      async (accept) => {
        const sample = sampleYoga();
        const answer = await post(sample, { query: beyond }, accept);
        expect(answer.status).toBe(400);
        expect(codeOf(answer)).toBe(OPERATION_LIMIT_CODES[limit]);
        expect(answer.body.errors?.[0]?.extensions.limit).toBe(OPERATION_LIMITS[limit]);
        expect(answer.body.errors?.[0]?.message).toMatch(/at most \d+ .* allowed\. \w+/);
        expect(answer.body).not.toHaveProperty('data');
        expect(sample.executed()).toBe(0);
      },
    );
  }

  it('takes 2,000 tokens of a valid document, cached or not', async () => {
    const sample = sampleYoga();
    const query = `query { echo(text: "x") nodes(ids: [${'"a" '.repeat(1981)}]) { id } }`;
    for (let time = 0; time < 2; time++) expect((await post(sample, { query })).status).toBe(200);
  });

  it('refuses again what it has refused before', async () => {
    const sample = sampleYoga();
    for (const { beyond, limit } of CASES) {
      for (let time = 0; time < 2; time++) {
        expect(codeOf(await post(sample, { query: beyond }))).toBe(OPERATION_LIMIT_CODES[limit]);
      }
    }
  });

  it('judges the operation that is to be executed, and no other', async () => {
    const query = `query small { name } query large ${deep(13)}`;
    expect((await post(sampleYoga(), { query, operationName: 'small' })).status).toBe(200);
    expect(codeOf(await post(sampleYoga(), { query, operationName: 'large' }))).toBe('DEPTH_LIMIT');
  });

  it('refuses a batch', async () => {
    const sample = sampleYoga();
    const answer = await post(sample, [{ query: '{ name }' }, { query: '{ name }' }]);
    expect(answer.status).toBe(400);
    expect(codeOf(answer)).toBe('MalformedRequest');
    expect(sample.executed()).toBe(0);
  });
});

describe('introspection', () => {
  const standard = getIntrospectionQuery({
    descriptions: true,
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
    oneOf: true,
  });

  it('takes the standard query with all options', async () => {
    const answer = await post(sampleYoga(), { query: standard });
    expect(answer.body.errors).toBeUndefined();
    expect(answer.body.extensions?.cost?.requested).toBeLessThan(5000);
  });

  it('takes introspection that is as deep as the standard query, and no deeper', async () => {
    const ofType = (levels: number) => `${'{ ofType '.repeat(levels)}{ name }${' }'.repeat(levels)}`;
    const within = `{ __type(name: "Query") ${ofType(13)} }`;
    expect((await post(sampleYoga(), { query: within })).body.errors).toBeUndefined();
    const beyond = `{ __type(name: "Query") ${ofType(14)} }`;
    expect(codeOf(await post(sampleYoga(), { query: beyond }))).toBe('DEPTH_LIMIT');
  });

  it('does not let introspection hide the depth of the fields beside it', async () => {
    const query = deep(13).replace('{ self', '{ __schema { types { name } } self');
    expect(codeOf(await post(sampleYoga(), { query }))).toBe('DEPTH_LIMIT');
  });

  it('bounds introspection by aliases and cost too', async () => {
    const types = '{ types { fields { type { fields { args { name } type { name ofType { name } } } } } } }';
    const query = `{ ${Array.from({ length: 20 }, (_, index) => `a${index}: __schema ${types}`).join(' ')} }`;
    expect(codeOf(await post(sampleYoga(), { query }))).toBe('COST_LIMIT');
  });
});

describe('first and last', () => {
  const field = (args: string) => `{ c: collections${args} { totalCount } }`;

  it.each([
    ['(first: 1)', {}],
    ['(first: 200)', {}],
    ['(last: 200)', {}],
    ['(first: 10, last: null)', {}],
    ['', {}],
  ])('takes %s', async (args) => {
    expect((await post(sampleYoga(), { query: field(args) })).body.errors).toBeUndefined();
  });

  it.each([
    ['(first: 0)', 'c: first: must be a whole number from 1 to 200'],
    ['(first: 201)', 'c: first: must be a whole number from 1 to 200'],
    ['(last: -1)', 'c: last: must be a whole number from 1 to 200'],
    ['(last: 201)', 'c: last: must be a whole number from 1 to 200'],
    ['(first: 1, last: 1)', 'c: last: must not be given together with first'],
  ])('refuses %s', async (args, message) => {
    const sample = sampleYoga();
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const answer = await post(sample, { query: field(args) }, accept);
      expect(answer.status).toBe(400);
      expect(codeOf(answer)).toBe('BAD_USER_INPUT');
      expect(answer.body.errors?.[0]).toMatchObject({ message, locations: [{ line: 1, column: 3 }] });
    }
    expect(sample.executed()).toBe(0);
  });

  it('looks through variables and their defaults, for each request anew', async () => {
    const sample = sampleYoga();
    const query =
      'query ($n: Int = 201, $m: Int) { collections(first: $n) { nodes { summaries(last: $m) { totalCount } } } }';
    const of = async (variables?: object) => (await post(sample, { query, variables })).body;
    expect((await of()).errors?.[0]?.message).toContain('collections: first: must be');
    expect((await of({ n: 200 })).extensions?.cost?.requested).toBe(1 + 200 * 2);
    expect((await of({ n: null })).extensions?.cost?.requested).toBe(1 + 50 * 2);
    expect((await of({ n: 2, m: 999 })).errors?.[0]?.message).toContain(
      'collections.nodes.summaries: last: must be',
    );
    expect((await of({ n: 2, m: 3 })).errors).toBeUndefined();
  });

  it('names the path through fragments', async () => {
    const query = `{ collections { edges { node { ...C } } } }
      fragment C on Collection { mine: summaries(first: 500) { totalCount } }`;
    const message = (await post(sampleYoga(), { query })).body.errors?.[0]?.message;
    expect(message).toContain('collections.edges.node.mine: first:');
  });

  it('leaves what is no integer to GraphQL', async () => {
    const query = 'query ($n: Int) { collections(first: $n) { totalCount } }';
    for (const n of ['5', 1.5, [1], { a: 1 }, true]) {
      expect(codeOf(await post(sampleYoga(), { query, variables: { n } }))).toBe('BAD_USER_INPUT');
    }
    const literal = '{ collections(first: "5") { totalCount } }';
    expect(codeOf(await post(sampleYoga(), { query: literal }))).toBe('GRAPHQL_VALIDATION_FAILED');
  });
});

describe('extensions.cost', () => {
  const maximum = 10_000;

  it('comes with data, with errors of execution, and with those of validation and limits', async () => {
    const costOf = async (query: string) => (await post(sampleYoga(), { query })).body.extensions?.cost;
    expect(await costOf('{ self { name } }')).toEqual({ requested: 1, maximum });
    expect(await costOf('{ self { name } fail(how: "error") }')).toEqual({ requested: 1, maximum });
    expect(await costOf('{ self { name unknown } }')).toEqual({ requested: 1, maximum });
    expect(
      await costOf('{ collections(first: 200) { nodes { summaries(first: 200) { nodes { id } } } } }'),
    ).toEqual({ requested: 1 + 200 * 202, maximum });
    expect(await costOf('{ self {')).toBeUndefined();
  });

  it('comes with each event of a subscription', async () => {
    const { yoga } = sampleYoga();
    const response = await yoga.fetch('http://localhost/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query: 'subscription { ticks(count: 2) }' }),
    });
    const events = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'));
    expect(events).toEqual([
      'data: {"data":{"ticks":1},"extensions":{"cost":{"requested":0,"maximum":10000}}}',
      'data: {"data":{"ticks":2},"extensions":{"cost":{"requested":0,"maximum":10000}}}',
    ]);
  });

  it('does not leak into the answer of another request', async () => {
    const sample = sampleYoga();
    await post(sample, { query: '{ self { name } }' });
    const answer = await answerOf(await sample.yoga.fetch('http://localhost/graphql?query={'));
    expect(answer.body.extensions).toBeUndefined();
  });
});
