import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../../src/domain/search/parse.ts';
import type { TextNode } from '../../../src/domain/search/query.ts';
import { respell, respeltSource } from '../../../src/domain/search/respelling.ts';

describe('words as a card spells them', () => {
  const TOKENS = ['command', 'and', 'conquer', 'comet', 'rathe', 'thunder', 'or', 'snapdragon'];
  const spelt = (typed: string, pieces: Record<string, string[]> = {}) =>
    respell(typed.split(' '), TOKENS, (word) => pieces[word] ?? null);

  it.each<[string, string[] | null]>([
    ['comand', ['command']],
    ['comand conqer', ['command', 'conquer']],
    // What is right, or right so far, is kept.
    ['command conqer', ['command', 'conquer']],
    ['comm conqer', ['comm', 'conquer']],
    ['command conquer', null],
    ['comm', null],
    // The fewest slips decide, and the first of equals.
    ['conet', ['comet']],
    // Two words that are one.
    ['snap dragn', ['snapdragon', '']],
    ['comand snap dragn conqer', ['command', 'snapdragon', '', 'conquer']],
    ['snap dragon', ['snapdragon', '']],
    // One too many.
    ['the comand', ['', 'command']],
    ['the', null],
    ['the command', ['', 'command']],
    // Too far.
    ['comand qqqqqq', null],
    ['qqqqqq comand', null],
  ])('%s', (typed, expected) => {
    expect(spelt(typed)).toEqual(expected);
  });

  it('may have a space that was left out', () => {
    expect(spelt('thunderrathe', { thunderrathe: ['thunder', 'rathe'] })).toEqual(['thunder rathe']);
    expect(spelt('thunderorrathe', { thunderorrathe: ['thunder', 'or', 'rathe'] })).toBeNull();
  });

  it('are never the operator', () => {
    expect(respell(['orr'], ['or'], () => null)).toBeNull();
    expect(respell(['oor'], ['or', 'oars'], () => null)).toBeNull();
  });
});

describe('the source with its words respelt', () => {
  const source = (query: string, spelling: Record<string, string>) =>
    respeltSource(parseQuery(query), ({ words }: TextNode) =>
      words.some(({ text }) => spelling[text] !== undefined)
        ? words.map(({ text }) => spelling[text] ?? text)
        : null,
    );

  it.each<[string, Record<string, string>, string | null]>([
    ['a b', {}, null],
    ['a  b   c', { b: 'bee' }, 'a bee c'],
    ['A (b) c', { b: '' }, 'A c'],
    ['a ( b  c )', { b: '', c: '' }, 'a'],
    ['one-two three', { two: '2' }, 'one 2 three'],
    ['one-two three', { three: '3' }, 'one-two 3'],
    ['one-two', { one: '', two: '2' }, '2'],
    ['a rarity:M b', { b: 'bb', a: 'aaa' }, 'aaa rarity:M bb'],
    ['(a or c) pitch:1', { c: 'sea' }, '(a or sea) pitch:1'],
    ['a -b', { b: 'bb' }, null],
    ['"b" a', { b: 'bb' }, null],
  ])('%s', (query, spelling, expected) => {
    expect(source(query, spelling)).toBe(expected);
  });
});
