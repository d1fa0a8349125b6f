import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Unknown, workFor, worksFor } from '../../src/lib/processor-time.ts';
import { CONNECTION_LIMITS } from '../../src/server/connection-limits.ts';
import { putOffFirst } from '../../src/server/first-requests.ts';
import { createHttpServer } from '../../src/server/http-server.ts';
import { eventually } from '../support/eventually.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('the first request of a new connection', () => {
  // A slow machine takes no longer.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());
  const pass = (millis: number) => vi.advanceTimersByTime(millis);

  /** A server of connections that say nothing by themselves. */
  function start(onBegun: (name: string) => void = () => {}) {
    const server = new EventEmitter();
    const events: string[] = [];
    const listener = putOffFirst(
      server as Server,
      ({ url }) => {
        events.push(url!);
        onBegun(url!);
      },
      () => void events.push('dropped'),
    );
    const newConnection = () => {
      const connection = { writable: true };
      server.emit('connection', connection);
      return connection;
    };
    const ask = (url: string, socket: object = newConnection()) =>
      void listener({ url, socket } as IncomingMessage, {} as Parameters<RequestListener>[1]);
    /** A turn of the loop in which one more comes. */
    const turnWithConnection = async () => {
      newConnection();
      await turn();
    };
    return { events, newConnection, ask, turnWithConnection };
  }

  test.each([0, 3])(
    'begins in the same turn of the loop where none came in it, also %i turns later',
    async (turns) => {
      const { events, newConnection, ask, turnWithConnection } = start();
      const connection = newConnection();
      for (let i = 0; i < turns; i++) await turnWithConnection();
      await turn();
      ask('/', connection);
      expect(events).toEqual([]);
      await turn();
      expect(events).toEqual(['/']);
    },
  );

  test('waits while further ones come, and begins in the order in which it came', async () => {
    const { events, ask } = start();
    for (const name of ['/1', '/2', '/3', '/4']) {
      ask(name);
      await turn();
      expect(events).toEqual([]);
    }
    await turn();
    expect(events).toEqual(['/1', '/2', '/3', '/4']);
  });

  test('waits 20 ms at most, for all that wait together, and then begins for 5 ms of each turn, while others keep coming', async () => {
    let turns = 0;
    const begun: number[] = [];
    const { ask, turnWithConnection } = start(() => {
      begun.push(turns);
      pass(2);
    });
    for (let i = 0; i < 7; i++) ask('/');
    for (; turns < 5; turns++) await turnWithConnection();
    pass(19);
    await turnWithConnection();
    expect(begun).toEqual([]);
    pass(1);
    for (turns = 0; begun.length < 7; turns++) await turnWithConnection();
    // Of 2 ms each, three reach 5 ms.
    const counts = [...new Set(begun)].map((one) => begun.filter((other) => other === one).length);
    expect(counts).toEqual([3, 3, 1]);
  });

  test('is work of its own', async () => {
    const payer = new Unknown();
    const payers: unknown[] = [];
    const { ask } = start(() => {
      payers.push(worksFor());
      workFor(payer);
    });
    ask('/1');
    ask('/2');
    await turn();
    await turn();
    expect(payers).toEqual([undefined, undefined]);
  });

  test('is dropped where its client has left meanwhile', async () => {
    const { events, newConnection, ask } = start();
    const leaving = newConnection();
    ask('/left', leaving);
    ask('/stays');
    leaving.writable = false;
    await turn();
    await turn();
    expect(events).toEqual(['dropped', '/stays']);
  });

  test('is the only one to wait: the next on its connection does not, nor do probes and what comes behind them', () => {
    const { events, newConnection, ask } = start();
    const connection = newConnection();
    ask('/first', connection);
    ask('/second', connection);
    ask('/healthz');
    ask('/readyz?x');
    ask('http://x/healthz');
    const watched = newConnection();
    ask('/healthz', watched);
    ask('/behind', watched);
    ask('/healthz/x');
    ask('/x/healthz');
    expect(events).toEqual(['/second', '/healthz', '/readyz?x', 'http://x/healthz', '/healthz', '/behind']);
  });
});

test('a crowd that leaves with its requests is dropped, and counted in the log', async () => {
  const lines = new PassThrough({ encoding: 'utf8' });
  let log = '';
  lines.on('data', (line) => {
    log += line;
  });
  let begun = 0;
  const server = createHttpServer(
    async () => {
      begun++;
      return new Response();
    },
    CONNECTION_LIMITS,
    pino(lines),
  ).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  for (let i = 0; i < 50; i++) {
    const leaving = connect(port, '127.0.0.1').on('error', () => {});
    leaving.end('GET / HTTP/1.1\r\nHost: x\r\n\r\n').resume();
  }
  await eventually(() => expect(log).toContain('"msg":"requests were dropped'));
  const { dropped } = JSON.parse(log);
  expect(dropped).toBeGreaterThan(0);
  expect(begun).toBeLessThanOrEqual(50 - dropped);
});
