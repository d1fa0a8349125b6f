import { withCommas } from '../lib/text.ts';
import { failureOf } from '../server/errors.ts';

/** What a command runs in. */
export interface Io {
  stdout: NodeJS.WritableStream;
  stderr: NodeJS.WritableStream & { isTTY?: boolean };
  /** The settings; by default those of the process. */
  environment?: NodeJS.ProcessEnv;
  now: () => Date;
}

/** Standard output carries results and nothing else, standard error all that is said on the way. */
export interface Output {
  /** Whether programs read it. */
  isJson: boolean;
  /** The answer: one line of JSON with `--json`, the text (which may be empty) without. */
  result(value: unknown, forPeople: string): void;
  /** A line for people: progress, advice, warnings. Programs get none. */
  note(message: string): void;
  /** Why the command failed, in one line; with `withStack` a defect is followed by its stack. */
  failure(error: unknown, withStack: boolean): void;
}

export function createOutput({ stdout, stderr }: Io, json: boolean): Output {
  return {
    isJson: json,
    result(value, forPeople) {
      const text = json ? JSON.stringify(value) : forPeople;
      if (text) stdout.write(`${text}\n`);
    },
    note(message) {
      if (!json) stderr.write(`${message}\n`);
    },
    failure(error, withStack) {
      const { stack, ...failure } = failureOf(error);
      const shown = withStack && stack ? { ...failure, stack } : failure;
      if (json) stderr.write(`${JSON.stringify({ error: shown })}\n`);
      else stderr.write(`cardledger: ${failure.message}\n${'stack' in shown ? `${shown.stack}\n` : ''}`);
    },
  };
}

/** Names and values, one to a line. */
export function fields(values: Record<string, string>): string {
  return alignedLines(Object.entries(values), []);
}

/** Rows under their headings; empty where there are no rows. Columns named in `numeric` are flush right. */
export function table(headings: string[], rows: string[][], numeric: readonly string[] = []): string {
  if (rows.length === 0) return '';
  const right = headings.flatMap((heading, column) => (numeric.includes(heading) ? [column] : []));
  return alignedLines([headings.map((heading) => heading.toUpperCase()), ...rows], right);
}

function alignedLines(rows: string[][], right: readonly number[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const aligned = (cell: string, column: number) =>
    right.includes(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!);
  return rows.map((row) => row.map(aligned).join('  ').trimEnd()).join('\n');
}

/** `1 difference`, `2 differences` */
export function counted(count: number, noun: string): string {
  return `${withCommas(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** To the minute, in UTC. */
export function minuteOf(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
