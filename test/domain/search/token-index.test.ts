import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FIELD_BREAK, TokenIndex } from '../../../src/domain/search/token-index.ts';
import { atOnce } from '../../../src/lib/parts.ts';
import { fuzzRuns } from '../../support/fuzz.ts';

const token = fc.string({ unit: fc.constantFrom('a', 'b', 'ab', 'é'), minLength: 1, maxLength: 3 });
const documents = fc.array(fc.array(fc.oneof(token, fc.constant(FIELD_BREAK)), { maxLength: 6 }), {
  maxLength: 8,
});

const indexOf = (all: readonly string[][]) => atOnce(TokenIndex.of(all, (document) => document));

/** The positions of the documents of which something holds. */
const where = (all: readonly string[][], holds: (document: string[]) => boolean) =>
  all.flatMap((document, i) => (holds(document) ? [i] : []));

describe('an index of tokens', () => {
  it('knows the tokens and their documents', () => {
    fc.assert(
      fc.property(documents, token, (all, asked) => {
        const index = indexOf(all);
        expect(index.tokens).toEqual([...new Set(all.flat())].sort());
        expect(all.map((_, i) => index.tokensOf(i))).toEqual(all);
        for (const [id, known] of index.tokens.entries()) {
          const expected = where(all, (document) => document.includes(known));
          expect([...index.documents(id)]).toEqual(expected);
          expect([...index.documentsWith(known)]).toEqual(expected);
          expect(index.has(known)).toBe(true);
        }
        expect(index.has(asked)).toBe(all.flat().includes(asked));
        expect([...index.documentsWith(asked)]).toEqual(where(all, (document) => document.includes(asked)));
      }),
    );
  });

  it('finds a document as often as different tokens of it start so', () => {
    fc.assert(
      fc.property(documents, token, (all, start) => {
        const expected = all.flatMap((document, i) =>
          [...new Set(document)].filter((known) => known.startsWith(start)).map(() => i),
        );
        const found = [...indexOf(all).documentsWithBeginning(start)];
        expect(found.sort((a, b) => a - b)).toEqual(expected);
      }),
    );
  });

  it('finds words side by side, the last of which may be but begun', () => {
    const words = fc.array(token, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(documents, words, fc.boolean(), (all, phrase, lastIsBeginning) => {
        const fits = (known: string, i: number) =>
          lastIsBeginning && i === phrase.length - 1 ? known.startsWith(phrase[i]!) : known === phrase[i];
        const expected = where(all, (document) =>
          document.some((_, at) => {
            const row = document.slice(at, at + phrase.length);
            return row.length === phrase.length && row.every(fits);
          }),
        );
        const found = new Set<number>();
        indexOf(all).eachWithPhrase(phrase, lastIsBeginning, (document) => found.add(document));
        expect([...found].sort((a, b) => a - b)).toEqual(expected);
      }),
      { numRuns: fuzzRuns(500) },
    );
  });
});
