import { GraphQLError } from 'graphql';
import { createSchema, createYoga, type Plugin, type YogaServerInstance } from 'graphql-yoga';
import { DomainError, notFound, validationFailed } from '../../../src/domain/errors.ts';
import { createGraphQLContext } from '../../../src/graphql/context.ts';
import type { DocumentManifest } from '../../../src/graphql/document-manifest.ts';
import { documentResolver, type ResolveDocument } from '../../../src/graphql/documents.ts';
import { useAnswers } from '../../../src/graphql/plugins/answers.ts';
import { type EventStreamContext, useEventStream } from '../../../src/graphql/plugins/event-stream.ts';
import { useParameters } from '../../../src/graphql/plugins/parameters.ts';
import { usePreparation } from '../../../src/graphql/plugins/preparation.ts';
import { createPreparation } from '../../../src/graphql/prepare.ts';
import { readJson } from '../../../src/http/json-body.ts';
import type { Context } from '../../../src/services/context.ts';

const typeDefs = /* GraphQL */ `
  interface Node { id: ID! }
  type PageInfo { hasNextPage: Boolean! }
  type Money { value: Float! }
  type Variant implements Node { id: ID! name: String! price: Money product: Product! }
  type Product implements Node { id: ID! name: String! variants: [Variant!]! variant: Variant! }
  type Summary implements Node { id: ID! variant: Variant! }
  type SummaryEdge { cursor: String! node: Summary! }
  type SummaryConnection { edges: [SummaryEdge!]! nodes: [Summary!]! pageInfo: PageInfo! totalCount: Int! }
  enum Interval { DAY WEEK MONTH }
  type Collection implements Node {
    id: ID!
    name: String!
    history(from: String!, to: String!, interval: Interval = DAY): [Money!]!
    summaries(first: Int, after: String, last: Int, before: String): SummaryConnection!
  }
  type CollectionEdge { cursor: String! node: Collection! }
  type CollectionConnection { edges: [CollectionEdge!]! nodes: [Collection!]! pageInfo: PageInfo! totalCount: Int! }
  type Query {
    node(id: ID!): Node
    nodes(ids: [ID!]!): [Node]!
    self: Query!
    name: String
    echo(text: String! = "x"): String
    collections(first: Int, after: String, last: Int, before: String): CollectionConnection!
    product(id: ID!): Product
    fail(how: String!): String
  }
  type Mutation { rename(name: String!): Collection! ping: Boolean! }
  type Subscription { ticks(count: Int!, failing: Boolean): Int! }
`;

/** Every way a resolver can fail. */
const FAILURES: Record<string, () => unknown> = {
  domain: () => notFound('collection'),
  validation: () => validationFailed([{ path: ['after'], detail: 'is malformed' }]),
  unavailable: () => new DomainError('Unavailable', 'Try again.', { retryAfterSeconds: 2 }),
  internalProblem: () => new DomainError('Internal', 'password=hunter2'),
  error: () => new Error('password=hunter2'),
  text: () => 'password=hunter2',
  bareGraphQL: () => new GraphQLError('password=hunter2'),
  wrapped: () => new GraphQLError('password=hunter2', { originalError: new Error('password=hunter2') }),
  coded: () => new GraphQLError('Slow down', { extensions: { code: 'RateLimited', retryAfterSeconds: 3 } }),
};

/** Nothing here asks a database. */
const NOBODY = {
  db: { identity: {}, forOperation: () => NOBODY.db, onlyReads: () => null },
  caller: { accountId: '' },
  now: () => new Date(0),
} as unknown as Context;

/** As the app reads bodies, with an id for requests that have none. */
function readsBody(
  resolve: ResolveDocument,
): Plugin<object, Partial<EventStreamContext & { body: unknown; resolve: ResolveDocument }>> {
  return {
    async onRequestParse({ request, serverContext }) {
      serverContext.requestId ??= 'req_1';
      Object.assign(serverContext, { resolve, lastEventId: () => undefined, outgoing: undefined });
      if (request.method === 'POST')
        serverContext.body = await readJson(request, async () => new Uint8Array(await request.arrayBuffer()));
    },
  };
}

export interface SampleYoga {
  yoga: YogaServerInstance<{ requestId?: string }, object>;
  /** How often a resolver of a root field ran. */
  executed: () => number;
  logged: { error: unknown; requestId: string }[];
}

export interface SampleOptions {
  manifest?: DocumentManifest;
  /** Thrown while the context is built. */
  contextError?: unknown;
}

/** A Yoga with all plugins, as `app.ts` is to set it up. */
export function sampleYoga({ contextError, manifest }: SampleOptions = {}): SampleYoga {
  const logged: SampleYoga['logged'] = [];
  let executed = 0;
  const counted = (value: unknown) => () => {
    executed += 1;
    return value;
  };
  const schema = createSchema({
    typeDefs,
    resolvers: {
      Interval: { DAY: 'Day', WEEK: 'Week', MONTH: 'Month' },
      Node: { __resolveType: () => 'Collection' },
      Query: {
        self: counted({}),
        name: counted('sample'),
        node: counted({ id: 'col_1', name: 'One' }),
        nodes: counted([{ id: 'col_1', name: 'One' }]),
        echo: (_root, { text }: { text: string }) => text,
        collections: counted({ nodes: [], edges: [], totalCount: 0, pageInfo: { hasNextPage: false } }),
        product: counted(null),
        fail: (_root, { how }: { how: string }) => {
          throw FAILURES[how]?.();
        },
      },
      Mutation: { rename: counted({ id: 'col_1', name: 'One' }), ping: counted(true) },
      Subscription: {
        ticks: {
          async *subscribe(_root, { count, failing }: { count: number; failing?: boolean }) {
            for (let tick = 1; tick <= count; tick++) yield { ticks: tick };
            if (failing) throw new Error('password=hunter2');
          },
        },
      },
    },
  });
  const log = (error: unknown, requestId: string) => logged.push({ error, requestId });
  const yoga = createYoga<{ requestId?: string }>({
    schema,
    graphqlEndpoint: '/graphql',
    batching: false,
    multipart: false,
    landingPage: false,
    logging: false,
    maskedErrors: false,
    maxRequestBodySize: false,
    parserAndValidationCache: false,
    context: () => {
      if (contextError) throw contextError;
      const follow = () => Promise.reject();
      return createGraphQLContext(NOBODY, {
        requestId: 'req_1',
        log: () => {},
        follow,
        followImport: follow,
      });
    },
    plugins: [
      readsBody(documentResolver(manifest)),
      useParameters(),
      usePreparation(createPreparation(schema)),
      useAnswers(log),
      useEventStream<EventStreamContext>({ log }),
    ],
  });
  return { yoga, executed: () => executed, logged };
}

export interface Answer {
  status: number;
  body: {
    data?: Record<string, unknown> | null;
    errors?: {
      message: string;
      path?: unknown[];
      locations?: unknown[];
      extensions: Record<string, unknown>;
    }[];
    extensions?: { cost?: { requested: number; maximum: number } };
  };
  headers: Headers;
}

/** Sends parameters as a JSON `POST`. */
export async function post(
  { yoga }: SampleYoga,
  params: unknown,
  accept = 'application/graphql-response+json',
): Promise<Answer> {
  return answerOf(
    await yoga.fetch('http://localhost/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept },
      body: JSON.stringify(params),
    }),
  );
}

export async function answerOf(response: Response): Promise<Answer> {
  return {
    status: response.status,
    body: (await response.json()) as Answer['body'],
    headers: response.headers,
  };
}

/** The first error's code. */
export function codeOf({ body }: Answer): unknown {
  return body.errors?.[0]?.extensions.code;
}
