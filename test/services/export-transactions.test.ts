import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { CURRENCIES } from '../../src/domain/currencies.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { OWN_COLUMNS } from '../../src/domain/transaction-file.ts';
import { CARD_CONDITIONS, LANGUAGES } from '../../src/domain/transactions.ts';
import { getCollection } from '../../src/services/collections/get.ts';
import type { Context } from '../../src/services/context.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { importTransactions } from '../../src/services/transactions/import.ts';
import { describeOnDatabases, pricedVariants, statementsOf } from '../harness.ts';
import { entry, oddVariants } from '../support/furnished.ts';
import { fuzzRuns } from '../support/fuzz.ts';
import { exported, fileOf, importingAccount, newBinder, row } from '../support/transaction-csv.ts';

describeOnDatabases('export of transactions', (database, kind) => {
  let ctx: Context;

  beforeAll(async () => {
    ctx = await importingAccount(database());
  });

  it('has the header of the format and nothing more for an empty collection', async () => {
    expect(await exported(ctx, await newBinder(ctx))).toBe(`${OWN_COLUMNS.join(',')}\r\n`);
  });

  it.each([0, 1, 999, 1000, 1001, 2000])(
    'writes each of %i transactions once, oldest first',
    async (count) => {
      const id = await newBinder(ctx);
      const [variantId] = (await pricedVariants(database(), 1)) as [string];
      for (let at = 0; at < count; at += 1000) {
        const entries = Array.from({ length: Math.min(1000, count - at) }, (_, i) =>
          entry(variantId, { quantity: at + i + 1, occurredDate: i % 2 ? '2026-04-13' : '2026-04-12' }),
        );
        await createTransactions(ctx, id, entries);
      }
      const { result, statements } = await statementsOf(() => exported(ctx, id));
      const lines = result
        .split('\r\n')
        .slice(1, -1)
        .map((line) => line.split(','));
      expect(new Set(lines.map((cells) => cells[4]))).toHaveProperty('size', count);
      const keys = lines.map((cells) => `${cells[2]} ${cells[0]}`);
      expect(keys).toEqual([...keys].sort());
      expect(statements).toHaveLength(1 + Math.max(1, Math.ceil(count / 1000)));
    },
  );

  it.each(['=1+1', '+1', '-1+1', '@SUM(A1)', "=cmd|' /C calc'!A0"])(
    'gives a spreadsheet no formula to run: %s',
    async (name) => {
      const id = await newBinder(ctx, name);
      await importTransactions(ctx, id, { csv: fileOf(row()) });
      const csv = await exported(ctx, id);
      expect(csv.split('\r\n')[1]!.split(',')[1]).toBe(`'${name}`);
      const again = await newBinder(ctx, name);
      await importTransactions(ctx, again, { csv });
      expect(withoutIds(await exported(ctx, again))).toBe(withoutIds(csv));
    },
  );

  it('quotes what has a comma, a quote or a line break', async () => {
    const id = await newBinder(ctx, 'My "best", cards');
    await importTransactions(ctx, id, { csv: fileOf(row({ fcId: 'MST131' })) });
    expect(await exported(ctx, id)).toContain(',"My ""best"", cards",2026-01-31,');
    expect(await exported(ctx, id)).toContain(',"10,000 Year Reunion",Normal,,,,,,,,,\r\n');
  });

  it('gives the same bytes after export, import and export, whatever the transactions', async () => {
    const variants = [...(await oddVariants(database())), ...(await pricedVariants(database(), 20))];
    const transaction = fc.record({
      variantId: fc.constantFrom(...variants),
      occurredDate: fc.constantFrom('1970-01-01', '2020-02-29', '2026-04-13', '2026-04-14'),
      action: fc.constantFrom('Purchase' as const, 'Sale' as const),
      quantity: fc.integer({ min: 1, max: LIMITS.quantity }),
      unitAmount: fc.record({
        currency: fc.constantFrom(...CURRENCIES),
        value: fc
          .tuple(fc.integer({ min: 0, max: 10 ** 9 - 1 }), fc.integer({ min: 0, max: 9999 }))
          .map(([whole, part]) => Number(`${whole}.${String(part).padStart(4, '0')}`)),
      }),
      cardCondition: fc.constantFrom(...CARD_CONDITIONS, undefined),
      language: fc.constantFrom(...LANGUAGES, undefined),
      grade: fc.option(
        fc.record({
          company: fc.constantFrom('PSA', '=X', 'A B'),
          grade: written(20),
          certificate: written(50),
        }),
        { nil: undefined },
      ),
      notes: fc.option(written(500, '\r\n\t'), { nil: undefined }),
      tags: fc.uniqueArray(
        written(30).filter((text) => !/[,;]/.test(text)),
        { maxLength: LIMITS.tags, selector: (tag) => tag.trim() },
      ),
    });
    const name = fc
      .string({ unit: fc.constantFrom(...'aé"\',;=+-@ ß日😀'), minLength: 1, maxLength: 20 })
      .filter((text) => text.trim() !== '');
    await fc.assert(
      fc.asyncProperty(
        name,
        fc.array(transaction, { minLength: 0, maxLength: 30 }),
        async (text, entries) => {
          const [from, to] = [await newBinder(ctx, text), await newBinder(ctx, text)];
          if (entries.length > 0) await createTransactions(ctx, from, entries);
          const csv = await exported(ctx, from);
          const report = await importTransactions(ctx, to, { csv });
          expect(report).toMatchObject({ written: true, errors: [], transactionCount: entries.length });
          expect(withoutIds(await exported(ctx, to))).toBe(withoutIds(csv));
          const [a, b] = [await getCollection(ctx, from), await getCollection(ctx, to)];
          expect({ ...b.toJSON(), id: a.id, createdAt: a.createdAt, revision: a.revision }).toEqual(
            a.toJSON(),
          );
        },
      ),
      { numRuns: fuzzRuns(40, kind) },
    );
  });
});

/** A text that spreadsheets, files and rules may stumble over. */
function written(most: number, controls = '') {
  return fc
    .string({ unit: fc.constantFrom(...`aé"',;=+-@ ß日😀1.${controls}`), minLength: 1, maxLength: most })
    .filter((text) => text.trim() !== '');
}

/** The ids of transactions are new in each collection. */
function withoutIds(csv: string): string {
  return csv.replaceAll(/^txn_\w+/gm, 'txn');
}
