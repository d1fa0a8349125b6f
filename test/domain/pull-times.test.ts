import { describe, expect, it } from 'vitest';
import { dueSince, PULL_TIMES } from '../../src/domain/pull-times.ts';

describe('times of pulls', () => {
  it.each([
    ['daily', '2026-04-20T05:59:59Z', '2026-04-19T05:59:59Z'],
    ['06:00', '2026-04-20T05:59:59Z', '2026-04-19T06:00:00Z'],
    ['06:00', '2026-04-20T06:00:00Z', '2026-04-20T06:00:00Z'],
    ['06:00', '2026-04-20T23:59:59Z', '2026-04-20T06:00:00Z'],
    ['00:00', '2026-03-01T00:00:00Z', '2026-03-01T00:00:00Z'],
    ['23:59', '2026-03-01T00:00:00Z', '2026-02-28T23:59:00Z'],
  ])('%s, at %s: what is older than %s is due', (times, now, since) => {
    expect(times).toMatch(PULL_TIMES);
    expect(dueSince(times, new Date(now))).toEqual(new Date(since));
  });

  it.each(['noon', '6:00', '24:00', '06:60', '06:00:00', ' daily', 'Daily', 'hourly', '06:00\n'])(
    '%j is none',
    (times) => {
      expect(times).not.toMatch(PULL_TIMES);
    },
  );
});
