import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { freeMillis } from '../../src/lib/free-time.ts';

/** Milliseconds by both clocks. */
async function during(work: () => unknown): Promise<{ free: number; all: number }> {
  const [free, all] = [freeMillis(), performance.now()];
  await work();
  return { free: freeMillis() - free, all: performance.now() - all };
}

function hold(millis: number): void {
  for (const end = performance.now() + millis; performance.now() < end; );
}

it('stands while the event loop is held, and then goes on', async () => {
  const held = await during(() => hold(300));
  expect(held.all).toBeGreaterThanOrEqual(300);
  // A tick before, at most, and none behind it.
  expect(held.free).toBeLessThanOrEqual(held.all - 250);
  const longer = await during(async () => {
    hold(300);
    await sleep(0);
    hold(300);
  });
  expect(longer.free).toBeLessThanOrEqual(longer.all - 500);
});

it('never goes back, and never faster than time', async () => {
  for (const work of [() => sleep(50), () => hold(30), () => sleep(0)]) {
    const { free, all } = await during(work);
    expect(free).toBeGreaterThanOrEqual(-0.001);
    expect(free).toBeLessThanOrEqual(all + 1);
  }
});

it('goes by the clock of the process where a test has set another', async () => {
  const { free } = await during(async () => {
    vi.useFakeTimers({ now: 0, toFake: ['performance', 'Date'] });
    await sleep(60);
    vi.useRealTimers();
    await sleep(60);
  });
  expect(free).toBeGreaterThanOrEqual(-0.001);
});
