import { connect, type Socket } from 'node:net';

/** A request as it goes over the wire, made once: the load generator must cost next to nothing. */
export interface WireRequest {
  bytes: Buffer;
  /** Where the number of the request stands, which makes each body another one; -1 where it has none. */
  numberAt: number;
}

/** Stands in a body for the number of the request. */
export const NUMBER = '0123456789';

export interface WireResponse {
  status: number;
  body: string;
}

export interface RequestParts {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

export function wireRequest({ method, path, headers = {}, body }: RequestParts): WireRequest {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined
      ? []
      : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
  ];
  const bytes = Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
  return { bytes, numberAt: bytes.indexOf(NUMBER) };
}

let sent = 0;

/** The bytes of a request that is sent now. */
function bytesOf({ bytes, numberAt }: WireRequest): Buffer {
  if (numberAt < 0) return bytes;
  const own = Buffer.from(bytes);
  own.write(String(sent++).padStart(NUMBER.length, '0'), numberAt, 'latin1');
  return own;
}

/** One keep-alive connection that sends a request at a time. */
export class Connection {
  readonly #socket: Socket;
  #chunks: Buffer[] = [];
  #length = 0;
  #expected = -1;
  #resolve: ((response: Buffer) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;

  constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', (chunk) => this.#take(chunk));
    this.#socket.on('error', (error) => this.#reject?.(error));
    this.#socket.on('close', () => this.#reject?.(new Error('The server closed the connection.')));
  }

  send(request: WireRequest): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#socket.write(bytesOf(request));
    });
  }

  close(): void {
    this.#reject = undefined;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#expected < 0) this.#expected = expectedLength(this.#joined());
    const isComplete =
      this.#expected === Number.POSITIVE_INFINITY
        ? chunk.subarray(-5).toString('latin1') === '0\r\n\r\n'
        : this.#expected >= 0 && this.#length >= this.#expected;
    if (!isComplete) return;
    const response = this.#joined();
    this.#chunks = [];
    this.#length = 0;
    this.#expected = -1;
    this.#resolve!(response);
  }

  #joined(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0]!;
  }
}

/** The bytes of the whole response: −1 while its head is not there, infinite for a body in chunks. */
function expectedLength(start: Buffer): number {
  const end = start.indexOf('\r\n\r\n');
  if (end < 0) return -1;
  const length = /^content-length: *(\d+)/im.exec(start.toString('latin1', 0, end))?.[1];
  if (length !== undefined) return end + 4 + Number(length);
  return statusOf(start) === 204 ? end + 4 : Number.POSITIVE_INFINITY;
}

function statusOf(response: Buffer): number {
  return Number(response.toString('latin1', 9, 12));
}

/** The status and the text of a whole response. */
export function parsed(response: Buffer): WireResponse {
  const end = response.indexOf('\r\n\r\n');
  const head = response.toString('latin1', 0, end);
  const body = response.subarray(end + 4);
  return {
    status: statusOf(response),
    body: /^transfer-encoding: *chunked/im.test(head) ? dechunked(body) : body.toString(),
  };
}

function dechunked(body: Buffer): string {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.toString('latin1', at, lineEnd), 16);
    if (size === 0) return Buffer.concat(parts).toString();
    parts.push(body.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}

export async function sendOnce(port: number, request: WireRequest): Promise<WireResponse> {
  const connection = new Connection(port);
  try {
    return parsed(await connection.send(request));
  } finally {
    connection.close();
  }
}

export interface Load {
  perSecond: number;
  /** Milliseconds, sorted. */
  times: number[];
}

/** Sends the requests in turn over `connections` for some time. Throws at an answer that is not 200. */
export async function load(
  port: number,
  requests: readonly WireRequest[],
  { connections, millis, offset }: { connections: number; millis: number; offset: number },
): Promise<Load> {
  const times: number[] = [];
  let next = offset;
  const started = performance.now();
  const run = async () => {
    const connection = new Connection(port);
    try {
      for (let start = performance.now(); start - started < millis; ) {
        const response = await connection.send(requests[next++ % requests.length]!);
        const end = performance.now();
        if (statusOf(response) !== 200) throw new Error(JSON.stringify(parsed(response)));
        times.push(end - start);
        start = end;
      }
    } finally {
      connection.close();
    }
  };
  await Promise.all(Array.from({ length: connections }, run));
  const perSecond = (times.length / (performance.now() - started)) * 1000;
  return { perSecond, times: times.sort((a, b) => a - b) };
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}
