import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Hono } from 'hono';
import { type Asset, assetOf, lazily, sendAsset } from '../../http/assets.ts';
import { projectPath } from '../../paths.ts';

/** Scripts, styles and requests of our own origin only; the icons of Swagger UI are data within its style sheet. */
const CONTENT_SECURITY_POLICY = [
  `default-src 'none'`,
  `script-src 'self'`,
  `connect-src 'self'`,
  `style-src 'self'`,
  `img-src 'self' data:`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>cardledger REST API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="docs/swagger-ui.css">
    <script defer src="docs/swagger-ui-bundle.js"></script>
    <script defer src="docs/start.js"></script>
  </head>
  <body>
    <noscript>This page needs JavaScript. The same is in <a href="openapi.json">openapi.json</a>.</noscript>
    <div id="swagger-ui"></div>
  </body>
</html>
`;

const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'start.js'] as const;

/** Swagger UI at `/docs`, with its files below; none of it needs a token, or asks another server for anything. */
export function docsRoutes(): Hono {
  const routes = new Hono();
  const assets = new Map(FILES.map((name) => [name as string, lazily(() => loadAsset(name))]));

  routes.get('/docs', (c) =>
    c.html(PAGE, 200, { 'Cache-Control': 'no-cache', 'Content-Security-Policy': CONTENT_SECURITY_POLICY }),
  );
  routes.get('/docs/:file', async (c) => {
    const load = assets.get(c.req.param('file'));
    return load ? sendAsset(c, await load()) : c.notFound();
  });
  return routes;
}

async function loadAsset(name: (typeof FILES)[number]): Promise<Asset> {
  const swaggerUi = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const file = name === 'start.js' ? projectPath('pages/docs-start.js') : join(swaggerUi, name);
  return assetOf(name, await promisify(gzip)(await readFile(file)));
}
