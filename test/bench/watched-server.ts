import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectPath } from '../../src/paths.ts';
import { MAIN, NODE_FLAGS } from '../support/bundle.ts';
import { sendOnce, wireRequest } from './compare/load.ts';

/**
 * Tells on its channel, when asked, how much processor time the longest turn since the last time took: what else runs on
 * the machine has no part in it. The first number of the file is the time of the thread in nanoseconds.
 */
const WATCH = `
import { readFileSync } from 'node:fs';
const used = () => Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]) / 1e6;
let longest = 0;
let before = used();
// Of the main thread alone.
if (process.channel) setInterval(() => {
  const now = used();
  longest = Math.max(longest, now - before);
  before = now;
}, 1).unref();
process.on('message', () => {
  process.send(longest);
  longest = 0;
});
process.channel?.unref();`;

/** The service as `npm start` runs it, without limits of requests and of work, whose turns of the event loop are watched. */
export interface Watched {
  port: number;
  pid: number;
  child: ChildProcess;
  stop(): Promise<void>;
}

export async function startWatched(
  databaseUrl: string,
  settings: Record<string, string> = {},
): Promise<Watched> {
  const folder = await mkdtemp(join(tmpdir(), 'cardledger-watched-'));
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  const watch = `data:text/javascript,${encodeURIComponent(WATCH)}`;
  const child = spawn(process.execPath, [...NODE_FLAGS, '--import', watch, MAIN], {
    cwd: projectPath('.'),
    env: {
      ...process.env,
      NODE_ENV: 'production',
      DATA_DIR: folder,
      PORT: String(port),
      RATE_LIMIT_PER_MINUTE: '0',
      WORK_LIMIT_PER_MINUTE: '0',
      TOKEN_LIMIT_PER_MINUTE: '0',
      DATABASE_URL: databaseUrl,
      ...settings,
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ping = wireRequest({ method: 'GET', path: '/readyz' });
  while (!(await sendOnce(port, ping).catch(() => null))) await sleep(50);
  return {
    port,
    pid: child.pid!,
    child,
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
      await rm(folder, { recursive: true });
    },
  };
}

/** Milliseconds of processor time of the longest turn since the last time that this was asked. */
export async function longestTurn({ child }: Watched): Promise<number> {
  child.send('tell');
  const [millis] = (await once(child, 'message')) as [number];
  return millis;
}
