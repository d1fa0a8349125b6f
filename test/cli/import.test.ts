import { appendFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { Database } from '../../src/db/client.ts';
import { projectPath } from '../../src/paths.ts';
import { catalogueFile, describeOnSettings, fileWith, removeFoldersAfterwards } from './support.ts';

removeFoldersAfterwards();

const ONE = { vendorProductId: 900_000_001, name: 'First card', fcId: 'TST001' };
const TWO = { vendorProductId: 900_000_002, name: 'Second card', fcId: 'TST002' };

const NONE_REJECTED = { rejectedCount: 0, rejectedBy: {}, rejected: [] };

const testProducts = (db: Database) =>
  db.query<{ name: string }>(
    `select name from product where vendor_product_id > 900000000 order by vendor_product_id`,
  );
const allMarketData = (db: Database) =>
  db.query('select kind, version, revision from market_data order by kind');
const rateOf = (db: Database, currency: string, day: string) =>
  db.query<{ rate: string }>(
    'select per_euro::text as rate from fx_rate where currency = $1 and day = $2::date',
    [currency, day],
  );

describeOnSettings('import', (subject) => {
  const cli: ReturnType<typeof subject>['cli'] = (args, options) => subject().cli(args, options);

  it('undoes a dry run', async () => {
    const file = await catalogueFile([ONE, TWO]);
    const before = await subject().open(allMarketData);
    const dry = await cli(['import', 'catalogue', '--dry-run', file, '--json']);
    expect(dry.json).toEqual({
      kind: 'catalogue',
      files: [file],
      dryRun: true,
      products: { added: 2, changed: 0, unchanged: 0, ...NONE_REJECTED },
      variants: { added: 2, changed: 0, unchanged: 0, ...NONE_REJECTED },
    });
    expect(await subject().open(testProducts)).toEqual([]);
    expect(await subject().open(allMarketData)).toEqual(before);
    expect((await cli(['import', 'catalogue', '--dry-run', file])).stderr).toContain('Nothing was changed');
  });

  it('counts what a catalogue adds and changes, and changes nothing the second time', async () => {
    const file = await catalogueFile([ONE, TWO]);
    const first = await cli(['import', 'catalogue', file]);
    expect(first.code).toBe(0);
    expect(first.stdout).toBe(
      [
        '          ADDED  CHANGED  UNCHANGED  LEFT OUT',
        'products      2        0          0         0',
        'variants      2        0          0         0',
        '',
      ].join('\n'),
    );
    expect(first.stderr).toBe('read 2 products\nread 2 variants\n');
    const again = await cli(['import', 'catalogue', file, '--json']);
    expect(again.json).toMatchObject({
      products: { added: 0, changed: 0, unchanged: 2 },
      variants: { added: 0, changed: 0, unchanged: 2 },
    });
    const renamed = await catalogueFile([{ ...ONE, name: 'Renamed card' }, TWO]);
    const changed = await cli(['import', 'catalogue', renamed, '--json']);
    expect(changed.json.products).toMatchObject({ added: 0, changed: 1, unchanged: 1 });
    expect(await subject().open(testProducts)).toEqual([{ name: 'Renamed card' }, { name: 'Second card' }]);
  });

  it('leaves nothing of an import that fails half-way', async () => {
    // Two variants with one code: the products are written before the database refuses the variants.
    const file = await catalogueFile([
      { ...ONE, name: 'Half-way' },
      { vendorProductId: 900_000_003, name: 'Third card', fcId: 'TST003' },
      { vendorProductId: 900_000_004, name: 'Fourth card', fcId: 'TST003' },
    ]);
    const before = await subject().open(async (db) => [await testProducts(db), await allMarketData(db)]);
    const failed = await cli(['import', 'catalogue', file]);
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toMatch(/^read 3 products\ncardledger: The import was undone: .*unique.*\.\n$/);
    const after = await subject().open(async (db) => [await testProducts(db), await allMarketData(db)]);
    expect(after).toEqual(before);
    const { stderr } = await cli(['import', 'catalogue', file, '--json']);
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'ImportFailed' });
  });

  it('shows bars on a terminal, and leaves it in order when the import fails', async () => {
    const good = await cli(['import', 'catalogue', await catalogueFile([TWO])], { terminal: true });
    expect(good.stderr).toMatch(/products .*1\/1/s);
    expect(good.stderr).not.toContain('read ');
    const clash = [5, 6].map((n) => ({ ...ONE, vendorProductId: 900_000_000 + n, fcId: 'TST009' }));
    const failed = await cli(['import', 'catalogue', await catalogueFile(clash)], { terminal: true });
    expect(failed.code).toBe(1);
    const [hide, show] = ['\u001b[?25l', '\u001b[?25h'].map((code) => failed.stderr.lastIndexOf(code));
    expect(show).toBeGreaterThan(hide!);
  });

  it("loads the ECB's rates; of a day in two files the last one counts", async () => {
    const history = await fileWith(
      'Date,USD,JPY,\n2019-01-03,1.1348,122.21,\n2019-01-02,1.1397,N/A,\n',
      'csv',
    );
    const later = await fileWith('Date,USD,\n2019-01-03,1.2,\n', 'csv');
    const loaded = await cli(['import', 'exchange-rates', history, later, '--json']);
    expect(loaded.json).toEqual({
      kind: 'exchange-rates',
      files: [history, later],
      dryRun: false,
      exchangeRates: { added: 3, changed: 1, unchanged: 0, ...NONE_REJECTED },
    });
    await subject().open(async (db) => {
      expect(await rateOf(db, 'USD', '2019-01-03')).toEqual([{ rate: '1.2' }]);
      expect(await rateOf(db, 'JPY', '2019-01-03')).toEqual([{ rate: '122.21' }]);
    });
    const ahead = await fileWith('Date,USD,\n2999-01-03,1.1,\n', 'csv');
    const refused = await cli(['import', 'exchange-rates', ahead]);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('line 2: 2999-01-03 has not come yet'),
    ]);
    const people = await cli(['import', 'fx', history]);
    expect(people.stdout).toMatch(/ADDED {2}CHANGED {2}UNCHANGED {2}LEFT OUT\nexchange rates +0 +1 +2 +0\n$/);
  });

  it('loads pull rates, once', async () => {
    const file = projectPath('data/pull-rates.json');
    await cli(['import', 'pull-rates', file]);
    const { json } = await cli(['import', 'pull-rates', file, '--json']);
    expect(json.pullRates).toEqual({ added: 0, changed: 0, unchanged: 25, ...NONE_REJECTED });
  });

  it('names the place of what is wrong in a file, and changes nothing', async () => {
    const good = await fileWith('Date,USD,\n2018-01-02,1.5,\n', 'csv');
    const bad = await fileWith('Date,USD,\n2018-01-03,1.1,\n2018-02-30,1.2,\n', 'csv');
    const twice = await fileWith('Date,USD,\n2018-01-03,1.1,\n2018-01-03,1.2,\n', 'csv');
    const damaged = await catalogueFile([ONE]);
    await appendFile(damaged, 'more');
    const cases: [string[], string][] = [
      [['fx', good, bad], `${bad}, line 3: expected a date of the form YYYY-MM-DD, found "2018-02-30".`],
      [['fx', twice], `${twice}, line 3: 2018-01-03 is there twice.`],
      [['fx', good, `${good}.none`], `Cannot read ${good}.none: there is no such file.`],
      [['fx', projectPath('data')], 'it is a directory'],
      [['catalogue', good], `${good}, line 1: expected the header of card.csv or card-printing.csv`],
      [['prices', good], `${good}, line 1: the header has no column productId`],
      [['prices', '--day', '2026-02-30', good], '--day: expected a date'],
      [['sales', good], `${good}, line 1: which product is it?`],
      [['sales', '--product', '1', good, good], '--product is for one file'],
      [['catalogue', damaged], `Cannot read the catalogue file ${damaged}`],
      [['catalogue', await catalogueFile([ONE, ONE])], 'First card'],
      [['pull-rates', good], `Cannot read the pull rates in ${good}: it is not JSON`],
    ];
    for (const [args, message] of cases) {
      const failed = await cli(['import', ...args]);
      expect(failed).toMatchObject({ code: 1, stdout: '' });
      expect(failed.stderr).toContain(message);
      expect(failed.stderr.trim().split('\n')).toHaveLength(1);
    }
    const { stderr } = await cli(['import', 'fx', bad, '--json']);
    expect(JSON.parse(stderr).error.code).toBe('InvalidFile');
    await subject().open(async (db) => {
      expect(await rateOf(db, 'USD', '2018-01-02')).toEqual([]);
      expect(await rateOf(db, 'USD', '2018-01-03')).toEqual([]);
    });
  });
});
