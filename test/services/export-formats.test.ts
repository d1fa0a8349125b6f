import { beforeAll, expect, it } from 'vitest';
import { EXPORT_FORMATS, type ExportFormat } from '../../src/domain/transaction-file.ts';
import type { Context } from '../../src/services/context.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { importTransactions } from '../../src/services/transactions/import.ts';
import { describeOnDatabases, newAccount, pricedVariants } from '../harness.ts';
import { entry, oddVariants } from '../support/furnished.ts';
import { contentsOf, exported, importingAccount, newBinder } from '../support/transaction-csv.ts';

/** What a row of our own format has in common with one that came by another: columns without their place in the file. */
const COLUMNS = { occurredDate: 0, action: 1, quantity: 2, unitAmount: 3, currency: 4, variantId: 5 };

const SAYS: Record<Exclude<ExportFormat, 'Cardledger' | 'Json'>, (keyof typeof COLUMNS)[]> = {
  Fabrary: ['quantity', 'variantId'],
  Collectr: ['occurredDate', 'quantity', 'unitAmount', 'currency', 'variantId'],
  Tcgplayer: ['quantity', 'variantId'],
  DragonShield: ['occurredDate', 'quantity', 'unitAmount', 'currency', 'variantId'],
  Manabox: ['quantity', 'unitAmount', 'currency', 'variantId'],
  Archidekt: ['occurredDate', 'quantity', 'unitAmount', 'currency', 'variantId'],
  List: ['quantity', 'variantId'],
};
const DIALECTS = Object.keys(SAYS) as (keyof typeof SAYS)[];
const PAID = { occurredDate: '2026-02-01', unitAmount: { currency: 'USD', value: 0.25 } };

describeOnDatabases('formats of exported transactions', (database) => {
  let ctx: Context;
  let variants: string[];

  beforeAll(async () => {
    ctx = await importingAccount(database());
    const rows = await database().query<{ id: string }>(
      'select v.id from variant v order by md5(v.id) limit 150',
    );
    const some = rows.map(({ id }) => id);
    variants = [
      ...new Set([...(await oddVariants(database())), ...(await pricedVariants(database(), 20)), ...some]),
    ];
  });

  const currencies = ['USD', 'EUR', 'JPY'];
  /** Purchases of different cards, in three currencies, with a sale among them. */
  const stocked = async (of: readonly string[]) => {
    const id = await newBinder(ctx, 'Binder');
    const purchases = of.map((variantId, i) =>
      entry(variantId, {
        quantity: i + 1,
        occurredDate: `2026-01-${String(1 + (i % 28)).padStart(2, '0')}`,
        unitAmount: { currency: currencies[i % 3]!, value: 100 + i },
        cardCondition: i % 2 ? 'LightlyPlayed' : 'NearMint',
        language: i % 2 ? 'DE' : 'EN',
        grade: { company: 'PSA', grade: '9.5' },
        notes: '=1+1',
        tags: ['for trade', 'signed'],
      }),
    );
    await createTransactions(ctx, id, [...purchases, entry(of[0]!, { action: 'Sale', quantity: 1 })]);
    return id;
  };
  const sameOf = (rows: string[], names: (keyof typeof COLUMNS)[]) =>
    rows
      .filter((row) => row.split(',')[1] === 'Purchase')
      .map((row) => names.map((name) => row.split(',')[COLUMNS[name]]).join(','))
      .sort();

  /** A line of a list tells no treatment of a card, so that it may fit two variants. */
  const tellable = async (format: ExportFormat) => {
    if (format !== 'List') return variants;
    const unique = await database().query<{ id: string }>(
      `select min(v.id) as id from variant v join product p on p.id = v.product_id where p.number is not null
       group by p.number, v.name having count(*) = 1 order by md5(min(v.id)) limit 150`,
    );
    return unique.map(({ id }) => id);
  };

  it.each(DIALECTS)('gives the same cards back: %s', async (format) => {
    const from = await stocked(await tellable(format));
    const csv = await exported(ctx, from, format);
    const to = await newBinder(ctx);
    const report = await importTransactions(ctx, to, { csv, ...PAID });
    expect(report).toMatchObject({ format, written: true, errors: [], skipped: [] });
    const says = SAYS[format];
    expect(sameOf(await contentsOf(ctx, to), says)).toEqual(sameOf(await contentsOf(ctx, from), says));
  });

  it('of a list has an error for a card of which there are two by number and printing', async () => {
    const [two] = await database().query<{ id: string }>(
      `select min(v.id) as id from variant v join product p on p.id = v.product_id where p.number is not null
       group by p.number, v.name having count(*) > 1 order by p.number limit 1`,
    );
    const csv = await exported(ctx, await stocked([two!.id]), 'List');
    const report = await importTransactions(ctx, await newBinder(ctx), { csv, ...PAID });
    expect(report).toMatchObject({ written: false, errorCount: 1 });
    expect(report.errors[0]!.suggestions.map(({ variantId }) => variantId)).toContain(two!.id);
  });

  it.each([
    ['Collectr', ['NearMint', '', 'PSA', '9.5', '', '=1+1', '']],
    ['Tcgplayer', ['NearMint', 'EN', '', '', '', '', '']],
    ['DragonShield', ['NearMint', 'EN', '', '', '', '', '']],
    ['Manabox', ['NearMint', 'EN', '', '', '', '', '']],
    ['Archidekt', ['NearMint', 'EN', '', '', '', '', 'for trade, signed']],
  ] as const)(
    'keeps what %s says of the cards',
    async (format, [condition, language, , grade, , notes, tags]) => {
      const from = await stocked(variants.slice(0, 1));
      const to = await newBinder(ctx);
      await importTransactions(ctx, to, { csv: await exported(ctx, from, format), ...PAID });
      const [json] = (await exported(ctx, to, 'Json')).split('\n');
      expect(JSON.parse(json!)).toMatchObject({
        cardCondition: condition,
        language: language || null,
        grade: grade || null,
        notes,
        tags: tags === '' ? [] : tags.split(', '),
      });
    },
  );

  it('gives all back as JSON', async () => {
    const from = await stocked(variants);
    const text = await exported(ctx, from, 'Json');
    expect(JSON.parse(text.split('\n')[0]!)).toMatchObject({
      collection: 'Binder',
      quantity: expect.any(Number),
      unitAmount: expect.any(String),
      tags: ['for trade', 'signed'],
    });
    const to = await newBinder(ctx);
    const report = await importTransactions(ctx, to, { csv: text });
    expect(report).toMatchObject({
      format: 'Cardledger',
      written: true,
      transactionCount: variants.length + 1,
    });
    expect((await contentsOf(ctx, to)).sort()).toEqual((await contentsOf(ctx, from)).sort());
  });

  it('names the lines that are no JSON', async () => {
    const text = await exported(ctx, await stocked(variants.slice(0, 1)), 'Json');
    const csv = `${text}{"quantity":\n{"tags":{}}\n`;
    const report = await importTransactions(ctx, await newBinder(ctx), { csv });
    expect(report.written).toBe(false);
    expect(report.errors.map(({ line }) => line)).toEqual([3, 4]);
    expect(report.errors[0]!.detail).toContain('no object of JSON');
  });

  it.each(EXPORT_FORMATS)('is of nobody else: %s', async (format) => {
    const id = await stocked(variants.slice(0, 1));
    const other = await newAccount(database());
    await expect(exported(other, id, format)).rejects.toMatchObject({ problem: 'NotFound' });
  });
});
