import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Logger } from 'pino';
import type { ConnectionLimits } from './connection-limits.ts';
import { dropLog } from './drop-log.ts';
import { putOffFirst } from './first-requests.ts';
import { boundConnections } from './open-connections.ts';
import { BoundedResponse, boundBodies, boundedRequest, boundPipelining } from './request-bounds.ts';
import type { AnsweringSocket } from './sockets.ts';
import { assertReadable, NO_HOST, refuseUnreadable, refuseUnreadableRest } from './unreadable.ts';
import { boundUntaken } from './untaken-answers.ts';

type FetchCallback = Parameters<typeof getRequestListener>[0];

/**
 * The HTTP server of an app, not listening yet. What is no HTTP, too slow or too large to reach the app is answered
 * with a problem, too.
 */
export function createHttpServer(fetch: FetchCallback, limits: ConnectionLimits, logger: Logger): Server {
  const listener = getRequestListener(
    (request, bindings) => {
      assertReadable(bindings.incoming as IncomingMessage);
      return fetch(request, bindings);
    },
    // What nobody has read of a body is our own matter.
    { errorHandler: refuseUnreadable(logger), hostname: NO_HOST, autoCleanupIncoming: false },
  );
  const bounded = {
    ...limits,
    IncomingMessage: boundedRequest(limits.maxPieces),
    ServerResponse: BoundedResponse,
  };
  const server = createServer(bounded);
  const dropped = dropLog(
    logger,
    {},
    'requests were dropped: their connections had ended before they were begun',
  );
  const inOrder = boundPipelining(putOffFirst(server, listener, dropped), limits.maxPipelined);
  server.on('request', boundBodies(inOrder));
  // Node itself would answer an `Expect` that it does not know, without a problem.
  server.on('checkExpectation', (incoming, outgoing) => server.emit('request', incoming, outgoing));
  closeIdle(server, limits.idleTimeout);
  refuseUnreadableRest(server, limits.requestTimeout!, logger);
  boundConnections(server, limits, logger);
  boundUntaken(server, limits, logger);
  return server;
}

function closeIdle(server: Server, idleTimeout: number): void {
  server.timeout = idleTimeout;
  server.on('timeout', (socket: AnsweringSocket<Socket>) => {
    const isWaiting = socket._httpMessage?.headersSent === false;
    if (isWaiting) socket.setTimeout(idleTimeout);
    else socket.destroy();
  });
}
