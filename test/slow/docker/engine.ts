import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectPath } from '../../../src/paths.ts';

/** What `docker` of a shell needs to reach an engine. */
export interface Engine {
  env: NodeJS.ProcessEnv;
  stop(): Promise<void>;
}

/** The engine of this machine, or one of our own where none runs. */
export async function containerEngine(): Promise<Engine> {
  try {
    await shell('docker info && docker compose version', process.env);
    return { env: process.env, stop: async () => {} };
  } catch {
    return startEngine();
  }
}

/**
 * Debian's engine, for the time of the test. It reaches no registry of images, so it is given stand-ins for the two that
 * are named in `Dockerfile` and `compose.yaml`, made of Debian's packages. Needs root, and the packages `docker.io`,
 * `docker-compose`, `iptables` and `mmdebstrap`.
 */
async function startEngine(): Promise<Engine> {
  const folder = await mkdtemp(join(tmpdir(), 'cardledger-docker-'));
  const at = (name: string) => join(folder, name);
  const socket = `unix://${at('socket')}`;
  // The builder that needs no image of its own.
  const env = { ...process.env, DOCKER_HOST: socket, DOCKER_CONFIG: at('config'), DOCKER_BUILDKIT: '0' };
  const places = ['--data-root', at('data'), '--exec-root', at('run'), '--pidfile', at('pid')];
  const daemon = spawn('dockerd', ['--host', socket, ...places], { stdio: ['ignore', 'ignore', 'pipe'] });
  const log = text(daemon.stderr);
  const ended = once(daemon, 'exit').then(async () => {
    throw new Error(`dockerd has ended: ${(await log).slice(-2_000)}`);
  });
  ended.catch(() => {});
  const stop = async () => {
    daemon.kill();
    await ended.catch(() => {});
    await shell(`umount ${at('run/netns/*')} || true; ip link delete docker0 || true`);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await cp(projectPath('test/slow/docker'), at('build'), { recursive: true });
    await cp(projectPath('test/slow/docker/docker-compose'), at('config/cli-plugins/docker-compose'));
    await Promise.race([untilItAnswers(env), ended]);
    await makeImages(at('build'), env);
  } catch (error) {
    await stop();
    throw error;
  }
  return { env, stop };
}

async function untilItAnswers(env: NodeJS.ProcessEnv): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await shell('docker info', env);
      return;
    } catch (error) {
      if (tries === 60) throw error;
      await sleep(500);
    }
  }
}

async function makeImages(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const npm = dirname(dirname(await realpath((await shell('command -v npm')).trim())));
  await cp(process.execPath, join(folder, 'node'));
  await cp(npm, join(folder, 'npm'), { recursive: true });
  await cp('/etc/ssl/certs/ca-certificates.crt', join(folder, 'ca-certificates.crt'));
  await shell(
    `mmdebstrap --quiet --variant=minbase --include=ca-certificates,libstdc++6,postgresql bookworm - | docker import - debian-root
     docker build --tag node:20-bookworm-slim --file node.Dockerfile .
     docker build --tag postgres:17-bookworm --file postgres.Dockerfile .`,
    env,
    folder,
  );
}

/** Standard output of the commands. Throws what they wrote where one fails. */
export async function shell(script: string, env = process.env, cwd = tmpdir()): Promise<string> {
  const child = spawn('sh', ['-euc', script], { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (code !== 0)
    throw new Error(`${script}\nended with ${code}: ${stdout.slice(-2_000)}\n${stderr.slice(-2_000)}`);
  return stdout;
}
