import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { createAccount } from '../../src/services/accounts/create.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { filesOf } from '../support/account-archives.ts';
import { NOW } from '../support/clock.ts';
import {
  catalogueFile,
  describeOnSettings,
  fileWith,
  removeFoldersAfterwards,
  temporaryFolder,
} from './support.ts';

removeFoldersAfterwards();

const CSV = 'occurredDate,action,quantity,unitAmount,currency,fcId\n2026-01-31,Purchase,2,1.50,USD,TST001\n';

describeOnSettings('account export and import', (subject) => {
  const cli = (...args: string[]) => subject().cli(['account', ...args], { now: () => NOW });
  const newAccount = () =>
    subject().open(async (db) => `acc_${(await createAccount(db, { name: 'Shop', now: NOW })).accountId}`);
  let account: string;
  /** What imports said before there was a catalogue. */
  const without: [number, string][] = [];

  beforeAll(async () => {
    const cards = [{ vendorProductId: 900_000_001, name: 'First card', fcId: 'TST001' }];
    account = await newAccount();
    const early = ['--collection', 'col_x', '--account', account];
    const commands = [
      ['account', 'import', account, await fileWith('any archive', 'tar.gz')],
      ['transactions', 'import', await fileWith(CSV, 'csv'), ...early],
    ];
    for (const command of commands) {
      const { code, stderr } = await subject().cli(command);
      without.push([code, stderr]);
    }
    await subject().cli(['import', 'catalogue', await catalogueFile(cards)]);
    const collection = await subject().open(async (db) => {
      const ctx = { db, caller: { accountId: account.slice(4), clientId: 'cli_test' }, now: () => NOW };
      return (await createCollection(ctx, { name: 'Binder' })).id;
    });
    const file = await fileWith(CSV, 'csv');
    await subject().cli(['transactions', 'import', file, '--collection', collection, '--account', account]);
  });

  it('carry an account to another one', async () => {
    const file = join(await temporaryFolder(), 'ada.tar.gz');
    const written = await cli('export', account, '--output', file);
    expect([written.code, written.stdout, written.stderr]).toEqual([
      0,
      '',
      `Wrote the account to ${file}.\n`,
    ]);
    const files = await filesOf(await readFile(file));
    expect(JSON.parse(files.get('account.json')!)).toMatchObject({ accountId: account, transactionCount: 1 });
    const other = await newAccount();
    const taken = await cli('import', other, file);
    expect([taken.code, taken.stderr]).toEqual([0, 'Took in 1 collection, 1 transaction, 0 price alerts.\n']);
    const again = await cli('import', other, file);
    expect([again.code, again.stderr]).toEqual([
      1,
      'cardledger: An archive is taken into an account without collections and price alerts, and this one has 1; delete them first, or take another account.\n',
    ]);
    expect((await cli('export', other, '--output', file, '--json')).json).toEqual({ accountId: other, file });
    expect((await cli('import', await newAccount(), file, '--json')).json).toMatchObject({
      collectionCount: 1,
      transactionCount: 1,
      priceAlertCount: 0,
    });
  });

  it('say before there is a catalogue that it is missing, and what to do', () => {
    const message =
      'cardledger: Nothing is imported: the catalogue is empty; start the server once, which loads one, or use "import catalogue" first.\n';
    expect(without).toEqual([
      [1, message],
      [1, message],
    ]);
  });

  it('write to standard output', async () => {
    const { code, stdout, stderr } = await cli('export', account);
    expect([code, stdout.length > 100, stderr]).toEqual([0, true, '']);
    expect((await cli('export', account, '--json')).stderr).toContain(
      'name the file to write: --output FILE.',
    );
  });

  it('say in one line what is wrong', async () => {
    const other = await newAccount();
    const wrong = await fileWith('no archive of anything', 'tar.gz');
    const lines = [
      [await cli('import', other, wrong), `${wrong}: This is no archive of an account: `],
      [await cli('import', other, 'missing.tar.gz'), 'Cannot read missing.tar.gz: there is no such file.'],
      [await cli('import', 'acc_x', wrong), 'The account does not exist.'],
      [await cli('export', 'acc_x'), 'The account does not exist.'],
      [await cli('export', account, '--output', '/nowhere/x'), 'Cannot write /nowhere/x: '],
    ] as const;
    for (const [{ code, stderr }, message] of lines) {
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^cardledger: [^\n]*\n$/)]);
      expect(stderr).toContain(message);
    }
  });
});
