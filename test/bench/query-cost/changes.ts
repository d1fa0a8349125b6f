import { randomUUID } from 'node:crypto';
import { mutationDocument } from '../../graphql/mutate.ts';

/** Mutations that are allowed, each with another input each time, of what there is by then. */
export interface Change {
  name: string;
  text: string;
  /** Makes what is changed, which is not measured, and gives the variables. */
  variables: () => Promise<object>;
}

// biome-ignore lint/suspicious/noExplicitAny: the data of any operation
export type Ask = (query: string, variables?: object) => Promise<any>;

export interface Changed {
  ask: Ask;
  collectionId: string;
  /** Another of the account. */
  otherId: string;
  /** Of the catalogue, all with a price; the first is held. */
  variantIds: readonly string[];
}

const ROWS = 10_000;
const HEADER = 'occurredDate,action,quantity,unitAmount,currency,variantId,number,variantName';

export const entry = (variantId: string, occurredDate = '2025-10-20') => ({
  variantId,
  occurredDate,
  action: 'PURCHASE',
  quantity: 1,
  unitAmount: { currency: 'USD', value: 1.25 },
});

/** As many rows as an import takes, of which so many of a hundred are of no known card. */
export function csvOf(variantIds: readonly string[], unknown: number): string {
  const rows = Array.from({ length: ROWS }, (_, i) => {
    const card =
      i % 100 < unknown ? `,XYZ${i},Comand and Conqer ${i}` : `${variantIds[i % variantIds.length]},,`;
    return `2025-0${1 + (i % 9)}-01,Purchase,${1 + (i % 9)},1.25,USD,${card}`;
  });
  return [HEADER, ...rows].join('\n');
}

/** Some rows of each kind, of cards that are known, of such that are not, and of such that are wrong. */
export function previewCsv(variantIds: readonly string[]): string {
  const rows = csvOf(variantIds, 20).split('\n');
  return rows.map((row, i) => (i % 10 === 9 ? row.replace('Purchase', 'Given') : row)).join('\n');
}

const inputOf = (make: () => object | Promise<object>) => async () => ({ input: await make() });

const change = (mutation: string, name: string, input: () => object | Promise<object>): Change => ({
  name,
  text: withSummaries(mutationDocument(mutation)),
  variables: inputOf(input),
});

/** Asks for nothing back, which has no points then. */
const bare = (mutation: string, name: string, input: () => object | Promise<object>): Change => ({
  name: `${name}, and nothing is asked of it`,
  text: mutationDocument(mutation).replace(/\{ __typename.*\} \}$/s, '{ __typename } }'),
  variables: inputOf(input),
});

/** Asks for what the change has left of its holdings, too, where it can tell. */
function withSummaries(document: string): string {
  const [summary, summaries] = ['transactionSummary', 'transactionSummaries'].map(
    (name) => `${name} { id quantity gain { value } marketValue { value } }`,
  );
  return document
    .replace(/\.\.\. on \w+TransactionPayload \{/, `$& ${summary}`)
    .replace('... on CreateTransactionsPayload {', `$& ${summaries}`);
}

async function newCollection(ask: Ask): Promise<string> {
  const input = { name: `Of ${randomUUID()}` };
  return (await ask(mutationDocument('createCollection'), { input })).createCollection.collection.id;
}

/** One of as many transactions as an import takes. */
async function importedCollection(ask: Ask, variantIds: readonly string[]): Promise<string> {
  const collectionId = await newCollection(ask);
  await ask(mutationDocument('importTransactions'), { input: { collectionId, csv: csvOf(variantIds, 0) } });
  return collectionId;
}

async function someTransaction(ask: Ask, collectionId: string, end: 'first' | 'last'): Promise<string> {
  const query = `{ collection(id: "${collectionId}") { transactions(${end}: 1) { nodes { id } } } }`;
  return (await ask(query)).collection.transactions.nodes[0].id;
}

/** Of single transactions, in the middle of others and at their ends. */
export function* transactionChanges({ ask, collectionId, variantIds }: Changed): Generator<Change> {
  const days = { earliest: '2023-06-01', latest: '2026-04-01' };
  for (const [place, occurredDate] of Object.entries(days)) {
    yield change('createTransaction', `the ${place} transaction is created`, () => ({
      collectionId,
      ...entry(variantIds[0]!, occurredDate),
    }));
  }
  yield {
    name: '30 × a transaction is created',
    text: `mutation ($input: CreateTransactionInput!) { ${Array.from({ length: 30 }, (_, i) => `a${i}: createTransaction(input: $input) { __typename }`).join(' ')} }`,
    variables: inputOf(() => ({ collectionId, ...entry(variantIds[0]!, '2026-04-01') })),
  };
  for (const end of ['first', 'last'] as const) {
    yield change('updateTransaction', `the ${end} transaction is changed`, async () => ({
      id: await someTransaction(ask, collectionId, end),
      quantity: 1 + Math.floor(Math.random() * 1000),
    }));
    yield change('deleteTransaction', `the ${end} transaction is deleted`, async () => ({
      id: await someTransaction(ask, collectionId, end),
    }));
  }
  for (const what of ['earliest', 'latest'] as const) {
    const input = () => ({
      collectionId,
      transactions: Array.from({ length: 1000 }, () => entry(variantIds[0]!, days[what])),
    });
    yield change('createTransactions', `1,000 transactions, the ${what} ones, are created`, input);
    yield bare('createTransactions', `1,000 transactions, the ${what} ones, are created`, input);
  }
}

/** Of all of an account by other preferences. */
export function* preferenceChanges(preferences: readonly object[]): Generator<Change> {
  for (const input of preferences)
    yield change('updatePreferences', `preferences: ${Object.values(input).join()}`, () => input);
}

/** Of collections, of files, and of what belongs to collections. */
export function* collectionChanges(changed: Changed): Generator<Change> {
  const { ask, collectionId, otherId, variantIds } = changed;
  yield change('createCollection', 'a collection is created', () => ({ name: `Of ${randomUUID()}` }));
  let turn = 0;
  yield change('updateCollection', 'a collection counts for the dashboard, or not', () => ({
    id: collectionId,
    valued: turn++ % 2 === 1,
    description: 'x'.repeat(2000),
  }));
  for (const make of [change, bare]) {
    yield make('createTransactions', '1,000 transactions of as many cards are created', () => ({
      collectionId,
      transactions: Array.from({ length: 1000 }, (_, i) => entry(variantIds[i % variantIds.length]!)),
    }));
  }
  yield bare('moveTransactions', '200 transactions are moved', async () => {
    const query = `{ collection(id: "${collectionId}") { transactions(first: 200) { nodes { id } } } }`;
    const { nodes } = (await ask(query)).collection.transactions;
    const transactionIds = nodes.map(({ id }: { id: string }) => id);
    return { fromCollectionId: collectionId, toCollectionId: otherId, transactionIds };
  });
  yield bare('moveTransactions', 'a holding is moved', async () => {
    const query = `{ collection(id: "${collectionId}") { transactionSummaries(sort: QUANTITY, reverse: true, first: 1) { nodes { variant { id } } } } }`;
    const { nodes } = (await ask(query)).collection.transactionSummaries;
    return { fromCollectionId: collectionId, toCollectionId: otherId, variantId: nodes[0].variant.id };
  });
  yield* goalChanges(changed);
  yield change('deleteCollection', 'a collection of 10,000 transactions is deleted', async () => ({
    id: await importedCollection(ask, variantIds),
  }));
  yield* fileChanges(changed);
  for (const make of [change, bare]) {
    yield make('mergeCollections', 'a collection of 10,000 transactions is merged', async () => ({
      fromCollectionId: await importedCollection(ask, variantIds),
      intoCollectionId: otherId,
    }));
  }
}

function* goalChanges({ ask, collectionId, otherId, variantIds }: Changed): Generator<Change> {
  const items = () =>
    Array.from({ length: 1000 }, (_, i) => ({
      variantId: variantIds[i % variantIds.length]!,
      quantity: 1 + Math.floor(Math.random() * 4),
    }));
  const targets: Record<string, () => object> = {
    'of a set': () => ({ setCode: ['WTR', 'ARC'][Math.floor(Math.random() * 2)] }),
    'of a collection': () => ({ collectionId: otherId }),
    'of 1,000 cards': () => ({ items: items() }),
  };
  for (const [what, target] of Object.entries(targets)) {
    yield bare('setGoalCollection', `a goal ${what} is set`, () => ({
      collectionId,
      target: target(),
      match: 'CARD',
    }));
  }
  const alert = () => ({
    targetId: collectionId,
    when: { change: { percent: 1 + Math.floor(Math.random() * 100), days: 365 } },
  });
  yield change('setGoalCollection', 'a goal of one card is set', () => ({
    collectionId,
    target: { items: items().slice(0, 1) },
    match: 'VARIANT',
  }));
  yield change('createPriceAlert', 'a price alert is created', alert);
  yield change('deletePriceAlert', 'a price alert is deleted', async () => {
    const data = await ask(mutationDocument('createPriceAlert'), { input: alert() });
    return { id: data.createPriceAlert.priceAlert.id };
  });
}

function* fileChanges({ ask, collectionId, otherId, variantIds }: Changed): Generator<Change> {
  for (const [what, unknown] of [
    ['of known cards', 0],
    ['of unknown cards', 100],
  ] as const) {
    const input = (dryRun = false) => ({ collectionId: otherId, csv: csvOf(variantIds, unknown), dryRun });
    yield bare('importTransactions', `10,000 rows ${what} are tried`, () => input(true));
    yield bare('previewImport', `10,000 rows ${what} are read`, () => ({
      collectionId: otherId,
      csv: csvOf(variantIds, unknown),
    }));
  }
  for (const make of [change, bare]) {
    yield make('importTransactions', '10,000 rows are imported', () => ({
      collectionId: otherId,
      csv: csvOf(variantIds, 0),
    }));
  }
  yield change('previewImport', 'a row is read', () => ({
    collectionId: otherId,
    csv: csvOf(variantIds, 0).split('\n', 2).join('\n'),
  }));
  yield change('moveTransactions', 'a transaction is moved', async () => ({
    fromCollectionId: otherId,
    toCollectionId: collectionId,
    transactionIds: [await someTransaction(ask, otherId, 'first')],
  }));
  yield change(
    'importPreviewed',
    '10,000 rows that were read are imported, half of them by a choice',
    async () => {
      const csv = csvOf(variantIds, 50);
      const data = await ask(mutationDocument('previewImport'), { input: { collectionId: otherId, csv } });
      const lines = csv.split('\n').flatMap((row, i) => (row.includes('Comand') ? [i + 1] : []));
      const choices = lines.map((line, i) => ({ line, variantId: variantIds[i % variantIds.length] }));
      return { id: data.previewImport.preview.id, choices };
    },
  );
}

/** What a platform does with accounts below it, and an account with its webhooks. */
export function* platformChanges(ask: Ask): Generator<Change> {
  const newAccount = () => ({ name: 'Ada', externalId: randomUUID() });
  const account = async () => {
    const data = await ask(mutationDocument('createAccount'), { input: newAccount() });
    return { id: data.createAccount.account.id as string };
  };
  yield change('createAccount', 'an account is created', newAccount);
  yield change('updateAccount', 'an account is changed', async () => ({ ...(await account()), name: 'Eve' }));
  yield change('suspendAccount', 'an account is suspended', account);
  yield change('resumeAccount', 'an account is resumed', account);
  yield change('createAccountToken', 'a token is made', async () => ({
    ...(await account()),
    scope: 'READ',
    expiresIn: 60,
  }));
  yield change('deleteAccount', 'an account is deleted', account);
  const provider = () => ({
    issuer: 'https://login.example',
    audience: randomUUID(),
    createsAccounts: true,
  });
  yield change('setIdentityProvider', 'an identity provider is named', provider);
  yield change('deleteIdentityProvider', 'an identity provider is taken away', async () => {
    await ask(mutationDocument('setIdentityProvider'), { input: provider() });
    return {};
  });
  yield* webhookChanges(ask);
}

function* webhookChanges(ask: Ask): Generator<Change> {
  const created = async () => {
    const input = { url: `https://app.example/${randomUUID()}` };
    return {
      id: (await ask(mutationDocument('createWebhook'), { input })).createWebhook.webhook.id as string,
    };
  };
  const forget = (input: { id: string }) => ask(mutationDocument('deleteWebhook'), { input });
  const made: { id: string }[] = [];
  // An account may have ten.
  const webhook = async () => {
    while (made.length > 2) await forget(made.shift()!);
    made.push(await created());
    return made.at(-1)!;
  };
  yield change('createWebhook', 'a webhook is created', async () => {
    await ask('{ webhooks { nodes { id } } }').then(async ({ webhooks }) => {
      for (const node of webhooks.nodes.slice(0, -3)) await forget(node);
    });
    return { url: `https://app.example/${randomUUID()}` };
  });
  yield change('updateWebhook', 'a webhook is switched off', async () => ({
    ...(await webhook()),
    status: 'DISABLED',
  }));
  yield change('rotateWebhookSecret', 'a webhook gets another secret', webhook);
  yield change('testWebhook', 'a webhook is tried', webhook);
  yield change('resendWebhookDelivery', 'a message is sent again', async () => {
    const { id } = await webhook();
    const data = await ask(mutationDocument('testWebhook'), { input: { id } });
    return { webhookId: id, id: data.testWebhook.delivery.id };
  });
  yield change('deleteWebhook', 'a webhook is deleted', created);
}
