import { describe, expect, it } from 'vitest';
import { pointsOfRewriting, pointsOfWatching } from '../../src/domain/read-points.ts';

describe('the points of a change', () => {
  it('grow with what it reads, and make none impossible', () => {
    expect([24, 25, 124_999, 125_000, 10_000_000].map(pointsOfWatching)).toEqual([0, 1, 4999, 5000, 5000]);
    expect([9_999, 10_000, 10_000_000].map((count) => pointsOfRewriting('account', count))).toEqual([
      4999, 5000, 5000,
    ]);
  });
});
