import { Hono } from 'hono';
import { prometheusContentType } from 'prom-client';
import { problemPage } from '../../http/problem.ts';
import { once, textHeaders } from '../../http/text.ts';

export interface OperationsOptions {
  /** Resolves when the database answers. */
  ping: () => Promise<void>;
  openApi: () => unknown;
  /** In Prometheus' text format. */
  metrics: () => Promise<string>;
}

const READY_MILLIS = 1000;

/** What operators and newcomers ask for; none of it needs a token. */
export function operationRoutes({ ping, openApi, metrics }: OperationsOptions): Hono {
  const routes = new Hono();

  routes.get('/healthz', (c) => c.json({ status: 'ok' }));
  routes.get('/readyz', async (c) => {
    const ready = await answersInTime(ping);
    return c.json({ status: ready ? 'ready' : 'unavailable' }, ready ? 200 : 503);
  });
  routes.get('/metrics', async (c) => {
    const text = await metrics();
    return c.body(text, 200, textHeaders(text, prometheusContentType));
  });
  const document = once(() => JSON.stringify(openApi()));
  routes.get('/openapi.json', (c) => c.body(document(), 200, textHeaders(document(), 'application/json')));
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
