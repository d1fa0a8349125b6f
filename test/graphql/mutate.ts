import type { TestApp } from '../harness.ts';
import { MUTATIONS } from './decided-schema.ts';

const MONEY = '{ currency value decimal }';
const TRANSACTION = `{ id occurred action quantity unitAmount ${MONEY} variant { id } collection { id quantity }
  costUnknown cardCondition grade { company grade certificate } language notes tags }`;
const COLLECTION = `{ id name description valued pinned isGoalCollection image quantity
  invested ${MONEY} profit ${MONEY} cashPosition ${MONEY} marketValue ${MONEY} }`;

const PRICE_ALERT = `{ id condition amount ${MONEY} percent days direction createdAt isMet triggerCount
  target { __typename ... on Node { id } } lastTrigger { triggeredAt day value ${MONEY} change } }`;

const SUB_ACCOUNT =
  '{ id externalId name status maxCollections maxValuedCollections maxTransactions createdAt }';

const IDENTITY_PROVIDER = '{ issuer audience createsAccounts defaultScope readScope }';
const WEBHOOK = '{ id url events allAccounts status disabledReason failingSince createdAt }';
const DELIVERY =
  '{ id type payload status occurredAt attempts nextAttemptAt lastAttemptAt responseStatus error }';

const IMPORT_REPORT = `written format rowCount transactionCount skipped { reason count } errorCount
    errors { line column detail suggestions { variantId variantName productName number fcId } }
    duplicateCount duplicates { line sameAsLine sameAsTransactionId } oversoldCount oversold { line quantity } collection { id quantity }`;
const IMPORT_PREVIEW = `{ id format rowCount skipped { reason count } counts { matched unclear wrong skipped }
    rows { totalCount nodes { line state name number variant { id } candidates { id } problems { column detail }
      occurredDate action quantity unitAmount { currency decimal } } } }`;

/** All that the payload of each mutation is asked for. */
const PAYLOADS: Record<string, string> = {
  createCollection: `collection ${COLLECTION}`,
  updateCollection: `collection ${COLLECTION}`,
  deleteCollection: 'deletedId',
  createTransaction: `transaction ${TRANSACTION}`,
  createTransactions: 'transactions { id }',
  updateTransaction: `transaction ${TRANSACTION}`,
  deleteTransaction: 'deletedId',
  moveTransactions: `movedCount fromCollection ${COLLECTION} toCollection ${COLLECTION}`,
  mergeCollections: `movedCount deletedId collection ${COLLECTION}`,
  importTransactions: IMPORT_REPORT,
  previewImport: `preview ${IMPORT_PREVIEW}`,
  importPreviewed: `${IMPORT_REPORT} preview ${IMPORT_PREVIEW}`,
  createAccount: `account ${SUB_ACCOUNT}`,
  updateAccount: `account ${SUB_ACCOUNT}`,
  suspendAccount: `account ${SUB_ACCOUNT}`,
  resumeAccount: `account ${SUB_ACCOUNT}`,
  createAccountToken: 'accessToken scope expiresIn',
  deleteAccount: 'deletedId',
  setIdentityProvider: `identityProvider ${IDENTITY_PROVIDER}`,
  deleteIdentityProvider: `identityProvider ${IDENTITY_PROVIDER}`,
  createWebhook: `webhook ${WEBHOOK} secret`,
  updateWebhook: `webhook ${WEBHOOK}`,
  rotateWebhookSecret: `webhook ${WEBHOOK} secret`,
  deleteWebhook: 'deletedId',
  testWebhook: `delivery ${DELIVERY}`,
  resendWebhookDelivery: `delivery ${DELIVERY}`,
  updatePreferences: 'account { id preferredCurrency preferredPriceSource costBasis }',
  setGoalCollection: `collection ${COLLECTION}`,
  createPriceAlert: `priceAlert ${PRICE_ALERT}`,
  deletePriceAlert: 'deletedId',
};

/** A document that asks for everything that the mutation can answer with. */
export function mutationDocument(name: string): string {
  const type = name[0]!.toUpperCase() + name.slice(1);
  const limit = MUTATIONS[name]!.failures.includes('LimitExceeded')
    ? '... on LimitExceeded { limit current }'
    : '';
  return `mutation ($input: ${type}Input!) { ${name}(input: $input) { __typename
    ... on ${type}Payload { ${PAYLOADS[name]} }
    ... on Error { message } ... on ValidationFailed { errors { path detail } } ${limit} } }`;
}

/** Runs one mutation and gives what it answers: its payload, or a failure as data. */
// biome-ignore lint/suspicious/noExplicitAny: the tests assert on its shape
export async function mutate(app: TestApp, name: string, input: Record<string, unknown>): Promise<any> {
  const data = await app.graphql<Record<string, unknown>>(mutationDocument(name), { input });
  return data[name];
}
