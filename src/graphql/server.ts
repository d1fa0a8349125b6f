import type { GraphQLFormattedError, GraphQLSchema } from 'graphql';
import { createYoga, type GraphQLParams } from 'graphql-yoga';
import { DomainError } from '../domain/errors.ts';
import type { Outgoing } from '../http/exchange.ts';
import type { CacheUse } from '../lib/cache-use.ts';
import { turnOf } from '../lib/in-turns.ts';
import type { Context } from '../services/context.ts';
import type { EventHub, Following } from '../services/events/hub.ts';
import { catalogueTexts } from './catalogue-texts.ts';
import { type GraphQLContext, operationContext, type RequestParts } from './context.ts';
import { readManifest } from './document-manifest.ts';
import { documentResolver, type ResolveDocument } from './documents.ts';
import { jsonTypeFor } from './media-types.ts';
import { useAnswers } from './plugins/answers.ts';
import { type EventStreamContext, useEventStream } from './plugins/event-stream.ts';
import { useParameters } from './plugins/parameters.ts';
import { usePreparation } from './plugins/preparation.ts';
import { createPreparation, type Preparation } from './prepare.ts';
import { INTERNAL_MESSAGE, type LogError } from './public-result.ts';
import { answerQuickly, askedOperation, resultOfOwn } from './quick.ts';
import { JsonData } from './result.ts';
import { createSchema } from './schema.ts';

/** `1` asks for the share of each field in `extensions.cost`. */
const COST_DEBUG_HEADER = 'GraphQL-Cost-Debug';

export interface ServerContext extends EventStreamContext, RequestParts {
  body: unknown;
  costFields: boolean;
  resolve: ResolveDocument;
  follow: (stream: string, after: string | null) => Promise<Following>;
}

/** Who asks, and through what. */
export interface Asker {
  context: Context;
  requestId: string;
  /** The JSON of the body of a `POST`. */
  body: unknown;
  /** Throws `Unauthorized` when the token is not good any more. */
  assertAllowed: () => Promise<unknown>;
  /** Nothing where the request came on no connection. */
  outgoing: Outgoing | undefined;
}

export interface GraphQLServer {
  schema: GraphQLSchema;
  /** Answers a request of a caller who is known. */
  fetch(request: Request, asker: Asker): Promise<Response>;
  /**
   * The result of a query or mutation of the service itself, of which clients choose nothing but the variables: no manifest
   * names it. Limits and budgets hold as for any other.
   */
  ask(
    query: string,
    variables: Record<string, unknown>,
    asker: Pick<Asker, 'context' | 'requestId'>,
  ): Promise<{ data?: Record<string, unknown> | null; errors?: readonly GraphQLFormattedError[] }>;
  /** By name. */
  caches: Record<string, CacheUse>;
  /** How many subscriptions are open, by field. */
  subscriptions: () => Record<string, number>;
  /** The answer to a request that fails before it is read, or where nobody expected it, with the status and headers that REST would give. */
  refuse(
    error: unknown,
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
}

/** The endpoint `/graphql`, by the GraphQL-over-HTTP specification, with limits (docs/decisions.md#limits-of-an-operation). */
export function createGraphQLServer(options: Options): GraphQLServer {
  const { log, manifestPath, hub } = options;
  const schema = createSchema();
  const preparation = createPreparation(schema, catalogueTexts());
  const manifest = manifestPath === null ? undefined : readManifest(manifestPath, preparation);
  const resolveDocument = documentResolver(manifest);
  const yoga = createEndpoint(schema, preparation, options);
  return {
    schema,
    caches: { prepared_operations: preparation.use },
    subscriptions() {
      const { collections, alerts, imports } = hub.counts();
      return { collectionChanged: collections, priceAlertTriggered: alerts, importProgress: imports };
    },
    async fetch(request, { assertAllowed, context, requestId, body, outgoing }) {
      let following: Following | undefined;
      // A known operation in a POST goes the quick way; Yoga answers all else.
      const type = request.method === 'POST' ? jsonTypeFor(request.headers.get('Accept')) : undefined;
      const serverContext: ServerContext = {
        context,
        requestId,
        log,
        outgoing,
        body,
        resolve: resolveDocument,
        costFields: request.headers.get(COST_DEBUG_HEADER) === '1',
        lastEventId: () => following?.lastId(),
        follow: async (stream, after) => {
          following = await hub.follow({ ctx: context, stream, after, assertAllowed });
          return following;
        },
        followImport: (collectionId) =>
          hub.followImport({ ctx: context, stream: collectionId, assertAllowed }),
      };
      const asked = type && askedOperation(body, preparation, resolveDocument);
      if (asked) return answerQuickly(asked, type, serverContext, preparation);
      // A document that is not known takes some milliseconds before anything is executed.
      const turn = turnOf(context.work);
      if (turn) await turn;
      return yoga.fetch(request, serverContext);
    },
    async ask(query, variables, { context, requestId }) {
      const request = {
        context,
        requestId,
        log,
        costFields: false,
        follow: followsNothing,
        followImport: followsNothing,
      };
      const { data, errors } = await resultOfOwn({ query, variables }, request, preparation);
      const values = data instanceof JsonData ? JSON.parse(data.json) : data;
      return { data: values, ...(errors && { errors }) };
    },
    refuse: refusal,
  };
}

/** Yoga, which answers what does not go the quick way. */
function createEndpoint(
  schema: GraphQLSchema,
  preparation: Preparation,
  { log, stopping, pingMillis }: Options,
) {
  return createYoga<ServerContext, GraphQLContext>({
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
    // Bodies are read, and documents remembered, by our own plugins.
    maxRequestBodySize: false,
    parserAndValidationCache: false,
    context: ({ params, request, ...parts }) =>
      operationContext(parts as RequestParts, () => lastEventIdOf(params, request)),
    plugins: [
      useParameters(),
      usePreparation(preparation),
      useAnswers(log),
      useEventStream<ServerContext>({ log, stopping, pingMillis }),
    ],
  });
}

/** The same as REST's answer, in the body of GraphQL. */
const refusal: GraphQLServer['refuse'] = (error, request, requestId, { status, headers }) => {
  const { problem, message } = error instanceof DomainError ? error : INTERNAL;
  const errors = [{ message, extensions: { code: problem, requestId } }];
  const type = jsonTypeFor(request.headers.get('Accept')) ?? 'application/json';
  headers.set('Content-Type', `${type}; charset=utf-8`);
  return new Response(JSON.stringify({ errors }), { status, headers });
};

/** Neither a query nor a mutation follows anything. */
const followsNothing = () => Promise.reject(new Error('It is no subscription.'));

const INTERNAL = { problem: 'Internal', message: INTERNAL_MESSAGE };

/** Clients that read the stream themselves may not set the header where they get the id: they say it in the parameters. */
function lastEventIdOf({ extensions }: GraphQLParams, request: Request): string | null {
  const given: unknown = extensions?.lastEventId;
  if (given == null) return request.headers.get('Last-Event-ID') || null;
  // No event has an empty id: it is refused.
  return typeof given === 'string' ? given : '';
}
