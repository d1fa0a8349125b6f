import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { CSV_HEADER } from '../../src/domain/transaction-file.ts';
import { getCollection } from '../../src/services/collections/get.ts';
import type { Context } from '../../src/services/context.ts';
import { importTransactions } from '../../src/services/transactions/import.ts';
import { describeOnDatabases, statementsOf } from '../harness.ts';
import { contentsOf, fileOf, importingAccount, newBinder, row } from '../support/transaction-csv.ts';

describeOnDatabases('rows of imported transactions', (database) => {
  let ctx: Context;

  beforeAll(async () => {
    ctx = await importingAccount(database());
  });

  const reportOf = async (csv: string, input = {}) =>
    importTransactions(ctx, await newBinder(ctx), { csv, dryRun: true, ...input });

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
    ['a price of many digits', row({ unitAmount: '1.00000000000000000001' }), [['unitAmount', /4 decimals/]]],
    ['a price above the limit', row({ unitAmount: '1000000000.0001' }), [['unitAmount', /to 1000000000/]]],
    [
      'a price with the sign of another currency',
      row({ unitAmount: '£1.50' }),
      [['unitAmount', /has £, and the/]],
    ],
    ['a price of two readings', row({ unitAmount: '"1,500"' }), [['unitAmount', /by decimalSign/]]],
    ['a day of two readings', row({ occurredDate: '3/2/2025' }), [['occurredDate', /by dateOrder/]]],
    ['no price', row({ unitAmount: '' }), [['unitAmount', /is empty: fill it in, or give unitAmount/]]],
    ['an unknown currency', row({ currency: 'XXX' }), [['currency', /currency code/]]],
    ['no currency', row({ currency: '' }), [['currency', /is empty: fill it in, or give currency/]]],
    ['too few columns', '2026-01-31,Purchase,1', [[null, /has 3 columns, and the header 10/]]],
    ['too many columns', `${row()},more`, [[null, /has 11 columns/]]],
    ['no card', row({ fcId: '' }), [['variantId', /is empty/]]],
    ['an unknown code', row({ fcId: 'XYZ001' }), [['fcId', /fits no card: none has the fcId "XYZ001"/]]],
    [
      'an unknown id',
      row({ fcId: '', variantId: 'var_0000000000000000' }),
      [['variantId', /none has the variant id "var_0000000000000000"/]],
    ],
    [
      'a number that no card has',
      row({ fcId: '', number: 'NOPE99', productName: 'Command and Conquer' }),
      [['number', /^fits no card: none has the number "NOPE99"; correct it, or leave the row out$/]],
    ],
    [
      'a number of another card than the name',
      row({ fcId: '', number: 'ARC159', productName: 'Absorb in Aether' }),
      [['number', /not fit exactly one variant/]],
    ],
    [
      'a number of several variants',
      row({ fcId: '', number: 'ARC159' }),
      [['number', /not fit exactly one/]],
    ],
    ['two ids that differ', row({ variantId: 'var_za79hefnw7m4fxyw' }), [['variantId', /not fit/]]],
    [
      'an unknown printing',
      row({ fcId: '', number: 'ARC159', variantName: 'Holo' }),
      [['variantName', /not a known printing/]],
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

  it('does not say that no card has the id of one that has come since the catalogue was read', async () => {
    const [id, productId, fcId] = ['var_0000000000000new', 'prd_0000000000000new', 'NEW001'];
    await reportOf(fileOf(row()));
    await database().query(
      `insert into product (id, name, number_key, image_url, description, set_code, set_name)
       select $1, 'Newest', '~', '', '', set_code, set_name from product limit 1`,
      [productId],
    );
    onTestFinished(async () => {
      await database().query('delete from variant where id = $1', [id]);
      await database().query('delete from product where id = $1', [productId]);
    });
    await database().query(
      `insert into variant (id, product_id, name, position, fc_id, set_code, finish, is_expansion_slot)
       select $1, $2, 'Normal', 0, $3, set_code, 'Normal', false from variant limit 1`,
      [id, productId, fcId],
    );
    const { errors } = await reportOf(fileOf(row({ fcId }), row({ fcId: '', variantId: id })));
    expect(errors).toMatchObject([
      { line: 2, column: 'fcId', detail: expect.stringMatching(/^does not fit exactly one variant/) },
      { line: 3, column: 'variantId', detail: expect.stringMatching(/^does not fit exactly one variant/) },
    ]);
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
    const id = await newBinder(ctx);
    const given = {
      occurredDate: '2025-01-01',
      unitAmount: { currency: 'EUR', value: 7 },
      currency: 'NZD',
    };
    await importTransactions(ctx, id, { csv, ...given });
    expect((await contentsOf(ctx, id)).map((line) => line.slice(0, 33))).toEqual([
      '2025-01-01,Purchase,1,7.00,EUR,va',
      '2026-01-31,Purchase,1,1.50,NZD,va',
    ]);
  });

  it('writes nothing where one row has an error', async () => {
    const id = await newBinder(ctx);
    const csv = fileOf(row(), row({ quantity: '0' }), row({ quantity: '2' }));
    expect(await importTransactions(ctx, id, { csv })).toMatchObject({
      written: false,
      transactionCount: 2,
    });
    expect(await getCollection(ctx, id)).toMatchObject({ transactionCount: 0, revision: 1 });
  });

  it('writes nothing in a dry run', async () => {
    const id = await newBinder(ctx);
    const { result, statements } = await statementsOf(() =>
      importTransactions(ctx, id, { csv: fileOf(row(), row({ quantity: '2' })), dryRun: true }),
    );
    expect(result).toMatchObject({ written: false, transactionCount: 2, errors: [] });
    expect(statements.filter(({ text }) => /^\s*(with|insert|update|delete)\b/i.test(text))).toEqual([]);
  });

  it('takes a file with nothing but its header', async () => {
    const report = await importTransactions(ctx, await newBinder(ctx), { csv: CSV_HEADER });
    expect(report).toMatchObject({ written: true, rowCount: 0, transactionCount: 0 });
  });
});
