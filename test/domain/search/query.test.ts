import { describe, expect, it } from 'vitest';
import { parseQuery, SUMMARY_SEARCH_FIELDS } from '../../../src/domain/search/parse.ts';
import { foldHoldings, type HoldingAlgebra } from '../../../src/domain/search/query.ts';

const shown: HoldingAlgebra<string> = {
  catalogue: (part) => `catalogue:${part.kind}`,
  recorded: (part) => `recorded:${part.kind}`,
  holding: ({ field, operator, value }) => `${field}${operator}${value}`,
  and: (parts) => `(${parts.join(' and ')})`,
  or: (parts) => `(${parts.join(' or ')})`,
  not: (part) => `not ${part}`,
};

const compiled = (query: string) => foldHoldings(parseQuery(query, SUMMARY_SEARCH_FIELDS).root, shown);

describe('foldHoldings', () => {
  it.each([
    ['snatch', 'catalogue:text'],
    ['-snatch class:ninja', 'catalogue:and'],
    ['quantity>=4', 'quantity>=4'],
    ['-gain>0', 'not gain>0'],
    ['snatch quantity>=4', '(catalogue:text and quantity>=4)'],
    ['quantity>=4 rarity:m gain>0 pitch:1', '(catalogue:and and quantity>=4 and gain>0)'],
    ['language:de -condition:nm', 'recorded:and'],
    ['language:de snatch quantity>1 tag:a pitch:1', '(catalogue:and and recorded:and and quantity>1)'],
    ['-(tag:a or tag:b)', 'recorded:not'],
    ['class:ninja or value>100 or class:wizard', '(catalogue:or or value>100)'],
    [
      '(profit<0 or "a b") -(invested=0 x)',
      '((catalogue:phrase or profit<0) and (catalogue:not or not invested=0))',
    ],
    ['-(snatch tag:a)', '(catalogue:not or recorded:not)'],
    [
      '-(-snatch or -(tag:a quantity>1) or tag:b)',
      '(catalogue:text and recorded:not and (recorded:recorded and quantity>1))',
    ],
  ])('%s', (query, expected) => {
    expect(compiled(query)).toBe(expected);
  });
});
