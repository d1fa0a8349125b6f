import { createYoga, type GraphQLParams } from 'graphql-yoga';
import type { CacheUse } from '../domain/cache-use.ts';
import type { DomainError } from '../domain/errors.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Context } from '../services/context.ts';
import type { EventHub, Following } from '../services/events/hub.ts';
import { COMPILED_FROM_EXECUTION, compiledOperations } from './compiled/operations.ts';
import { type GraphQLContext, operationContext, type RequestParts } from './context.ts';
import { directPath, isPlainPost } from './direct.ts';
import { readManifest } from './document-manifest.ts';
import { useCsrfGuard } from './plugins/csrf.ts';
import { documentCaches, documentResolver, usePersistedDocuments } from './plugins/documents.ts';
import { type LogError, useErrorCodes } from './plugins/error-codes.ts';
import { type EventStreamContext, useEventStream } from './plugins/event-stream.ts';
import { useExactNumbers } from './plugins/exact-numbers.ts';
import { useObservation } from './plugins/observation.ts';
import { useOneMarket } from './plugins/one-market.ts';
import { useOperationLimits } from './plugins/operation-limits.ts';
import { createSchema } from './schema.ts';

/** `1` asks for the share of each field in `extensions.cost`. */
const COST_DEBUG_HEADER = 'GraphQL-Cost-Debug';

export interface ServerContext extends EventStreamContext, RequestParts {
  costFields: boolean;
  follow: (stream: string, after: string | null) => Promise<Following>;
}

/** Who asks, and through what. */
export interface Asker {
  context: Context;
  requestId: string;
  /** Throws `Unauthorized` when the token is not good any more. */
  assertAllowed: () => Promise<unknown>;
  /** Cuts the connection of the request. */
  disconnect: () => void;
}

export interface GraphQLServer {
  /** Answers a request of a caller who is known. */
  fetch(request: Request, asker: Asker): Promise<Response>;
  /** By name. */
  caches: Record<string, CacheUse>;
  /** How many subscriptions are open, by field. */
  subscriptions: () => Record<string, number>;
  /** The answer to a request that is refused before it is read, with the status and headers that REST would give. */
  refuse(
    error: DomainError,
    request: Request,
    requestId: string,
    answer: Pick<Response, 'status' | 'headers'>,
  ): Response;
}

interface Options {
  log: LogError;
  /** File of the only documents that are taken; null where all are. */
  manifestPath: string | null;
  hub: EventHub;
  /** Ends all subscriptions. */
  stopping?: AbortSignal | undefined;
  /** Between two signs of life in a subscription. */
  pingMillis?: number | undefined;
  /** From which execution on operations are compiled; 0 for never. */
  compiledFromExecution?: number | undefined;
}

/** The endpoint `/graphql`, by the GraphQL-over-HTTP specification, with the limits of decisions §8. */
export function createGraphQLServer({
  log,
  manifestPath,
  hub,
  stopping,
  pingMillis,
  compiledFromExecution = COMPILED_FROM_EXECUTION,
}: Options): GraphQLServer {
  const schema = createSchema();
  const manifest = manifestPath === null ? undefined : readManifest(manifestPath, schema);
  const caches = documentCaches();
  const resolve = documentResolver(manifest);
  const yoga = createYoga<ServerContext, GraphQLContext>({
    schema,
    graphqlEndpoint: '/graphql',
    graphiql: false,
    // Closed: without this every origin would be let in, with credentials.
    cors: false,
    landingPage: false,
    logging: false,
    batching: false,
    multipart: false,
    maskedErrors: false,
    maxRequestBodySize: LIMITS.bodyBytes,
    parserAndValidationCache: caches,
    context: ({ params, request, ...parts }) =>
      operationContext(parts as RequestParts, () => lastEventIdOf(params, request)),
    plugins: [
      useCsrfGuard(),
      useExactNumbers(),
      usePersistedDocuments(resolve),
      useOperationLimits(),
      // Before what may execute a query again: it is one operation.
      useObservation(),
      useOneMarket(),
      useEventStream<ServerContext>({ log, stopping, pingMillis }),
      useErrorCodes<ServerContext>({ requestIdOf: ({ requestId }) => requestId, log }),
    ],
  });
  const operations = compiledOperations(schema, compiledFromExecution);
  const direct = directPath(yoga, operations, resolve, log);
  return {
    caches: { parsed_documents: caches.documentCache, compiled_operations: operations.cache },
    subscriptions() {
      const { collections, alerts } = hub.counts();
      return { collectionChanged: collections, priceAlertTriggered: alerts };
    },
    async fetch(request, { assertAllowed, context, requestId, disconnect }) {
      let following: Following | undefined;
      const serverContext: ServerContext = {
        context,
        requestId,
        disconnect,
        costFields: request.headers.get(COST_DEBUG_HEADER) === '1',
        outcomes: new Map(),
        lastEventId: () => following?.lastId(),
        follow: async (stream, after) => {
          following = await hub.follow({ ctx: context, stream, after, assertAllowed });
          return following;
        },
      };
      if (!isPlainPost(request)) return yoga.fetch(request, serverContext);
      const accept = request.headers.get('accept') ?? '';

      const body = await request.text();
      const answer = await direct.answer(body, accept, serverContext);
      if (answer) return answer;
      const response = await yoga.fetch(again(request, body), serverContext);
      direct.learn(accept, response);
      return response;
    },
    refuse: ({ problem, message }, request, requestId, { status, headers }) => {
      const errors = [{ message, extensions: { code: problem, requestId } }];
      headers.set('Content-Type', `${mediaTypeFor(request.headers.get('Accept'))}; charset=utf-8`);
      return new Response(JSON.stringify({ errors }), { status, headers });
    },
  };
}

/** Clients that read the stream themselves may not set the header where they get the id: they say it in the parameters. */
function lastEventIdOf({ extensions }: GraphQLParams, request: Request): string | null {
  const given: unknown = extensions?.lastEventId;
  return given == null ? request.headers.get('Last-Event-ID') || null : String(given);
}

/** The newer of the two types of GraphQL over HTTP, but for clients who ask for JSON alone. */
function mediaTypeFor(accept: string | null): string {
  const isPlainJson =
    accept?.includes('application/json') && !accept.includes('application/graphql-response+json');
  return isPlainJson ? 'application/json' : 'application/graphql-response+json';
}

/** The request as it was before its body was read. */
function again({ url, method, headers, signal }: Request, body: string): Request {
  return new Request(url, { method, headers, body, signal });
}
