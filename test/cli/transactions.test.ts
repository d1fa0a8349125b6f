import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { createAccount } from '../../src/services/accounts/create.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { NOW } from '../support/clock.ts';
import {
  catalogueFile,
  describeOnSettings,
  fileWith,
  removeFoldersAfterwards,
  temporaryFolder,
} from './support.ts';

removeFoldersAfterwards();

const HEADER = 'occurredDate,action,quantity,unitAmount,currency,fcId';
const fileOf = (...rows: string[]) => fileWith([HEADER, ...rows].join('\n'), 'csv');
const GOOD = '2026-01-31,Purchase,2,1.50,USD,TST001';

describeOnSettings('transactions', (subject) => {
  const cli = (args: string[]) => subject().cli(['transactions', ...args], { now: () => NOW });
  let account: string;
  let other: string;
  /** A collection in which nothing is recorded. */
  let unchanged: string;
  const newCollection = () =>
    subject().open(async (db) => {
      const ctx = { db, caller: { accountId: account.slice(4), clientId: 'cli_test' }, now: () => NOW };
      return (await createCollection(ctx, { name: 'Binder' })).id;
    });

  beforeAll(async () => {
    const cards = [{ vendorProductId: 900_000_001, name: 'First card', fcId: 'TST001' }];
    await subject().cli(['import', 'catalogue', await catalogueFile(cards)]);
    [account, other] = await subject().open(async (db) => {
      const make = async () => `acc_${(await createAccount(db, { name: 'Shop', now: NOW })).accountId}`;
      return [await make(), await make()];
    });
    unchanged = await newCollection();
  });

  it('are of a collection whose id is listed', async () => {
    const collection = await newCollection();
    const list = (...options: string[]) =>
      subject().cli(['collection', 'list', ...options], { now: () => NOW });
    const listed = JSON.parse((await list('--account', account, '--json')).stdout);
    expect(listed).toContainEqual({ collectionId: collection, name: 'Binder', quantity: 0 });
    const shown = await list('--account', other);
    expect([shown.code, shown.stderr]).toEqual([0, 'There are no collections.\n']);
    expect((await list('--account', 'acc_00000000-0000-4000-8000-000000000000')).code).toBe(1);
  });

  it('are all of one collection once another is merged with it', async () => {
    const [from, into] = [await newCollection(), await newCollection()];
    await cli(['import', await fileOf(GOOD), '--collection', from, '--account', account]);
    const merge = (...options: string[]) =>
      subject().cli(['collection', 'merge', from, into, ...options], { now: () => NOW });
    expect((await merge('--account', other)).stderr).toContain('The collection does not exist.');
    const done = await merge('--account', account);
    expect([done.code, done.stdout]).toEqual([0, `Moved 1 transactions to ${into}, and deleted ${from}.\n`]);
    const again = JSON.parse((await merge('--account', account, '--json')).stdout || '{}');
    expect(again).not.toHaveProperty('movedCount');
  });

  it('come back as they were imported', async () => {
    const collection = await newCollection();
    const file = await fileOf(GOOD, GOOD.replace('Purchase,2', 'Sale,1'));
    const options = ['--collection', collection, '--account', account];
    const dry = await cli(['import', file, ...options, '--dry-run']);
    expect([dry.code, dry.stdout, dry.stderr]).toEqual([
      0,
      '',
      'Nothing was written: this was a dry run. 2 transactions would be.\n',
    ]);
    const done = await cli(['import', file, ...options]);
    expect([done.code, done.stdout, done.stderr]).toEqual([
      0,
      '',
      'read 2 transactions\nRecorded 2 transactions.\n',
    ]);
    const shown = await cli(['export', collection, '--account', account]);
    expect([shown.code, shown.stderr]).toEqual([0, '']);
    const output = join(await temporaryFolder(), 'binder.csv');
    await writeFile(output, 'what was there');
    const written = await cli(['export', collection, '--account', account, '--output', output, '--json']);
    expect(written.json).toEqual({ file: output, transactions: 2 });
    expect(await readFile(output, 'utf8')).toBe(shown.stdout);
    const again = await cli(['import', output, ...options, '--dry-run', '--json']);
    expect(again.json).toMatchObject({ written: false, transactionCount: 2, duplicateCount: 2, errors: [] });
  });

  it('go to other programs, which know purchases only, and come back', async () => {
    const from = await newCollection();
    const file = await fileOf(GOOD, GOOD.replace('Purchase,2', 'Sale,1'));
    await cli(['import', file, '--collection', from, '--account', account]);
    const output = join(await temporaryFolder(), 'binder.csv');
    const export_ = ['export', from, '--account', account, '--format', 'Dragon-Shield'];
    const written = await cli([...export_, '--output', output]);
    expect(written.stderr).toBe(
      `Wrote 1 transaction to ${output}.\nLeft out 1 sale: this format knows purchases only.\n`,
    );
    const shown = await cli(export_);
    expect(shown.stdout).toBe(await readFile(output, 'utf8'));
    expect(shown.stderr).toBe('Left out 1 sale: this format knows purchases only.\n');
    const to = await newCollection();
    const read = await cli(['import', output, '--collection', to, '--account', account, '--json']);
    expect(read.json).toMatchObject({ format: 'DragonShield', written: true, transactionCount: 1 });
    const json = await cli(['export', to, '--account', account, '--format', 'json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ action: 'Purchase', quantity: 2 });
    expect((await cli(['export', to, '--account', account, '--format', 'excel'])).stderr).toMatch(
      /--format: there is no format "excel", but cardledger, json, fabrary, /,
    );
  });

  it('are not written where a row has an error; the exit code says so', async () => {
    const collection = await newCollection();
    const file = await fileOf(GOOD, GOOD.replace(',2,', ',0,'), GOOD.replace('TST001', 'TST002'));
    const options = [file, '--collection', collection, '--account', account];
    const refused = await cli(['import', ...options]);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toMatch(
      /^line 3, quantity: must be a whole number from 1 to 1000000\nline 4, fcId: fits no card: none has the fcId "TST002/,
    );
    expect(refused.stderr).toBe('Nothing was written: there are 2 errors.\n');
    const json = await cli(['import', ...options, '--json']);
    expect([json.code, json.stderr]).toEqual([1, '']);
    expect(json.json).toMatchObject({ written: false, errorCount: 2, errors: [{ line: 3 }, { line: 4 }] });
    expect((await cli(['export', collection, '--account', account])).stdout.split('\r\n')).toHaveLength(2);
  });

  it('are recorded with choices and without rows in error, which come back as a file', async () => {
    const collection = await newCollection();
    const file = await fileOf(GOOD, GOOD.replace(',2,', ',0,'), GOOD.replace('TST001', 'TST002'), GOOD);
    const [variantId] = await subject().open((db) =>
      db
        .query<{ id: string }>("select id from variant where fc_id = 'TST001'")
        .then((rows) => rows.map(({ id }) => id)),
    );
    const rest = join(await temporaryFolder(), 'rest.csv');
    const options = [file, '--collection', collection, '--account', account];
    const mended = ['--choose', `4=${variantId}`, '5=skip', '--skip-errors', '--rest', rest];
    const done = await cli(['import', ...options, ...mended]);
    expect([done.code, done.stdout]).toEqual([0, expect.stringMatching(/^line 3, quantity: must be/)]);
    expect(done.stderr).toContain('Skipped 1 row: skipped by choice.\n');
    expect(done.stderr).toContain('Recorded 2 transactions.\n');
    expect(done.stderr).toContain(`Wrote 2 rows that are left to ${rest}.\n`);
    expect(await readFile(rest, 'utf8')).toBe(
      [
        `${HEADER},whyNotImported`,
        `${GOOD.replace(',2,', ',0,')},quantity must be a whole number from 1 to 1000000`,
        `${GOOD},skipped by choice`,
        '',
      ].join('\r\n'),
    );
    expect((await cli(['export', collection, '--account', account])).stdout.split('\r\n')).toHaveLength(4);
  });

  it('take a file of 16 MiB, and no larger one', async () => {
    const collection = await newCollection();
    const full = Buffer.alloc(16 * 1024 * 1024 + 1, '\n');
    full.write([HEADER, GOOD].join('\n'));
    const run = async (content: Uint8Array) =>
      cli(['import', await fileWith(content, 'csv'), '--collection', collection, '--account', account]);
    expect((await run(full)).stderr).toContain('is larger than 16 MiB; split it.');
    expect((await run(full.subarray(0, -1))).code).toBe(0);
  });

  it('take what the file does not say', async () => {
    const collection = await newCollection();
    const file = await fileOf(',Purchase,1,,,TST001');
    const options = [file, '--collection', collection, '--account', account];
    const given = ['--date', '2025-12-31', '--price', '0.25', '--currency', 'USD', '--format', 'cardledger'];
    expect((await cli(['import', ...options, ...given])).code).toBe(0);
    const { stdout } = await cli(['export', collection, '--account', account]);
    expect(stdout).toContain(',Binder,2025-12-31,Purchase,1,0.25,USD,');
  });

  it('name the option where a value can be read in two ways', async () => {
    const collection = await newCollection();
    const file = await fileOf('3/2/2025,Purchase,1,"1,500",USD,TST001');
    const { code, stdout } = await cli(['import', file, '--collection', collection, '--account', account]);
    expect(code).toBe(1);
    expect(stdout).toContain(
      'line 2, occurredDate: may be of two days: say by --date-order whether "3/2/2025"',
    );
    expect(stdout).toContain('line 2, unitAmount: may be of two amounts: say by --decimal-sign whether');
  });

  const refusals: [args: string[], message: RegExp][] = [
    [['--format', 'fabary'], /there is no format "fabary" \(Did you mean fabrary\?\), but cardledger, /],
    [['--format', 'excel'], /--format: there is no format "excel", but cardledger, fabrary, .*dragon-shield/],
    [['--price', '1'], /--price needs --currency/],
    [
      ['--price', '1,5', '--currency', 'EUR'],
      /--price must be a number from 0 to 1000000000 with at most 4 decimals/,
    ],
    [['--currency', 'XXX'], /--currency must be a currency code/],
    [['--cost', 'free'], /--cost: there is no cost "free", but as-filed, flat, market-price/],
    [['--cost', 'flat'], /--price is required where the cost is flat/],
    [['--choose', 'x=skip'], /--choose: expected a line, .* found "x=skip"/],
    [['--choose', '2=col_1'], /--choose: expected a line/],
    [['--choose', '99=skip'], /--choose 99=skip is not that of a row that is to be imported/],
    [['--date', '2026-02-30'], /--date must be a calendar date/],
    [['--format', 'fabrary'], /\.csv, line 1: the header has no column Identifier/],
  ];
  it.each(refusals)('are refused with %j', async (args, message) => {
    const file = await fileOf(GOOD);
    const { code, stderr } = await cli([
      'import',
      file,
      '--collection',
      unchanged,
      '--account',
      account,
      ...args,
    ]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^cardledger: [^\n]*\n$/)]);
    expect(stderr).toMatch(message);
  });

  it('say what is wrong with a file, an account or a collection', async () => {
    const collection = await newCollection();
    const stderrOf = async (...args: string[]) => (await cli(args)).stderr;
    const import_ = (file: string) =>
      stderrOf('import', file, '--collection', collection, '--account', account);
    expect(await import_('missing.csv')).toBe(
      'cardledger: Cannot read missing.csv: there is no such file.\n',
    );
    const empty = await fileWith('', 'csv');
    expect(await import_(empty)).toBe(`cardledger: ${empty}, line 1: the file is empty.\n`);
    const latin = await fileWith(Buffer.from(`${HEADER}\nM\xfcnchen`, 'latin1'), 'csv');
    expect(await import_(latin)).toContain(`${latin}, line 2: it is not UTF-8 text`);
    expect(await stderrOf('export', collection)).toMatch(/There are \d+ accounts: name one with --account/);
    expect(await stderrOf('export', collection, '--account', 'acc_x')).toContain(
      'The account does not exist.',
    );
    expect(await stderrOf('export', collection, '--account', other)).toBe(
      'cardledger: The collection does not exist.\n',
    );
    expect(await stderrOf('export', collection, '--account', account, '--json')).toContain('--output FILE');
    expect(
      await stderrOf('export', collection, '--account', account, '--output', '/nowhere/at/all.csv'),
    ).toContain('Cannot write /nowhere/at/all.csv');
  });
});
