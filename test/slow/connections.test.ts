import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { removeFoldersAfterwards, temporaryFolder } from '../cli/support.ts';
import { serveProcess } from '../server/server-process.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { slowClients } from '../support/slow-clients.ts';

removeFoldersAfterwards();

it.skipIf(!inject('postgresUrl'))(
  'closes 400 slow connections within 40 s, while it serves others',
  async () => {
    const folder = await temporaryFolder();
    const { url } = await loadedPostgresUrl(inject('postgresUrl')!);
    const server = await serveProcess({ DATABASE_URL: url, DATA_DIR: folder, DEMO: '1' }, folder);
    const { clientId, clientSecret } = JSON.parse(await readFile(join(folder, 'demo-client.json'), 'utf8'));
    const form = { grant_type: 'client_credentials', scope: 'default' };
    const body = new URLSearchParams({ ...form, client_id: clientId, client_secret: clientSecret });
    const answer = await fetch(`${server.url}/oauth2/token`, { method: 'POST', body });
    const { access_token: token } = (await answer.json()) as { access_token: string };

    let isOpen = true;
    const slow = slowClients({ port: Number(server.port), token }, 400, 1000).finally(() => {
      isOpen = false;
    });
    let longestMillis = 0;
    while (isOpen) {
      const start = performance.now();
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
      longestMillis = Math.max(longestMillis, performance.now() - start);
    }
    const ends = await slow;
    const slowest = Math.max(...ends.map(({ millis }) => millis));
    console.error(
      `400 slow connections: the last closed after ${slowest} ms, /healthz within ${longestMillis} ms`,
    );
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set([408]));
    expect(slowest).toBeLessThan(40_000);
    expect(await server.stop()).toBe(0);
  },
  180_000,
);
