import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { RequestError } from '@hono/node-server';
import type { Logger } from 'pino';
import { DomainError } from '../domain/errors.ts';
import { malformed } from '../http/json-body.ts';
import { problemResponse } from '../http/problem.ts';
import type { AnsweringSocket } from './sockets.ts';

/** What is no HTTP, or could be read in two ways, and so does not reach the app. */

/** In the address of a request of HTTP/1.0 that has no `Host`, as health checks send it. */
export const NO_HOST = 'host.invalid';

/**
 * What Node lets pass, and two programs in a row could read in two ways: a second `Host`, and a path that the platform, or
 * Hono, would make another one of. Throws `MalformedRequest`.
 */
export function assertReadable({ rawHeaders, headers, httpVersion, url = '' }: IncomingMessage): void {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (isHost(rawHeaders[i]!)) hosts++;
  if (hosts > 1) throw malformed('The request has more than one Host.');
  if (!headers.host && httpVersion === '1.1') throw malformed('The request has no Host.');
  const namedHost = ABSOLUTE.exec(url)?.[1];
  if (namedHost !== undefined && namedHost.toLowerCase() !== headers.host?.toLowerCase())
    throw malformed('The request names one host in its first line, and another one in its Host.');
  // What stands behind it would be left out, and "/x#y" be "/x".
  if (url.includes('#')) throw malformed('The address has a "#"; encode it.');
  const query = url.indexOf('?');
  const path = query < 0 ? url : url.slice(0, query);
  if (DOT_SEGMENT.test(path)) throw malformed('The path has a segment of dots; leave it out.');
  if (NEEDLESSLY_ENCODED.test(path))
    throw malformed('The path encodes a letter, a digit or one of "-._~"; send it as it is.');
}

/** What a client sends to a proxy, and who knows what that is may send to any server (RFC 9112, section 3.2.2). */
const ABSOLUTE = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i;

const DOT_SEGMENT = /\/\.\.?(\/|$)/;

/** The unreserved characters of RFC 3986. */
const NEEDLESSLY_ENCODED = /%(2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\dae])/i;

function isHost(name: string): boolean {
  return name.length === 4 && name.toLowerCase() === 'host';
}

/** Of a request whose address is none, such as `OPTIONS *` or one with a broken `Host`. */
export function refuseUnreadable(logger: Logger): (error: unknown) => Response {
  return (error) =>
    refusal(
      logger,
      error instanceof RequestError
        ? malformed('The address of the request cannot be read; see its first line and its Host.')
        : error,
    );
}

/** Answers what never reached the app, of which neither the path nor the account is known. */
function refusal(logger: Logger, error: unknown): Response {
  const requestId = randomUUID();
  const answer = problemResponse(error, '/', requestId);
  answer.headers.set('X-Request-Id', requestId);
  const { status } = answer;
  if (error instanceof DomainError) logger.info({ requestId, route: 'unmatched', status });
  else logger.error({ err: error, requestId }, 'request failed');
  return answer;
}

/** Requests that did not come whole, while others of their connections were under way. */
const refused = new WeakSet<IncomingMessage>();

export function isRefused(request: IncomingMessage): boolean {
  return refused.has(request);
}

const REFUSALS: Readonly<Record<string, { status: number; detail: string }>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: 'The request took too long to arrive.' },
  HPE_HEADER_OVERFLOW: { status: 431, detail: 'The headers of the request are too large.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, detail: 'The chunk extensions of the body are too large.' },
};
const NO_HTTP = { status: 400, detail: 'The request is not HTTP/1.1.' };

interface Answers {
  newest: ServerResponse;
  /** The one before that, while it was not finished. */
  before: ServerResponse | undefined;
  isRefused: boolean;
}

/** What is no HTTP is refused behind the answers to the requests that came whole before it on the connection. */
export function refuseUnreadableRest(server: Server, requestTimeout: number, logger: Logger): void {
  const answersOf = new WeakMap<Duplex, Answers>();
  server.on('request', ({ socket }, newest) => {
    const before = answersOf.get(socket)?.newest;
    answersOf.set(socket, {
      newest,
      before: before?.writableFinished ? undefined : before,
      isRefused: false,
    });
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: AnsweringSocket) => {
    const answers = answersOf.get(socket);
    const last = answers?.newest.req.complete ? answers.newest : answers?.before;
    if (!last || last.writableFinished || !socket.writable) {
      void refuse(error, socket, logger);
      return;
    }
    // A client that goes on is refused once.
    if (answers!.isRefused) return;
    answers!.isRefused = true;
    if (!answers!.newest.req.complete) refused.add(answers!.newest.req);
    // A client may take nothing of its answer, and go on sending.
    const cut = setInterval(() => {
      if (socket._httpMessage?.headersSent !== false) socket.destroy();
    }, requestTimeout);
    // An answer that waits behind another is not told when its client leaves.
    socket.once('close', () => clearInterval(cut));
    last.once('close', () => {
      clearInterval(cut);
      if (socket.writable) void refuse(error, socket, logger);
    });
  });
}

/** Answers what is no request, on its connection. */
async function refuse(error: NodeJS.ErrnoException, socket: AnsweringSocket, logger: Logger): Promise<void> {
  // Half an answer is no place for another one.
  const isOver = () => !socket.writable || socket._httpMessage?.headersSent;
  if (error.code === 'ECONNRESET' || isOver()) {
    socket.destroy();
    return;
  }
  const { status, detail } = REFUSALS[error.code ?? ''] ?? NO_HTTP;
  const answer = refusal(logger, new DomainError('MalformedRequest', detail, { status }));
  const body = await answer.text();
  if (isOver()) {
    socket.destroy();
    return;
  }
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Connection: close',
      `Content-Type: ${answer.headers.get('Content-Type')}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${answer.headers.get('X-Request-Id')}`,
      '',
      body,
    ].join('\r\n'),
  );
}
