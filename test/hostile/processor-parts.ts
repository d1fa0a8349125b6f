/**
 * Control groups of Linux, of which the kernel gives each its part of the processors however many processes it has: as systemd and
 * containers have one for a service, and another for its database. Without them it may count each process of PostgreSQL for as
 * much as the whole service (`sched_autogroup`), and the clients, which are on machines of their own in life, besides.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { familyOf } from '../bench/compare/servers.ts';

/** Of either version: where they are, and what says the part that one has, with the least. */
interface Hierarchy {
  folder: string;
  weight: string;
  least: string;
}

const VERSION_1: Hierarchy = { folder: '/sys/fs/cgroup/cpu', weight: 'cpu.shares', least: '2' };
const VERSION_2: Hierarchy = { folder: '/sys/fs/cgroup', weight: 'cpu.weight', least: '1' };

/** Gives a process and all below it a part of their own, or the least where they are to have what others leave. False where none can be had. */
export function haveOwnPart(name: 'service' | 'database' | 'quiet' | 'noisy', pid: number): boolean {
  try {
    const { folder, weight, least } = hierarchy();
    const group = `${folder}/cardledger-${name}`;
    mkdirSync(group, { recursive: true });
    if (name === 'noisy') writeFileSync(`${group}/${weight}`, least);
    for (const id of familyOf(pid)) writeFileSync(`${group}/cgroup.procs`, String(id));
    return true;
  } catch {
    return false;
  }
}

function hierarchy(): Hierarchy {
  if (existsSync(`${VERSION_1.folder}/cgroup.procs`)) return VERSION_1;
  if (!readFileSync(`${VERSION_2.folder}/cgroup.controllers`, 'utf8').includes('cpu'))
    throw new Error('No control group has processors.');
  writeFileSync(`${VERSION_2.folder}/cgroup.subtree_control`, '+cpu');
  return VERSION_2;
}
