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

/** Tells whether the connections of all subscriptions stand. */
export type OnConnection = (isConnected: boolean) => void;

/** Of each subscription whether its connection stands. */
type Standing = Map<SubscriptionOperation, boolean>;

/** A client with a normalised cache of its own, which belongs to one account. */
export function createClient(session: Session, onConnection: OnConnection): Client {
  const standing: Standing = new Map();
  const tell = () => onConnection(standing.size > 0 && [...standing.values()].every(Boolean));
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
      subscriptionExchange({ forwardSubscription: (request) => follow(session, request, standing, tell) }),
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

/** What any of the subscriptions gives where events were missed: whatever they tell of may be another one. */
const MISSED = { data: { collectionChanged: null, priceAlertTriggered: null } };

interface Sink {
  next(result: object): void;
  error(error: unknown): void;
  complete(): void;
}

/** A subscription by server-sent events, which goes on after the last event where its connection was lost. */
function follow(session: Session, request: SubscriptionOperation, standing: Standing, tell: () => void) {
  const stands = (isConnected: boolean) => {
    standing.set(request, isConnected);
    tell();
  };
  return {
    subscribe(sink: Sink) {
      let lastEventId: string | undefined;
      let hasStood = false;
      let end = () => {};
      // A stream ends with its token; the next one is begun with another.
      let hasExpired = false;
      const events = createEventClient({
        url: URL,
        fetchFn: session.fetch,
        retryAttempts: Number.POSITIVE_INFINITY,
        headers: (): Record<string, string> =>
          lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId },
        retry: async (retries) => {
          stands(false);
          await new Promise((resolve) => setTimeout(resolve, Math.min(1000 * 2 ** retries, 30_000)));
        },
        on: {
          connected(isAgain) {
            // Without the id of an event the server does not tell what came meanwhile.
            if ((isAgain || hasStood) && lastEventId === undefined) sink.next(MISSED);
            hasStood = true;
            stands(true);
          },
        },
      });
      const start = () => {
        hasExpired = false;
        end = events.subscribe(
          { query: request.query ?? '', variables: request.variables ?? {} },
          {
            next(result) {
              const code = result.errors?.[0]?.extensions?.code;
              hasExpired = code === 'Unauthorized';
              if (hasExpired) return;
              const { eventId } = (result.extensions ?? {}) as { eventId?: unknown };
              if (typeof eventId === 'string') lastEventId = eventId;
              sink.next(code === 'EVENTS_MISSED' ? MISSED : result);
            },
            error(error) {
              stands(false);
              sink.error(error);
            },
            complete: () => (hasExpired ? start() : sink.complete()),
          },
        );
      };
      stands(false);
      start();
      return {
        unsubscribe() {
          end();
          events.dispose();
          standing.delete(request);
          tell();
        },
      };
    },
  };
}
