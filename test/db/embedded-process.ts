import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';

type Event = { event: string; value: unknown };
type Command = 'open' | 'close' | 'write' | 'lock';

export interface Child {
  pid: number;
  /** All that it said so far. */
  events: Event[];
  send(command: Command): void;
  /** The first event of one of these names, now or later; fails when the process ends before. */
  next(...names: string[]): Promise<Event>;
  /** Kills it at once, with the processes it started, or (`alone`) without them. */
  kill(alone?: boolean): Promise<void>;
}

/** Starts `embedded-child.ts` on a data directory, as the product is started, from another working directory. */
export async function startChild(directory: string): Promise<Child> {
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  const program = fileURLToPath(new URL('./embedded-child.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', tsx, program, directory], {
    cwd: tmpdir(),
    // A group of its own, so that what it starts is killed with it.
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const pid = child.pid!;
  child.stdin.on('error', () => {});
  const ended = once(child, 'close');
  const events: Event[] = [];
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const check of [...waiting]) check();
  };
  createInterface(child.stdout).on('line', (line) => {
    events.push(JSON.parse(line));
    wake();
  });
  ended.then(wake);
  const kill = async (alone = false) => {
    try {
      process.kill(alone ? pid : -pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
    await ended;
  };
  onTestFinished(() => kill());
  const next = (...names: string[]) =>
    new Promise<Event>((resolve, reject) => {
      const check = () => {
        const found = events.find(({ event }) => names.includes(event));
        if (found) resolve(found);
        else if (child.exitCode === null && child.signalCode === null) return;
        else reject(new Error(`The process ended without ${names}: ${JSON.stringify(events)}`));
        waiting.delete(check);
      };
      waiting.add(check);
      check();
    });
  await next('loaded');
  return { pid, events, send: (command) => child.stdin.write(`${command}\n`), next, kill };
}

/** A path for a data directory, removed after the test. */
export async function temporaryDataDir(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'cardledger-embedded-'));
  onTestFinished(() => rm(parent, { recursive: true, force: true, maxRetries: 5 }));
  return join(parent, 'data');
}
