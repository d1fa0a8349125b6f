import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQuery, SUMMARY_SEARCH_FIELDS } from '../../../src/domain/search/parse.ts';
import {
  foldHoldings,
  type HoldingAlgebra,
  type QueryNode,
  withNegatedLeaves,
} from '../../../src/domain/search/query.ts';

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
      '((catalogue:phrase or profit<0) and not (catalogue:text and invested=0))',
    ],
  ])('%s', (query, expected) => {
    expect(compiled(query)).toBe(expected);
  });
});

describe('withNegatedLeaves', () => {
  it.each([
    ['snatch', 'catalogue:text'],
    ['-tag:a', 'recorded:not'],
    ['-(snatch tag:a)', '(catalogue:not or recorded:not)'],
    ['language:de -(foil or tag:b)', '(catalogue:not and recorded:and)'],
    ['-tag:a -(quantity>1 or tag:b)', '(recorded:and and not quantity>1)'],
    ['-(tag:a or (quantity>1 or tag:b))', '(recorded:and and not quantity>1)'],
    ['-(-snatch or -(tag:a quantity>1) or tag:b)', '(catalogue:text and recorded:and and quantity>1)'],
    ['-(tag:a -(tag:b -foil))', '(recorded:not or (catalogue:not and recorded:recorded))'],
  ])('%s', (query, expected) => {
    const { root } = parseQuery(query, SUMMARY_SEARCH_FIELDS);
    expect(foldHoldings(withNegatedLeaves(root), shown)).toBe(expected);
  });

  it('says the same', () => {
    const names = ['tag:a', 'tag:b', 'snatch', 'quantity>1'];
    const query = fc.letrec<{ node: string }>((tie) => ({
      node: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom(...names),
        tie('node').map((node) => `-(${node})`),
        fc.tuple(tie('node'), tie('node')).map(([a, b]) => `(${a} ${b})`),
        fc.tuple(tie('node'), tie('node')).map(([a, b]) => `(${a} or ${b})`),
      ),
    })).node;
    const truth = (node: QueryNode, isTrue: (leaf: QueryNode) => boolean): boolean => {
      if (node.kind === 'not') return !truth(node.part, isTrue);
      if (node.kind === 'and') return node.parts.every((part) => truth(part, isTrue));
      if (node.kind === 'or') return node.parts.some((part) => truth(part, isTrue));
      return isTrue(node);
    };
    const leavesOf = (node: QueryNode): QueryNode[] =>
      node.kind === 'not'
        ? leavesOf(node.part)
        : node.kind === 'and' || node.kind === 'or'
          ? node.parts.flatMap(leavesOf)
          : [node];
    fc.assert(
      fc.property(query, fc.array(fc.boolean(), { minLength: 200, maxLength: 200 }), (text, bits) => {
        fc.pre(text.length <= 190);
        const { root } = parseQuery(text, SUMMARY_SEARCH_FIELDS);
        const known = new Map<QueryNode, boolean>();
        const isTrue = (leaf: QueryNode) => {
          if (!known.has(leaf)) known.set(leaf, bits[known.size]!);
          return known.get(leaf)!;
        };
        for (const leaf of leavesOf(root)) isTrue(leaf);
        expect(truth(withNegatedLeaves(root), isTrue)).toBe(truth(root, isTrue));
      }),
    );
  });
});
