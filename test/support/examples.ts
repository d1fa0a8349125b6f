import type { OpenDatabase } from '../../src/db/client.ts';
import { EXAMPLES } from '../../src/rest/examples.ts';
import { EXAMPLE_IDS } from '../../src/rest/models/parts.ts';
import { newTestApp, type TestApp } from '../harness.ts';
import { newCollection, record, usd } from '../http/support.ts';
import { archiveWith, NOTHING } from './account-archives.ts';

const EXAMPLE_PROVIDER = EXAMPLES.setIdentityProvider!.body as { issuer: string };

type AppOptions = Parameters<typeof newTestApp>[1];

/** A new account with what the examples of the OpenAPI document name: a collection, with 4 cards bought and 1 sold. */
export async function exampleAccount(db: OpenDatabase, options?: AppOptions): Promise<TestApp> {
  const app = await withExampleIds(db, await newTestApp(db, { maxAccounts: 1000, ...options }));
  const { collectionId, transactionId, variantId } = EXAMPLE_IDS;
  const made = await newCollection(app, 'My binder');
  const rename = (table: 'collection' | 'transaction' | 'webhook', to: string, from: string) =>
    db.query(`update ${table} set id = $1 where account_id = $2 and id = $3`, [to, app.accountId, from]);
  await rename('collection', collectionId, made);
  const bought = await record(app, collectionId, variantId, { occurredDate: '2025-03-01' });
  await rename('transaction', transactionId, bought.transactionId);
  const sale = { occurredDate: '2025-03-08', action: 'Sale', quantity: 1, unitAmount: usd(15) };
  await record(app, collectionId, variantId, sale);
  const hook = { url: 'https://app.example/webhooks', events: ['collection.changed', 'account.deleted'] };
  const { body: webhook } = await app.send('POST', '/webhook', { ...hook, allAccounts: true });
  await app.send('PATCH', `/webhook/${webhook.webhookId}`, { url: hook.url });
  await app.send('POST', `/webhook/${webhook.webhookId}/test`);
  await rename('webhook', EXAMPLE_IDS.webhookId, webhook.webhookId);
  await db.query(
    `update webhook_delivery set webhook_id = $2, id = $3, type = 'collection.changed', payload = '{"type":"collection.changed"}'
     where account_id = $1`,
    [app.accountId, EXAMPLE_IDS.webhookId, EXAMPLE_IDS.deliveryId],
  );
  return app;
}

/** Ids of accounts are unique over all of them: the one below is called by the example's id in requests and answers alone. */
async function withExampleIds(db: OpenDatabase, app: TestApp): Promise<TestApp> {
  const { body } = await app.send('POST', '/account', { name: 'Ada', externalId: 'user-4711' });
  // At another version than the one that clients may have.
  await app.send('PATCH', `/account/${body.accountId}`, { name: 'Ada' });
  const [own, shown] = [body.accountId as string, EXAMPLE_IDS.accountId];
  // Of all accounts one may have it.
  await db.query('delete from identity_provider where issuer = $1', [EXAMPLE_PROVIDER.issuer]);
  for (let i = 0; i < 2; i++) await app.send('PUT', '/identity-provider', EXAMPLE_PROVIDER);
  return {
    ...app,
    async send(method, path, ...rest) {
      const answer = await app.send(method, path.replace(shown, own), ...rest);
      return { ...answer, body: JSON.parse(JSON.stringify(answer.body).replaceAll(own, shown)) };
    },
  };
}

/** A part of the OpenAPI document, as far as examples go. */
export interface ExampleOperation {
  operationId: string;
  method: string;
  path: string;
  parameters?: {
    name: string;
    in: 'path' | 'query' | 'header';
    required?: boolean;
    schema: { example?: unknown };
  }[];
  requestBody?: { content: Record<string, { example?: unknown }> };
  responses: Record<
    string,
    { content?: Record<string, { example?: unknown; examples?: Record<string, { value: unknown }> }> }
  >;
}

/** The request that the document shows: every parameter and header that has an example, and the body. */
export function exampleRequest({ method, path, parameters = [], requestBody }: ExampleOperation) {
  const shown = (place: string) =>
    parameters
      .filter((parameter) => parameter.in === place && parameter.schema.example !== undefined)
      .map(({ name, schema }): [string, string] => [name, String(schema.example)]);
  const type = requestBody && Object.keys(requestBody.content)[0];
  const values = new Map(shown('path'));
  const query = new URLSearchParams(shown('query'));
  return {
    method,
    path:
      path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values.get(name)!) +
      (query.size > 0 ? `?${query}` : ''),
    headers: { ...Object.fromEntries(shown('header')), ...(type !== undefined && { 'Content-Type': type }) },
    body: type === 'application/gzip' ? archiveWith(NOTHING) : type && requestBody!.content[type]!.example,
  };
}
