import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../src/domain/errors.ts';
import { parseQuery, SUMMARY_SEARCH_FIELDS } from '../../../src/domain/search/parse.ts';
import {
  HOLDING_FIELDS,
  NUMBER_FIELDS,
  type SearchQuery,
  TEXT_FIELDS,
} from '../../../src/domain/search/query.ts';
import { fuzzRuns } from '../../support/fuzz.ts';
import { catalogueIndex } from './catalogue-entries.ts';

const RUNS = fuzzRuns(4_000);

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 220 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  // Lone surrogates too.
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 })
    .map((units) => String.fromCharCode(...units)),
);

const token = fc.oneof(
  fc.constantFrom(...TEXT_FIELDS, ...NUMBER_FIELDS, ...HOLDING_FIELDS, 'is', 'foo', 'constructor'),
  fc.constantFrom(
    ':',
    '=',
    '!=',
    '<',
    '<=',
    '>',
    '>=',
    '-',
    '(',
    ')',
    '"',
    '“',
    'or',
    'OR',
    ' ',
    '  ',
    '\t',
    '&',
    '//',
  ),
  fc.constantFrom(
    'snatch',
    'comand',
    'conqer',
    'wtr',
    '001',
    'red',
    'sealed',
    '1',
    '-3.5',
    'a',
    'é',
    'Re-Charge!',
    "'",
  ),
  fc.string({ maxLength: 4 }),
);

/** What the grammar takes, and its neighbours. */
const mutated = fc
  .array(token, { minLength: 1, maxLength: 25 })
  .chain((tokens) => fc.constantFrom('', ' ').map((gap) => tokens.join(gap)));

const isRefusal = (error: unknown) =>
  error instanceof DomainError &&
  error.problem === 'InvalidQuery' &&
  /^Column \d+: expected .+\.$/su.test(error.message);

function parsed(query: string): SearchQuery | null {
  try {
    return parseQuery(query, SUMMARY_SEARCH_FIELDS);
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

function searchable(query: string): SearchQuery | null {
  try {
    return parseQuery(query);
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

describe('whatever is typed', () => {
  it.each([
    ['arbitrary text', anyText],
    ['the mutated grammar', mutated],
  ])('%s: no error but InvalidQuery, and answers in order', async (_, texts) => {
    const { index } = await catalogueIndex();
    let taken = 0;
    fc.assert(
      fc.property(texts, (text) => {
        parsed(text);
        const query = searchable(text);
        if (query === null) return;
        taken += 1;
        const result = index.search(query);
        expect(result.productIds().length).toBe(Math.min(result.total, 1000));
        expect(new Set(result.productIds()).size).toBe(result.productIds().length);
        const meant = result.didYouMean();
        if (meant !== null) expect(index.search(parseQuery(meant)).total).toBeGreaterThan(0);
      }),
      { numRuns: RUNS },
    );
    // Otherwise the searches would not have been tried at all.
    expect(taken).toBeGreaterThan(RUNS / 50);
  });
});
