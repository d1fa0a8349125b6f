import { GraphQLError, type OperationDefinitionNode, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../src/domain/errors.ts';
import { publicResult } from '../../src/graphql/public-result.ts';
import { type Answer, answerOf, codeOf, post, sampleYoga } from './plugins/sample-yoga.ts';

const SECRET = 'password=hunter2';

function everyErrorIsMarked({ body }: Answer): boolean {
  return (body.errors ?? []).every(
    ({ extensions }) => typeof extensions.code === 'string' && extensions.requestId === 'req_1',
  );
}

describe('errors before execution', () => {
  it.each([
    ['a syntax error', { query: '{' }, 'GRAPHQL_PARSE_FAILED', 200, 400],
    ['an unknown field', { query: '{ nope }' }, 'GRAPHQL_VALIDATION_FAILED', 200, 400],
    ['a bad variable', { query: 'query ($t: String!) { echo(text: $t) }' }, 'BAD_USER_INPUT', 200, 400],
    [
      'two operations, none chosen',
      { query: 'query a { name } query b { name }' },
      'BAD_USER_INPUT',
      400,
      400,
    ],
    ['an unknown operation', { query: '{ name }', operationName: 'x' }, 'BAD_USER_INPUT', 400, 400],
    ['no query', { variables: {} }, 'MalformedRequest', 400, 400],
    ['an unknown parameter', { query: '{ name }', qeury: 1 }, 'MalformedRequest', 400, 400],
    ['variables that are no map', { query: '{ name }', variables: [] }, 'MalformedRequest', 400, 400],
  ] as const)('%s', async (_name, params, code, jsonStatus, graphqlStatus) => {
    const sample = sampleYoga();
    const json = await post(sample, params, 'application/json');
    const graphql = await post(sample, params);
    expect([json.status, graphql.status]).toEqual([jsonStatus, graphqlStatus]);
    for (const answer of [json, graphql]) {
      expect(codeOf(answer)).toBe(code);
      expect(everyErrorIsMarked(answer)).toBe(true);
      expect(answer.body).not.toHaveProperty('data');
    }
    expect(sample.executed()).toBe(0);
    expect(sample.logged).toEqual([]);
  });

  it('gives each request its own id, though parse and validation errors are cached', async () => {
    const { yoga } = sampleYoga();
    for (const query of ['{', '{ nope }', '{ name } #'.padEnd(70_000, 'x')]) {
      for (const requestId of ['req_7', 'req_8']) {
        const url = `http://localhost/graphql?query=${encodeURIComponent(query)}`;
        const answer = await answerOf(await yoga.fetch(url, { requestId }));
        expect(answer.body.errors?.[0]?.extensions.requestId).toBe(requestId);
      }
    }
  });

  it('does not say how the body failed to parse', async () => {
    const { yoga } = sampleYoga();
    const answer = await answerOf(
      await yoga.fetch('http://localhost/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{ "query',
      }),
    );
    expect(answer.status).toBe(400);
    expect(answer.body.errors?.[0]?.extensions).toEqual({ code: 'MalformedRequest', requestId: 'req_1' });
  });

  it.each([
    [new DomainError('Unauthorized', 'No token.'), 401, 'Unauthorized', 'No token.'],
    [new DomainError('RateLimited', 'Wait.', { retryAfterSeconds: 9 }), 429, 'RateLimited', 'Wait.'],
    [new Error(SECRET), 500, 'Internal', 'Internal error'],
    [SECRET, 500, 'Internal', 'Internal error'],
    [{ secret: SECRET }, 500, 'Internal', 'Internal error'],
  ])('%o thrown while the context is built', async (contextError, status, code, message) => {
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const answer = await post(sampleYoga({ contextError }), { query: '{ name }' }, accept);
      expect(answer.status).toBe(status);
      expect(answer.body.errors).toEqual([{ message, extensions: { code, requestId: 'req_1' } }]);
      expect(answer.headers.get('retry-after')).toBe(status === 429 ? '9' : null);
    }
  });
});

describe('errors of execution', () => {
  it.each([
    ['domain', 'NotFound', 'The collection does not exist.'],
    ['validation', 'BAD_USER_INPUT', 'after: is malformed'],
    ['unavailable', 'Unavailable', 'Try again.'],
    ['coded', 'RateLimited', 'Slow down'],
    ['internalProblem', 'Internal', 'Internal error'],
    ['error', 'Internal', 'Internal error'],
    ['text', 'Internal', 'Internal error'],
    ['bareGraphQL', 'Internal', 'Internal error'],
    ['wrapped', 'Internal', 'Internal error'],
  ])('%s: %s', async (how, code, message) => {
    const sample = sampleYoga();
    const answer = await post(sample, { query: `{ name fail(how: "${how}") }` });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual({ name: 'sample', fail: null });
    expect(answer.body.errors).toHaveLength(1);
    expect(answer.body.errors?.[0]).toMatchObject({
      message,
      path: ['fail'],
      locations: [{ line: 1, column: 8 }],
      extensions: { code, requestId: 'req_1' },
    });
    expect(JSON.stringify(answer.body)).not.toContain('hunter2');
    const isLogged = code === 'Internal' || code === 'Unavailable';
    expect(sample.logged.map(({ requestId }) => requestId)).toEqual(isLogged ? ['req_1'] : []);
  });

  it('says when to ask again what is not available, though the status is that of an answer', async () => {
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const answer = await post(sampleYoga(), { query: '{ name fail(how: "unavailable") }' }, accept);
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([200, '2']);
      expect(answer.body.errors?.[0]?.extensions).toEqual({ code: 'Unavailable', requestId: 'req_1' });
    }
  });

  it('logs what it hides, as it was thrown', async () => {
    const sample = sampleYoga();
    await post(sample, { query: '{ fail(how: "error") }' });
    expect(sample.logged).toEqual([{ error: new Error(SECRET), requestId: 'req_1' }]);
  });

  it('calls a null for a required argument bad input', async () => {
    const query = 'query ($t: String = "x") { echo(text: $t) }';
    const answer = await post(sampleYoga(), { query, variables: { t: null } });
    expect(codeOf(answer)).toBe('BAD_USER_INPUT');
    expect(answer.body.errors?.[0]?.message).toContain('"text"');
  });

  it('masks the end of a subscription that breaks', async () => {
    const sample = sampleYoga();
    const response = await sample.yoga.fetch('http://localhost/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query: 'subscription { ticks(count: 1, failing: true) }' }),
    });
    const text = await response.text();
    expect(text).toContain('{"data":{"ticks":1}');
    expect(text).toMatch(
      /"errors":\[{"message":"Internal error",.*{"code":"Internal","requestId":"req_1"}}]/,
    );
    expect(text).not.toContain('hunter2');
    expect(sample.logged).toHaveLength(1);
  });
});

describe('publicResult', () => {
  it('leaves a result without errors as it is', () => {
    const result = { data: { a: 1 } };
    expect(publicResult(result, 'r', () => {})).toEqual(result);
  });

  it('does not look again for the place that each error has in the document', () => {
    const { definitions } = parse(`{ ${'a '.repeat(1000)} }`);
    const nodes = [(definitions[0] as OperationDefinitionNode).selectionSet.selections[999]!];
    const error = new GraphQLError('No.', { nodes, path: ['a', 0] });
    const { source } = nodes[0]!.loc!;
    Object.defineProperty(source, 'body', {
      get: () => {
        throw new Error('was read again');
      },
    });
    expect(publicResult({ data: { a: null }, errors: [error] }, 'r', () => {}).errors).toEqual([
      {
        message: 'Internal error',
        locations: [{ line: 1, column: 2001 }],
        path: ['a', 0],
        extensions: { code: 'Internal', requestId: 'r' },
      },
    ]);
  });

  it('logs one cause once, however many rows it fails', () => {
    const logged: unknown[] = [];
    const cause = new Error(SECRET);
    const errors = [1, 2, 3].map(
      (row) => new GraphQLError(SECRET, { path: ['rows', row], originalError: cause }),
    );
    const result = publicResult({ data: null, errors }, 'r', (error) => logged.push(error));
    expect(result.errors).toHaveLength(3);
    expect(JSON.stringify(result)).not.toContain('hunter2');
    expect(logged).toEqual([cause]);
  });
});
