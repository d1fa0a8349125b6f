import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { projectPath } from '../../src/paths.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { removeFoldersAfterwards, temporaryFolder } from './support.ts';

removeFoldersAfterwards();

const LAUNCHER = projectPath('bin/cardledger.js');
const { PATH, HOME } = process.env;

type Child = ChildProcessByStdio<null, Readable, Readable>;

function start(command: string, args: string[], cwd: string, settings: NodeJS.ProcessEnv): Child {
  const env = { PATH, HOME, ...settings };
  return spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function ended(child: Child) {
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, stdout, stderr };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
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
  async function startServer(command: string, args: string[]) {
    const { url } = await loadedPostgresUrl(inject('postgresUrl')!);
    const settings = { DATABASE_URL: url, PORT: String(await freePort()) };
    const child = start(command, args, await temporaryFolder(), settings);
    onTestFinished(() => void child.kill('SIGKILL'));
    const lines: string[] = [];
    for await (const line of createInterface(child.stdout)) {
      lines.push(JSON.parse(line).msg);
      if (line.includes('"ready ')) return { child, settings, lines };
    }
    throw new Error(`The server ended: ${await text(child.stderr)}`);
  }

  it.each([
    ['cardledger serve', LAUNCHER, ['serve']],
    ['npm start', process.execPath, ['--import', import.meta.resolve('tsx'), projectPath('src/main.ts')]],
  ])('%s serves beside other commands, and ends at SIGTERM', async (_name, command, args) => {
    const { child, settings, lines } = await startServer(command, args);
    const address = `http://127.0.0.1:${settings.PORT}`;
    expect(lines.at(-1)).toBe(`ready ${address}`);
    expect((await fetch(`${address}/healthz`)).status).toBe(200);

    const second = await ended(start(LAUNCHER, ['serve', '--json'], await temporaryFolder(), settings));
    expect(second.code).toBe(1);
    expect(JSON.parse(second.stderr).error.message).toMatch(
      /^Cannot listen on 127\.0\.0\.1, port \d+: another/,
    );

    const closed = once(child, 'close');
    child.kill('SIGTERM');
    expect(await closed).toEqual([0, null]);
  });
});
