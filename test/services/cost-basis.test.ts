import { describe, expect, it } from 'vitest';
import { ACCOUNT, LOCK_ACCOUNT } from '../../src/db/queries/accounts.ts';
import {
  ADD_HELD_COST,
  BEGIN_COST_STATES,
  KEEP_COST_STATES,
  OPEN_LOTS,
} from '../../src/db/queries/cost-states.ts';
import { CREATE_TRANSACTION_AT_ONCE, CREATE_TRANSACTIONS } from '../../src/db/queries/ledger.ts';
import { JOIN_CONVERTED_WRITES } from '../../src/db/queries/rates.ts';
import type { CostBasis } from '../../src/domain/cost-basis.ts';
import { memoryOf } from '../../src/memory/memory.ts';
import { getDashboard } from '../../src/services/accounts/get.ts';
import { getPreferences } from '../../src/services/accounts/preferences.ts';
import { rerateLedger } from '../../src/services/accounts/rerate.ts';
import { updatePreferences } from '../../src/services/accounts/update-preferences.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { deleteCollection } from '../../src/services/collections/delete.ts';
import { getCollection } from '../../src/services/collections/get.ts';
import { getValueHistory } from '../../src/services/collections/history.ts';
import { purgeDeletedCollections } from '../../src/services/collections/purge.ts';
import { getRealizedYears, realizedIn } from '../../src/services/collections/realized.ts';
import { getSales } from '../../src/services/collections/sales.ts';
import { getSalesCsv } from '../../src/services/collections/sales-csv.ts';
import { updateCollection } from '../../src/services/collections/update.ts';
import type { Context } from '../../src/services/context.ts';
import { diagnose, diagnoseAccount } from '../../src/services/doctor.ts';
import { withIdempotencyKey } from '../../src/services/idempotency.ts';
import { getSummaries } from '../../src/services/summaries/get.ts';
import { listSummaries, summaryOrder } from '../../src/services/summaries/list.ts';
import { getLots } from '../../src/services/summaries/lots.ts';
import { createTransaction, createTransactions } from '../../src/services/transactions/create.ts';
import { deleteTransaction } from '../../src/services/transactions/delete.ts';
import { updateTransaction } from '../../src/services/transactions/update.ts';
import { describeOnOwnDatabases, newAccount, pricedVariants, statementsOf } from '../harness.ts';
import { brokenDatabase } from '../support/broken-database.ts';

const PAGE = { kind: 'position', position: 0, size: 50 } as const;
const FIRST = { kind: 'key', after: null, before: null, size: 50, fromEnd: false } as const;

describeOnOwnDatabases('cost basis', (database) => {
  const entry = (
    variantId: string,
    occurredDate: string,
    action: 'Purchase' | 'Sale',
    quantity: number,
    value: number,
  ) => ({ variantId, occurredDate, action, quantity, unitAmount: { currency: 'USD' as const, value } });

  async function accountBy(costBasis: CostBasis): Promise<{ ctx: Context; id: string; variants: string[] }> {
    const ctx = await newAccount(database());
    const variants = await pricedVariants(database(), 3);
    await updatePreferences(ctx, { costBasis });
    const { id } = await createCollection(ctx, { name: costBasis });
    return { ctx, id, variants };
  }

  /** Two at 10, two at 20, one sold, two at 30, two sold. */
  async function record({ ctx, id, variants: [a] }: Awaited<ReturnType<typeof accountBy>>): Promise<void> {
    await createTransactions(ctx, id, [
      entry(a!, '2024-01-10', 'Purchase', 2, 10),
      entry(a!, '2024-02-10', 'Purchase', 2, 20),
      entry(a!, '2024-03-10', 'Sale', 1, 40),
      entry(a!, '2025-04-10', 'Purchase', 2, 30),
      entry(a!, '2025-05-10', 'Sale', 2, 40),
    ]);
  }

  const summaryOf = async (ctx: Context, id: string, variantId: string) => {
    const [page] = await listSummaries(ctx, [id], null, summaryOrder('Alphabetical'), PAGE);
    return page!.items.find((summary) => summary.variantId === variantId)!;
  };

  /** Of the account alone: the doctor goes through the transactions of each, and the last test asks for all. */
  async function expectNoDifferences({ caller }: Context): Promise<void> {
    const { differences } = await diagnoseAccount(database(), caller.accountId, false);
    expect(differences).toEqual([]);
  }

  it.each(['MovingAverage', 'Fifo'] as const)(
    '%s: the gain is right where what is added to cards with a price is what is taken from others without',
    async (costBasis) => {
      const { ctx, id, variants } = await accountBy(costBasis);
      const [unpriced] = await database().query<{ id: string }>(
        `select v.id from variant v where not exists (select from price p where p.variant_id = v.id and p.amount is not null) limit 1`,
      );
      await createTransaction(ctx, id, entry(variants[0]!, '2024-01-10', 'Purchase', 1, 10));
      // Whoever looks has it stored.
      await getCollection(ctx, id);
      await createTransactions(ctx, id, [
        entry(variants[0]!, '2024-02-10', 'Sale', 1, 12),
        entry(unpriced!.id, '2024-02-10', 'Purchase', 1, 10),
      ]);
      const { invested, gain } = await getCollection(ctx, id);
      expect([invested?.amount, gain]).toEqual(['10.00', null]);
      await expectNoDifferences(ctx);
    },
  );

  // By hand: the average of all is 120 ÷ 6 = 20. The first sale takes 15 of 60 by the moving average, then 45 + 60 = 105 for
  // five, of which two are 42. First in first out it takes 10, then 10 + 20.
  it.each([
    ['Average', '60.00', '60.00'],
    ['MovingAverage', '63.00', '63.00'],
    ['Fifo', '80.00', '80.00'],
  ] as const)('%s: what is held and what sales brought', async (costBasis, invested, profit) => {
    const account = await accountBy(costBasis);
    await record(account);
    const { ctx, id, variants } = account;
    const summary = await summaryOf(ctx, id, variants[0]!);
    expect(summary).toMatchObject({ quantity: 3, warning: null });
    expect([summary.invested.amount, summary.profit.amount]).toEqual([invested, profit]);
    expect(Number(summary.gain!.amount)).toBeCloseTo(
      Number(summary.marketValue.amount) - Number(invested),
      9,
    );
    const collection = await getCollection(ctx, id);
    expect(collection).toMatchObject({ invested: { amount: invested }, profit: { amount: profit } });
    await updateCollection(ctx, id, { valued: true });
    expect(await getDashboard(ctx)).toMatchObject({
      invested: { amount: invested },
      profit: { amount: profit },
    });
    const [byId] = await getSummaries(ctx, [summary.id]);
    expect([byId!.invested, byId!.profit, byId!.gain]).toEqual([
      summary.invested,
      summary.profit,
      summary.gain,
    ]);
    await expectNoDifferences(ctx);
  });

  it.each([
    ['Average', ['15.00', '60.00'], '60.00', '60.00'],
    ['MovingAverage', ['45.00', '63.00'], '25.00', '63.00'],
    ['Fifo', ['50.00', '80.00'], '30.00', '80.00'],
  ] as const)('%s: of past days', async (costBasis, _, firstProfit, lastProfit) => {
    const account = await accountBy(costBasis);
    await record(account);
    const range = { from: '2024-12-31', to: '2026-01-01', interval: 'Month' } as const;
    const [points] = await getValueHistory(account.ctx, [account.id], range);
    const expectedFirst = costBasis === 'Average' ? '25.00' : firstProfit;
    expect([points![0]!.profit.amount, points!.at(-1)!.profit.amount]).toEqual([expectedFirst, lastProfit]);
    const collection = await getCollection(account.ctx, account.id);
    expect(points!.at(-1)!.invested).toEqual(collection.invested);
  });

  it('changes with the preference, in all collections, and back', async () => {
    const account = await accountBy('Average');
    await record(account);
    const { ctx, id } = account;
    const seen: string[] = [];
    for (const costBasis of ['Fifo', 'MovingAverage', 'Average'] as const) {
      await updatePreferences(ctx, { costBasis });
      seen.push((await getCollection(ctx, id)).invested!.amount);
      await expectNoDifferences(ctx);
    }
    expect(seen).toEqual(['80.00', '63.00', '60.00']);
    const left = await database().query('select 1 from cost_state where account_id = $1', [
      ctx.caller.accountId,
    ]);
    expect(left).toEqual([]);
  });

  it('realises by the method that is asked for', async () => {
    const account = await accountBy('Fifo');
    await record(account);
    const { ctx, id } = account;
    const gains = async (method: CostBasis) => {
      const [years] = await getRealizedYears(ctx, [id], method);
      return [2024, 2025, 2026].map((year) => realizedIn(years!, year, method).gain.amount);
    };
    expect(await gains('Fifo')).toEqual(['30.00', '50.00', '0.00']);
    expect(await gains('MovingAverage')).toEqual(['25.00', '38.00', '0.00']);
    expect(await gains('Average')).toEqual(['25.00', '35.00', '0.00']);
  });

  it('tells of which purchases the cards of a sale were, for how long, and at which rates', async () => {
    const account = await accountBy('Fifo');
    await record(account);
    const { ctx, id, variants } = account;
    const sold = await getSales(ctx, id, 2025, 'Fifo', FIRST);
    expect(sold.items).toHaveLength(1);
    expect(sold.items[0]).toMatchObject({
      variantId: variants[0],
      occurred: '2025-05-10',
      quantity: 2,
      exchangeRate: '1',
      proceeds: { currency: 'USD', amount: '80.00' },
      cost: { amount: '30.00' },
      gain: { amount: '50.00' },
      uncovered: null,
      lotCount: 2,
    });
    expect(sold.items[0]!.lotsIn(0, 2)).toMatchObject([
      { occurred: '2024-01-10', quantity: 1, cost: { amount: '10.00' }, daysHeld: 486 },
      { occurred: '2024-02-10', quantity: 1, cost: { amount: '20.00' }, daysHeld: 455 },
    ]);
    const { csv, endCursor } = await getSalesCsv(ctx, id, 2025, 'Fifo', null);
    const lines = csv.trimEnd().split('\r\n');
    expect(endCursor).toBeNull();
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain(',2025-05-10,');
    expect(lines[1]).toMatch(/,1,40\.00,USD,1,txn_\w+,2024-01-10,486,10\.00,USD,1,40\.00,10\.00,30\.00,USD$/);
  });

  it('gives the sales as CSV in parts of 1,000', async () => {
    const { ctx, id, variants } = await accountBy('Fifo');
    const sales = Array.from({ length: 1000 }, () => entry(variants[0]!, '2025-01-02', 'Sale', 1, 1));
    await createTransactions(ctx, id, sales);
    const whole = await getSalesCsv(ctx, id, 2025, 'Fifo', null);
    expect([whole.csv.split('\r\n').length - 1, whole.endCursor]).toEqual([1001, null]);
    await createTransaction(ctx, id, entry(variants[0]!, '2025-01-03', 'Sale', 1, 1));
    const first = await getSalesCsv(ctx, id, 2025, 'Fifo', null);
    const second = await getSalesCsv(ctx, id, 2025, 'Fifo', first.endCursor);
    expect([first.csv, second.csv].map((csv) => csv.split('\r\n').length - 1)).toEqual([1001, 1]);
    expect(second.endCursor).toBeNull();
    await expect(getSalesCsv(ctx, id, 2025, 'Fifo', 'nonsense')).rejects.toThrowError('not a cursor');
  });

  it('shows the lots that are left', async () => {
    for (const [costBasis, unitCosts] of [
      ['Fifo', ['20.00', '30.00']],
      ['MovingAverage', ['21.00', '21.00']],
      ['Average', ['20.00', '20.00']],
    ] as const) {
      const account = await accountBy(costBasis);
      await record(account);
      const summary = await summaryOf(account.ctx, account.id, account.variants[0]!);
      const request = { kind: 'key', after: null, before: null, size: 50, fromEnd: false } as const;
      const [lots] = await getLots(account.ctx, [summary.id], request);
      expect(lots!.items.map((lot) => [lot.boughtOn, lot.quantityLeft, lot.quantityBought])).toEqual([
        ['2024-02-10', 1, 2],
        ['2025-04-10', 2, 2],
      ]);
      expect(lots!.items.map(({ unitCost }) => unitCost!.amount)).toEqual(unitCosts);
      const stranger = await newAccount(database());
      expect(await getLots(stranger, [summary.id], request)).toMatchObject([{ items: [], total: 0 }]);
    }
  });

  it('sells beyond what is held at a cost of 0, and says so', async () => {
    const { ctx, id, variants } = await accountBy('Fifo');
    const [a] = variants as [string];
    await createTransactions(ctx, id, [
      entry(a, '2024-01-10', 'Purchase', 1, 10),
      entry(a, '2024-02-10', 'Sale', 3, 20),
    ]);
    const sold = await summaryOf(ctx, id, a);
    expect([sold.quantity, sold.invested.amount, sold.profit.amount]).toEqual([-2, '0.00', '50.00']);
    expect(sold.warning).toBe('2 cards were sold beyond what was held, at a cost of 0.');
    const { id: first } = await createTransaction(ctx, id, entry(a, '2024-03-01', 'Purchase', 1, 5));
    expect((await summaryOf(ctx, id, a)).warning).toBe(
      '1 more card was sold than bought. 2 cards were sold beyond what was held, at a cost of 0.',
    );
    await deleteTransaction(ctx, first);
    await createTransaction(ctx, id, entry(a, '2024-03-10', 'Purchase', 4, 5));
    const bought = await summaryOf(ctx, id, a);
    expect([bought.quantity, bought.invested.amount, bought.profit.amount]).toEqual([2, '20.00', '50.00']);
    expect(bought.warning).toBe('2 cards were sold beyond what was held, at a cost of 0.');
    await createTransaction(ctx, id, entry(a, '2024-01-01', 'Purchase', 2, 1));
    expect((await summaryOf(ctx, id, a)).warning).toBeNull();
    await expectNoDifferences(ctx);
  });

  it('goes by the day that it occurred, then by entry', async () => {
    const { ctx, id, variants } = await accountBy('Fifo');
    const [a] = variants as [string];
    await createTransaction(ctx, id, entry(a, '2024-02-01', 'Purchase', 1, 20));
    await createTransaction(ctx, id, entry(a, '2024-02-01', 'Purchase', 1, 30));
    await createTransaction(ctx, id, entry(a, '2024-03-01', 'Sale', 1, 50));
    const late = await createTransaction(ctx, id, entry(a, '2024-01-01', 'Purchase', 1, 10));
    const profit = async () => (await summaryOf(ctx, id, a)).profit.amount;
    expect(await profit()).toBe('40.00');
    await updateTransaction(ctx, late.id, { occurredDate: '2024-02-02' });
    expect(await profit()).toBe('30.00');
    await updateTransaction(ctx, late.id, {
      occurredDate: '2024-01-31',
      unitAmount: { currency: 'USD', value: 5 },
    });
    expect(await profit()).toBe('45.00');
    await deleteTransaction(ctx, late.id);
    expect(await profit()).toBe('30.00');
    await expectNoDifferences(ctx);
  });

  it('derives what a change concerns, and no other variant', async () => {
    const { ctx, id, variants } = await accountBy('MovingAverage');
    const [a, b] = variants as [string, string];
    const [first] = await createTransactions(ctx, id, [
      entry(a, '2024-01-10', 'Purchase', 2, 10),
      entry(a, '2024-01-11', 'Sale', 1, 10),
      entry(b, '2024-01-10', 'Purchase', 2, 10),
      entry(b, '2024-01-11', 'Sale', 1, 10),
    ]);
    const rows = () =>
      database().query<{ id: string; written: string }>(
        `select variant_id || occurred as id, xmin::text as written from cost_state
         where account_id = $1 and collection_id = $2 order by 1`,
        [ctx.caller.accountId, id],
      );
    const before = await rows();
    await updateTransaction(ctx, first!.id, { quantity: 3 });
    const after = await rows();
    const changed = after.filter(({ written }, i) => written !== before[i]!.written).map((row) => row.id);
    expect(changed).toEqual([`${a}2024-01-10`, `${a}2024-01-11`]);
  });

  it.each(['Fifo', 'MovingAverage'] as const)(
    '%s: many transactions of a variant, and changes in their middle',
    async (costBasis) => {
      const { ctx, id, variants } = await accountBy(costBasis);
      const [a] = variants as [string];
      const day = (i: number) => `20${String(10 + Math.floor(i / 300)).padStart(2, '0')}-0${1 + (i % 9)}-15`;
      const ids: string[] = [];
      for (let part = 0; part < 3; part++) {
        const entries = Array.from({ length: 900 }, (_, i) => {
          const n = part * 900 + i;
          return entry(a, day(n), n % 3 === 2 ? 'Sale' : 'Purchase', 1 + (n % 4), 1 + (n % 7));
        });
        ids.push(...(await createTransactions(ctx, id, entries)).map((one) => one.id));
      }
      await expectNoDifferences(ctx);
      await createTransaction(ctx, id, entry(a, '2012-05-05', 'Sale', 500, 3));
      await updateTransaction(ctx, ids[1000]!, { quantity: 40 });
      await deleteTransaction(ctx, ids[1]!);
      await createTransaction(ctx, id, entry(a, '2026-01-01', 'Sale', 300, 3));
      await expectNoDifferences(ctx);
    },
    300_000,
  );

  it.each(['Fifo', 'MovingAverage'] as const)(
    '%s: as many transactions behind a place as are read at a time, one less and one more',
    async (costBasis) => {
      const { ctx, id, variants } = await accountBy(costBasis);
      const [a] = variants as [string];
      const later = Array.from({ length: 998 }, (_, i) =>
        entry(a, '2025-01-01', i % 2 === 0 ? 'Purchase' : 'Sale', 1 + (i % 3), 1 + (i % 7)),
      );
      await createTransactions(ctx, id, later);
      for (const day of ['2024-01-04', '2024-01-03', '2024-01-02', '2024-01-01'])
        await createTransaction(ctx, id, entry(a, day, 'Purchase', 3, 2));
      await expectNoDifferences(ctx);
    },
    120_000,
  );

  it('takes as many variants at once as are computed together, and one more', async () => {
    const { ctx, id } = await accountBy('Fifo');
    const variants = await pricedVariants(database(), 101);
    const invested = async () => (await getCollection(ctx, id)).invested!.amount;
    for (const [count, expected] of [
      [100, '500.00'],
      [101, '1005.00'],
    ] as const) {
      const entries = variants
        .slice(0, count)
        .flatMap((variant) => [
          entry(variant, '2025-01-01', 'Purchase', 2, 5),
          entry(variant, '2025-01-02', 'Sale', 1, 9),
        ]);
      await createTransactions(ctx, id, entries);
      expect(await invested()).toBe(expected);
    }
    await expectNoDifferences(ctx);
  });

  it('gets other rates from the first transaction on whose rate is another, of that variant alone', async () => {
    const { ctx, id, variants } = await accountBy('Fifo');
    const [a, b] = variants as [string, string];
    const inYen = (...given: Parameters<typeof entry>) => {
      const { unitAmount, ...rest } = entry(...given);
      return { ...rest, unitAmount: { ...unitAmount, currency: 'JPY' as const } };
    };
    await createTransactions(ctx, id, [
      entry(a, '2025-01-10', 'Purchase', 2, 10),
      entry(a, '2025-01-20', 'Sale', 1, 10),
      inYen(a, '2025-03-01', 'Purchase', 2, 1000),
      inYen(a, '2025-03-05', 'Sale', 2, 2000),
      entry(a, '2025-03-20', 'Purchase', 1, 10),
      entry(b, '2025-01-10', 'Purchase', 2, 10),
      entry(b, '2025-03-10', 'Sale', 1, 10),
    ]);
    const rows = () =>
      database().query<{ id: string; written: string }>(
        `select variant_id || ' ' || occurred as id, xmin::text as written from cost_state
         where account_id = $1 and collection_id = $2 order by 1`,
        [ctx.caller.accountId, id],
      );
    const before = await rows();
    await database().transaction(async (tx) => {
      await tx.query(LOCK_ACCOUNT, [ctx.caller.accountId]);
      await tx.query(
        `update transaction set rate = 0.5 where account_id = $1 and collection_id = $2 and currency = 'JPY'`,
        [ctx.caller.accountId, id],
      );
      await rerateLedger({ tx, accountId: ctx.caller.accountId });
    });
    const after = await rows();
    const changed = after.filter(({ written }, i) => written !== before[i]!.written).map((row) => row.id);
    expect(changed).toEqual([`${a} 2025-03-01`, `${a} 2025-03-05`, `${a} 2025-03-20`]);
    await expectNoDifferences(ctx);
  });

  it('is repaired by the doctor', async () => {
    const account = await accountBy('Fifo');
    await record(account);
    const { ctx, id } = account;
    const params = [ctx.caller.accountId, id];
    await database().query(
      `update cost_state set cost = cost + 1 where account_id = $1 and collection_id = $2 and cost > 0`,
      params,
    );
    await database().query(
      'update holding set held_cost = 1 where account_id = $1 and collection_id = $2',
      params,
    );
    const { differences, fixed } = await diagnose(database(), { fix: true });
    expect(new Set(differences.map(({ field }) => field))).toEqual(
      new Set(['held_cost', 'cost_state', 'invested', 'profit', 'gain']),
    );
    expect(fixed).toBe(true);
    expect((await getCollection(ctx, id)).invested!.amount).toBe('80.00');
    await expectNoDifferences(ctx);
  });

  describe('in a collection that a node of the version before has made, which knows the average alone', () => {
    async function madeBefore(isAtHand: boolean) {
      const account = await accountBy('Average');
      const { ctx, id, variants } = account;
      await record(account);
      await updatePreferences(ctx, { costBasis: 'Fifo' });
      const other = (await createCollection(ctx, { name: 'Other' })).id;
      await createTransaction(ctx, other, entry(variants[1]!, '2024-01-10', 'Purchase', 1, 10));
      const state = [ctx.caller.accountId, id];
      for (const statement of [
        `update collection set cost_basis = 'Average', invested = 60, profit = 60 where account_id = $1 and id = $2`,
        'update holding set held = null, held_cost = null where account_id = $1 and collection_id = $2',
        'delete from cost_state where account_id = $1 and collection_id = $2',
      ])
        await database().query(statement, state);
      if (isAtHand) await getPreferences(ctx);
      const [last] = await database().query<{ id: string }>(
        `select id from transaction where account_id = $1 and collection_id = $2 order by occurred desc limit 1`,
        state,
      );
      return { ...account, lastSale: last!.id };
    }
    type Made = Awaited<ReturnType<typeof madeBefore>>;

    const writes: [name: string, write: (made: Made) => Promise<unknown>, invested: string][] = [
      [
        'one is recorded',
        ({ ctx, id, variants }) =>
          createTransaction(ctx, id, entry(variants[0]!, '2025-06-10', 'Sale', 1, 40)),
        '60.00',
      ],
      [
        'many are recorded',
        ({ ctx, id, variants }) =>
          createTransactions(ctx, id, [
            entry(variants[0]!, '2025-06-10', 'Sale', 1, 40),
            entry(variants[0]!, '2025-06-11', 'Sale', 1, 40),
          ]),
        '30.00',
      ],
      [
        'one is recorded with a key',
        ({ ctx, id, variants }) =>
          createTransaction(
            withIdempotencyKey(ctx, 'one-sale', 'Idempotency-Key'),
            id,
            entry(variants[0]!, '2025-06-10', 'Sale', 1, 40),
          ),
        '60.00',
      ],
      ['one is changed', ({ ctx, lastSale }) => updateTransaction(ctx, lastSale, { quantity: 1 }), '100.00'],
      ['one is deleted', ({ ctx, lastSale }) => deleteTransaction(ctx, lastSale), '110.00'],
      [
        'the preference is given once more',
        ({ ctx }) => updatePreferences(ctx, { costBasis: 'Fifo' }),
        '80.00',
      ],
      ['the doctor repairs it', () => diagnose(database(), { fix: true }), '80.00'],
    ];
    const cases = writes.flatMap(([name, write, invested]) =>
      [false, true].map((isAtHand) => ({
        name: `${name}, with the preferences ${isAtHand ? '' : 'not '}at hand`,
        ...{ write, invested, isAtHand },
      })),
    );

    it.each(cases)('goes by the basis that is chosen, after $name', async ({ write, invested, isAtHand }) => {
      const made = await madeBefore(isAtHand);
      const { ctx } = made;
      await write(made);
      const collection = await getCollection(ctx, made.id);
      expect(collection).toMatchObject({ costBasis: 'Fifo', invested: { amount: invested } });
      await expectNoDifferences(ctx);
    });

    it('is what the doctor tells of', async () => {
      const { ctx, id } = await madeBefore(false);
      const { differences, fixed } = await diagnose(database(), { fix: true });
      expect(differences).toEqual([
        {
          kind: 'collection',
          accountId: ctx.caller.accountId,
          id,
          field: 'cost_basis',
          stored: 'Average',
          expected: 'Fifo',
        },
      ]);
      expect(fixed).toBe(true);
    });

    it('leaves the collections of others as they are', async () => {
      const { ctx, id, variants } = await madeBefore(false);
      const stranger = await newAccount(database());
      await expect(
        createTransaction(stranger, id, entry(variants[0]!, '2025-06-10', 'Sale', 1, 40)),
      ).rejects.toThrowError('collection');
      expect(await getCollection(ctx, id)).toMatchObject({
        costBasis: 'Average',
        invested: { amount: '60.00' },
      });
      await diagnose(database(), { fix: true });
    });
  });

  it('finds the way of the basis, and of a converted amount, once for all creates that follow', async () => {
    const { ctx, id, variants } = await accountBy('Fifo');
    const textsOf = async (currency: 'USD' | 'EUR', later: Context) => {
      const purchase = {
        ...entry(variants[0]!, '2024-01-10', 'Purchase', 1, 10),
        unitAmount: { currency, value: 10 },
      };
      const { statements } = await statementsOf(() => createTransaction(later, id, purchase));
      return statements.map(({ text }) => text);
    };
    expect(await textsOf('USD', ctx)).toContain(LOCK_ACCOUNT);
    const later = { ...ctx, now: () => new Date(ctx.now().getTime() + 3_600_000) };
    const inOrder = [
      CREATE_TRANSACTIONS.ordered,
      BEGIN_COST_STATES,
      OPEN_LOTS,
      KEEP_COST_STATES,
      ADD_HELD_COST,
    ];
    expect(await textsOf('USD', later)).toEqual(inOrder);
    expect(await textsOf('EUR', later)).toEqual([JOIN_CONVERTED_WRITES, ...inOrder]);
    await updatePreferences(ctx, { costBasis: 'Average' });
    expect(await textsOf('EUR', later)).toContain(ACCOUNT);
    expect(await textsOf('EUR', later)).toEqual([JOIN_CONVERTED_WRITES, CREATE_TRANSACTIONS.average]);
    expect(await textsOf('USD', later)).toEqual([CREATE_TRANSACTION_AT_ONCE]);
    await expectNoDifferences(ctx);
  });

  it('has recorded a converted amount, whether or not its currency can be learned then', async () => {
    const { ctx, id, variants } = await accountBy('Average');
    const purchase = {
      ...entry(variants[0]!, '2024-01-10', 'Purchase', 1, 10),
      unitAmount: { currency: 'EUR' as const, value: 10 },
    };
    // So that its share of transactions is set aside.
    await createTransaction(ctx, id, entry(variants[0]!, '2024-01-10', 'Purchase', 1, 10));
    const broken = brokenDatabase(database(), ACCOUNT, new Error('The account cannot be read.'));
    memoryOf(ctx.db).preferences.forget(ctx.caller.accountId);
    await createTransaction({ ...ctx, db: broken.forAccount(ctx.caller.accountId) }, id, purchase);
    expect((await getCollection(ctx, id)).transactionCount).toBe(2);
    await expectNoDifferences(ctx);
  });

  it('records once with an idempotency key', async () => {
    const { ctx, id, variants } = await accountBy('Fifo');
    const purchase = () =>
      createTransaction(
        withIdempotencyKey(ctx, 'one-purchase', 'Idempotency-Key'),
        id,
        entry(variants[0]!, '2024-01-10', 'Purchase', 2, 10),
      );
    expect(await purchase()).toEqual(await purchase());
    expect((await getCollection(ctx, id)).invested!.amount).toBe('20.00');
  });

  it('leaves nothing of a deleted collection', async () => {
    const account = await accountBy('Fifo');
    await record(account);
    await deleteCollection(account.ctx, account.id);
    await purgeDeletedCollections(database());
    const left = await database().query(
      'select 1 from cost_state where collection_id = $1 and account_id = $2',
      [account.id, account.ctx.caller.accountId],
    );
    expect(left).toEqual([]);
  });

  describe('of the preference', () => {
    it('is one that is known', async () => {
      const { ctx } = await accountBy('Average');
      await expect(updatePreferences(ctx, { costBasis: 'Lifo' })).rejects.toThrowError('costBasis');
    });
  });

  it('is right in all accounts that were made here', async () => {
    const { differences } = await diagnose(database(), { fix: false });
    expect(differences.filter(({ kind }) => kind !== 'expected value')).toEqual([]);
  });
});
