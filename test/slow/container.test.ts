import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectPath } from '../../src/paths.ts';
import { blocksOf } from '../support/readme-blocks.ts';
import { containerEngine, type Engine, shell } from './docker/engine.ts';

/** The image is built and run as docs/operations.md says, by a real engine (`docker/engine.ts` says by which). */
const MINUTES = 60_000;
const URL = 'http://127.0.0.1:4000';
const [settings, start, createAccount, follow] = commandsOf(
  blocksOf('docs/operations.md').find(({ text }) => text.includes('docker compose'))!.text,
);

describe('docs/operations.md, containers', () => {
  let engine: Engine;
  let folder: string;
  const run = (script: string) => shell(script, engine.env, join(folder, 'cardledger'));
  const inspect = async (service: string, format: string) =>
    (await run(`docker inspect --format '${format}' "$(docker compose ps --quiet ${service})"`)).trim();
  const cli = async (command: string) =>
    JSON.parse(await run(`docker compose exec -T cardledger cardledger ${command} --json`));

  beforeAll(async () => {
    engine = await containerEngine();
    folder = await mkdtemp(join(tmpdir(), 'cardledger-container-'));
    const files = execFileSync('git', ['ls-files', '-z'], { cwd: projectPath('.'), encoding: 'utf8' });
    for (const file of files.split('\0').filter(Boolean)) {
      await cp(projectPath(file), join(folder, 'cardledger', file));
    }
    await run(settings!);
    await run(start!);
    // Compose need not wait until it is ready.
    await run(`for try in $(seq 90); do
      curl --silent --fail ${URL}/readyz && exit; sleep 1
    done; docker compose logs; exit 1`);
  }, 20 * MINUTES);

  afterAll(async () => {
    await run('docker compose down --volumes');
    await engine.stop();
    await rm(folder, { recursive: true });
  }, MINUTES);

  it('runs as a user without rights, on a file system that it may not write to', async () => {
    expect(
      await inspect('cardledger', '{{.Config.User}} {{.HostConfig.ReadonlyRootfs}} {{.HostConfig.CapDrop}}'),
    ).toBe('node true [ALL]');
    const inside = (command: string) => run(`docker compose exec -T cardledger ${command}`);
    expect((await inside('id -un')).trim()).toBe('node');
    await expect(inside('touch /app/x')).rejects.toThrow('Read-only file system');
    await inside('touch /data/x /tmp/x');
  });

  it(
    'answers, and the image finds it healthy',
    async () => {
      expect(await (await fetch(`${URL}/healthz`)).json()).toEqual({ status: 'ok' });
      await run(`for try in $(seq 60); do
      [ "$(docker inspect --format '{{.State.Health.Status}}' "$(docker compose ps --quiet cardledger)")" = healthy ] && exit
      sleep 1
    done; exit 1`);
      expect((await cli('doctor')).ok).toBe(true);
    },
    MINUTES * 2,
  );

  it(
    'takes the commands of the page, and the first query of the account they make',
    async () => {
      // A person has a terminal.
      const created = await run(`script --quiet --return --command '${createAccount}' /dev/null`);
      const [account] = /acc_[\w-]+/.exec(created)!;
      const { clientId, clientSecret } = await cli(`client create ${account} Shop`);
      const token = await fetch(`${URL}/oauth2/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: clientId,
          client_secret: clientSecret,
          scope: 'default',
        }),
      });
      const { access_token } = (await token.json()) as { access_token: string };
      const found = await fetch(`${URL}/product/search?q=command+and+conquer+set:arc`, {
        headers: { Authorization: `Bearer ${access_token}` },
      });
      expect(await found.json()).toMatchObject({ results: [{ number: 'ARC159' }] });
      const log = await run(`timeout 5 ${follow} || [ $? = 124 ]`);
      expect(log).toContain('ready http://0.0.0.0:4000 (public address: https://cards.example)');
      expect(log).toContain('"route":"/product/search","status":200');
      expect(log).not.toContain(clientSecret);
    },
    MINUTES,
  );

  it(
    'ends at SIGTERM by itself, and starts again on the same data',
    async () => {
      await run('docker compose stop cardledger');
      expect(await run('docker compose logs cardledger')).toContain('"msg":"stopped"');
      await run('docker compose start cardledger');
      await run(`for try in $(seq 60); do curl --silent --fail ${URL}/readyz && exit; sleep 1; done; exit 1`);
      expect(await cli('account list')).toHaveLength(1);
    },
    MINUTES * 2,
  );
});

/** Each command of a block, a here-document being part of its own. */
function commandsOf(block: string): string[] {
  return block.split(/^(?=docker )/m).map((command) => command.trim());
}
