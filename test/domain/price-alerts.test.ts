import { describe, expect, it } from 'vitest';
import type { DomainError } from '../../src/domain/errors.ts';
import { parsePriceAlert } from '../../src/domain/price-alerts.ts';

const AMOUNT = { currency: 'USD', value: 5 };
const above = { targetId: 'var_1', condition: 'Above', amount: AMOUNT };
const change = { targetId: 'col_1', condition: 'Change', percent: 10, days: 7 };

function breaches(value: unknown): string[] {
  try {
    parsePriceAlert(value);
  } catch (error) {
    return (error as DomainError).details.breaches!.map(({ path, detail }) => `${path.join('/')}: ${detail}`);
  }
  return [];
}

describe('an alert on an amount', () => {
  it.each(['Above', 'Below'])('%s is that, and no more', (condition) => {
    const alert = { ...above, condition };
    expect(parsePriceAlert(alert)).toEqual(alert);
    for (const [field, value] of [
      ['percent', 10],
      ['days', 7],
      ['direction', 'Up'],
    ] as const) {
      expect(breaches({ ...alert, [field]: value })).toEqual([
        `${field}: must be left out: it belongs to a change`,
      ]);
    }
    expect(breaches({ ...alert, note: 'x' })).toEqual(['note: is not a known field']);
    expect(breaches({ ...alert, amount: undefined })).toEqual(['amount: is required']);
    expect(breaches({ ...alert, targetId: 7 })).toEqual(['targetId: must be an id']);
  });

  it('may be above 0, and not below it', () => {
    const amount = { ...AMOUNT, value: 0 };
    expect(breaches({ ...above, amount })).toEqual([]);
    expect(breaches({ ...above, condition: 'Below', amount })).toEqual([
      'amount/value: must be more than 0: no price is below it',
    ]);
    expect(breaches({ ...above, condition: 'Below', amount: { ...AMOUNT, value: 0.0001 } })).toEqual([]);
  });
});

describe('an alert on a change', () => {
  const PERCENT = 'percent: must be a number from 0.01 to 10000 with at most 2 decimals';
  const DAYS = 'days: must be a whole number from 1 to 365';

  it('is of either direction where nothing is said', () => {
    expect(parsePriceAlert(change)).toEqual({ ...change, direction: 'Either' });
    for (const direction of ['Up', 'Down', 'Either'])
      expect(parsePriceAlert({ ...change, direction })).toEqual({ ...change, direction });
    expect(breaches({ ...change, direction: 'up' })).toEqual([
      'direction: must be one of Up, Down, Either (Did you mean Up?)',
    ]);
  });

  it('is by 0.01 to 10,000 percent', () => {
    for (const percent of [0.01, 33.33, 10_000]) expect(breaches({ ...change, percent })).toEqual([]);
    for (const percent of [0, 0.009, 10_000.01, 1.001, -1, '1', null])
      expect(breaches({ ...change, percent })).toEqual([PERCENT]);
  });

  it('falls by 100 percent at most', () => {
    const by = (percent: number, direction: string) => breaches({ ...change, percent, direction });
    expect([by(100, 'Down'), by(100.01, 'Up'), by(100.01, 'Either')]).toEqual([[], [], []]);
    expect(by(100.01, 'Down')).toEqual(['percent: must be at most 100 for a fall: no price falls by more']);
  });

  it('looks back 1 to 365 days', () => {
    for (const days of [1, 365]) expect(breaches({ ...change, days })).toEqual([]);
    for (const days of [0, 366, 1.5, '1'])
      expect(new Set(breaches({ ...change, days }))).toEqual(new Set([DAYS]));
  });

  it('has no amount and no other field', () => {
    expect(breaches({ ...change, amount: AMOUNT })).toEqual([
      'amount: must be left out: a change has a percent',
    ]);
    expect(breaches({ ...change, note: 'x' })).toEqual(['note: is not a known field']);
  });
});

describe('what an alert waits for', () => {
  const amount = { currency: 'USD', value: 5 };

  it('is one of three, and the same as by the fields beside it', () => {
    const alertOf = (when: unknown) => parsePriceAlert({ targetId: 'var_1', when });
    expect(alertOf({ above: amount })).toEqual(above);
    expect(alertOf({ below: amount })).toEqual({ ...above, condition: 'Below' });
    const moved = { percent: 10, days: 7 };
    expect(alertOf({ change: moved })).toEqual({
      targetId: 'var_1',
      condition: 'Change',
      ...moved,
      direction: 'Either',
    });
    for (const when of [{}, { above: amount, below: amount }])
      expect(breaches({ targetId: 'x', when })).toEqual(['when: must have one of above, below and change']);
  });

  it('is said in one way, with its place in what is wrong', () => {
    expect(breaches({ ...above, when: { above: amount } })).toEqual([
      'condition: must be left out beside when',
    ]);
    expect(breaches({ targetId: 'x', when: { below: { ...amount, value: 0 } }, days: 7 })).toEqual([
      'when/below/value: must be more than 0: no price is below it',
      'days: must be left out beside when',
    ]);
    const fall = { percent: 101, days: 7, direction: 'Down' };
    expect(breaches({ targetId: 'x', when: { change: fall } })).toEqual([
      'when/change/percent: must be at most 100 for a fall: no price falls by more',
    ]);
    expect(breaches({ targetId: 'x' })).toEqual(['when: is required']);
    expect(breaches(null)).toEqual([': must be an object']);
  });
});

it('has one of three conditions', () => {
  expect(breaches({ ...above, condition: 'above' })).toEqual([
    'condition: must be one of Above, Below, Change',
  ]);
});
