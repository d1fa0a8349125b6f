import { readFile } from 'node:fs/promises';
import { projectPath } from '../../src/paths.ts';

/** What the service is started with so that it notes the long turns of its loops. */
export const LOOP_TURNS = projectPath('test/hostile/loop-turns.mjs');

/** One that took long, in milliseconds: by the clock, and of its thread. */
export interface Turn {
  /** By the clock of `Date.now()`. */
  endedAt: number;
  millis: number;
  ran: number;
  /** Ready to run, while others had the processors. In the rest it waited for the disk or another thread, or the machine was not given a processor. */
  waited: number;
}

export async function turnsIn(file: string): Promise<Turn[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** Of those that were under way in a time, by the clock of `Date.now()`; null where none was long. */
export function longestBetween(turns: readonly Turn[], from: number, to: number): Turn | null {
  const own = turns.filter(({ endedAt, millis }) => endedAt >= from && endedAt - millis <= to);
  return own.reduce<Turn | null>((most, turn) => (most && most.millis >= turn.millis ? most : turn), null);
}
