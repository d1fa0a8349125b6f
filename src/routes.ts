import { Hono } from 'hono';
import type { Place } from './admission.ts';
import type { Auth } from './auth/index.ts';
import { type DemoClient, demoSession } from './demo.ts';
import { dateOf } from './domain/dates.ts';
import { DomainError } from './domain/errors.ts';
import { graphiqlRoutes } from './graphql/graphiql.ts';
import type { GraphQLServer } from './graphql/server.ts';
import type { Exchange, ExchangeBindings, NodeBindings } from './http/exchange.ts';
import type { SessionOf } from './http/page.ts';
import { sharedAnswer } from './lib/shared-answer.ts';
import { assistantRoutes } from './mcp/routes.ts';
import type { createFailureLog } from './observability/failure-log.ts';
import type { Metrics } from './observability/metrics.ts';
import { docsRoutes } from './rest/routes/docs.ts';
import { oauthRoutes } from './rest/routes/oauth.ts';
import { operationRoutes } from './rest/routes/operations.ts';
import { pictureRoutes } from './rest/routes/pictures.ts';
import { windowRoutes } from './rest/routes/window.ts';
import { methodNotAllowed, methodsOfPaths, restApp } from './rest/server.ts';
import { marketNotices, marketWarnings, sampleData } from './services/market/state.ts';
import { packageVersion } from './version.ts';

/** What answers at which path. */

interface RoutesPlace extends Place {
  demoClient?: DemoClient | undefined;
  allMetrics?: (() => Promise<string>) | undefined;
}

/** The parts of the app that routes lead to. */
export interface Parts {
  auth: Auth;
  metrics: Metrics;
  graphql: GraphQLServer;
  logFailure: ReturnType<typeof createFailureLog>;
  answerGraphQL(request: Request, exchange: Exchange, bindings: NodeBindings): Promise<Response>;
  /** The answer to a request that failed, after the log has been told of what is ours. */
  failed(error: unknown, exchange: Exchange): Response;
}

export type Routes = Hono<{ Bindings: ExchangeBindings }>;

export function createRoutes(
  { config, db, now, elapsed, demoClient, allMetrics }: RoutesPlace,
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
      metrics: allMetrics ?? (() => metrics.registry.metrics()),
    }),
  );
  // However many strangers open pages, the look-up of a client waits behind one statement of each.
  const samples = sharedAnswer(() => sampleData(db));
  const notices = sharedAnswer(() => marketNotices(db, today()));
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

/** The path of a request as the documents have it; `unmatched` where no route takes it. */
export function routeOf(app: Routes, { method, path }: Exchange): string {
  const [matched] = app.router.match(method === 'HEAD' ? 'GET' : method, path);
  const route = matched[0]?.[0][1].path;
  return route === undefined ? 'unmatched' : route.replaceAll(/:(\w+)/g, '{$1}');
}
