import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { CURRENCIES } from '../../src/domain/currencies.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { CSV_HEADER, OWN_COLUMNS } from '../../src/domain/transaction-file.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { getCollection } from '../../src/services/collections/get.ts';
import type { Context } from '../../src/services/context.ts';
import { diagnose } from '../../src/services/doctor.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { exportTransactions } from '../../src/services/transactions/export.ts';
import { importTransactions } from '../../src/services/transactions/import.ts';
import { describeOnDatabases, newAccount, pricedVariants, statementsOf } from '../harness.ts';
import { textOfFixture } from '../importers/support.ts';
import { entry, oddVariants } from '../support/furnished.ts';
import { naiveSummaries, plus, ratio, textOf } from '../support/naive-ledger.ts';

const file = (name: string) => textOfFixture(`transactions/${name}.csv`);
const SHORT_HEADER =
  'occurredDate,action,quantity,unitAmount,currency,variantId,fcId,number,productName,variantName';
const row = (rest = {}) => {
  const cells: Record<string, string> = {
    occurredDate: '2026-01-31',
    action: 'Purchase',
    quantity: '1',
    unitAmount: '1.50',
    currency: 'USD',
    fcId: 'ARC159-Unlimited',
    ...rest,
  };
  return SHORT_HEADER.split(',')
    .map((column) => cells[column] ?? '')
    .join(',');
};
const fileOf = (...rows: string[]) => [SHORT_HEADER, ...rows].join('\n');

describeOnDatabases('import and export of transactions', (database) => {
  let ctx: Context;

  beforeAll(async () => {
    ctx = await newAccount(database(), { maxCollections: 10_000 });
    // The first search makes the index.
    await importTransactions(ctx, await newCollection(), { csv: fileOf(row()) });
  });

  const newCollection = async (name = 'Binder') => (await createCollection(ctx, { name })).id;
  const exported = async (id: string, of = ctx) => {
    let csv = '';
    for await (const piece of exportTransactions(of, id)) csv += piece;
    return csv;
  };
  /** The cells of each transaction that the collection has, without the two columns that say where it is. */
  const contentsOf = async (id: string) =>
    (await exported(id))
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.split(',').slice(2).join(','));

  describe('formats', () => {
    const paid = { occurredDate: '2026-02-01', unitAmount: { currency: 'USD', value: 0.25 } };

    it('reads its own, by ids or by what else says it', async () => {
      const id = await newCollection();
      const report = await importTransactions(ctx, id, { csv: file('cardledger') });
      expect(report).toMatchObject({ format: 'Cardledger', written: true, errors: [], transactionCount: 5 });
      expect(await contentsOf(id)).toEqual([
        '2025-03-01,Purchase,4,10.00,USD,var_atzw90sz174deze4,ARC159-Unlimited,225899,ARC159,Command and Conquer,Unlimited Edition Normal',
        '2025-03-08,Sale,1,15.00,USD,var_atzw90sz174deze4,ARC159-Unlimited,225899,ARC159,Command and Conquer,Unlimited Edition Normal',
        '2025-04-02,Purchase,2,1250,JPY,var_8c30q0f6mc4sf8tg,HNT016-Rainbow-Extended Art,614579,HNT016,Anaphylactic Shock,Rainbow Foil',
        '2025-04-02,Purchase,1,0.3333,EUR,var_qvb0r63mtd1xd4ak,WTR006-Alpha-Rainbow,225017,WTR006,Alpha Rampage,1st Edition Rainbow Foil',
        '2025-04-03,Purchase,1,0.00,NZD,var_0dwp28n0tgfwba5q,FAB101-Gold,497996,FAB101,Achilles Accelerator,Gold Foil',
      ]);
    });

    const holdings: [name: string, format: string, input: object, codes: string[], skipped: object[]][] = [
      [
        'fabrary',
        'Fabrary',
        paid,
        [
          '3,0.25,USD MST131',
          '3,0.25,USD ARC123-Unlimited',
          '1,0.25,USD ARC123-First-Rainbow',
          '1,0.25,USD UPR042-Cold',
          '2,0.25,USD UPR042-Cold-Alternate Art-Alternate Border',
          '1,0.25,USD WTR006-Alpha-Rainbow',
          '3,0.25,USD EVR176-First',
          '1,0.25,USD HNT016-Rainbow-Extended Art',
          '1,0.25,USD FAB101-Gold',
        ],
        [{ reason: 'holds none', count: 2 }],
      ],
      ['fabrary-older', 'Fabrary', paid, ['6,0.25,USD UPR173'], [{ reason: 'holds none', count: 1 }]],
      [
        'collectr',
        'Collectr',
        { currency: 'NZD' },
        [
          '2,88.50,NZD ARC159-Unlimited-Rainbow',
          '1,0.00,NZD MST131',
          '1,352.068,NZD WtrUnlimitedEdition-Box',
        ],
        [
          { reason: 'of another game', count: 1 },
          { reason: 'on the watchlist', count: 1 },
        ],
      ],
      [
        'tcgplayer-app',
        'Tcgplayer',
        paid,
        ['3,0.25,USD ARC159-First-Rainbow', '1,0.25,USD HNT016-Rainbow-Extended Art', '2,0.25,USD UPR042'],
        [],
      ],
      [
        'tcgplayer-seller',
        'Tcgplayer',
        paid,
        ['1,0.25,USD ARC009-First', '2,0.25,USD ARC123-Unlimited-Rainbow', '4,0.25,USD MST131'],
        [
          { reason: 'of another game', count: 1 },
          { reason: 'holds none', count: 1 },
        ],
      ],
      [
        'dragon-shield',
        'DragonShield',
        { currency: 'USD' },
        ['1,1250.00,USD WTR150-Alpha-Cold', '4,0.00,USD EVR185-First', '2,0.20,USD ARC123-Unlimited'],
        [],
      ],
      [
        'excel-europe',
        'Cardledger',
        {},
        ['4,10.50,EUR ARC159-Unlimited', '1,1250.00,EUR ARC159-Unlimited'],
        [],
      ],
    ];

    it.each(holdings)('reads %s', async (name, format, input, codes, skipped) => {
      const id = await newCollection();
      const report = await importTransactions(ctx, id, { csv: file(name), ...input });
      expect(report).toMatchObject({ format, written: true, errors: [], duplicates: [], skipped });
      expect(report.transactionCount).toBe(codes.length);
      const cells = (await contentsOf(id)).map((line) => line.split(','));
      expect(cells.map((cell) => `${cell.slice(2, 5).join(',')} ${cell[6]}`)).toEqual(codes);
    });

    it.each(holdings)('gives the same for %s where its format is named', async (name, format, input) => {
      const id = await newCollection();
      const csv = file(name);
      expect(await importTransactions(ctx, id, { csv, ...input, format, dryRun: true })).toEqual(
        await importTransactions(ctx, id, { csv, ...input, dryRun: true }),
      );
    });

    it('takes the days of the file before the one it is given', async () => {
      const id = await newCollection();
      await importTransactions(ctx, id, { csv: file('dragon-shield'), ...paid, currency: 'USD' });
      expect((await contentsOf(id)).map((line) => line.slice(0, 10))).toEqual([
        '2021-03-28',
        '2024-01-01',
        '2024-02-17',
      ]);
    });

    it.each([
      ['fabrary', {}, ['occurredDate', 'unitAmount']],
      ['fabrary', { occurredDate: '2026-01-31' }, ['unitAmount']],
      ['tcgplayer-app', { unitAmount: { currency: 'USD', value: 0 } }, ['occurredDate']],
      ['collectr', {}, ['currency']],
      ['dragon-shield', { format: 'Fabrary' }, ['csv']],
    ])('asks for what %s with %j does not say', async (name, input, fields) => {
      const refused = importTransactions(ctx, await newCollection(), { csv: file(name), ...input });
      await expect(refused).rejects.toMatchObject({
        problem: 'ValidationFailed',
        details: { breaches: fields.map((field) => expect.objectContaining({ path: [field] })) },
      });
    });
  });

  describe('rows', () => {
    const reportOf = async (csv: string, input = {}) =>
      importTransactions(ctx, await newCollection(), { csv, dryRun: true, ...input });

    const wrong: [what: string, row: string, errors: [column: string | null, detail: RegExp][]][] = [
      [
        'a day that the calendar has not',
        row({ occurredDate: '2023-02-30' }),
        [['occurredDate', /calendar date/]],
      ],
      ['a day of another form', row({ occurredDate: '3/28/2021' }), [['occurredDate', /YYYY-MM-DD/]]],
      [
        'a day to come',
        row({ occurredDate: '2026-04-15' }),
        [['occurredDate', /must be from 1970-01-01 to 2026-04-14/]],
      ],
      ['no day', row({ occurredDate: '' }), [['occurredDate', /is empty: fill it in, or give occurredDate/]]],
      ['another action', row({ action: 'Trade' }), [['action', /must be one of Purchase, Sale/]]],
      ['quantity 0', row({ quantity: '0' }), [['quantity', /whole number from 1/]]],
      ['half a card', row({ quantity: '1.5' }), [['quantity', /whole number from 1/]]],
      ['too many cards', row({ quantity: '1000001' }), [['quantity', /to 1000000/]]],
      ['no quantity', row({ quantity: '' }), [['quantity', /whole number/]]],
      ['a price below 0', row({ unitAmount: '-1' }), [['unitAmount', /from 0/]]],
      ['a price of five decimals', row({ unitAmount: '1.00001' }), [['unitAmount', /at most 4 decimals/]]],
      [
        'a price of many digits',
        row({ unitAmount: '1.00000000000000000001' }),
        [['unitAmount', /4 decimals/]],
      ],
      ['a price above the limit', row({ unitAmount: '1000000000.0001' }), [['unitAmount', /to 1000000000/]]],
      ['a price with its sign', row({ unitAmount: '$1.50' }), [['unitAmount', /must be a number/]]],
      ['no price', row({ unitAmount: '' }), [['unitAmount', /is empty: fill it in, or give unitAmount/]]],
      ['an unknown currency', row({ currency: 'XXX' }), [['currency', /currency code/]]],
      ['no currency', row({ currency: '' }), [['currency', /is empty: fill it in, or give currency/]]],
      ['too few columns', '2026-01-31,Purchase,1', [[null, /has 3 columns, and the header 10/]]],
      ['too many columns', `${row()},more`, [[null, /has 11 columns/]]],
      ['no card', row({ fcId: '' }), [['variantId', /is empty/]]],
      ['an unknown code', row({ fcId: 'XYZ001' }), [['fcId', /not fit exactly one variant/]]],
      ['two ids that differ', row({ variantId: 'var_za79hefnw7m4fxyw' }), [['variantId', /not fit/]]],
      [
        'an unknown printing',
        row({ fcId: '', number: 'ARC159', variantName: 'Holo' }),
        [['variantName', /no printing/]],
      ],
      [
        'several at once',
        row({ quantity: 'x', unitAmount: 'y', currency: 'z', fcId: '' }),
        [
          ['variantId', /empty/],
          ['quantity', /whole/],
          ['currency', /code/],
          ['unitAmount', /number/],
        ],
      ],
    ];

    it.each(wrong)('refuses %s', async (_, text, errors) => {
      const report = await reportOf(fileOf(row(), text));
      expect(report).toMatchObject({ rowCount: 2, transactionCount: 1, errorCount: errors.length });
      expect(report.errors.map(({ line, column }) => [line, column])).toEqual(
        errors.map(([column]) => [3, column]),
      );
      for (const [i, { detail }] of report.errors.entries()) expect(detail).toMatch(errors[i]![1]);
    });

    it.each([
      ['the least', row({ occurredDate: '1970-01-01', quantity: '1', unitAmount: '0' })],
      ['the most', row({ occurredDate: '2026-04-14', quantity: '1000000', unitAmount: '1000000000' })],
      ['four decimals and noughts', row({ unitAmount: '352.068000' })],
    ])('takes %s', async (_, text) => {
      expect(await reportOf(fileOf(text))).toMatchObject({ errors: [], transactionCount: 1 });
    });

    it('takes what is given for rows that do not say it', async () => {
      const csv = fileOf(row({ occurredDate: '', unitAmount: '' }), row({ currency: '' }));
      const id = await newCollection();
      const given = {
        occurredDate: '2025-01-01',
        unitAmount: { currency: 'EUR', value: 7 },
        currency: 'NZD',
      };
      await importTransactions(ctx, id, { csv, ...given });
      expect((await contentsOf(id)).map((line) => line.slice(0, 33))).toEqual([
        '2025-01-01,Purchase,1,7.00,EUR,va',
        '2026-01-31,Purchase,1,1.50,NZD,va',
      ]);
    });

    it('writes nothing where one row has an error', async () => {
      const id = await newCollection();
      const csv = fileOf(row(), row({ quantity: '0' }), row({ quantity: '2' }));
      expect(await importTransactions(ctx, id, { csv })).toMatchObject({
        written: false,
        transactionCount: 2,
      });
      expect(await getCollection(ctx, id)).toMatchObject({ transactionCount: 0, revision: 1 });
    });

    it('writes nothing in a dry run', async () => {
      const id = await newCollection();
      const { result, statements } = await statementsOf(() =>
        importTransactions(ctx, id, { csv: fileOf(row(), row({ quantity: '2' })), dryRun: true }),
      );
      expect(result).toMatchObject({ written: false, transactionCount: 2, errors: [] });
      expect(statements.filter(({ text }) => /^\s*(with|insert|update|delete)\b/i.test(text))).toEqual([]);
    });

    it('takes a file with nothing but its header', async () => {
      const report = await importTransactions(ctx, await newCollection(), { csv: CSV_HEADER });
      expect(report).toMatchObject({ written: true, rowCount: 0, transactionCount: 0 });
    });
  });

  describe('cards that are not known', () => {
    const suggestionsFor = async (cells: object) => {
      const csv = fileOf(row({ fcId: '', ...cells }));
      const { errors } = await importTransactions(ctx, await newCollection(), { csv, dryRun: true });
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
      const report = await importTransactions(ctx, await newCollection(), { csv: fileOf(...rows) });
      expect(report).toMatchObject({ errorCount: 1001, written: false });
      expect(report.errors).toHaveLength(LIMITS.importReportItems);
      const suggested = report.errors.map(({ suggestions }) => suggestions.length > 0);
      expect(suggested.lastIndexOf(true)).toBe(LIMITS.importSuggestedCards - 1);
    });
  });

  describe('duplicates', () => {
    it('are flagged within the file and against the ledger, and written', async () => {
      const id = await newCollection();
      const like = row({ quantity: '3' });
      await importTransactions(ctx, id, { csv: fileOf(row(), like) });
      const [first] = (await exported(id)).split('\r\n').slice(1);
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

    it('are looked for in this collection only', async () => {
      await importTransactions(ctx, await newCollection(), { csv: fileOf(row()) });
      const report = await importTransactions(ctx, await newCollection(), { csv: fileOf(row()) });
      expect(report.duplicates).toEqual([]);
    });
  });

  describe('another account', () => {
    it('finds no collection to import into or to export', async () => {
      const id = await newCollection();
      const stranger = await newAccount(database());
      const nothing = { problem: 'NotFound', message: 'The collection does not exist.' };
      await expect(importTransactions(stranger, id, { csv: fileOf(row()) })).rejects.toMatchObject(nothing);
      await expect(
        importTransactions(stranger, id, { csv: fileOf(row()), dryRun: true }),
      ).rejects.toMatchObject(nothing);
      await expect(exported(id, stranger)).rejects.toMatchObject(nothing);
      expect(await contentsOf(id)).toEqual([]);
    });
  });

  describe('many rows', () => {
    const many = (count: number) =>
      fileOf(...Array.from({ length: count }, (_, i) => row({ quantity: String(1 + (i % 1000)) })));

    it('takes 10,000, in 12 statements, and is right to the last digit', async () => {
      const id = await newCollection();
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
      // The collection, its variants, then a thousand at a time.
      expect(statements).toHaveLength(2 + 10);
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
      const { differences } = await diagnose(database(), { fix: false });
      expect(
        differences.filter((difference) => JSON.stringify(difference).includes(ctx.caller.accountId)),
      ).toEqual([]);
      const second = await importTransactions(ctx, id, { csv, dryRun: true });
      expect(second).toMatchObject({ duplicateCount: 10_000, written: false });
      expect(second.duplicates).toHaveLength(LIMITS.importReportItems);
    }, 60_000);

    it('refuses one more', async () => {
      const id = await newCollection();
      await expect(importTransactions(ctx, id, { csv: many(10_001) })).rejects.toMatchObject({
        problem: 'ValidationFailed',
        message: 'csv: has 10001 transactions, and one import takes at most 10000; split it',
      });
    });

    it('does not count those that stand for none', async () => {
      const [header, held] = file('fabrary').split('\n') as [string, string];
      const none = held.replace(/,3,,,0,$/, ',0,,,0,');
      expect(none).not.toBe(held);
      const csv = [header, ...Array.from({ length: 10_001 }, () => none), held].join('\n');
      const input = { occurredDate: '2026-01-31', unitAmount: { currency: 'USD', value: 0 } };
      const report = await importTransactions(ctx, await newCollection(), { csv, ...input });
      expect(report).toMatchObject({ written: true, rowCount: 10_002, transactionCount: 1 });
    });

    it('writes all or none where it is interrupted', async () => {
      const id = await newCollection();
      let told = 0;
      const failing = importTransactions(ctx, id, { csv: many(2500) }, () => {
        if (++told === 2) throw new Error('interrupted');
      });
      await expect(failing).rejects.toThrow('interrupted');
      expect(await getCollection(ctx, id)).toMatchObject({ transactionCount: 0, quantity: 0 });
    });
  });

  describe('export', () => {
    it('has the header of the format and nothing more for an empty collection', async () => {
      expect(await exported(await newCollection())).toBe(`${OWN_COLUMNS.join(',')}\r\n`);
    });

    it.each([0, 1, 999, 1000, 1001, 2000])(
      'writes each of %i transactions once, oldest first',
      async (count) => {
        const id = await newCollection();
        const [variantId] = (await pricedVariants(database(), 1)) as [string];
        for (let at = 0; at < count; at += 1000) {
          const entries = Array.from({ length: Math.min(1000, count - at) }, (_, i) =>
            entry(variantId, { quantity: at + i + 1, occurredDate: i % 2 ? '2026-04-13' : '2026-04-12' }),
          );
          await createTransactions(ctx, id, entries);
        }
        const { result, statements } = await statementsOf(() => exported(id));
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

    it.each(['=1+1', '+1', '-1', '@SUM(A1)', "=cmd|' /C calc'!A0"])(
      'gives a spreadsheet no formula to run: %s',
      async (name) => {
        const id = await newCollection(name);
        await importTransactions(ctx, id, { csv: fileOf(row()) });
        const csv = await exported(id);
        expect(csv.split('\r\n')[1]!.split(',')[1]).toBe(`'${name}`);
        const again = await newCollection(name);
        await importTransactions(ctx, again, { csv });
        expect(withoutIds(await exported(again))).toBe(withoutIds(csv));
      },
    );

    it('quotes what has a comma, a quote or a line break', async () => {
      const id = await newCollection('My "best", cards');
      await importTransactions(ctx, id, { csv: fileOf(row({ fcId: 'MST131' })) });
      expect(await exported(id)).toContain(',"My ""best"", cards",2026-01-31,');
      expect(await exported(id)).toContain(',"10,000 Year Reunion",Normal\r\n');
    });
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
    });
    const name = fc
      .string({ unit: fc.constantFrom(...'aé"\',;=+-@ ß日😀'), minLength: 1, maxLength: 20 })
      .filter((text) => text.trim() !== '');
    await fc.assert(
      fc.asyncProperty(
        name,
        fc.array(transaction, { minLength: 0, maxLength: 30 }),
        async (text, entries) => {
          const [from, to] = [await newCollection(text), await newCollection(text)];
          if (entries.length > 0) await createTransactions(ctx, from, entries);
          const csv = await exported(from);
          const report = await importTransactions(ctx, to, { csv });
          expect(report).toMatchObject({ written: true, errors: [], transactionCount: entries.length });
          expect(withoutIds(await exported(to))).toBe(withoutIds(csv));
          const [a, b] = [await getCollection(ctx, from), await getCollection(ctx, to)];
          expect({ ...b.toJSON(), id: a.id, createdAt: a.createdAt, revision: a.revision }).toEqual(
            a.toJSON(),
          );
        },
      ),
      { numRuns: 40 },
    );
  }, 60_000);
});

/** The ids of transactions are new in each collection. */
function withoutIds(csv: string): string {
  return csv.replaceAll(/^txn_\w+/gm, 'txn');
}
