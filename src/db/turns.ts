import { removeFrom } from '../lib/lists.ts';
import { startPatience } from '../lib/patience.ts';
import { unavailable } from './errors.ts';

export const WAIT_MILLIS = 3000;

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

/** What wants a place. */
export interface Turn {
  /** The account, `''` for the service itself, or `STRANGERS`. */
  owner: string;
  /** Among those of the owner that wait, a crowd that is not to hold up others: each has its first turn before any has its second. */
  crowd?: string;
  /** The lock that it may meet, of those that writers of the same owner hold: for each one has a place at a time. */
  writes: string | null;
  /** By `performance.now()`: since when it waits, on whichever way. */
  since: number;
  /** How long it waits at most; 3 s where nothing is said. */
  waitMillis?: number | undefined;
}

/** Of the service itself. */
export const serviceTurn = (): Turn => ({ owner: '', writes: null, since: performance.now() });

/** Whoever is not known yet, as those who ask for tokens: together they have what one account has. */
export const STRANGERS = 'strangers';

/** What a writer may wait for, where it is not the collection that its id names. */
export const LOCKS = {
  account: 'account',
  /** That of a transaction, which nobody has looked up. */
  someCollection: 'some collection',
} as const;

export interface Turns {
  /** Resolves when there is a place. Throws `Unavailable` where none is free in time. */
  take(turn: Turn): Promise<void>;
  giveBack(turn: Turn): void;
  readonly usage: PoolUse;
}

interface Owner {
  held: number;
  writing: Set<string>;
  queue: Waiter[];
}

interface Waiter {
  turn: Turn;
  /** How many of its crowd waited before it. */
  round: number;
  enter(): void;
}

/**
 * `size` places, for which owners take turns, so that nobody waits behind the crowd of another: who already has `share` of
 * them gets more only while half of all are free. Whoever gets none in time is refused.
 */
export function newTurns(size: number, share = Math.max(1, Math.floor(size / 4))): Turns {
  const usage: PoolUse = { size, inUse: 0, waiting: 0, waits: 0, waitedSeconds: 0, refusals: 0 };
  /** Who has or wants a place; whose turn was longest ago is the first. */
  const owners = new Map<string, Owner>();

  const mayEnter = ({ held, writing }: Owner, { writes }: Turn) =>
    usage.inUse < size &&
    !(writes !== null && writing.has(writes)) &&
    (held < share || usage.inUse < size / 2);

  const enter = (name: string, owner: Owner, { writes }: Turn) => {
    usage.inUse++;
    owner.held++;
    if (writes !== null) owner.writing.add(writes);
    // To the end.
    owners.delete(name);
    owners.set(name, owner);
  };

  const forgetIdle = (name: string, { held, queue }: Owner) => {
    if (held === 0 && queue.length === 0) owners.delete(name);
  };

  const wait = (name: string, owner: Owner, turn: Turn) =>
    new Promise<void>((resolve, reject) => {
      const start = performance.now();
      const leave = () => {
        stopWaiting();
        removeFrom(owner.queue, waiter);
        usage.waiting--;
        usage.waitedSeconds += (performance.now() - start) / 1000;
      };
      const waiter: Waiter = {
        turn,
        round: roundOf(turn, owner.queue),
        enter() {
          leave();
          resolve();
        },
      };
      const stopWaiting = startPatience(
        Math.max(0, (turn.waitMillis ?? WAIT_MILLIS) - (start - turn.since)),
        () => {
          leave();
          forgetIdle(name, owner);
          usage.refusals++;
          reject(busy());
        },
      );
      const place = owner.queue.findLastIndex(({ round }) => round <= waiter.round) + 1;
      owner.queue.splice(place, 0, waiter);
      usage.waiting++;
      usage.waits++;
    });

  /** Lets in whoever may enter, one of each owner after the other. */
  const admit = () => {
    for (let admitted = true; admitted && usage.inUse < size; ) {
      admitted = false;
      for (const [name, owner] of [...owners]) {
        const next = owner.queue.find(({ turn }) => mayEnter(owner, turn));
        if (!next) continue;
        enter(name, owner, next.turn);
        next.enter();
        admitted = true;
      }
    }
  };

  return {
    usage,
    async take(turn) {
      const owner = owners.get(turn.owner) ?? { held: 0, writing: new Set(), queue: [] };
      owners.set(turn.owner, owner);
      // Nobody who waits might have entered.
      if (mayEnter(owner, turn)) enter(turn.owner, owner, turn);
      else await wait(turn.owner, owner, turn);
    },
    giveBack({ owner: name, writes }) {
      const owner = owners.get(name)!;
      usage.inUse--;
      owner.held--;
      if (writes !== null) owner.writing.delete(writes);
      forgetIdle(name, owner);
      if (usage.waiting > 0) admit();
    },
  };
}

function roundOf({ crowd }: Turn, queue: readonly Waiter[]): number {
  return crowd === undefined ? 0 : queue.filter(({ turn }) => turn.crowd === crowd).length;
}

export function busy(): Error {
  return unavailable('All connections to the database are busy. Try again shortly.');
}
