import { randomUUID } from 'node:crypto';
import type { OpenDatabase } from '../../src/db/client.ts';
import { openApiDocument } from '../../src/rest/openapi.ts';
import { createRestApp } from '../../src/rest/server.ts';
import { pricedVariants, type TestApp } from '../harness.ts';
import { archiveWith, NOTHING } from '../support/account-archives.ts';
import { newCollection, purchase, record } from './support.ts';

/** What a good request can name. */
export interface Ids {
  accountId: string;
  collectionId: string;
  transactionId: string;
  variantId: string;
  productId: string;
  webhookId: string;
  deliveryId: string;
}

interface GoodRequest {
  path: (ids: Ids) => string;
  body?: (ids: Ids) => unknown;
  headers?: Record<string, string>;
}

/** No other platform names the same. */
export function newIdentityProvider() {
  return { issuer: 'https://login.example', audience: randomUUID(), createsAccounts: true };
}

const OWN = 'occurredDate,action,quantity,unitAmount,currency,variantId\n';

/** A good request of every operation of the document. */
export const GOOD_REQUESTS: Record<string, GoodRequest> = {
  createAccount: { path: () => '/account', body: () => ({ name: 'Ada', externalId: 'user-4711' }) },
  listAccounts: { path: () => '/account' },
  getAccount: { path: ({ accountId }) => `/account/${accountId}` },
  updateAccount: { path: ({ accountId }) => `/account/${accountId}`, body: () => ({ name: 'Ada L.' }) },
  createAccountToken: {
    path: ({ accountId }) => `/account/${accountId}/token`,
    body: () => ({ scope: 'read', expiresIn: 60 }),
  },
  exportAccount: { path: ({ accountId }) => `/account/${accountId}/export` },
  importAccount: {
    path: ({ accountId }) => `/account/${accountId}/import`,
    body: () => archiveWith(NOTHING),
    headers: { 'Content-Type': 'application/gzip' },
  },
  deleteAccount: { path: ({ accountId }) => `/account/${accountId}` },
  getIdentityProvider: { path: () => '/identity-provider' },
  setIdentityProvider: { path: () => '/identity-provider', body: newIdentityProvider },
  deleteIdentityProvider: { path: () => '/identity-provider' },
  createWebhook: { path: () => '/webhook', body: () => ({ url: 'https://app.example/webhooks' }) },
  listWebhooks: { path: () => '/webhook' },
  getWebhook: { path: ({ webhookId }) => `/webhook/${webhookId}` },
  updateWebhook: { path: ({ webhookId }) => `/webhook/${webhookId}`, body: () => ({ status: 'Active' }) },
  deleteWebhook: { path: ({ webhookId }) => `/webhook/${webhookId}` },
  rotateWebhookSecret: { path: ({ webhookId }) => `/webhook/${webhookId}/secret` },
  testWebhook: { path: ({ webhookId }) => `/webhook/${webhookId}/test` },
  listWebhookDeliveries: { path: ({ webhookId }) => `/webhook/${webhookId}/delivery` },
  resendWebhookDelivery: {
    path: ({ webhookId, deliveryId }) => `/webhook/${webhookId}/delivery/${deliveryId}/send`,
  },
  createCollection: { path: () => '/collection', body: () => ({ name: 'Another' }) },
  listCollections: { path: () => '/collection' },
  getCollection: { path: ({ collectionId }) => `/collection/${collectionId}` },
  updateCollection: {
    path: ({ collectionId }) => `/collection/${collectionId}`,
    body: () => ({ name: 'Vault', valued: true, description: 'Foils', pinned: true, image: 3 }),
  },
  deleteCollection: { path: ({ collectionId }) => `/collection/${collectionId}` },
  createTransaction: {
    path: ({ collectionId }) => `/collection/${collectionId}/transaction`,
    body: ({ variantId }) => purchase(variantId),
  },
  listTransactions: { path: ({ collectionId }) => `/collection/${collectionId}/transaction` },
  previewImport: {
    path: ({ collectionId }) => `/collection/${collectionId}/import`,
    body: ({ variantId }) => `${OWN}2026-01-31,Purchase,2,1.50,USD,${variantId}\n`,
    headers: { 'Content-Type': 'text/csv' },
  },
  updateTransaction: {
    path: ({ transactionId }) => `/transaction/${transactionId}`,
    body: () => ({ occurredDate: null, action: 'Sale', quantity: 2, unitAmount: null }),
  },
  deleteTransaction: { path: ({ transactionId }) => `/transaction/${transactionId}` },
  listTransactionSummaries: { path: ({ collectionId }) => `/collection/${collectionId}/transaction-summary` },
  searchProducts: { path: () => '/product/search?q=command+and+conquer' },
  getProduct: { path: ({ productId }) => `/product/${productId}` },
  getEvBreakdown: { path: () => '/ev/breakdown?setType=Wtr1stEdition&productType=Box' },
  listProductEvs: { path: () => '/ev/list' },
};

export interface Operation {
  operationId: string;
  method: string;
  path: string;
  /** Of JSON. */
  hasBody: boolean;
  hasFile: boolean;
  /** The media types and their schemas, by status. */
  responses: Record<string, { content?: Record<string, { schema: unknown }> }>;
}

export const DOCUMENT = openApiDocument(createRestApp());

function typesOf({ requestBody }: Record<string, unknown>): string[] {
  return Object.keys((requestBody as { content: object } | undefined)?.content ?? {});
}

/** Whether a token of the scope `platform` is needed for it: an account has its own exported and imported. */
export const isOfPlatforms = ({ path }: { path: string }) =>
  /^.(account(?!.*\/(export|import)$)|identity-provider)/.test(path);

/** Every operation of the document that takes a bearer token. */
export const OPERATIONS: Operation[] = Object.entries(DOCUMENT.paths ?? {}).flatMap(([path, item]) =>
  Object.entries(item as Record<string, Record<string, unknown>>)
    .filter(([, { security }]) => (security as unknown[]).length > 0)
    .map(([method, operation]) => ({
      operationId: operation.operationId as string,
      method: method.toUpperCase(),
      path,
      hasBody: typesOf(operation).includes('application/json'),
      hasFile: typesOf(operation).includes('multipart/form-data'),
      responses: operation.responses as Operation['responses'],
    })),
);

export function goodRequest({ operationId }: Operation): GoodRequest {
  const request = GOOD_REQUESTS[operationId];
  if (!request) throw new Error(`test/http/routes.ts has no good request of ${operationId}: add one.`);
  return request;
}

/** A collection with a transaction, of the app's account, and what else requests name. */
export async function newIds(db: OpenDatabase, app: TestApp): Promise<Ids> {
  const [variantId] = (await pricedVariants(db, 1)) as [string];
  const collectionId = await newCollection(app);
  const { transactionId, productId } = await record(app, collectionId, variantId);
  const { body } = await app.send('POST', '/account', { name: 'Ada', externalId: randomUUID() });
  await app.send('PUT', '/identity-provider', newIdentityProvider());
  return {
    accountId: body.accountId,
    collectionId,
    transactionId,
    variantId,
    productId,
    ...(await newWebhook(app)),
  };
}

/** An account may have few of them: those of before go. */
export async function newWebhook(app: TestApp): Promise<Pick<Ids, 'webhookId' | 'deliveryId'>> {
  const { body: before } = await app.send('GET', '/webhook');
  for (const { webhookId } of before.results) await app.send('DELETE', `/webhook/${webhookId}`);
  const { body } = await app.send('POST', '/webhook', { url: 'https://app.example/webhooks' });
  const { body: test } = await app.send('POST', `/webhook/${body.webhookId}/test`);
  return { webhookId: body.webhookId, deliveryId: test.deliveryId };
}
