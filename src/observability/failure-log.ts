import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { DomainError } from '../domain/errors.ts';

const EVERY_MILLIS = 1000;
const MOST_MESSAGES = 100;

/**
 * Tells the log of a request that failed for a reason that is ours, with the stack of the error. What is not available is
 * told once a second for each message, or pair of one with that of its cause, with the number of `others` since, as it may be refused to thousands: the line of
 * each request has its status.
 */
export type LogFailure = (error: unknown, requestId: string, what: string) => void;

/** @param elapsed milliseconds that pass whatever the clock is set to */
export function createFailureLog(logger: Pick<Logger, 'error'>, elapsed: () => number): LogFailure {
  /** By message, which may name what a client has chosen. */
  const told = new LRUCache<string, { atMillis: number; others: number }>({ max: MOST_MESSAGES });
  return (error, requestId, what) => {
    const cause = error instanceof Error && error.cause instanceof DomainError ? error.cause : error;
    if (!(cause instanceof DomainError && cause.problem === 'Unavailable')) {
      logger.error({ err: error, requestId }, what);
      return;
    }
    const now = elapsed();
    const message = error === cause ? cause.message : `${(error as Error).message} ${cause.message}`;
    const last = told.get(message);
    if (last && now - last.atMillis < EVERY_MILLIS) {
      last.others++;
      return;
    }
    told.set(message, { atMillis: now, others: 0 });
    const others = last?.others ? { others: last.others } : {};
    logger.error({ err: error, requestId, ...others }, 'service unavailable');
  };
}
