import { MigrationError } from '../db/migration-turn.ts';
import { DomainError } from '../domain/errors.ts';

/** What a program that reads the error of `--json` can tell apart, besides the problems of `domain/errors.ts`. */
type CliErrorCode =
  | 'InvalidUsage'
  | 'InvalidConfiguration'
  | 'InvalidFile'
  | 'ImportFailed'
  | 'DownloadFailed'
  | 'DatabaseNotReady'
  | 'DatabaseUnavailable'
  | 'DataDirectory'
  | 'CannotListen';

/** An expected failure of a command. The message says what is wrong, where, and what to do. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly code: CliErrorCode;

  constructor(code: CliErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export interface Failure {
  /** A code of this file, a problem of `domain/errors.ts`, or `Internal` for a defect. */
  code: string;
  /** One line. */
  message: string;
  /** Of a defect only. */
  stack?: string;
}

export function failureOf(error: unknown): Failure {
  const message = messageOf(error).replaceAll(/\s*\n\s*/g, ' ');
  if (error instanceof CliError) return { code: error.code, message };
  if (error instanceof MigrationError) return { code: 'DatabaseNotReady', message };
  if (error instanceof DomainError) return { code: error.problem, message };
  const stack = error instanceof Error ? error.stack : undefined;
  return { code: 'Internal', message, ...(stack && { stack }) };
}

/** Errors of sockets that tried several addresses have no message of their own. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || (error as NodeJS.ErrnoException).code || error.name;
}

/** Adds the command that lists the ids to the error of an id that does not exist. */
export async function orSee<T>(command: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof DomainError) || error.problem !== 'NotFound') throw error;
    throw new DomainError('NotFound', `${error.message} "${command}" shows those that do.`, { cause: error });
  }
}
