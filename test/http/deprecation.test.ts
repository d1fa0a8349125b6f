import { OpenAPIHono, z } from '@hono/zod-openapi';
import { expect, it } from 'vitest';
import { openApiDocument } from '../../src/rest/openapi.ts';
import { PAGE_QUERY } from '../../src/rest/pages.ts';
import { addRoute } from '../../src/rest/route.ts';
import type { RestApp, RouteDescription } from '../../src/rest/route-description.ts';

const LINK = '/docs#old';

function appWith(changes: Partial<RouteDescription<z.ZodObject>>): RestApp {
  const app: RestApp = new OpenAPIHono();
  addRoute(app, {
    method: 'get',
    path: '/old',
    operationId: 'getOld',
    summary: 'Old',
    description: 'It is old.',
    tag: 'Old',
    response: z.strictObject({ results: z.array(z.string()) }),
    problems: [],
    handle: async () => ({ body: { results: [] } }),
    ...changes,
  });
  return app;
}

const EXCHANGE = {
  requestId: 'a',
  method: 'GET',
  path: '/old',
  route: undefined,
  admit: async () => ({ db: { forOperation: () => ({ onlyReads: () => null }) } }),
};
const answerOf = (app: RestApp) => app.request('/old', undefined, { exchange: EXCHANGE });

const operationOf = (app: RestApp) => openApiDocument(app).paths!['/old']!.get!;

it('a deprecated route says so on its answers and in the document', async () => {
  const deprecation = { since: '2026-01-31', sunset: '2026-12-31', link: LINK };
  const app = appWith({ deprecation });
  const { headers, status } = await answerOf(app);
  expect(status).toBe(200);
  expect(headers.get('Deprecation')).toBe(`@${Date.UTC(2026, 0, 31) / 1000}`);
  expect(headers.get('Sunset')).toBe('Thu, 31 Dec 2026 00:00:00 GMT');
  expect(headers.get('Link')).toBe(`<${LINK}>; rel="deprecation"; type="text/html"`);
  const operation = operationOf(app);
  expect(operation.deprecated).toBe(true);
  expect(operation.description).toBe(
    `It is old. Deprecated since 2026-01-31, and gone from 2026-12-31 on: see ${LINK}.`,
  );
  expect(Object.keys(operation.responses![200]!.headers)).toEqual(
    expect.arrayContaining(['Deprecation', 'Sunset', 'Link']),
  );
});

it('a deprecated route without a last day has no Sunset, and keeps the links of its pages', async () => {
  const app = appWith({
    query: z.strictObject(PAGE_QUERY),
    deprecation: { since: '2026-01-31', link: LINK },
  });
  const { headers } = await answerOf(app);
  expect(headers.get('Sunset')).toBeNull();
  expect(headers.get('Link')).toMatch(/^<\/old\?cursor=0>; rel="first", <\/docs#old>; rel="deprecation"/);
});

it('other routes say nothing of the kind', async () => {
  const app = appWith({});
  const { headers } = await answerOf(app);
  expect([headers.get('Deprecation'), headers.get('Sunset')]).toEqual([null, null]);
  expect(operationOf(app).deprecated).toBeUndefined();
  expect(JSON.stringify(openApiDocument(app))).not.toContain('Sunset');
});
