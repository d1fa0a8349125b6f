import { Hono } from 'hono';
import { getPath } from 'hono/utils/url';
import type { Logger } from 'pino';
import { type Auth, createAuth } from './auth/index.ts';
import { createRequestLimit } from './auth/request-limit.ts';
import type { Config } from './config.ts';
import type { OpenDatabase } from './db/client.ts';
import { type DemoClient, demoSession } from './demo.ts';
import { DomainError } from './domain/errors.ts';
import { graphiqlRoutes } from './graphql/graphiql.ts';
import { type Asker, createGraphQLServer, type GraphQLServer } from './graphql/server.ts';
import { sent } from './http/answer.ts';
import { cutOff } from './http/body.ts';
import { compressed } from './http/compression.ts';
import { cors } from './http/cors.ts';
import type { Exchange, ExchangeBindings, NodeBindings } from './http/exchange.ts';
import { instanceOf, problemResponse } from './http/problem.ts';
import { securityHeaders } from './http/security-headers.ts';
import { searchCacheUse } from './memory/memory.ts';
import { createMetrics, type Metrics } from './observability/metrics.ts';
import { type ArrivedRequest, ObservedRequest } from './observability/requests.ts';
import { serviceDatabase } from './observability/statements.ts';
import type { Tracing } from './observability/tracing.ts';
import { openApiDocument } from './rest/openapi.ts';
import { docsRoutes } from './rest/routes/docs.ts';
import { oauthRoutes } from './rest/routes/oauth.ts';
import { operationRoutes } from './rest/routes/operations.ts';
import { createRestApp, methodNotAllowed, methodsOfPaths } from './rest/server.ts';
import type { Caller, Context } from './services/context.ts';
import { createEventHub } from './services/events/hub.ts';
import { hasSampleData, importAges, pingDatabase } from './services/market/state.ts';

export interface AppOptions {
  config: Config;
  db: OpenDatabase;
  now: () => Date;
  logger: Logger;
  /** Made here where they are left out. */
  metrics?: Metrics;
  /** The metrics of all processes as Prometheus reads them; by default those of this one. */
  allMetrics?: (() => Promise<string>) | undefined;
  /** Sends traces; none where it is left out. */
  tracing?: Tracing | undefined;
  /** Who GraphiQL is signed in as; nobody where it is left out. */
  demoClient?: DemoClient | undefined;
  /** Ends what would not end by itself. */
  stopping?: AbortSignal | undefined;
  /** How subscriptions pass their time; tests cannot wait as long. */
  subscriptions?: { pingMillis: number; checkMillis: number } | undefined;
}

/** Everything that answers. */
export interface App {
  fetch(request: Request, bindings?: NodeBindings): Promise<Response>;
}

/** Nothing here listens. */
export function createApp(options: AppOptions): App {
  const { config, db, now, logger, tracing, stopping, subscriptions } = options;
  const metrics = options.metrics ?? createDatabaseMetrics(db);
  const ownDb = serviceDatabase(db, metrics);
  const auth = createAuth({
    db: ownDb,
    now,
    issuer: config.publicUrl,
    tokenLimitPerMinute: config.tokenLimitPerMinute,
    trustProxy: config.trustProxy,
  });
  const graphql = createGraphQLServer({
    log: (error, requestId) => logger.error({ err: error, requestId }, 'GraphQL operation failed'),
    manifestPath: config.persistedDocuments,
    hub: createEventHub(ownDb, subscriptions?.checkMillis),
    stopping,
    pingMillis: subscriptions?.pingMillis,
  });
  metrics.watchCaches({ ...auth.caches, ...graphql.caches, search_catalogue: searchCacheUse(db) });
  metrics.watchSubscriptions(graphql.subscriptions);

  const failed: Parts['failed'] = (error, { url, requestId }) => {
    if (!(error instanceof DomainError)) logger.error({ err: error, requestId }, 'request failed');
    else if (error.problem === 'Unavailable') logger.error({ err: error, requestId }, 'database unavailable');
    return problemResponse(error, instanceOf(url), requestId);
  };
  const answerGraphQL: Parts['answerGraphQL'] = (request, exchange, { outgoing }) =>
    graphqlAnswer(graphql, request, exchange, {
      assertAllowed: async () => auth.caller(request.headers.get('Authorization')),
      disconnect: () => outgoing?.destroy(),
    });
  const routes = createRoutes(options, { auth, metrics, answerGraphQL, failed });
  const answer = (request: Request, exchange: Exchange, bindings: NodeBindings) =>
    // What most requests are is not to be looked for among the routes.
    exchange.path === '/graphql' && request.method === 'POST'
      ? answerGraphQL(request, exchange, bindings).catch((error) => failed(error, exchange))
      : routes.fetch(request, { ...bindings, exchange });

  const limit = createRequestLimit(config.rateLimitPerMinute, now);
  const admit = (exchange: OpenExchange, observed: ObservedRequest, caller: Caller): Context => {
    exchange.caller = caller;
    exchange.limits = limit(caller.clientId);
    return {
      db: observed.database(db.forAccount(caller.accountId)),
      now,
      caller,
      observation: observed,
    };
  };
  const observers = { logger, metrics, tracing };
  const secure = securityHeaders(config.publicUrl);
  const letOtherOriginsIn = cors(config.corsOrigins);
  return {
    async fetch(request, bindings = {}) {
      const path = getPath(request);
      const observed = new ObservedRequest(arrivedRequest(request, path), observers);
      const { requestId } = observed;
      const exchange: OpenExchange = {
        requestId,
        method: request.method,
        url: request.url,
        path,
        route: undefined,
        caller: undefined,
        limits: {},
        admit() {
          const caller = auth.caller(request.headers.get('Authorization'));
          return caller instanceof Promise
            ? caller.then((known) => admit(exchange, observed, known))
            : admit(exchange, observed, caller);
        },
      };
      let response: Response;
      try {
        const first = await answer(asGet(request), exchange, bindings);
        const { headers } = first;
        secure(headers);
        letOtherOriginsIn?.(request, headers);
        for (const name in exchange.limits) headers.set(name, exchange.limits[name]!);
        headers.set('X-Request-Id', requestId);
        response = sent(await compressed(request, first));
      } catch (error) {
        // The answer could not be finished; none of what may have failed is done again.
        response = failed(error, exchange);
        secure(response.headers);
        response.headers.set('X-Request-Id', requestId);
      }
      const { status } = response;
      observed.end({ status, route: exchange.route ?? routeOf(routes, exchange), caller: exchange.caller });
      return request.method === 'HEAD' ? withoutBody(response) : response;
    },
  };
}

/** What the routes need, beside the options. */
interface Parts {
  auth: Auth;
  metrics: Metrics;
  answerGraphQL(request: Request, exchange: Exchange, bindings: NodeBindings): Promise<Response>;
  /** The answer to a request that failed, after the log has been told of what is ours. */
  failed(error: unknown, exchange: Exchange): Response;
}

type Routes = Hono<{ Bindings: ExchangeBindings }>;

function createRoutes(
  { config, db, now, demoClient, allMetrics }: AppOptions,
  { auth, metrics, answerGraphQL, failed }: Parts,
): Routes {
  const rest = createRestApp();
  const app: Routes = new Hono();
  app.route(
    '/',
    operationRoutes({
      ping: () => pingDatabase(db),
      hasSamples: () => hasSampleData(db),
      openApi: () => openApiDocument(rest),
      metrics: allMetrics ?? (() => metrics.registry.metrics()),
    }),
  );
  app.route('/', docsRoutes());
  app.route('/', oauthRoutes(auth));
  app.route(
    '/',
    graphiqlRoutes({
      hasSamples: () => hasSampleData(db),
      session: demoClient ? demoSession(auth, { db, now }, demoClient) : async () => null,
      publicUrl: config.publicUrl,
    }),
  );
  app.on(['GET', 'POST'], '/graphql', (c) => answerGraphQL(c.req.raw, c.env.exchange, c.env));
  app.route('/', rest);
  for (const [path, methods] of methodsOfPaths(app)) {
    app.all(path, (c) => {
      if (c.req.method === 'OPTIONS') return c.body(null, 204, { Allow: [...methods, 'OPTIONS'].join(', ') });
      throw methodNotAllowed(c.env.exchange.method, [...methods, 'OPTIONS']);
    });
  }
  const nothing = () => new DomainError('NotFound', 'There is nothing at this path.');
  app.notFound((c) => failed(nothing(), c.env.exchange));
  app.onError((error, c) => failed(error, c.env.exchange));
  return app;
}

/** What becomes known of an exchange on its way. */
interface OpenExchange extends Exchange {
  caller: Caller | undefined;
  /** The `RateLimit-*` headers of its answer. */
  limits: Record<string, string>;
}

function arrivedRequest({ headers, method }: Request, path: string): ArrivedRequest {
  return {
    method,
    path,
    givenId: headers.get('X-Request-Id'),
    traceparent: headers.get('traceparent'),
  };
}

async function graphqlAnswer(
  graphql: GraphQLServer,
  request: Request,
  exchange: Exchange,
  asker: Pick<Asker, 'assertAllowed' | 'disconnect'>,
): Promise<Response> {
  exchange.route = '/graphql';
  const { requestId } = exchange;
  try {
    return await graphql.fetch(request, { ...asker, requestId, context: await exchange.admit() });
  } catch (thrown) {
    // Yoga throws the reason of the signal where the client leaves in the middle of the body.
    const error = request.signal.aborted ? cutOff() : thrown;
    if (!(error instanceof DomainError)) throw error;
    return graphql.refuse(error, request, requestId, problemResponse(error, '/graphql', requestId));
  }
}

/** HEAD is answered like GET, without the body. */
function asGet(request: Request): Request {
  return request.method === 'HEAD' ? new Request(request.url, { headers: request.headers }) : request;
}

/** A body that is a stream, such as that of a subscription, would go on for nobody. */
function withoutBody({ status, headers, body }: Response): Response {
  void body?.cancel();
  return new Response(null, { status, headers: [...headers] });
}

/** The path of a request as the documents have it; `unmatched` where no route takes it. */
function routeOf(app: Routes, { method, path }: Exchange): string {
  const [matched] = app.router.match(method === 'HEAD' ? 'GET' : method, path);
  const route = matched[0]?.[0][1].path;
  return route === undefined ? 'unmatched' : route.replaceAll(/:(\w+)/g, '{$1}');
}

/** The metrics of a process that works with this database. */
export function createDatabaseMetrics(db: OpenDatabase): Metrics {
  return createMetrics({ pools: db.pools, importAges: () => importAges(db) });
}
