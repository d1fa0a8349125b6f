import { type Address, type Connection, newConnection } from './connection.ts';
import { messagesOf } from './notifier.ts';

const FIRST_PAUSE_MILLIS = 100;
const LONGEST_PAUSE_MILLIS = 5000;
/** A connection that says nothing may be dead: it is asked this often. */
const HEARTBEAT_MILLIS = 10_000;
const POLL_MILLIS = 1000;

interface Listener {
  channel: string;
  onMessage: (message: string) => void;
  onConnect: () => void;
}

export interface Listening {
  /** Gives the function that ends it. */
  add(listener: Listener): () => void;
  close(): void;
}

/**
 * Listens on a connection of its own, which is there while somebody listens, and is opened again when it is lost. Behind
 * PgBouncer no session stays ours to listen on, so each listener is told every second that it may have missed something.
 */
export function newListening(address: Address): Listening {
  const listeners = new Set<Listener>();
  let connection: Connection | undefined;
  let timer: NodeJS.Timeout | undefined;
  let pauseMillis = FIRST_PAUSE_MILLIS;

  const later = (work: () => void, millis: number) => {
    clearTimeout(timer);
    timer = setTimeout(work, millis).unref();
  };
  const poll = () => {
    for (const { onConnect } of listeners) onConnect();
    later(poll, POLL_MILLIS);
  };
  const beat = async (own: Connection) => {
    await own.send('select 1').catch(() => own.discard());
    if (own.isLeft) own.discard();
    if (own === connection) later(() => beat(own), HEARTBEAT_MILLIS);
  };
  const listenTo = async (own: Connection, channel: string) => {
    await own.send(`listen "${channel}"`);
    pauseMillis = FIRST_PAUSE_MILLIS;
    for (const listener of listeners) if (listener.channel === channel) listener.onConnect();
  };
  const open = () => {
    const own = newConnection(address, {
      onClosed: () => {
        if (connection !== own) return;
        connection = undefined;
        if (listeners.size > 0) later(open, pauseMillis);
        pauseMillis = Math.min(pauseMillis * 2, LONGEST_PAUSE_MILLIS);
      },
      onNotification: (channel, payload) => {
        const concerned = [...listeners].filter((listener) => listener.channel === channel);
        for (const message of messagesOf(payload)) for (const { onMessage } of concerned) onMessage(message);
      },
    });
    connection = own;
    // One that fails is discarded, and the next is opened.
    const channels = new Set([...listeners].map(({ channel }) => channel));
    for (const channel of channels) listenTo(own, channel).catch(() => own.discard());
    later(() => beat(own), HEARTBEAT_MILLIS);
  };
  const stop = () => {
    clearTimeout(timer);
    const own = connection;
    connection = undefined;
    own?.discard();
  };

  return {
    add(listener) {
      const isFirst = listeners.size === 0;
      listeners.add(listener);
      if (address.pgbouncer) {
        if (isFirst) poll();
        else listener.onConnect();
      } else if (connection) {
        const own = connection;
        listenTo(own, listener.channel).catch(() => own.discard());
      } else if (isFirst) open();
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) stop();
      };
    },
    close() {
      listeners.clear();
      stop();
    },
  };
}
