import { connect, type Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { eventually } from './eventually.ts';

/** Connections that send a byte now and then, for as long as the server lets them. */

export interface SlowEnd {
  kind: string;
  /** From the connection on. */
  millis: number;
  /** The status of the answer; null where the connection was closed without one. */
  status: number | null;
}

type Beginning = (token: string) => { text: string; drip: string };

const post = (path: string, headers: string[], text: string): string =>
  [`POST ${path} HTTP/1.1`, 'Host: x', ...headers, '', text].join('\r\n');
const JSON_TYPE = 'Content-Type: application/json';
const LENGTH = 'Content-Length: 100000';

/** What slow clients are slow at. */
export const SLOW_KINDS: Readonly<Record<string, Beginning>> = {
  nothing: () => ({ text: '', drip: '' }),
  headers: () => ({ text: 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ', drip: 'x' }),
  body: (token) => ({
    text: post('/collection', [`Authorization: Bearer ${token}`, JSON_TYPE, LENGTH], '{'),
    drip: ' ',
  }),
  chunks: (token) => ({
    text: post(
      '/collection',
      [`Authorization: Bearer ${token}`, JSON_TYPE, 'Transfer-Encoding: chunked'],
      '',
    ),
    drip: '1\r\n \r\n',
  }),
  document: (token) => ({
    text: post('/graphql', [`Authorization: Bearer ${token}`, JSON_TYPE, LENGTH], '{'),
    drip: ' ',
  }),
  form: () => ({
    text: post(
      '/oauth2/token',
      ['Content-Type: application/x-www-form-urlencoded', 'Content-Length: 9999'],
      'a',
    ),
    drip: 'a',
  }),
};

/** Opens `count` slow connections, of all kinds in turn, and resolves when the server has closed all of them. */
export async function slowClients(
  { port, token }: { port: number; token: string },
  count: number,
  dripMillis: number,
): Promise<SlowEnd[]> {
  const kinds = Object.keys(SLOW_KINDS);
  return Promise.all(
    Array.from({ length: count }, (_, i) => slowClient(port, token, kinds[i % kinds.length]!, dripMillis)),
  );
}

function slowClient(port: number, token: string, kind: string, dripMillis: number): Promise<SlowEnd> {
  const { text, drip } = SLOW_KINDS[kind]!(token);
  const start = performance.now();
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write(text);
  const timer = setInterval(() => socket.write(drip), dripMillis);
  return answerOf(socket).then((answer) => {
    clearInterval(timer);
    return { kind, millis: performance.now() - start, status: statusOf(answer) };
  });
}

/** All that comes until the server closes the connection. */
export function answerOf(socket: Socket): Promise<string> {
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1');
  });
  // What is written to a closed connection fails; that it is closed is what matters.
  socket.on('error', () => {});
  return new Promise((resolve) => socket.on('close', () => resolve(answer)));
}

export function statusOf(answer: string): number | null {
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1];
  return status === undefined ? null : Number(status);
}

/** Reads on until more than so many bytes have come. */
export async function takes(socket: Socket, bytes: number): Promise<void> {
  let taken = 0;
  socket.on('data', (piece: Buffer) => {
    taken += piece.length;
  });
  socket.resume();
  await eventually(() => expect(taken).toBeGreaterThan(bytes));
}
