import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Database, type OpenDatabase, postgresDatabase } from '../../src/db/client.ts';
import { CATALOGUE_REVISION } from '../../src/db/queries/held-catalogue.ts';
import { pageByKey } from '../../src/domain/pagination.ts';
import { HeldLedger, HeldLedgers } from '../../src/memory/ledgers.ts';
import { marketChanged } from '../../src/memory/memory.ts';
import { updatePreferences } from '../../src/services/accounts/update-preferences.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { deleteCollection } from '../../src/services/collections/delete.ts';
import { updateCollection } from '../../src/services/collections/update.ts';
import type { Context } from '../../src/services/context.ts';
import { diagnose } from '../../src/services/doctor.ts';
import { importExchangeRates } from '../../src/services/market/import.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { listSummaries, summaryOrder } from '../../src/services/summaries/list.ts';
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
    }, 120_000);
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
      marketChanged(db);
      await untilHeld(ctx);
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

    it('answer a page with one statement, and with none where their collection was just read', async () => {
      const app = await newTestApp(db);
      const own = contextOf(db, app);
      for (const quantity of [1, 2, 3]) {
        const { id } = await createCollection(own, { name: 'Held' });
        await createTransactions(own, id, [entry(variants[0]!, { quantity })]);
      }
      const query = (sort: string) =>
        app.graphql(
          `{ collections(first: 10) { nodes { id transactionSummaries(sort: ${sort}) { nodes { id quantity } } } } }`,
        );
      await untilHeld(ctx);
      // The first operation of a client also looks at the client and at the preferences.
      await app.graphql('{ viewer { id } collections(first: 1) { nodes { id } } }');
      expect(await statements(() => query('MARKET_VALUE'))).toBe(2);
      for (const sort of ['MARKET_VALUE', 'GAIN', 'UNIT_VALUE', 'PERCENTAGE_GAIN', 'ALPHABETICAL'])
        expect(await statements(() => query(sort))).toBe(1);
      expect(await statements(() => query('QUANTITY'))).toBe(2);
      await held();
      expect(await statements(() => list())).toBe(1);
      await updateCollection(ctx, id, { name: 'Another state' });
      // It is looked for in its old state, then read.
      expect(await statements(() => list())).toBe(2);
      expect(await statements(() => list())).toBe(1);
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
      for (const size of [2000, 2001]) {
        await db.query('delete from holding where account_id = $1', [ctx.caller.accountId]);
        await db.query(
          `insert into holding (account_id, collection_id, variant_id, transaction_count, bought, cost, sold, proceeds)
           select $1, $2, id, 1, 1, 1, 0, 0 from variant where id <> 'var_0000000000new' order by id limit $3`,
          [ctx.caller.accountId, own[0]!, size],
        );
        await db.query('update collection set revision = revision + 1 where account_id = $1', [
          ctx.caller.accountId,
        ]);
        for (const ids of [own, own.slice(0, 1)]) {
          const { result, statements } = await statementsOf(() => list(ctx, ids));
          expect(result).toEqual(await ctx.db.transaction((tx) => list({ ...ctx, db: tx }, ids)));
          const isInMemory = !statements.some(({ text }) => text.includes('order by'));
          expect({ size, of: ids.length, isInMemory }).toEqual({
            size,
            of: ids.length,
            isInMemory: size === 2000 || ids.length === 1,
          });
        }
      }
    });
  });
}

describe('the ledgers that are kept', () => {
  const ledger = (id: string, holdings: number) =>
    new HeldLedger(id, 'USD', '1 1', Array.from({ length: holdings }, () => 'var_1 1 1 0 -1').join('\n'));

  it('are those that were used last, up to 200,000 holdings', () => {
    const kept = new HeldLedgers();
    const ids = () => ['a', 'b', 'c'].filter((id) => kept.get(id));
    // Each counts for five more.
    kept.keep(ledger('a', 99_995));
    kept.keep(ledger('b', 99_990));
    kept.keep(ledger('c', 0));
    expect(ids()).toEqual(['a', 'b', 'c']);
    kept.keep(ledger('c', 1));
    expect(ids()).toEqual(['b', 'c']);
    kept.keep(ledger('a', 99_980));
    expect(ids()).toEqual(['a', 'b', 'c']);
    for (const id of ['b', 'a', 'c']) kept.get(id);
    kept.keep(ledger('c', 50));
    expect(ids()).toEqual(['a', 'c']);
  });

  it('are counted once where one is kept in a newer state', () => {
    const kept = new HeldLedgers();
    for (let i = 0; i < 10; i++) kept.keep(ledger('a', 150_000));
    kept.keep(ledger('b', 49_990));
    expect([kept.get('a')?.size, kept.get('b')?.size]).toEqual([150_000, 49_990]);
  });
});
