/** Files, whole accounts, moves, and messages that are sent for what an account does. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { LIMITS } from '../../src/domain/limits.ts';
import { AT_ONCE, type Attack, entry, inCollection, MEGABYTE, type Noisy } from './attack.ts';
import type { Answer, Client } from './client.ts';
import { outcomeOf } from './outcome.ts';

const GZIP = { 'Content-Type': 'application/gzip' };
const CSV = { 'Content-Type': 'text/csv' };
const PREVIEW_ROWS = `query ($id: ID!) { importPreview(id: $id) { counts { matched unclear }
  rows(last: 200) { nodes { line } } restCsv { csv } } }`;

/** As long as a file may be, of cards that are known and of such that are misspelt. */
export function csvOf({ variantIds, isShort }: Noisy): string {
  const lines = ['occurredDate,action,quantity,unitAmount,currency,variantId,number,variantName,notes'];
  const notes = 'x'.repeat(isShort ? 0 : 400);
  for (let i = 0, length = 0; i < 10_000 && length < 15 * MEGABYTE; i++) {
    const variant = i % 4 ? `${variantIds[i % variantIds.length]},,` : `,XYZ${i},Comand and Conqer ${i}`;
    const line = `2025-03-01,Purchase,${1 + (i % 9)},1.25,USD,${variant},${notes}`;
    lines.push(line);
    length += line.length;
  }
  return lines.join('\n');
}

const MOVE =
  'mutation ($input: MoveTransactionsInput!) { moveTransactions(input: $input) { __typename ... on Error { message } } }';
const MERGE =
  'mutation ($input: MergeCollectionsInput!) { mergeCollections(input: $input) { __typename ... on Error { message } } }';
const CREATE_WEBHOOK =
  'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { __typename ... on Error { message } } }';

/** A receiver in this process, of which every second message is never answered. */
async function receiver(leaving: AbortSignal): Promise<string> {
  let messages = 0;
  const server = createServer((request, response) => {
    request.resume();
    if (messages++ % 2) response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  leaving.addEventListener('abort', () => server.closeAllConnections());
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function accountOf(client: Client): Promise<string> {
  return dataOf(await client.graphql('{ viewer { id } }')).viewer.id;
}

const dataOf = ({ text }: Answer) => JSON.parse(text).data;

/** All of an answer. */
function bytesOf(client: Client, path: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    client.open('GET', path, undefined, { Connection: 'close' }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${path}: ${response.statusCode}`));
      buffer(response).then(resolve, reject);
    });
  });
}

async function deleteOne(client: Client): Promise<Answer> {
  const read = await client.graphql('{ collections(first: 1) { nodes { collectionId } } }');
  const [collection] = dataOf(read)?.collections?.nodes ?? [];
  return collection ? client.send('DELETE', `/collection/${collection.collectionId}`) : read;
}

export const TRANSFERS: Attack[] = [
  {
    name: 'uploads',
    stock: 'small',
    workers: AT_ONCE,
    // What is refused before it is sent is cut off.
    expected: /^refused E(PIPE|CONNRESET)/,
    start: async (noisy) => {
      const csv = csvOf(noisy);
      const { client } = noisy;
      return async (turn) => {
        const path = `/collection/${client.collectionIds[turn % client.collectionIds.length]}/import`;
        const answer = await client.send('POST', path, csv, CSV);
        if (answer.status !== 200) return outcomeOf(answer);
        const { importPreviewId } = JSON.parse(answer.text);
        return outcomeOf(await client.graphql(PREVIEW_ROWS, { id: importPreviewId }));
      };
    },
  },
  {
    name: 'archives',
    stock: 'large',
    workers: AT_ONCE,
    start: async ({ client }) => {
      const path = `/account/${await accountOf(client)}/export`;
      return async () => outcomeOf(await client.send('GET', path));
    },
  },
  {
    name: 'archives that are taken in',
    stock: 'large',
    workers: AT_ONCE,
    // Another has taken it in meanwhile, or deleted what was there; what is refused before it is sent is cut off.
    expected: /^(40[49]|refused E(PIPE|CONNRESET))/,
    start: async ({ client }) => {
      const account = await accountOf(client);
      const archive = await bytesOf(client, `/account/${account}/export`);
      return async () => {
        const answer = await client.send('POST', `/account/${account}/import`, archive, GZIP);
        return outcomeOf(answer.status === 409 ? await deleteOne(client) : answer);
      };
    },
  },
  {
    name: 'moves of transactions',
    stock: 'many',
    workers: AT_ONCE,
    // Another has moved them, or merged what they were in.
    expected: /^200 NotFound/,
    start: async ({ client }) => {
      const ids = client.collectionIds;
      return async (turn) => {
        const [from, to] = [ids[turn % ids.length]!, ids[(turn + 1) % ids.length]!];
        if (turn % 16 === 15)
          return outcomeOf(
            await client.graphql(MERGE, { input: { fromCollectionId: from, intoCollectionId: to } }),
          );
        const read = await client.graphql(
          inCollection(from, 'transactions(first: 200) { nodes { transactionId } }'),
        );
        const nodes: { transactionId: string }[] = dataOf(read)?.collection?.transactions.nodes ?? [];
        if (nodes.length === 0) return outcomeOf(read);
        const transactionIds = nodes.map(({ transactionId }) => transactionId);
        const input = { fromCollectionId: from, toCollectionId: to, transactionIds };
        return outcomeOf(await client.graphql(MOVE, { input }));
      };
    },
  },
  {
    name: 'webhooks',
    stock: 'small',
    workers: AT_ONCE,
    start: async (noisy) => {
      const { client, variantIds } = noisy;
      const url = await receiver(noisy.leaving);
      for (let i = 0; i < LIMITS.webhooks; i++) {
        const outcome = outcomeOf(await client.graphql(CREATE_WEBHOOK, { input: { url: `${url}/${i}` } }));
        if (outcome !== '200') throw new Error(`no webhook: ${outcome}`);
      }
      const ids = client.collectionIds;
      return async (turn) => {
        const path = `/collection/${ids[turn % ids.length]}/transaction`;
        return outcomeOf(await client.send('POST', path, entry(variantIds[turn % variantIds.length]!)));
      };
    },
  },
];
