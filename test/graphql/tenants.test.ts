import { randomUUID } from 'node:crypto';
import { type GraphQLArgument, getNamedType, isInputObjectType, isObjectType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { createSchema } from '../../src/graphql/schema.ts';
import {
  asNewAccount,
  describeOnDatabases,
  newTestApp,
  quickerKind,
  sharedDatabase,
  type TestApp,
  type TestResponse,
} from '../harness.ts';
import { NO_ACCOUNT } from '../http/support.ts';
import { graphqlEntry, recordWorkedExample, type WorkedExample } from '../support/furnished.ts';
import { actingFor, newSubAccount } from '../support/platforms.ts';
import { MUTATIONS } from './decided-schema.ts';
import { LISTS } from './lists.ts';
import { mutate, mutationDocument } from './mutate.ts';

/** Whatever is named of another account, the answer is the same as for what does not exist. */

const CURSORS = ['after', 'before'];

/** Every place of the schema where a caller names something: ids, cursors and idempotency keys. */
const PLACES = Object.values(createSchema().getTypeMap())
  .flatMap((type) => {
    if (type.name.startsWith('__')) return [];
    const fields = isObjectType(type) || isInputObjectType(type) ? Object.values(type.getFields()) : [];
    return fields.flatMap((field) => {
      const inputs: readonly Pick<GraphQLArgument, 'name' | 'type'>[] =
        'args' in field ? field.args : [field];
      return inputs
        .filter(
          ({ name, type: input }) =>
            getNamedType(input).name === 'ID' || [...CURSORS, 'idempotencyKey'].includes(name),
        )
        .map(({ name }) =>
          'args' in field ? `${type.name}.${field.name}(${name})` : `${type.name}.${name}`,
        );
    });
  })
  .sort();

/** What the catalogue has is everyone's. */
const SHARED = [
  'Query.product(id)',
  'Query.variant(id)',
  'Collection.transactionSummary(variantId)',
  'CreateTransactionInput.variantId',
  'ImportChoiceInput.variantId',
  'GoalItemInput.variantId',
  'MoveTransactionsInput.variantId',
  'TransactionEntryInput.variantId',
  'TransactionFilter.productId',
  'TransactionFilter.variantId',
  ...CURSORS.flatMap((cursor) => [
    `Query.products(${cursor})`,
    `Query.productEvs(${cursor})`,
    `Query.sets(${cursor})`,
  ]),
];

/** Their cursors are places in a list that was computed, and name nothing. */
const OF_PLACES = [
  ...CURSORS.flatMap((cursor) => [
    `TransactionSummary.lots(${cursor})`,
    `RealizedSale.lots(${cursor})`,
    `ImportPreview.rows(${cursor})`,
  ]),
  'ImportPreview.restCsv(after)',
];

type Kind =
  | 'Collection'
  | 'Transaction'
  | 'TransactionSummary'
  | 'PriceAlert'
  | 'Account'
  | 'SubAccount'
  | 'ImportPreview'
  | 'Webhook'
  | 'WebhookDelivery';
type Ids = Record<Kind, string>;

interface Case {
  kinds: readonly Kind[];
  operation: (id: string, example: WorkedExample) => { query: string; variables: object };
}

const ask = (query: string, ...kinds: Kind[]): Case => ({
  kinds,
  operation: (id) => ({ query, variables: { id } }),
});
const change = (name: string, kind: Kind, field: string, rest: (example: WorkedExample) => object): Case => ({
  kinds: [kind],
  operation: (id, example) => ({
    query: mutationDocument(name),
    variables: { input: { ...rest(example), [field]: id } },
  }),
});
const nothing = () => ({});
const NOBODYS_WEBHOOK = 'whk_00000000000000000000000000';
const NOBODYS_DELIVERY = 'msg_00000000000000000000000000';
const NOBODYS_COLLECTION = 'col_00000000000000000000000000';
const sale = (variantId: string) =>
  `variantId,occurredDate,action,quantity,unitAmount,currency\n${variantId},2026-04-13,Sale,1,1,USD\n`;
const KINDS: Kind[] = [
  'Collection',
  'Transaction',
  'TransactionSummary',
  'PriceAlert',
  'Account',
  'ImportPreview',
];

const ID_CASES: Record<string, Case> = {
  'Query.node(id)': ask('query ($id: ID!) { node(id: $id) { __typename id } }', ...KINDS),
  'Query.nodes(ids)': ask('query ($id: ID!) { nodes(ids: [$id, $id]) { __typename id } }', ...KINDS),
  'Query.account(id)': ask('query ($id: ID!) { account(id: $id) { id name } }', 'SubAccount'),
  'Query.collection(id)': ask(
    'query ($id: ID!) { collection(id: $id) { id transactions { totalCount } transactionsCsv { csv } } }',
    'Collection',
  ),
  'Query.transaction(id)': ask(
    'query ($id: ID!) { transaction(id: $id) { id collection { id } } }',
    'Transaction',
  ),
  'Query.importPreview(id)': ask(
    'query ($id: ID!) { importPreview(id: $id) { id rows { totalCount nodes { line } } restCsv { csv } } }',
    'ImportPreview',
  ),
  'Set.completion(collectionId)': ask(
    'query ($id: ID!) { set(code: "WTR") { completion(collectionId: $id) { owned missing } } }',
    'Collection',
  ),
  'Product.owned(collectionId)': ask(
    'query ($id: ID!) { products(filter: { set: ["WTR"] }, sort: NUMBER) { nodes { owned(collectionId: $id) } } }',
    'Collection',
  ),
  'Variant.owned(collectionId)': ask(
    'query ($id: ID!) { products(filter: { set: ["WTR"] }, sort: NUMBER) { nodes { variants { owned(collectionId: $id) } } } }',
    'Collection',
  ),
  'Subscription.collectionChanged(id)': ask(
    'subscription ($id: ID!) { collectionChanged(id: $id) { collectionId } }',
    'Collection',
  ),
  'Subscription.importProgress(collectionId)': ask(
    'subscription ($id: ID!) { importProgress(collectionId: $id) { done } }',
    'Collection',
  ),
  'UpdateAccountInput.id': change('updateAccount', 'SubAccount', 'id', () => ({ name: 'Mine' })),
  'SuspendAccountInput.id': change('suspendAccount', 'SubAccount', 'id', nothing),
  'ResumeAccountInput.id': change('resumeAccount', 'SubAccount', 'id', nothing),
  'CreateAccountTokenInput.id': change('createAccountToken', 'SubAccount', 'id', () => ({
    scope: 'READ',
    expiresIn: 60,
  })),
  'DeleteAccountInput.id': change('deleteAccount', 'SubAccount', 'id', nothing),
  'Query.webhook(id)': ask('query ($id: ID!) { webhook(id: $id) { id url status } }', 'Webhook'),
  'Query.webhookDeliveries(webhookId)': ask(
    'query ($id: ID!) { webhookDeliveries(webhookId: $id) { totalCount nodes { id payload } } }',
    'Webhook',
  ),
  'UpdateWebhookInput.id': change('updateWebhook', 'Webhook', 'id', () => ({ status: 'DISABLED' })),
  'RotateWebhookSecretInput.id': change('rotateWebhookSecret', 'Webhook', 'id', nothing),
  'DeleteWebhookInput.id': change('deleteWebhook', 'Webhook', 'id', nothing),
  'TestWebhookInput.id': change('testWebhook', 'Webhook', 'id', nothing),
  'ResendWebhookDeliveryInput.webhookId': change('resendWebhookDelivery', 'Webhook', 'webhookId', () => ({
    id: NOBODYS_DELIVERY,
  })),
  // With one's own webhook: test/services/webhooks.test.ts.
  'ResendWebhookDeliveryInput.id': change('resendWebhookDelivery', 'WebhookDelivery', 'id', () => ({
    webhookId: NOBODYS_WEBHOOK,
  })),
  'UpdateCollectionInput.id': change('updateCollection', 'Collection', 'id', () => ({ name: 'Mine' })),
  'DeleteCollectionInput.id': change('deleteCollection', 'Collection', 'id', nothing),
  'SetGoalCollectionInput.collectionId': change('setGoalCollection', 'Collection', 'collectionId', nothing),
  // Of a collection that nobody has: what a target of another account does to one's own goal is in goals.test.ts.
  'GoalTargetInput.collectionId': {
    kinds: ['Collection'],
    operation: (id) => ({
      query: mutationDocument('setGoalCollection'),
      variables: { input: { collectionId: NOBODYS_COLLECTION, target: { collectionId: id } } },
    }),
  },
  'CreateTransactionInput.collectionId': change(
    'createTransaction',
    'Collection',
    'collectionId',
    ({ variantId }) => graphqlEntry(variantId),
  ),
  'CreateTransactionsInput.collectionId': change(
    'createTransactions',
    'Collection',
    'collectionId',
    ({ variantId }) => ({ transactions: [graphqlEntry(variantId)] }),
  ),
  'ImportTransactionsInput.collectionId': change(
    'importTransactions',
    'Collection',
    'collectionId',
    ({ variantId }) => ({
      csv: `variantId,occurredDate,action,quantity,currency,value\n${variantId},2026-04-13,Sale,1,USD,1\n`,
    }),
  ),
  'PreviewImportInput.collectionId': change(
    'previewImport',
    'Collection',
    'collectionId',
    ({ variantId }) => ({ csv: sale(variantId) }),
  ),
  'ImportPreviewedInput.id': change('importPreviewed', 'ImportPreview', 'id', nothing),
  'UpdateTransactionInput.id': change('updateTransaction', 'Transaction', 'id', () => ({ quantity: 9 })),
  'DeleteTransactionInput.id': change('deleteTransaction', 'Transaction', 'id', nothing),
  // With one's own beside it: test/services/move-transactions.test.ts.
  'MoveTransactionsInput.fromCollectionId': change(
    'moveTransactions',
    'Collection',
    'fromCollectionId',
    ({ variantId }) => ({ toCollectionId: NOBODYS_COLLECTION, variantId }),
  ),
  'MoveTransactionsInput.toCollectionId': change(
    'moveTransactions',
    'Collection',
    'toCollectionId',
    ({ variantId }) => ({ fromCollectionId: NOBODYS_COLLECTION, variantId }),
  ),
  'MoveTransactionsInput.transactionIds': change(
    'moveTransactions',
    'Transaction',
    'transactionIds',
    ({ collectionId }) => ({ fromCollectionId: collectionId, toCollectionId: NOBODYS_COLLECTION }),
  ),
  'MergeCollectionsInput.fromCollectionId': change(
    'mergeCollections',
    'Collection',
    'fromCollectionId',
    () => ({ intoCollectionId: NOBODYS_COLLECTION }),
  ),
  'MergeCollectionsInput.intoCollectionId': change(
    'mergeCollections',
    'Collection',
    'intoCollectionId',
    () => ({ fromCollectionId: NOBODYS_COLLECTION }),
  ),
  'CreatePriceAlertInput.targetId': change('createPriceAlert', 'Collection', 'targetId', () => ({
    condition: 'CHANGE',
    percent: 5,
    days: 7,
  })),
  'DeletePriceAlertInput.id': change('deletePriceAlert', 'PriceAlert', 'id', nothing),
};

interface CursorCase {
  /** What is asked of the caller's own list: `$cursor`, and `$id` of its own collection, or webhook. */
  query: string;
  ofWebhook?: true;
  /** The cursors in an answer to it. */
  field: string;
}

const inCollection = (selection: string) =>
  `query ($id: ID!, $cursor: String) { collection(id: $id) { ${selection} } }`;
const CURSOR_CASES: Record<string, CursorCase[]> = Object.fromEntries(
  CURSORS.flatMap((cursor) => {
    const page = `${cursor}: $cursor`;
    const list = (name: string, type: string, sorts: readonly string[]) => {
      const edges = (sort: string) => `${name}(${page}, sort: ${sort}) { edges { cursor node { id } } }`;
      const queries = sorts.map((sort) =>
        type === 'Query' ? `query ($cursor: String) { ${edges(sort)} }` : inCollection(edges(sort)),
      );
      return [`${type}.${name}(${cursor})`, queries.map((query) => ({ query, field: 'cursor' }))] as const;
    };
    const alerts = `query ($cursor: String) { viewer { priceAlerts(${page}) { edges { cursor node { id } } } } }`;
    return [
      ...LISTS.filter(({ name }) => !/^(product|sets)/.test(name)).map(
        ({ name, sorts, inCollection: isInner }) => list(name, isInner ? 'Collection' : 'Query', sorts),
      ),
      [
        `Query.accounts(${cursor})`,
        [
          {
            query: `query ($cursor: String) { accounts(${page}) { edges { cursor node { name } } } }`,
            field: 'cursor',
          },
        ],
      ] as const,
      [
        `Query.webhooks(${cursor})`,
        [
          {
            query: `query ($cursor: String) { webhooks(${page}) { edges { cursor node { id } } } }`,
            field: 'cursor',
          },
        ],
      ] as const,
      [
        `Query.webhookDeliveries(${cursor})`,
        [
          {
            query: `query ($id: ID!, $cursor: String) { webhookDeliveries(webhookId: $id, ${page}) { edges { cursor node { id } } } }`,
            field: 'cursor',
            ofWebhook: true,
          },
        ],
      ] as const,
      [`Account.priceAlerts(${cursor})`, [{ query: alerts, field: 'cursor' }]] as const,
    ];
  }),
);
// Its cursors are those of the transactions, in their first order.
CURSOR_CASES['Collection.transactionsCsv(after)'] = [
  { query: inCollection('transactionsCsv(after: $cursor) { csv endCursor }'), field: 'endCursor' },
];

for (const cursor of CURSORS) {
  const size = cursor === 'before' ? 'last' : 'first';
  const page = `missingCards(${size}: 3, ${cursor}: $cursor) { edges { cursor } }`;
  CURSOR_CASES[`Goal.missingCards(${cursor})`] = [
    { query: inCollection(`goal { ${page} }`), field: 'cursor' },
  ];
  const mine = `transactions(${size}: 3, ${cursor}: $cursor) { edges { cursor } }`;
  CURSOR_CASES[`Account.transactions(${cursor})`] = [
    { query: `query ($cursor: String) { viewer { ${mine} } }`, field: 'cursor' },
  ];
  const held = `holdings(${size}: 3, ${cursor}: $cursor) { edges { cursor } }`;
  for (const [type, at] of [
    ['Variant', (list: string) => list],
    ['Product', (list: string) => `product { ${list} }`],
  ] as const) {
    for (const [name, list] of [
      ['transactions', mine],
      ['holdings', held],
    ] as const) {
      CURSOR_CASES[`${type}.${name}(${cursor})`] = [
        {
          query: inCollection(`transactionSummaries(first: 1) { nodes { variant { ${at(list)} } } }`),
          field: 'cursor',
        },
      ];
    }
  }
  const sales = `sales(${size}: 3, ${cursor}: $cursor) { edges { cursor } }`;
  CURSOR_CASES[`RealizedGains.sales(${cursor})`] = [
    { query: inCollection(`realizedGains(year: 2026) { ${sales} }`), field: 'cursor' },
  ];
}
CURSOR_CASES['RealizedGains.salesCsv(after)'] = [
  {
    query: inCollection('realizedGains(year: 2026) { salesCsv(after: $cursor) { csv endCursor } }'),
    field: 'endCursor',
  },
];

const KEYS = Object.keys(MUTATIONS).map((name) => `${name[0]!.toUpperCase()}${name.slice(1)}Input`);

it('every place where something is named has a case here', () => {
  const cases = [...Object.keys(ID_CASES), ...Object.keys(CURSOR_CASES), ...SHARED, ...OF_PLACES];
  expect([...cases, ...KEYS.map((input) => `${input}.idempotencyKey`)].sort()).toEqual(PLACES);
});

/** An id, or a text with ids in it, that nothing has: the last letter of each is another. */
const unlike = (text: string) =>
  text.replaceAll(
    /(?<=_)[0-9a-z]{26}|[0-9a-f]{12}(?="\]$|$)/g,
    (id) => id.slice(0, -1) + (id.endsWith('0') ? '1' : '0'),
  );

/** The same place of a list, of an item that does not exist; a variant is everyone's. */
function cursorOfNothing(cursor: string): string {
  return Buffer.from(unlike(Buffer.from(cursor, 'base64url').toString())).toString('base64url');
}

/** The whole of an answer but what is new in each: the id of the request, and what it named. */
function comparable({ status, headers, body }: TestResponse, named: string) {
  const fixed = [...headers].filter(([name]) => !['x-request-id', 'content-length'].includes(name));
  const text = (typeof body === 'string' ? body : JSON.stringify(body))
    .replaceAll(named, '[named]')
    .replaceAll(headers.get('x-request-id')!, '[request]');
  return { status, headers: Object.fromEntries(fixed), text };
}

/** Who has what is asked for, and who asks. */
interface Pair {
  owner: TestApp;
  stranger: TestApp;
}

const newPlatform = (db: OpenDatabase) => newTestApp(db, { maxAccounts: 10 });
const newSibling = async (platform: TestApp) =>
  actingFor(platform, await newSubAccount(platform, randomUUID()));

async function strangers(db: OpenDatabase): Promise<Pair> {
  const owner = await newPlatform(db);
  return { owner, stranger: await asNewAccount(db, owner.fetch, { maxAccounts: 10 }) };
}

/** Of accounts below a platform; the statements are those of strangers, so one database will do. */
const RELATIONS: Record<string, (platform: TestApp) => Promise<Pair>> = {
  'an account below the same platform': async (platform) => ({
    owner: await newSibling(platform),
    stranger: await newSibling(platform),
  }),
  'the platform above': async (platform) => ({ owner: platform, stranger: await newSibling(platform) }),
  'an account below': async (platform) => ({ owner: await newSibling(platform), stranger: platform }),
};

describeOnDatabases('what belongs to another account', (database) => foreign(database, strangers));

describe.each(Object.entries(RELATIONS))('what belongs to %s', (_, relate) => {
  let db: OpenDatabase;
  beforeAll(async () => {
    db = await sharedDatabase(quickerKind());
  });
  foreign(
    () => db,
    async () => relate(await newPlatform(db)),
    false,
  );
});

/** @param ofPlatforms whether both are platforms, and may ask for accounts below them */
function foreign(
  database: () => OpenDatabase,
  relate: (db: OpenDatabase) => Promise<Pair>,
  ofPlatforms = true,
): void {
  let owner: TestApp;
  let stranger: TestApp;
  let theirs: WorkedExample;
  let mine: WorkedExample;
  let ids: Ids;
  let myWebhook: string;

  const alertOn = async (app: TestApp, targetId: string): Promise<string> => {
    const alert = { targetId, condition: 'CHANGE', percent: 5, days: 7 };
    return (await mutate(app, 'createPriceAlert', alert)).priceAlert.id;
  };
  const newWebhook = async (app: TestApp): Promise<[webhook: string, delivery: string]> => {
    const { webhook } = await mutate(app, 'createWebhook', { url: 'https://app.example/webhooks' });
    const { delivery } = await mutate(app, 'testWebhook', { id: webhook.id });
    return [webhook.id, delivery.id];
  };
  beforeAll(async () => {
    ({ owner, stranger } = await relate(database()));
    // Before and after what the other has, in every order by time.
    const first = await recordWorkedExample(database(), stranger);
    await alertOn(stranger, first.collectionId);
    await newWebhook(stranger);
    theirs = await recordWorkedExample(database(), owner);
    const alertId = await alertOn(owner, theirs.collectionId);
    const [webhookId, deliveryId] = await newWebhook(owner);
    mine = await recordWorkedExample(database(), stranger);
    await alertOn(stranger, mine.collectionId);
    [myWebhook] = await newWebhook(stranger);
    for (const [app, { collectionId }] of [
      [owner, theirs],
      [stranger, mine],
    ] as const)
      await mutate(app, 'setGoalCollection', { collectionId, target: { setCode: 'WTR' } });
    ids = {
      Collection: theirs.collectionId,
      Transaction: theirs.transactionIds[0]!,
      TransactionSummary: `sum_${theirs.collectionId.slice(4)}_${theirs.variantId.slice(4)}`,
      PriceAlert: alertId,
      ImportPreview: (
        await mutate(owner, 'previewImport', {
          collectionId: theirs.collectionId,
          csv: sale(theirs.variantId),
        })
      ).preview.id,
      Account: `acc_${owner.accountId}`,
      Webhook: webhookId,
      WebhookDelivery: deliveryId,
      SubAccount: ofPlatforms ? await newSubAccount(owner, 'u') : NO_ACCOUNT,
    };
  });

  const send = (app: TestApp, operation: object) => app.send('POST', '/graphql', operation);
  const everythingOf = async (app: TestApp) => {
    const { body } = await send(app, {
      query: `{ ${ofPlatforms ? 'accounts { nodes { id externalId name status maxCollections } }' : ''} webhooks { nodes { id url status } } viewer { id limits { collectionCount } priceAlerts { nodes { id } } } collections { nodes {
        id name isGoalCollection quantity transactions { nodes { id quantity } } } } }`,
    });
    return body.data;
  };
  const everything = async () => [await everythingOf(owner), await everythingOf(stranger)];
  /** What there was after the last case; null where something has been made since. */
  let known: unknown[] | null = null;
  /** Fails where the two answers to the stranger are not alike, or where one of them changed anything. */
  const expectAlike = async (foreign: [string, object], missing: [string, object]) => {
    const before = known ?? (await everything());
    const [told, expected] = [await send(stranger, foreign[1]), await send(stranger, missing[1])];
    expect(comparable(told, foreign[0])).toEqual(comparable(expected, missing[0]));
    known = await everything();
    expect(known).toEqual(before);
    return told;
  };

  describe('is as what does not exist, by its id', () => {
    for (const [place, { kinds, operation }] of Object.entries(ID_CASES)) {
      it.each(ofPlatforms ? kinds : kinds.filter((kind) => kind !== 'SubAccount'))(
        `${place}: %s`,
        async (kind) => {
          const id = ids[kind];
          const nobodys = unlike(id);
          expect(nobodys).not.toBe(id);
          const told = await expectAlike([id, operation(id, theirs)], [nobodys, operation(nobodys, theirs)]);
          // The owner's own answer is another, so the case does ask for it. Of the changes this is what other tests see.
          if (!place.startsWith('Query')) return;
          const own = await send(owner, operation(id, theirs));
          expect(comparable(own, id)).not.toEqual(comparable(told, id));
        },
      );
    }
  });

  describe('is as what does not exist, by a cursor', () => {
    const cases = Object.entries(CURSOR_CASES).filter(
      ([place]) => ofPlatforms || !place.startsWith('Query.accounts'),
    );
    it.each(cases)('%s', async (_place, cases) => {
      for (const { query, field, ofWebhook } of cases) {
        const variables = { id: ofWebhook ? ids.Webhook : theirs.collectionId };
        const { body } = await send(owner, { query, variables });
        const found = [...JSON.stringify(body).matchAll(new RegExp(`"${field}":"([^"]+)"`, 'g'))];
        if (field === 'cursor') expect(found.length, query).toBeGreaterThan(0);
        for (const [, cursor] of found) {
          const twin = cursorOfNothing(cursor!);
          // Summaries and what a goal lacks stand in their lists by the variant, except in the order of first transactions.
          if (!/transactionSummaries|missingCards/.test(query)) expect(twin).not.toBe(cursor);
          const own = ofWebhook ? myWebhook : mine.collectionId;
          const at = (place: string) => ({ query, variables: { id: own, cursor: place } });
          const told = await expectAlike([cursor!, at(cursor!)], [twin, at(twin)]);
          expect(told.body.errors).toBeUndefined();
          for (const id of Object.values(ids)) expect(JSON.stringify(told.body)).not.toContain(id);
        }
      }
    });
  });

  it.each(Object.keys(MUTATIONS))('is a key of its own: idempotencyKey of %s', async (name) => {
    await mutate(owner, 'createCollection', { name: 'Keyed', idempotencyKey: `of-${name}` });
    known = null;
    const inputs: Record<string, object> = {
      createCollection: { name: '' },
      createAccount: { name: '', externalId: 'v' },
      createWebhook: { url: '' },
      updatePreferences: { preferredCurrency: 'USD' },
    };
    const place = Object.keys(ID_CASES).find((key) =>
      key.startsWith(`${name[0]!.toUpperCase()}${name.slice(1)}Input.`),
    );
    const named = place ? ID_CASES[place]!.operation(unlike(ids[ID_CASES[place]!.kinds[0]!]), theirs) : null;
    const input = named ? (named.variables as { input: object }).input : inputs[name];
    const withKey = (idempotencyKey: string) => ({
      query: mutationDocument(name),
      variables: { input: { ...input, idempotencyKey } },
    });
    await expectAlike([`of-${name}`, withKey(`of-${name}`)], [`no-${name}`, withKey(`no-${name}`)]);
  });

  it.skipIf(!ofPlatforms)(
    'is a client that nobody knows: the credentials of the token endpoint',
    async () => {
      const [client] = await database().query<{ id: string }>('select id from client where account_id = $1', [
        owner.accountId,
      ]);
      const signIn = async (id: string) => {
        const form = {
          grant_type: 'client_credentials',
          scope: 'default',
          client_id: id,
          client_secret: 'x',
        };
        const body = new URLSearchParams(form);
        const answer = await owner.fetch(
          new Request('http://cardledger.test/oauth2/token', { method: 'POST', body }),
        );
        const { status, headers } = answer;
        return comparable({ status, headers, body: await answer.text() }, id);
      };
      expect(await signIn(client!.id)).toEqual(await signIn(unlike(client!.id)));
    },
  );
}
