import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { createCollection } from '../../src/services/collections/create.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { newTestApp, pricedVariants, quickerKind, sharedDatabase } from '../harness.ts';
import { contextOf, entry } from '../support/furnished.ts';

export interface ClientService {
  /** Address of the GraphQL endpoint. */
  url: string;
  headers: { Authorization: string };
  /** Names of the account's collections, in alphabetical order; the first one is stocked. */
  names: string[];
  stockedId: string;
  /** Variants of the stocked collection, each bought once. */
  variantIds: string[];
  /** Bodies of all requests so far. */
  sent: string[];
  stop(): Promise<void>;
}

const COLLECTIONS = 7;
const VARIANTS = 9;

/** A server that listens, with an account that has something to page through. */
export async function startClientService(): Promise<ClientService> {
  const db = await sharedDatabase(quickerKind());
  const app = await newTestApp(db);
  const ctx = contextOf(db, app);
  const names = Array.from({ length: COLLECTIONS }, (_, i) => `Binder ${i + 1}`);
  const collections = [];
  for (const name of names) collections.push(await createCollection(ctx, { name }));
  const stockedId = collections[0]!.id;
  const variantIds = await pricedVariants(db, VARIANTS);
  await createTransactions(
    ctx,
    stockedId,
    variantIds.map((variantId) => entry(variantId)),
  );
  const sent: string[] = [];
  const server = serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request: Request) => {
      sent.push(request.method === 'GET' ? request.url : await request.clone().text());
      return app.fetch(request);
    },
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/graphql`,
    headers: { Authorization: `Bearer ${app.token}` },
    names,
    stockedId,
    variantIds,
    sent,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        (server as unknown as { closeAllConnections(): void }).closeAllConnections();
      }),
  };
}
