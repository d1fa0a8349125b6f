import { randomUUID } from 'node:crypto';
import { createServer, type Server, type ServerOptions, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Logger } from 'pino';
import { DomainError } from '../domain/errors.ts';
import { problemResponse } from '../http/problem.ts';

/** What a connection may take of a process (docs/decisions.md#time-outs), in milliseconds and bytes. */
export interface ConnectionLimits extends ServerOptions {
  /** Open ones of a process; further ones are closed at once. */
  maxConnections: number;
  /** For which nothing is read or written: a client that does not take its answer. Subscriptions ping more often. */
  idleTimeout: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  headersTimeout: 5000,
  requestTimeout: 30_000,
  // Node's own 30 s would let slow headers live 35 s, and slow bodies 60.
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 5000,
  maxHeaderSize: 16 * 1024,
  maxConnections: 5000,
  idleTimeout: 60_000,
};

type FetchCallback = Parameters<typeof getRequestListener>[0];

const DROPS_LOGGED_EVERY_MILLIS = 1000;

/**
 * The HTTP server of an app, not listening yet. What is no HTTP, too slow or too large to reach the app is answered
 * with a problem, too.
 */
export function createHttpServer(fetch: FetchCallback, limits: ConnectionLimits, logger: Logger): Server {
  const server = createServer(limits, getRequestListener(fetch, { errorHandler: refuseUnreadable(logger) }));
  server.maxConnections = limits.maxConnections;
  server.timeout = limits.idleTimeout;
  server.on('clientError', refuse);
  let dropped = 0;
  server.on('drop', () => {
    if (dropped++ > 0) return;
    const log = () => {
      const { maxConnections } = limits;
      logger.warn({ dropped, maxConnections }, 'connections were closed at once: there are too many');
      dropped = 0;
    };
    setTimeout(log, DROPS_LOGGED_EVERY_MILLIS).unref();
  });
  return server;
}

/** Of a request whose address is none, such as `OPTIONS *` or one with a broken `Host`. */
function refuseUnreadable(logger: Logger): (error: unknown) => Response {
  return (error) => {
    const requestId = randomUUID();
    if (error instanceof RequestError) {
      const detail = 'The address of the request cannot be read; see its first line and its Host.';
      return problemResponse(new DomainError('MalformedRequest', detail), '/', requestId);
    }
    logger.error({ err: error, requestId }, 'request failed');
    return problemResponse(error, '/', requestId);
  };
}

/** The answer that the socket is at, if it is. */
type AnsweringSocket = Duplex & { _httpMessage?: { headersSent: boolean } | null };

const REFUSALS: Readonly<Record<string, { status: number; detail: string }>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: 'The request took too long to arrive.' },
  HPE_HEADER_OVERFLOW: { status: 431, detail: 'The headers of the request are too large.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, detail: 'The chunk extensions of the body are too large.' },
};
const NO_HTTP = { status: 400, detail: 'The request is no HTTP/1.1.' };

/** Answers a request that never reached the app, whose path is not known. */
async function refuse(error: NodeJS.ErrnoException, socket: AnsweringSocket): Promise<void> {
  const { status, detail } = REFUSALS[error.code ?? ''] ?? NO_HTTP;
  const requestId = randomUUID();
  const answer = problemResponse(new DomainError('MalformedRequest', detail, { status }), '/', requestId);
  const body = await answer.text();
  // Half an answer is no place for another one.
  if (!socket.writable || socket._httpMessage?.headersSent) {
    socket.destroy();
    return;
  }
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Connection: close',
      `Content-Type: ${answer.headers.get('Content-Type')}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      '',
      body,
    ].join('\r\n'),
  );
}
