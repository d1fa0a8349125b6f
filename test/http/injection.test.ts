import { beforeAll, describe, expect, it } from 'vitest';
import { PRODUCT_SEARCH_FIELDS, SUMMARY_SEARCH_FIELDS } from '../../src/domain/search/parse.ts';
import {
  describeOnOneDatabase,
  newTestApp,
  pricedVariants,
  type SentStatement,
  statementsOf,
  type TestApp,
} from '../harness.ts';

/** Attempts to get SQL through every field of the search language, and every value that reaches a statement. */
const PAYLOADS = [
  `'`,
  `''`,
  `\\'`,
  `' or '1'='1`,
  `') or true --`,
  `1; drop table product; --`,
  `'; select pg_sleep(5); --`,
  `$1`,
  `$1::text`,
  `%' or 1=1 --`,
  `") or ("a"="a`,
  `x\\'); delete from collection; --`,
  `\${1}`,
  `{{7*7}}`,
];

describeOnOneDatabase('SQL injection', (database) => {
  let app: TestApp;
  let collectionId: string;

  beforeAll(async () => {
    app = await newTestApp(database());
    collectionId = (await app.send('POST', '/collection', { name: `Robert'); drop table collection; --` }))
      .body.collectionId;
    const [variantId] = await pricedVariants(database(), 1);
    const entry = { variantId, occurredDate: '2026-01-31', action: 'Purchase', quantity: 1 };
    await app.send('POST', `/collection/${collectionId}/transaction`, {
      ...entry,
      unitAmount: { currency: 'USD', value: 1 },
    });
  });

  /** Nothing of the payload may be in the text of a statement: values are parameters. */
  function expectOnlyParameters(statements: SentStatement[], marker: string): void {
    for (const { text } of statements) expect(text).not.toContain(marker);
  }

  const MARKER = 'zqxmarkerzqx';

  describe.each(PRODUCT_SEARCH_FIELDS)('through the search field %s', (field) => {
    it.each(PAYLOADS)('%s', async (payload) => {
      for (const query of [
        `${field}:${payload}${MARKER}`,
        `${field}:"${payload.replaceAll('"', '')}${MARKER}"`,
        `${payload}${MARKER}`,
      ]) {
        const path = `/product/search?q=${encodeURIComponent(query)}`;
        const { result, statements } = await statementsOf(() => app.send('GET', path));
        expect([200, 400]).toContain(result.status);
        expectOnlyParameters(statements, MARKER);
      }
    });
  });

  describe.each(SUMMARY_SEARCH_FIELDS)('through the field %s of a collection', (field) => {
    it('with any payload', async () => {
      for (const payload of PAYLOADS) {
        for (const query of [
          `${field}:"${payload.replaceAll('"', '')}${MARKER}"`,
          `${field}>=1${payload}`,
          `-(${field}<2) ${payload}${MARKER}`,
        ]) {
          const path = `/collection/${collectionId}/transaction-summary?searchQuery=${encodeURIComponent(query)}`;
          const { result, statements } = await statementsOf(() => app.send('GET', path));
          expect([200, 400]).toContain(result.status);
          expectOnlyParameters(statements, MARKER);
        }
      }
    });
  });

  it('through ids, set types, cursors and headers', async () => {
    for (const payload of PAYLOADS.map((text) => `${text}${MARKER}`)) {
      const encoded = encodeURIComponent(payload);
      const cursor = Buffer.from(JSON.stringify(['collections-created', `col_${payload}`])).toString(
        'base64url',
      );
      const requests = [
        () => app.send('GET', `/collection/${encoded}`),
        () => app.send('GET', `/collection/col_${encoded}`),
        () => app.send('DELETE', `/transaction/txn_${encoded}`),
        () => app.send('GET', `/product/prd_${encoded}`),
        () => app.send('GET', `/ev/breakdown?setType=${encoded}&productType=Box`),
        () => app.send('GET', `/collection?sort=${encoded}&cursor=${encoded}`),
        () =>
          app.send('POST', '/graphql', {
            query: 'query($c: String) { collections(after: $c) { nodes { id } } }',
            variables: { c: cursor },
          }),
        () =>
          app.send('POST', '/graphql', {
            query: 'query($i: ID!) { node(id: $i) { id } }',
            variables: { i: `col_${payload}` },
          }),
      ];
      for (const request of requests) {
        const { result, statements } = await statementsOf(request);
        expect(result.status).toBeLessThan(500);
        expectOnlyParameters(statements, MARKER);
      }
    }
  });

  it('leaves what is stored as it was', async () => {
    const { body } = await app.send('GET', `/collection/${collectionId}`);
    expect(body).toMatchObject({ name: `Robert'); drop table collection; --`, quantity: 1 });
    const [row] = await database().query<{ products: number }>('select count(*) as products from product');
    expect(row!.products).toBeGreaterThan(9000);
  });
});
