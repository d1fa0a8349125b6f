import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWorkLimit } from '../../src/auth/work-limit.ts';

const LIMIT = 6000;

describe('the budget of work of an account', () => {
  let millis = 0;
  const work = (perMinute = LIMIT) => createWorkLimit(perMinute, () => millis)('a');
  const refused = (seconds: number) =>
    expect.objectContaining({
      problem: 'RateLimited',
      details: expect.objectContaining({ retryAfterSeconds: seconds }),
    });
  const refusal = (of: ReturnType<typeof work>): unknown => {
    try {
      of.assertLeft();
      return null;
    } catch (error) {
      return error;
    }
  };

  it('is there to the last millisecond, and is refilled steadily', () => {
    const a = work();
    a.pay(LIMIT - 1);
    expect(refusal(a)).toBeNull();
    a.pay(1);
    expect(refusal(a)).toEqual(refused(1));
    // A tenth of a millisecond a millisecond.
    millis += 10;
    expect(refusal(a)).toBeNull();
    a.pay(101);
    expect(refusal(a)).toEqual(refused(2));
    millis += 999;
    expect(refusal(a)).toEqual(refused(1));
    millis += 2;
    expect(refusal(a)).toBeNull();
    millis += 3_600_000;
    a.pay(LIMIT - 1);
    expect(refusal(a)).toBeNull();
    a.pay(1);
    expect(refusal(a)).not.toBeNull();
  });

  it('is never used up for longer than a minute, whatever was under way', () => {
    const a = work();
    a.pay(1000 * LIMIT);
    expect(refusal(a)).toEqual(refused(61));
    millis += 60_001;
    expect(refusal(a)).toBeNull();
  });

  it('counts each account by itself', () => {
    const limit = createWorkLimit(LIMIT, () => millis);
    limit('a').pay(LIMIT);
    for (let i = 0; i < 9; i++) expect(refusal(limit(`quiet ${i}`))).toBeNull();
    expect(refusal(limit('a'))).toEqual(refused(1));
  });

  it('is told in tenths', () => {
    const a = work();
    expect(a.left()).toEqual({ limit: LIMIT, remaining: LIMIT });
    a.pay(599);
    expect(a.left()?.remaining).toBe(LIMIT);
    a.pay(2);
    expect(a.left()?.remaining).toBe(5400);
    a.pay(LIMIT);
    expect(a.left()?.remaining).toBe(0);
  });

  it('has no bound where that is 0', () => {
    const a = work(0);
    a.pay(1e9);
    expect(refusal(a)).toBeNull();
    expect(a.left()).toBeUndefined();
    // Who asks for much comes behind others all the same.
    expect(a.recentMillis).toBeGreaterThan(work().recentMillis);
  });

  describe('when it is waited for', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    it('lets go on who may', async () => {
      const a = work();
      let gone = 0;
      const wait = (isOver = () => false) => a.untilLeft(isOver).then(() => gone++);
      await wait();
      a.pay(LIMIT);
      void wait();
      await vi.advanceTimersByTimeAsync(3000);
      expect(gone).toBe(1);
      // One who left does not wait on.
      void wait(() => true);
      await vi.advanceTimersByTimeAsync(1000);
      expect(gone).toBe(2);
      millis += 10;
      await vi.advanceTimersByTimeAsync(1000);
      expect(gone).toBe(3);
    });
  });
});
