import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { fewAtATime } from '../../src/lib/few-at-a-time.ts';
import { newGate } from '../support/gate.ts';

test('does work one after the other for each name, whatever becomes of it', async () => {
  const inOrder = fewAtATime(1);
  const log: string[] = [];
  const work =
    (name: string, fails = false) =>
    async () => {
      log.push(`${name} begins`);
      await turn();
      log.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    };
  const outcomes = await Promise.allSettled([
    inOrder('a', work('a1', true)),
    inOrder('a', work('a2')),
    inOrder('b', work('b1')),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(log.filter((line) => line.startsWith('a'))).toEqual([
    'a1 begins',
    'a1 ends',
    'a2 begins',
    'a2 ends',
  ]);
  expect(log.indexOf('b1 begins')).toBeLessThan(log.indexOf('a1 ends'));
});

test('does so much at a time, in the order in which it came', async () => {
  const twoAtATime = fewAtATime(2);
  const begun: number[] = [];
  const gates = [0, 1, 2, 3].map(() => newGate());
  const all = gates.map((gate, i) =>
    twoAtATime('a', async () => {
      begun.push(i);
      await gate.opened;
    }),
  );
  await turn();
  expect(begun).toEqual([0, 1]);
  gates[1]!.open();
  await all[1];
  await turn();
  expect(begun).toEqual([0, 1, 2]);
  for (const gate of gates) gate.open();
  await Promise.all(all);
  expect(begun).toEqual([0, 1, 2, 3]);
});

test('has nobody wait who leaves, and gives the turn to the next', async () => {
  const oneAtATime = fewAtATime(1);
  const gate = newGate();
  const first = oneAtATime('a', () => gate.opened);
  const leaving = new AbortController();
  const left = oneAtATime('a', async () => leaving.signal.aborted, leaving.signal);
  const staying = new AbortController();
  const next = oneAtATime('a', async () => 'next', staying.signal);
  leaving.abort();
  expect(await left).toBe(true);
  expect(await oneAtATime('a', async () => 'has left before', leaving.signal)).toBe('has left before');
  expect(await Promise.race([next, turn('waits')])).toBe('waits');
  gate.open();
  await first;
  expect(await next).toBe('next');
  // Nothing is left of it.
  expect(await oneAtATime('a', async () => 'free')).toBe('free');
});
