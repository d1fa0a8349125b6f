import { randomUUID } from 'node:crypto';
import type { Client } from './client.ts';
import { outcomeOf } from './outcome.ts';

export interface Noisy {
  client: Client;
  /** Of all accounts that it is played by: the first is that above. */
  clients: readonly Client[];
  /** Of the catalogue, all with a price. */
  variantIds: readonly string[];
  isShort: boolean;
  /** Of each of the large collections. */
  transactions: number;
  /** The time is over: what is open may be closed. */
  leaving: AbortSignal;
}

/** Does it once more, and says what became of it. */
export type Work = (turn: number) => Promise<string>;

export interface Attack {
  name: string;
  /** What the account has: one large collection, 200 collections, or a few small ones. */
  stock: 'large' | 'many' | 'small';
  /** How much of it is under way at once. */
  workers: number;
  /** Of the platform itself, beside the accounts below it. */
  isOfPlatforms?: true;
  /** How many accounts below a platform of its own it is played by, which share the stock; left out for one account by itself. */
  accounts?: number;
  /** What it may get beside success, `429`, `503` and refusals for their cost. */
  expected?: RegExp;
  start(noisy: Noisy): Promise<Work>;
}

export const AT_ONCE = 32;
const MOST_ALIASES = 30;
export const MEGABYTE = 1024 * 1024;

export const aliased = (count: number, field: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => `a${i}: ${field(i)}`).join(' ');

export const inCollection = (id: string, fields: string) => `{ collection(id: "${id}") { ${fields} } }`;

/** An attack by one query with as many aliases as the limits allow. */
export function dear(
  name: string,
  stock: Attack['stock'],
  query: (noisy: Noisy, aliases: number, turn: number) => string,
  headers?: Record<string, string>,
): Attack {
  return {
    name,
    stock,
    workers: AT_ONCE,
    start: async (noisy) => {
      const aliases = await mostAllowed(noisy, (count) => query(noisy, count, 0));
      return async (turn) => outcomeOf(await noisy.client.graphql(query(noisy, aliases, turn), {}, headers));
    },
  };
}

/** An attack by requests to REST. */
export function rest(
  name: string,
  stock: Attack['stock'],
  path: (noisy: Noisy, turn: number) => string,
): Attack {
  return {
    name,
    stock,
    workers: AT_ONCE,
    start: async (noisy) => async (turn) => outcomeOf(await noisy.client.send('GET', path(noisy, turn))),
  };
}

/** One that takes too long is allowed. */
export async function mostAllowed({ client }: Noisy, query: (aliases: number) => string): Promise<number> {
  for (let aliases = MOST_ALIASES; aliases > 1; aliases = Math.floor(aliases / 2)) {
    const outcome = await client.graphql(query(aliases)).then(outcomeOf, String);
    if (!outcome.includes('COST_LIMIT')) return aliases;
  }
  return 1;
}

export const entry = (variantId: string, quantity = 1) => ({
  variantId,
  occurredDate: '2025-03-01',
  action: 'Purchase',
  quantity,
  unitAmount: { currency: 'USD', value: 1.25 },
});

const CREATE_MANY = `mutation ($input: CreateTransactionsInput!) { createTransactions(input: $input) {
  __typename ... on Error { message } } }`;

export function createMany({ client, variantIds }: Noisy, collectionId: string, turn: number, count = 1000) {
  const transactions = Array.from({ length: count }, (_, i) => ({
    ...entry(variantIds[(turn * 37 + i) % variantIds.length]!),
    action: 'PURCHASE',
  }));
  return client.graphql(CREATE_MANY, { input: { collectionId, transactions } });
}

const IMPORT = `mutation ($input: ImportTransactionsInput!) { importTransactions(input: $input) {
  __typename ... on ImportTransactionsPayload { written errorCount errors { line suggestions { fcId } } } ... on Error { message } } }`;

export function importCsv({ client }: Noisy, collectionId: string, rows: readonly string[]) {
  const csv = ['occurredDate,action,quantity,unitAmount,currency,variantId,number,variantName', ...rows].join(
    '\n',
  );
  return client.graphql(IMPORT, { input: { collectionId, csv } });
}

export const largeOf = ({ client }: Noisy) => client.collectionIds[0]!;

export async function newCollection(client: Client): Promise<string> {
  const { status, text } = await client.send('POST', '/collection', { name: `Of ${randomUUID()}` });
  if (status !== 200) throw new Error(`no collection: ${status} ${text}`);
  return JSON.parse(text).collectionId;
}
