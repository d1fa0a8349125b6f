import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { projectPath } from '../../src/paths.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { removeFoldersAfterwards, temporaryFolder } from '../cli/support.ts';
import { NOW } from '../support/clock.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { type Child, NPM_START, serveProcess } from './server-process.ts';

removeFoldersAfterwards();

const LAUNCHER = projectPath('bin/cardledger.js');
const { PATH, HOME } = process.env;

function start(command: string, args: string[], cwd: string, settings: NodeJS.ProcessEnv): Child {
  const env = { PATH, HOME, ...settings };
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function ended(child: Child) {
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, stdout, stderr };
}

describe('bin/cardledger.js', () => {
  it('runs from any directory, to which DATA_DIR is relative', async () => {
    const cwd = await temporaryFolder();
    const failed = await ended(start(LAUNCHER, ['account', 'list', '--json'], cwd, { DATA_DIR: 'mine' }));
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(JSON.parse(failed.stderr).error).toEqual({
      code: 'DatabaseNotReady',
      message: expect.stringContaining(`There is no database in ${cwd}/mine.`),
    });
  });

  it('ends without a word when its reader leaves', async () => {
    const cwd = await temporaryFolder();
    const line = `"${LAUNCHER}" --help | head -c 1`;
    const { stdout, stderr } = await ended(start('/bin/sh', ['-c', line], cwd, {}));
    expect({ stdout, stderr }).toEqual({ stdout: 'U', stderr: '' });
  });
});

describe('npm run -s cli', () => {
  it('is the same program', async () => {
    const shown = await ended(
      start('npm', ['run', '-s', 'cli', '--', 'client', '--help'], projectPath('.'), {}),
    );
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(/^Usage: cardledger client /);
  });
});

describe.skipIf(!inject('postgresUrl'))('serve', () => {
  it.each([
    ['cardledger serve', [LAUNCHER, 'serve']],
    ['npm start', NPM_START],
  ] as const)('%s serves beside other commands, and ends at SIGTERM', async (_name, command) => {
    const settings = { DATABASE_URL: (await loadedPostgresUrl(inject('postgresUrl')!)).url };
    const server = await serveProcess(settings, await temporaryFolder(), command);
    expect(server.lines.at(-1)!.msg).toBe(`ready ${server.url}`);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);

    const same = { ...settings, PORT: server.port };
    const second = await ended(start(LAUNCHER, ['serve', '--json'], await temporaryFolder(), same));
    expect(second.code).toBe(1);
    expect(JSON.parse(second.stderr).error).toEqual({
      code: 'CannotListen',
      message: `Cannot listen on 127.0.0.1, port ${server.port}: another program listens there. Set PORT or HOST to others.`,
    });
    expect(await server.stop()).toBe(0);
    expect(server.lines.slice(-2).map(({ msg }) => msg)).toEqual([
      'stopping at SIGTERM: answers the requests that it has',
      'stopped',
    ]);
  });

  it.each([
    [
      { PUBLIC_URL: 'https://cards.example/' },
      (port: string) => `http://127.0.0.1:${port} (public address: https://cards.example)`,
    ],
    [
      { HOST: '0.0.0.0' },
      (port: string) => `http://0.0.0.0:${port} (public address: http://127.0.0.1:${port})`,
    ],
  ])('with %j says where it listens, and the address for clients', async (settings, ready) => {
    const { url } = await loadedPostgresUrl(inject('postgresUrl')!);
    const server = await serveProcess({ DATABASE_URL: url, ...settings }, await temporaryFolder());
    expect(server.lines.at(-1)!.msg).toBe(`ready ${ready(server.port)}`);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });

  it('purges beside the requests what is expired, and no more', async () => {
    const { url } = await loadedPostgresUrl(inject('postgresUrl')!);
    const db = postgresDatabase(url);
    onTestFinished(() => db.close());
    const { accountId } = await createAccount(db, { name: 'Idle', now: NOW });
    await db.query(
      `insert into idempotency_key (account_id, client_id, key, request_digest, created_at)
       select $1, 'cli_idle', hours::text, '', now() - hours * interval '1 hour' from unnest(array[23, 25]) hours`,
      [accountId],
    );
    await db.query(
      `insert into event (account_id, stream, sequence, kind, created_at)
       select $1, 'col_idle', hours, 'Updated', now() - hours * interval '1 hour' from unnest(array[23, 25]) hours`,
      [accountId],
    );
    await serveProcess({ DATABASE_URL: url }, await temporaryFolder());
    const left = () =>
      db.query(
        `select (select jsonb_agg(key) from idempotency_key where account_id = $1) as keys,
           (select jsonb_agg(sequence) from event where account_id = $1) as events`,
        [accountId],
      );
    await expect.poll(left).toEqual([{ keys: ['23'], events: [23] }]);
  });

  it.each([
    [{ HOST: 'no-such-host.invalid' }, /^cardledger: Cannot listen on no-such-host\.invalid, port \d+: /],
    [{ HOST: '192.0.2.1' }, /: this machine has no such address\. Set PORT or HOST to others\.\n$/],
  ])('%j is refused before anything is made', async (settings, message) => {
    const cwd = await temporaryFolder();
    const { code, stderr } = await ended(start(LAUNCHER, ['serve'], cwd, settings));
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(message) });
    expect(stderr).not.toMatch(/getaddrinfo|at /);
    expect(await readdir(cwd)).toEqual([]);
  });
});

it('ends with 0 at a signal that comes before anything is loaded or made', async () => {
  const cwd = await temporaryFolder();
  // Sends the signal as soon as something listens to it.
  const impatient = `process.once('newListener', (event) => {
    if (event === 'SIGTERM') setImmediate(() => process.kill(process.pid, event));
  })`;
  const [node, ...args] = NPM_START;
  const preload = ['--import', `data:text/javascript,${encodeURIComponent(impatient)}`];
  const { code, stdout, stderr } = await ended(start(node, [...preload, ...args], cwd, {}));
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await readdir(cwd)).toEqual([]);
});
