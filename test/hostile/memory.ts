import { readdirSync, readFileSync } from 'node:fs';
import { residentMegabytes } from '../bench/compare/servers.ts';
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
  const children = childrenByParent();
  const sum = (pids: readonly number[], megabytes: (pid: number) => number) =>
    pids.reduce((total, pid) => total + orNone(() => megabytes(pid)), 0);
  return {
    node: sum(familyOf(target.pid(), children), residentMegabytes),
    backEnds: target.postmaster === null ? 0 : sum(familyOf(target.postmaster, children), ownMegabytes),
  };
}

/** What a back end has that is not shared memory. */
export function ownMegabytes(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss_Anon:\s+(\d+)/m.exec(rollup)![1]) / 1024;
}

function familyOf(pid: number, children: ReadonlyMap<number, number[]>): number[] {
  return [pid, ...(children.get(pid) ?? []).flatMap((child) => familyOf(child, children))];
}

function childrenByParent(): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const stat = orNone(() => readFileSync(`/proc/${pid}/stat`, 'utf8'), '');
    const parent = Number(stat.split(') ')[1]?.split(' ')[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(pid)]);
  }
  return children;
}

/** A process may end while it is looked at. */
function orNone<T>(read: () => T, none = 0 as T): T {
  try {
    return read();
  } catch {
    return none;
  }
}
