import { median } from '../bench/database.ts';
import { percentile } from '../bench/server-process.ts';
import type { Memory } from './memory.ts';
import type { Outcomes } from './noisy.ts';
import type { Seen } from './quiet.ts';
import type { Turn } from './turns.ts';

/** What an attack did. */
export interface Row {
  attack: string;
  /** The quiet accounts before it, and beside it. */
  alone: Figures;
  beside: Figures;
  /** Of the quiet accounts, from then until the memory had come back. */
  afterwards: Failures;
  memory: { before: Memory; highest: Memory; after: Memory };
  /** Beside it. */
  processors: Processors;
  /** Of the service's loop beside it, of those that have ended; null where none was long. */
  longestTurn: Turn | null;
  outcomes: Outcomes;
  /** Those that the attack is not meant to get. */
  unexpected: string[];
  /** The service ended, or was not ready again in time. */
  hasEnded: boolean;
  /** What the machine had to do, over the last minute. */
  load: number;
}

/** How many processors the processes of each kept busy, and how many a virtual machine wanted and was not given by what it runs on. */
export interface Processors {
  service: number;
  database: number;
  noisy: number;
  stolen: number;
}

/** How often what failed how. */
type Failures = Pick<Seen, 'failures' | 'healthFailures' | 'readyFailures'>;

/** In milliseconds. */
export interface Figures extends Failures {
  requests: number;
  median: number;
  p99: number;
  p99ByKind: Record<string, number>;
  healthLongest: number;
  readyLongest: number;
  /** How late what measures was itself. */
  ownDelay: number;
}

export function figuresOf({ times, health, ready, ownDelay, ...failures }: Seen): Figures {
  const sorted = (values: number[]) => values.sort((a, b) => a - b);
  const all = sorted(Object.values(times).flat());
  return {
    requests: all.length,
    median: percentile(all, 0.5) ?? 0,
    p99: percentile(all, 0.99) ?? 0,
    p99ByKind: Object.fromEntries(
      Object.entries(times).map(([kind, own]) => [kind, percentile(sorted(own), 0.99) ?? 0]),
    ),
    ...failures,
    healthLongest: Math.max(...health),
    readyLongest: Math.max(...ready),
    ownDelay,
  };
}

export const BOUNDS = {
  p99TimesAlone: 5,
  p99Millis: 250,
  healthMillis: 100,
  memoryMegabytes: 50,
  /** Of the short form, on a machine that is busy with other things and a process that is not warm. */
  shortMemoryMegabytes: 400,
};

/** Failures that a machine brings about which is busy with other things: what waits too long is refused. */
const SLOW = /\b(503|Unavailable|TooMuchWork|no answer in time)\b/;

/**
 * What of the bounds the attack broke. The short form holds it to what does not depend on the clock of a slow machine.
 * @param p99Alone the median of the run: a phase of some seconds has lucky moments, and what an attack left behind
 */
export function brokenBounds(row: Row, p99Alone: number, isShort: boolean): string[] {
  const { alone, beside, afterwards, memory } = row;
  const countsAs = (failure: string) => !(isShort && SLOW.test(failure));
  const failed = (of: keyof Failures) =>
    [alone, beside, afterwards]
      .flatMap((phase) => Object.entries(phase[of]))
      .reduce((sum, [failure, count]) => sum + (countsAs(failure) ? count : 0), 0);
  const [failures, notHealthy, notReady] = [
    failed('failures'),
    failed('healthFailures'),
    failed('readyFailures'),
  ];
  const longest = Math.min(BOUNDS.p99Millis, BOUNDS.p99TimesAlone * p99Alone);
  const megabytes = isShort ? BOUNDS.shortMemoryMegabytes : BOUNDS.memoryMegabytes;
  const grown = (of: keyof Memory) => memory.after[of] - memory.before[of];
  const broken: [boolean, string][] = [
    [row.hasEnded, 'the service ended, or did not recover'],
    [!(beside.requests > 0 && beside.healthLongest > 0 && beside.readyLongest > 0), 'nobody asked beside it'],
    [failures > 0, `${failures} failures of quiet accounts`],
    [notHealthy > 0, `${notHealthy} failures of /healthz`],
    [notReady > 0, `${notReady} times not ready`],
    [row.unexpected.length > 0, `the noisy account got ${row.unexpected.join(', ')}`],
    [!isShort && beside.p99 > longest, `p99 of ${whole(beside.p99)} ms above ${whole(longest)}`],
    [!isShort && beside.healthLongest > BOUNDS.healthMillis, `/healthz in ${whole(beside.healthLongest)} ms`],
    [grown('node') > megabytes, `node grew by ${whole(grown('node'))} MB`],
    [grown('backEnds') > megabytes, `back ends grew by ${whole(grown('backEnds'))} MB`],
  ];
  return broken.filter(([isBroken]) => isBroken).map(([, text]) => text);
}

export function medianP99Alone(rows: readonly Row[]): number {
  return median(rows.map(({ alone }) => alone.p99));
}

const HEADINGS = [
  'attack',
  'alone: median, p99',
  'beside: median, p99',
  'failures',
  '/healthz at most',
  'not ready',
  'node MB (highest)',
  'back ends MB (highest)',
  'processors: service, database, noisy; stolen',
  'longest turn: ms (ran, waited); the clients late',
  'load',
];

/** A table for people: a line for each attack, and under it what the noisy account got and what it broke. */
export function table(
  rows: readonly Row[],
  isShort: boolean,
  p99Alone: number = medianP99Alone(rows),
): string {
  const cells = rows.map(({ attack, alone, beside, memory, processors, longestTurn, hasEnded, load }) => [
    attack,
    `${tenths(alone.median)}, ${whole(alone.p99)}`,
    `${tenths(beside.median)}, ${whole(beside.p99)}`,
    `${sumOf(beside.failures)} of ${beside.requests}`,
    `${whole(alone.healthLongest)} → ${whole(beside.healthLongest)}`,
    `${sumOf(beside.readyFailures)}`,
    grew(memory, 'node'),
    grew(memory, 'backEnds'),
    `${[processors.service, processors.database, processors.noisy].map(tenths).join(', ')}; ${processors.stolen.toFixed(2)}`,
    `${turnText(longestTurn, hasEnded)}; ${whole(beside.ownDelay)}`,
    load.toFixed(1),
  ]);
  const widths = HEADINGS.map((heading, i) =>
    Math.max(heading.length, ...cells.map((row) => row[i]!.length)),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd();
  const under = (row: Row) => {
    const list = (counts: Record<string, number>) =>
      Object.entries(counts)
        .sort(([, a], [, b]) => b - a)
        .slice(0, 6)
        .map(([name, count]) => `${count} × ${name}`)
        .join(', ');
    const broken = brokenBounds(row, p99Alone, isShort);
    return [
      `    the noisy one got ${list(row.outcomes) || 'nothing'}`,
      ...(sumOf(row.beside.failures) > 0 ? [`    the quiet ones got ${list(row.beside.failures)}`] : []),
      ...(sumOf(row.afterwards.failures) > 0 ? [`    and afterwards ${list(row.afterwards.failures)}`] : []),
      ...(broken.length > 0 ? [`    BROKEN: ${broken.join('; ')}`] : []),
    ];
  };
  return [line(HEADINGS), ...rows.flatMap((row, i) => [line(cells[i]!), ...under(row)]), ''].join('\n');
}

function grew({ before, highest, after }: Row['memory'], of: keyof Memory): string {
  return `${whole(before[of])} → ${whole(after[of])} (${whole(highest[of])})`;
}

function turnText(turn: Turn | null, hasEnded: boolean): string {
  // The longest may be the one that did not end, which is never told.
  if (hasEnded) return 'not known';
  if (!turn) return 'none';
  const { millis, ran, waited } = turn;
  return `${whole(millis)} (${whole(ran)}, ${whole(waited)})`;
}

function sumOf(counts: Record<string, number>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

const whole = (value: number) => value.toFixed(0);
const tenths = (value: number) => value.toFixed(1);
