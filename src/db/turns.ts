import { LRUCache } from 'lru-cache';
import { ClientLeft } from '../domain/errors.ts';
import { removeFrom } from '../lib/lists.ts';
import { startPatience } from '../lib/patience.ts';
import { RecentWork } from '../lib/processor-time.ts';
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
  /** Of the account, the platform that it is below: all of those count as one beside others. */
  platform?: string | undefined;
  /** Among those of the owner that wait, a crowd that is not to hold up others: each has its first turn before any has its second. */
  crowd?: string;
  /** The lock that it may meet, of those that writers of the same owner hold: for each one has a place at a time. */
  writes: string | null;
  /** By `performance.now()`: since when it waits, on whichever way. */
  since: number;
  /** It is a transaction, or as such: it may take as long as it likes. */
  isTransaction?: true;
  /** Set when it has its place, by `performance.now()`. */
  enteredAt?: number;
  /** How long it waits at most; 3 s where nothing is said. */
  waitMillis?: number | undefined;
  /** Once that is aborted the turn waits no more. */
  leaving?: AbortSignal | undefined;
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
  /**
   * Nothing where there is a place; else what resolves when there is. Rejects with `Unavailable` where none is free in time,
   * `MalformedRequest` where the client leaves before.
   */
  take(turn: Turn): Promise<void> | undefined;
  giveBack(turn: Turn): void;
  readonly usage: PoolUse;
}

interface Share {
  name: string;
  held: Turn[];
  /** When it had its turn last, or came: it grows with each. */
  turn: number;
}

interface Owner extends Share {
  /** The locks of those that are held. */
  writing: string[];
  queue: Waiter[];
  platform: Platform | undefined;
}

interface Platform extends Share {
  /** Its owners that have or want a place. */
  owners: number;
}

interface Waiter {
  turn: Turn;
  /** How many of its crowd waited before it. */
  round: number;
  enter(): void;
}

/** Who has had no place for so long is not about. */
const ALONE_MILLIS = 1000;
/** Who had places for so long lately, in all, has half its share while others are about; so has who had none yet. */
const MUCH_MILLIS = 500;
/** So much counts of one at most, however long it was held: what was a second ago counts half. */
const MOST_OF_ONE_MILLIS = 1000;
/** So long takes a long transaction at the least. */
const LONG_MILLIS = 250;
const LOOK_MILLIS = 250;
const MAX_REMEMBERED = 10_000;

/**
 * `size` places, for which owners take turns, so that nobody waits behind the crowd of another: who already has `share` of
 * them gets more only while half of all are free and nobody else is about: the database's processors are fewer than the places. Who had much lately, or none yet, has
 * half of that, so that a short request of another finds a processor. The owners below a platform take the turns of one, and together have half of
 * the places, by the same rules; all but a share while nobody else is about. Whoever gets none in time is refused.
 *
 * @param refusal what that is told
 */
export function newTurns(
  size: number,
  share = Math.max(1, Math.floor(size / 4)),
  refusal: () => Error = busy,
): Turns {
  const usage: PoolUse = { size, inUse: 0, waiting: 0, waits: 0, waitedSeconds: 0, refusals: 0 };
  /** Who has or wants a place. */
  const owners = new Map<string, Owner>();
  const platforms = new Map<string, Platform>();
  let turns = 0;
  const owned = newPresence();
  const grouped = newPresence();

  let looking: NodeJS.Timeout | undefined;

  /** How long each had places lately, in all; once it has given one back. */
  const recent = new LRUCache<string, RecentWork>({ max: MAX_REMEMBERED });

  const newShare = (name: string): Share => ({ name, held: [], turn: ++turns });

  /**
   * Whether one who has this share may have another place of it; of half of it where it had much lately, or nobody knows yet how long its places last, unless it
   * may have all places. A long transaction does not count there: it would have all else of its owner wait for its end.
   */
  const hasShareLeft = ({ name, held }: Share, full: number, now: number): boolean => {
    if (held.length >= full) return false;
    if (full === size || held.length < Math.ceil(full / 2)) return true;
    let millis = recent.get(name)?.at(now) ?? MUCH_MILLIS;
    let counted = 0;
    for (const { enteredAt, isTransaction } of held) {
      const heldMillis = now - enteredAt!;
      if (isTransaction && heldMillis >= LONG_MILLIS) continue;
      millis += heldMillis;
      counted++;
    }
    return millis < MUCH_MILLIS || counted < Math.ceil(full / 2);
  };

  const remember = (name: string, millis: number, now: number) => {
    const known = recent.get(name) ?? new RecentWork();
    known.add(Math.min(millis, MOST_OF_ONE_MILLIS), now);
    recent.set(name, known);
  };

  /** @param turn any of the owner's */
  const mayHaveAnother = (owner: Owner, turn: Turn, now: number) =>
    usage.inUse < size &&
    (hasShareLeft(owner, share, now) || (usage.inUse < size / 2 && owned.isAlone(nameOf(turn), now))) &&
    (owner.platform === undefined ||
      hasShareLeft(owner.platform, size / 2, now) ||
      (usage.inUse < size - share && grouped.isAlone(groupOf(turn), now)));

  const meetsLock = ({ writing }: Owner, { writes }: Turn) => writes !== null && writing.includes(writes);

  const platformOf = (name: string): Platform => {
    const platform = platforms.get(name) ?? { ...newShare(`below ${name}`), owners: 0 };
    platforms.set(name, platform);
    platform.owners++;
    return platform;
  };

  const ownerOf = (turn: Turn): Owner => {
    const name = nameOf(turn);
    const known = owners.get(name);
    if (known) return known;
    const platform = turn.platform === undefined ? undefined : platformOf(turn.platform);
    const owner: Owner = { ...newShare(name), writing: [], queue: [], platform };
    owners.set(name, owner);
    return owner;
  };

  const enter = (owner: Owner, turn: Turn, now: number) => {
    const { writes } = turn;
    usage.inUse++;
    turn.enteredAt = now;
    turns++;
    for (const one of sharesOf(owner)) {
      one.held.push(turn);
      one.turn = turns;
    }
    owned.enter(nameOf(turn), now);
    grouped.enter(groupOf(turn), now);
    if (writes !== null) owner.writing.push(writes);
  };

  const forgetIdle = (turn: Turn, { held, queue, platform }: Owner) => {
    if (held.length > 0 || queue.length > 0) return;
    owners.delete(nameOf(turn));
    if (platform && --platform.owners === 0) platforms.delete(turn.platform!);
  };

  const wait = (owner: Owner, turn: Turn, start: number) =>
    new Promise<void>((resolve, reject) => {
      const leave = () => {
        stopWaiting();
        turn.leaving?.removeEventListener('abort', quit);
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
      const fail = (error: Error) => {
        leave();
        forgetIdle(turn, owner);
        reject(error);
      };
      const quit = () => fail(new ClientLeft());
      const stopWaiting = startPatience(
        Math.max(0, (turn.waitMillis ?? WAIT_MILLIS) - (start - turn.since)),
        () => {
          usage.refusals++;
          fail(refusal());
        },
      );
      turn.leaving?.addEventListener('abort', quit, { once: true });
      const place = owner.queue.findLastIndex(({ round }) => round <= waiter.round) + 1;
      owner.queue.splice(place, 0, waiter);
      usage.waiting++;
      usage.waits++;
    });

  /** Whose turn was longest ago, of those who may enter. */
  const firstInTurn = (now: number): { owner: Owner; waiter: Waiter } | undefined => {
    let first: { owner: Owner; waiter: Waiter } | undefined;
    for (const owner of owners.values()) {
      if (owner.queue.length === 0 || (first && !isBefore(owner, first.owner))) continue;
      if (!mayHaveAnother(owner, owner.queue[0]!.turn, now)) continue;
      const waiter = owner.queue.find(({ turn }) => !meetsLock(owner, turn));
      if (waiter) first = { owner, waiter };
    }
    return first;
  };

  /** Lets in whoever may enter. */
  const admit = (now: number) => {
    while (usage.waiting > 0 && usage.inUse < size) {
      const first = firstInTurn(now);
      if (!first) return;
      enter(first.owner, first.waiter.turn, now);
      first.waiter.enter();
    }
  };

  /** Time alone may let somebody in. */
  const lookLater = () => {
    if (looking) return;
    looking = setTimeout(() => {
      looking = undefined;
      admit(performance.now());
      if (usage.waiting > 0) lookLater();
    }, LOOK_MILLIS).unref();
  };

  return {
    usage,
    take(turn) {
      if (turn.leaving?.aborted) return Promise.reject(new ClientLeft());
      const owner = ownerOf(turn);
      const now = performance.now();
      if (owner.queue.length === 0 && !meetsLock(owner, turn) && mayHaveAnother(owner, turn, now)) {
        enter(owner, turn, now);
        return undefined;
      }
      const place = wait(owner, turn, now);
      // Those that waited while somebody else was about may enter first by now.
      admit(now);
      lookLater();
      return place;
    },
    giveBack(turn) {
      const owner = ownerOf(turn);
      const now = performance.now();
      usage.inUse--;
      for (const one of sharesOf(owner)) {
        removeFrom(one.held, turn);
        remember(one.name, now - turn.enteredAt!, now);
      }
      if (turn.writes !== null) removeFrom(owner.writing, turn.writes);
      forgetIdle(turn, owner);
      admit(now);
    },
  };
}

/** Who is below a platform and comes also on its own has turns of both. */
function nameOf({ owner, platform }: Turn): string {
  return platform === undefined ? owner : `${platform} ${owner}`;
}

function groupOf({ owner, platform }: Turn): string {
  return platform ?? owner;
}

/** Who entered last, and when; and when another did before. */
function newPresence() {
  let last = { name: '', at: Number.NEGATIVE_INFINITY, otherAt: Number.NEGATIVE_INFINITY };
  return {
    enter(name: string, now: number) {
      if (last.name === name) last.at = now;
      else last = { name, at: now, otherAt: last.at };
    },
    /** Whether nobody else has entered lately. */
    isAlone: (name: string, now: number) =>
      now - (last.name === name ? last.otherAt : last.at) > ALONE_MILLIS,
  };
}

const sharesOf = (owner: Owner): Share[] => (owner.platform ? [owner, owner.platform] : [owner]);

/** Of one platform by their own turns, otherwise by the platforms'. */
function isBefore(one: Owner, other: Owner): boolean {
  if (one.platform && one.platform === other.platform) return one.turn < other.turn;
  return (one.platform ?? one).turn < (other.platform ?? other).turn;
}

function roundOf({ crowd }: Turn, queue: readonly Waiter[]): number {
  return crowd === undefined ? 0 : queue.filter(({ turn }) => turn.crowd === crowd).length;
}

export function busy(): Error {
  return unavailable('All connections to the database are busy. Try again shortly.');
}
