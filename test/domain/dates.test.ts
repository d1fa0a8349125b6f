import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays, dateOf, isCalendarDate, occurredAt, yearOf } from '../../src/domain/dates.ts';
import type { DomainError } from '../../src/domain/errors.ts';
import { checkDateRange, countHistoryDays, historyDays, INTERVALS } from '../../src/domain/history.ts';
import { LIMITS } from '../../src/domain/limits.ts';

describe('a calendar date', () => {
  it.each(['2024-02-29', '1970-01-01', '2026-12-31', '0001-01-01', '9999-12-31'])('is %s', (text) => {
    expect(isCalendarDate(text)).toBe(true);
  });

  it.each([
    '2023-02-29',
    '2023-02-30',
    '2023-04-31',
    '2023-13-01',
    '2023-00-10',
    '2023-01-00',
    '2023-1-01',
    '23-01-01',
    '2023-01',
    '2023',
    '12023-01-01',
    '+102023-01-01',
    '-000001-01-01',
    '2023-01-01T00:00:00Z',
    ' 2023-01-01',
    '2023-01-01 ',
    '2023/01/01',
    '',
  ])('is not "%s"', (text) => {
    expect(isCalendarDate(text)).toBe(false);
  });

  it('is that of UTC', () => {
    expect(dateOf(new Date('2026-04-13T23:59:59.999Z'))).toBe('2026-04-13');
    expect(dateOf(new Date('2026-04-13T23:30:00-02:00'))).toBe('2026-04-14');
  });

  it('moves over the ends of months, leap days and years', () => {
    expect(addDays('2024-02-28', 1)).toBe('2024-02-29');
    expect(addDays('2023-02-28', 1)).toBe('2023-03-01');
    expect(addDays('2026-01-01', -1)).toBe('2025-12-31');
    expect(addDays('2026-01-31', 0)).toBe('2026-01-31');
    expect(addDays('2026-01-01', 365)).toBe('2027-01-01');
  });

  it('has its year', () => {
    expect([yearOf('2026-01-31'), yearOf('0099-12-31')]).toEqual([2026, 99]);
  });

  it('comes back as noon of the day', () => {
    expect(occurredAt('2026-01-31')).toBe('2026-01-31T12:00:00Z');
  });
});

function breachesOf(work: () => unknown) {
  try {
    work();
  } catch (error) {
    expect((error as DomainError).problem).toBe('ValidationFailed');
    return (error as DomainError).details.breaches!.map(({ path, detail }) => `${path.join('.')} ${detail}`);
  }
  throw new Error('nothing was refused');
}

describe('the days of a history', () => {
  const TODAY = '2026-04-13';
  const days = (from: string, to: string, interval: 'Day' | 'Week' | 'Month' = 'Day') =>
    historyDays(from, to, interval, TODAY);

  it('are every day, Sundays or ends of months, and the last day', () => {
    expect(days('2026-04-01', '2026-04-03')).toEqual(['2026-04-01', '2026-04-02', '2026-04-03']);
    expect(days('2026-04-13', '2026-04-13')).toEqual(['2026-04-13']);
    expect(days('2026-03-28', '2026-04-13', 'Week')).toEqual([
      '2026-03-29',
      '2026-04-05',
      '2026-04-12',
      '2026-04-13',
    ]);
    expect(days('2025-12-31', '2026-03-30', 'Month')).toEqual([
      '2025-12-31',
      '2026-01-31',
      '2026-02-28',
      '2026-03-30',
    ]);
    expect(days('2026-01-31', '2026-01-31', 'Month')).toEqual(['2026-01-31']);
  });

  it('are at most 400', () => {
    expect(days(addDays(TODAY, -399), TODAY)).toHaveLength(400);
    expect(breachesOf(() => days(addDays(TODAY, -400), TODAY))).toEqual([
      'to gives more than 400 points by day; take a shorter range or a longer interval',
    ]);
    expect(breachesOf(() => days('1990-01-01', TODAY, 'Month'))).toEqual([
      'to gives more than 400 points by month; take a shorter range or a longer interval',
    ]);
    expect(days(addDays(TODAY, -400), TODAY, 'Week').length).toBeLessThan(60);
  });

  it('are as many as are counted beforehand', () => {
    const day = fc.integer({ min: 0, max: 20_000 }).map((n) => addDays('1970-01-01', n));
    fc.assert(
      fc.property(
        day,
        fc.integer({ min: 0, max: 3000 }),
        fc.constantFrom(...INTERVALS),
        (from, length, interval) => {
          const to = addDays(from, length);
          const count = countHistoryDays(from, to, interval);
          if (count > LIMITS.historyPoints) {
            expect(() => historyDays(from, to, interval, '2100-01-01')).toThrow();
          } else expect(historyDays(from, to, interval, '2100-01-01')).toHaveLength(count);
        },
      ),
    );
  });

  it('reach from 1970 to tomorrow', () => {
    expect(() => checkDateRange('1970-01-01', '2026-04-14', TODAY)).not.toThrow();
    expect(breachesOf(() => checkDateRange('1969-12-31', '2026-04-15', TODAY))).toEqual([
      'from must be from 1970-01-01 to 2026-04-14',
      'to must be from 1970-01-01 to 2026-04-14',
    ]);
  });

  it('go forwards, between real dates', () => {
    expect(breachesOf(() => checkDateRange('2026-02-30', 'x', TODAY))).toEqual([
      'from must be a calendar date: there is no 2026-02-30',
      'to must be a calendar date of the form YYYY-MM-DD',
    ]);
    expect(breachesOf(() => checkDateRange('x', '2026-02-01', TODAY))).toEqual([
      'from must be a calendar date of the form YYYY-MM-DD',
    ]);
    expect(breachesOf(() => checkDateRange('2026-02-02', '2026-02-01', TODAY))).toEqual([
      'to must not be before from',
    ]);
    expect(() => checkDateRange('2026-02-02', '2026-02-02', TODAY)).not.toThrow();
  });
});
