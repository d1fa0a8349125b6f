import { Hono } from 'hono';
import { prometheusContentType } from 'prom-client';
import { assetsOf, sendAsset } from '../../http/assets.ts';
import { problemPage } from '../../http/problem.ts';
import { textHeaders } from '../../http/text.ts';
import { projectPath } from '../../paths.ts';

export interface OperationsOptions {
  /** Resolves when the database answers. */
  ping: () => Promise<void>;
  /** That market data is missing or old, a sentence each. */
  warnings: () => Promise<string[]>;
  /** In Prometheus' text format. */
  metrics: () => Promise<string>;
}

const READY_MILLIS = 1000;

/** As it was written when the routes changed last: to make it anew takes a tenth of a second. */
const documents = assetsOf({ 'openapi.json': projectPath('schema/openapi.json') });

/** What operators and newcomers ask for; none of it needs a token. */
export function operationRoutes({ ping, warnings, metrics }: OperationsOptions): Hono {
  const routes = new Hono();

  routes.get('/healthz', (c) => c.json({ status: 'ok' }));
  routes.get('/readyz', async (c) => {
    const ready = await inTime(ping().then(() => true));
    if (!ready) return c.json({ status: 'unavailable' }, 503);
    // They are told where they are at hand: the service can serve without.
    const told = await inTime(warnings());
    return c.json({ status: 'ready', ...(told?.length && { detail: told.join(' ') }) });
  });
  routes.get('/metrics', async (c) => {
    const text = await metrics();
    return c.body(text, 200, textHeaders(text, prometheusContentType));
  });
  routes.get('/openapi.json', async (c) => sendAsset(c, await documents('openapi.json')!));
  routes.get('/problems/:name', (c) => problemPage(c, c.req.param('name')) ?? c.notFound());
  return routes;
}

/** What it gives, or undefined where it fails or takes too long. */
async function inTime<T>(work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, READY_MILLIS, undefined);
  });
  return Promise.race([work.catch(() => undefined), late]).finally(() => clearTimeout(timer));
}
