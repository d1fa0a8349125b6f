import { readFile } from 'node:fs/promises';
import { projectPath } from '../../src/paths.ts';

/** What the service is started with so that it notes the long turns of its loops. */
export const LOOP_TURNS = projectPath('test/hostile/loop-turns.mjs');

/** One that took longer than others wait for, in milliseconds: by the clock, and of its thread. */
export interface Turn {
  /** By the clock of `Date.now()`. */
  endedAt: number;
  millis: number;
  ran: number;
  /** Ready to run, while others had the processors. The rest is the disk's, or was not given to this machine. */
  waited: number;
}

export async function turnsIn(file: string): Promise<Turn[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** Null where none was long. */
export function longestSince(turns: readonly Turn[], since: number): Turn | null {
  const later = turns.filter(({ endedAt }) => endedAt >= since);
  return later.reduce<Turn | null>((most, turn) => (most && most.millis >= turn.millis ? most : turn), null);
}
