import { PROBLEMS, type Problem } from '../domain/errors.ts';
import { LIMITS } from '../domain/limits.ts';
import { MAPPED_COLUMNS } from '../domain/transaction-file.ts';
import type { ProblemBody } from '../http/problem.ts';
import { ACCOUNT } from './models/accounts.ts';
import { COLLECTION, NEW_COLLECTION } from './models/collections.ts';
import { EV_BREAKDOWN, EVS } from './models/evs.ts';
import { IDENTITY_PROVIDER } from './models/identity-providers.ts';
import { IMPORT_PREVIEW } from './models/import-previews.ts';
import { EXAMPLE_IDS } from './models/parts.ts';
import { FOUND, PRODUCT } from './models/products.ts';
import { SUMMARY } from './models/summaries.ts';
import { BOUGHT, DETAILS, SOLD } from './models/transactions.ts';
import { DELIVERY, WEBHOOK } from './models/webhooks.ts';

type ProblemExample = Pick<ProblemBody, 'detail' | 'errors' | 'limit' | 'current'>;

/** What the document shows of an operation; the tests send the requests and compare the answers. */
export interface OperationExample {
  body?: unknown;
  response?: unknown;
  ifMatch?: string;
  /** What is said of a body that cannot be read, by status, where it is no JSON. */
  malformed?: Record<number, string>;
  /** Where the operation says something of its own. */
  problems?: Partial<Record<Problem, ProblemExample>>;
}

export const FORBIDDEN_HEADER =
  'Cardledger-Account takes a token of the scope platform: all others act for their own account, without it.';

const FORBIDDEN =
  'Accounts below another are kept with a token of the scope platform: ask /oauth2/token for it, with a client of an account that may have some.';

const MALFORMED: Record<number, string> = {
  400: 'The body is not JSON: it ends too early.',
  408: 'The body came too slowly.',
  413: `The body must have at most ${LIMITS.bodyBytes} bytes.`,
  415: 'The body must be JSON, with "Content-Type: application/json".',
};

const malformedFile = (type: string): Record<number, string> => ({
  400: 'The form has no boundary in its Content-Type.',
  413: 'The file must have at most 16 MiB.',
  415: `The body must be a file, with "Content-Type: ${type}", or a form with one.`,
});

/** What the document shows of a problem, unless the operation says something of its own. */
export const PROBLEM_EXAMPLES: Record<Problem, (status: number) => ProblemExample> = {
  ValidationFailed: () => ({
    detail: '?colour is not a known parameter',
    errors: [{ pointer: '?colour', detail: 'is not a known parameter' }],
  }),
  MalformedRequest: (status) => ({ detail: MALFORMED[status]! }),
  InvalidQuery: () => ({ detail: PROBLEMS.InvalidQuery.explanation }),
  Unauthorized: () => ({
    detail: 'No access token was sent. Send one as "Authorization: Bearer <token>".',
  }),
  Forbidden: () => ({ detail: FORBIDDEN }),
  NotFound: () => ({ detail: 'The cursor 999 is beyond the maximum cursor of this list.' }),
  MethodNotAllowed: () => ({ detail: 'This path does not take PUT; it takes GET, HEAD, OPTIONS.' }),
  CollectionInUse: () => ({
    detail: 'The collection is the goal collection of the account. Choose another goal collection first.',
  }),
  LimitExceeded: () => ({ detail: PROBLEMS.LimitExceeded.explanation, limit: 200, current: 200 }),
  PreconditionFailed: () => ({
    detail:
      'The resource has changed since it was read: its ETag is another one now. Read it again and repeat the change.',
  }),
  IdempotencyMismatch: () => ({
    detail: 'This idempotency key was used with another request. Use a new key for a new request.',
  }),
  TooMuchWork: () => ({ detail: PROBLEMS.TooMuchWork.explanation }),
  RateLimited: () => ({ detail: 'A client may send 3000 requests a minute. Go on in 60 s.' }),
  Internal: () => ({ detail: 'Something failed on our side. The requestId finds it in the log.' }),
  Unavailable: () => ({ detail: 'The database cannot be reached at the moment. Try again shortly.' }),
};

const NO_ACCOUNT = { detail: 'The account does not exist.' };
const NO_COLLECTION = { detail: 'The collection does not exist.' };
const NO_TRANSACTION = { detail: 'The transaction does not exist.' };
const BAD_QUERY = { detail: 'Column 7: expected a value for pitch.' };

const NO_IDENTITY_PROVIDER = { detail: 'The identity provider does not exist.' };

const NO_WEBHOOK = { detail: 'The webhook does not exist.' };

const EXAMPLE_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';

const VAULT = { name: 'My vault', valued: true, description: 'Rainbow foils', pinned: true, image: 3 };

/** With a column for each parameter that names one. */
const SHEET = [
  Object.fromEntries(MAPPED_COLUMNS.map((column) => [column, column])),
  ...[
    { quantity: '3', unitAmount: '$0.25', number: 'MST131', variantName: 'Normal' },
    { quantity: '1', unitAmount: '$10.00', number: 'ARC159' },
  ].map((row) => ({ occurredDate: '3/2/2025', action: 'Purchase', currency: 'USD', ...row })),
]
  .map((row: Partial<Record<string, string>>) => MAPPED_COLUMNS.map((column) => row[column] ?? '').join(','))
  .join('\n');

/** Bytes, of which nothing is to be shown. */
const ARCHIVE = '…';

export const EXAMPLES: Record<string, OperationExample> = {
  createAccount: {
    body: { name: 'Grace', externalId: 'user-4712' },
    response: {
      ...ACCOUNT,
      accountId: 'acc_019d8645-0b60-7b11-8a62-93f4c0d7e5a8',
      name: 'Grace',
      externalId: 'user-4712',
    },
    problems: {
      LimitExceeded: {
        detail: 'There may be 1000 accounts below this one; delete one first, or ask the operator for more.',
        limit: 1000,
        current: 1000,
      },
    },
  },
  listAccounts: { response: { results: [ACCOUNT] } },
  getAccount: { response: ACCOUNT, problems: { NotFound: NO_ACCOUNT } },
  updateAccount: {
    ifMatch: '"2"',
    body: { name: 'Ada L.', status: 'Suspended', maxCollections: 50 },
    response: { ...ACCOUNT, name: 'Ada L.', status: 'Suspended', maxCollections: 50 },
    problems: { NotFound: NO_ACCOUNT },
  },
  createAccountToken: {
    body: { scope: 'read', expiresIn: 900 },
    response: {
      accessToken: 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.EXAMPLE.EXAMPLE',
      tokenType: 'Bearer',
      expiresIn: 900,
      scope: 'read',
    },
    problems: { NotFound: NO_ACCOUNT },
  },
  exportAccount: { response: ARCHIVE, problems: { NotFound: NO_ACCOUNT } },
  importAccount: {
    body: ARCHIVE,
    response: {
      accountId: EXAMPLE_IDS.accountId,
      collectionCount: 4,
      transactionCount: 312,
      priceAlertCount: 2,
    },
    malformed: malformedFile('application/gzip'),
    problems: {
      NotFound: NO_ACCOUNT,
      LimitExceeded: {
        detail:
          'An archive is taken into an account without collections and price alerts, and this one has 3; delete them first, or take another account.',
        limit: 0,
        current: 3,
      },
    },
  },
  deleteAccount: { ifMatch: '"2"', problems: { NotFound: NO_ACCOUNT } },
  getIdentityProvider: { response: IDENTITY_PROVIDER, problems: { NotFound: NO_IDENTITY_PROVIDER } },
  setIdentityProvider: { ifMatch: '"2"', body: IDENTITY_PROVIDER, response: IDENTITY_PROVIDER },
  deleteIdentityProvider: { ifMatch: '"2"', problems: { NotFound: NO_IDENTITY_PROVIDER } },
  createWebhook: {
    body: { url: WEBHOOK.url, events: WEBHOOK.events, allAccounts: true },
    response: { ...WEBHOOK, webhookId: 'whk_01kp34h880fh70tcr0bdf4jpd3', secret: EXAMPLE_SECRET },
    problems: {
      LimitExceeded: {
        detail: `An account may have ${LIMITS.webhooks} webhooks; delete one first.`,
        limit: LIMITS.webhooks,
        current: LIMITS.webhooks,
      },
    },
  },
  listWebhooks: { response: { results: [WEBHOOK] } },
  getWebhook: { response: WEBHOOK, problems: { NotFound: NO_WEBHOOK } },
  updateWebhook: {
    ifMatch: '"2"',
    body: { events: ['collection.changed'], status: 'Disabled' },
    response: { ...WEBHOOK, events: ['collection.changed'], status: 'Disabled' },
    problems: { NotFound: NO_WEBHOOK },
  },
  deleteWebhook: { ifMatch: '"2"', problems: { NotFound: NO_WEBHOOK } },
  rotateWebhookSecret: {
    response: { ...WEBHOOK, secret: EXAMPLE_SECRET },
    problems: { NotFound: NO_WEBHOOK },
  },
  testWebhook: {
    response: {
      ...DELIVERY,
      deliveryId: 'msg_01kp34h880fh70tcr0bdf4jpd3',
      type: 'webhook.test',
      payload: `{"type":"webhook.test","version":1,"timestamp":"2026-04-13T10:00:00.000Z","data":{"accountId":"${EXAMPLE_IDS.accountId}","webhookId":"${EXAMPLE_IDS.webhookId}"}}`,
    },
    problems: { NotFound: NO_WEBHOOK },
  },
  listWebhookDeliveries: { response: { results: [DELIVERY] }, problems: { NotFound: NO_WEBHOOK } },
  resendWebhookDelivery: { response: DELIVERY, problems: { NotFound: NO_WEBHOOK } },
  createCollection: {
    body: { name: 'My binder' },
    response: NEW_COLLECTION,
    problems: {
      LimitExceeded: {
        detail: 'An account may have 200 collections; delete one first.',
        limit: 200,
        current: 200,
      },
    },
  },
  listCollections: {
    response: { results: [COLLECTION] },
  },
  getCollection: {
    response: COLLECTION,
    problems: { NotFound: NO_COLLECTION },
  },
  updateCollection: {
    ifMatch: '"3"',
    body: VAULT,
    response: { ...COLLECTION, ...VAULT },
    problems: {
      NotFound: NO_COLLECTION,
      LimitExceeded: {
        detail: 'An account may have 20 valued collections; set valued to false on another one first.',
        limit: 20,
        current: 20,
      },
    },
  },
  deleteCollection: { ifMatch: '"3"', problems: { NotFound: NO_COLLECTION } },
  previewImport: {
    body: SHEET,
    response: IMPORT_PREVIEW,
    malformed: malformedFile('text/csv'),
    problems: { NotFound: NO_COLLECTION },
  },
  createTransaction: {
    body: {
      variantId: 'var_atzw90sz174deze4',
      occurredDate: '2025-03-01',
      action: 'Purchase',
      quantity: 4,
      unitAmount: { currency: 'USD', value: 10 },
    },
    response: { ...BOUGHT, transactionId: 'txn_01kp34h880fh70tcr8ed10trvh' },
    problems: {
      NotFound: NO_COLLECTION,
      LimitExceeded: {
        detail: 'An account may have 2000000 transactions, and it has 2000000; delete some first.',
        limit: 2_000_000,
        current: 2_000_000,
      },
    },
  },
  listTransactions: {
    response: { results: [BOUGHT, SOLD] },
    problems: { NotFound: NO_COLLECTION },
  },
  updateTransaction: {
    ifMatch: '"1"',
    body: {
      occurredDate: null,
      action: null,
      quantity: 2,
      unitAmount: { currency: 'EUR', value: 9.5 },
      ...DETAILS,
    },
    response: { ...BOUGHT, ...DETAILS, quantity: 2, unitAmount: { currency: 'EUR', value: 9.5 } },
    problems: { NotFound: NO_TRANSACTION },
  },
  deleteTransaction: { ifMatch: '"1"', problems: { NotFound: NO_TRANSACTION } },
  listTransactionSummaries: {
    response: { results: [SUMMARY] },
    problems: { NotFound: NO_COLLECTION, InvalidQuery: BAD_QUERY },
  },
  searchProducts: {
    response: { results: FOUND, nextCursor: 2 },
    problems: { InvalidQuery: BAD_QUERY },
  },
  getProduct: {
    response: PRODUCT,
    problems: { NotFound: { detail: 'The product does not exist.' } },
  },
  getEvBreakdown: {
    response: EV_BREAKDOWN,
    problems: {
      NotFound: {
        detail: 'There is no Box of this set type; the list of expected values has those that exist.',
      },
    },
  },
  listProductEvs: {
    response: { results: EVS, nextCursor: 2 },
  },
};
