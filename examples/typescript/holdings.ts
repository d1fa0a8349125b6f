// Records a purchase in a binder of its own, and prints what all binders hold.
import { readFileSync } from 'node:fs';
import { CardledgerError, createClient } from '@cardledger/client';
import { graphql } from './gql/gql.ts';

const CREATE = graphql(`
  mutation Create($input: CreateCollectionInput!) {
    createCollection(input: $input) {
      __typename
      ... on CreateCollectionPayload { collection { id } }
      ... on Error { message }
    }
  }
`);

const BUY = graphql(`
  mutation Buy($input: CreateTransactionInput!) {
    createTransaction(input: $input) {
      __typename
      ... on CreateTransactionPayload { transaction { collection { quantity invested { decimal } } } }
      ... on Error { message }
      ... on ValidationFailed { errors { path detail } }
    }
  }
`);

const BINDERS = graphql(`
  query Binders($after: String) {
    collections(first: 20, after: $after, sort: ALPHABETICAL) {
      nodes { name quantity marketValue { decimal currency } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

const url = process.env.CARDLEDGER ?? 'http://127.0.0.1:4000';
const credentials = JSON.parse(
  readFileSync(process.env.CREDENTIALS ?? '../../data/demo-client.json', 'utf8'),
) as { clientId: string; clientSecret: string };
const client = createClient({ url, ...credentials });

const { createCollection } = await client.mutate(CREATE, { input: { name: 'TypeScript' } });
const purchase = {
  collectionId: createCollection.collection.id,
  variantId: 'var_atzw90sz174deze4', // Command and Conquer, Unlimited Edition
  occurredDate: '2026-03-01',
  action: 'PURCHASE',
  quantity: 2,
  unitAmount: { currency: 'USD', value: 2.5 },
} as const;
const { createTransaction } = await client.mutate(BUY, { input: purchase });
const { quantity, invested } = createTransaction.transaction.collection;
console.log(`Bought: ${quantity} cards for ${invested?.decimal} USD`);

try {
  await client.mutate(BUY, { input: { ...purchase, quantity: 0 } });
} catch (error) {
  if (!(error instanceof CardledgerError && error.is('ValidationFailed'))) throw error;
  for (const { path, detail } of error.errors) console.log(`Refused: ${path.join('.')} ${detail}`);
}

for await (const { name, quantity, marketValue } of client.items(BINDERS, {}, (data) => data.collections)) {
  console.log(`${name}: ${quantity} cards, ${marketValue.decimal} ${marketValue.currency}`);
}
