import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

// The lock is the kernel's own advisory lock (flock) on an open file, not the existence of a file.
// - The kernel gives it to one open file at a time, so two openers can never both win, in one
//   process or in many, in this container or in another that mounts the same directory.
// - It belongs to the open file and ends when that is closed, which the kernel does however the
//   process dies. So there is no stale lock, no take-over, and no guess from process ids or times.
//   What the file says about its holder is for the error message alone.
// - The file is never deleted: a deleted and re-created one would be a second file to lock.
// Node has no call for flock. On Linux the command `flock` locks our descriptor, which it inherits:
// the lock is on the open file that both share, so it stays after the command has ended. Node opens
// files close-on-exec, so no other child process can keep it. macOS and Windows lock in open() itself.

const LOCK_FILE = 'embedded.lock';

/** Long enough for a killed holder to be gone, and for a new one to have written its name. */
const ATTEMPTS = 10;
const PAUSE_MS = 100;

/** O_EXLOCK of macOS, and libuv's flag of the same meaning on Windows. */
const LOCKING_OPEN: Partial<Record<NodeJS.Platform, number>> = { darwin: 0x20, win32: 0x10000000 };

const holderSchema = z.object({ pid: z.number(), host: z.string(), since: z.string() });

/** The data directory cannot be used. The message says what is wrong, where, and what to do. */
export class DataDirectoryError extends Error {
  override readonly name = 'DataDirectoryError';
}

export interface DirectoryLock {
  release(): void;
}

/**
 * Locks a directory for this process until `release()` or the end of the process.
 * @throws {DataDirectoryError} when another holder has it, after waiting one second for it to go
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const file = join(directory, LOCK_FILE);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const fd = await openLocked(file);
    if (fd !== undefined) return hold(fd);
    await sleep(PAUSE_MS);
  }
  throw new DataDirectoryError(
    `The data directory ${directory} is in use by ${describeHolder(file)}. ` +
      'Stop that process first, or set DATA_DIR to another directory.',
  );
}

function hold(fd: number): DirectoryLock {
  ftruncateSync(fd);
  writeSync(
    fd,
    `${JSON.stringify({ pid: process.pid, host: hostname(), since: new Date().toISOString() })}\n`,
  );
  let held = true;
  return {
    release() {
      if (!held) return;
      held = false;
      ftruncateSync(fd);
      closeSync(fd);
    },
  };
}

/** Opens and locks the file; undefined when someone else has the lock. */
async function openLocked(file: string): Promise<number | undefined> {
  const flags = constants.O_RDWR | constants.O_CREAT;
  const locking = LOCKING_OPEN[process.platform];
  if (locking !== undefined) return openWithLock(file, flags | locking | (constants.O_NONBLOCK ?? 0));
  const fd = openSync(file, flags, 0o600);
  try {
    if (await flock(fd)) return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  closeSync(fd);
  return undefined;
}

function openWithLock(file: string, flags: number): number | undefined {
  try {
    return openSync(file, flags, 0o600);
  } catch (error) {
    if (['EAGAIN', 'EWOULDBLOCK', 'EBUSY'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return undefined;
    throw error;
  }
}

async function flock(fd: number): Promise<boolean> {
  const command = spawn('flock', ['-x', '-n', '3'], { stdio: ['ignore', 'ignore', 'ignore', fd] });
  const [code] = await once(command, 'exit').catch((cause: unknown) => {
    throw new DataDirectoryError(
      'The command `flock`, which locks the data directory, does not run. ' +
        'Install it (package util-linux), or use a PostgreSQL through DATABASE_URL.',
      { cause },
    );
  });
  if (code === 0) return true;
  if (code === 1) return false;
  throw new DataDirectoryError(
    `The data directory cannot be locked (flock ended with ${code}): its file system has no locks. ` +
      'Set DATA_DIR to a directory on a local disk.',
  );
}

function describeHolder(file: string): string {
  try {
    const { pid, host, since } = holderSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    return `process ${pid} on ${host} (since ${since})`;
  } catch {
    return 'another process';
  }
}
