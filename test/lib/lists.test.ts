import { describe, expect, it } from 'vitest';
import { addTo, groupBy, removeFrom } from '../../src/lib/lists.ts';

describe('items by their keys', () => {
  it('have their order, as the keys have', () => {
    const groups = groupBy(['pear', 'apple', 'plum', 'apricot'], (word) => word[0]);
    expect([...groups]).toEqual([
      ['p', ['pear', 'plum']],
      ['a', ['apple', 'apricot']],
    ]);
    addTo(groups, 'a', 'avocado');
    addTo(groups, 'f', 'fig');
    expect(groups.get('a')).toEqual(['apple', 'apricot', 'avocado']);
    expect(groups.get('f')).toEqual(['fig']);
  });

  it('are none of nothing', () => {
    expect(groupBy([], String).size).toBe(0);
  });
});

describe('an item', () => {
  it('is taken out of a list once, and only where it is there', () => {
    const list = [1, 2, 1];
    removeFrom(list, 1);
    removeFrom(list, 3);
    expect(list).toEqual([2, 1]);
  });
});
