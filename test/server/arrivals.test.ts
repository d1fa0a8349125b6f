import { EventEmitter, once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { connectionsSoFar } from '../../src/lib/in-turns.ts';
import { takeInTurns } from '../../src/server/arrivals.ts';
import { CONNECTION_LIMITS } from '../../src/server/connection-limits.ts';
import { drain } from '../../src/server/drain.ts';
import { createHttpServer } from '../../src/server/http-server.ts';
import { boundConnections } from '../../src/server/open-connections.ts';
import { CUT_OFF } from '../../src/server/sockets.ts';
import { answerOf } from '../support/slow-clients.ts';

interface Listening {
  onconnection(status: number, connection: { name: string; getpeername: object; close(): void }): void;
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('connections that come', () => {
  // A slow machine takes no longer.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  /** A server, of which connections from `proxy` count for none. */
  function start() {
    const events: string[] = [];
    let group: string | null = null;
    const listening = {
      onconnection: (_status: number, connection?: object) =>
        void events.push(`${(connection as { name: string }).name} of ${group}`),
    };
    const server = Object.assign(new EventEmitter(), {
      _handle: listening,
      close: () => void events.push('server closed'),
      closeIdleConnections() {},
    }) as unknown as Server;
    const held = takeInTurns(server, {
      groupOf: (address) => (address === 'proxy' ? null : address),
      isWelcome: (of) => of !== 'unwelcome',
      isStillWelcome: (of) => !unwelcome.has(of),
      onTaken(of) {
        group = of;
      },
    });
    server.emit('listening');
    const come = (address: string | undefined, ...names: string[]) => {
      for (const name of names) listening.onconnection(0, connectionOf(name, address));
    };
    const connectionOf = (name: string, address: string | undefined) => ({
      name,
      getpeername: (into: { address?: string | undefined }) => {
        into.address = gone.has(name) ? undefined : address;
      },
      close: () => void events.push(`${name} closed`),
    });
    const gone = new Set<string>();
    const unwelcome = new Set<string>();
    return { server, events, held, come, gone, unwelcome };
  }

  test('are taken at once where few of their address come in turns on end, or they count for none', async () => {
    const { events, held, come } = start();
    come('one', '1', '2', '3', '4');
    come('proxy', '5', '6', '7', '8', '9');
    expect(events).toEqual([
      ...['1 of one', '2 of one', '3 of one', '4 of one'],
      ...['5 of null', '6 of null', '7 of null', '8 of null', '9 of null'],
    ]);
    await turn();
    // None has come in this one.
    await turn();
    come('one', '10');
    expect(events.at(-1)).toBe('10 of one');
    expect(held.size).toBe(0);
  });

  test('are closed where they are not welcome, or their client has gone', () => {
    const { events, come } = start();
    come('unwelcome', '1');
    come(undefined, '2');
    expect(events).toEqual(['1 closed', '2 closed']);
  });

  /** Two addresses with crowds, and who is left to wait of those. */
  function startWithCrowds() {
    const started = start();
    const { events, come } = started;
    come('one', 'a', 'b', 'c', 'd', '1', '2', '3');
    come('two', 'e', 'f', 'g', 'h', '4');
    expect(events).toHaveLength(8);
    events.length = 0;
    return started;
  }

  test('wait where they are of a crowd while others come, and then are taken one in a turn, of each address in its turn', async () => {
    const { events, held, come } = startWithCrowds();
    expect([held.size, held.ofGroup('one'), held.ofGroup('two'), held.ofGroup('other')]).toEqual([
      4, 3, 1, 0,
    ]);
    await turn();
    expect(events).toEqual([]);
    come('other', '5');
    expect(events).toEqual(['5 of other']);
    await turn();
    for (const taken of ['1 of one', '4 of two', '2 of one', '3 of one']) {
      const soFar = connectionsSoFar();
      await turn();
      expect(events.at(-1)).toBe(taken);
      // Others give it a turn to be read, as one that comes.
      expect(connectionsSoFar()).toBe(soFar + 1);
    }
    expect(events).toHaveLength(5);
    expect(held.size).toBe(0);
  });

  test('are held behind those of their address that are, and counted anew once none came in a turn', async () => {
    const { events, come } = startWithCrowds();
    await turn();
    await turn();
    expect(events).toEqual(['1 of one']);
    come('one', '6');
    come('other', '7', '8', '9', '10', '11');
    expect(events.slice(1)).toEqual(['7 of other', '8 of other', '9 of other', '10 of other']);
    await turn();
    for (const taken of ['4 of two', '2 of one', '11 of other', '3 of one', '6 of one']) {
      await turn();
      expect(events.at(-1)).toBe(taken);
    }
  });

  test('are taken after 50 ms, one in a turn, though others keep coming', async () => {
    const { events, come } = startWithCrowds();
    const turnWithConnection = async () => {
      come('other', 'other');
      await turn();
    };
    vi.advanceTimersByTime(49);
    await turnWithConnection();
    expect(events).toEqual(['other of other']);
    vi.advanceTimersByTime(1);
    await turnWithConnection();
    expect(events.at(-1)).toBe('1 of one');
    await turnWithConnection();
    expect(events.at(-1)).toBe('4 of two');
  });

  test('are closed, and not taken, where their client goes meanwhile', async () => {
    const { events, gone } = startWithCrowds();
    gone.add('1');
    await turn();
    await turn();
    expect(events).toEqual(['1 closed']);
  });

  test('are closed where they are not welcome any more when it is their turn', async () => {
    const { events, held, unwelcome } = startWithCrowds();
    unwelcome.add('one');
    for (let i = 0; i < 5; i++) await turn();
    expect(events).toEqual(['1 closed', '4 of two', '2 closed', '3 closed']);
    expect(held.size).toBe(0);
  });

  test('are closed from the last of an address on, where they are to go', async () => {
    const { events, held } = startWithCrowds();
    expect([...held.groups()]).toEqual(['one', 'two']);
    held.closeLastOf('one');
    expect([held.size, held.ofGroup('one')]).toEqual([3, 2]);
    held.closeLastOf('two');
    expect([...held.groups()]).toEqual(['one']);
    expect(events).toEqual(['3 closed', '4 closed']);
    await turn();
    await turn();
    expect(events.slice(2)).toEqual(['1 of one']);
  });

  test.each([
    [9999, 1],
    [10_000, 0],
  ])('are counted by up to 10,000 addresses: with %d others %d is held', (others, count) => {
    const { held, come } = start();
    come('one', '1', '2', '3', '4');
    for (let i = 0; i < others; i++) come(`other ${i}`, 'other');
    come('one', '5');
    expect(held.size).toBe(count);
  });

  test('are all taken before a server closes that is to stop, and closed with one that is not', async () => {
    const { server, events, held, come } = startWithCrowds();
    const drained = drain(server);
    expect(events).toEqual(['1 of one', '4 of two', '2 of one', '3 of one', 'server closed']);
    come('one', '5');
    server.emit('close');
    await drained;
    expect(events.at(-1)).toBe('5 closed');
    expect(held.size).toBe(0);
    await turn();
    await turn();
    expect(events).toHaveLength(6);
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

  test('is left to wait but for four, and another address is not', async () => {
    const server = createHttpServer(async () => new Response(), CONNECTION_LIMITS, pino({ level: 'silent' }));
    onTestFinished(() => void server.close());
    const taken: string[] = [];
    const listening = () => (server as unknown as { _handle: Listening })._handle;
    server.prependListener('listening', () => {
      listening().onconnection = (_status, { name }) => void taken.push(name);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const come = (name: string, address: string) =>
      listening().onconnection(0, {
        name,
        getpeername: (into: { address?: string }) => void Object.assign(into, { address }),
        close() {},
      });
    for (const name of ['1', '2', '3', '4', '5', '6']) come(name, '127.0.0.2');
    come('7', '127.0.0.3');
    expect(taken).toEqual(['1', '2', '3', '4', '7']);
  });

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
});

describe('connections of an address that are held', () => {
  interface Fake extends EventEmitter {
    destroyed: boolean;
    destroy(): void;
    _httpMessage?: object;
  }
  const ANSWERING = { _httpMessage: { headersSent: false, req: { complete: true } } };
  const UNFINISHED = { _httpMessage: { headersSent: false, req: { complete: false } } };

  /** A server that makes nothing of its connections, and what is closed. */
  function start(limits = {}) {
    const closed: string[] = [];
    const taken: string[] = [];
    const sockets = new Map<string, Fake>();
    const listening = {
      onconnection(_status: number, connection: { name: string; more: object }) {
        const { name, more } = connection;
        taken.push(name);
        const socket = Object.assign(new EventEmitter(), {
          destroyed: false,
          destroy() {
            socket.destroyed = true;
            closed.push(name);
            socket.emit('close');
          },
          ...more,
        });
        sockets.set(name, socket);
        server.emit('connection', socket);
      },
    };
    const server = Object.assign(new EventEmitter(), { _handle: listening }) as unknown as Server;
    boundConnections(server, { ...CONNECTION_LIMITS, ...limits }, pino({ level: 'silent' }));
    server.emit('listening');
    const come = (address: string, names: string[], more: object = {}) => {
      for (const name of names)
        listening.onconnection(0, {
          name,
          more,
          getpeername: (into: { address?: string }) => void Object.assign(into, { address }),
          close: () => void closed.push(name),
        } as never);
    };
    onTestFinished(() => void server.emit('close'));
    return { come, closed, taken, sockets };
  }
  const names = (of: string, count: number) => Array.from({ length: count }, (_, i) => `${of}${i + 1}`);

  test('make no room while another with more has idle ones', async () => {
    const { come, closed, taken } = start({ maxConnections: 20 });
    for (let i = 0; i < 4; i++) {
      come('127.0.0.2', names(`a${i}-`, 4).slice(0, i === 3 ? 2 : 4));
      await turn();
      await turn();
    }
    expect(taken).toHaveLength(14);
    come('127.0.0.3', names('b', 6), ANSWERING);
    expect(taken).toHaveLength(18);
    come('127.0.0.4', ['c']);
    expect(closed).toEqual(['a0-1']);
    expect(taken.at(-1)).toBe('c');
  });

  test('make room where their address has most in all, and another has more open', async () => {
    const { come, closed, taken } = start({ maxConnections: 19 });
    come('127.0.0.3', names('b', 4), ANSWERING);
    await turn();
    await turn();
    come('127.0.0.3', names('b-', 5), ANSWERING);
    come('127.0.0.2', names('a', 10), ANSWERING);
    come('127.0.0.4', ['c'], ANSWERING);
    expect(closed).toEqual(['a10']);
    expect(taken.at(-1)).toBe('c');
  });

  test('make room where their address has most in all, and another has more held', async () => {
    const { come, closed } = start({ maxConnections: 21 });
    for (const name of ['a', 'a-']) {
      come('127.0.0.2', names(name, 4), ANSWERING);
      await turn();
      await turn();
    }
    come('127.0.0.2', names('a--', 6), ANSWERING);
    come('127.0.0.3', names('b', 7), ANSWERING);
    come('127.0.0.4', ['c'], ANSWERING);
    expect(closed).toEqual(['a--6']);
  });

  test('make room where their address has none open', () => {
    const { come, closed, sockets } = start({ maxConnections: 8 });
    come('127.0.0.2', names('a', 8), ANSWERING);
    for (const name of names('a', 4)) sockets.get(name)!.destroy();
    closed.length = 0;
    for (const other of [3, 4, 5, 6]) come(`127.0.0.${other}`, ['other'], ANSWERING);
    come('127.0.0.7', ['c'], ANSWERING);
    expect(closed).toEqual(['a8']);
  });

  test('make room before idle ones of an address that has fewer', () => {
    const { come, closed } = start({ maxConnections: 12 });
    come('127.0.0.2', names('a', 7), ANSWERING);
    come('127.0.0.3', names('b', 5));
    for (const other of [4, 5]) come(`127.0.0.${other}`, ['other'], ANSWERING);
    expect(closed).toEqual(['a7', 'a6']);
  });

  test('make room before requests that have not come whole', () => {
    const { come, closed } = start({ maxConnections: 6 });
    come('127.0.0.2', names('a', 6), UNFINISHED);
    for (const address of ['127.0.0.3', '127.0.0.4', '127.0.0.5']) come(address, ['other'], ANSWERING);
    expect(closed).toEqual(['a6', 'a5', 'a1']);
  });

  test('are counted among the new of their address where there is no room for them', () => {
    const { come, closed, sockets } = start({ maxConnections: 4, maxNew: 6, newMillis: 600_000 });
    come('127.0.0.2', names('a', 4), ANSWERING);
    come('127.0.0.2', ['a5', 'a6']);
    expect(closed).toEqual(['a5', 'a6']);
    // There is room again, but it has opened as many as it may.
    sockets.get('a1')!.destroy();
    come('127.0.0.2', ['a7']);
    expect(closed.at(-1)).toBe('a7');
  });

  test('make no room for one of an address with as many, or one fewer', () => {
    const { come, closed } = start({ maxConnections: 11 });
    come('127.0.0.2', names('a', 6), ANSWERING);
    come('127.0.0.3', names('b', 6), ANSWERING);
    expect(closed).toEqual(['b6']);
    come('127.0.0.4', names('c', 1), ANSWERING);
    expect(closed).toEqual(['b6', 'a6']);
  });

  test.each([
    [2, ['5', '6']],
    [1, []],
  ])(
    'are closed in their turn once their address has been cut off as often as it may: %d times',
    async (times, expected) => {
      const { come, closed, taken, sockets } = start({ maxCutOff: 2 });
      come('127.0.0.2', ['1', '2', '3', '4', '5', '6']);
      expect(taken).toEqual(['1', '2', '3', '4']);
      for (const name of taken.slice(0, times)) sockets.get(name)!.emit(CUT_OFF);
      for (let i = 0; i < 4; i++) await turn();
      expect(closed).toEqual(expected);
      expect(taken).toHaveLength(6 - expected.length);
    },
  );
});
