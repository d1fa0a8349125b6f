import { readFileSync } from 'node:fs';
import { familyOf, residentMegabytes } from '../bench/compare/servers.ts';
import type { Target } from './service.ts';

/** In megabytes. */
export interface Memory {
  /** What the service's processes hold. */
  node: number;
  /** What PostgreSQL's processes have of their own: its shared memory is not counted. */
  backEnds: number;
}

/** Of the processes as they are now, on Linux. */
export function memoryOf(target: Target): Memory {
  const sum = (pids: readonly number[], megabytes: (pid: number) => number) =>
    pids.reduce((total, pid) => total + orNone(() => megabytes(pid)), 0);
  return {
    node: sum(familyOf(target.pid()), residentMegabytes),
    backEnds: target.postmaster === null ? 0 : sum(familyOf(target.postmaster), ownMegabytes),
  };
}

/**
 * What a back end has that is not shared memory; what it has had of the postmaster since its start, some megabytes, counts for each. By its status, which
 * the kernel has at hand: for `smaps_rollup` it walks through the shared memory too, which kept one of two processors for 30 ms at each look, and
 * the service that is measured waited for it.
 */
export function ownMegabytes(pid: number): number {
  return Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}

/** A process may end while it is looked at. */
function orNone(read: () => number): number {
  try {
    return read();
  } catch {
    return 0;
  }
}
