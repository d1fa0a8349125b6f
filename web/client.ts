import {
  Client,
  type Exchange,
  fetchExchange,
  mapExchange,
  type SubscriptionOperation,
  subscriptionExchange,
} from '@urql/core';
import { type Cache, cacheExchange, type Entity } from '@urql/exchange-graphcache';
import { createClient as createEventClient } from 'graphql-sse';
import type { Session } from './session.ts';

const URL = 'graphql';

/** The failures that can be expected, which mutations give as data. */
const ERRORS = ['CollectionInUse', 'IdempotencyMismatch', 'LimitExceeded', 'NotFound', 'ValidationFailed'];

/** What of a collection follows from its transactions, and is to be read again after a change. */
const DERIVED = ['transactions', 'transactionSummary', 'transactionSummaries'];

/** Tells whether there are subscriptions, and the connections of all stand. */
export type OnConnection = (isConnected: boolean) => void;

/** How far a subscription was followed, which goes on there when it is wanted again. */
interface Followed {
  lastEventId?: string;
  /** Whether its connection has stood. */
  hasBegun: boolean;
  /** Whether it does; undefined where nobody wants it. */
  isConnected?: boolean | undefined;
}

/** A client with a normalised cache of its own, which belongs to one account. */
export function createClient(session: Session, onConnection: OnConnection): Client {
  const followed = new Map<string, Followed>();
  const tell = () => {
    const wanted = [...followed.values()].filter(({ isConnected }) => isConnected !== undefined);
    onConnection(wanted.length > 0 && wanted.every(({ isConnected }) => isConnected));
  };
  const follow = (request: SubscriptionOperation) => {
    const key = JSON.stringify([request.query, request.variables]);
    const one = followed.get(key) ?? { hasBegun: false };
    followed.set(key, one);
    return subscription(session, request, one, tell);
  };
  return new Client({
    url: URL,
    fetch: session.fetch,
    preferGetMethod: false,
    exchanges: [
      keepWhatWasRead(),
      cacheExchange({
        possibleTypes: { Error: ERRORS },
        // A search that cannot be read makes the answer's `collection` null, which is not to be kept.
        resolvers: {
          Query: { collection: (_parent, { id }) => ({ __typename: 'Collection', id: id as string }) },
        },
        updates: {
          Mutation: {
            createTransaction: (result, _args, cache) =>
              forget(cache, payload(result.createTransaction, 'transaction')?.collection?.id),
            deleteTransaction: (_result, { input }, cache) => {
              const transaction = cache.keyOfEntity({
                __typename: 'Transaction',
                id: (input as { id: string }).id,
              });
              const collection = transaction && cache.resolve(transaction, 'collection');
              forget(
                cache,
                typeof collection === 'string' ? collection.replace(/^Collection:/, '') : undefined,
              );
            },
            importTransactions: ({ importTransactions: result }, _args, cache) => {
              if (payload(result, 'written')) forget(cache, payload(result, 'collection')?.id);
            },
            createCollection: (_result, _args, cache) => forgetCollections(cache),
            updateCollection: (_result, _args, cache) => forgetSums(cache),
            createPriceAlert: (_result, _args, cache) => forgetAlerts(cache),
            deletePriceAlert: (_result, _args, cache) => forgetAlerts(cache),
          },
          Subscription: {
            collectionChanged: ({ collectionChanged }, { id }, cache) => {
              forget(cache, id as string);
              forgetCollections(cache);
              const change = collectionChanged as { kind: string } | null;
              if (change === null || change.kind === 'REVALUED') forgetPrices(cache);
            },
            priceAlertTriggered: (_result, _args, cache) => forgetAlerts(cache),
          },
        },
      }),
      subscriptionExchange({ forwardSubscription: follow }),
      fetchExchange,
    ],
  });
}

/** Where a query fails that was answered before, its result has the data of then beside the error. */
function keepWhatWasRead(): Exchange {
  const read = new Map<number, unknown>();
  return mapExchange({
    onResult(result) {
      const { operation, data, error } = result;
      if (operation.kind !== 'query') return result;
      if (!error) read.set(operation.key, data);
      return error && read.has(operation.key) ? { ...result, data: read.get(operation.key) } : result;
    },
  });
}

// biome-ignore lint/suspicious/noExplicitAny: the cache gives what was asked for without its type
function payload(result: unknown, field: string): any {
  return (result as Record<string, unknown> | null)?.[field];
}

/** The sums over the collections, and their history. */
function forgetSums(cache: Cache): void {
  const viewer = cache.resolve('Query', 'viewer');
  const dashboard = typeof viewer === 'string' && cache.resolve(viewer, 'dashboard');
  if (typeof dashboard === 'string') cache.invalidate(dashboard);
}

function forgetAlerts(cache: Cache): void {
  forgetOfViewer(cache, 'priceAlerts');
}

/** They are others, or in another currency. */
function forgetPrices(cache: Cache): void {
  forgetFields(cache, 'Query', ['productEvs', 'evBreakdown', 'products']);
  forgetOfViewer(cache, 'preferredCurrency');
}

/** The names and the number of collections. */
function forgetCollections(cache: Cache): void {
  forgetFields(cache, 'Query', ['collections']);
}

/** What follows from the transactions of a collection. An alert may be of what it is worth. */
function forget(cache: Cache, collectionId: string | undefined): void {
  forgetSums(cache);
  forgetAlerts(cache);
  if (collectionId !== undefined)
    forgetFields(cache, { __typename: 'Collection', id: collectionId }, DERIVED);
}

function forgetOfViewer(cache: Cache, name: string): void {
  const viewer = cache.resolve('Query', 'viewer');
  if (typeof viewer === 'string') forgetFields(cache, viewer, [name]);
}

/** Fields of these names, with whatever arguments they were asked for. */
function forgetFields(cache: Cache, entity: Entity, names: readonly string[]): void {
  for (const { fieldName, fieldKey } of cache.inspectFields(entity))
    if (names.includes(fieldName)) cache.invalidate(entity, fieldKey);
}

/** What any subscription gives where events were missed: all that it tells of is to be read again. */
const MISSED = { data: { collectionChanged: null, priceAlertTriggered: null } };

/** A stream that ends so is begun again: at once where its token has expired, later where the service could not go on. */
const AGAIN_MILLIS: Record<string, number> = { Unauthorized: 0, Unavailable: 5000, LimitExceeded: 30_000 };

/** A connection that stood for so long had come back: the next loss is the first again. */
const STEADY_MILLIS = 10_000;

interface Sink {
  next(result: object): void;
  complete(): void;
}

/** By server-sent events. Where its connection was lost it goes on after the last event. */
function subscription(
  session: Session,
  request: SubscriptionOperation,
  followed: Followed,
  tell: () => void,
) {
  const connected = (isConnected: boolean | undefined) => {
    followed.isConnected = isConnected;
    tell();
  };
  return {
    subscribe(sink: Sink) {
      let end = () => {};
      let isOver = false;
      let againMillis: number | undefined;
      let losses = -1;
      /** When its connection came to stand. */
      let since = Number.POSITIVE_INFINITY;
      const events = createEventClient({
        url: URL,
        fetchFn: session.fetch,
        retryAttempts: Number.POSITIVE_INFINITY,
        headers: (): Record<string, string> =>
          followed.lastEventId === undefined ? {} : { 'Last-Event-ID': followed.lastEventId },
        retry: async () => {
          connected(false);
          // graphql-sse counts on until an event comes, which may take days.
          losses = Date.now() - since > STEADY_MILLIS ? 0 : losses + 1;
          since = Number.POSITIVE_INFINITY;
          await new Promise((resolve) => setTimeout(resolve, Math.min(1000 * 2 ** losses, 30_000)));
        },
        on: {
          connected(isAgain) {
            // graphql-sse gives no id before the first event: without one the server does not tell what came meanwhile.
            if ((isAgain || followed.hasBegun) && followed.lastEventId === undefined) sink.next(MISSED);
            followed.hasBegun = true;
            since = Date.now();
            connected(true);
          },
        },
      });
      const startIn = (millis: number) => {
        if (isOver) return;
        connected(false);
        setTimeout(start, millis);
      };
      const start = () => {
        if (isOver) return;
        againMillis = undefined;
        end = events.subscribe(
          { query: request.query ?? '', variables: request.variables ?? {} },
          {
            next(result) {
              const code = String(result.errors?.[0]?.extensions?.code);
              againMillis = AGAIN_MILLIS[code];
              if (againMillis !== undefined) return end();
              const { eventId } = (result.extensions ?? {}) as { eventId?: unknown };
              if (typeof eventId === 'string') followed.lastEventId = eventId;
              sink.next(code === 'EVENTS_MISSED' ? MISSED : result);
            },
            error: () => startIn(AGAIN_MILLIS.Unavailable!),
            complete() {
              if (againMillis !== undefined) startIn(againMillis);
              else if (!isOver) sink.complete();
            },
          },
        );
      };
      connected(false);
      start();
      return {
        unsubscribe() {
          isOver = true;
          end();
          events.dispose();
          connected(undefined);
        },
      };
    },
  };
}
