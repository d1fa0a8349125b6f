import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { oneAtATime } from '../../src/lib/one-at-a-time.ts';

test('does work one after the other for each name, whatever becomes of it', async () => {
  const inOrder = oneAtATime();
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
