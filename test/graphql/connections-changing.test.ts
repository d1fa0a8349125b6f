import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createCollection } from '../../src/services/collections/create.ts';
import { deleteCollection } from '../../src/services/collections/delete.ts';
import type { Context } from '../../src/services/context.ts';
import { createTransaction } from '../../src/services/transactions/create.ts';
import { deleteTransaction } from '../../src/services/transactions/delete.ts';
import { asNewAccount, describeOnOneDatabase, newTestApp, pricedVariants, type TestApp } from '../harness.ts';
import { contextOf, entry, oddVariants } from '../support/furnished.ts';
import { fuzzRuns } from '../support/fuzz.ts';
import { idsOf, labelOf, ORDERED_LISTS, type OrderedList, walk } from './lists.ts';

const NAMES = ['Binder', 'binder', 'Éclair', 'Zoo', '9', '10'];
const DAYS = ['2026-04-13', '1970-01-01', '2020-02-29'];
const OF_CATALOGUE = ['productEvs', 'products', 'sets'];
const CASES = ORDERED_LISTS.filter(({ list }) => !OF_CATALOGUE.includes(list.name)).map(
  (ordered) => [labelOf(ordered), ordered] as const,
);

/** Something that happens to the list between two pages. */
type Change = { insert: number } | { remove: number };
const changes = fc.array(
  fc.array(
    fc.oneof(
      fc.record({ insert: fc.integer({ min: 0, max: 29 }) }),
      fc.record({ remove: fc.integer({ min: 0, max: 11 }) }),
    ),
    { maxLength: 3 },
  ),
  { maxLength: 12 },
);

describeOnOneDatabase('connections while others write', (database) => {
  let app: TestApp;
  let variants: string[];

  beforeAll(async () => {
    app = await newTestApp(database());
    variants = [...new Set([...(await oddVariants(database())), ...(await pricedVariants(database(), 40))])];
  });

  /** Makes an item of the list, the `i`th of them with a key of its own or not, and gives its id in the list. */
  const insert = async (ctx: Context, ordered: OrderedList, parent: string, i: number): Promise<string> => {
    const { name } = ordered.list;
    if (name === 'collections') {
      const { id } = await createCollection(ctx, { name: NAMES[i % NAMES.length] });
      if (i % 3 > 0) await createTransaction(ctx, id, entry(variants[i % 5]!, { quantity: i % 3 }));
      return id;
    }
    const { id } = await createTransaction(
      ctx,
      parent,
      // A summary needs a variant that has none yet.
      entry(variants[name === 'transactions' ? i % 4 : i]!, {
        occurredDate: DAYS[i % DAYS.length]!,
        quantity: 1 + (i % 2),
        action: i % 5 === 0 ? 'Sale' : 'Purchase',
      }),
    );
    return id;
  };

  const remove = (ctx: Context, { list }: OrderedList, id: string) =>
    list.name === 'collections' ? deleteCollection(ctx, id) : deleteTransaction(ctx, id);

  describe.each(CASES)('%s', (_label, ordered) => {
    it('bring what is there throughout exactly once, in order, and nothing twice', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 4 }),
          fc.boolean(),
          fc.integer({ min: 1, max: 12 }),
          changes,
          async (size, backwards, count, script) => {
            const own = await asNewAccount(database(), app.fetch);
            const ctx = contextOf(database(), own);
            const parent = ordered.list.inCollection
              ? (await createCollection(ctx, { name: 'Parent' })).id
              : '';
            const made: { written: string; isThere: boolean }[] = [];
            for (let i = 0; i < count; i++)
              made.push({ written: await insert(ctx, ordered, parent, i), isThere: true });
            const read = (page: Omit<Parameters<typeof walk>[3], 'size'>, pageSize = size) =>
              walk(own, ordered, parent, { ...page, size: pageSize });
            const before = idsOf(await read({ backwards: false }, 200));
            let next = count;
            const apply = async (change: Change) => {
              if ('insert' in change) {
                await insert(ctx, ordered, parent, next++);
                return;
              }
              const item = made[change.remove];
              if (!item?.isThere) return;
              item.isThere = false;
              await remove(ctx, ordered, item.written);
            };
            const between = async () => {
              for (const change of script.shift() ?? []) await apply(change);
            };
            const seen = idsOf(await read({ backwards, between }));
            const after = new Set(idsOf(await read({ backwards: false }, 200)));
            const throughout = before.filter((id) => after.has(id));
            expect(new Set(seen).size).toBe(seen.length);
            expect(seen.filter((id) => throughout.includes(id))).toEqual(throughout);
          },
        ),
        { numRuns: fuzzRuns(3) },
      );
    });
  });
});
