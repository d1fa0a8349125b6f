import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWorkLimit } from '../../src/auth/work-limit.ts';

const LIMIT = 6000;

describe('the budget of work of an account', () => {
  let millis = 0;
  const limits = (account: number, platform: number) => createWorkLimit({ account, platform }, () => millis);
  const work = (perMinute = LIMIT) => limits(perMinute, LIMIT)('a');
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

  it('is waited for as long as what was done takes to be refilled, for half an hour at most', () => {
    const a = work();
    a.pay(20 * LIMIT);
    expect(refusal(a)).toEqual(refused(19 * 60 + 1));
    millis += 19 * 60_000 + 1;
    expect(refusal(a)).toBeNull();
    a.pay(1000 * LIMIT);
    expect(refusal(a)).toEqual(refused(30 * 60 + 1));
    millis += 30 * 60_000 + 1;
    expect(refusal(a)).toBeNull();
  });

  it('counts each account by itself', () => {
    const limit = limits(LIMIT, LIMIT);
    limit('a').pay(LIMIT);
    for (let i = 0; i < 9; i++) expect(refusal(limit(`quiet ${i}`))).toBeNull();
    expect(refusal(limit('a'))).toEqual(refused(1));
  });

  describe('below a platform', () => {
    it('is also that of all who are', () => {
      const limit = limits(LIMIT, 2 * LIMIT);
      const accounts = ['a', 'b', 'c', 'd'].map((id) => limit(id, 'platform'));
      for (const account of accounts) account.pay(LIMIT / 2 - 1);
      for (const account of accounts) expect(refusal(account)).toBeNull();
      accounts[0]!.pay(4);
      const ofAll = expect.objectContaining({
        message: expect.stringMatching(/12000 ms .* for all accounts below/),
      });
      for (const account of [...accounts, limit('new', 'platform')]) {
        expect(refusal(account)).toEqual(refused(1));
        expect(refusal(account)).toEqual(ofAll);
      }
      // Neither those of another, nor the platform itself, which asks as any account.
      expect(refusal(limit('e', 'other'))).toBeNull();
      expect(refusal(limit('platform'))).toBeNull();
      millis += 5;
      for (const account of accounts) expect(refusal(account)).toBeNull();
    });

    it('takes nothing from the others once its own is used up', () => {
      const limit = limits(LIMIT, 2 * LIMIT);
      const [noisy, quiet] = [limit('noisy', 'platform'), limit('quiet', 'platform')];
      while (refusal(noisy) === null) noisy.pay(100);
      expect(refusal(noisy)).toEqual(
        expect.objectContaining({ message: expect.stringContaining('for an account,') }),
      );
      expect(refusal(quiet)).toBeNull();
      expect(quiet.left()).toEqual({ limit: LIMIT, remaining: LIMIT });
    });

    it('is never used up for longer than a minute by what one had under way', () => {
      const limit = limits(LIMIT, LIMIT);
      limit('noisy', 'platform').pay(1000 * LIMIT);
      const quiet = limit('quiet', 'platform');
      expect(refusal(quiet)).toEqual(refused(61));
      millis += 60_001;
      expect(refusal(quiet)).toBeNull();
      expect(refusal(limit('noisy', 'platform'))).toEqual(refused(29 * 60));
    });

    it('counts what the database did for one, who is named alone', () => {
      const limit = limits(0, LIMIT);
      limit('a', 'platform');
      limit('a').pay(LIMIT);
      expect(refusal(limit('b', 'platform'))).toEqual(refused(1));
      expect(limit('b', 'platform').left()).toBeUndefined();
    });

    it('has no bound where that is 0', () => {
      const limit = limits(LIMIT, 0);
      for (let i = 0; i < 100; i++) limit(`${i}`, 'platform').pay(LIMIT - 1);
      expect(refusal(limit('a', 'platform'))).toBeNull();
    });
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

  it('is used up by the database, which does not count for whose turn it is in the process', () => {
    const limit = limits(LIMIT, 10 * LIMIT);
    const a = limit('a', 'platform');
    a.payDatabase(LIMIT);
    expect(a.recentMillis).toBe(0);
    expect(a.above?.recentMillis).toBe(0);
    expect(a.isUsedUp).toBe(true);
    for (let i = 0; i < 9; i++) limit(`${i}`, 'platform').payDatabase(LIMIT);
    expect(refusal(limit('other', 'platform'))).not.toBeNull();
    a.pay(1);
    expect(a.recentMillis).toBeGreaterThan(0);
    expect(a.above?.recentMillis).toBeGreaterThan(0);
  });

  describe('when it is waited for', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    it('waits for that of all accounts below a platform, too', async () => {
      const limit = limits(LIMIT, LIMIT);
      limit('a', 'platform').pay(LIMIT);
      let gone = 0;
      void limit('b', 'platform')
        .untilLeft(() => false)
        .then(() => gone++);
      await vi.advanceTimersByTimeAsync(1000);
      expect(gone).toBe(0);
      millis += 10;
      await vi.advanceTimersByTimeAsync(1000);
      expect(gone).toBe(1);
    });

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
