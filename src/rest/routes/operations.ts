import { Hono } from 'hono';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { PROBLEMS } from '../../domain/errors.ts';
import { problemPage } from '../problem.ts';

export interface OperationsOptions {
  /** Resolves when the database answers. */
  ping: () => Promise<void>;
  /** Whether any of the market data is made up. */
  hasSamples: () => Promise<boolean>;
  openApi: () => unknown;
}

const READY_MILLIS = 1000;

/** What operators and newcomers ask for; none of it needs a token. */
export function operationRoutes({ ping, hasSamples, openApi }: OperationsOptions): Hono {
  const routes = new Hono();
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });

  routes.get('/', async (c) =>
    c.json({
      service: 'cardledger',
      ...((await hasSamples()) && {
        notice: 'The prices, sale volumes and expected values are SAMPLE data, made up.',
      }),
      graphql: '/graphql',
      token: '/oauth2/token',
      openApi: '/openapi.json',
      problems: Object.keys(PROBLEMS).map((name) => `/problems/${name}`),
      health: '/healthz',
      readiness: '/readyz',
      metrics: '/metrics',
    }),
  );
  routes.get('/healthz', (c) => c.json({ status: 'ok' }));
  routes.get('/readyz', async (c) => {
    const ready = await answersInTime(ping);
    return c.json({ status: ready ? 'ready' : 'unavailable' }, ready ? 200 : 503);
  });
  routes.get('/metrics', async (c) =>
    c.body(await registry.metrics(), 200, { 'Content-Type': registry.contentType }),
  );
  routes.get('/openapi.json', (c) => c.json(openApi() as object));
  routes.get('/problems/:name', (c) => problemPage(c, c.req.param('name')) ?? c.notFound());
  return routes;
}

async function answersInTime(ping: () => Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, READY_MILLIS, false);
  });
  const answered = ping().then(
    () => true,
    () => false,
  );
  return Promise.race([answered, late]).finally(() => clearTimeout(timer));
}
