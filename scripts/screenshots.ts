// Makes the pictures of docs/images/ from a demo start: each view light and dark, on a desktop and a phone, and GraphiQL.
// Beside them it writes what the page's sources are, with which test/contract/screenshots.test.ts compares them later.

import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Browser, chromium, type Page } from 'playwright-core';
import { projectPath } from '../src/paths.ts';
import { CHROMIUM, CHROMIUM_ARGS } from '../test/support/chromium.ts';
import { IMAGES, MADE_FROM, pageSources } from './page-sources.ts';

const SIZES = {
  desktop: { width: 1280, height: 860 },
  phone: { width: 390, height: 844 },
};
const CSV = `occurredDate,action,quantity,unitAmount,currency,number,variantName
2025-03-01,Purchase,2,4.50,USD,MST131,Normal
2025-03-01,Purchase,1,9.00,USD,MST131,Cold Foil
`;

/** How each view gets something to show. */
const VIEWS: Record<string, (page: Page) => Promise<unknown>> = {
  dashboard: async (page) => {
    await page.locator('.chart canvas').waitFor();
    await page.locator('.pair .entries li').first().waitFor();
  },
  collection: (page) => page.getByText("Fyendal's Spring Tunic").first().waitFor(),
  async record(page) {
    await page.getByRole('combobox', { name: 'Card' }).fill('command and con');
    await page.getByRole('option', { name: /Command and Conquer ARC159/ }).waitFor();
  },
  async import(page) {
    const buffer = Buffer.from(CSV);
    await page
      .getByLabel(/Drop a file here/)
      .setInputFiles({ name: 'my-binder.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('button', { name: /Rainbow Foil$/ }).waitFor();
  },
  async sealed(page) {
    await page.getByText('How it is spread').waitFor();
    await page.locator('.breakdown canvas').waitFor();
  },
  async alerts(page) {
    const made = page.getByRole('button', { name: /^Delete/ });
    await page.getByText('None yet.').or(made).first().waitFor();
    // The first picture's alert is there for the others.
    if (await made.count()) return;
    await page.getByRole('combobox', { name: 'Card' }).fill('enlightened strike');
    await page
      .getByRole('option', { name: /Enlightened Strike/ })
      .first()
      .click();
    await page.getByLabel('Amount').fill('7.5');
    await page.getByRole('button', { name: 'Create the alert' }).click();
    await made.waitFor();
  },
};

async function main(): Promise<void> {
  await rm(projectPath(IMAGES), { recursive: true, force: true });
  await mkdir(projectPath(IMAGES), { recursive: true });
  const service = await startDemo();
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_ARGS });
  const drawing = await browser.newPage();
  try {
    for (const scheme of ['light', 'dark'] as const) {
      for (const [device, viewport] of Object.entries(SIZES)) {
        for (const [view, prepare] of Object.entries(VIEWS)) {
          const page = await openPage(browser, viewport, scheme, `${service.address}/#/${view}`);
          await page.locator('.live.on').waitFor();
          await prepare(page);
          await take(page, drawing, `${view}-${device}-${scheme}`);
        }
      }
      const page = await openPage(browser, SIZES.desktop, scheme, `${service.address}/graphql`);
      await runFirstQuery(page);
      await take(page, drawing, `graphiql-desktop-${scheme}`);
    }
  } finally {
    await browser.close();
    await service.stop();
  }
  await writeFile(projectPath(MADE_FROM), `{ "pageSources": "${pageSources()}" }\n`);
}

async function openPage(
  browser: Browser,
  viewport: { width: number; height: number },
  colorScheme: 'light' | 'dark',
  address: string,
): Promise<Page> {
  const page = await browser.newPage({ viewport, colorScheme, reducedMotion: 'reduce', locale: 'en-US' });
  await page.goto(address);
  return page;
}

/** GraphiQL reads its editors a moment after it is there: what is run before does nothing. */
async function runFirstQuery(page: Page): Promise<void> {
  const answer = page.locator('.result-window', { hasText: 'Rainbow Foil' });
  for (let attempt = 0; attempt < 20 && (await answer.count()) === 0; attempt++) {
    await page.locator('.graphiql-execute-button').click();
    await answer.waitFor({ timeout: 1000 }).catch(() => {});
  }
  await answer.waitFor();
  // The editor gives its words their colours a moment later.
  const colours = () =>
    new Set(
      [...document.querySelectorAll('.graphiql-query-editor [class^="mtk"]')].map((word) => word.className),
    );
  await page.waitForFunction(`(${colours})().size > 3`);
}

/** Writes what is seen as WebP, which the browser makes a third of the size of a PNG. */
async function take(page: Page, drawing: Page, name: string): Promise<void> {
  const png = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  if (process.env.PNG_FOLDER) await writeFile(join(process.env.PNG_FOLDER, `${name}.png`), png);
  const data = await drawing.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [bitmap.width, bitmap.height];
    canvas.getContext('2d')!.drawImage(bitmap, 0, 0);
    return canvas.toDataURL('image/webp', 0.8).split(',')[1]!;
  }, png.toString('base64'));
  await writeFile(projectPath(`${IMAGES}/${name}.webp`), Buffer.from(data, 'base64'));
  await page.close();
}

/** A service that is started as users do it, on a new database, without the vendor's pictures. */
async function startDemo(): Promise<{ address: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'cardledger-screenshots-'));
  const port = await freePort();
  const env = { ...process.env, DATA_DIR: folder, PORT: String(port), CARD_PICTURES: '0', DATABASE_URL: '' };
  const service = spawn('npm', ['start'], {
    cwd: projectPath('.'),
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const ended = new Promise((resolve) => service.once('exit', resolve));
  for await (const line of createInterface({ input: service.stdout })) if (line.includes('"ready ')) break;
  return {
    address: `http://127.0.0.1:${port}`,
    async stop() {
      process.kill(-service.pid!, 'SIGTERM');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

await main();
