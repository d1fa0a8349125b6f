import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AnswerOwner, Outgoing } from '../http/exchange.ts';
import { cutOff, keptBytes, leftBytes, UNTAKEN, UNTAKEN_BYTES } from './sockets.ts';
import { isRefused } from './unreadable.ts';

/** What a client may send on a connection: requests ahead of their answers, and bodies in pieces, late or for nobody. */

/**
 * Begins each request of a connection when the one before is answered, as its answer would wait for that one's; closes a connection that
 * sends too many ahead. Node hands over all that come in one piece in one turn, some hundreds of small ones, and goes on
 * reading while their answers wait.
 */
export function boundPipelining(listener: RequestListener, maxPipelined: number): RequestListener {
  /** The answers that each connection is to have, the first of which is under way. */
  const underWay = new WeakMap<Duplex, ServerResponse[]>();
  const begin = (answer: ServerResponse) => {
    const { req } = answer;
    if (!isRefused(req) && !ending.has(req.socket)) void listener(req, answer);
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

const NOBODY: AnswerOwner = {};

/** Longer ones are sent as bytes: Node would put the head and a text together first, and so copy both, and count its characters. */
const LONG_TEXT = 4096;

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
export function boundedRequest(maxPieces: number) {
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
export class BoundedResponse<Request extends IncomingMessage>
  extends ServerResponse<Request>
  implements Outgoing
{
  declare _last: boolean;
  owner: AnswerOwner = NOBODY;

  get leftBytes() {
    return leftBytes(this.req.socket);
  }

  /** With what the system has of it, which would keep that for as long as it is not taken. */
  override destroy(error?: Error): this {
    const { socket } = this.req;
    // Not what serves another answer by now; one that is ended cannot be reset.
    if (!this.destroyed && socket.writable) socket.resetAndDestroy();
    return super.destroy(error);
  }

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

  override write(...written: unknown[]): boolean {
    const isFirst = this.req.socket.writableLength === 0;
    const goesOn = (super.write as (...written: unknown[]) => boolean)(...written);
    // Node offers it to the system behind this, with what is written besides.
    process.nextTick(() => this.#tellUntaken(isFirst));
    return goesOn;
  }

  override end(body?: unknown, ...rest: unknown[]): this {
    const isFirst = this.req.socket.writableLength === 0;
    const isLong = typeof body === 'string' && body.length > LONG_TEXT && typeof rest[0] !== 'string';
    (super.end as (...written: unknown[]) => this)(isLong ? Buffer.from(body) : body, ...rest);
    this.#tellUntaken(isFirst);
    return this;
  }

  #tellUntaken(isFirst: boolean): void {
    const { socket } = this.req;
    if (keptBytes(socket) >= UNTAKEN_BYTES) socket.emit(UNTAKEN, this.owner, isFirst);
  }
}

/** Closes a connection whose request was answered long before the end of its body. Reading all of what was refused is what some would have us do. */
export function boundBodies(listener: RequestListener): RequestListener {
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
