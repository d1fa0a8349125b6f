import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { generate } from '@graphql-codegen/cli';
import { serve } from '@hono/node-server';
import { pino } from 'pino';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import { type DemoClient, ensureDemoClient } from '../../src/demo.ts';
import { projectPath } from '../../src/paths.ts';
import { sharedDatabase } from '../harness.ts';
import { CHROMIUM, CHROMIUM_ARGS } from '../support/chromium.ts';
import { copyOf, dependenciesOf, packClient, runIn, serveFiles } from './workspace.ts';

const BROWSER_APPS = ['react-apollo', 'react-relay', 'vue-urql'];
const EXAMPLES = readdirSync(projectPath('examples'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** Where an example keeps what is generated, which is committed. */
const GENERATED: Record<string, string> = {
  'react-apollo': 'src/gql',
  'react-relay': 'src/__generated__',
  'vue-urql': 'src/gql',
  typescript: 'gql',
  rest: 'api.ts',
};

/** Those of which GraphQL Code Generator makes it. */
const CODEGEN = ['react-apollo', 'typescript', 'vue-urql'];

/** What `npm run generate` does there, in this process: to start it takes longer than to generate. */
async function generateIn(folder: string): Promise<void> {
  const { scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  expect(scripts.generate).toBe('graphql-codegen');
  const { default: config } = await import(join(folder, 'codegen.ts'));
  await generate({ ...config, cwd: folder, silent: true }, true);
}

/** One service, as a demo start makes it, one packed client and one browser for all. */
let workspace: string;
let tarball: string;
let service: string;
let environment: Record<string, string>;
let demo: DemoClient;
let server: ReturnType<typeof serve>;
let browser: Browser;

beforeAll(async () => {
  workspace = await mkdtemp(join(tmpdir(), 'cardledger-examples-'));
  await mkdir(join(workspace, 'examples'));
  await symlink(projectPath('schema'), join(workspace, 'schema'));
  [tarball, demo, browser] = await Promise.all([
    packClient(workspace),
    sharedDatabase('pglite').then((db) => ensureDemoClient(db, workspace, new Date())),
    chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_ARGS }),
  ]);
  const db = await sharedDatabase('pglite');
  const config = {
    ...loadConfig({ CORS_ORIGINS: '*' }),
    rateLimitPerMinute: 0,
    tokenLimitPerMinute: 0,
  };
  const app = createApp({ config, db, now: () => new Date(), logger: pino({ level: 'silent' }) });
  await new Promise<void>((resolve) => {
    server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => resolve());
  });
  service = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  environment = { CARDLEDGER: service, CREDENTIALS: join(workspace, 'demo-client.json') };
  await runIn(workspace, 'tar', ['-xzf', tarball]);
});

afterAll(async () => {
  await browser?.close();
  server?.close();
  await rm(workspace, { recursive: true, force: true });
});

const copies = new Map<string, Promise<string>>();

/** Of each example one, for all tests. */
function copy(example: string): Promise<string> {
  const made = copies.get(example) ?? copyOf(example, workspace, join(workspace, 'package'));
  copies.set(example, made);
  return made;
}

describe('@cardledger/client, as it is packed', () => {
  it('has the size that its README says', async () => {
    const bytes = gzipSync(await readFile(join(workspace, 'package/dist/index.js')), { level: 9 }).length;
    const readme = readFileSync(projectPath('packages/client/README.md'), 'utf8');
    const [, kilobytes] = /less than ([\d.]+) kB, minified and compressed/.exec(readme)!;
    expect(bytes).toBeLessThan(Number(kilobytes) * 1000);
  });

  it('depends on nothing, and holds its bundle, its types and its README alone', async () => {
    const manifest = JSON.parse(await readFile(join(workspace, 'package/package.json'), 'utf8'));
    expect(Object.keys(manifest).filter((key) => /dependencies/i.test(key))).toEqual([]);
    expect(readdirSync(join(workspace, 'package')).sort()).toEqual([
      'LICENSE',
      'README.md',
      'dist',
      'package.json',
    ]);
    const files = readdirSync(join(workspace, 'package/dist'));
    expect(files.filter((name) => !name.endsWith('.d.ts')).sort()).toEqual(['index.js', 'index.js.map']);
    expect(files).toContain('index.d.ts');
  });

  it('is installed in an empty project without a network, and runs and is typed there', async () => {
    const project = join(workspace, 'empty');
    await mkdir(project);
    await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }');
    await runIn(project, 'npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], {
      npm_config_cache: join(workspace, 'npm-cache'),
    });
    // The example of its README, with the address and the client of this test.
    const readme = readFileSync(projectPath('packages/client/README.md'), 'utf8');
    const [, example] = /```ts\n([\s\S]*?)```/.exec(readme)!;
    const script = example!
      .replace("'http://127.0.0.1:4000'", `'${service}'`)
      .replace("'cli_…'", `'${demo.clientId}'`)
      .replace("'cls_…'", `'${demo.clientSecret}'`);
    await writeFile(join(project, 'script.ts'), script);
    const options = [
      '--strict',
      '--target',
      'es2022',
      '--lib',
      'es2022,dom,dom.asynciterable',
      '--module',
      'nodenext',
    ];
    await runIn(project, 'tsc', ['script.ts', '--types', '', ...options]);
    const { stdout } = await runIn(project, process.execPath, ['script.js']);
    expect(stdout).toMatch(
      /^Demo binder\nDemo sealed\nDemo goal: Arcane Rising\nValidationFailed: must have 1 to 100 characters/,
    );
  });
});

describe('Each example', () => {
  it('has a README, and is in the list of examples', () => {
    const list = readFileSync(projectPath('examples/README.md'), 'utf8');
    for (const name of EXAMPLES) {
      expect(existsSync(projectPath(`examples/${name}/README.md`)), name).toBe(true);
      expect(list).toContain(`](${name}/README.md)`);
    }
  });

  it('asks for the packages in the versions that are tested here', () => {
    const { devDependencies, dependencies } = JSON.parse(readFileSync(projectPath('package.json'), 'utf8'));
    const ours = { ...dependencies, ...devDependencies };
    // openapi-typescript does not run with TypeScript 7 yet.
    const others = { '@cardledger/client': 'file:../../packages/client' };
    for (const example of EXAMPLES) {
      for (const [name, range] of dependenciesOf(example)) {
        const isOlder = example === 'rest' && name === 'typescript';
        if (!isOlder) expect([example, name, range]).toEqual([example, name, { ...ours, ...others }[name]]);
      }
    }
  });

  it.each(Object.entries(GENERATED))('has what is generated for it up to date: %s', async (example, path) => {
    const folder = await copy(example);
    await rm(join(folder, path), { recursive: true });
    if (CODEGEN.includes(example)) await generateIn(folder);
    else {
      // Relay's compiler asks for the folder.
      if (example === 'react-relay') await mkdir(join(folder, path));
      const hook = `--import ${new URL('../../scripts/typescript-5.mjs', import.meta.url).href}`;
      await runIn(folder, 'npm', ['run', '-s', 'generate'], example === 'rest' ? { NODE_OPTIONS: hook } : {});
    }
    const files = path.endsWith('.ts')
      ? [path]
      : readdirSync(join(folder, path)).map((name) => join(path, name));
    const committed = path.endsWith('.ts')
      ? [path]
      : readdirSync(projectPath(`examples/${example}/${path}`)).map((name) => join(path, name));
    expect(files).toEqual(committed);
    for (const file of files) {
      const isSame =
        (await readFile(join(folder, file), 'utf8')) ===
        readFileSync(projectPath(`examples/${example}/${file}`), 'utf8');
      expect(isSame, `run \`npm run generate\` for ${example}/${file}`).toBe(true);
    }
  });

  it.each(['react-apollo', 'react-relay', 'typescript', 'rest'])(
    'has no error of types: %s',
    async (example) => {
      await runIn(await copy(example), 'npm', ['run', '-s', 'check']);
    },
  );
});

describe('In a browser', () => {
  const signIn = async (page: Page, secret: string) => {
    await page.getByLabel('Client id').fill(demo.clientId);
    await page.getByLabel('Secret').fill(secret);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };

  it.each(BROWSER_APPS)('signs in, shows what is held page by page, and creates: %s', async (example) => {
    const folder = await copy(example);
    await runIn(folder, 'npm', ['run', '-s', 'build'], { VITE_CARDLEDGER: service });
    const files = await serveFiles(join(folder, 'dist'));
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    const failures: string[] = [];
    page.on('pageerror', (error) => failures.push(String(error)));
    try {
      await page.goto(files.url);
      await signIn(page, 'wrong');
      await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/its secret is wrong/);
      await signIn(page, demo.clientSecret);
      await page.getByRole('button', { name: 'Demo binder' }).click();
      const held = page.locator('section tr');
      await expect.poll(() => held.count()).toBe(3);
      await page.getByRole('button', { name: 'More' }).click();
      await expect.poll(() => held.count()).toBe(4);
      expect(await held.allTextContents()).toContainEqual(
        expect.stringMatching(/^Art of War\s*,? ?Unlimited Edition Normal\s*3/),
      );
      expect(await page.getByRole('button', { name: 'More' }).count()).toBe(0);

      await page.getByRole('button', { name: 'Create' }).click();
      await expect
        .poll(() => page.getByRole('alert').textContent())
        .toMatch(/^name: must have 1 to 100 characters/);
      await page.getByLabel('New binder').fill(`Made by ${example}`);
      await page.getByRole('button', { name: 'Create' }).click();
      await expect.poll(() => page.getByRole('button', { name: `Made by ${example}` }).count()).toBe(1);
      expect(await page.getByRole('alert').count()).toBe(0);
      expect(failures).toEqual([]);
    } finally {
      await page.close();
      files.stop();
    }
  });
});

describe('A platform', () => {
  it('shows users their own collections in a page of another origin, and no secret to anybody', async () => {
    const db = await sharedDatabase('pglite');
    const port = await freePort();
    const origin = `http://localhost:${port}`;
    const config = { ...loadConfig({ CORS_ORIGINS: origin }), rateLimitPerMinute: 0, tokenLimitPerMinute: 0 };
    const app = createApp({ config, db, now: () => new Date(), logger: pino({ level: 'silent' }) });
    const own = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
    await once(own, 'listening');
    const url = `http://127.0.0.1:${(own.address() as AddressInfo).port}`;
    await collectionOfAda(url, 'Binder of <b>Ada</b>');
    const env = { ...environment, CARDLEDGER: url, PORT: String(port) };
    const backEnd = spawn(process.execPath, ['server.mjs'], {
      cwd: await copy('platform'),
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    const [failures, seen]: [string[], Promise<string>[]] = [[], []];
    page.on('pageerror', (error) => failures.push(String(error)));
    page.on('response', (response) => {
      if (response.request().method() !== 'OPTIONS') seen.push(response.text());
    });
    const status = () => page.getByRole('status').textContent();
    const stranger = await serveFiles(projectPath('examples/platform'));
    try {
      await once(backEnd.stdout, 'data');
      await page.goto(origin);
      await expect.poll(status).toBe('Collections of Ada: 1');
      expect(await page.getByRole('listitem').allTextContents()).toEqual([
        'Binder of <b>Ada</b> (0)0.00 USD',
      ]);
      expect(failures).toEqual([]);
      const texts = (await Promise.all(seen)).join();
      expect(texts).toContain('"scope":"read"');
      expect(texts).not.toContain(demo.clientSecret);
      expect(texts).not.toContain('"scope":"platform"');
      // The same token in a page of an origin that nobody named.
      const given = await (await fetch(`${origin}/token`, { method: 'POST' })).json();
      await page.goto(stranger.url);
      const asked = page.evaluate(
        ([to, token]) => fetch(`${to}/collection`, { headers: { Authorization: `Bearer ${token}` } }),
        [url, given.accessToken],
      );
      await expect(asked).rejects.toThrow('Failed to fetch');
      const change = await fetch(`${url}/collection`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${given.accessToken}`, 'Content-Type': 'application/json' },
        body: '{"name":"x"}',
      });
      expect(change.status).toBe(403);
    } finally {
      await page.close();
      stranger.stop();
      backEnd.kill();
      own.close();
    }
  });

  /** As her app would make it. */
  async function collectionOfAda(url: string, name: string): Promise<void> {
    const form = { grant_type: 'client_credentials', scope: 'platform' };
    const body = new URLSearchParams({
      ...form,
      client_id: demo.clientId,
      client_secret: demo.clientSecret,
    });
    const granted = await (await fetch(`${url}/oauth2/token`, { method: 'POST', body })).json();
    const post = async (path: string, content: object, more: Record<string, string> = {}) => {
      const headers = { Authorization: `Bearer ${granted.access_token}`, 'Content-Type': 'application/json' };
      const request = { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(content) };
      return (await fetch(`${url}${path}`, request)).json();
    };
    const { accountId } = await post('/account', { name: 'Ada', externalId: 'ada' });
    await post('/collection', { name }, { 'Cardledger-Account': accountId });
  }

  async function freePort(): Promise<number> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    return port;
  }
});

describe('In a process', () => {
  it('typescript records a purchase, tells a refusal, and lists', async () => {
    const { stdout } = await runIn(await copy('typescript'), 'npm', ['-s', 'start'], environment);
    expect(stdout).toMatch(/^Bought: 2 cards for 5\.00 USD\nRefused: quantity must be /);
    expect(stdout).toMatch(/\nDemo binder: 11 cards, \d+\.\d\d USD\n[\s\S]*\nTypeScript: 2 cards/);
  });

  it('rest records purchases, pages through what is held, and tells a refusal', async () => {
    const { stdout } = await runIn(await copy('rest'), 'npm', ['-s', 'start'], environment);
    const lines = stdout.trim().split('\n');
    expect(lines).toHaveLength(5);
    for (const line of lines.slice(0, 4))
      expect(line).toMatch(/^1 Command and Conquer, .*: \d+(\.\d+)? USD$/);
    expect(lines[4]).toBe('Refused: ?pageSize must be a whole number from 1 to 200');
  });

  it('shell prints all pages of a search, and the problem of a bad one', async () => {
    const folder = await copy('shell');
    const search = (query: string, pageSize: string) =>
      runIn(folder, 'sh', ['search.sh', query], { ...environment, PAGE_SIZE: pageSize });
    const paged = await search('command and conquer', '2');
    expect(paged.stdout.split('\n').length).toBeGreaterThan(5);
    expect(paged.stdout).toMatch(/^ARC159\tCommand and Conquer\n/);
    expect(paged.stdout).toBe((await search('command and conquer', '100')).stdout);
    await expect(search('cost>>1', '2')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Column 6: expected a number'),
    });
  });

  it('python prints what each collection is worth and holds', async () => {
    const { stdout } = await runIn(await copy('python'), 'python3', ['portfolio.py'], environment);
    expect(stdout).toMatch(/(^|\n)Demo binder: \d+\.\d\d USD\n {2}3 Art of War, Unlimited Edition Normal\n/);
    expect(stdout).toContain('  4 Sink Below (Red), Unlimited Edition Normal\n');
  });
});
