import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { AnswerOwner } from '../../src/http/exchange.ts';
import { CONNECTION_LIMITS } from '../../src/server/connection-limits.ts';
import { UNTAKEN, UNTAKEN_BYTES } from '../../src/server/sockets.ts';
import { boundUntaken } from '../../src/server/untaken-answers.ts';

const MIB = 1024 * 1024;

/** What the bound looks at of a socket, each figure at will; how they come about on real ones is in connections.test.ts. */
class StandIn extends EventEmitter {
  destroyed = false;
  writableLength = 0;
  readonly _handle = { writeQueueSize: 0 };
  resetAndDestroy() {
    this.destroyed = true;
    this.emit('close');
  }
}

function bounded(maxUntaken: number) {
  const server = new EventEmitter();
  boundUntaken(server as Server, { ...CONNECTION_LIMITS, maxUntaken }, pino({ level: 'silent' }));
  return {
    connect() {
      const socket = new StandIn();
      server.emit('connection', socket);
      return socket;
    },
    /** A connection that keeps so much for an account, of which so much is left. */
    keeping(accountId: string | undefined, kept: number, left = kept, platformId?: string) {
      return keep(this.connect(), { accountId, platformId }, kept, left);
    },
  };
}

function keep(socket: StandIn, owner: AnswerOwner, kept: number, left = kept): StandIn {
  const isFirst = socket.writableLength === 0;
  socket.writableLength = kept;
  socket._handle.writeQueueSize = left;
  socket.emit(UNTAKEN, owner, isFirst);
  return socket;
}

const areReset = (sockets: StandIn[]) => sockets.map(({ destroyed }) => destroyed);

describe('answers that are not taken', () => {
  it('are kept up to the byte', () => {
    const connections = bounded(8 * MIB);
    const first = connections.keeping('a', 4 * MIB);
    const second = connections.keeping('b', 4 * MIB);
    expect(areReset([first, second])).toEqual([false, false]);
    keep(second, { accountId: 'b' }, 4 * MIB + 1);
    expect(areReset([first, second])).toEqual([false, true]);
  });

  it('count for what is kept of them, not for what is left: who reads all but the end makes nobody else go', () => {
    const connections = bounded(64 * MIB);
    const tails = Array.from({ length: 8 }, () => connections.keeping('tails', 7.5 * MIB, 0.1 * MIB));
    const others = ['a', 'b', 'c'].map((account) => connections.keeping(account, 8 * MIB));
    expect(areReset(others)).toEqual([false, false, false]);
    expect(areReset(tails)).toEqual([true, true, true, ...Array(5).fill(false)]);
  });

  it('go as many as need be, the first that came before the others', () => {
    const connections = bounded(10 * MIB);
    const small = Array.from({ length: 8 }, () => connections.keeping('a', MIB));
    const large = connections.keeping('a', 7 * MIB);
    expect(areReset([...small, large])).toEqual([...Array(5).fill(true), ...Array(3).fill(false), false]);
  });

  it('are told apart by what is left where two have as many, though one is a little larger', () => {
    const connections = bounded(16 * MIB);
    const reading = connections.keeping('a', 8.2 * MIB, 3 * MIB);
    const idle = connections.keeping('b', 7.7 * MIB, 4 * MIB);
    const last = connections.keeping('c', 4 * MIB, 0);
    expect(areReset([reading, idle, last])).toEqual([false, true, false]);
  });

  it('have nothing left where the system has taken the end, and Node was not told yet', () => {
    const connections = bounded(16 * MIB);
    const done = connections.keeping('a', 8 * MIB, 0);
    const idle = connections.keeping('b', 7 * MIB, 2 * MIB);
    connections.keeping('c', 7 * MIB, MIB);
    expect(areReset([done, idle])).toEqual([false, true]);
  });

  it('are of whom the last answer of the connection is for, and as old as that', () => {
    const connections = bounded(20 * MIB);
    const shared = connections.keeping('a', 8 * MIB);
    const second = connections.keeping('b', 7 * MIB);
    shared.writableLength = 0;
    keep(shared, { accountId: 'b' }, 7 * MIB);
    connections.keeping('c', 7 * MIB);
    expect(areReset([shared, second])).toEqual([false, true]);
  });

  it('go where they are whole ones, before a small one that just came', () => {
    const connections = bounded(64 * MIB);
    const tails = Array.from({ length: 8 }, (_, i) => connections.keeping(`tail ${i}`, 7.98 * MIB, MIB / 20));
    const small = Array.from({ length: 20 }, (_, i) => connections.keeping(`small ${i}`, MIB / 5));
    expect(areReset(small)).toEqual(Array(20).fill(false));
    expect(areReset(tails).filter(Boolean)).toHaveLength(1);
  });

  it('stay as old as what came first, while a stream goes on', () => {
    const connections = bounded(10 * MIB);
    const stream = connections.keeping('a', 4 * MIB);
    const other = connections.keeping('a', 4 * MIB);
    keep(stream, { accountId: 'a' }, 7 * MIB);
    expect(areReset([stream, other])).toEqual([true, false]);
  });

  it('do not count below 64 KiB, whomever the answer before was for', () => {
    const connections = bounded(10 * MIB);
    const shared = connections.keeping('a', 8 * MIB);
    shared.writableLength = UNTAKEN_BYTES - 1;
    const others = [connections.keeping('a', 5 * MIB), connections.keeping('a', 5 * MIB)];
    expect(areReset([shared, ...others])).toEqual([false, false, false]);
    const another = connections.keeping('b', UNTAKEN_BYTES);
    expect(areReset([shared, ...others, another])).toEqual([false, true, false, false]);
  });

  it('do not count where the connection has closed', () => {
    const connections = bounded(10 * MIB);
    connections.keeping('a', 8 * MIB).resetAndDestroy();
    const closing = connections.keeping('a', 8 * MIB);
    closing.destroyed = true;
    expect(areReset([connections.keeping('b', 8 * MIB)])).toEqual([false]);
  });

  it('go of all who are not known, and of all below a platform, before those of an account that has fewer', () => {
    const connections = bounded(30 * MIB);
    const ofA = connections.keeping('a', 7 * MIB);
    const unknown = [0, 1].map(() => connections.keeping(undefined, 8 * MIB));
    const below = ['b', 'c', 'd'].map((account) => connections.keeping(account, 3 * MIB, 3 * MIB, 'p'));
    expect(areReset([ofA, ...unknown, ...below])).toEqual([false, true, false, false, false, false]);
    below.push(...[0, 1, 2].map(() => connections.keeping('d', 3 * MIB, 3 * MIB, 'p')));
    expect(areReset([ofA, ...unknown, ...below])).toEqual([
      false,
      true,
      false,
      false,
      false,
      true,
      ...Array(3).fill(false),
    ]);
  });
});
