import { newTurns, type Turn } from '../db/turns.ts';
import { DomainError } from '../domain/errors.ts';
import { LIMITS } from '../domain/limits.ts';
import { workFor } from '../lib/processor-time.ts';
import { type Context, platformAbove } from './context.ts';

export const RETRY_AFTER_SECONDS = 5;

/**
 * Gives a function that does work when it is the caller's turn. A process has `size` places for it, of which each caller has one while others are
 * about, and all accounts below a platform have half; they take turns. Throws `Unavailable`, with `refusal`, where none comes within a minute,
 * `MalformedRequest` where the client leaves before, `RateLimited` where the budget of work is used up by then.
 */
export function inPlaces(
  size: number,
  refusal: string,
): <T>(ctx: Context, run: () => Promise<T>) => Promise<T> {
  const turns = newTurns(size, 1, () => unavailable(refusal));
  return async ({ caller, leaving, work }, run) => {
    const turn: Turn = {
      owner: caller.accountId,
      platform: platformAbove(caller),
      writes: null,
      since: performance.now(),
      isTransaction: true,
      waitMillis: LIMITS.placeWaitMillis,
      leaving,
    };
    await turns.take(turn);
    try {
      work?.assertLeft();
      if (work) workFor(work);
      return await run();
    } finally {
      turns.giveBack(turn);
    }
  };
}

/** For what goes away by itself. */
export function unavailable(message: string): DomainError {
  return new DomainError('Unavailable', `${message} Try again shortly.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
