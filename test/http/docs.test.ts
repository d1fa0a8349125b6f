import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { serve } from '@hono/node-server';
import { pino } from 'pino';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import { docsRoutes } from '../../src/rest/routes/docs.ts';
import type { ClientCredentials } from '../../src/services/clients/create.ts';
import { newClient } from '../auth/support.ts';
import { NOW, sharedDatabase } from '../harness.ts';
import { CHROMIUM, CHROMIUM_ARGS } from '../support/chromium.ts';

const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'start.js', 'start.css'];

describe('/docs', () => {
  const routes = docsRoutes({ session: async () => null });

  it('is a page that names nothing of another origin', async () => {
    const response = await routes.request('/docs');
    const html = await response.text();
    expect(response.headers.get('Content-Type')).toMatch(/^text\/html/);
    const policy = response.headers.get('Content-Security-Policy')!;
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'/);
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    const linked = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, path]) => path!);
    const shared = ['./', './', 'graphql', 'docs', 'site/favicon.svg', 'site/favicon.svg', 'site/site.css'];
    expect(linked.sort()).toEqual([...shared, ...FILES.map((file) => `docs/${file}`), 'openapi.json'].sort());
  });

  it('serves its files compressed, and only once', async () => {
    for (const file of FILES) {
      const get = (headers: Record<string, string>) => routes.request(`/docs/${file}`, { headers });
      const packed = await get({ 'Accept-Encoding': 'gzip, br' });
      const bytes = Buffer.from(await packed.arrayBuffer());
      expect(packed.headers.get('Content-Encoding')).toBe('gzip');
      const plain = Buffer.from(await (await get({})).arrayBuffer());
      expect(gunzipSync(bytes).equals(plain)).toBe(true);
      const known = { 'If-None-Match': packed.headers.get('ETag')!, 'Accept-Encoding': 'gzip' };
      const again = await get(known);
      expect([again.status, await again.text()]).toEqual([304, '']);
    }
    for (const other of ['other.js', 'swagger-ui.js', '..%2Fdocs-start.js', 'package.json']) {
      expect((await routes.request(`/docs/${other}`)).status).toBe(404);
    }
  });
});

describe.skipIf(!existsSync(CHROMIUM) && !process.env.CI)(`/docs in a browser (needs ${CHROMIUM})`, () => {
  let server: ReturnType<typeof serve>;
  let browser: Browser;
  let client: ClientCredentials;

  beforeAll(async () => {
    const db = await sharedDatabase('pglite');
    client = await newClient(db);
    const app = createApp({ config: loadConfig({}), db, now: () => NOW, logger: pino({ level: 'silent' }) });
    await new Promise<void>((resolve) => {
      server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => resolve());
    });
    browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_ARGS });
  });

  afterAll(async () => {
    await browser?.close();
    await new Promise((resolve) => server?.close(resolve));
  });

  it('gets a token by client credentials, uses it, and asks nobody else for anything', async () => {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const page = await browser.newPage();
    const requested: string[] = [];
    const complaints: string[] = [];
    page.context().on('request', (request) => requested.push(request.url()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    await page.goto(`${origin}/docs`);
    await page.getByRole('button', { name: 'Sign in to try it out' }).waitFor();
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    await page.getByLabel('client_id:').fill(client.clientId);
    await page.getByLabel('client_secret:').fill(client.clientSecret);
    const answered = page.waitForResponse(`${origin}/oauth2/token`);
    await page.locator('.auth-btn-wrapper .authorize').click();
    expect((await answered).status()).toBe(200);
    await page.locator('.auth-btn-wrapper .btn-done').click();

    await page.locator('#operations-Collections-createCollection').getByRole('button').first().click();
    const created = page.waitForResponse(`${origin}/collection`);
    await page.getByRole('button', { name: 'Execute' }).click();
    const answer = await created;
    expect([answer.status(), (await answer.json()).name]).toEqual([200, 'My binder']);
    await page.locator('.live-responses-table', { hasText: '"collectionId"' }).waitFor();
    if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT, fullPage: false });

    expect(complaints).toEqual([]);
    expect(new Set(requested.map((url) => new URL(url).origin).filter((from) => from !== 'null'))).toEqual(
      new Set([origin]),
    );
  });
});
