/**
 * Control groups of Linux, of which the kernel gives each its part of the processors however many processes it has: as systemd and
 * containers have one for a service, and another for its database. Without them it may count each process of PostgreSQL for as
 * much as the whole service (`sched_autogroup`), and the clients, which are on machines of their own in life, besides.
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { familyOf } from '../bench/compare/servers.ts';

/** Of either version: where they are, and what says the part that one has, with the least. */
interface Hierarchy {
  folder: string;
  weight: string;
  least: string;
}

const VERSION_1: Hierarchy = { folder: '/sys/fs/cgroup/cpu', weight: 'cpu.shares', least: '2' };
const VERSION_2: Hierarchy = { folder: '/sys/fs/cgroup', weight: 'cpu.weight', least: '1' };

type Name = 'service' | 'database' | 'quiet' | 'noisy';
const NAMES: readonly Name[] = ['service', 'database', 'quiet', 'noisy'];

/** Groups of this run. */
export class ProcessorParts {
  readonly #hierarchy: Hierarchy | null;

  constructor() {
    this.#hierarchy = this.#made();
    if (this.#hierarchy) process.once('exit', () => this.#remove());
  }

  /** False where none can be had, as by who is not root. */
  get areHad(): boolean {
    return this.#hierarchy !== null;
  }

  /** Gives a process, and all below it, the part of this name; the noisy one's is what the others leave. */
  give(name: Name, pid: number): void {
    if (!this.#hierarchy) return;
    for (const id of familyOf(pid)) {
      try {
        writeFileSync(`${this.#folderOf(name)}/cgroup.procs`, String(id));
      } catch (error) {
        // It may have ended.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  }

  #folderOf(name: Name, { folder } = this.#hierarchy!): string {
    return `${folder}/cardledger-hostile-${process.pid}-${name}`;
  }

  #made(): Hierarchy | null {
    let found: Hierarchy | undefined;
    try {
      found = hierarchy();
      for (const name of NAMES) mkdirSync(this.#folderOf(name, found), { recursive: true });
      writeFileSync(`${this.#folderOf('noisy', found)}/${found.weight}`, found.least);
      return found;
    } catch {
      if (found) this.#remove(found);
      return null;
    }
  }

  /** Whose processes are still about, as they were killed just now, stay. */
  #remove(found = this.#hierarchy!): void {
    for (const name of NAMES) {
      try {
        rmdirSync(this.#folderOf(name, found));
      } catch {}
    }
  }
}

function hierarchy(): Hierarchy {
  if (existsSync(`${VERSION_1.folder}/cgroup.procs`)) return VERSION_1;
  const controllers = readFileSync(`${VERSION_2.folder}/cgroup.controllers`, 'utf8').trim().split(' ');
  if (!controllers.includes('cpu')) throw new Error('No control group has processors.');
  writeFileSync(`${VERSION_2.folder}/cgroup.subtree_control`, '+cpu');
  return VERSION_2;
}
