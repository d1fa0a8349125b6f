import { getPath } from 'hono/utils/url';
import type { Logger } from 'pino';
import { createAdmission, createAppAuth, createFreeTurns } from './admission.ts';
import { ACCOUNT_HEADER } from './auth/caller.ts';
import type { Auth } from './auth/index.ts';
import { createWorkLimit } from './auth/work-limit.ts';
import type { Config } from './config.ts';
import type { OpenDatabase } from './db/client.ts';
import type { DemoClient } from './demo.ts';
import { ClientLeft, DomainError } from './domain/errors.ts';
import { type Asker, createGraphQLServer, type GraphQLServer } from './graphql/server.ts';
import { sent } from './http/answer.ts';
import { createBodies } from './http/body.ts';
import type { BodyLimits, Sender } from './http/body-room.ts';
import { compressed } from './http/compression.ts';
import { cors } from './http/cors.ts';
import type { Exchange, NodeBindings, OpenExchange } from './http/exchange.ts';
import { readJson } from './http/json-body.ts';
import { isProbe } from './http/probes.ts';
import { instanceOf, problemResponse } from './http/problem.ts';
import { securityHeaders } from './http/security-headers.ts';
import { turnOf } from './lib/in-turns.ts';
import { Unknown, workFor } from './lib/processor-time.ts';
import { stepOf } from './lib/steps.ts';
import { accessCacheUse, searchCacheUse } from './memory/memory.ts';
import { createFailureLog } from './observability/failure-log.ts';
import { createMetrics, type Metrics } from './observability/metrics.ts';
import { type ArrivedRequest, ObservedRequest } from './observability/requests.ts';
import { serviceDatabase } from './observability/statements.ts';
import type { Tracing } from './observability/tracing.ts';
import { createRoutes, type Parts, routeOf } from './routes.ts';
import type { WorkOf } from './services/context.ts';
import { createEventHub } from './services/events/hub.ts';
import { importAges } from './services/market/state.ts';
import { webhookBacklogAge } from './services/webhooks/feed.ts';

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
      outgoing,
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
  db.onWork((accountId, millis, platformId) => workOf(accountId, platformId).payDatabase(millis));
  const admit = createAdmission(given, auth, workOf);
  const freeTurn = createFreeTurns();
  const observers = { logger, metrics, tracing };
  const bodies = createBodies(options.bodies);
  const complete = createCompletion(config);
  return {
    ready,
    workOf,
    async fetch(request, bindings = {}) {
      const asker = new Unknown();
      workFor(asker);
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
        streamBody: (isOfLines) => body.stream(sender(), isOfLines),
        async readBody(maxBytes) {
          const bytes = await body.read(maxBytes, sender());
          const payer = exchange.work ?? asker;
          workFor(payer);
          // To read it takes up to some ten milliseconds.
          const turn = turnOf(payer);
          if (turn) await turn;
          return bytes;
        },
      };
      let response: Response;
      try {
        const answered = await answer(asGet(request), exchange, bindings);
        if (exchange.work) await stepOf(exchange.work);
        else if (!request.signal.aborted && !isProbe(path)) await freeTurn(sender(), asker);
        response = sent(await compressed(request, complete(answered, request, exchange)));
      } catch (error) {
        response = complete(failed(error, exchange), request, exchange);
      } finally {
        body.release();
      }
      if (bindings.outgoing && observed.caller) bindings.outgoing.owner = observed.caller;
      const { status } = response;
      const route = exchange.route ?? routeOf(routes, exchange);
      observed.end({ status, route, hasLeft: request.signal.aborted });
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
  asker: Pick<Asker, 'assertAllowed' | 'outgoing'>,
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
    const error = thrown === request.signal.reason ? new ClientLeft() : thrown;
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
