import { beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/domain/limits.ts';
import { getCollection } from '../../src/services/collections/get.ts';
import type { Context } from '../../src/services/context.ts';
import { importTransactions } from '../../src/services/transactions/import.ts';
import { describeOnDatabases, newAccount, statementsOf } from '../harness.ts';
import { rowsRead } from '../support/rows-read.ts';
import {
  contentsOf,
  exported,
  fileOf,
  importingAccount,
  newBinder,
  row,
} from '../support/transaction-csv.ts';

describeOnDatabases('import of transactions', (database) => {
  let ctx: Context;

  beforeAll(async () => {
    ctx = await importingAccount(database());
  });

  describe('cards that are not known', () => {
    const suggestionsFor = async (cells: object) => {
      const csv = fileOf(row({ fcId: '', ...cells }));
      const { errors } = await importTransactions(ctx, await newBinder(ctx), { csv, dryRun: true });
      return errors[0]!.suggestions.map(({ fcId }) => fcId);
    };

    it.each([
      [
        'a number of several editions',
        { number: 'ARC159', variantName: 'Rainbow Foil' },
        ['ARC159-First-Rainbow', 'ARC159-Unlimited-Rainbow', 'ARC159-First'],
      ],
      [
        'a finish that there is not',
        { number: 'MST131', variantName: 'Cold Foil' },
        ['MST131', 'MST131-Rainbow'],
      ],
      [
        'a number of another card',
        { number: 'MST131', productName: 'Command and Conquer', variantName: 'Normal' },
        ['MST131'],
      ],
      [
        'a name in close spelling',
        { productName: 'Comand and Conqer', variantName: 'Unlimited Edition Normal' },
        ['ARC159-Unlimited'],
      ],
      [
        'a name with what a shop adds',
        { productName: 'Anaphylactic Shock (Extended Art) [Marvel]', variantName: 'Rainbow Foil' },
        ['HNT016-Rainbow'],
      ],
    ])('suggests variants for %s', async (_, cells, codes) => {
      const suggestions = await suggestionsFor(cells);
      expect(suggestions.length).toBeLessThanOrEqual(3);
      expect(suggestions.slice(0, codes.length)).toEqual(codes);
    });

    it('suggests nothing for what is like nothing', async () => {
      expect(await suggestionsFor({ productName: 'Qqqqzzzz xxxvvv', number: 'QQQ999' })).toEqual([]);
    });

    it('suggests for the first hundred cards, and reports all', async () => {
      const rows = Array.from({ length: LIMITS.importReportItems + 1 }, (_, i) =>
        row({ fcId: '', number: `ARC159`, productName: `Command and Conquer ${i}` }),
      );
      const report = await importTransactions(ctx, await newBinder(ctx), { csv: fileOf(...rows) });
      expect(report).toMatchObject({ errorCount: 1001, written: false });
      expect(report.errors).toHaveLength(LIMITS.importReportItems);
      const suggested = report.errors.map(({ suggestions }) => suggestions.length > 0);
      expect(suggested.lastIndexOf(true)).toBe(LIMITS.importSuggestedCards - 1);
    });
  });

  describe('duplicates', () => {
    it('are flagged within the file and against the ledger, and written', async () => {
      const id = await newBinder(ctx);
      const like = row({ quantity: '3' });
      await importTransactions(ctx, id, { csv: fileOf(row(), like) });
      const [first] = (await exported(ctx, id)).split('\r\n').slice(1);
      const csv = fileOf(
        row(),
        row({ unitAmount: '1.5', variantId: 'var_atzw90sz174deze4', fcId: '' }),
        row({ quantity: '4' }),
        row({ quantity: '4' }),
        ...[
          'occurredDate,2026-01-30',
          'action,Sale',
          'unitAmount,1.51',
          'currency,EUR',
          'fcId,ARC159-First',
        ].map((change) => {
          const [column, value] = change.split(',') as [string, string];
          return row({ [column]: value });
        }),
      );
      const transactionId = first!.split(',')[0];
      const report = await importTransactions(ctx, id, { csv });
      expect(report.duplicates).toEqual([
        { line: 2, sameAsLine: null, sameAsTransactionId: transactionId },
        { line: 3, sameAsLine: 2, sameAsTransactionId: transactionId },
        { line: 5, sameAsLine: 4, sameAsTransactionId: null },
      ]);
      expect(report).toMatchObject({ duplicateCount: 3, written: true });
      expect(await getCollection(ctx, id)).toMatchObject({ transactionCount: 11 });
    });

    it('are told by what was paid, wherever that is said, whatever else is said of the cards', async () => {
      const header = 'occurredDate,action,quantity,unitAmount,currency,fcId,notes';
      const like = (amount: string, notes: string) =>
        `2026-01-31,Purchase,1,${amount},ARC159-Unlimited,${notes}`;
      const csv = [header, like('1.50,USD', ''), like(',', ''), like('1.50,USD', 'from a fair')].join('\n');
      const unitAmount = { currency: 'USD', value: 1.5 };
      const report = await importTransactions(ctx, await newBinder(ctx), { csv, unitAmount });
      expect(report.duplicates).toMatchObject([
        { line: 3, sameAsLine: 2 },
        { line: 4, sameAsLine: 2 },
      ]);
    });

    it('have a price that is known in both, or in neither', async () => {
      const id = await newBinder(ctx);
      const csv = fileOf(row({ unitAmount: '0' }), row({ unitAmount: 'unknown' }));
      expect((await importTransactions(ctx, id, { csv })).duplicates).toEqual([]);
      const [free, unknown] = (await exported(ctx, id)).split('\r\n').slice(1);
      expect((await importTransactions(ctx, id, { csv })).duplicates).toEqual([
        { line: 2, sameAsLine: null, sameAsTransactionId: free!.split(',')[0] },
        { line: 3, sameAsLine: null, sameAsTransactionId: unknown!.split(',')[0] },
      ]);
    });

    it('are looked for in this collection only', async () => {
      await importTransactions(ctx, await newBinder(ctx), { csv: fileOf(row()) });
      const report = await importTransactions(ctx, await newBinder(ctx), { csv: fileOf(row()) });
      expect(report.duplicates).toEqual([]);
    });
  });

  it('tells of which variants more are sold than bought, before and after', async () => {
    const id = await newBinder(ctx);
    await importTransactions(ctx, id, { csv: fileOf(row({ quantity: '2' })) });
    const csv = fileOf(
      row({ action: 'Sale', quantity: '4' }),
      row({ action: 'Sale', quantity: '1', fcId: 'ARC159-First', variantId: '' }),
      row({ quantity: '1' }),
      row({ quantity: '1', fcId: 'ARC159-First', variantId: '' }),
    );
    const oversold = [{ line: 2, quantity: 1 }];
    for (const dryRun of [true, false])
      expect(await importTransactions(ctx, id, { csv, dryRun })).toMatchObject({
        oversoldCount: 1,
        oversold,
      });
  });

  describe('another account', () => {
    it('looks at the variants of its rows alone, for cards that it names by a code', async () => {
      const id = await newBinder(ctx);
      const csv = fileOf(row({ fcId: 'MST131' }), row({ fcId: 'ARC159-Unlimited' }));
      const { result, statements } = await statementsOf(() => importTransactions(ctx, id, { csv }));
      expect(result.written).toBe(true);
      const matching = statements.filter(({ text }) => text.includes('v.fc_id = w.code'));
      expect(matching).toHaveLength(1);
      // Two, and the others of their products.
      expect(await rowsRead(database(), 'variant', matching[0]!)).toBeLessThan(30);
    });

    it('finds no collection to import into or to export', async () => {
      const id = await newBinder(ctx);
      const stranger = await newAccount(database());
      const nothing = { problem: 'NotFound', message: 'The collection does not exist.' };
      await expect(importTransactions(stranger, id, { csv: fileOf(row()) })).rejects.toMatchObject(nothing);
      await expect(
        importTransactions(stranger, id, { csv: fileOf(row()), dryRun: true }),
      ).rejects.toMatchObject(nothing);
      await expect(exported(stranger, id)).rejects.toMatchObject(nothing);
      expect(await contentsOf(ctx, id)).toEqual([]);
    });
  });
});
