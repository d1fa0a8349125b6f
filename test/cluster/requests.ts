import { randomUUID } from 'node:crypto';
import type { Request } from './client.ts';

/** What the clients ask for, by REST or GraphQL; each change has a new idempotency key where it takes one. */

/** A purchase, or changes of one. */
export interface Bought {
  variantId: string;
  quantity: number;
  /** Unit amount, in cents of a dollar. */
  cents: number;
}

const graphql = (name: string, query: string, input?: object): Request => ({
  name: `GraphQL: ${name}`,
  method: 'POST',
  path: '/graphql',
  body: { query, ...(input && { variables: { input: { ...input, idempotencyKey: randomUUID() } } }) },
});

const result = `__typename ... on Error { message }`;

export function creation(
  byRest: boolean,
  collectionId: string,
  { variantId, quantity, cents }: Bought,
): Request {
  const unitAmount = { currency: 'USD', value: cents / 100 };
  const bought = { variantId, quantity, unitAmount, occurredDate: '2025-03-01' };
  if (!byRest)
    return graphql(
      'create',
      `mutation ($input: CreateTransactionInput!) {
        result: createTransaction(input: $input) { ${result} ... on CreateTransactionPayload { transaction { id } } }
      }`,
      { collectionId, action: 'PURCHASE', ...bought },
    );
  return {
    name: 'REST: create',
    method: 'POST',
    path: `/collection/${collectionId}/transaction`,
    body: { action: 'Purchase', ...bought },
    idempotencyKey: randomUUID(),
  };
}

export function update(byRest: boolean, id: string, quantity: number): Request {
  if (byRest)
    return { name: 'REST: update', method: 'PATCH', path: `/transaction/${id}`, body: { quantity } };
  return graphql(
    'update',
    `mutation ($input: UpdateTransactionInput!) { result: updateTransaction(input: $input) { ${result} } }`,
    { id, quantity },
  );
}

export function deletion(byRest: boolean, id: string): Request {
  if (byRest) return { name: 'REST: delete', method: 'DELETE', path: `/transaction/${id}` };
  return graphql(
    'delete',
    `mutation ($input: DeleteTransactionInput!) { result: deleteTransaction(input: $input) { ${result} } }`,
    { id },
  );
}

export function page(collectionId: string, pageSize: number, cursor: number): Request {
  const path = `/collection/${collectionId}/transaction?pageSize=${pageSize}&cursor=${cursor}`;
  return { name: 'REST: page', method: 'GET', path };
}

const QUERIES: Record<string, string> = {
  dashboard: `{ viewer { dashboard { quantity marketValue { decimal } gain { decimal } } } }`,
  nested: `{ collections(first: 5) { nodes {
    name
    marketValue { decimal }
    transactionSummaries(first: 10) { nodes { quantity variant { variantName product { name rarity } } } }
    transactions(first: 10) { nodes { quantity unitAmount { decimal } } }
  } } }`,
  search: `{ products(query: "command and conquer", first: 5) { nodes { name variants { variantName } } } }`,
};

/** Pages and queries in turn. */
export function reading(turn: number, collectionId: string): Request {
  const reads = [
    page(collectionId, 50, 0),
    ...Object.entries(QUERIES).map(([name, query]) => graphql(name, query)),
  ];
  return reads[turn % reads.length]!;
}
