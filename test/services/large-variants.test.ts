import { expect, it } from 'vitest';
import type { CostBasis } from '../../src/domain/cost-basis.ts';
import { summaryId } from '../../src/domain/ids.ts';
import type { KeyRequest } from '../../src/domain/pagination.ts';
import { updatePreferences } from '../../src/services/accounts/update-preferences.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { countSales, getSales } from '../../src/services/collections/sales.ts';
import type { Context } from '../../src/services/context.ts';
import { listSummaries, summaryOrder } from '../../src/services/summaries/list.ts';
import { getLots } from '../../src/services/summaries/lots.ts';
import { getRateWarnings } from '../../src/services/summaries/warnings.ts';
import { createTransaction, createTransactions } from '../../src/services/transactions/create.ts';
import { describeOnDatabases, newAccount, pricedVariants, statementsOf } from '../harness.ts';
import { keysOf } from '../support/pages.ts';
import { rowsRead } from '../support/rows-read.ts';

const FIRST: KeyRequest = { kind: 'key', after: null, before: null, size: 50, fromEnd: false };

/** What is read, and done in one turn of the event loop, where a variant has many transactions. */
describeOnDatabases('a variant of many transactions', (database) => {
  const PURCHASES = 5000;
  const FIRST_DAY = '2010-01-01';

  interface Held {
    ctx: Context;
    collectionId: string;
    variantId: string;
    summary: string;
  }

  /** So many purchases of a variant, of which ten were made on a day. */
  async function heldBy(costBasis: CostBasis, { quantity = 1, currencies = ['USD'] } = {}): Promise<Held> {
    const ctx = await newAccount(database());
    const [variantId] = await pricedVariants(database(), 1);
    const { id: collectionId } = await createCollection(ctx, { name: 'Large' });
    const ofVariant = [ctx.caller.accountId, collectionId, variantId!, PURCHASES, quantity];
    await database().query(
      `insert into transaction (account_id, id, collection_id, variant_id, occurred, action, quantity, unit_amount, currency, rate)
       select $1, 'txn_' || lpad(n::text, 26, '0'), $2, $3, $6::date + n / 10, 'Purchase', $5::integer, 1 + n % 700, c.currency,
         case c.currency when 'USD' then 1 else 1.25 end
       from generate_series(1, $4::integer) n
       cross join lateral (select ($7::text[])[1 + n % cardinality($7::text[])] as currency) c`,
      [...ofVariant, FIRST_DAY, `{${currencies.join(',')}}`],
    );
    await database().query(
      `insert into holding (account_id, collection_id, variant_id, transaction_count, bought, cost, sold, proceeds)
       select $1, $2, $3, $4::integer, $4::integer * $5::integer, sum(quantity * unit_amount * rate), 0, 0
       from transaction where account_id = $1 and collection_id = $2`,
      ofVariant,
    );
    await database().query(
      `update collection set transaction_count = $3::integer where account_id = $1 and id = $2`,
      [ctx.caller.accountId, collectionId, PURCHASES],
    );
    await database().query('analyze transaction');
    if (costBasis !== 'Average') await updatePreferences(ctx, { costBasis });
    return { ctx, collectionId, variantId: variantId!, summary: summaryId(collectionId, variantId!) };
  }

  it('has the warning of its rates by the first and the last of each currency', async () => {
    const { ctx, summary } = await heldBy('Average', { currencies: ['USD', 'EUR', 'JPY'] });
    const { result, statements } = await statementsOf(() => getRateWarnings(ctx, [summary]));
    expect(result[0]).toContain('A transaction of 2010-01-01 is older than the first known rate');
    expect(result[0]).toContain('from EUR to USD');
    expect(result[0]).toContain('from JPY to USD');
    expect(result[0]).not.toContain('newer');
    const read = await Promise.all(statements.map((sent) => rowsRead(database(), 'transaction', sent)));
    // Of two currencies: each is looked for once, and its first and last transaction where they are compared and told.
    expect(read).toHaveLength(1);
    expect(read[0]).toBeLessThanOrEqual(10);
  });

  it.each([
    ['of few transactions', 50_000, PURCHASES],
    ['of many transactions', 50_001, 1],
  ])('is put in the order of first transactions, in a collection %s', async (_, transactionCount, rows) => {
    const { ctx, collectionId, summary } = await heldBy('Average');
    // As if there were others: only the count of the collection says so.
    await database().query(
      'update collection set transaction_count = $3::integer where account_id = $1 and id = $2',
      [ctx.caller.accountId, collectionId, transactionCount],
    );
    const { result, statements } = await statementsOf(() =>
      listSummaries(ctx, [collectionId], null, summaryOrder('Chronological', false), FIRST),
    );
    expect(result.map((page) => [page.items.map(({ id }) => id), keysOf(page)])).toEqual([
      [[summary], [['2010-01-01', `txn_${'1'.padStart(26, '0')}`]]],
    ]);
    const ordered = statements.filter(({ text }) => text.includes('from transaction f'));
    expect(await Promise.all(ordered.map((sent) => rowsRead(database(), 'transaction', sent)))).toEqual([
      rows,
    ]);
  });

  it('gives a page of its lots by the purchases of the page', async () => {
    const { ctx, summary } = await heldBy('Fifo');
    const lotsOf = async (asked: object) => {
      const request = { kind: 'key', after: null, before: null, size: 3, fromEnd: false, ...asked } as const;
      const { result, statements } = await statementsOf(() => getLots(ctx, [summary], request));
      expect(statements).toHaveLength(1);
      const rows = await database().query<{ lines: string }>(statements[0]!.text, statements[0]!.params);
      const { items, total, hasNextPage, hasPreviousPage } = result[0]!;
      const keys = keysOf(result[0]!);
      expect(total).toBe(PURCHASES);
      expect(rows[0]!.lines.split('\n')).toHaveLength(items.length);
      expect(items.map(({ transactionId }) => Number(transactionId.slice(4)) - 1)).toEqual(
        keys.map(([place]) => Number(place)),
      );
      return [keys.map(([place]) => Number(place)), hasPreviousPage, hasNextPage];
    };
    expect(await lotsOf({})).toEqual([[0, 1, 2], false, true]);
    expect(await lotsOf({ after: ['2'] })).toEqual([[3, 4, 5], true, true]);
    expect(await lotsOf({ after: ['2'], before: ['4'] })).toEqual([[3], true, true]);
    expect(await lotsOf({ fromEnd: true })).toEqual([[4997, 4998, 4999], true, false]);
    expect(await lotsOf({ fromEnd: true, before: ['2'] })).toEqual([[0, 1], false, true]);
    expect(await lotsOf({ after: ['4998'] })).toEqual([[4999], true, false]);
  });

  it('takes the cards of a sale from the lots that it needs, and reads no others', async () => {
    const { ctx, collectionId, variantId } = await heldBy('Fifo', { quantity: 100 });
    const record = async (occurredDate: string, action: 'Purchase' | 'Sale', quantity: number) => {
      const unitAmount = { currency: 'USD' as const, value: 5 };
      const { statements } = await statementsOf(() =>
        createTransaction(ctx, collectionId, { variantId, occurredDate, action, quantity, unitAmount }),
      );
      const lots = statements.filter(({ text }) => text.includes("t.action = 'Purchase'"));
      return Promise.all(lots.map((sent) => rowsRead(database(), 'transaction', sent)));
    };
    expect(await record('2025-01-01', 'Sale', 1)).toEqual([2]);
    expect(await record('2025-01-02', 'Sale', 1000)).toEqual([100]);
    // A hundred and one lots, and the one behind them.
    expect(await record('2025-01-03', 'Sale', 10_050)).toEqual([100, 1000]);
    // With half of the purchases behind it, and those sales: they are read a page at a time, and so are the lots.
    expect(await record('2010-09-01', 'Purchase', 1)).toEqual([1, 1000]);
    expect(await record('2010-09-02', 'Sale', 100)).toEqual([100, 1000]);
  });

  it('has its sales by a thousand transactions at a time', async () => {
    const { ctx, collectionId, variantId } = await heldBy('Fifo', { quantity: 2 });
    const sell = { variantId, occurredDate: '2011-01-01', action: 'Sale' as const, quantity: 3 };
    await createTransaction(ctx, collectionId, { ...sell, unitAmount: { currency: 'USD', value: 5 } });
    const { result, statements } = await statementsOf(() => getSales(ctx, collectionId, 2011, 'Fifo', FIRST));
    expect(result.items.map((sale) => sale.lotsIn(0, 9).map(({ quantity }) => quantity))).toEqual([[2, 1]]);
    const read = statements.filter(({ text }) => text.includes('from transaction t'));
    const rows = await Promise.all(read.map((sent) => rowsRead(database(), 'transaction', sent)));
    // The sale of 2011; then 10 a day up to that of the last sale.
    expect(rows).toEqual([1, 200, 1000, 1000, 1000, 1000]);
  });

  it('has a page of its sales, and a part of their CSV, for the transactions up to there', async () => {
    const { ctx, collectionId, variantId } = await heldBy('Fifo', { quantity: 2 });
    const sales = ['2010-01-05', '2010-05-05', '2010-12-31'].map((occurredDate) => ({
      variantId,
      occurredDate,
      action: 'Sale' as const,
      quantity: 3,
      unitAmount: { currency: 'USD' as const, value: 5 },
    }));
    await createTransactions(ctx, collectionId, sales);
    const pageOf = async (asked: Partial<KeyRequest>) => {
      const charged: number[] = [];
      const charge = (points: number) => void charged.push(points);
      const request = { ...FIRST, size: 1, ...asked };
      const { result, statements } = await statementsOf(() =>
        getSales({ ...ctx, charge }, collectionId, 2010, 'Fifo', request),
      );
      const read = statements.filter(({ text }) => text.includes('lines'));
      const rows = await Promise.all(read.map((sent) => rowsRead(database(), 'transaction', sent)));
      // A point for each 25 of its 5,003 transactions, as each of them may have to be gone through.
      expect(charged).toEqual([200]);
      return { ...result, read: rows.reduce((sum, count) => sum + count, 0) };
    };
    const first = await pageOf({});
    expect(first).toMatchObject({ items: [{ occurred: '2010-01-05' }], hasNextPage: true });
    expect(first.read).toBeLessThan(200);
    const second = await pageOf({ after: first.keyOf(0) });
    expect(second).toMatchObject({ items: [{ occurred: '2010-05-05' }], hasNextPage: true });
    expect(second.read).toBeLessThan(2500);
    // The cards of the first sale are gone: two of the first lot, and one of the next.
    expect(second.items[0]!.lotsIn(0, 9).map(({ quantity }) => quantity)).toEqual([1, 2]);
    const last = await pageOf({ fromEnd: true });
    expect(last).toMatchObject({ items: [{ occurred: '2010-12-31' }], hasPreviousPage: true });
    expect(await countSales(ctx, collectionId, 2010)).toBe(3);
    expect(await countSales(ctx, collectionId, 2011)).toBe(0);
  });
});
