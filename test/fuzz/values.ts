import fc, { type Arbitrary, type GeneratorValue } from 'fast-check';
import { fuzzRuns } from '../support/fuzz.ts';

/** How many cases a fuzz test tries on a database. */
export function fuzzOptions(
  runs: number,
  kind?: 'pglite' | 'postgres',
): { numRuns: number; endOnFailure: boolean } {
  // What a request finds depends on those before it: the first failure is the one to look at.
  return { numRuns: fuzzRuns(runs, kind), endOnFailure: true };
}

/** Longest time of one case; what takes longer hangs. */
export const CASE_MILLIS = 20_000;

/** What should not get through, whatever is asked for. */
const HOSTILE_TEXTS = [
  ...[
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\ud800',
    'x\udc00',
    '\ufeff',
    '\u202eabc',
    '🃏',
    'e\u0301',
    '\n',
    '\u0085',
  ],
  ...["'", '"', '\\', "' or '1'='1", '%', '_', '$1', '{{7*7}}', '<script>', '../..', '%00', '%zz'],
  ...['__proto__', 'constructor', 'toString', 'null', 'NaN', 'Infinity', '-0', '1e999', '0x10', '٣'],
  ...['9'.repeat(40), 'x'.repeat(101), 'x'.repeat(2001), 'col_', 'var_x', 'txn_\u0000', 'alr_'],
  ...[
    '2026-02-30',
    '1969-12-31',
    '9999-12-31',
    '2026-01-31T00:00:00Z',
    '(',
    '"a',
    'price<',
    'cost>=x',
    '-',
    'or',
  ],
];

const HOSTILE_NUMBERS = [
  ...[0, -0, -1, 1, 0.5, 0.1, 1e-7, 1e9, 1e9 + 1, 1_000_001, 2 ** 31 - 1, 2 ** 31, 2 ** 53, -(2 ** 53)],
  ...[1e21, 1e308, 5e-324, 0.00001, 1.00005, 200, 201, 365, 366],
];

export const hostileText: Arbitrary<string> = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS),
  fc.string({ unit: 'binary', maxLength: 120 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
);

export const hostileNumber: Arbitrary<number> = fc.oneof(
  fc.constantFrom(...HOSTILE_NUMBERS),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
);

/** Any JSON value. */
export const hostileValue: Arbitrary<unknown> = fc.oneof(
  hostileText,
  hostileNumber,
  fc.constantFrom(null, true, false, [], {}, [[]], [null], { __proto__: null }),
  fc.dictionary(hostileText, fc.oneof(hostileText, hostileNumber), { maxKeys: 3 }),
  fc.array(fc.oneof(hostileText, hostileNumber), { maxLength: 3 }),
);

/** True once in `times`. */
export function rarely(draw: GeneratorValue, times: number): boolean {
  return draw(fc.integer, { min: 1, max: times }) === times;
}

export function oneOf<T>(draw: GeneratorValue, options: readonly T[]): T {
  return options[draw(fc.nat, { max: options.length - 1 })]!;
}

/** The text with one of its characters taken away, doubled, or changed. */
export function damaged(draw: GeneratorValue, text: string): string {
  const at = draw(fc.nat, { max: Math.max(0, text.length - 1) });
  const middle = oneOf(draw, [
    '',
    text.slice(at, at + 1).repeat(2),
    '\u0000',
    '"',
    '}',
    '{',
    ',',
    '\\',
    '1e999',
    '🃏',
  ]);
  return text.slice(0, at) + middle + text.slice(at + 1);
}

/** What no answer may tell: of the code, the driver or the database. */
export const INTERNALS =
  /\n\s+at |node_modules|node:internal|violates|syntax error at|relation "|invalid input syntax/;
