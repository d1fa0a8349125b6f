import { Hono } from 'hono';
import { getPath } from 'hono/utils/url';
import type { Logger } from 'pino';
import { ACCOUNT_HEADER } from './auth/caller.ts';
import { type Auth, createAuth } from './auth/index.ts';
import { createRequestLimit } from './auth/request-limit.ts';
import { createWorkLimit } from './auth/work-limit.ts';
import type { Config } from './config.ts';
import type { OpenDatabase } from './db/client.ts';
import { type DemoClient, demoSession } from './demo.ts';
import { dateOf } from './domain/dates.ts';
import { clientLeft, DomainError } from './domain/errors.ts';
import { LIMITS } from './domain/limits.ts';
import { graphiqlRoutes } from './graphql/graphiql.ts';
import { type Asker, createGraphQLServer, type GraphQLServer } from './graphql/server.ts';
import { sent } from './http/answer.ts';
import { type BodyLimits, createBodies, type Sender } from './http/body.ts';
import { compressed } from './http/compression.ts';
import { cors } from './http/cors.ts';
import type { Exchange, ExchangeBindings, NodeBindings } from './http/exchange.ts';
import { assertExpectation } from './http/expectation.ts';
import { readJson } from './http/json-body.ts';
import type { SessionOf } from './http/page.ts';
import { instanceOf, problemResponse } from './http/problem.ts';
import { securityHeaders } from './http/security-headers.ts';
import { turnOf } from './lib/in-turns.ts';
import { parseNetworks } from './lib/networks.ts';
import { workFor } from './lib/processor-time.ts';
import { createAddressCheck } from './lib/public-address.ts';
import { sharedAnswer } from './lib/shared-answer.ts';
import { assistantRoutes } from './mcp/routes.ts';
import { accessCacheUse, searchCacheUse } from './memory/memory.ts';
import { createFailureLog } from './observability/failure-log.ts';
import { createMetrics, type Metrics } from './observability/metrics.ts';
import { type ArrivedRequest, ObservedRequest } from './observability/requests.ts';
import { serviceDatabase } from './observability/statements.ts';
import type { Tracing } from './observability/tracing.ts';
import { openApiDocument } from './rest/openapi.ts';
import { docsRoutes } from './rest/routes/docs.ts';
import { oauthRoutes } from './rest/routes/oauth.ts';
import { operationRoutes } from './rest/routes/operations.ts';
import { pictureRoutes } from './rest/routes/pictures.ts';
import { windowRoutes } from './rest/routes/window.ts';
import { methodNotAllowed, methodsOfPaths, restApp } from './rest/server.ts';
import type { AccountWork, Caller, Context, Tokens, WorkOf } from './services/context.ts';
import { createEventHub } from './services/events/hub.ts';
import { accountOfUser } from './services/identity-providers/account-of-user.ts';
import { providersOf } from './services/identity-providers/held.ts';
import { importAges, marketNotices, marketWarnings, sampleData } from './services/market/state.ts';
import { accessTo } from './services/sub-accounts/access.ts';
import { webhookBacklogAge } from './services/webhooks/feed.ts';
import { packageVersion } from './version.ts';

export interface AppOptions {
  config: Config;
  db: OpenDatabase;
  now: () => Date;
  /** Milliseconds that pass whatever the clock is set to; the platform's where they are left out. */
  elapsed?: () => number;
  logger: Logger;
  /** Made here where they are left out. */
  metrics?: Metrics;
  /** The metrics of all processes as Prometheus reads them; by default those of this one. */
  allMetrics?: (() => Promise<string>) | undefined;
  /** Sends traces; none where it is left out. */
  tracing?: Tracing | undefined;
  /** Who the pages are signed in as; nobody where it is left out. */
  demoClient?: DemoClient | undefined;
  /** Ends what would not end by itself. */
  stopping?: AbortSignal | undefined;
  bodies?: BodyLimits | undefined;
  /** How subscriptions pass their time; tests cannot wait as long. */
  subscriptions?: { pingMillis: number; checkMillis: number } | undefined;
}

type Given = AppOptions & Required<Pick<AppOptions, 'elapsed'>>;

/** Everything that answers. */
export interface App {
  /** Resolves when all of it is loaded; rejects where something cannot be. */
  ready: Promise<void>;
  fetch(request: Request, bindings?: NodeBindings): Promise<Response>;
  /** The work that this process does for an account, and its budget. */
  workOf: WorkOf;
}

/** Nothing here listens. */
export function createApp(options: AppOptions): App {
  const elapsed = options.elapsed ?? (() => performance.now());
  const given: Given = { ...options, elapsed };
  const { config, db, logger, tracing } = given;
  const metrics = options.metrics ?? createDatabaseMetrics(db);
  const ownDb = serviceDatabase(db, metrics);
  const auth = createAppAuth(given, ownDb);
  const logFailure = createFailureLog(logger, elapsed);
  const graphql = createAppGraphQL(given, ownDb, logFailure);
  metrics.watchCaches({
    ...auth.caches,
    ...graphql.caches,
    search_catalogue: searchCacheUse(db),
    account_access: accessCacheUse(db),
  });
  metrics.watchSubscriptions(graphql.subscriptions);

  const failed: Parts['failed'] = (error, { url, requestId }) => {
    if (!(error instanceof DomainError) || error.problem === 'Unavailable')
      logFailure(error, requestId, 'request failed');
    return problemResponse(error, instanceOf(url), requestId);
  };
  const answerGraphQL: Parts['answerGraphQL'] = (request, exchange, { outgoing }) =>
    graphqlAnswer(graphql, request, exchange, failed, {
      assertAllowed: async () => {
        const caller = await auth.caller(request.headers.get('Authorization'));
        const named = request.headers.get(ACCOUNT_HEADER);
        return named === null ? caller : auth.actingFor(caller, named);
      },
      disconnect: () => outgoing?.destroy(),
    });
  const parts = { auth, metrics, graphql, logFailure, answerGraphQL, failed };
  const { routes, ready } = createRoutes(given, parts);
  const answer = (request: Request, exchange: Exchange, bindings: NodeBindings) =>
    // What most requests are is not to be looked for among the routes.
    exchange.path === '/graphql' && request.method === 'POST'
      ? answerGraphQL(request, exchange, bindings)
      : routes.fetch(request, { ...bindings, exchange });

  const workOf = createWorkLimit(
    { account: config.workLimitPerMinute, platform: config.platformWorkLimitPerMinute },
    elapsed,
  );
  db.onWork((accountId, millis) => workOf(accountId).pay(millis));
  const admit = createAdmission(given, auth, workOf);
  const observers = { logger, metrics, tracing };
  const bodies = createBodies(options.bodies);
  const complete = createCompletion(config);
  return {
    ready,
    workOf,
    async fetch(request, bindings = {}) {
      // Until it is known who asks.
      workFor(undefined);
      const path = getPath(request);
      const observed = new ObservedRequest(arrivedRequest(request, path), observers);
      const body = bodies.of(request, bindings.incoming);
      const sender = () => senderOf(request, bindings, observed, auth);
      const exchange: OpenExchange = {
        requestId: observed.requestId,
        method: request.method,
        url: request.url,
        path,
        route: undefined,
        work: undefined,
        limits: {},
        admit: () => admit(request, exchange, observed),
        streamBody: () => body.stream(sender()),
        async readBody(maxBytes) {
          const bytes = await body.read(maxBytes, sender());
          workFor(exchange.work);
          // To read it takes up to some ten milliseconds.
          const turn = turnOf(exchange.work);
          if (turn) await turn;
          return bytes;
        },
      };
      let response: Response;
      try {
        const first = complete(await answer(asGet(request), exchange, bindings), request, exchange);
        response = sent(await compressed(request, first));
      } catch (error) {
        response = complete(failed(error, exchange), request, exchange);
      } finally {
        body.release();
      }
      const { status } = response;
      observed.end({ status, route: exchange.route ?? routeOf(routes, exchange) });
      return request.method === 'HEAD' ? withoutBody(response) : response;
    },
  };
}

function createAppGraphQL(
  { config, logger, stopping, subscriptions }: Given,
  ownDb: OpenDatabase,
  logFailure: Parts['logFailure'],
): GraphQLServer {
  return createGraphQLServer({
    log: (error, requestId) => logFailure(error, requestId, 'GraphQL operation failed'),
    manifestPath: config.persistedDocuments,
    hub: createEventHub(
      ownDb,
      (error) => logger.error({ err: error }, 'events failed'),
      subscriptions?.checkMillis,
    ),
    stopping,
    pingMillis: subscriptions?.pingMillis,
  });
}

function createAppAuth({ config, db, now, elapsed }: Given, ownDb: OpenDatabase): Auth {
  const { rateLimitPerMinute, platformRateLimitPerMinute } = config;
  // These come before it is known whose the request is, and are what a platform can make as many of as it likes.
  const lookUp = createRequestLimit(
    platformRateLimitPerMinute,
    elapsed,
    'A platform may have N accounts looked up a minute.',
  );
  const creation = createRequestLimit(
    rateLimitPerMinute,
    elapsed,
    'By signing in N users of a platform may get an account a minute.',
  );
  return createAuth({
    db: ownDb,
    now,
    elapsed,
    issuer: config.publicUrl,
    tokenLimitPerMinute: config.tokenLimitPerMinute,
    accessTo: (accountId, platformId) =>
      accessTo(db.forAccount(platformId), platformId, accountId, elapsed, () => void lookUp(platformId)),
    signIn: {
      providersOf: (issuer) => providersOf(ownDb, issuer, elapsed),
      accountOf: (user) => accountOfUser(db, user, now, { lookUp, creation }),
    },
    addressesOf: createAddressCheck(parseNetworks(config.outboundNetworks)),
    trustProxy: config.trustProxy,
  });
}

/**
 * Gives the function that finds out who asks, and counts the request; it waits behind those for whom less was done lately.
 */
function createAdmission({ config, db, now, elapsed }: Given, auth: Auth, workOf: WorkOf) {
  const limits = requestLimits(config, elapsed);
  const tokens: Tokens = {
    count: createRequestLimit(
      LIMITS.accountTokensPerMinute,
      elapsed,
      'An account may be given N tokens a minute: use one until it expires.',
    ),
    issue: auth.issue,
  };
  const outboundNetworks = parseNetworks(config.outboundNetworks);
  /** Where that is refused, the request is one of the asker's own. */
  const actingFor = async (asker: Caller, named: string): Promise<Caller> => {
    try {
      return await auth.actingFor(asker, named);
    } catch (error) {
      limits.ofCaller(asker);
      throw error;
    }
  };
  return async (request: Request, exchange: OpenExchange, observed: ObservedRequest): Promise<Context> => {
    assertExpectation(request);
    const asker = await auth.caller(request.headers.get('Authorization'));
    observed.caller = asker;
    const named = request.headers.get(ACCOUNT_HEADER);
    const caller = named === null ? asker : await actingFor(asker, named);
    observed.caller = caller;
    exchange.limits = limits.ofCaller(caller);
    // What one account sends above its own limit takes nothing from the others.
    limits.ofPlatform(caller);
    const work = workOf(caller.accountId, caller.platformId);
    exchange.work = work;
    work.assertLeft();
    const turn = turnOf(work);
    if (turn) {
      await turn;
      // What came before it may have used up what was left.
      work.assertLeft();
    }
    if (request.signal.aborted) throw clientLeft();
    workFor(work);
    return {
      db: observed.database(db.forAccount(caller.accountId, caller.platformId), {
        payer: work,
        leaving: request.signal,
      }),
      now,
      caller,
      observation: observed,
      work,
      tokens,
      outboundNetworks,
      leaving: request.signal,
    };
  };
}

/** What counts for a client, for an account below a platform, and for all that are below one. */
function requestLimits({ rateLimitPerMinute, platformRateLimitPerMinute }: Config, elapsed: () => number) {
  const limit = (perMinute: number, who: string) =>
    createRequestLimit(perMinute, elapsed, `${who} may send N requests a minute.`);
  const ofClient = limit(rateLimitPerMinute, 'A client');
  const ofAccount = limit(rateLimitPerMinute, 'An account below a platform');
  const ofAll = limit(platformRateLimitPerMinute, 'All accounts below a platform');
  return {
    ofCaller: ({ accountId, clientId, platformId }: Caller) =>
      platformId === undefined ? ofClient(clientId) : ofAccount(accountId),
    ofPlatform: ({ platformId }: Caller) => {
      if (platformId !== undefined) ofAll(platformId);
    },
  };
}

/** What the routes need, beside the options. */
interface Parts {
  auth: Auth;
  metrics: Metrics;
  graphql: GraphQLServer;
  logFailure: ReturnType<typeof createFailureLog>;
  answerGraphQL(request: Request, exchange: Exchange, bindings: NodeBindings): Promise<Response>;
  /** The answer to a request that failed, after the log has been told of what is ours. */
  failed(error: unknown, exchange: Exchange): Response;
}

type Routes = Hono<{ Bindings: ExchangeBindings }>;

function createRoutes(
  { config, db, now, elapsed, demoClient, allMetrics }: Given,
  { auth, metrics, graphql, logFailure, answerGraphQL, failed }: Parts,
): { routes: Routes; ready: Promise<void> } {
  const rest = restApp();
  const today = () => dateOf(now());
  const app: Routes = new Hono();
  app.route(
    '/',
    operationRoutes({
      // However many ask, the database is asked once at a time.
      ping: sharedAnswer(db.check),
      warnings: sharedAnswer(async () =>
        (await marketWarnings(db.urgent, today())).map(({ fact }) => `${fact}.`),
      ),
      openApi: () => openApiDocument(rest),
      metrics: allMetrics ?? (() => metrics.registry.metrics()),
    }),
  );
  const samples = () => sampleData(db);
  const notices = () => marketNotices(db, today());
  const session: SessionOf = demoClient
    ? demoSession(auth, { db, now, elapsed }, demoClient, config.demoHosts)
    : async () => null;
  app.route(
    '/',
    windowRoutes({ notices, session, cardPictures: config.cardPictures, assistants: config.assistants }),
  );
  app.route('/', pictureRoutes());
  app.route('/', docsRoutes({ session }));
  app.route('/', oauthRoutes(auth));
  app.route('/', graphiqlRoutes({ samples, session, publicUrl: config.publicUrl }));
  app.on(['GET', 'POST'], '/graphql', (c) => answerGraphQL(c.req.raw, c.env.exchange, c.env));
  let ready = Promise.resolve();
  if (config.assistants) {
    const log = (error: unknown, requestId: string) => logFailure(error, requestId, 'tool failed');
    const assistants = assistantRoutes({
      graphql,
      samples,
      codes: auth.codes,
      log,
      version: packageVersion(),
      publicUrl: config.publicUrl,
    });
    app.route('/', assistants.routes);
    ready = assistants.ready;
  }
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
  return { routes: app, ready };
}

/** What becomes known of an exchange on its way. */
interface OpenExchange extends Exchange {
  work: AccountWork | undefined;
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

/** Gives the function that adds the headers that each answer has. */
function createCompletion({ publicUrl, corsOrigins }: Config) {
  const secure = securityHeaders(publicUrl);
  const letOtherOriginsIn = cors(corsOrigins);
  return (response: Response, request: Request, { limits, requestId }: OpenExchange): Response => {
    const { headers } = response;
    secure(headers);
    letOtherOriginsIn?.(request, headers);
    for (const name in limits) headers.set(name, limits[name]!);
    headers.set('X-Request-Id', requestId);
    return response;
  };
}

/** Whose body it is, as far as that is known. */
function senderOf(
  { headers }: Request,
  { incoming }: NodeBindings,
  { caller }: ObservedRequest,
  auth: Auth,
): Sender {
  return {
    address: auth.addressOf({
      socketAddress: incoming?.socket?.remoteAddress,
      forwardedFor: headers.get('X-Forwarded-For') ?? undefined,
    }),
    accountId: caller?.accountId,
    platformId: caller?.platformId,
  };
}

async function graphqlAnswer(
  graphql: GraphQLServer,
  request: Request,
  exchange: Exchange,
  failed: Parts['failed'],
  asker: Pick<Asker, 'assertAllowed' | 'disconnect'>,
): Promise<Response> {
  exchange.route = '/graphql';
  const { requestId } = exchange;
  try {
    const context = await exchange.admit();
    // Nothing but JSON is taken, so what a page of another site could send without a CORS preflight is refused.
    const body = request.method === 'POST' ? await readJson(request, exchange.readBody) : undefined;
    return await graphql.fetch(request, { ...asker, requestId, context, body });
  } catch (thrown) {
    // Yoga throws the reason of the signal where the client leaves.
    const error = thrown === request.signal.reason ? clientLeft() : thrown;
    return graphql.refuse(error, request, requestId, failed(error, exchange));
  }
}

/** HEAD is answered like GET, without the body. */
function asGet(request: Request): Request {
  return request.method === 'HEAD' ? new Request(request.url, { headers: request.headers }) : request;
}

/** A body that is a stream, such as that of a subscription, would go on for nobody; if one cannot be cancelled, it has failed by itself. */
function withoutBody({ status, headers, body }: Response): Response {
  body?.cancel().catch(() => {});
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
  const { housekeeping } = db;
  return createMetrics({
    pools: db.pools,
    readUse: db.readUse,
    importAges: () => importAges(housekeeping),
    webhookBacklogAge: () => webhookBacklogAge(housekeeping),
  });
}
