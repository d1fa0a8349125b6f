import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DomainError } from '../../src/domain/errors.ts';
import {
  type ConnectionArguments,
  type CursorShape,
  checkPosition,
  encodeCursor,
  pageByKey,
  pageByPosition,
  pageOfPositions,
  withoutGone,
} from '../../src/domain/pagination.ts';

const SHAPE: CursorShape = { name: 'things-value', kinds: ['text', 'numeric', 'date'] };
const KEY = ['Éclair "x"', '-1.50', '2026-04-13'];

function refusal(work: () => unknown): DomainError {
  try {
    work();
  } catch (error) {
    return error as DomainError;
  }
  throw new Error('nothing was refused');
}
const breaches = (work: () => unknown) =>
  refusal(work).details.breaches!.map(({ path, detail }) => `${path.join('.')} ${detail}`);

describe('a page by position', () => {
  it('starts at 0 and has 50 items where nothing is said', () => {
    expect(pageByPosition({})).toEqual({ kind: 'position', position: 0, size: 50 });
    expect(pageByPosition({ cursor: '007', pageSize: '200' })).toMatchObject({ position: 7, size: 200 });
    expect(pageByPosition({ pageSize: '1' }).size).toBe(1);
  });

  it.each(['-1', '1.5', 'x', '', ' 1', '1e3', '0x1'])('refuses the cursor "%s"', (cursor) => {
    expect(breaches(() => pageByPosition({ cursor }))).toEqual(['cursor must be a whole number from 0']);
  });

  it.each(['0', '201', '-1', 'x', '', '1.5', '999999999999999999999'])(
    'refuses the size "%s"',
    (pageSize) => {
      expect(breaches(() => pageByPosition({ pageSize }))).toEqual([
        'pageSize must be a whole number from 1 to 200',
      ]);
    },
  );

  it('tells of both breaches at once', () => {
    expect(breaches(() => pageByPosition({ cursor: 'x', pageSize: '0' }))).toHaveLength(2);
  });

  it('takes a cursor of any length as past the end', () => {
    expect(pageByPosition({ cursor: '9'.repeat(400) }).position).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('is not found past the end, but for the first', () => {
    expect(() => checkPosition(0, 0)).not.toThrow();
    expect(() => checkPosition(5, 1)).not.toThrow();
    const error = refusal(() => checkPosition(1, 0));
    expect(error.problem).toBe('NotFound');
    expect(error.message).toBe('The cursor 1 is beyond the maximum cursor of this list.');
  });
});

describe('a page by key', () => {
  const page = (args: ConnectionArguments) => pageByKey(args, SHAPE);

  it('is the first 50 where nothing is said', () => {
    const everything = { kind: 'key', after: null, before: null, size: 50, fromEnd: false };
    expect(page({})).toEqual(everything);
    expect(page({ first: null, last: null, after: null, before: null })).toEqual(everything);
  });

  it('counts from the start by first, from the end by last', () => {
    expect(page({ first: 1 })).toMatchObject({ size: 1, fromEnd: false });
    expect(page({ last: 200 })).toMatchObject({ size: 200, fromEnd: true });
  });

  it('refuses sizes out of 1 to 200, and both at once', () => {
    for (const size of [0, -1, 201, 1.5, Number.NaN]) {
      expect(breaches(() => page({ first: size }))).toEqual(['first must be a whole number from 1 to 200']);
      expect(breaches(() => page({ last: size }))).toEqual(['last must be a whole number from 1 to 200']);
    }
    expect(breaches(() => page({ first: 1, last: 1 }))).toEqual([
      'last must not be given together with first',
    ]);
    expect(breaches(() => page({ first: 0, last: 0 }))).toHaveLength(3);
  });

  it('reads back the cursors that it wrote, whatever their text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const key = [text.replaceAll('\0', ''), '1', '2026-01-01'];
        const cursor = encodeCursor(SHAPE, key);
        expect(cursor).toMatch(/^[\w-]+$/);
        expect(page({ after: cursor }).after).toEqual(key);
        expect(page({ before: cursor }).before).toEqual(key);
      }),
    );
  });

  it.each([
    ['-12.345', '2026-02-28'],
    ['Infinity', 'infinity'],
    ['-Infinity', '-infinity'],
    [`${'9'.repeat(60)}.${'9'.repeat(60)}`, '0001-01-01'],
  ])('takes the numbers and dates %s and %s', (numeric, date) => {
    const key = ['', numeric, date];
    expect(page({ after: encodeCursor(SHAPE, key) }).after).toEqual(key);
  });

  it.each([
    ['nothing of the kind', () => 'x'],
    ['an empty text', () => ''],
    ['JSON that is no list', () => Buffer.from('{}').toString('base64url')],
    ['another list', () => encodeCursor({ ...SHAPE, name: 'things-name' }, KEY)],
    ['too few parts', () => encodeCursor(SHAPE, KEY.slice(0, 2))],
    ['too many parts', () => encodeCursor(SHAPE, [...KEY, 'x'])],
    [
      'a number in place of a text',
      () => Buffer.from('["things-value",1,"1","2026-01-01"]').toString('base64url'),
    ],
    ['U+0000', () => encodeCursor(SHAPE, ['\0', '1', '2026-01-01'])],
    [
      'a lone surrogate',
      () => Buffer.from('["things-value","\\ud800","1","2026-01-01"]').toString('base64url'),
    ],
    ['a number that is none', () => encodeCursor(SHAPE, ['x', '1e5', '2026-01-01'])],
    ['a number that is too long', () => encodeCursor(SHAPE, ['x', '9'.repeat(61), '2026-01-01'])],
    ['more than a number', () => encodeCursor(SHAPE, ['x', '1; --', '2026-01-01'])],
    ['more before a number', () => encodeCursor(SHAPE, ['x', 'x1', '2026-01-01'])],
    ['NaN', () => encodeCursor(SHAPE, ['x', 'NaN', '2026-01-01'])],
    ['a date that the calendar lacks', () => encodeCursor(SHAPE, ['x', '1', '2026-02-30'])],
    ['the year 0', () => encodeCursor(SHAPE, ['x', '1', '0000-01-01'])],
    ['more than a date', () => encodeCursor(SHAPE, ['x', '1', '2026-01-01x'])],
    ['more before a date', () => encodeCursor(SHAPE, ['x', '1', 'x2026-01-01'])],
    ['more before an infinity', () => encodeCursor(SHAPE, ['x', '1', 'xinfinity'])],
  ])('refuses a cursor with %s', (_name, cursor) => {
    for (const name of ['after', 'before'] as const) {
      expect(breaches(() => page({ [name]: cursor() }))).toEqual([
        `${name} is not a cursor of this list in this order`,
      ]);
    }
  });

  it('takes positions of at most nine digits', () => {
    const shape: CursorShape = { name: 'found', kinds: ['position'] };
    expect(pageByKey({ after: encodeCursor(shape, ['999999999']) }, shape).after).toEqual(['999999999']);
    for (const text of ['1000000000', '-1', '1.5', '', 'x1', '1x']) {
      expect(() => pageByKey({ after: encodeCursor(shape, [text]) }, shape)).toThrow('after');
    }
  });
});

it('without what is gone keeps the key of each item that is left', () => {
  const page = {
    items: [null, 'b', null, 'd'],
    keyOf: (place: number) => [String(place)],
    hasNextPage: true,
    hasPreviousPage: false,
  };
  const { items, keyOf, ...rest } = withoutGone(page);
  expect(items.map((item, place) => [item, ...keyOf(place)])).toEqual([
    ['b', '1'],
    ['d', '3'],
  ]);
  expect(rest).toEqual({ hasNextPage: true, hasPreviousPage: false });
  expect(withoutGone({ ...page, items: [null, null] }).items).toEqual([]);
});

describe('a page of a list at hand', () => {
  const byKey = (args: { after?: string; before?: string; size: number; fromEnd?: boolean }, total: number) =>
    pageOfPositions(
      {
        kind: 'key',
        after: args.after ? [args.after] : null,
        before: args.before ? [args.before] : null,
        size: args.size,
        fromEnd: args.fromEnd ?? false,
      },
      total,
    );

  it('by position ends with the list', () => {
    expect(pageOfPositions({ kind: 'position', position: 4, size: 3 }, 10)).toEqual({ start: 4, end: 7 });
    expect(pageOfPositions({ kind: 'position', position: 8, size: 3 }, 10)).toEqual({ start: 8, end: 10 });
    expect(pageOfPositions({ kind: 'position', position: 12, size: 3 }, 10)).toEqual({ start: 10, end: 10 });
  });

  it('by key goes from after one to before another, either way', () => {
    expect(byKey({ size: 3 }, 10)).toEqual({ start: 0, end: 3 });
    expect(byKey({ after: '2', size: 3 }, 10)).toEqual({ start: 3, end: 6 });
    expect(byKey({ after: '8', size: 3 }, 10)).toEqual({ start: 9, end: 10 });
    expect(byKey({ after: '2', before: '4', size: 3 }, 10)).toEqual({ start: 3, end: 4 });
    expect(byKey({ size: 3, fromEnd: true }, 10)).toEqual({ start: 7, end: 10 });
    expect(byKey({ before: '4', size: 3, fromEnd: true }, 10)).toEqual({ start: 1, end: 4 });
    expect(byKey({ before: '99', size: 3, fromEnd: true }, 10)).toEqual({ start: 7, end: 10 });
    expect(byKey({ after: '2', before: '4', size: 3, fromEnd: true }, 10)).toEqual({ start: 3, end: 4 });
  });

  it('is empty where after is not before before', () => {
    for (const fromEnd of [false, true]) {
      const { start, end } = byKey({ after: '5', before: '3', size: 3, fromEnd }, 10);
      expect(end - start).toBe(0);
    }
  });

  it('covers the list once, whatever the size', () => {
    fc.assert(
      fc.property(fc.nat(60), fc.integer({ min: 1, max: 20 }), fc.boolean(), (total, size, fromEnd) => {
        const seen: number[] = [];
        let edge: string | undefined;
        for (;;) {
          const args = fromEnd ? { before: edge } : { after: edge };
          const { start, end } = byKey({ ...(edge && args), size, fromEnd }, total);
          if (start === end) break;
          for (let i = start; i < end; i++) seen.push(i);
          if (fromEnd ? start === 0 : end === total) break;
          edge = String(fromEnd ? start : end - 1);
        }
        expect(seen.sort((a, b) => a - b)).toEqual(Array.from({ length: total }, (_, i) => i));
      }),
    );
  });
});
