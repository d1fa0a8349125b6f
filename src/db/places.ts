import { removeFrom } from '../lib/lists.ts';
import { startPatience } from '../lib/patience.ts';
import { unavailable } from './errors.ts';

const WAIT_MILLIS = 3000;

/** How a pool of connections is used; what counts grows while the process lives. */
export interface PoolUse {
  readonly size: number;
  inUse: number;
  waiting: number;
  /** How often one had to wait for a connection, for how long in all, and how often in vain. */
  waits: number;
  waitedSeconds: number;
  refusals: number;
}

export interface Places {
  /** Resolves when there is a place. Throws `Unavailable` where none is free in time. */
  take(): Promise<void>;
  giveBack(): void;
  readonly usage: PoolUse;
}

/** `size` places; who does not get one in time is refused, so that a crowd behind one lock stops nobody for long. */
export function newPlaces(size: number): Places {
  const usage: PoolUse = { size, inUse: 0, waiting: 0, waits: 0, waitedSeconds: 0, refusals: 0 };
  const queue: (() => void)[] = [];

  const turn = () =>
    new Promise<void>((resolve, reject) => {
      const start = performance.now();
      const leave = () => {
        stopWaiting();
        removeFrom(queue, enter);
        usage.waiting = queue.length;
        usage.waitedSeconds += (performance.now() - start) / 1000;
      };
      const enter = () => {
        leave();
        resolve();
      };
      const stopWaiting = startPatience(WAIT_MILLIS, () => {
        leave();
        usage.refusals++;
        reject(unavailable('All connections to the database are busy. Try again shortly.'));
      });
      queue.push(enter);
      usage.waiting = queue.length;
      usage.waits++;
    });

  return {
    usage,
    async take() {
      if (usage.inUse < size) usage.inUse++;
      else await turn();
    },
    giveBack() {
      // The place goes to the one who waits longest.
      const next = queue[0];
      if (next) next();
      else usage.inUse--;
    },
  };
}
