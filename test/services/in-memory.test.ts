import fc from 'fast-check';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { encodeCursor, type KeyCursor, type Page, pageByKey } from '../../src/domain/pagination.ts';
import { HeldLedger } from '../../src/memory/ledgers.ts';
import { marketChanged } from '../../src/memory/memory.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import type { Context } from '../../src/services/context.ts';
import { countSummaries, listSummaries, summaryOrder } from '../../src/services/summaries/list.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { deleteTransaction } from '../../src/services/transactions/delete.ts';
import { listTransactions, transactionOrder } from '../../src/services/transactions/list.ts';
import { describeOnOwnDatabases, newAccount, statementsOf } from '../harness.ts';
import { fuzzRuns } from '../support/fuzz.ts';
import { keysOf } from '../support/pages.ts';
import { commitPrices, smallCatalogue, untilHeld } from '../support/price-days.ts';

const VARIANTS = 12;
const SEED = 20261122;

const entry = fc.record({
  variant: fc.nat(VARIANTS - 1),
  action: fc.constantFrom('Purchase' as const, 'Purchase' as const, 'Sale' as const),
  quantity: fc.integer({ min: 1, max: 4 }),
  value: fc.constantFrom(0, 0.1, 1, 2.5, 3.3333, 1e6),
});
const ledger = fc.array(entry, { minLength: 1, maxLength: 30 });
const at = fc.option(fc.nat(40), { freq: 2 });
const page = fc.record({
  size: fc.integer({ min: 1, max: 9 }),
  after: at,
  before: at,
  fromEnd: fc.boolean(),
});

const COMPARISON = fc
  .tuple(
    fc.constantFrom('quantity', 'value', 'gain', 'invested', 'profit'),
    fc.constantFrom('=', '!=', '<', '<=', '>', '>='),
    fc.constantFrom('-1', '0', '1', '2', '2.5', '3', '6', '9.9999', '1000000'),
  )
  .map((parts) => parts.join(''));
const TERM = fc.oneof(
  { weight: 3, arbitrary: COMPARISON },
  {
    weight: 2,
    arbitrary: fc.constantFrom('a', 'e', 'shared', 'finish:normal', 'price>1', 'cost<=2', '"shared name"'),
  },
);
const QUERY = fc
  .array(fc.tuple(fc.constantFrom('', '', '-'), TERM, fc.constantFrom(' ', ' ', ' or ')), {
    minLength: 1,
    maxLength: 4,
  })
  .map((terms) =>
    terms.map(([not, term, joint], i) => `${not}${term}${i === terms.length - 1 ? '' : joint}`).join(''),
  );

/** What is looked for in memory is what a statement finds, as everything within a transaction is one. */
describeOnOwnDatabases('lists that are made in memory', (database, kind) => {
  let variants: string[];
  let ctx: Context;

  beforeAll(async () => {
    variants = await smallCatalogue(database(), VARIANTS);
    // Several variants of one name, and of one name apart from its case.
    await database().query(
      `update product set name = 'Shared Name' where id in (select id from product order by id limit 5)`,
    );
    await database().query(
      `update product set name = 'shared name' where id in (select id from product order by id desc limit 2)`,
    );
    await commitPrices(database(), '2026-05-01', {
      [variants[0]!]: null,
      [variants[1]!]: '2.5',
      [variants[2]!]: '0.0001',
    });
    marketChanged(database());
    ctx = await newAccount(database(), { maxCollections: 1000 });
    await untilHeld(ctx);
  });

  async function filled(entries: (typeof entry extends fc.Arbitrary<infer T> ? T : never)[]) {
    const { id } = await createCollection(ctx, { name: 'In memory' });
    const created = await createTransactions(
      ctx,
      id,
      entries.map(({ variant, action, quantity, value }) => ({
        variantId: variants[variant]!,
        occurredDate: '2026-01-31',
        action,
        quantity,
        unitAmount: { currency: 'USD' as const, value },
      })),
    );
    return { id, transactionIds: created.map(({ id }) => id) };
  }

  const byStatement = <T>(work: (ctx: Context) => Promise<T>) =>
    ctx.db.transaction((tx) => work({ ...ctx, db: tx }));

  const plain = ({ items, keyOf, hasNextPage, hasPreviousPage }: Page<{ id: string }>) => ({
    ids: items.map(({ id }) => id),
    keys: keysOf({ items, keyOf }),
    hasNextPage,
    hasPreviousPage,
  });

  it('has transactions in the order of their names, page by page', async () => {
    const list = async (of: Context, id: string, reverse: boolean, one: Parameters<typeof pageByKey>[0]) => {
      const order = transactionOrder('Alphabetical', reverse);
      return plain((await listTransactions(of, [id], order, pageByKey(one, order)))[0]!);
    };
    const same = async (id: string, reverse: boolean, one: Parameters<typeof pageByKey>[0]) => {
      const { result, statements } = await statementsOf(() => list(ctx, id, reverse, one));
      expect(result).toEqual(await byStatement((tx) => list(tx, id, reverse, one)));
      return { result, statements };
    };
    await fc.assert(
      fc.asyncProperty(
        ledger,
        fc.boolean(),
        fc.array(page, { maxLength: 4 }),
        fc.nat(),
        async (entries, reverse, pages, gone) => {
          const { id, transactionIds } = await filled(entries);
          const { result, statements } = await same(id, reverse, { first: 200 });
          expect(statements.map(({ text }) => text).join()).toContain('named.place');
          const cursor = (i: number | null) => {
            const key: KeyCursor | undefined = i === null ? undefined : result.keys[i % result.keys.length];
            return key ? encodeCursor(transactionOrder('Alphabetical', reverse), key) : null;
          };
          const asked = pages.map(({ size, after, before, fromEnd }) => ({
            ...(fromEnd ? { last: size } : { first: size }),
            after: cursor(after),
            before: cursor(before),
          }));
          for (const one of asked) await same(id, reverse, one);
          // A cursor whose transaction, or whose name, is not there any more.
          await deleteTransaction(ctx, transactionIds[gone % transactionIds.length]!);
          for (const one of asked) await same(id, reverse, one);
        },
      ),
      { numRuns: fuzzRuns(40, kind), seed: SEED },
    );
  });

  it('finds the holdings of a query, and counts them', async () => {
    await fc.assert(
      fc.asyncProperty(ledger, fc.array(QUERY, { minLength: 1, maxLength: 6 }), async (entries, queries) => {
        const { id } = await filled(entries);
        for (const query of [null, ...queries]) {
          const order = summaryOrder('Gain');
          const found = async (of: Context) => {
            const [page] = await listSummaries(of, [id], query, order, pageByKey({ first: 5 }, order));
            const [count] = await countSummaries(of, [id], query);
            return { ids: plain(page!).ids, total: page!.total, count };
          };
          const { result, statements } = await statementsOf(() => found({ ...ctx }));
          expect(statements.map(({ text }) => text).join(), query ?? 'all').not.toMatch(
            /jsonb_array_elements_text\(\$2::jsonb\)\)/,
          );
          expect(result, query ?? 'all').toEqual({ ...(await byStatement(found)), total: result.count });
        }
      }),
      { numRuns: fuzzRuns(40, kind), seed: SEED },
    );
  });

  it('reads the holdings once for an answer, however many queries it asks', async () => {
    const { id } = await filled([{ variant: 1, action: 'Purchase', quantity: 2, value: 1 }]);
    const of = { ...ctx };
    const order = summaryOrder('Alphabetical');
    const { statements } = await statementsOf(async () => {
      for (let i = 0; i < 5; i++) {
        await listSummaries(of, [id], `quantity>${i}`, order, pageByKey({ first: 1 }, order));
        await countSummaries(of, [id], `quantity>${i}`);
      }
    });
    // What was written since is asked for each time.
    expect(statements.filter(({ text }) => text.includes('is_too_large'))).toHaveLength(1);
  });

  it.each([
    [
      'searches them',
      'where',
      (of: Context, id: string, i: number) => countSummaries(of, [id], `quantity>${i}`),
    ],
    [
      'finds them',
      'where',
      (of: Context, id: string, i: number) => {
        const order = summaryOrder('Gain');
        return listSummaries(of, [id], `quantity>${i}`, order, pageByKey({ first: 1 }, order));
      },
    ],
    [
      'puts them in order',
      'page',
      (of: Context, id: string, i: number) => {
        const order = summaryOrder('Gain');
        return listSummaries(of, [id], null, order, pageByKey({ first: i + 1 }, order));
      },
    ],
    [
      'names them',
      'variantsByName',
      (of: Context, id: string, i: number) => {
        const order = transactionOrder('Alphabetical');
        return listTransactions(of, [id], order, pageByKey({ first: i + 1 }, order));
      },
    ],
  ] as const)('gives others their turns when an answer %s often', async (_, method, ask) => {
    const { id } = await filled([{ variant: 1, action: 'Purchase', quantity: 2, value: 1 }]);
    const original = HeldLedger.prototype[method] as (this: HeldLedger, ...args: unknown[]) => unknown;
    let turn = 0;
    const turns = new Set<number>();
    const spy = vi.spyOn(HeldLedger.prototype, method).mockImplementation(function (
      this: HeldLedger,
      ...args: unknown[]
    ) {
      turns.add(turn);
      setImmediate(() => turn++);
      // Longer than all long work of a turn may take, by the processor: on a busy machine the clock says little of it.
      const { user, system } = process.cpuUsage();
      for (let used = 0; used < 6_000; ) {
        const now = process.cpuUsage();
        used = now.user - user + now.system - system;
      }
      return original.apply(this, args) as never;
    });
    onTestFinished(() => spy.mockRestore());
    const of = { ...ctx };
    await Promise.all(Array.from({ length: 5 }, (_, i) => ask(of, id, i)));
    // One may begin in the turn that counts as that of the one before.
    expect(turns.size).toBeGreaterThanOrEqual(3);
  });
});
