import { beforeAll, describe, expect, it, vi } from 'vitest';
import { LIMITS } from '../../src/domain/limits.ts';
import { getCollection } from '../../src/services/collections/get.ts';
import type { Context } from '../../src/services/context.ts';
import { diagnoseAccount } from '../../src/services/doctor.ts';
import { listenToImports } from '../../src/services/events/import-progress.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { importTransactions, importWithRest } from '../../src/services/transactions/import.ts';
import { importPreviewed, previewImport } from '../../src/services/transactions/import-preview.ts';
import { inPlaceForBatch } from '../../src/services/transactions/large.ts';
import { describeOnOwnDatabases, pricedVariants, statementsOf } from '../harness.ts';
import { textOfFixture } from '../importers/support.ts';
import { entry } from '../support/furnished.ts';
import { newGate } from '../support/gate.ts';
import { naiveSummaries } from '../support/naive-ledger.ts';
import { plus, ratio, textOf } from '../support/ratio.ts';
import { fileOf, importingAccount, newBinder, row } from '../support/transaction-csv.ts';

describeOnOwnDatabases('import of many transactions', (database) => {
  let ctx: Context;

  beforeAll(async () => {
    ctx = await importingAccount(database());
  });

  const many = (count: number) =>
    fileOf(...Array.from({ length: count }, (_, i) => row({ quantity: String(1 + (i % 1000)) })));

  describe('of large files', () => {
    /** How many are under way at a time at most; `news` are steps of imports. */
    const mostOf = (news: readonly Step[]): number => {
      const underWay = new Set<string>();
      let most = 0;
      for (const { id, phase } of news) {
        if (phase === 'Ended') underWay.delete(id);
        else underWay.add(id);
        most = Math.max(most, underWay.size);
      }
      return most;
    };
    interface Step {
      id: string;
      phase: string;
    }
    const take = async (owner: Context, id: string, count: number, news: Step[]) => {
      const stop = listenToImports(owner.caller.accountId, id, ({ step }) =>
        news.push({ id, phase: step?.phase ?? 'Ended' }),
      );
      await importTransactions(owner, id, { csv: many(count) });
      stop();
    };
    // Some 40 characters a row.
    const LARGE = 3000;
    const binders = (owner: Context, count: number) =>
      Promise.all(Array.from({ length: count }, () => newBinder(owner)));

    it('are one of an account at a time, and small ones beside them', async () => {
      const news: Step[] = [];
      const [small, ...large] = (await binders(ctx, 5)) as [string, ...string[]];
      await Promise.all([...large.map((id) => take(ctx, id, LARGE, news)), take(ctx, small, 2, news)]);
      const ofLarge = news.filter(({ id }) => id !== small);
      expect(mostOf(ofLarge)).toBe(1);
      const begun = (of: string) => news.findIndex(({ id }) => id === of);
      expect(begun(small)).toBeLessThan(begun(large[3]!));
    });

    it('are one with batches of more than 250, and with previews of as many rows that are recorded', async () => {
      const id = await newBinder(ctx);
      const [variantId] = await pricedVariants(database(), 1);
      const batch = (count: number) => createTransactions(ctx, id, Array(count).fill(entry(variantId!)));
      const preview = async (count: number) => (await previewImport(ctx, id, { csv: many(count) })).id;
      const [large, small] = [await preview(251), await preview(250)];
      const gate = newGate();
      const held = inPlaceForBatch(ctx, 251, () => gate.opened);
      const waiting = vi.fn<() => void>();
      const late = Promise.all([
        batch(251).finally(waiting),
        importPreviewed(ctx, large, { skipErrors: false }).finally(waiting),
      ]);
      await batch(250);
      await importPreviewed(ctx, small, { skipErrors: false });
      expect(waiting).not.toHaveBeenCalled();
      gate.open();
      await Promise.all([held, late]);
      expect(await getCollection(ctx, id)).toMatchObject({ transactionCount: 1002 });
    });
  });

  it('takes 10,000, in 24 statements, and is right to the last digit', async () => {
    const id = await newBinder(ctx);
    const variants = await pricedVariants(database(), 500);
    const entries = Array.from({ length: LIMITS.importTransactions }, (_, i) => ({
      variantId: variants[(i * 7) % 500]!,
      occurred: i % 3 === 0 ? '2026-04-13' : '2020-02-29',
      action: i % 4 === 3 ? ('Sale' as const) : ('Purchase' as const),
      quantity: 1 + (i % 9),
      value: (i % 777) / 10_000,
      currency: (['USD', 'JPY', 'EUR', 'NZD'] as const)[i % 4]!,
    }));
    const csv = fileOf(
      ...entries.map((one) =>
        row({
          ...one,
          occurredDate: one.occurred,
          fcId: '',
          quantity: one.quantity,
          unitAmount: one.value.toFixed(4),
        }),
      ),
    );
    const { result, statements } = await statementsOf(() => importTransactions(ctx, id, { csv }));
    expect(result).toMatchObject({ written: true, errorCount: 0, transactionCount: 10_000 });
    // The collection, its variants, twelve until its share of the account's transactions is as large (three of them look
    // whether it was the cost basis, and three join those who convert amounts), then a thousand at a time.
    expect(statements).toHaveLength(2 + 12 + 10);
    const rates = await database().query<{ currency: string; day: string; perEuro: string }>(
      `select currency, day::text as day, per_euro as "perEuro" from fx_rate`,
    );
    const sums = [...naiveSummaries(entries, 'USD', { rates, prices: new Map() }).values()];
    const total = (field: 'cashPosition' | 'invested' | 'profit') =>
      textOf(sums.map((sum) => sum[field]).reduce(plus, ratio(0)), 2);
    expect(await getCollection(ctx, id)).toMatchObject({
      transactionCount: 10_000,
      quantity: sums.reduce((sum, { quantity }) => sum + quantity, 0),
      cashPosition: { amount: total('cashPosition') },
      invested: { amount: total('invested') },
      profit: { amount: total('profit') },
    });
    const { differences } = await diagnoseAccount(database(), ctx.caller.accountId, false);
    expect(differences).toEqual([]);
    const second = await importTransactions(ctx, id, { csv, dryRun: true });
    expect(second).toMatchObject({ duplicateCount: 10_000, written: false });
    expect(second.duplicates).toHaveLength(LIMITS.importReportItems);
  });

  it('records nothing for a client that leaves in between', async () => {
    const id = await newBinder(ctx);
    const client = new AbortController();
    const leave = () => client.abort();
    const left = importWithRest({ ...ctx, leaving: client.signal }, id, { csv: many(3000) }, leave);
    // It leaves after the first thousand.
    await expect(left).rejects.toMatchObject({ problem: 'MalformedRequest' });
    expect((await getCollection(ctx, id)).transactionCount).toBe(0);
    expect(await importTransactions(ctx, id, { csv: many(3000) })).toMatchObject({ written: true });
  });

  it('refuses one more', async () => {
    const id = await newBinder(ctx);
    await expect(importTransactions(ctx, id, { csv: many(10_001) })).rejects.toMatchObject({
      problem: 'ValidationFailed',
      message:
        'csv: line 10002: there are more than 10000 transactions up to here, the most that one import takes; split the file',
    });
  });

  it('does not count those that stand for none', async () => {
    const [header, held] = textOfFixture('transactions/fabrary.csv').split('\n') as [string, string];
    const none = held.replace(/,3,,,0,$/, ',0,,,0,');
    expect(none).not.toBe(held);
    const csv = [header, ...Array.from({ length: 10_001 }, () => none), held].join('\n');
    const input = { occurredDate: '2026-01-31', unitAmount: { currency: 'USD', value: 0 } };
    const report = await importTransactions(ctx, await newBinder(ctx), { csv, ...input });
    expect(report).toMatchObject({ written: true, rowCount: 10_002, transactionCount: 1 });
  });

  it('writes all or none where it is interrupted', async () => {
    const id = await newBinder(ctx);
    let told = 0;
    const failing = importWithRest(ctx, id, { csv: many(2500) }, () => {
      if (++told === 2) throw new Error('interrupted');
    });
    await expect(failing).rejects.toThrow('interrupted');
    expect(await getCollection(ctx, id)).toMatchObject({ transactionCount: 0, quantity: 0 });
  });
});
