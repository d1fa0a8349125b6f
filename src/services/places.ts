import { newTurns, type Turn } from '../db/turns.ts';
import { clientLeft } from '../domain/errors.ts';
import { LIMITS } from '../domain/limits.ts';
import { workFor } from '../lib/processor-time.ts';
import type { Context } from './context.ts';

/**
 * Gives a function that does work when it is the caller's turn. A process has `size` places for it, of which each caller has one while others are
 * about, and all accounts below a platform have half; they take turns. Throws what `refusal` gives where none comes within a minute,
 * and what a request does that comes then: where the client has left, or the budget of work is used up.
 */
export function inPlaces(
  size: number,
  refusal: () => Error,
): <T>(ctx: Context, run: () => Promise<T>) => Promise<T> {
  const turns = newTurns(size, 1, refusal);
  return async ({ caller: { accountId, platformId, scope }, leaving, work }, run) => {
    const turn: Turn = {
      owner: accountId,
      platform: platformId ?? (scope === 'platform' ? accountId : undefined),
      writes: null,
      since: performance.now(),
      waitMillis: LIMITS.placeWaitMillis,
    };
    await turns.take(turn);
    try {
      if (leaving?.aborted) throw clientLeft();
      work?.assertLeft();
      if (work) workFor(work);
      return await run();
    } finally {
      turns.giveBack(turn);
    }
  };
}
