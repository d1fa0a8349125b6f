import { expect, it } from 'vitest';
import { firstCharacters } from '../../src/lib/text.ts';

it.each([
  ['abc', 4, 'abc'],
  ['abc', 3, 'abc'],
  ['abc', 2, 'ab'],
  ['a😀b', 1, 'a'],
  ['a😀b', 2, 'a'],
  ['a😀b', 3, 'a😀'],
  ['a😀b', 4, 'a😀b'],
  ['', 2, ''],
])('takes of %j the first %i: %j', (text, count, first) => {
  expect(firstCharacters(text, count)).toBe(first);
});
