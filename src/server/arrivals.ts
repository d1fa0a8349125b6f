import type { Server } from 'node:http';
import { connectionCame } from '../lib/in-turns.ts';

/**
 * So long connections of a crowd wait at most while further ones come: the loop takes one of those in a turn
 * (docs/decisions.md#turns-of-the-event-loop), in much less time where it is left to wait.
 */
const MOST_MILLIS = 50;

/** What a server does with the connections that come, each by what those of its address are counted by; null for one that counts for none. */
export interface Door {
  groupOf(address: string): string | null;
  /** Counts it where it is; what is not welcome is closed at once. */
  isWelcome(group: string | null): boolean;
  /** Whether its address has opened others right before. */
  isOfCrowd(group: string): boolean;
  /** Node makes a socket of it next. */
  onTaken(group: string | null): void;
}

/** Connections that have come, and are left to the system as they are: nothing is made or read of them yet. */
export interface Held {
  readonly size: number;
  ofGroup(group: string): number;
}

/** What takes all that a server holds. */
const takesAllOf = new WeakMap<Server, () => void>();

/**
 * Has Node make sockets and parsers of the connections of a server, which is most of what one takes that asks for little. Those of a crowd of one address wait
 * until no others come, and then are taken one in a turn of the loop, of each address one before any has its second: nobody is behind all of them.
 */
export function takeInTurns(server: Server, door: Door): Held {
  const held = new Map<string, Connection[]>();
  let size = 0;
  let sinceMillis = 0;
  let hasCome = false;
  /** They are looked at in the next turn of the loop. */
  let isLooking = false;
  let take: (group: string | null, connection: Connection) => void;

  const takeFirst = () => {
    const [group, waiting] = held.entries().next().value!;
    const connection = waiting.shift()!;
    held.delete(group);
    if (waiting.length > 0) held.set(group, waiting);
    size--;
    take(group, connection);
  };
  const look = () => {
    const isOver = performance.now() >= sinceMillis + MOST_MILLIS;
    if (size > 0 && (!hasCome || isOver)) takeFirst();
    hasCome = false;
    isLooking = size > 0;
    if (isLooking) setImmediate(look);
  };
  const hold = (group: string, connection: Connection) => {
    const waiting = held.get(group);
    if (waiting) waiting.push(connection);
    else held.set(group, [connection]);
    size++;
    if (isLooking) return;
    isLooking = true;
    sinceMillis = performance.now();
    setImmediate(look);
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
      if (!connection) return onconnection.call(listening, status);
      const address = addressOf(connection);
      // It has gone already, and what it sent would be done for nobody.
      if (address === undefined) return connection.close();
      const group = door.groupOf(address);
      const waits = group !== null && (held.has(group) || door.isOfCrowd(group));
      if (!door.isWelcome(group)) connection.close();
      else if (waits) hold(group, connection);
      else take(group, connection);
    };
  });
  takesAllOf.set(server, () => {
    while (size > 0) takeFirst();
  });
  return {
    get size() {
      return size;
    },
    ofGroup: (group) => held.get(group)?.length ?? 0,
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
