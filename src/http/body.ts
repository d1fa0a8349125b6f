import { Readable } from 'node:stream';
import { DomainError } from '../domain/errors.ts';
import { LIMITS } from '../domain/limits.ts';
import { linesIn } from '../lib/text.ts';
import { BODY_LIMITS, type BodyLimits, Room, type Sender, UPLOAD_LIMITS } from './body-room.ts';
import { SpeedWatch } from './body-speed.ts';

/**
 * The bytes of a request's body; null where there are more than `maxBytes`, of which no more are read then. Throws
 * `MalformedRequest` where the client leaves, or is too slow, in the middle: that is no failure of ours. Throws
 * `RateLimited` and `Unavailable` where there is no room for it.
 */
export type ReadBody = (maxBytes: number) => Promise<Uint8Array | null>;

/**
 * The bytes of a file that is uploaded, as they come; no more are taken from the client while nobody asks for them. Throws as
 * `ReadBody` does. Who has read enough leaves the rest.
 */
export type StreamBody = (isOfLines: boolean) => AsyncIterable<Uint8Array>;

/** The body of a request, and the room that it takes until it is released. */
export interface Body {
  read(maxBytes: number, sender: Sender): Promise<Uint8Array | null>;
  /** @param isOfLines whether rows are made of its lines, which count for what they take */
  stream(sender: Sender, isOfLines: boolean): AsyncIterable<Uint8Array>;
  /** When its request is answered. Who still reads it as it comes is cut off: nobody has use for it. */
  release(): void;
}

/** The bodies that are under way in a process: those that are read, and those whose requests are not answered yet. */
export interface Bodies {
  /** @param incoming the request as Node has it, which is read quicker */
  of(request: Request, incoming: Readable | undefined): Body;
  /** The bytes that they take. */
  readonly bytes: number;
}

export function createBodies(
  limits: BodyLimits = BODY_LIMITS,
  uploadLimits: BodyLimits = UPLOAD_LIMITS,
): Bodies {
  const places: Places = { body: placeOf(limits), upload: placeOf(uploadLimits) };
  return {
    of: (request, incoming) => new ArrivingBody(request, incoming, places),
    get bytes() {
      return places.body.room.bytes + places.upload.room.bytes;
    },
  };
}

/** Where bodies are counted, and watched; files that are uploaded have a place of their own. */
type Places = Record<'body' | 'upload', ReturnType<typeof placeOf>>;

function placeOf(limits: BodyLimits) {
  return { room: new Room(limits), watch: new SpeedWatch(limits) };
}

/** Where nothing is said of the length; it doubles. */
const FIRST_BYTES = 16 * 1024;

/** What is made of a line of a file takes so much, however short that is; of more lines nothing is made. */
const LINE_BYTES = 320;
const MOST_LINES = LIMITS.importTransactions;

/** Whether all of a body is at hand already, as most often that of a small one, which comes with the head of its request. */
function hasCome(stream: Readable & { complete?: boolean }, bytes: number): boolean {
  const { complete, destroyed, readableFlowing, readableLength } = stream;
  return complete === true && !destroyed && readableFlowing === null && readableLength === bytes;
}

class ArrivingBody implements Body {
  received = 0;
  /** Not while those who read it are busy with what has come. */
  isAwaited = true;
  readonly #request: Request;
  readonly #incoming: Readable | undefined;
  readonly #places: Places;
  #place: Places['body'];
  #sender: Sender | undefined;
  #held = 0;
  /** What has come, with room for more behind it. */
  #whole: Uint8Array = EMPTY;
  /** Cuts off who reads it as it comes. */
  #cut = () => {};

  constructor(request: Request, incoming: Readable | undefined, places: Places) {
    this.#request = request;
    this.#incoming = incoming;
    this.#places = places;
    this.#place = places.body;
  }

  async read(maxBytes: number, sender: Sender): Promise<Uint8Array | null> {
    const stated = statedLength(this.#request);
    if (stated !== null && stated > maxBytes) return null;
    const stream = this.#begin(sender, stated);
    if (stream === null) return EMPTY;
    if (stated !== null && hasCome(stream, stated)) {
      this.received = stated;
      return stream.read() ?? EMPTY;
    }
    return this.#collect(stream, maxBytes);
  }

  async *stream(sender: Sender, isOfLines: boolean): AsyncGenerator<Uint8Array> {
    this.#place = this.#places.upload;
    const stream = this.#begin(sender, statedLength(this.#request));
    if (stream !== null) yield* this.#pieces(stream, isOfLines);
  }

  #begin(sender: Sender, stated: number | null): Readable | null {
    this.#sender = sender;
    this.#hold(stated ?? FIRST_BYTES);
    return this.#incoming ?? streamOf(this.#request);
  }

  release(): void {
    this.#cut();
    if (this.#held === 0) return;
    this.#place.room.giveBack(this.#sender!, this.#held);
    this.#held = 0;
  }

  #hold(bytes: number): void {
    this.#place.room.take(this.#sender!, bytes - this.#held);
    this.#held = bytes;
  }

  #collect(stream: Readable, maxBytes: number): Promise<Uint8Array | null> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      const finish = () => {
        const isFirst = !isOver;
        isOver = true;
        this.#place.watch.forget(this);
        return isFirst;
      };
      const stop = () => {
        stream.off('data', take);
        // What is still to come is the server's matter, behind the answer.
        stream.pause();
      };
      const fail = (error: unknown) => {
        if (!finish()) return;
        stop();
        reject(error);
      };
      const take = (chunk: Uint8Array) => {
        try {
          if (this.#add(chunk, maxBytes) || !finish()) return;
          stop();
          resolve(null);
        } catch (error) {
          fail(error);
        }
      };
      const end = () => {
        if (finish()) resolve(this.#whole.subarray(0, this.received));
      };
      // Each stream is closed in the end: the error, which is slow to make, is for one that is not over.
      const cut = () => {
        if (!isOver) fail(cutOff());
      };
      stream.on('data', take).on('end', end).on('error', cut).on('close', cut);
      this.#place.watch.add(this, () => fail(tooSlow()));
      if (stream.destroyed) cut();
    });
  }

  async *#pieces(stream: Readable, isOfLines: boolean): AsyncGenerator<Uint8Array> {
    const come: Uint8Array[] = [];
    let isWhole = false;
    let isLeft = false;
    let lines = 0;
    let failure: unknown;
    let wake = () => {};
    const fail = (error: unknown) => {
      // A stream that has ended is closed, too.
      if (isWhole) return;
      failure ??= error;
      wake();
    };
    const take = (chunk: Uint8Array) => {
      stream.pause();
      come.push(chunk);
      this.received += chunk.length;
      if (isOfLines) lines += linesIn(chunk);
      const taken = Math.max(this.received, Math.min(lines, MOST_LINES) * LINE_BYTES);
      try {
        if (taken > this.#held) this.#hold(taken);
        wake();
      } catch (error) {
        // Nothing is to be made of lines that there is no room for.
        if (taken > this.received) come.length = 0;
        fail(error);
      }
    };
    const end = () => {
      isWhole = failure === undefined;
      wake();
    };
    const cut = () => fail(cutOff());
    const leave = () => {
      if (isLeft) return;
      isLeft = true;
      this.#place.watch.forget(this);
      stream.off('data', take);
      // What is still to come is the server's matter, behind the answer.
      stream.pause();
    };
    // A parser may have asked for more when it found what is wrong, and leave only when that is there.
    this.#cut = () => {
      leave();
      cut();
    };
    stream.on('data', take).on('end', end).on('error', cut).on('close', cut);
    this.#place.watch.add(this, () => fail(tooSlow()));
    if (stream.destroyed) cut();
    try {
      while (true) {
        const chunk = come.shift();
        if (chunk) {
          yield chunk;
        } else if (isWhole) {
          return;
        } else {
          if (failure !== undefined) throw failure;
          this.isAwaited = true;
          const woken = new Promise<void>((resolve) => {
            wake = resolve;
          });
          stream.resume();
          await woken;
          this.isAwaited = false;
        }
      }
    } finally {
      leave();
    }
  }

  /**
   * In one piece of memory, however small the pieces are in which it comes: each of those takes more than its bytes. False where it gets too long.
   */
  #add(chunk: Uint8Array, maxBytes: number): boolean {
    const length = this.received + chunk.length;
    if (length > maxBytes) return false;
    if (length > this.#held) this.#hold(Math.min(maxBytes, Math.max(length, 2 * this.#held)));
    if (length === this.#held && this.received === 0) {
      this.#whole = chunk;
    } else {
      if (this.#whole.length < this.#held) this.#whole = enlarged(this.#whole, this.#held);
      this.#whole.set(chunk, this.received);
    }
    this.received = length;
    return true;
  }
}

const EMPTY = new Uint8Array(0);

function statedLength({ headers }: Request): number | null {
  const stated = headers.get('Content-Length');
  return stated === null ? null : Number(stated);
}

/** Of requests that do not come from a socket. */
function streamOf({ body }: Request): Readable | null {
  return body && Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
}

function enlarged(bytes: Uint8Array, length: number): Uint8Array {
  const larger = Buffer.allocUnsafeSlow(length);
  larger.set(bytes);
  return larger;
}

function tooSlow(): DomainError {
  return new DomainError('MalformedRequest', 'The body came too slowly.', { status: 408 });
}

const NO_ENCODING = /^(identity)?$/i;

/** Whether a request says of its body that it is compressed, which none that is taken may be. */
export function isCompressed(headers: Headers): boolean {
  return !NO_ENCODING.test(headers.get('Content-Encoding') ?? '');
}

/** Nobody is there to read it; it only is no failure in the log and the metrics. */
function cutOff(): DomainError {
  return new DomainError('MalformedRequest', 'The body was cut off before its end.');
}
