import { beforeAll, expect, it } from 'vitest';
import { pageByKey } from '../../src/domain/pagination.ts';
import type { Context } from '../../src/services/context.ts';
import { importTransactions } from '../../src/services/transactions/import.ts';
import { transactionOrder, transactionsOf } from '../../src/services/transactions/list.ts';
import { describeOnDatabases } from '../harness.ts';
import { textOfFixture } from '../importers/support.ts';
import { contentsOf, importingAccount, newBinder } from '../support/transaction-csv.ts';

const file = (name: string) => textOfFixture(`transactions/${name}.csv`);

describeOnDatabases('formats of imported transactions', (database) => {
  let ctx: Context;

  beforeAll(async () => {
    ctx = await importingAccount(database());
  });

  const paid = { occurredDate: '2026-02-01', unitAmount: { currency: 'USD', value: 0.25 } };

  it('reads its own, by ids or by what else says it', async () => {
    const id = await newBinder(ctx);
    const report = await importTransactions(ctx, id, { csv: file('cardledger') });
    expect(report).toMatchObject({ format: 'Cardledger', written: true, errors: [], transactionCount: 5 });
    expect(await contentsOf(ctx, id)).toEqual([
      '2025-03-01,Purchase,4,10.00,USD,var_atzw90sz174deze4,ARC159-Unlimited,225899,ARC159,Command and Conquer,Unlimited Edition Normal,,,,,,,,,',
      '2025-03-08,Sale,1,15.00,USD,var_atzw90sz174deze4,ARC159-Unlimited,225899,ARC159,Command and Conquer,Unlimited Edition Normal,,,,,,,,,',
      '2025-04-02,Purchase,2,1250,JPY,var_8c30q0f6mc4sf8tg,HNT016-Rainbow-Extended Art,614579,HNT016,Anaphylactic Shock,Rainbow Foil,,,,,,,,,',
      '2025-04-02,Purchase,1,0.3333,EUR,var_qvb0r63mtd1xd4ak,WTR006-Alpha-Rainbow,225017,WTR006,Alpha Rampage,1st Edition Rainbow Foil,,,,,,,,,',
      '2025-04-03,Purchase,1,0.00,NZD,var_0dwp28n0tgfwba5q,FAB101-Gold,497996,FAB101,Achilles Accelerator,Gold Foil,,,,,,,,,',
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
      ['2,88.50,NZD ARC159-Unlimited-Rainbow', '1,0.00,NZD MST131', '1,352.068,NZD WtrUnlimitedEdition-Box'],
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
    [
      'manabox',
      'Manabox',
      paid,
      ['4,3.50,EUR MST131', '1,120.00,USD ARC159-Unlimited-Rainbow'],
      [{ reason: 'holds none', count: 1 }],
    ],
    [
      'archidekt',
      'Archidekt',
      { currency: 'USD' },
      ['2,3.50,USD MST131', '1,60.00,USD WTR006-Alpha-Rainbow'],
      [],
    ],
    [
      'list',
      'List',
      paid,
      ['3,0.25,USD ARC159-Unlimited-Rainbow', '1,0.25,USD HNT016', '4,0.25,USD MST131', '2,0.25,USD MST131'],
      [
        { reason: 'a heading', count: 2 },
        { reason: 'holds none', count: 1 },
      ],
    ],
  ];

  it.each(holdings)('reads %s', async (name, format, input, codes, skipped) => {
    const id = await newBinder(ctx);
    const report = await importTransactions(ctx, id, { csv: file(name), ...input });
    expect(report).toMatchObject({ format, written: true, errors: [], duplicates: [], skipped });
    expect(report.transactionCount).toBe(codes.length);
    const cells = (await contentsOf(ctx, id)).map((line) => line.split(','));
    expect(cells.map((cell) => `${cell.slice(2, 5).join(',')} ${cell[6]}`)).toEqual(codes);
  });

  it.each(holdings)('gives the same for %s where its format is named', async (name, format, input) => {
    const id = await newBinder(ctx);
    const csv = file(name);
    expect(await importTransactions(ctx, id, { csv, ...input, format, dryRun: true })).toEqual(
      await importTransactions(ctx, id, { csv, ...input, dryRun: true }),
    );
  });

  it.each([
    ['collectr', ['NearMint', 'NearMint', 'NearMint']],
    ['tcgplayer-app', ['NearMint EN', 'NearMint EN', 'LightlyPlayed EN']],
    ['tcgplayer-seller', ['NearMint', 'LightlyPlayed', 'NearMint']],
    ['dragon-shield', ['NearMint EN', 'LightlyPlayed EN', 'NearMint EN']],
    ['manabox', ['NearMint EN', 'NearMint EN']],
    ['archidekt', ['NearMint EN', 'NearMint EN']],
  ])('keeps what %s says of the cards', async (name, said) => {
    const id = await newBinder(ctx);
    const input =
      name === 'collectr' || name === 'dragon-shield' || name === 'archidekt' ? { currency: 'USD' } : paid;
    await importTransactions(ctx, id, { csv: file(name), ...input });
    const { items } = await transactionsOf(
      ctx,
      id,
      transactionOrder('Chronological'),
      pageByKey({}, transactionOrder('Chronological')),
    );
    expect(items.map(({ cardCondition, language }) => `${cardCondition} ${language ?? ''}`.trim())).toEqual(
      said,
    );
    if (name === 'collectr') expect(items[1]!.notes).toBe('a note; with "quotes"');
  });

  it('names the column and the words that are known where it knows none', async () => {
    const id = await newBinder(ctx);
    const csv =
      'Qty,Card No,Kind,State,Tongue,Slab,Words\n' +
      '1,ARC159,Unlimited Edition Normal,Gently loved,Klingon,nine,ok\n' +
      `1,ARC159,Unlimited Edition Normal,,,,${'x'.repeat(31)}\n` +
      '1,ARC159,Unlimited Edition Normal,Excellent,,,"b; a, b"\n' +
      "1,ARC159,Unlimited Edition Normal,dmg,japanese,psa 9.5,'=1\n";
    const columns = {
      ...{ quantity: 'Qty', number: 'Card No', variantName: 'Kind' },
      ...{ cardCondition: 'State', language: 'Tongue', grade: 'Slab', tags: 'Words' },
    };
    const report = await importTransactions(ctx, id, { csv, columns, ...paid });
    expect(report.errors.map(({ line, column, detail }) => [line, column, detail])).toEqual([
      [
        2,
        'State',
        'is not a known condition: "Gently loved"; write Near Mint, Lightly Played, Moderately Played, Heavily Played or Damaged',
      ],
      [2, 'Slab', 'is not a known grade: "nine"; write the company and the grade, such as PSA 9.5'],
      [2, 'Tongue', 'is not a known language: "Klingon"; write EN, DE, FR, ES, IT, JA'],
      [3, 'Words', 'must have 1 to 30 characters besides leading and trailing spaces'],
    ]);
    const mended = csv
      .split('\n')
      .filter((_, i) => i !== 1 && i !== 2)
      .join('\n');
    expect(await importTransactions(ctx, id, { csv: mended, columns, ...paid })).toMatchObject({
      written: true,
    });
    expect((await contentsOf(ctx, id)).map((line) => line.split(',,').slice(1).join(',,'))).toEqual([
      ',,,,,,,"b, a, Excellent"',
      ",Damaged,JA,PSA,9.5,,,'=1",
    ]);
  });

  it('reads any other file by what its columns are said to hold', async () => {
    const id = await newBinder(ctx);
    const csv =
      'Bought,Qty,Card No,Card,Kind,Paid,Trade\n' +
      '3/2/2025,2,ARC159,Command and Conquer,Unlimited Edition Normal,"$1,010.50",\n' +
      '3/8/2025,1,arc159,,Unlimited,$15,Sale\n' +
      '3/8/2025,0,arc159,,Unlimited,$15,Sale\n';
    const columns = {
      occurredDate: 'Bought',
      quantity: 'Qty',
      number: 'Card No',
      productName: ' Card ',
      variantName: 'Kind',
      unitAmount: 'Paid',
      action: 'Trade',
    };
    const how = { csv, columns, currency: 'USD', dateOrder: 'MonthDayYear', decimalSign: 'Point' };
    expect(await importTransactions(ctx, id, how)).toMatchObject({
      format: 'Columns',
      errors: [{ line: 3, column: 'Card No', suggestions: expect.arrayContaining([expect.anything()]) }],
      skipped: [{ reason: 'holds none', count: 1 }],
    });
    const mended = { ...how, csv: csv.replace('Unlimited,$15,Sale', 'Unlimited Edition Normal,$15,Sale') };
    expect(await importTransactions(ctx, id, mended)).toMatchObject({ written: true, errors: [] });
    expect((await contentsOf(ctx, id)).map((line) => line.split(',').slice(0, 5).join())).toEqual([
      '2025-03-02,Purchase,2,1010.50,USD',
      '2025-03-08,Sale,1,15.00,USD',
    ]);
  });

  it.each([
    [{ columns: { quantity: 'Qty' } }, ['columns'], /must name the column of the card/],
    [{ columns: { number: 'No' } }, ['columns', 'quantity'], /./],
    [{ columns: { quantity: 'Qty', number: '' } }, ['columns', 'number'], /1 to 100 characters/],
    [{ columns: { quantity: 'Qty', number: 'x'.repeat(101) } }, ['columns', 'number'], /1 to 100 characters/],
    [{ columns: { quantity: 'Qty', number: 'x'.repeat(100) } }, ['csv'], /the header has no column x{100}/],
    [{ columns: { quantity: 'Qty', card: 'No' } }, ['columns', 'card'], /./],
    [{ columns: { quantity: 'Qty', number: 'No' }, format: 'Fabrary' }, ['columns'], /must be left out/],
    [{ format: 'Columns' }, ['columns'], /is required/],
    [{ columns: { quantity: 'Qty', number: 'Twice' } }, ['csv'], /has the column Twice twice/],
    [{ columns: { quantity: 'Qty', number: 'No', unitAmount: 'Paid' } }, ['occurredDate'], /has no dates/],
  ])('refuses %j', async (input, path, detail) => {
    const csv = 'Qty,No,Twice,Twice,Paid\n1,ARC159,a,b,1\n';
    const refused = importTransactions(ctx, await newBinder(ctx), { csv, ...input });
    await expect(refused).rejects.toMatchObject({
      problem: 'ValidationFailed',
      details: { breaches: expect.arrayContaining([{ path, detail: expect.stringMatching(detail) }]) },
    });
  });

  it('says of a line of a list that it names no card', async () => {
    const csv =
      '2 10,000 Year Reunion (MST) 131\nCommand and Conquer\n1 Nobody knows (XYZ) 1\n1 Command and Conquer\n';
    const report = await importTransactions(ctx, await newBinder(ctx), { csv, ...paid });
    expect(report.errors).toMatchObject([
      { line: 2, column: 'line', detail: expect.stringContaining('write how many, the name') },
      { line: 3, column: 'line', detail: expect.stringContaining('none has the number "XYZ001"') },
      {
        line: 4,
        column: 'line',
        suggestions: expect.arrayContaining([expect.objectContaining({ number: 'ARC159' })]),
      },
    ]);
  });

  it('reads a line of thousands of spaces', async () => {
    const csv = `1${' '.repeat(8000)}\r10,000${' '.repeat(50_000)}Year Reunion *F*`;
    const id = await newBinder(ctx);
    expect(await importTransactions(ctx, id, { csv, ...paid })).toMatchObject({ format: 'List', errors: [] });
    expect((await contentsOf(ctx, id)).map((line) => line.split(',')[6])).toEqual(['MST131-Rainbow']);
  });

  it.each([
    ['Comma', '1,500', '1.50'],
    ['Comma', '1.500,5', '1500.50'],
    ['Point', '1,500', '1500.00'],
    ['Point', '1,500.5', '1500.50'],
    [undefined, '1,500', '1.50'],
  ])('reads amounts between semicolons by the decimal sign %s: %s', async (decimalSign, amount, read) => {
    const id = await newBinder(ctx);
    const csv = `occurredDate;action;quantity;unitAmount;currency;fcId\n2026-01-31;Purchase;1;${amount};EUR;MST131\n`;
    expect(await importTransactions(ctx, id, { csv, decimalSign })).toMatchObject({ errors: [] });
    expect((await contentsOf(ctx, id)).map((line) => line.split(',')[3])).toEqual([read]);
  });

  it('knows a card by the number of its other half', async () => {
    const id = await newBinder(ctx);
    const csv =
      '1 Romping Club (WTR) 3 *Unlimited Edition Normal*\n2 Death Dealer (ARC) 40 *1st Edition Normal*\n';
    expect(await importTransactions(ctx, id, { csv, ...paid })).toMatchObject({ errors: [], written: true });
    expect((await contentsOf(ctx, id)).map((line) => line.split(',')[6])).toEqual([
      'WTR039-Unlimited',
      'ARC076-First',
    ]);
  });

  it('takes the days of the file before the one it is given', async () => {
    const id = await newBinder(ctx);
    await importTransactions(ctx, id, { csv: file('dragon-shield'), ...paid, currency: 'USD' });
    expect((await contentsOf(ctx, id)).map((line) => line.slice(0, 10))).toEqual([
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
    const refused = importTransactions(ctx, await newBinder(ctx), { csv: file(name), ...input });
    await expect(refused).rejects.toMatchObject({
      problem: 'ValidationFailed',
      details: { breaches: fields.map((field) => expect.objectContaining({ path: [field] })) },
    });
  });
});
