import { describe, expect, it } from 'vitest';
import { documentResolver } from '../../src/graphql/documents.ts';
import { createPreparation } from '../../src/graphql/prepare.ts';
import { answerQuickly, askedOperation } from '../../src/graphql/quick.ts';
import { createSchema } from '../../src/graphql/schema.ts';
import type { ServerContext } from '../../src/graphql/server.ts';
import { sent } from '../../src/http/answer.ts';
import type { Context } from '../../src/services/context.ts';
import { newAccount, newTestApp, pricedVariants, quickerKind, sharedDatabase } from '../harness.ts';
import { ORIGIN } from '../http/support.ts';
import { asCallerOf } from '../support/tenancy.ts';

const ACCEPTS = [
  null,
  'application/json',
  'application/graphql-response+json',
  'application/graphql-response+json;q=0.5, application/json',
  'text/event-stream, application/json',
  'text/event-stream, application/*',
  'text/event-stream',
];

const PRICE = 'query Price($id: ID!) { variant(id: $id) { id marketPrice { decimal } } }';

/** Good bodies and those that are not, or only at first sight. */
function bodiesFor(id: string): string[] {
  const good = { query: PRICE, variables: { id } };
  const text = JSON.stringify(good);
  const changed = (name: string, values: unknown[]) =>
    values.map((value) => JSON.stringify({ ...good, [name]: value }));
  const hash = 'a'.repeat(64);
  return [
    ...[text, ` ${text}\n`, `\ufeff${text}`, `${text}}`, `[${text}]`, `[${text},${text}]`],
    ...['', '[]', 'null', '5', '"{__typename}"', '{}'],
    ...changed('operationName', [null, '', 'Price', 'Other', 5, []]),
    ...changed('variables', [null, [], 5, '{"id":"x"}', {}, { id: null }, { id: 5 }, { id, more: 1 }]),
    ...changed('extensions', [
      null,
      {},
      [],
      'x',
      { a: 1 },
      { persistedQuery: { version: 1, sha256Hash: hash } },
    ]),
    ...changed('documentId', [null, '', 5, `sha256:${hash}`]),
    ...changed('more', [null, 1]),
    ...changed('query', [
      null,
      '',
      5,
      ' ',
      '{',
      '{ nothing }',
      `\ufeff${PRICE}`,
      'fragment F on Query { __typename }',
    ]),
    ...[
      '{ __schema { queryType { name } } viewer { name } }',
      '{ collections(first: 0) { totalCount } }',
      '{ collections(after: "x") { totalCount } viewer { name } }',
      'query A { __typename } query B { viewer { name } }',
      'subscription { priceAlertTriggered { id } }',
      'mutation { deleteCollection(input: { id: "col_x" }) { __typename } }',
      'query ($__proto__: Boolean!) { __typename @skip(if: $__proto__) viewer { name } }',
    ].map((query) => JSON.stringify({ query })),
    `{"query":"{ viewer { name } }","__proto__":{}}`,
    `{"query":"{ nothing }","query":"{ viewer { name } }"}`,
    `{"query":${JSON.stringify(PRICE)},"variables":{"id":123456789012345678901}}`,
    `{"query":"query ($__proto__: Boolean!) { viewer { name @skip(if: $__proto__) id } }","variables":{"__proto__":true}}`,
  ];
}

/**
 * The same for Yoga alone: it overlooks a parameter that it does not know where that is null, and the quick way leaves it
 * to Yoga.
 */
function forYoga(body: string): string {
  const [start] = /^\ufeff?\s*\{/.exec(body) ?? [];
  if (start === undefined) return body;
  const rest = body.slice(start.length);
  return isJson(body) ? `${start}"other":null${rest === '}' ? '' : ','}${rest}` : body;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text.replace(/^\ufeff/, ''));
    return true;
  } catch {
    return false;
  }
}

describe('the quick way', () => {
  it('answers as Yoga does, whatever is sent and wanted, and however often', async () => {
    const database = await sharedDatabase(quickerKind());
    const app = await newTestApp(database);
    const [id] = (await pricedVariants(database, 1)) as [string];
    const send = async (body: string, accept: string | null) => {
      const headers = {
        Authorization: `Bearer ${app.token}`,
        'Content-Type': 'application/json',
        'X-Request-Id': 'same',
        ...(accept !== null && { Accept: accept }),
      };
      const request = new Request(`${ORIGIN}/graphql`, { method: 'POST', headers, body });
      const response = await asCallerOf(app.accountId, () => app.fetch(request));
      const sent = [...response.headers].map(([name, value]) => `${name.toLowerCase()}: ${value}`).sort();
      const isStream = response.headers.get('Content-Type')?.startsWith('text/event-stream');
      if (isStream) await response.body!.cancel();
      return { status: response.status, headers: sent, text: isStream ? '' : await response.text() };
    };
    for (const accept of ACCEPTS) {
      for (const body of bodiesFor(id)) {
        const expected = await send(forYoga(body), accept);
        for (let time = 1; time <= 3; time++)
          expect(await send(body, accept), `${time}: ${accept} ${body}`).toEqual(expected);
      }
    }
  });

  it('answers in one type, whatever becomes of a request', async () => {
    const app = await newTestApp(await sharedDatabase(quickerKind()));
    const bodies = ['{"query":"{ __typename }"}', '{"query":"{ nothing }"}', '[]', '{', ''];
    for (const [accept, type] of [
      ['*/*', 'application/json'],
      ['application/*', 'application/json'],
      ['application/json, application/graphql-response+json', 'application/json'],
      ['application/graphql-response+json, application/json', 'application/graphql-response+json'],
      ['application/json;q=0.9, application/graphql-response+json', 'application/graphql-response+json'],
      ['application/graphql-response+json;q=0.5, application/json;q=0.6', 'application/json'],
      ['application/graphql-response+json, */*', 'application/graphql-response+json'],
      ['application/json;q=0, */*;q=0.1', 'application/graphql-response+json'],
      ['application/json;q=0.1, application/*', 'application/graphql-response+json'],
      ['application/json; charset="utf-8"', 'application/json'],
      ['text/html', 'application/json'],
    ] as const) {
      for (const body of bodies) {
        const { headers } = await app.send('POST', '/graphql', body, { Accept: accept });
        expect(headers.get('Content-Type'), `${accept} ${body}`).toBe(`${type}; charset=utf-8`);
      }
      const Authorization = 'Bearer x';
      const { status, headers } = await app.send('POST', '/graphql', bodies[0], {
        Accept: accept,
        Authorization,
      });
      expect([status, headers.get('Content-Type')]).toEqual([401, `${type}; charset=utf-8`]);
    }
    for (const accept of [
      'text/event-stream',
      'text/*',
      'text/event-stream, application/json;charset=utf-16',
      'text/event-stream, application/json; Charset=utf-16',
      'text/event-stream;q=0.1, */*;q=0',
    ]) {
      const { headers } = await app.send('POST', '/graphql', bodies[0], { Accept: accept });
      expect(headers.get('Content-Type'), accept).toBe('text/event-stream; charset=utf-8');
      expect(headers.get('X-Accel-Buffering')).toBe('no');
    }
  });

  it('carries nothing out that could not be answered', async () => {
    const app = await newTestApp(await sharedDatabase(quickerKind()));
    const query = 'mutation ($name: String!) { createCollection(input: { name: $name }) { __typename } }';
    const send = (accept: string) =>
      app.send('POST', '/graphql', { query, variables: { name: accept } }, { Accept: accept });
    const refused = [
      'text/html',
      'image/png, text/plain;q=0.5',
      'application/json; charset=latin1',
      'application/json; CharSet=latin1',
      'application/json;q=0',
      'multipart/mixed',
      'application/json;q=0, multipart/mixed',
      '*/*;Q=0, multipart/mixed',
      'x',
    ];
    const taken = [
      '*/*',
      'application/*',
      'text/html, application/json',
      'text/event-stream',
      'application/json; Charset=UTF-8',
    ];
    for (const time of [1, 2]) {
      for (const accept of refused) {
        const { status, body } = await send(accept);
        expect(status, `${time}: ${accept}`).toBe(406);
        expect(body.errors).toMatchObject([{ extensions: { code: 'MalformedRequest' } }]);
      }
      for (const accept of taken) expect((await send(accept)).status).toBe(200);
    }
    const { collections } = await app.graphql<{ collections: { totalCount: number } }>(
      '{ collections { totalCount } }',
    );
    expect(collections.totalCount).toBe(2 * taken.length);
  });

  it('tells the log and the metrics of what nobody expected, and goes no other way', async () => {
    const logged: unknown[] = [];
    const database = await sharedDatabase(quickerKind());
    const preparation = createPreparation(createSchema());
    const query = '{ viewer { name } }';
    const key = { query };
    preparation.admit(key, preparation.parse(query), { known: undefined, withShares: false });
    const known = preparation.known(key)!;
    const cause = new TypeError('A mistake of ours.');
    known.compiled.execute = () => {
      throw cause;
    };
    const ended: boolean[] = [];
    const context: Context = {
      ...(await newAccount(database)),
      observation: { operation: () => (failed) => ended.push(failed) },
    };
    const log = (error: unknown, requestId: string) => void logged.push([error, requestId]);
    const server = { context, requestId: 'req_1', log, costFields: false } as ServerContext;
    const asked = askedOperation({ query }, preparation, documentResolver())!;
    const response = await answerQuickly(asked, 'application/json', server, preparation);
    const answer = sent(response);
    expect(answer.status).toBe(500);
    const { errors, ...others } = (await answer.json()) as { errors: unknown };
    expect(errors).toEqual([
      { message: 'Internal error', extensions: { code: 'Internal', requestId: 'req_1' } },
    ]);
    expect(others).not.toHaveProperty('data');
    expect(logged).toEqual([[cause, 'req_1']]);
    expect(ended).toEqual([true]);
  });
});
