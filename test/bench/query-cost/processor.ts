import { readdirSync, readFileSync } from 'node:fs';
import { parentOf } from '../compare/servers.ts';

/** Milliseconds of processor time of a process with all its threads; 0 where it has ended. */
function cpuMillis(pid: number): number {
  let nanos = 0;
  try {
    for (const task of readdirSync(`/proc/${pid}/task`))
      nanos += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]);
  } catch {
    // It, or a thread of it, ended meanwhile.
  }
  return nanos / 1e6;
}

/** The processes that the server's `parent` has. */
function backendsOf(parent: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 0 && parentOf(pid) === parent;
      } catch {
        return false;
      }
    });
}

export interface Spent {
  node: number;
  database: number;
}

/** Of a node, and of the back ends of a PostgreSQL, those that begin meanwhile included. */
export class ProcessorTime {
  readonly #pid: number;
  readonly #postmaster: number;

  constructor(pid: number, postmaster: number) {
    this.#pid = pid;
    this.#postmaster = postmaster;
  }

  /** Milliseconds that the work takes. */
  async spentOn<T>(work: () => Promise<T>): Promise<{ result: T } & Spent> {
    const before = this.#ofBackends();
    const nodeBefore = cpuMillis(this.#pid);
    const result = await work();
    const node = cpuMillis(this.#pid) - nodeBefore;
    const after = [...this.#ofBackends()];
    const database = after.reduce(
      (sum, [pid, millis]) => sum + Math.max(0, millis - (before.get(pid) ?? 0)),
      0,
    );
    return { result, node, database };
  }

  #ofBackends(): Map<number, number> {
    return new Map(backendsOf(this.#postmaster).map((pid) => [pid, cpuMillis(pid)]));
  }
}
