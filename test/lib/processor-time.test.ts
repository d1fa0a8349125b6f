import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { inTurns } from '../../src/lib/in-turns.ts';
import { RecentWork, workFor, worksFor } from '../../src/lib/processor-time.ts';

function newPayer() {
  const payer = {
    millis: 0,
    recentMillis: 0,
    pay(millis: number) {
      payer.millis += millis;
    },
  };
  return payer;
}

/** Keeps the processor for so long. */
function spin(millis: number): number {
  const start = performance.now();
  while (performance.now() - start < millis);
  return performance.now() - start;
}

it('is of the one that was named, until another is', async () => {
  const [a, b] = [newPayer(), newPayer()];
  workFor(a);
  const ofA = spin(5);
  workFor(b);
  const ofB = spin(5) + (await Promise.resolve().then(() => spin(5)));
  workFor(a);
  const more = spin(5);
  workFor(undefined);
  spin(5);
  // More than these may be counted where the system takes the processor away between them, and no less.
  expect(a.millis).toBeGreaterThanOrEqual(ofA + more);
  expect(b.millis).toBeGreaterThanOrEqual(ofB);
  const counted = [a.millis, b.millis];
  workFor(undefined);
  expect([a.millis, b.millis]).toEqual(counted);
});

it('counts for nobody when the turn of the loop is over, so that no wait counts', async () => {
  const a = newPayer();
  workFor(a);
  expect(worksFor()).toBe(a);
  await turn();
  expect(worksFor()).toBeUndefined();
  const { millis } = a;
  await sleep(20);
  spin(5);
  workFor(undefined);
  expect(a.millis).toBe(millis);
});

it('goes on for the same one in work that gives others their turn', async () => {
  const [a, b] = [newPayer(), newPayer()];
  let spun = 0;
  function* parts() {
    for (let i = 0; i < 10; i++) {
      spun += spin(3);
      yield;
    }
  }
  workFor(a);
  const done = inTurns(parts(), a);
  workFor(b);
  await done;
  workFor(undefined);
  expect(a.millis).toBeGreaterThanOrEqual(spun);
});

it('counts work that was done for all for nobody', async () => {
  const a = newPayer();
  workFor(a);
  await inTurns(
    (function* () {
      spin(20);
      yield;
    })(),
  );
  workFor(undefined);
  expect(a.millis).toBeLessThan(20);
});

it('forgets half of what was done lately in a second', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const recent = new RecentWork();
  recent.add(80);
  vi.advanceTimersByTime(1000);
  expect(recent.millis).toBe(40);
  recent.add(10);
  vi.advanceTimersByTime(2000);
  expect(recent.millis).toBe(12.5);
});

afterEach(() => void vi.useRealTimers());
