import { setTimeout as sleep } from 'node:timers/promises';
import { removeFrom } from '../lib/lists.ts';
import {
  type Address,
  type Connection,
  type ConnectionEvents,
  DEADLINES_MILLIS,
  DEFAULT_LIMIT_MILLIS,
  newConnection,
  SHARED_DEADLINES_MILLIS,
} from './connection.ts';
import { unavailable } from './errors.ts';
import { newSilenceSearch } from './silent-node.ts';
import { newTurns, type PoolUse, type Turn, type Turns } from './turns.ts';

const POOL_SIZE = 8;
const SHARED_SIZE = 2;
const STATEMENTS_EACH = 16;
/** While others are about. */
const STATEMENTS_OF_OWNER = 2 * SHARED_SIZE;
const HOUSEKEEPING_SIZE = 2;
const MAX_AGE_MILLIS = 30 * 60_000;
const CLOSE_MILLIS = 5000;

export interface Pool {
  /** Runs `work` with one of the connections. Throws `Unavailable` where none is to be had in time. */
  use<T>(turn: Turn, work: (connection: Connection) => Promise<T>): Promise<T>;
  readonly usage: PoolUse;
  /** Whether the database holds statements to deadlines. */
  readonly hasDeadlines: boolean;
  /** Of a Citus: the name of a node that does not answer, null where all do. */
  silentNode?(): Promise<string | null>;
  /** Ends those that nobody uses. */
  discardIdle(): void;
  /** Ends all of them, with what is under way. */
  discardAll(): void;
  /** Takes no more work, and waits a while for what is under way. */
  close(): Promise<void>;
}

export interface Pools {
  /** A connection for each piece of work. */
  alone: Pool;
  /** A few that many use at once; `manyOnEach` says for what. */
  shared: Pool;
  /** What the service does beside the requests. */
  housekeeping: Pool;
  /** What all requests wait for, and whether the database answers, whatever else is asked of it. */
  urgent: Pool;
}

/** @param tellLost told before anybody is given another connection */
export function newPools(address: Address, tellLost: () => void): Pools {
  // What ended one may have ended those that nobody uses, and nobody would have noticed.
  const onLost = () => {
    tellLost();
    for (const pool of [alone, shared, housekeeping, urgent]) pool.discardIdle();
  };
  const nodes = newSilenceSearch(address);
  const open = opener(address, DEADLINES_MILLIS, nodes.meet);
  const own = (turns: Turns, closeMillis?: number) => ownPool(open, turns, onLost, closeMillis);
  const alone = own(newTurns(POOL_SIZE));
  const shared = sharedPool(opener(address, SHARED_DEADLINES_MILLIS), onLost);
  // Who keeps house was asked to end before; what still is under way is undone.
  const housekeeping = own(newTurns(HOUSEKEEPING_SIZE, HOUSEKEEPING_SIZE), 0);
  const urgent = own(newTurns(1));
  const { silentNode } = nodes;
  return { alone: { ...alone, silentNode }, shared: { ...shared, silentNode }, housekeeping, urgent };
}

/** What requests have of a replica: as much as of the primary, by the same rules. */
export type ReplicaPools = Pick<Pools, 'alone' | 'shared'> & { discardAll(): void; close(): Promise<void> };

/**
 * @param isThere false where no connection is to be opened: whoever waits for one would wait in vain
 * @param onLost told when what ended a connection may have ended others, which are given up where nobody uses them
 */
export function newReplicaPools(address: Address, isThere: () => boolean, onLost: () => void): ReplicaPools {
  const open = (deadlines: typeof DEADLINES_MILLIS): Opener => {
    const opened = opener(address, deadlines);
    return (onClosed) => {
      if (!isThere()) throw new Error('The replica is gone.');
      return opened(onClosed);
    };
  };
  const lost = () => {
    for (const pool of [alone, shared]) pool.discardIdle();
    onLost();
  };
  const alone = ownPool(open(DEADLINES_MILLIS), newTurns(POOL_SIZE), lost);
  const shared = sharedPool(open(SHARED_DEADLINES_MILLIS), lost);
  return {
    alone,
    shared,
    discardAll() {
      for (const pool of [alone, shared]) pool.discardAll();
    },
    close: async () => void (await Promise.all([alone.close(), shared.close()])),
  };
}

function ownPool(open: Opener, turns: Turns, onLost: () => void, closeMillis?: number): Pool {
  return poolOf(turns, open, eachAlone, onLost, closeMillis);
}

function sharedPool(open: Opener, onLost: () => void): Pool {
  const turns = newTurns(SHARED_SIZE * STATEMENTS_EACH, STATEMENTS_OF_OWNER);
  return poolOf(turns, open, manyOnEach, onLost);
}

type Opener = (onClosed: ConnectionEvents['onClosed']) => Connection;

function opener(address: Address, deadlines: typeof DEADLINES_MILLIS, onCitus = () => {}): Opener {
  return (onClosed) => newConnection(address, { onClosed, onCitus }, deadlines);
}

/** Gives each piece of work a connection that nobody else has meanwhile. */
function eachAlone(open: () => Connection): Choice {
  const idle: Connection[] = [];
  return {
    // The one that was used last: the database has what it needs at hand.
    take: () => idle.pop() ?? open(),
    giveBack(connection) {
      connection.limitMillis = DEFAULT_LIMIT_MILLIS;
      // A late request to cancel would meet the next statement.
      if (isOld(connection) || connection.isCancelled) void connection.close();
      else idle.push(connection);
    },
    forget: (connection) => removeFrom(idle, connection),
    idle: () => [...idle],
  };
}

/**
 * Gives each connection to many at once. What they send goes out without waiting for the answers to what went before, and
 * is answered in that order, so that the database always has the next statement at hand. Whoever uses one sends at once
 * all that there is to send, and only statements that are short and wait for no lock: others wait behind them.
 */
function manyOnEach(open: () => Connection): Choice {
  const shared: Connection[] = [];
  const leastBusy = () => {
    let least = shared[0];
    for (const one of shared) if (one.unanswered < least!.unanswered) least = one;
    return least;
  };
  return {
    take() {
      const least = leastBusy();
      if (least && (least.unanswered === 0 || shared.length === SHARED_SIZE)) return least;
      const connection = open();
      shared.push(connection);
      return connection;
    },
    giveBack(connection) {
      // It gets no more work, and is closed behind the last that it has.
      if (isOld(connection)) removeFrom(shared, connection);
      if (connection.unanswered === 0 && !shared.includes(connection)) void connection.close();
    },
    forget: (connection) => removeFrom(shared, connection),
    idle: () => shared.filter(({ unanswered }) => unanswered === 0),
  };
}

function isOld({ openedAt, isLeft }: Connection): boolean {
  return isLeft || Date.now() - openedAt > MAX_AGE_MILLIS;
}

/** Which connection is next, of those that a pool has open. */
interface Choice {
  take(): Connection;
  giveBack(connection: Connection): void;
  /** It is lost, or closed. */
  forget(connection: Connection): void;
  /** Those that nobody uses. */
  idle(): Connection[];
}

/** A pool for as many pieces of work at a time as there are places. A connection that is lost is replaced when it is needed. */
function poolOf(
  turns: Turns,
  newOne: Opener,
  choiceOf: (open: () => Connection) => Choice,
  onLost: () => void,
  closeMillis = CLOSE_MILLIS,
): Pool {
  const connections = new Set<Connection>();
  let underWay = 0;
  let tellIdle = () => {};
  const idle = new Promise<void>((resolve) => {
    tellIdle = resolve;
  });
  let isClosed = false;

  const open = (): Connection => {
    const connection = newOne((wasLost) => {
      connections.delete(connection);
      choice.forget(connection);
      if (wasLost) onLost();
    });
    connections.add(connection);
    return connection;
  };
  const choice = choiceOf(open);
  const leave = (connection: Connection) => {
    if (isClosed && connection.unanswered === 0) void connection.close();
    else if (connection.isOpen) choice.giveBack(connection);
  };

  return {
    usage: turns.usage,
    hasDeadlines: true,
    async use(turn, work) {
      const place = turns.take(turn);
      if (place) await place;
      let connection: Connection | undefined;
      underWay++;
      try {
        if (isClosed) throw unavailable('The service is stopping. Try again shortly.');
        connection = choice.take();
        return await work(connection);
      } finally {
        underWay--;
        turns.giveBack(turn);
        if (connection) leave(connection);
        if (isClosed && underWay === 0) tellIdle();
      }
    },
    discardIdle() {
      for (const connection of choice.idle()) connection.discard();
    },
    discardAll() {
      for (const connection of [...connections]) connection.discard();
    },
    async close() {
      isClosed = true;
      if (underWay > 0) await Promise.race([idle, sleep(closeMillis, undefined, { ref: false })]);
      await Promise.all([...connections].map((connection) => connection.close()));
    },
  };
}
