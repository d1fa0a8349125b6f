import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, type Connection, DEFAULT_LIMIT_MILLIS, newConnection } from './connection.ts';
import { unavailable } from './errors.ts';
import { removeFrom } from './lists.ts';
import { newPlaces, type PoolUse } from './places.ts';

const POOL_SIZE = 8;
const MAX_AGE_MILLIS = 30 * 60_000;
const CLOSE_MILLIS = 5000;

export interface Pool {
  /** Runs `work` with a connection that nobody else has meanwhile. Throws `Unavailable` where none is free in time. */
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  readonly usage: PoolUse;
  /** Takes no more work, and waits a while for what is under way. */
  close(): Promise<void>;
}

/** At most `POOL_SIZE` connections. One that is lost is replaced when it is needed. */
export function newPool(address: Address): Pool {
  const places = newPlaces(POOL_SIZE);
  const connections = new Set<Connection>();
  const idle: Connection[] = [];
  const inUse: Promise<unknown>[] = [];
  let isClosed = false;

  const open = (): Connection => {
    const onClosed = () => {
      connections.delete(connection);
      removeFrom(idle, connection);
    };
    const connection = newConnection(address, { onClosed });
    connections.add(connection);
    return connection;
  };
  const giveBack = (connection: Connection) => {
    if (!connection.isOpen) return;
    connection.limitMillis = DEFAULT_LIMIT_MILLIS;
    if (isClosed || Date.now() - connection.openedAt > MAX_AGE_MILLIS) void connection.close();
    else idle.push(connection);
  };
  const useOne = async <T>(work: (connection: Connection) => Promise<T>): Promise<T> => {
    // The one that was used last: the database has what it needs at hand.
    const connection = idle.pop() ?? open();
    try {
      return await work(connection);
    } finally {
      giveBack(connection);
    }
  };

  return {
    usage: places.usage,
    async use(work) {
      if (isClosed) throw unavailable('The service is stopping. Try again shortly.');
      await places.take();
      const used = useOne(work);
      inUse.push(used);
      try {
        return await used;
      } finally {
        removeFrom(inUse, used);
        places.giveBack();
      }
    },
    async close() {
      isClosed = true;
      const done = Promise.allSettled(inUse);
      await Promise.race([done, sleep(CLOSE_MILLIS, undefined, { ref: false })]);
      await Promise.all([...connections].map((connection) => connection.close()));
    },
  };
}
