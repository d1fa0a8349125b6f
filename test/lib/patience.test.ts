import { afterEach, expect, it, vi } from 'vitest';
import { startPatience } from '../../src/lib/patience.ts';

afterEach(() => vi.useRealTimers());

it('gives up when the time is over, and not before', () => {
  vi.useFakeTimers();
  const giveUp = vi.fn<() => void>();
  startPatience(1000, giveUp);
  vi.advanceTimersByTime(999);
  expect(giveUp).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(giveUp).toHaveBeenCalledOnce();
});

it('does not give up once it is told to stop', () => {
  vi.useFakeTimers();
  const giveUp = vi.fn<() => void>();
  const stop = startPatience(1000, giveUp);
  vi.advanceTimersByTime(550);
  stop();
  vi.advanceTimersByTime(10_000);
  expect(giveUp).not.toHaveBeenCalled();
});

it('takes a stall of the process for a slice of the time', async () => {
  const giveUp = vi.fn<() => void>();
  const stop = startPatience(100, giveUp);
  const end = performance.now() + 150;
  while (performance.now() < end);
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(giveUp).not.toHaveBeenCalled();
  stop();
});
