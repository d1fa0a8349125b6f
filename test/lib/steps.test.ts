import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { connectionCame, inTurns } from '../../src/lib/in-turns.ts';
import { type Payer, worksFor } from '../../src/lib/processor-time.ts';
import { stepOf } from '../../src/lib/steps.ts';
import { longParts, newPayer } from '../support/long-work.ts';

test('takes what came in one turn of the loop through a step one behind the other, each as work of its own', async () => {
  const done: string[] = [];
  const request = async (name: string) => {
    const payer = newPayer();
    const say = (what: string) => {
      done.push(`${name} ${what}${worksFor() === payer ? '' : ', for another'}`);
    };
    done.push(`${name} comes`);
    await stepOf(payer);
    say('works');
    await Promise.resolve();
    say('goes on');
    await stepOf(payer);
    say('answers');
  };
  await turn();
  await Promise.all(['a', 'b'].map(request));
  const steps = [['comes'], ['works', 'goes on'], ['answers']];
  expect(done).toEqual(
    steps.flatMap((step) => ['a', 'b'].flatMap((name) => step.map((what) => `${name} ${what}`))),
  );
});

test('counts nothing for the one that took a step once it is over', async () => {
  const payer = newPayer();
  await turn();
  const step = stepOf(payer);
  // What the loop has next in the same turn.
  const next = new Promise((resolve) => setImmediate(() => resolve(worksFor())));
  await step;
  expect(worksFor()).toBe(payer);
  expect(await next).toBe(undefined);
});

/** Goes on from test to test, and never ahead of the real one. */
let pastMillis = performance.now() - 1_000_000;

/** Who took a step in each turn of the loop that had any, where each takes 6 ms. */
async function stepsInTurns(names: readonly string[], payerOf: (name: string) => Payer, inTurn = () => {}) {
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => pastMillis);
  onTestFinished(() => void clock.mockRestore());
  await turn();
  const taken: string[][] = [];
  let isNew = true;
  let count = 0;
  let turns = 0;
  const all = names.map(async (name) => {
    await stepOf(payerOf(name));
    if (isNew) taken.push([]);
    isNew = false;
    taken.at(-1)!.push(name);
    count++;
    pastMillis += 6;
  });
  while (count < names.length) {
    isNew = true;
    inTurn();
    await turn();
    pastMillis += 1;
    turns++;
  }
  await Promise.all(all);
  clock.mockRestore();
  return { taken, turns };
}

test('takes steps for 30 ms of a turn of the loop, and for 5 ms behind a new connection; the others in the next ones', async () => {
  const nine = Array.from({ length: 9 }, (_, i) => String(i));
  const counts = async (inTurn?: () => void) =>
    (await stepsInTurns(nine, () => newPayer(), inTurn)).taken.map(({ length }) => length);
  expect(await counts()).toEqual([5, 4]);
  expect(await counts(connectionCame)).toEqual(Array(9).fill(1));
  expect(await counts()).toEqual([5, 4]);
});

test('leaves turns of the loop without steps to new connections while each has one, for 10 ms', async () => {
  const nine = Array.from({ length: 9 }, (_, i) => String(i));
  const { turns } = await stepsInTurns(nine, () => newPayer(), connectionCame);
  // A step of 6 ms each, and a turn of a millisecond.
  expect(turns).toBeGreaterThanOrEqual(8 * 8);
  expect(turns).toBeLessThanOrEqual(9 * 12);
  expect((await stepsInTurns(nine, () => newPayer())).turns).toBeLessThanOrEqual(4);
});

test('takes a step of each before the second of any, and of those below a platform one of each', async () => {
  const [busyOne, platform] = [newPayer(), newPayer()];
  const busyBelow = newPayer(0, platform);
  const names = [
    ...Array<string>(40).fill('busy'),
    ...Array<string>(40).fill('busy below'),
    'quiet below',
    'quiet',
  ];
  const payers: Record<string, Payer> = { busy: busyOne, 'busy below': busyBelow };
  const payerOf = (name: string) => payers[name] ?? newPayer(0, name === 'quiet' ? undefined : platform);
  const { taken } = await stepsInTurns(names, payerOf, connectionCame);
  const order = ['busy', 'busy below', 'quiet', 'busy', 'quiet below', 'busy', 'busy below'];
  expect(taken.flat().slice(0, order.length)).toEqual(order);
  expect(taken.flat()).toHaveLength(names.length);
});

test('has no step wait where long work waits for its turn', async () => {
  await turn();
  const works = [
    inTurns(longParts(3, () => {})),
    inTurns(
      longParts(3, () => {}),
      newPayer(1000),
    ),
  ];
  expect(stepOf(newPayer())).toBe(undefined);
  await Promise.all(works);
  expect(stepOf(newPayer())).toBeInstanceOf(Promise);
});
