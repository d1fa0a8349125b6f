import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { behindConnections, connectionTaken } from '../../src/lib/first-requests.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

beforeEach(async () => {
  // Of the test before, none is under way then.
  await turn();
  // A slow machine takes no longer.
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => void vi.useRealTimers());
const pass = (millis: number) => vi.advanceTimersByTime(millis);

function newConnection(): object {
  const connection = {};
  connectionTaken(connection);
  return connection;
}

/** A turn of the loop in which one more comes. */
async function turnWithConnection(): Promise<void> {
  newConnection();
  await turn();
}

test('waits for nothing behind the first of a connection, or without one', async () => {
  const connection = newConnection();
  const first = behindConnections(connection);
  expect(first).toBeInstanceOf(Promise);
  expect(behindConnections(connection)).toBeUndefined();
  expect(behindConnections({})).toBeUndefined();
  expect(behindConnections(undefined)).toBeUndefined();
  await first;
});

test.each([0, 3])(
  'goes on in the same turn of the loop where none came in it, also %i turns later',
  async (turns) => {
    const connection = newConnection();
    for (let i = 0; i < turns; i++) await turnWithConnection();
    await turn();
    const order: string[] = [];
    const first = behindConnections(connection)!.then(() => order.push('request'));
    const next = turn().then(() => order.push('turn'));
    await Promise.all([first, next]);
    expect(order).toEqual(['request', 'turn']);
  },
);

test('waits while further ones come, and goes on in the order in which it came', async () => {
  const order: string[] = [];
  const requests: Promise<unknown>[] = [];
  for (const name of ['first', 'second', 'third', 'fourth']) {
    const connection = newConnection();
    requests.push(behindConnections(connection)!.then(() => order.push(name)));
    await turn();
    order.push('came');
  }
  await Promise.all(requests);
  expect(order).toEqual(['came', 'came', 'came', 'came', 'first', 'second', 'third', 'fourth']);
});

test('waits 20 ms at most, for all that wait together, and then begins for 5 ms of each turn, while others keep coming', async () => {
  let turns = 0;
  const begun: number[] = [];
  const requests = Array.from({ length: 7 }, () =>
    behindConnections(newConnection())!.then(() => {
      begun.push(turns);
      pass(2);
    }),
  );
  for (; turns < 5; turns++) await turnWithConnection();
  pass(19);
  await turnWithConnection();
  expect(begun).toEqual([]);
  pass(1);
  for (turns = 0; begun.length < 7; turns++) await turnWithConnection();
  await Promise.all(requests);
  // Of 2 ms each, three reach 5 ms.
  const counts = [...new Set(begun)].map((one) => begun.filter((other) => other === one).length);
  expect(counts).toEqual([3, 3, 1]);
});
