import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Database, OpenDatabase } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { CATALOGUE_REVISION } from '../../src/db/queries/held-catalogue.ts';
import { pageByKey } from '../../src/domain/pagination.ts';
import { HeldLedger, HeldLedgers } from '../../src/memory/ledgers.ts';
import { ORDER_NAMES } from '../../src/memory/market-order.ts';
import { marketChanged } from '../../src/memory/memory.ts';
import { updatePreferences } from '../../src/services/accounts/update-preferences.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { deleteCollection } from '../../src/services/collections/delete.ts';
import { getCollection, getCollections } from '../../src/services/collections/get.ts';
import { updateCollection } from '../../src/services/collections/update.ts';
import type { Context } from '../../src/services/context.ts';
import { diagnose } from '../../src/services/doctor.ts';
import { importExchangeRates } from '../../src/services/market/import.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { listSummaries, summariesAtHand, summaryOrder } from '../../src/services/summaries/list.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { deleteTransaction } from '../../src/services/transactions/delete.ts';
import { updateTransaction } from '../../src/services/transactions/update.ts';
import { type Kind, newAccount, newTestApp, ownDatabase, statementsOf } from '../harness.ts';
import { contextOf, entry } from '../support/furnished.ts';
import { importDay, smallCatalogue, untilHeld } from '../support/price-days.ts';

const SOURCE = { version: 'test', isSample: true };
const order = summaryOrder('MarketValue');
const request = pageByKey({}, order);

for (const kind of ['pglite', 'postgres'] as const satisfies Kind[]) {
  describe.skipIf(kind === 'postgres' && !inject('postgresUrl'))(`ledgers in memory (${kind})`, () => {
    let db: OpenDatabase;
    /** A second node, where there can be one. */
    let other: OpenDatabase;
    let variants: string[];
    let ctx: Context;
    let id: string;

    beforeAll(async () => {
      if (kind === 'pglite') {
        db = await ownDatabase(kind);
        other = db;
      } else {
        // With the listener of the harness, so that statements are counted.
        db = await ownDatabase(kind);
        const [row] = await db.query<{ name: string }>('select current_database() as name');
        const url = new URL(inject('postgresUrl')!);
        url.pathname = `/${row!.name}`;
        other = postgresDatabase(url.href);
      }
      variants = await smallCatalogue(db, 2010);
      ctx = await newAccount(db, { maxCollections: 1000 });
    });
    afterAll(() => Promise.all([...new Set([db, other])].map((node) => node.close())));

    const list = async (asker: Context = ctx, ids = [id]) =>
      (await listSummaries(asker, ids, null, order, request)).map(({ items }) => items.map(plain));
    const plain = ({
      variantId,
      quantity,
      marketValue,
      invested,
    }: Awaited<ReturnType<typeof listSummaries>>[0]['items'][0]) => ({
      variantId,
      quantity,
      marketValue: `${marketValue.currency} ${marketValue.amount}`,
      invested: `${invested.currency} ${invested.amount}`,
    });
    const statements = async (work: () => Promise<unknown>) => (await statementsOf(work)).statements.length;
    const setPrices = async (a: string, b: string) => {
      await importDay(db, '2026-05-01', { [variants[0]!]: a, [variants[1]!]: b });
      await refreshed();
    };
    /** Every node knows the market as it is now. */
    const refreshed = async () => {
      for (const node of new Set([db, other])) {
        marketChanged(node);
        await untilHeld({ ...ctx, db: node });
      }
    };
    const held = async () => {
      await setPrices('5', '3');
      id = (await createCollection(ctx, { name: 'Held' })).id;
      const [a] = await createTransactions(ctx, id, [
        entry(variants[0]!, { quantity: 2 }),
        entry(variants[1]!, { quantity: 1, unitAmount: { currency: 'NZD', value: 2 } }),
      ]);
      await list();
      return a!.id;
    };
    /** What is shown in memory, which is what is shown by a statement. */
    const shown = async () => {
      const pages = await list();
      expect(pages).toEqual(await ctx.db.transaction((tx) => list({ ...ctx, db: tx })));
      return pages[0]!.map(({ quantity, marketValue }) => `${quantity} ${marketValue}`);
    };

    /** In memory, at every node, what the statements give. */
    const sameInAllOrders = async (ids: string[]) => {
      for (const sort of ORDER_NAMES) {
        const by = summaryOrder(sort);
        const pagesOf = async (asker: Context) =>
          (await listSummaries(asker, ids, null, by, pageByKey({}, by))).map(({ items }) => items.map(plain));
        const pages = await ctx.db.transaction((tx) => pagesOf({ ...ctx, db: tx }));
        for (const node of new Set([db, other])) expect(await pagesOf({ ...ctx, db: node })).toEqual(pages);
      }
    };

    it('answer a page with one statement, and with none where their collection was just read', async () => {
      const app = await newTestApp(db);
      const own = contextOf(db, app);
      for (const quantity of [1, 2, 3]) {
        const { id } = await createCollection(own, { name: 'Held' });
        await createTransactions(own, id, [entry(variants[0]!, { quantity })]);
      }
      const query = (sort: string) =>
        app.graphql(
          `{ collections(first: 10) { nodes { id transactionSummaries(sort: ${sort}) { totalCount nodes { id quantity } } } } }`,
        );
      await untilHeld(ctx);
      // The first operation of a client also looks at the client and at the preferences.
      await app.graphql('{ viewer { id } collections(first: 1) { nodes { id } } }');
      expect(await statements(() => query('MARKET_VALUE'))).toBe(2);
      for (const sort of [
        'MARKET_VALUE',
        'GAIN',
        'PERCENTAGE_GAIN',
        'ALPHABETICAL',
        'CARD_NUMBER',
        'QUANTITY',
      ])
        expect(await statements(() => query(sort))).toBe(1);
      expect(await statements(() => query('CHRONOLOGICAL'))).toBe(2);
      await held();
      expect(await statements(() => list())).toBe(1);
      await updateCollection(ctx, id, { name: 'Another state' });
      expect(await statements(() => list())).toBe(2);
      expect(await statements(() => list())).toBe(1);
    });

    it('read alone what was written since, by any node, where the log tells all of it', async () => {
      const transactionId = await held();
      const elsewhere = { ...ctx, db: other };
      const some = (from: number, count: number) =>
        variants.slice(from, from + count).map((variant) => entry(variant));
      /** @param expected its state, and where that is another one what was written since; all of it would be a third */
      const isFollowed = async (write: () => Promise<unknown>, expected = 2) => {
        await write();
        const count = await statements(() => list());
        await sameInAllOrders([id]);
        return count === expected;
      };
      const add = (from: number, count: number, node = ctx) =>
        isFollowed(() => createTransactions(node, id, some(from, count)));
      expect(await add(0, 3)).toBe(true);
      expect(await add(2, 2, elsewhere)).toBe(true);
      expect(await isFollowed(() => updateTransaction(elsewhere, transactionId, { quantity: 5 }))).toBe(true);
      expect(await isFollowed(() => setPrices('7', '8'), 1)).toBe(true);
      expect(await isFollowed(() => getCollection(ctx, id), 1)).toBe(true);
      // In an order that is made already, one by one or all anew; then more than is read alone.
      expect(await add(10, 20)).toBe(true);
      expect(await add(20, 21)).toBe(true);
      expect(await add(0, 100)).toBe(true);
      expect(await add(0, 101)).toBe(false);
      expect(
        await isFollowed(async () => {
          for (let i = 0; i < 100; i++) await updateCollection(elsewhere, id, { name: `${i}` });
        }),
      ).toBe(true);
      expect(
        await isFollowed(async () => {
          for (let i = 0; i < 101; i++) await updateCollection(elsewhere, id, { name: `${i}` });
        }),
      ).toBe(false);
      const [alone] = await createTransactions(ctx, id, some(200, 1));
      expect(await isFollowed(() => deleteTransaction(elsewhere, alone!.id))).toBe(true);
      const [last] = await createTransactions(ctx, id, some(200, 1));
      await list();
      expect(await isFollowed(() => deleteTransaction(elsewhere, last!.id))).toBe(false);
      // Rows that the log does not tell of, as after a restored dump, and events that are no longer kept.
      const forget = (sequence: string) =>
        db.query(`delete from event where stream = $1 and sequence ${sequence}`, [id]);
      expect(await isFollowed(() => db.query('update collection set image = 9 where id = $1', [id]))).toBe(
        false,
      );
      expect(await isFollowed(() => updateCollection(ctx, id, { name: 'A' }))).toBe(false);
      await forget('> 0');
      expect(await add(0, 1)).toBe(false);
      expect(await add(0, 1)).toBe(true);
      await createTransactions(ctx, id, some(0, 2));
      await createTransactions(ctx, id, some(2, 2));
      expect(
        await isFollowed(() => forget('= (select max(sequence) - 1 from event where stream = $1)')),
      ).toBe(false);
    });

    it('are those of the statements after any history, of two nodes, imports and currencies', async () => {
      ctx = await newAccount(db, { maxCollections: 1000 });
      await untilHeld(ctx);
      const nodes = [ctx, { ...ctx, db: other }];
      const ids: string[] = [];
      for (const name of ['A', 'B', 'C']) ids.push((await createCollection(ctx, { name })).id);
      const written: { id: string }[] = [];
      const step = fc.record({
        what: fc.constantFrom(
          ...(['add', 'add', 'add', 'edit', 'remove', 'remove', 'name', 'look'] as const),
          ...(['import', 'currency', 'rates'] as const),
        ),
        node: fc.nat(1),
        collection: fc.nat(2),
        at: fc.nat(1000),
        amount: fc.integer({ min: 1, max: 300 }),
        count: fc.constantFrom(1, 1, 2, 25),
        isCompared: fc.boolean(),
      });
      const [steps] = fc.sample(fc.array(step, { minLength: 60, maxLength: 60 }), { numRuns: 1, seed: 16 });
      for (const [i, { what, node, collection, at, amount, count, isCompared }] of steps!.entries()) {
        const asker = nodes[node]!;
        const own = written.length === 0 ? undefined : written[at % written.length]!;
        const change = {
          quantity: 1 + (at % 9),
          action: at % 4 === 0 ? 'Sale' : 'Purchase',
          unitAmount: { currency: at % 3 === 0 ? 'NZD' : 'USD', value: amount / 100 },
        } as const;
        if (what === 'add') {
          const entries = Array.from({ length: count }, (_, n) => entry(variants[(at + n) % 40]!, change));
          written.push(...(await createTransactions(asker, ids[collection]!, entries)));
        } else if (what === 'edit' && own) await updateTransaction(asker, own.id, change);
        else if (what === 'remove' && own) {
          await deleteTransaction(asker, own.id);
          written.splice(written.indexOf(own), 1);
        } else if (what === 'name') await updateCollection(asker, ids[collection]!, { name: `Name ${i}` });
        else if (what === 'look') await getCollections(asker, ids);
        else if (what === 'import') await setPrices(String(amount / 10), String(at / 10));
        else if (what === 'currency')
          await updatePreferences(asker, { preferredCurrency: at % 2 === 0 ? 'NZD' : 'USD' });
        else if (what === 'rates') {
          const rate = { currency: 'NZD', day: '2026-04-13', per_euro: String(1 + amount / 100) };
          await importExchangeRates(db, [rate], SOURCE, noProgress);
          await refreshed();
        }
        if (isCompared) await sameInAllOrders(ids);
      }
      await sameInAllOrders(ids);
      expect((await diagnose(db, { fix: false })).differences).toEqual([]);
    });

    const writes: [what: string, write: (transactionId: string) => Promise<unknown>, after: string[]][] = [
      [
        'a purchase',
        () => createTransactions(ctx, id, [entry(variants[1]!, { quantity: 9 })]),
        ['10 USD 30.00', '2 USD 10.00'],
      ],
      ['an edit', (own) => updateTransaction(ctx, own, { quantity: 7 }), ['7 USD 35.00', '1 USD 3.00']],
      ['a deletion', (own) => deleteTransaction(ctx, own), ['1 USD 3.00']],
      ['another name', () => updateCollection(ctx, id, { name: 'New' }), ['2 USD 10.00', '1 USD 3.00']],
      [
        'a write of another node',
        () => createTransactions({ ...ctx, db: other }, id, [entry(variants[1]!, { quantity: 9 })]),
        ['10 USD 30.00', '2 USD 10.00'],
      ],
      ['an import of prices', () => setPrices('1', '100'), ['1 USD 100.00', '2 USD 2.00']],
      ['the deletion of the collection', () => deleteCollection(ctx, id), []],
      [
        'a repair',
        async () => {
          await db.query('update holding set bought = 50 where collection_id = $1 and variant_id = $2', [
            id,
            variants[1]!,
          ]);
          expect((await diagnose(db, { fix: true })).fixed).toBe(true);
        },
        ['2 USD 10.00', '1 USD 3.00'],
      ],
    ];
    it.each(writes)('show the new state after %s', async (_what, write, after) => {
      const transactionId = await held();
      expect(await shown()).toEqual(['2 USD 10.00', '1 USD 3.00']);
      await write(transactionId);
      expect(await shown()).toEqual(after);
    });

    it('show the new state after a change of the currency, and after new rates', async () => {
      ctx = await newAccount(db);
      await held();
      const before = (await list())[0]!;
      await updatePreferences(ctx, { preferredCurrency: 'NZD' });
      const inOther = await shown();
      expect(inOther.every((one) => one.includes('NZD'))).toBe(true);
      await importExchangeRates(
        db,
        [{ currency: 'NZD', day: '2026-04-13', per_euro: '100' }],
        SOURCE,
        noProgress,
      );
      await untilHeld(ctx);
      const converted = await shown();
      expect(converted).not.toEqual(inOther);
      await updatePreferences(ctx, { preferredCurrency: 'USD' });
      const after = (await list())[0]!;
      expect(after.map(({ marketValue }) => marketValue)).toEqual(
        before.map(({ marketValue }) => marketValue),
      );
      // What was bought for New Zealand dollars was cheaper than it seemed.
      expect(after[0]!.invested).toBe(before[0]!.invested);
      expect(after[1]!.invested).not.toBe(before[1]!.invested);
    });

    it('are shown to their own account alone', async () => {
      await held();
      const stranger = await newAccount(db);
      expect(await list(stranger)).toEqual([[]]);
      expect(await list()).not.toEqual([[]]);
    });

    it.each([
      [500, true],
      [501, false],
    ])('of %i holdings are put in order before others had their turn: %s', async (size, isAtOnce) => {
      const { id } = await createCollection(ctx, { name: 'Ordered' });
      await createTransactions(
        ctx,
        id,
        variants.slice(0, size).map((variant) => entry(variant)),
      );
      await untilHeld(ctx);
      await list(ctx, [id]);
      const gain = summaryOrder('Gain');
      const { ledgerState } = await getCollection(ctx, id);
      const isAtHand = () => summariesAtHand(ctx, { id, ledgerState }, gain, request) !== null;
      expect(isAtHand()).toBe(isAtOnce);
      await listSummaries(ctx, [id], null, gain, request);
      expect(isAtHand()).toBe(true);
    });

    it('are of no use where the catalogue is not at hand, or does not know a variant', async () => {
      await held();
      const pages = await list();
      const blind: Database = {
        ...ctx.db,
        identity: {},
        hot: (text, params) =>
          text === CATALOGUE_REVISION ? Promise.reject(new Error('not now')) : ctx.db.hot(text, params),
      };
      expect(await list({ ...ctx, db: blind })).toEqual(pages);

      // As another node imports it.
      await db.query(
        `insert into variant (id, product_id, name, position, fc_id, set_code, edition, finish, rarity, is_expansion_slot)
         select 'var_0000000000new', product_id, 'New', 99, 'NEW', set_code, edition, finish, rarity, is_expansion_slot
         from variant where id = $1`,
        [variants[0]!],
      );
      await createTransactions(ctx, id, [entry('var_0000000000new', { quantity: 4 })]);
      expect(await shown()).toEqual(['2 USD 10.00', '1 USD 3.00', '4 USD 0.00']);
      await deleteCollection(ctx, id);
    });

    it('of one collection may have more holdings than those of several', async () => {
      ctx = await newAccount(db);
      await untilHeld(ctx);
      const own = [];
      for (const name of ['A', 'B']) own.push((await createCollection(ctx, { name })).id);
      await db.query(
        `insert into variant (id, product_id, name, position, fc_id, set_code, edition, finish, rarity, is_expansion_slot)
         select id || 'c' || n, product_id, name, position + n, fc_id || '-c' || n, set_code, edition, finish, rarity, is_expansion_slot
         from variant, generate_series(1, 4) n where id <> 'var_0000000000new'`,
      );
      await db.query(`update market_data set revision = revision + 1 where kind = 'catalogue'`);
      await refreshed();
      for (const size of [8000, 8001]) {
        await db.query('delete from holding where account_id = $1', [ctx.caller.accountId]);
        await db.query(
          `insert into holding (account_id, collection_id, variant_id, transaction_count, bought, cost, sold, proceeds)
           select $1, $2, id, 1, 1, 1, 0, 0 from variant where id <> 'var_0000000000new' order by id limit $3`,
          [ctx.caller.accountId, own[0]!, size],
        );
        await db.query(
          'update collection set revision = revision + 1, transaction_count = $2 where account_id = $1 and id = $3',
          [ctx.caller.accountId, size, own[0]!],
        );
        for (const ids of [own, own.slice(0, 1)]) {
          const { result, statements } = await statementsOf(() => list(ctx, ids));
          expect(result).toEqual(await ctx.db.transaction((tx) => list({ ...ctx, db: tx }, ids)));
          const isInMemory = !statements.some(({ text }) => /order by (?!converted\.)/.test(text));
          expect({ size, of: ids.length, isInMemory }).toEqual({
            size,
            of: ids.length,
            isInMemory: size === 8000 || ids.length === 1,
          });
        }
      }
    });
  });
}

describe('the ledgers that are kept', () => {
  const ledger = (id: string, holdings: number) =>
    new HeldLedger(
      { accountId: 'acc', collectionId: id },
      { currency: 'USD', costBasis: 'Average', isConverted: false },
      '1 1',
      `var_1 1 1 0 -1 0\n`.repeat(holdings).slice(0, -1),
    );

  it('are those that were used last, up to 64 MiB', () => {
    const kept = new HeldLedgers();
    const ids = () => ['a', 'b', 'c'].filter((id) => kept.get(id));
    kept.keep(ledger('a', 430_000));
    kept.keep(ledger('b', 430_000));
    const room = 64 * 2 ** 20 - 2 * ledger('a', 430_000).bytes;
    const { bytes: bytesOfOne } = ledger('c', 1);
    const each = ledger('c', 2).bytes - bytesOfOne;
    const most = 1 + Math.floor((room - bytesOfOne) / each);
    kept.keep(ledger('c', most));
    expect(ids()).toEqual(['a', 'b', 'c']);
    kept.keep(ledger('c', most + 1));
    expect(ids()).toEqual(['b', 'c']);
    kept.keep(ledger('a', 340_000));
    expect(ids()).toEqual(['a', 'b', 'c']);
    for (const id of ['b', 'a', 'c']) kept.get(id);
    kept.keep(ledger('c', 200_000));
    expect(ids()).toEqual(['a', 'c']);
  });

  it('are counted once where one is kept in a newer state', () => {
    const kept = new HeldLedgers();
    for (let i = 0; i < 10; i++) kept.keep(ledger('a', 150_000));
    kept.keep(ledger('b', 49_990));
    expect([kept.get('a')?.size, kept.get('b')?.size]).toEqual([150_000, 49_990]);
  });
});
