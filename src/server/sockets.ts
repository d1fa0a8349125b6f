import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** What Node keeps inside of a connection, and does not show. */

/** The answer that the socket is at, if it is. */
export type AnsweringSocket<Socket extends Duplex = Duplex> = Socket & {
  _httpMessage?: Answer | null | undefined;
};
type Answer = Pick<ServerResponse, 'headersSent' | 'req' | 'finished'>;

const UNFINISHED = { finished: false } as Answer;

/** Does what looks at them while the sockets are at an answer that is not written whole. */
export function answering(sockets: readonly AnsweringSocket[], work: () => void): void {
  const answers = sockets.map((socket) => socket._httpMessage);
  for (const socket of sockets) socket._httpMessage = UNFINISHED;
  try {
    work();
  } finally {
    for (const [i, socket] of sockets.entries()) socket._httpMessage = answers[i];
  }
}

/** The event of a socket whose client sent more on it than it may; it is destroyed by then, and closes later. */
export const CUT_OFF = 'cutOff';

/**
 * The event of a socket that has much of an answer which its client does not take as quickly as it is made; with whom it is for, and whether nothing
 * of that was there before.
 */
export const UNTAKEN = 'untaken';

/** What a connection has of answers, below which nobody counts it. */
export const UNTAKEN_BYTES = 64 * 1024;

type WrittenSocket = Duplex & { _handle?: { writeQueueSize: number } | null };

/** What a connection keeps in memory of its answers, in bytes: a piece is kept until all of it is taken. */
export function keptBytes({ destroyed, writableLength }: Duplex): number {
  return destroyed ? 0 : writableLength;
}

/** What the system has still to take of the piece that it is at. */
export function leftBytes({ _handle, writableLength }: WrittenSocket): number {
  return _handle?.writeQueueSize ?? writableLength;
}

interface Connection {
  /** Whether Node wants to read. */
  reading: boolean;
  readStop(): void;
  readStart(): void;
}
type ReadSocket = Duplex & { _handle?: Connection | null };

/**
 * Leaves what comes on a connection in the system; the function that it gives goes on with it, unless Node wants to read nothing by then, as of
 * a body that is not taken. Nothing where that is so already, or it is closed. `reading` stays true: Node does not begin by itself.
 */
export function stopReading(socket: ReadSocket): (() => void) | undefined {
  const { _handle } = socket;
  if (!_handle?.reading) return undefined;
  _handle.readStop();
  return () => {
    if (socket._handle?.reading) _handle.readStart();
  };
}

/** With the functions that Node's parser calls, each by a number. */
type Parser = Record<string, unknown>;
type ParsedSocket = Duplex & { parser?: Parser | null };

/**
 * Closes a connection at once. By itself Node would go on with what else it has read of it: its parser calls for each chunk
 * and request, ten thousand times in 64 KiB, which takes 40 ms.
 */
export function cutOff(socket: ParsedSocket): void {
  if (socket.destroyed) return;
  socket.destroy();
  if (socket.parser) silence(socket.parser);
  socket.emit(CUT_OFF);
}

function silence(parser: Parser): void {
  const called = Object.entries(parser).filter(([, value]) => isCalledByParser(value));
  for (const [key] of called) parser[key] = undefined;
  // Parsers are used again, at the earliest when the connection has closed: at the end of this turn of the loop.
  setImmediate(() => Object.assign(parser, Object.fromEntries(called)));
}

/** Not what belongs to the connection, which Node sets anew. */
function isCalledByParser(value: unknown): boolean {
  return typeof value === 'function' && value.name.startsWith('parserOn');
}
