import { once } from 'node:events';
import type { Server } from 'node:http';
import { takeAllHeld } from './arrivals.ts';
import { closeUnused, untakenOf } from './open-connections.ts';
import { answering } from './sockets.ts';

/** Within the 10 s that a process has to end: what is not answered by then is cut off. */
const GRACE_MILLIS = 8000;
const IDLE_INTERVAL_MILLIS = 50;
/** So long the first request of a connection may be on its way. */
const UNUSED_MILLIS = 1000;

/** Ends when all that was accepted is answered; connections that stay open are told to close with their next answer. */
export async function drain(server: Server): Promise<void> {
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false;
  });
  const closed = once(server, 'close');
  spareUntaken(server);
  takeAllHeld(server);
  server.close();
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_INTERVAL_MILLIS);
  // Node takes them for busy. Once more has been read, as something may have come.
  const unused = setTimeout(setImmediate, UNUSED_MILLIS, closeUnused, server);
  const cut = setTimeout(() => server.closeAllConnections(), GRACE_MILLIS);
  await closed;
  clearInterval(idle);
  clearTimeout(unused);
  clearTimeout(cut);
}

/** Node takes for idle, in `close` too, what has its answer whole, though its client has still to take some of that. */
function spareUntaken(server: Server): void {
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => answering(untakenOf(server), closeIdle);
}
