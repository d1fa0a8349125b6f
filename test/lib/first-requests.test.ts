import { expect, test } from 'vitest';
import { behindConnections, connectionTaken } from '../../src/lib/first-requests.ts';
import { connectionCame } from '../../src/lib/in-turns.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function newConnection(): object {
  const connection = {};
  connectionCame();
  connectionTaken(connection);
  return connection;
}

function busy(millis: number): void {
  const end = performance.now() + millis;
  while (performance.now() < end);
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

test('goes on in the same turn of the loop where no further connection comes', async () => {
  const order: string[] = [];
  const first = behindConnections(newConnection())!.then(() => order.push('request'));
  const next = turn().then(() => order.push('turn'));
  await Promise.all([first, next]);
  expect(order).toEqual(['request', 'turn']);
});

test('waits while further ones come, and goes on in the order in which it came', async () => {
  const order: string[] = [];
  const ask = (name: string) => behindConnections(newConnection())!.then(() => order.push(name));
  const all = [ask('first')];
  for (const name of ['second', 'third', 'fourth']) {
    const connection = newConnection();
    await turn();
    order.push('came');
    all.push(behindConnections(connection)!.then(() => order.push(name)));
    // Else a slow machine's 20 ms are over.
    if (order.includes('first')) return;
  }
  await Promise.all(all);
  expect(order).toEqual(['came', 'came', 'came', 'first', 'second', 'third', 'fourth']);
});

test('does not wait without end', async () => {
  let isIn = false;
  const first = behindConnections(newConnection())!.then(() => {
    isIn = true;
  });
  while (!isIn) {
    connectionCame();
    await turn();
  }
  await first;
});

test('those that have waited share turns of the loop', async () => {
  let turns = 0;
  const inTurn: number[] = [];
  const requests = Array.from({ length: 10 }, () =>
    behindConnections(newConnection())!.then(() => {
      inTurn.push(turns);
      busy(3);
    }),
  );
  let isDone = false;
  const count = (async () => {
    for (; !isDone; turns++) await turn();
  })();
  await Promise.all(requests);
  isDone = true;
  await count;
  // Two of 3 ms fill a share; where one counts a turn lies between those of two.
  for (const one of inTurn) expect(inTurn.filter((other) => other === one).length).toBeLessThanOrEqual(4);
});
