import { describe, expect, it } from 'vitest';
import { answerOf, codeOf, sampleYoga } from './sample-yoga.ts';

const MUTATION = 'mutation { ping }';
const URL_OF_ENDPOINT = 'http://localhost/graphql';

describe('requests that are refused', () => {
  it('refuses a mutation by GET', async () => {
    const sample = sampleYoga();
    for (const accept of ['application/json', 'application/graphql-response+json', '*/*']) {
      const url = `${URL_OF_ENDPOINT}?query=${encodeURIComponent(MUTATION)}`;
      const answer = await answerOf(await sample.yoga.fetch(url, { headers: { accept } }));
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toBe('POST');
      expect(codeOf(answer)).toBe('MethodNotAllowed');
    }
    expect(sample.executed()).toBe(0);
  });

  it('refuses other methods', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const { yoga } = sampleYoga();
      const init = { method, headers: { 'content-type': 'application/json' }, body: '{}' };
      const answer = await answerOf(await yoga.fetch(URL_OF_ENDPOINT, init));
      expect(answer.status).toBe(405);
      expect(codeOf(answer)).toBe('MethodNotAllowed');
    }
  });
});

describe('requests that are taken', () => {
  it('a JSON POST', async () => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: MUTATION }),
    };
    const answer = await answerOf(await sampleYoga().yoga.fetch(URL_OF_ENDPOINT, init));
    expect(answer.body.data).toEqual({ ping: true });
  });

  it('a query by GET without any header', async () => {
    const answer = await answerOf(await sampleYoga().yoga.fetch(`${URL_OF_ENDPOINT}?query={name}`));
    expect(answer.body.data).toEqual({ name: 'sample' });
  });

  it('GraphiQL in a browser', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const response = await sampleYoga().yoga.fetch(URL_OF_ENDPOINT, { headers: { accept } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('text/html');
  });
});

it.each(['{bad', '{"a":1,"a":2}'])('refuses %s in a URL', async (json) => {
  for (const parameter of ['variables', 'extensions']) {
    const sample = sampleYoga();
    const answer = await answerOf(
      await sample.yoga.fetch(`${URL_OF_ENDPOINT}?query={name}&${parameter}=${json}`),
    );
    expect(answer.status).toBe(400);
    expect(codeOf(answer)).toBe('MalformedRequest');
    expect(sample.logged).toEqual([]);
  }
});

it.each(['query={name}', 'operationName=A', 'variables={}', 'extensions={}', 'documentId=x'])(
  'refuses %s where a URL has it twice',
  async (parameter) => {
    const sample = sampleYoga();
    const url = `${URL_OF_ENDPOINT}?query={name}&${parameter}&${parameter}`;
    const answer = await answerOf(await sample.yoga.fetch(url));
    expect(answer.status).toBe(400);
    expect(codeOf(answer)).toBe('MalformedRequest');
    expect(sample.executed()).toBe(0);
  },
);

it('rounds no number of a URL', async () => {
  const query = 'query ($n: Int) { collections(first: $n) { totalCount } }';
  const codeFor = async (n: string) => {
    const search = new URLSearchParams({ query, variables: `{"n":${n}}` });
    return codeOf(await answerOf(await sampleYoga().yoga.fetch(`${URL_OF_ENDPOINT}?${search}`)));
  };
  expect(await codeFor('7.0')).toBeUndefined();
  expect(await codeFor('7.0000000000000001')).toBe('BAD_USER_INPUT');
});
