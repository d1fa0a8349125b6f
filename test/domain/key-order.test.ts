import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inOrder, keyOrder, pageInOrder } from '../../src/domain/key-order.ts';
import type { KeyRequest, Page } from '../../src/domain/pagination.ts';
import { keysOf } from '../support/pages.ts';

interface Item {
  price: string;
  id: string;
}

const order = (reverse: boolean) =>
  keyOrder<Item>(
    'items',
    [
      { kind: 'numeric', descending: true, of: ({ price }) => price },
      { kind: 'text', of: ({ id }) => id },
    ],
    reverse,
  );

const request = (changes: Partial<KeyRequest>): KeyRequest => ({
  kind: 'key',
  after: null,
  before: null,
  size: 2,
  fromEnd: false,
  ...changes,
});

const ids = (items: readonly Item[]) => items.map(({ id }) => id).join('');

const ITEMS: Item[] = [
  { price: '9', id: 'a' },
  { price: '10', id: 'b' },
  { price: '-Infinity', id: 'c' },
  { price: '10', id: 'd' },
];

it('sorts numbers as numbers, what is not known last, and ties by the last column', () => {
  expect(ids(ITEMS.toSorted(inOrder(order(false))))).toBe('bdac');
  expect(ids(ITEMS.toSorted(inOrder(order(true))))).toBe('cadb');
  expect(order(true).name).toBe('items-reversed');
});

it('goes on behind a cursor of an item that is gone', () => {
  const sorted = ITEMS.toSorted(inOrder(order(false)));
  const page = pageInOrder(
    sorted.filter(({ id }) => id !== 'd'),
    order(false),
    request({ after: ['10', 'd'] }),
  );
  expect([ids(page.items), page.hasNextPage, page.hasPreviousPage]).toEqual(['ac', false, true]);
  expect(keysOf(page)).toEqual([
    ['9', 'a'],
    ['-Infinity', 'c'],
  ]);
});

it('gives each item once, from either end, whatever the size', () => {
  const item = fc.record<Item>({
    price: fc.constantFrom('-Infinity', '0', '2', '10'),
    id: fc.stringMatching(/^[0-9a-f]{1,3}$/),
  });
  const items = fc.uniqueArray(item, { selector: ({ id }) => id, maxLength: 30 });
  fc.assert(
    fc.property(
      items,
      fc.integer({ min: 1, max: 7 }),
      fc.boolean(),
      fc.boolean(),
      (list, size, reverse, fromEnd) => {
        const of = order(reverse);
        const sorted = list.toSorted(inOrder(of));
        const found: Item[][] = [];
        let cursor: readonly string[] | null = null;
        do {
          const page: Page<Item> = pageInOrder(
            sorted,
            of,
            request({ size, fromEnd, [fromEnd ? 'before' : 'after']: cursor }),
          );
          found.push(page.items);
          const hasMore: boolean = fromEnd ? page.hasPreviousPage : page.hasNextPage;
          cursor = hasMore ? keysOf(page).at(fromEnd ? 0 : -1)! : null;
        } while (cursor !== null);
        expect((fromEnd ? found.reverse() : found).flat()).toEqual(sorted);
      },
    ),
    { seed: 20, numRuns: 200 },
  );
});
