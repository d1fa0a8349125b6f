// Creates a binder through REST, records a purchase in it, and prints all pages of what it holds. Every type is made of
// the service's OpenAPI document.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import createClient from 'openapi-fetch';
import type { components, paths } from './api.ts';

type Problem = components['schemas']['Problem'];

const baseUrl = process.env.CARDLEDGER ?? 'http://127.0.0.1:4000';
const { clientId, clientSecret } = JSON.parse(
  readFileSync(process.env.CREDENTIALS ?? '../../data/demo-client.json', 'utf8'),
) as { clientId: string; clientSecret: string };

const api = createClient<paths>({ baseUrl });

/** The data of an answer; ends the program with the problem where there is none. */
function done<Data>({ data, error }: { data?: Data; error?: Problem }): Data {
  if (data !== undefined) return data;
  console.error(`${error?.type}: ${error?.detail}`);
  process.exit(1);
}

// A token is good for an hour.
const token = await api.POST('/oauth2/token', {
  body: {
    grant_type: 'client_credentials',
    scope: 'default',
    client_id: clientId,
    client_secret: clientSecret,
  },
  headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  bodySerializer: (form) => new URLSearchParams({ ...form }),
});
if (!token.data) throw new Error(JSON.stringify(token.error));
const { access_token } = token.data;
api.use({
  onRequest({ request }) {
    request.headers.set('Authorization', `Bearer ${access_token}`);
    // The service does it once, however often it is sent.
    if (request.method === 'POST') request.headers.set('Idempotency-Key', randomUUID());
  },
});

const { collectionId } = done(await api.POST('/collection', { body: { name: 'REST' } }));
const path = { collectionId };
const found = done(
  await api.GET('/product/search', { params: { query: { q: 'command and conquer set:arc' } } }),
);
const [card] = found.results;
if (!card) throw new Error('The card is not in the catalogue.');
const { variants } = done(
  await api.GET('/product/{productId}', { params: { path: { productId: card.productId } } }),
);
for (const { variantId } of variants) {
  done(
    await api.POST('/collection/{collectionId}/transaction', {
      params: { path },
      body: {
        variantId,
        occurredDate: '2026-03-01',
        action: 'Purchase',
        quantity: 1,
        unitAmount: { currency: 'USD', value: 5 },
      },
    }),
  );
}

for (let cursor: number | undefined = 0; cursor !== undefined; ) {
  const page: components['schemas']['PaginatedTransactionSummaries'] = done(
    await api.GET('/collection/{collectionId}/transaction-summary', {
      params: { path, query: { cursor, pageSize: 3 } },
    }),
  );
  for (const { productName, variantName, quantity, marketValue } of page.results) {
    console.log(`${quantity} ${productName}, ${variantName}: ${marketValue?.value} ${marketValue?.currency}`);
  }
  cursor = page.nextCursor;
}

const { error } = await api.GET('/collection', { params: { query: { pageSize: 1000 } } });
for (const { pointer, detail } of error?.errors ?? []) console.log(`Refused: ${pointer} ${detail}`);
