import { beforeAll, describe, expect, it } from 'vitest';
import { createCollection } from '../../src/services/collections/create.ts';
import { NOW } from '../support/clock.ts';
import {
  catalogueFile,
  embeddedSubject,
  fileWith,
  removeFoldersAfterwards,
  type Subject,
} from './support.ts';

removeFoldersAfterwards();

describe('commands on the embedded database', () => {
  let subject: Subject;
  beforeAll(async () => {
    subject = await embeddedSubject();
  });

  const cli = async (...args: string[]) => {
    const ended = await subject.cli(args);
    expect([args[0], ended.code, ended.stderr]).toEqual([args[0], 0, expect.any(String)]);
    return ended;
  };

  it('each open it, and leave it to the next, from the catalogue to the check of what was recorded', async () => {
    const cards = [{ vendorProductId: 900_000_001, name: 'First card', fcId: 'TST001' }];
    await cli('import', 'catalogue', await catalogueFile(cards));
    const { accountId } = (await cli('account', 'create', 'Card shop', '--json')).json;
    await cli('client', 'create', accountId, 'app', '--json');
    const collection = await subject.open(async (db) => {
      const ctx = { db, caller: { accountId: accountId.slice(4), clientId: 'cli_test' }, now: () => NOW };
      return (await createCollection(ctx, { name: 'Binder' })).id;
    });
    const file = await fileWith(
      'occurredDate,action,quantity,unitAmount,currency,fcId\n2026-01-31,Purchase,2,1.50,USD,TST001\n',
      'csv',
    );
    const options = ['--account', accountId];
    await cli('transactions', 'import', file, '--collection', collection, ...options);
    const { stdout } = await cli('transactions', 'export', collection, ...options, '--format', 'json');
    expect(JSON.parse(stdout)).toMatchObject({ action: 'Purchase', quantity: 2 });
    expect((await cli('account', 'list', '--json')).json).toMatchObject([{ accountId, transactionCount: 1 }]);
    expect((await cli('doctor', '--json')).json).toMatchObject({ ok: true, differences: [] });
  });
});
