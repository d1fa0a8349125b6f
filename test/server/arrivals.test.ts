import { EventEmitter, once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { takeAllHeld, takeInTurns } from '../../src/server/arrivals.ts';
import { CONNECTION_LIMITS } from '../../src/server/connection-limits.ts';
import { drain } from '../../src/server/drain.ts';
import { createHttpServer } from '../../src/server/http-server.ts';
import { answerOf } from '../support/slow-clients.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('connections that come', () => {
  // A slow machine takes no longer.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  /** A server at whose door a crowd comes from each address that is more than one letter, but from `proxy`. */
  function start() {
    const events: string[] = [];
    let group: string | null = null;
    const listening = {
      onconnection: (_status: number, connection?: object) =>
        void events.push(`${(connection as { name: string }).name} of ${group}`),
    };
    const server = Object.assign(new EventEmitter(), { _handle: listening }) as unknown as Server;
    const held = takeInTurns(server, {
      groupOf: (address) => (address === 'proxy' ? null : address),
      isWelcome: (of) => of !== 'closed',
      isOfCrowd: (of) => of.length > 1,
      onTaken(of) {
        group = of;
      },
    });
    server.emit('listening');
    const come = (name: string, address: string | undefined) =>
      listening.onconnection(0, {
        name,
        getpeername: (into: { address?: string | undefined }) => {
          into.address = address;
        },
        close: () => void events.push(`${name} closed`),
      });
    return { server, events, held, come };
  }

  test('are taken at once where their address has opened no others right before, or counts for none', () => {
    const { events, held, come } = start();
    come('1', 'a');
    come('2', 'proxy');
    expect(events).toEqual(['1 of a', '2 of null']);
    expect(held.size).toBe(0);
  });

  test('are closed where they are not welcome, or their client has gone', () => {
    const { events, come } = start();
    come('1', 'closed');
    come('2', undefined);
    expect(events).toEqual(['1 closed', '2 closed']);
  });

  test('wait where they are of a crowd while others come, and then are taken one in a turn, of each address in its turn', async () => {
    const { events, held, come } = start();
    for (const name of ['1', '2', '3']) come(name, 'one');
    come('4', 'two');
    await turn();
    expect(events).toEqual([]);
    expect([held.size, held.ofGroup('one'), held.ofGroup('two'), held.ofGroup('a')]).toEqual([4, 3, 1, 0]);
    come('5', 'a');
    expect(events).toEqual(['5 of a']);
    await turn();
    for (const taken of ['1 of one', '4 of two', '2 of one', '3 of one']) {
      await turn();
      expect(events.at(-1)).toBe(taken);
    }
    expect(events).toHaveLength(5);
    expect(held.size).toBe(0);
  });

  test('wait 50 ms at most for others, and then are taken one in a turn though those keep coming', async () => {
    const { events, come } = start();
    for (const name of ['1', '2']) come(name, 'one');
    const turnWithConnection = async () => {
      come('other', 'a');
      await turn();
    };
    await turnWithConnection();
    vi.advanceTimersByTime(49);
    await turnWithConnection();
    expect(events).not.toContain('1 of one');
    vi.advanceTimersByTime(1);
    await turnWithConnection();
    expect(events.at(-1)).toBe('1 of one');
    await turnWithConnection();
    expect(events.at(-1)).toBe('2 of one');
  });

  test('are all taken before a server closes', async () => {
    const { server, events, held, come } = start();
    for (const name of ['1', '2']) come(name, 'one');
    takeAllHeld(server);
    expect(events).toEqual(['1 of one', '2 of one']);
    expect(held.size).toBe(0);
    await turn();
    expect(events).toHaveLength(2);
  });
});

describe('a crowd of connections of an address', () => {
  /** A server, and clients of an address that ask for something each. */
  async function start(limits = {}, opened: Promise<unknown> = Promise.resolve()) {
    const server = createHttpServer(
      () => opened.then(() => new Response('here')),
      { ...CONNECTION_LIMITS, ...limits },
      pino({ level: 'silent' }),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const ask = (localAddress: string, count: number) =>
      Array.from({ length: count }, () => {
        const socket = connect({ port, host: '127.0.0.1', localAddress });
        socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
        return answerOf(socket);
      });
    return { server, ask };
  }
  const answered = (answers: string[]) => answers.filter((answer) => answer.includes('here')).length;

  test('is answered whole, and so is another address', async () => {
    const { ask } = await start();
    const crowd = ask('127.0.0.2', 256);
    const others = ask('127.0.0.3', 4);
    expect(answered(await Promise.all(others))).toBe(4);
    expect(answered(await Promise.all(crowd))).toBe(256);
  });

  test.each([{ maxPerAddress: 20 }, { maxNew: 20, newMillis: 600_000 }, { maxConnections: 20 }])(
    'counts for its limits while it waits: %o',
    async (limits) => {
      const doors = new EventEmitter();
      const { ask } = await start(limits, once(doors, 'open'));
      let refused = 0;
      const clients = ask('127.0.0.2', 60).map(async (answer) => {
        if ((await answer) === '' && ++refused === 40) doors.emit('open');
        return answer;
      });
      expect(answered(await Promise.all(clients))).toBe(20);
    },
  );

  test('is answered by a server that stops', async () => {
    const { server, ask } = await start();
    const clients = ask('127.0.0.2', 50);
    await once(server, 'connection');
    await drain(server);
    expect(answered(await Promise.all(clients))).toBeGreaterThanOrEqual(1);
  });
});
