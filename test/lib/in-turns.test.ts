import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { connectionCame, inTurns, statementSent, turnBehindOthers, turnOf } from '../../src/lib/in-turns.ts';
import { type Payer, worksFor } from '../../src/lib/processor-time.ts';
import { busy, longParts, newPayer } from '../support/long-work.ts';

/** How many turns the event loop has while `work` goes on. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let isOver = false;
  const over = work.then(() => {
    isOver = true;
  });
  let turns = 0;
  for (; !isOver; turns++) await turn();
  await over;
  return turns;
}

test.each([
  // A quarter of what was done for another, within a bound. First of all, as what was done for others in this file would count.
  [1000, 240, 260],
  [8000, 390, 800],
])(
  'beside one of %d ms, one of %d ms is one for whom little was done, and not one of %d ms',
  async (...millis) => {
    await turn();
    const [most, little, more] = millis.map((each) => newPayer(each));
    turnOf(most);
    busy();
    const turns = [turnOf(most)];
    expect(turnOf(little)).toBe(undefined);
    turns.push(turnOf(more));
    expect(turns).toEqual([expect.any(Promise), expect.any(Promise)]);
    await Promise.all(turns);
  },
);

test('gives others a turn behind each long part', async () => {
  expect(await turnsDuring(inTurns(longParts(10, () => {})))).toBeGreaterThanOrEqual(10);
});

test('gives no turn where the work is short', async () => {
  await turn();
  expect(turnOf(newPayer())).toBe(undefined);
  expect(turnOf(newPayer())).toBe(undefined);
});

test('does one long part in a turn of the loop, for however many, and one more for those for whom little was done', async () => {
  await turn();
  let parts = 0;
  const works = Array.from({ length: 5 }, () =>
    inTurns(
      longParts(2, () => parts++),
      newPayer(),
    ),
  );
  const seen: number[] = [];
  while (parts < 10) {
    seen.push(parts);
    await turn();
  }
  await Promise.all(works);
  const steps = seen.map((at, i) => at - (seen[i - 1] ?? 0));
  expect(Math.max(...steps)).toBe(2);
});

test('leaves the loop to others between pages, also where there is time, but not to those for whom little was done', async () => {
  await turn();
  expect(turnBehindOthers(newPayer())).toBe(undefined);
  let rounds = 0;
  let isItsTurn = false;
  const page = turnBehindOthers(newPayer(1000))!.then(() => {
    isItsTurn = true;
  });
  for (; !isItsTurn; rounds++) await turn();
  await page;
  expect(rounds).toBeGreaterThanOrEqual(2);
});

test('lets those for whom little was done go on at once, but not all of them', async () => {
  await turn();
  busy();
  turnOf(newPayer(1000));
  busy();
  const heavy = turnOf(newPayer(1000));
  expect(heavy).toBeInstanceOf(Promise);
  expect(turnOf(newPayer())).toBe(undefined);
  busy();
  const light = turnOf(newPayer());
  expect(light).toBeInstanceOf(Promise);
  await Promise.all([heavy, light]);
});

test('lets nobody pass of whose platform others have much done', async () => {
  await turn();
  const platform = newPayer(1000);
  turnOf(newPayer(1000));
  busy();
  const below = turnOf(newPayer(0, platform));
  expect(below).toBeInstanceOf(Promise);
  expect(turnOf(newPayer(0, newPayer()))).toBe(undefined);
  await below;
});

/** Between the ends of so many parts, while statements of one for whom little was done are under way. */
async function gapsOfParts(count: number, millis: number): Promise<number[]> {
  await turn();
  const ends: number[] = [];
  let answered = statementSent(newPayer());
  const said = () => {
    ends.push(performance.now());
    answered();
    answered = statementSent(newPayer());
  };
  await inTurns(longParts(count, said, millis), newPayer(1000));
  answered();
  return ends.slice(1).map((end, i) => end - ends[i]!);
}

test('leaves time between two parts for the statement of one for whom little was done', async () => {
  // A part takes 6 ms at the least, and what lies between 10.
  expect(Math.min(...(await gapsOfParts(5, 6)))).toBeGreaterThan(15);
});

test('leaves four times as much time for it as the part before took, within a bound', async () => {
  expect(Math.min(...(await gapsOfParts(4, 15)))).toBeGreaterThan(73);
  expect(Math.min(...(await gapsOfParts(3, 30)))).toBeGreaterThan(125);
});

test('lets one for whom little was done go on while others wait until the loop has gone round', async () => {
  await turn();
  const order: string[] = [];
  const answered = statementSent(newPayer());
  const heavy = inTurns(
    longParts(3, () => order.push('heavy'), 15),
    newPayer(1000),
  );
  await inTurns(
    longParts(3, () => order.push('light')),
    newPayer(),
  );
  answered();
  await heavy;
  expect(order).toEqual(['heavy', 'light', 'light', 'light', 'heavy', 'heavy']);
});

test('counts the work of each who goes on for that one, also where several do in one turn', async () => {
  await turn();
  const payers = [newPayer(1000), newPayer(900), newPayer(), newPayer(10), newPayer(20)];
  const countedFor: [Payer, Payer | undefined][] = [];
  const answered = statementSent(newPayer());
  await Promise.all(
    payers.map((payer) =>
      inTurns(
        longParts(4, () => countedFor.push([payer, worksFor()])),
        payer,
      ),
    ),
  );
  answered();
  expect(countedFor).toHaveLength(20);
  for (const [payer, counted] of countedFor) expect(counted).toBe(payer);
});

test('leaves some rounds to those for whom little was done while new connections keep coming', async () => {
  await turn();
  let rounds = 0;
  let isDone = false;
  const coming = (async () => {
    for (; !isDone; rounds++) {
      connectionCame();
      await turn();
    }
  })();
  const heavy = inTurns(
    longParts(2, () => {}, 30),
    newPayer(1000),
  );
  const goesOn: number[] = [];
  await inTurns(
    longParts(3, () => goesOn.push(rounds)),
    newPayer(),
  );
  isDone = true;
  await Promise.all([coming, heavy]);
  expect(Math.max(...goesOn.slice(1).map((at, i) => at - goesOn[i]!))).toBeLessThan(50);
});

test('waits for no statement that has been under way for long', async () => {
  await turn();
  const answered = statementSent(newPayer());
  const now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 101);
  onTestFinished(() => clock.mockRestore());
  turnOf(newPayer(1000));
  // The clock stands from here on: rounds that wait for the statement would never end.
  clock.mockReturnValue(now + 110);
  await turnOf(newPayer(1000));
  answered();
});

test.each([
  ['an account', (millis: number): Payer => ({ ...newPayer(), recentDatabaseMillis: millis }), 400],
  [
    'all below a platform',
    (millis: number) => newPayer(0, { ...newPayer(), recentDatabaseMillis: millis }),
    2000,
  ],
])('waits for no statement of %s that had the database for so long lately', async (_, payerOf, bound) => {
  const now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockReturnValue(now);
  onTestFinished(() => clock.mockRestore());
  /** Whether long work goes on within some turns of the loop while a statement is under way, however long that is. */
  const goesOn = async (payer: Payer) => {
    await turn();
    const answered = statementSent(payer);
    clock.mockReturnValue(performance.now() + 1);
    turnOf(newPayer(1000));
    clock.mockReturnValue(performance.now() + 10);
    let hasGoneOn = false;
    const goingOn = turnOf(newPayer(1000))!.then(() => {
      hasGoneOn = true;
    });
    for (let i = 0; i < 50; i++) await turn();
    const before = hasGoneOn;
    answered();
    await goingOn;
    return before;
  };
  expect(await goesOn(payerOf(bound - 1))).toBe(false);
  expect(await goesOn(payerOf(bound))).toBe(true);
});

test('lets those go on first that least was done for lately, however much others ask for', async () => {
  await turn();
  const order: string[] = [];
  // So much that what a slow machine adds, or forgets meanwhile, makes no difference.
  const payers: Record<string, Payer> = { busy: newPayer(5e6), quiet: newPayer(1e6), idle: newPayer() };
  const work = (account: string) =>
    inTurns(
      longParts(3, () => order.push(account)),
      payers[account],
    );
  await Promise.all([...Array.from({ length: 6 }, () => work('busy')), work('quiet'), work('idle')]);
  // The first came when nobody waited.
  expect(order.slice(0, 8)).toEqual(['busy', ...Array(3).fill('idle'), ...Array(3).fill('quiet'), 'busy']);
});

test('counts all who are below one as one, and among them goes by what was done for each', async () => {
  await turn();
  const order: string[] = [];
  const app = newPayer();
  const payers: Record<string, Payer> = {
    noisy: newPayer(5e6, app),
    busy: newPayer(2e6, app),
    user: newPayer(1e6, app),
    alone: newPayer(4e6),
  };
  const work = (account: string) =>
    inTurns(
      longParts(2, () => order.push(account)),
      payers[account],
    );
  await Promise.all(['noisy', 'noisy', 'busy', 'user', 'alone'].map(work));
  // The first came when nobody waited.
  const inOrder = ['alone', 'user', 'busy', 'noisy'].flatMap((account) => [account, account]);
  expect(order.slice(0, 8)).toEqual(['noisy', ...inOrder.slice(0, 7)]);
});

test('lets nobody wait for ever behind others who ask again and again', async () => {
  await turn();
  const [patient, busy] = [newPayer(20), newPayer()];
  let parts = 0;
  const isDone = { patient: false };
  const asks = async () => {
    while (!isDone.patient)
      await inTurns(
        longParts(1, () => parts++),
        busy,
      );
  };
  const others = [asks(), asks()];
  await inTurns(
    longParts(1, () => {}),
    patient,
  );
  isDone.patient = true;
  await Promise.all(others);
  // Until as much was done for them.
  expect(parts).toBeLessThan(20);
});

test('does several short parts in one turn of the loop', async () => {
  await turn();
  busy();
  turnOf(newPayer());
  busy();
  const goneOn: number[] = [];
  const works = Array.from({ length: 30 }, async (_, i) => {
    await turnOf({ pay() {}, recentMillis: 1000 });
    goneOn.push(i);
  });
  expect(goneOn).toEqual([]);
  expect(await turnsDuring(Promise.all(works))).toBeLessThan(30);
  expect(goneOn).toEqual(Array.from({ length: 30 }, (_, i) => i));
});

test('asks for the processor time only when it may have passed', async () => {
  await turn();
  const cpuUsage = vi.spyOn(process, 'cpuUsage').mockReturnValue({ user: 0, system: 0 });
  onTestFinished(() => cpuUsage.mockRestore());
  turnOf(newPayer());
  const until = performance.now() + 6;
  while (performance.now() < until);
  // One who waits, so that the next turn goes by the processor's time, which stands.
  await turnOf(newPayer(1000));
  const start = performance.now();
  while (performance.now() < start + 6);
  cpuUsage.mockClear();
  const from = performance.now();
  for (let i = 0; i < 1000; i++) expect(turnOf(newPayer())).toBe(undefined);
  expect(cpuUsage.mock.calls.length).toBeLessThanOrEqual(2 + (performance.now() - from) / 5);
});

test('takes several new connections for each part of the work', async () => {
  let taken = 0;
  const server = createServer(() => {
    taken++;
    connectionCame();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  let parts = 0;
  let isDone = false;
  const work = (async () => {
    while (!isDone) await inTurns(longParts(1, () => parts++));
  })();
  const sockets = Array.from({ length: 100 }, () => connect(port, '127.0.0.1'));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  while (taken < 100) await turn();
  expect(parts).toBeLessThan(50);
  isDone = true;
  await work;
  for (const socket of sockets) socket.destroy();
  server.close();
});
