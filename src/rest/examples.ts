import { PROBLEMS, type Problem } from '../domain/errors.ts';
import { LIMITS } from '../domain/limits.ts';
import { MAPPED_COLUMNS } from '../domain/transaction-file.ts';
import type { ProblemBody } from '../http/problem.ts';
import {
  type AccountBody,
  type CollectionBody,
  type EvBreakdownBody,
  EXAMPLE_IDS,
  type IdentityProviderBody,
  type ImportPreviewBody,
  type ProductBody,
  type ProductEvBody,
  type ProductSearchBody,
  type SummaryBody,
  type TransactionBody,
  type WebhookBody,
  type WebhookDeliveryBody,
} from './schemas.ts';

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

const IDENTITY_PROVIDER: IdentityProviderBody = {
  issuer: 'https://login.app.example',
  audience: 'https://cards.app.example',
  createsAccounts: true,
  defaultScope: 'cardledger:default',
  readScope: 'cardledger:read',
};

const ACCOUNT: AccountBody = {
  accountId: EXAMPLE_IDS.accountId,
  externalId: 'user-4711',
  name: 'Ada',
  status: 'Active',
  maxCollections: 200,
  maxValuedCollections: 20,
  maxTransactions: 2_000_000,
  createdAt: '2026-04-13T10:00:00.000Z',
};

const NO_WEBHOOK = { detail: 'The webhook does not exist.' };

const WEBHOOK: WebhookBody = {
  webhookId: EXAMPLE_IDS.webhookId,
  url: 'https://app.example/webhooks',
  events: ['collection.changed', 'account.deleted'],
  allAccounts: true,
  status: 'Active',
  disabledReason: null,
  failingSince: null,
  createdAt: '2026-04-13T10:00:00.000Z',
};

const EXAMPLE_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';

const DELIVERY: WebhookDeliveryBody = {
  deliveryId: EXAMPLE_IDS.deliveryId,
  type: 'collection.changed',
  payload: `{"type":"collection.changed","version":1,"timestamp":"2026-04-13T10:00:00.000Z","data":{"accountId":"${EXAMPLE_IDS.accountId}","collectionId":"${EXAMPLE_IDS.collectionId}","revision":3,"change":"Updated"}}`,
  status: 'Pending',
  occurredAt: '2026-04-13T10:00:00.000Z',
  attempts: 0,
  nextAttemptAt: '2026-04-13T10:00:00.000Z',
  lastAttemptAt: null,
  responseStatus: null,
  error: null,
};

const NEW_COLLECTION: CollectionBody = {
  collectionId: 'col_01kp34h880fh70tcr0bdf4jpd3',
  name: 'My binder',
  valued: false,
  pinned: false,
  isGoalCollection: false,
  description: '',
  quantity: 0,
  image: 0,
  cashPosition: null,
  invested: null,
  profit: null,
  gain: null,
  marketValue: { currency: 'USD', value: 0 },
};

/** With 4 cards bought and 1 sold. */
const COLLECTION: CollectionBody = {
  ...NEW_COLLECTION,
  collectionId: EXAMPLE_IDS.collectionId,
  quantity: 3,
  cashPosition: { currency: 'USD', value: -25 },
  invested: { currency: 'USD', value: 30 },
  profit: { currency: 'USD', value: 5 },
  gain: { currency: 'USD', value: -21.51 },
  marketValue: { currency: 'USD', value: 8.49 },
};

const VAULT = { name: 'My vault', valued: true, description: 'Rainbow foils', pinned: true, image: 3 };

const VARIANT = {
  variantId: EXAMPLE_IDS.variantId,
  variantName: 'Unlimited Edition Normal',
  productId: EXAMPLE_IDS.productId,
  productName: 'Command and Conquer',
  number: 'ARC159',
  imageUrl: 'https://tcgplayer-cdn.tcgplayer.com/product/225899_200w.jpg',
  fcId: 'ARC159-Unlimited',
};

const BOUGHT: TransactionBody = {
  transactionId: EXAMPLE_IDS.transactionId,
  ...VARIANT,
  occurred: '2025-03-01T12:00:00Z',
  action: 'Purchase',
  quantity: 4,
  unitAmount: { currency: 'USD', value: 10 },
};

/** All that can be said of the cards. */
const DETAILS = {
  cardCondition: 'NearMint',
  grade: { company: 'PSA', grade: '9.5', certificate: '12345678' },
  language: 'EN',
  notes: 'From the local store',
  tags: ['for trade'],
} as const satisfies Partial<TransactionBody>;

const SOLD: TransactionBody = {
  ...BOUGHT,
  transactionId: 'txn_01kp34h880fh70tcrab7q3cez8',
  occurred: '2025-03-08T12:00:00Z',
  action: 'Sale',
  quantity: 1,
  unitAmount: { currency: 'USD', value: 15 },
};

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

const IMPORT_PREVIEW: ImportPreviewBody = {
  importPreviewId: EXAMPLE_IDS.importPreviewId,
  collectionId: EXAMPLE_IDS.collectionId,
  createdAt: '2026-04-13T10:00:00.000Z',
  format: 'Columns',
  rowCount: 2,
  skipped: [],
  counts: { matched: 1, unclear: 1, wrong: 0, skipped: 0 },
};

const { quantity, cashPosition, invested, profit, gain, marketValue } = COLLECTION;

/** Of the one variant that the collection holds. */
const SUMMARY: SummaryBody = { ...VARIANT, quantity, cashPosition, invested, profit, gain, marketValue };

const FOUND: ProductSearchBody[] = [
  {
    productId: 'prd_5d2t71ehfc5gmd12',
    name: 'Command and Conquer',
    imageUrl: 'https://tcgplayer-cdn.tcgplayer.com/product/225899_200w.jpg',
    number: 'ARC159',
  },
  {
    productId: 'prd_rptkfdrskr5bs5gx',
    name: 'Command and Conquer',
    imageUrl: 'https://legendstory-production-s3-public.s3.amazonaws.com/media/cards/large/FAB278.webp',
    number: 'FAB278',
  },
];

const PRODUCT: ProductBody = {
  productId: 'prd_5d2t71ehfc5gmd12',
  vendorProductId: 225899,
  name: 'Command and Conquer',
  number: 'ARC159',
  imageUrl: 'https://tcgplayer-cdn.tcgplayer.com/product/225899_200w.jpg',
  description:
    "Defense reaction cards can't be played this chain link. When this hits a hero, destroy all cards in their arsenal.",
  cardType: 'Action',
  cardSubType: 'Attack',
  class: 'Generic',
  rarity: 'Majestic',
  cost: '2',
  defenseValue: '3',
  pitchValue: '1',
  talent: null,
  power: '6',
  intellect: null,
  life: null,
  variants: [
    {
      variantId: 'var_m96edymvth2ckgbz',
      variantName: '1st Edition Normal',
      marketPrice: { currency: 'EUR', value: 5.77 },
      fcId: 'ARC159-First',
      saleVolumes: [0, 1, 2, 1, 0, 2, 1, 3, 2, 1, 3, 2, 3, 1, 1, 3, 4, 2, 0, 2, 0, 2, 1, 2, 0, 3, 2, 0, 1, 0],
    },
    {
      variantId: 'var_1hvm431s094jxa6x',
      variantName: '1st Edition Rainbow Foil',
      marketPrice: { currency: 'EUR', value: 8.28 },
      fcId: 'ARC159-First-Rainbow',
      saleVolumes: [0, 1, 1, 2, 2, 1, 3, 3, 2, 2, 1, 1, 3, 0, 2, 2, 1, 4, 1, 2, 2, 3, 2, 2, 3, 2, 3, 1, 2, 3],
    },
    {
      variantId: 'var_atzw90sz174deze4',
      variantName: 'Unlimited Edition Normal',
      marketPrice: { currency: 'EUR', value: 2.42 },
      fcId: 'ARC159-Unlimited',
      saleVolumes: [3, 2, 2, 1, 2, 0, 1, 3, 2, 1, 3, 0, 2, 1, 2, 2, 2, 1, 2, 1, 0, 1, 0, 2, 1, 2, 0, 2, 1, 2],
    },
    {
      variantId: 'var_etz39vwv5hqap4pp',
      variantName: 'Unlimited Edition Rainbow Foil',
      marketPrice: { currency: 'EUR', value: 3.95 },
      fcId: 'ARC159-Unlimited-Rainbow',
      saleVolumes: [0, 1, 0, 1, 1, 1, 3, 0, 2, 2, 2, 2, 1, 1, 3, 1, 0, 1, 0, 1, 2, 2, 1, 3, 0, 2, 0, 1, 3, 3],
    },
  ],
};

const EV_BREAKDOWN: EvBreakdownBody = {
  productId: 'prd_8rf7r6ckwbm9g1sc',
  productName: 'Welcome to Rathe Booster Box [1st Edition]',
  fcId: 'Wtr1stEdition-Box',
  imageUrl: '/pictures/wtr/box.svg',
  currentEstimatedValue: { currency: 'USD', value: 1426.1 },
  warning:
    'Prices are sample data, not real market prices. The pull rate of Fabled is not published; it adds nothing. Rainbow Foil is published without its split by rarity, and counted at the mean price of its commons, a lower bound. Cold Foil is published without its split by rarity, and counted at the mean price of its commons, a lower bound. 1 of 132 Common cards has no market price.',
  categories: [
    {
      category: 'ColdFoilLegendary',
      categoryName: 'Cold Foil Legendary',
      multiplier: 0.25,
      averageMarketPrice: { currency: 'USD', value: 3493.48 },
      contributedValue: { currency: 'USD', value: 873.37 },
    },
    {
      category: 'Majestic',
      categoryName: 'Majestic',
      multiplier: 2,
      averageMarketPrice: { currency: 'USD', value: 24.98 },
      contributedValue: { currency: 'USD', value: 49.97 },
    },
    {
      category: 'SuperRare',
      categoryName: 'Super Rare',
      multiplier: 4,
      averageMarketPrice: { currency: 'USD', value: 10.04 },
      contributedValue: { currency: 'USD', value: 40.16 },
    },
    {
      category: 'Rare',
      categoryName: 'Rare',
      multiplier: 42,
      averageMarketPrice: { currency: 'USD', value: 2.72 },
      contributedValue: { currency: 'USD', value: 114.35 },
    },
    {
      category: 'Common',
      categoryName: 'Common',
      multiplier: 288,
      averageMarketPrice: { currency: 'USD', value: 0.95 },
      contributedValue: { currency: 'USD', value: 274.72 },
    },
    {
      category: 'Token',
      categoryName: 'Token',
      multiplier: 24,
      averageMarketPrice: { currency: 'USD', value: 1.21 },
      contributedValue: { currency: 'USD', value: 29.06 },
    },
    {
      category: 'RainbowFoil',
      categoryName: 'Rainbow Foil',
      multiplier: 24,
      averageMarketPrice: { currency: 'USD', value: 1.59 },
      contributedValue: { currency: 'USD', value: 38.12 },
    },
    {
      category: 'ColdFoil',
      categoryName: 'Cold Foil',
      multiplier: 0.75,
      averageMarketPrice: { currency: 'USD', value: 8.46 },
      contributedValue: { currency: 'USD', value: 6.34 },
    },
  ],
};

const EVS: ProductEvBody[] = [
  {
    setType: 'Wtr1stEdition',
    productType: 'Box',
    productId: 'prd_8rf7r6ckwbm9g1sc',
    productImage: '/pictures/wtr/box.svg',
    productName: 'Welcome to Rathe Booster Box [1st Edition]',
    fcId: 'Wtr1stEdition-Box',
    currentEstimatedValue: { currency: 'USD', value: 1426.1 },
    marketPrice: { currency: 'USD', value: 2576 },
    marketPriceDelta: { currency: 'USD', value: -1149.9 },
    warning:
      'Prices are sample data, not real market prices. The pull rate of Fabled is not published; it adds nothing. Rainbow Foil is published without its split by rarity, and counted at the mean price of its commons, a lower bound. Cold Foil is published without its split by rarity, and counted at the mean price of its commons, a lower bound. 1 of 132 Common cards has no market price.',
  },
  {
    setType: 'Arc1stEdition',
    productType: 'Box',
    productId: 'prd_zp053tdejaa3gffg',
    productImage: '/pictures/arc/box.svg',
    productName: 'Arcane Rising Booster Box [1st Edition]',
    fcId: 'Arc1stEdition-Box',
    currentEstimatedValue: { currency: 'USD', value: 464.06 },
    marketPrice: { currency: 'USD', value: 825 },
    marketPriceDelta: { currency: 'USD', value: -360.94 },
    warning:
      'Prices are sample data, not real market prices. The pull rate of Fabled is not published; it adds nothing. Rainbow Foil is published without its split by rarity, and counted at the mean price of its commons, a lower bound. Cold Foil is published without its split by rarity, and counted at the mean price of its commons, a lower bound. 1 of 48 Rare cards has no market price. 1 of 12 Cold Foil cards has no market price.',
  },
];

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
