import { randomUUID } from 'node:crypto';
import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Logger } from 'pino';
import { addressGroup, peerAddress, type TrustedProxies } from '../auth/peer-address.ts';
import { DomainError } from '../domain/errors.ts';
import { malformed } from '../http/json-body.ts';
import { problemResponse } from '../http/problem.ts';
import { connectionCame } from '../lib/in-turns.ts';

/** What a connection may take of a process (docs/decisions.md#time-outs), in milliseconds and bytes. */
export interface ConnectionLimits extends ServerOptions {
  /**
   * Open ones of a process; for further ones those who have the most make room, else they are closed at once. As many may wait to be
   * taken: what the system has no place for its client tries again after a second at the earliest.
   */
  maxConnections: number;
  /** Open ones of an address, a trusted proxy excepted; 0 for no limit. */
  maxPerAddress: number;
  isTrustedProxy: TrustedProxies;
  /** Requests of a connection that came and are not answered yet; one that sends more ahead is closed. */
  maxPipelined: number;
  /** In which a body may come that has less than `PIECE_BYTES` in each: a chunk costs the same, if it has but a byte. */
  maxPieces: number;
  /**
   * For which nothing is read or written: a client that does not take its answer. Subscriptions ping more often, and who waits for an
   * answer that is not begun is not idle.
   */
  idleTimeout: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  headersTimeout: 5000,
  requestTimeout: 30_000,
  // Node's own 30 s would let slow headers live 35 s, and slow bodies 60.
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 5000,
  maxHeaderSize: 16 * 1024,
  // Node would answer without a problem; `assertReadable` asks for it.
  requireHostHeader: false,
  maxConnections: 5000,
  maxPerAddress: 256,
  isTrustedProxy: () => false,
  maxPipelined: 10,
  maxPieces: 100,
  idleTimeout: 60_000,
};

/** The answer that the socket is at, if it is. */
type AnsweringSocket<Socket extends Duplex = Duplex> = Socket & {
  _httpMessage?: Pick<ServerResponse, 'headersSent' | 'req'> | null;
};

type FetchCallback = Parameters<typeof getRequestListener>[0];

const DROPS_LOGGED_EVERY_MILLIS = 1000;

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
  const server = createServer(bounded, boundBodies(boundPipelining(listener, limits.maxPipelined)));
  // Node itself would answer an `Expect` that it does not know, without a problem.
  server.on('checkExpectation', (incoming, outgoing) => server.emit('request', incoming, outgoing));
  server.on('connection', connectionCame);
  closeIdle(server, limits.idleTimeout);
  refuseUnreadableRest(server, limits, logger);
  boundConnections(server, limits, logger);
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

/**
 * Begins each request of a connection when the one before is answered, as its answer would wait for that one's; closes a connection that
 * sends too many ahead. Node hands over all that come in one piece in one turn, some hundreds of small ones, and goes on
 * reading while their answers wait.
 */
function boundPipelining(listener: RequestListener, maxPipelined: number): RequestListener {
  /** The answers that each connection is to have, the first of which is under way. */
  const underWay = new WeakMap<Duplex, ServerResponse[]>();
  const begin = (answer: ServerResponse) => {
    const { req } = answer;
    if (!refused.has(req) && !ending.has(req.socket)) void listener(req, answer);
  };
  function beginNext(this: ServerResponse) {
    const { socket } = this.req;
    const answers = underWay.get(socket)!;
    answers.shift();
    // Not behind an answer that said that it is the last (RFC 9112, section 9.6).
    if (answers.length > 0 && socket.writable) begin(answers[0]!);
  }
  return ({ socket }, outgoing) => {
    const answers = underWay.get(socket) ?? [];
    if (answers.length === 0) underWay.set(socket, answers);
    if (answers.push(outgoing) > maxPipelined) return cutOff(socket);
    outgoing.once('close', beginNext);
    if (answers.length === 1 && socket.writable) begin(outgoing);
  };
}

/** A line of a CSV file that is written by itself has more. */
const PIECE_BYTES = 32;

/** So much of a body is thrown away behind its answer, and for so long: then its connection is good for another request. */
const REST_BYTES = 64 * 1024;
const REST_MILLIS = 500;

/**
 * Those whose answer says that it is the last. Nothing that comes behind it is done: its client sends that again on another connection
 * (RFC 9112, section 9.6).
 */
const ending = new WeakSet<Duplex>();

interface BoundedRequest extends IncomingMessage {
  /** How many bytes its body still has; infinite where nothing is said of that. */
  readonly leftBytes: number;
  /** Once it is answered: what comes behind is bounded by itself. */
  boundRest(): void;
}

/** Closes a connection on which a body comes in too many small pieces, whether somebody reads it or not. */
function boundedRequest(maxPieces: number) {
  return class extends IncomingMessage implements BoundedRequest {
    pieces = 0;
    bytes = 0;
    mostBytes = Number.POSITIVE_INFINITY;

    override push(piece: Uint8Array | null): boolean {
      if (piece !== null) {
        this.bytes += piece.length;
        if (++this.pieces > maxPieces && this.bytes < this.pieces * PIECE_BYTES) cutOff(this.socket);
        if (this.bytes > this.mostBytes) this.pause();
      }
      return super.push(piece);
    }

    get leftBytes() {
      if (this.complete || !hasBody(this)) return 0;
      return Number(this.headers['content-length'] ?? Number.POSITIVE_INFINITY) - this.bytes;
    }

    boundRest() {
      this.pieces = 0;
      this.bytes = 0;
      this.mostBytes = REST_BYTES;
    }
  };
}

/**
 * Tells a client that has too much of its body still to send that its connection ends with the answer: it would put its next
 * request on it. Node, which closes by itself then, would cut the client off before it has read the answer.
 */
class BoundedResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
  declare _last: boolean;

  override writeHead(...head: unknown[]): this {
    const writeHead = super.writeHead as (...head: unknown[]) => this;
    const { leftBytes } = this.req as IncomingMessage as BoundedRequest;
    if (!this.shouldKeepAlive || !(leftBytes > REST_BYTES)) return writeHead.apply(this, head);
    this.setHeader('Connection', 'close');
    writeHead.apply(this, head);
    this._last = false;
    ending.add(this.req.socket);
    return this;
  }
}

/** Closes a connection whose request was answered long before the end of its body. Reading all of what was refused is what some would have us do. */
function boundBodies(listener: RequestListener): RequestListener {
  return (incoming, outgoing) => {
    if (hasBody(incoming)) {
      // Else Node would throw away unseen what nobody has read by the end of the answer.
      incoming.read(0);
      outgoing.once('finish', boundRest);
    }
    return listener(incoming, outgoing);
  };
}

function boundRest(this: ServerResponse): void {
  (this.req as BoundedRequest).boundRest();
  endWithin(this.req, REST_MILLIS);
}

/** Throws away what is still to come; the client has its answer, and takes it while it still sends. */
function endWithin(incoming: IncomingMessage, millis: number): void {
  const { socket } = incoming;
  const isLast = ending.has(socket);
  incoming.resume();
  if (incoming.complete && !isLast) return;
  const timer = setTimeout(() => socket.destroy(), millis);
  if (!isLast) incoming.once('close', () => clearTimeout(timer));
  else if (incoming.complete) socket.end();
  else incoming.once('end', () => socket.end());
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
}

/** With the functions that Node's parser calls, each by a number. */
type ParsedSocket = Duplex & { parser?: Record<string, unknown> | null };

/**
 * Closes a connection at once. By itself Node would go on with what else it has read of it: its parser calls for each chunk
 * and request, ten thousand times in 64 KiB, which takes 40 ms.
 */
function cutOff(socket: ParsedSocket): void {
  if (socket.destroyed) return;
  socket.destroy();
  const { parser } = socket;
  if (!parser) return;
  const called = Object.entries(parser).filter(([, value]) => isCalledByParser(value));
  for (const [key] of called) parser[key] = undefined;
  // Parsers are used again, at the earliest when the connection has closed: at the end of this turn of the loop.
  setImmediate(() => Object.assign(parser, Object.fromEntries(called)));
}

/** Not what belongs to the connection, which Node sets anew. */
function isCalledByParser(value: unknown): boolean {
  return typeof value === 'function' && value.name.startsWith('parserOn');
}

/**
 * Closes the connections that an address, or the process, has beyond its limit, before anything is read of them. Where the process has
 * as many as it may, one of an address with more of them makes room for one of an address with fewer: a few addresses do not keep out all others.
 */
function boundConnections(server: Server, limits: ConnectionLimits, logger: Logger): void {
  const { maxConnections, maxPerAddress, isTrustedProxy } = limits;
  /** Of each address but the trusted proxies, behind which is everybody: what had no request for the longest time first. */
  const open = new Map<string, Set<AnsweringSocket<Socket>>>();
  const ownOf = new WeakMap<Duplex, Set<AnsweringSocket<Socket>>>();
  let count = 0;
  const logTooMany = dropLog((dropped) =>
    logger.warn({ dropped, maxPerAddress }, 'connections were closed at once: too many of one address'),
  );
  const logFull = dropLog((dropped) =>
    logger.warn({ dropped, maxConnections }, 'connections were closed: there are too many'),
  );
  /** The first that may go, of the address with the most that has one, where those are more than so many. */
  const firstOf = (mayGo: (socket: AnsweringSocket) => boolean, moreThan: number) => {
    let first: Socket | undefined;
    let most = moreThan;
    for (const sockets of open.values()) {
      if (sockets.size <= most) continue;
      for (const socket of sockets) {
        if (socket.destroyed || !mayGo(socket)) continue;
        first = socket;
        most = sockets.size;
        break;
      }
    }
    return first;
  };
  const makesRoom = (own: ReadonlySet<Socket>) => {
    for (const mayGo of [isIdle, isUnfinished, isStalled]) {
      const going = firstOf(mayGo, own.size + 1);
      going?.destroy();
      if (going) return true;
    }
    return false;
  };
  const isWelcome = (own: ReadonlySet<Socket>) => {
    if (maxPerAddress > 0 && own.size >= maxPerAddress) {
      logTooMany();
      return false;
    }
    if (count < maxConnections) return true;
    logFull();
    return makesRoom(own);
  };
  server.prependListener('connection', (socket: Socket) => {
    const address = peerAddress(socket.remoteAddress, undefined, isTrustedProxy);
    const group = isTrustedProxy(address) ? null : addressGroup(address);
    const own = (group !== null && open.get(group)) || new Set();
    if (!isWelcome(own)) {
      socket.destroy();
      return;
    }
    count++;
    if (group !== null) {
      open.set(group, own.add(socket));
      ownOf.set(socket, own);
    }
    socket.once('close', () => {
      count--;
      own.delete(socket);
      if (group !== null && own.size === 0) open.delete(group);
    });
  });
  server.on('request', ({ socket }) => {
    const own = ownOf.get(socket);
    if (own?.delete(socket)) own.add(socket);
  });
}

const isIdle = ({ _httpMessage }: AnsweringSocket) => !_httpMessage;

/** It has still to send what is to be answered. */
const isUnfinished = ({ _httpMessage }: AnsweringSocket) =>
  _httpMessage?.headersSent === false && !_httpMessage.req.complete;

/** It does not take its answer, or more slowly than that is made. */
const isStalled = ({ _httpMessage, writableNeedDrain }: AnsweringSocket) =>
  _httpMessage?.headersSent === true && writableNeedDrain;

/** Counts what is dropped, and says it once in a while. */
function dropLog(log: (dropped: number) => void): () => void {
  let dropped = 0;
  return () => {
    if (dropped++ > 0) return;
    setTimeout(() => {
      log(dropped);
      dropped = 0;
    }, DROPS_LOGGED_EVERY_MILLIS).unref();
  };
}

/** In the address of a request of HTTP/1.0 that has no `Host`, as health checks send it. */
const NO_HOST = 'host.invalid';

/**
 * What Node lets pass, and two programs in a row could read in two ways: a second `Host`, and a path that the platform, or
 * Hono, would make another one of. Throws `MalformedRequest`.
 */
function assertReadable({ rawHeaders, headers, httpVersion, url = '' }: IncomingMessage): void {
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
function refuseUnreadable(logger: Logger): (error: unknown) => Response {
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
function refuseUnreadableRest(server: Server, { requestTimeout }: ConnectionLimits, logger: Logger): void {
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
