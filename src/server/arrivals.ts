import type { Server } from 'node:http';
import { connectionCame } from '../lib/in-turns.ts';
import { type Queues, queueFor, takeFirstFor } from '../lib/queues.ts';

/** An address that has more than so many taken in turns of the loop on end has a crowd. */
const MOST_ON_END = 4;
/**
 * None that is held is taken for so long at most, though each turn has a new connection: Node takes one of those in a turn
 * (docs/decisions.md#turns-of-the-event-loop), in much less time where it is left to wait.
 */
const MOST_MILLIS = 50;
const MOST_ADDRESSES = 10_000;

/** What a server does with the connections that come, each by what those of its address are counted by; null for one that counts for none. */
export interface Door {
  groupOf(address: string): string | null;
  /** Counts it, unless its address may open no more now; what is not welcome is closed at once. */
  isWelcome(group: string | null): boolean;
  /** Of one that was held meanwhile; what is not welcome any more is closed. */
  isStillWelcome(group: string): boolean;
  /** Node makes a socket of it next. */
  onTaken(group: string | null): void;
}

/** Connections that are open to the system, and with what they brought left to it: nothing is made or read of them yet. */
export interface Held {
  readonly size: number;
  ofGroup(group: string): number;
  /** Those that have some. */
  groups(): Iterable<string>;
  /** Closes the last that came of a group that has some. */
  closeLastOf(group: string): void;
}

/** What takes all that a server holds. */
const takesAllOf = new WeakMap<Server, () => void>();

/**
 * Has Node make sockets and parsers of the connections of a server, which is most of what one takes that asks for little. Those of a crowd wait
 * for a turn of the loop in which none comes, and then are taken one in a turn, of each address one before any has its second: nobody is behind all of them.
 */
export function takeInTurns(server: Server, door: Door): Held {
  const held: Queues<string, Connection> = new Map();
  let size = 0;
  /** How many of each address were taken at once in the turns on end, and since when those are. */
  const atOnce = new Map<string, number>();
  let sinceMillis: number | undefined;
  let hasCome = false;
  let isLooking = false;
  let take: (group: string | null, connection: Connection) => void;

  const ofGroup = (group: string) => held.get(group)?.length ?? 0;
  const takeFirst = () => {
    const group: string = held.keys().next().value!;
    const connection = takeFirstFor(held, group);
    size--;
    if (addressOf(connection) === undefined || !door.isStillWelcome(group)) return connection.close();
    // What it asks is read next, as of one that comes.
    connectionCame();
    take(group, connection);
  };
  const look = () => {
    isLooking = hasCome || size > 1;
    if (isLooking) setImmediate(look);
    if (!hasCome) {
      sinceMillis = undefined;
      atOnce.clear();
    }
    hasCome = false;
    const mayTake = sinceMillis === undefined || performance.now() >= sinceMillis + MOST_MILLIS;
    if (mayTake && size > 0) takeFirst();
  };
  const hasCrowd = (group: string) => held.has(group) || (atOnce.get(group) ?? 0) >= MOST_ON_END;
  const hold = (group: string, connection: Connection) => {
    queueFor(held, group, connection);
    size++;
  };
  const count = (group: string) => {
    if (atOnce.size >= MOST_ADDRESSES) atOnce.clear();
    atOnce.set(group, (atOnce.get(group) ?? 0) + 1);
  };
  const come = (connection: Connection) => {
    const address = addressOf(connection);
    const group = address === undefined ? undefined : door.groupOf(address);
    // One that has gone already sent what would be done for nobody.
    if (group === undefined || !door.isWelcome(group)) return connection.close();
    if (group !== null && hasCrowd(group)) return hold(group, connection);
    if (group !== null) count(group);
    take(group, connection);
  };

  server.on('listening', () => {
    const listening = (server as unknown as { _handle: Listening })._handle;
    const { onconnection } = listening;
    take = (group, connection) => {
      door.onTaken(group);
      onconnection.call(listening, 0, connection);
    };
    listening.onconnection = (status, connection) => {
      connectionCame();
      hasCome = true;
      sinceMillis ??= performance.now();
      if (!isLooking) setImmediate(look);
      isLooking = true;
      if (connection) come(connection);
      else onconnection.call(listening, status);
    };
  });
  server.on('close', () => {
    for (const waiting of held.values()) for (const connection of waiting) connection.close();
    held.clear();
    size = 0;
  });
  takesAllOf.set(server, () => {
    while (size > 0) takeFirst();
  });
  return {
    get size() {
      return size;
    },
    ofGroup,
    groups: () => held.keys(),
    closeLastOf(group) {
      const waiting = held.get(group)!;
      waiting.pop()!.close();
      if (waiting.length === 0) held.delete(group);
      size--;
    },
  };
}

/** Before a server closes, which would not know of them. */
export function takeAllHeld(server: Server): void {
  takesAllOf.get(server)?.();
}

/** As the listening socket of a server has it, in Node, for each connection. */
interface Listening {
  onconnection(status: number, connection?: Connection): void;
}
interface Connection {
  getpeername(into: { address?: string }): number;
  close(): void;
}

/** That of the other side; none where it has gone already. */
function addressOf(connection: Connection): string | undefined {
  const peer: { address?: string } = {};
  connection.getpeername(peer);
  return peer.address;
}
