import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Hono } from 'hono';
import { assetsOf, sendAsset } from '../../http/assets.ts';
import { pageOf, pagePolicy, type SessionOf } from '../../http/page.ts';
import { projectPath } from '../../paths.ts';

/** Swagger UI at `/docs`, with its files below; none of it needs a token, or asks another server for anything. */
export function docsRoutes({ session }: { session: SessionOf }): Hono {
  const routes = new Hono();
  const assets = assetsOf(files());

  routes.get('/docs', async (c) => {
    const signedIn = await session(new URL(c.req.url).hostname);
    return c.html(page(signedIn?.accessToken ?? null), 200, {
      'Cache-Control': 'no-store',
      // Its icons are data within its style sheet.
      'Content-Security-Policy': pagePolicy({ 'img-src': 'data:' }),
      'Referrer-Policy': 'no-referrer',
    });
  });
  routes.get('/docs/:file', async (c) => {
    const asset = await assets(c.req.param('file'));
    return asset ? sendAsset(c, asset) : c.notFound();
  });
  return routes;
}

function page(accessToken: string | null): string {
  return pageOf({
    title: 'REST API',
    at: 'docs',
    styles: ['docs/swagger-ui.css', 'docs/start.css'],
    scripts: ['docs/swagger-ui-bundle.js'],
    modules: ['docs/start.js'],
    options: { accessToken },
    body: `    <noscript>This page needs JavaScript. The same is in <a href="openapi.json">openapi.json</a>.</noscript>
    <section id="session" aria-label="Sign-in"></section>
    <div id="swagger-ui"></div>`,
  });
}

function files(): Record<string, string> {
  const swaggerUi = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  return {
    'swagger-ui.css': join(swaggerUi, 'swagger-ui.css'),
    'swagger-ui-bundle.js': join(swaggerUi, 'swagger-ui-bundle.js'),
    'start.js': projectPath('pages/docs-start.js'),
    'start.css': projectPath('pages/docs-start.css'),
  };
}
