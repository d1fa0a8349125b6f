import { describe, expect, it, vi } from 'vitest';
import { addDays } from '../../src/domain/dates.ts';
import { countHistoryDays, historyDays, INTERVALS, type Interval } from '../../src/domain/history.ts';

const TODAY = '2026-05-31';

function dayByDay(from: string, to: string, interval: Interval): string[] {
  const isEnd = {
    Day: () => true,
    Week: (day: string) => new Date(`${day}T00:00:00Z`).getUTCDay() === 0,
    Month: (day: string) => addDays(day, 1).endsWith('-01'),
  }[interval];
  const days: string[] = [];
  for (let day = from; day < to; day = addDays(day, 1)) if (isEnd(day)) days.push(day);
  return [...days, to];
}

describe.each(INTERVALS)('the days of a history by %s', (interval) => {
  // Over the end of a February of a leap year, and from and to each day of the week and the ends of months.
  const first = '2024-01-25';
  const lengths = [0, 1, 2, 5, 6, 7, 8, 27, 30, 31, 32, 366, 399];

  it('are those that end it, and the last, as many as are counted', () => {
    for (let start = 0; start < 45; start++) {
      const from = addDays(first, start);
      for (const length of lengths) {
        const to = addDays(from, length);
        const days = historyDays(from, to, interval, TODAY);
        expect(days, `${from} to ${to}`).toEqual(dayByDay(from, to, interval));
        expect(days, `${from} to ${to}`).toHaveLength(countHistoryDays(from, to, interval));
      }
    }
  });
});

it('33 years by month are made in steps of months, not of days', () => {
  const dates = vi.spyOn(Date.prototype, 'toISOString');
  try {
    const days = historyDays('1993-03-01', '2026-05-31', 'Month', TODAY);
    expect(days).toHaveLength(399);
    expect(dates.mock.calls.length).toBeLessThan(3 * days.length);
  } finally {
    dates.mockRestore();
  }
});
