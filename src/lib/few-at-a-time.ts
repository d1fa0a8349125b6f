import { removeFrom } from './lists.ts';

/** Work that goes on, and what waits for its end. */
interface Whose {
  running: number;
  waiting: (() => void)[];
}

/**
 * Gives a function that does so much work at a time for each one whose it is, in the order in which it comes, and that of others beside it.
 * Where `leaving` is aborted meanwhile nothing is waited for any more: the work, which looks at that first, is begun at once.
 */
export function fewAtATime(
  most: number,
): <T>(whose: unknown, work: () => Promise<T>, leaving?: AbortSignal) => Promise<T> {
  const all = new Map<unknown, Whose>();
  return async (whose, work, leaving) => {
    const own = all.get(whose) ?? { running: 0, waiting: [] };
    all.set(whose, own);
    if (own.running < most) own.running++;
    else if (!(await hasTurn(own, leaving))) return work();
    try {
      return await work();
    } finally {
      const next = own.waiting.shift();
      // It has the place of this one.
      if (next) next();
      else if (--own.running === 0) all.delete(whose);
    }
  };
}

/** False where it has none, and need not wait. */
function hasTurn({ waiting }: Whose, leaving: AbortSignal | undefined): Promise<boolean> {
  if (leaving?.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const begin = () => {
      leaving?.removeEventListener('abort', leave);
      resolve(true);
    };
    const leave = () => {
      removeFrom(waiting, begin);
      resolve(false);
    };
    waiting.push(begin);
    leaving?.addEventListener('abort', leave, { once: true });
  });
}
