import { describe, expect, it } from 'vitest';
import { addTo, firstPlace, groupBy, removeFrom } from '../../src/lib/lists.ts';

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

describe('the first place', () => {
  it.each([0, 1, 2, 3, 4, 7, 8])('of %i is found wherever it is, and with few looks', (count) => {
    for (let wanted = 0; wanted <= count; wanted++) {
      let looks = 0;
      const found = firstPlace(count, (place) => {
        looks++;
        return place >= wanted;
      });
      expect(found).toBe(wanted);
      expect(looks).toBeLessThanOrEqual(Math.ceil(Math.log2(count + 1)));
    }
  });
});
