import { Hono, type Context as HonoContext } from 'hono';
import type { Logger } from 'pino';
import { createAuth } from './auth/index.ts';
import { createRequestLimit } from './auth/request-limit.ts';
import type { Config } from './config.ts';
import type { OpenDatabase } from './db/client.ts';
import { type DemoClient, demoSession } from './demo.ts';
import { DomainError } from './domain/errors.ts';
import { graphiqlRoutes } from './graphql/graphiql.ts';
import { createGraphQLServer } from './graphql/server.ts';
import { cutOff } from './http/body.ts';
import { compression } from './http/compression.ts';
import { cors } from './http/cors.ts';
import { securityHeaders } from './http/security-headers.ts';
import { createMetrics, type Metrics } from './observability/metrics.ts';
import { observeRequests } from './observability/middleware.ts';
import type { ObservedRequest } from './observability/requests.ts';
import { serviceDatabase } from './observability/statements.ts';
import type { Tracing } from './observability/tracing.ts';
import { openApiDocument } from './rest/openapi.ts';
import { problemResponse } from './rest/problem.ts';
import type { NodeBindings, Variables } from './rest/route-description.ts';
import { docsRoutes } from './rest/routes/docs.ts';
import { oauthRoutes } from './rest/routes/oauth.ts';
import { operationRoutes } from './rest/routes/operations.ts';
import { createRestApp, methodNotAllowed, methodsOfPaths } from './rest/server.ts';
import { createEventHub } from './services/events/hub.ts';
import { hasSampleData, importAges, pingDatabase } from './services/market/state.ts';
import { searchCacheUse } from './services/products/search.ts';

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
  /** For tests: from which execution on GraphQL operations are compiled. */
  compiledFromExecution?: number;
}

type Env = { Variables: Variables & { observed: ObservedRequest }; Bindings: NodeBindings };
type App = Hono<Env>;

/** Everything that answers; nothing here listens. */
export function createApp(options: AppOptions): App {
  const {
    config,
    db,
    now,
    logger,
    demoClient,
    tracing,
    allMetrics,
    stopping,
    subscriptions,
    compiledFromExecution,
  } = options;
  const metrics = options.metrics ?? createDatabaseMetrics(db);
  const ownDb = serviceDatabase(db, metrics);
  const auth = createAuth({
    db: ownDb,
    now,
    issuer: config.publicUrl,
    tokenLimitPerMinute: config.tokenLimitPerMinute,
    trustProxy: config.trustProxy,
  });
  const limit = createRequestLimit(config.rateLimitPerMinute, now);
  const graphql = createGraphQLServer({
    log: (error, requestId) => logger.error({ err: error, requestId }, 'GraphQL operation failed'),
    manifestPath: config.persistedDocuments,
    hub: createEventHub(ownDb, subscriptions?.checkMillis),
    stopping,
    pingMillis: subscriptions?.pingMillis,
    compiledFromExecution,
  });
  metrics.watchCaches({ ...auth.caches, ...graphql.caches, search_catalogue: searchCacheUse(db) });
  metrics.watchSubscriptions(graphql.subscriptions);
  const rest = createRestApp();
  const app: App = new Hono();

  app.use(observeRequests({ logger, metrics, tracing }));
  app.use(securityHeaders(config.publicUrl));
  const letOtherOriginsIn = cors(config.corsOrigins);
  if (letOtherOriginsIn) app.use(letOtherOriginsIn);
  app.use(compression);

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

  /** Who asks, and how many requests are left to them. */
  const admit = async (c: HonoContext<Env>): Promise<Record<string, string>> => {
    const caller = await auth.caller(c.req.header('Authorization'));
    const observation = c.get('observed');
    c.set('context', { db: observation.database(db.forAccount(caller.accountId)), now, caller, observation });
    return limit(caller.clientId);
  };

  app.on(['GET', 'POST'], '/graphql', async (c) => {
    try {
      const headers = await admit(c);
      const response = await graphql.fetch(asGet(c.req.raw), {
        context: c.get('context'),
        requestId: c.get('requestId'),
        assertAllowed: () => auth.caller(c.req.header('Authorization')),
        disconnect: () => c.env?.outgoing?.destroy(),
      });
      for (const name in headers) response.headers.set(name, headers[name]!);
      // Hono makes the answer to HEAD of this one, and can copy none but the platform's own.
      return c.req.method === 'HEAD' ? withoutBody(response) : response;
    } catch (thrown) {
      // Yoga throws the reason of the signal where the client leaves in the middle of the body.
      const error = c.req.raw.signal.aborted ? cutOff() : thrown;
      if (!(error instanceof DomainError)) throw error;
      const requestId = c.get('requestId');
      return graphql.refuse(error, c.req.raw, requestId, problemResponse(error, c.req.path, requestId));
    }
  });

  for (const [path, methods] of methodsOfPaths(rest)) {
    app.on(methods, path, async (c, next) => {
      // The path of one product matches a search too, which must not count twice.
      if (c.get('context')) return next();
      const headers = await admit(c);
      await next();
      for (const name in headers) c.res.headers.set(name, headers[name]!);
    });
  }
  app.route('/', rest);

  for (const [path, methods] of methodsOfPaths(app)) {
    app.all(path, (c) => {
      if (c.req.method === 'OPTIONS') return c.body(null, 204, { Allow: [...methods, 'OPTIONS'].join(', ') });
      throw methodNotAllowed(c.req.method, [...methods, 'OPTIONS']);
    });
  }
  app.notFound((c) =>
    problemResponse(
      new DomainError('NotFound', 'There is nothing at this path.'),
      c.req.path,
      c.get('requestId'),
    ),
  );
  app.onError((error, c) => {
    const requestId = c.get('requestId');
    if (!(error instanceof DomainError)) logger.error({ err: error, requestId }, 'request failed');
    else if (error.problem === 'Unavailable') logger.error({ err: error, requestId }, 'database unavailable');
    return problemResponse(error, c.req.path, requestId);
  });
  return app;
}

/** Yoga does not know HEAD: a GET whose body is not sent. */
function asGet(request: Request): Request {
  return request.method === 'HEAD' ? new Request(request.url, { headers: request.headers }) : request;
}

function withoutBody({ status, headers }: Response): Response {
  return new Response(null, { status, headers: [...headers] });
}

/** The metrics of a process that works with this database. */
export function createDatabaseMetrics(db: OpenDatabase): Metrics {
  return createMetrics({ pool: db.pool, importAges: () => importAges(db) });
}
