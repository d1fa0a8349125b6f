/**
 * Control groups of Linux, of which the kernel gives each its part of the processors however many processes it has: as systemd and
 * containers have one for a service, and another for its database. Without them it may count each process of PostgreSQL for as
 * much as the whole service (`sched_autogroup`), and the clients, which are on machines of their own in life, besides.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { familyOf } from '../bench/compare/servers.ts';

/** Of either version, where they are. */
const VERSION_1 = '/sys/fs/cgroup/cpu';
const VERSION_2 = '/sys/fs/cgroup';
/** Of one for whose sake no other waits: with the least weight it still ends what it began, some milliseconds at each wake-up of another. */
const IDLE = 'cpu.idle';

type Name = 'service' | 'database' | 'quiet' | 'noisy';
const NAMES: readonly Name[] = ['service', 'database', 'quiet', 'noisy'];

const NAME = /^cardledger-hostile-(\d+)-/;

/** Groups of this run. */
export class ProcessorParts {
  readonly #folder: string | null;

  constructor() {
    this.#folder = this.#made();
    if (this.#folder) process.once('exit', () => removeEmpty(this.#folder!));
  }

  /** False where none can be had: by who is not root, or where a group cannot be idle (before Linux 5.15). */
  get areHad(): boolean {
    return this.#folder !== null;
  }

  /** Gives a process, and all below it, the part of this name; the noisy one's is what the others leave. */
  give(name: Name, pid: number): void {
    if (!this.#folder) return;
    for (const id of familyOf(pid)) {
      try {
        writeFileSync(`${this.#folderOf(name)}/cgroup.procs`, String(id));
      } catch (error) {
        // It may have ended.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  }

  #folderOf(name: Name, folder = this.#folder!): string {
    return `${folder}/cardledger-hostile-${process.pid}-${name}`;
  }

  #made(): string | null {
    let found: string | undefined;
    try {
      found = folderOfAll();
      removeEmpty(found);
      for (const name of NAMES) mkdirSync(this.#folderOf(name, found), { recursive: true });
      writeFileSync(`${this.#folderOf('noisy', found)}/${IDLE}`, '1');
      assertMayJoin(this.#folderOf('quiet', found));
      return found;
    } catch {
      if (found) removeEmpty(found);
      return null;
    }
  }
}

/** Those of this run, and of earlier ones whose processes were still about at their end. */
function removeEmpty(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, pid] = NAME.exec(name) ?? [];
    if (pid === undefined || (Number(pid) !== process.pid && existsSync(`/proc/${pid}`))) continue;
    try {
      rmdirSync(`${folder}/${name}`);
    } catch {
      // Somebody is in it.
    }
  }
}

/** Throws where a group can be made, but no process may be in it. */
function assertMayJoin(group: string): void {
  const { status } = spawnSync('sh', ['-c', 'echo $$ > "$0"', `${group}/cgroup.procs`]);
  if (status !== 0) throw new Error(`No process may be in ${group}.`);
}

function folderOfAll(): string {
  if (existsSync(`${VERSION_1}/cgroup.procs`)) return VERSION_1;
  const controllers = readFileSync(`${VERSION_2}/cgroup.controllers`, 'utf8').trim().split(' ');
  if (!controllers.includes('cpu')) throw new Error('No control group has processors.');
  writeFileSync(`${VERSION_2}/cgroup.subtree_control`, '+cpu');
  return VERSION_2;
}
