import { expect, it } from 'vitest';
import { createCollection } from '../../src/services/collections/create.ts';
import type { Context } from '../../src/services/context.ts';
import { createSubAccount } from '../../src/services/sub-accounts/create.ts';
import { node, outcome, REVOKED, requestToken, tokenOf } from '../auth/support.ts';
import { NOW } from '../harness.ts';
import { describeOnSettings, removeFoldersAfterwards } from './support.ts';

removeFoldersAfterwards();

const ACCOUNT_ID = /^acc_[0-9a-f-]{36}$/;
const now = () => NOW;

describeOnSettings('account, client and keys', (subject) => {
  const cli: ReturnType<typeof subject>['cli'] = (args, options = { now }) => subject().cli(args, options);

  async function newAccount(name = 'Card shop'): Promise<string> {
    const { json } = await cli(['account', 'create', name, '--json']);
    return json.accountId;
  }

  it('creates an account and lists it, for people and for programs', async () => {
    const made = await cli(['account', 'create', ' Card shop ']);
    expect(made.code).toBe(0);
    expect(made.stdout).toMatch(/^Account {2}acc_[0-9a-f-]{36}\nName {5}Card shop\n$/);
    expect(made.stderr).toContain('cardledger client create acc_');
    const id = /acc_\S+/.exec(made.stdout)![0];

    const listed = await cli(['account', 'list']);
    expect(listed.stdout).toMatch(
      /^ACCOUNT +NAME +COLLECTIONS +LIMIT +VALUED +LIMIT +TRANSACTIONS +LIMIT +ACCOUNTS +LIMIT +CREATED\n/,
    );
    expect(listed.stdout).toMatch(
      new RegExp(`^${id} +Card shop +0 +200 +0 +20 +0 +2000000 +0 +0 +2026-04-13 10:00 UTC$`, 'm'),
    );
    const { json, stderr } = await cli(['account', 'list', '--json']);
    expect(stderr).toBe('');
    expect(json).toContainEqual({
      accountId: id,
      name: 'Card shop',
      maxCollections: 200,
      maxValuedCollections: 20,
      maxTransactions: 2_000_000,
      maxAccounts: 0,
      collectionCount: 0,
      valuedCollectionCount: 0,
      accountCount: 0,
      transactionCount: 0,
      createdAt: NOW.toISOString(),
    });
  });

  it('refuses a name that breaks the rules, in one line', async () => {
    const refused = await cli(['account', 'create', 'x'.repeat(101)]);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toBe(
      'cardledger: name: must have 1 to 100 characters besides leading and trailing spaces\n',
    );
    const { stderr } = await cli(['account', 'create', '', '--json']);
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'ValidationFailed' });
  });

  it('sets limits that take effect', async () => {
    const id = await newAccount();
    const set = await cli(['account', 'set-limits', id, '--collections', '1', '--json']);
    expect(set.json).toEqual({
      accountId: id,
      maxCollections: 1,
      maxValuedCollections: 20,
      maxTransactions: 2_000_000,
      maxAccounts: 0,
    });
    const transactions = await cli(['account', 'set-limits', id, '--transactions', '5000000', '--json']);
    expect(transactions.json).toMatchObject({ maxCollections: 1, maxTransactions: 5_000_000 });
    await subject().open(async (db) => {
      const ctx: Context = { db, now, caller: { accountId: id.slice(4), clientId: 'cli_test' } };
      await createCollection(ctx, { name: 'First' });
      await expect(createCollection(ctx, { name: 'Second' })).rejects.toMatchObject({
        problem: 'LimitExceeded',
      });
    });
    const both = await cli(['account', 'set-limits', id, '--collections=2', '--valued-collections=0']);
    expect(both.stdout).toContain(
      'Collections     at most 2\nValued          at most 0\nTransactions    at most 5000000\nAccounts below  at most 0\n',
    );
  });

  it('lets an account have accounts below it, which it lists by their number and takes by their id', async () => {
    const id = await newAccount();
    const set = await cli(['account', 'set-limits', id, '--accounts', '2', '--json']);
    expect(set.json).toMatchObject({ accountId: id, maxAccounts: 2 });
    const below = await subject().open(async (db) => {
      const caller = { accountId: id.slice(4), clientId: 'cli_test', scope: 'platform' as const };
      return createSubAccount({ db, now, caller }, { name: 'Ada', externalId: 'user-1' });
    });
    const { json } = await cli(['account', 'list', '--json']);
    expect(json).toContainEqual(expect.objectContaining({ accountId: id, accountCount: 1, maxAccounts: 2 }));
    expect(JSON.stringify(json)).not.toContain(below.id);
    const limited = await cli(['account', 'set-limits', below.id, '--collections', '3', '--json']);
    expect(limited.json).toMatchObject({ accountId: below.id, maxCollections: 3 });
    const refused = await cli(['account', 'set-limits', below.id, '--accounts', '1']);
    expect(refused.stderr).toContain('must be 0, as the account is below another one');
    expect((await cli(['collection', 'list', '--account', below.id, '--json'])).json).toEqual([]);
  });

  it.each([
    [['--collections', '1000001'], 'It must be a whole number from 0 to 1000000.'],
    [['--collections', '-1'], 'It must be a whole number from 0 to 1000000.'],
    [['--valued-collections', '1.5'], 'It must be a whole number from 0 to 1000000.'],
    [['--accounts', '100000001'], 'It must be a whole number from 0 to 100000000.'],
    [[], 'Give --collections, --valued-collections, --transactions or --accounts.'],
  ])('refuses limits %j', async (options, message) => {
    const refused = await cli(['account', 'set-limits', 'acc_1', ...options]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(message);
  });

  it('says where the ids are when one does not exist', async () => {
    const account = 'acc_00000000-0000-4000-8000-000000000000';
    for (const args of [
      ['account', 'set-limits', account, '--collections', '1'],
      ['client', 'create', account, 'Web shop'],
      ['client', 'create', 'nonsense', 'Web shop'],
    ]) {
      const { code, stderr } = await cli(args);
      expect(code).toBe(1);
      expect(stderr).toBe(
        'cardledger: The account does not exist. "cardledger account list" shows those that do.\n',
      );
    }
    const { stderr } = await cli(['client', 'rotate', `cli_${'0'.repeat(26)}`, '--json']);
    expect(JSON.parse(stderr).error).toEqual({
      code: 'NotFound',
      message: 'The client does not exist or has been revoked. "cardledger client list" shows those that do.',
    });
  });

  it('makes a client whose secret is shown once, and gets a token', async () => {
    const account = await newAccount();
    const made = await cli(['client', 'create', account, 'Web shop', '--json']);
    expect(made.json).toEqual({
      clientId: expect.stringMatching(/^cli_[0-9a-z]{26}$/),
      clientSecret: expect.stringMatching(/^cls_[\w-]{43}$/),
    });
    expect(made.stderr).toBe('');
    await subject().open(async (db) => {
      expect((await requestToken(node(db, now), made.json)).status).toBe(200);
    });
    const { clientId, clientSecret } = made.json;
    for (const format of [[], ['--json']]) {
      const listed = await cli(['client', 'list', account, ...format]);
      expect(listed.stdout).toContain(clientId);
      expect(listed.stdout).not.toContain(clientSecret.slice(4));
    }
    const other = await newAccount('Other');
    expect((await cli(['client', 'list', other, '--json'])).json).toEqual([]);
    expect(await cli(['client', 'list', other])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('There are no clients.'),
    });
  });

  it('tells people to keep the secret', async () => {
    const account = await newAccount();
    const { stdout, stderr } = await cli(['client', 'create', account, 'Web shop']);
    expect(stdout).toMatch(/^Client id {2}cli_\w{26}\nSecret {5}cls_[\w-]{43}\n$/);
    expect(stderr).toMatch(/Keep the secret now/);
  });

  it('rotates a secret, and revokes a client', async () => {
    const account = await newAccount();
    const before = (await cli(['client', 'create', account, 'Web shop', '--json'])).json;
    const after = (await cli(['client', 'rotate', before.clientId, '--json'])).json;
    expect(after.clientId).toBe(before.clientId);
    const token = await subject().open(async (db) => {
      expect((await requestToken(node(db, now), before)).body.error).toBe('invalid_client');
      return tokenOf(node(db, now), after);
    });

    const revoked = await cli(['client', 'revoke', after.clientId]);
    expect(revoked.stdout).toContain(`Revoked ${after.clientId}.`);
    await subject().open(async (db) => {
      expect((await requestToken(node(db, now), after)).body.error).toBe('invalid_client');
      expect(await outcome(node(db, now), token)).toBe(REVOKED);
    });
    const listed = await cli(['client', 'list', account, '--json']);
    expect(listed.json).toEqual([
      {
        clientId: after.clientId,
        accountId: expect.stringMatching(ACCOUNT_ID),
        name: 'Web shop',
        createdAt: NOW.toISOString(),
        revokedAt: NOW.toISOString(),
      },
    ]);
    expect((await cli(['client', 'rotate', after.clientId])).stderr).toContain('has been revoked');
  });

  it('adds a signing key, which signs when it has been published', async () => {
    const first = await cli(['keys', 'rotate', '--json']);
    const second = await cli(['keys', 'rotate', '--json']);
    expect(second.json.keyId).not.toBe(first.json.keyId);
    expect(Date.parse(second.json.signsFrom)).toBeGreaterThanOrEqual(NOW.getTime() + 300_000);
    await subject().open(async (db) => {
      const { keys } = await node(db, now).jwks();
      const published = keys.map(({ kid }) => kid);
      expect(published).toEqual(expect.arrayContaining([first.json.keyId, second.json.keyId]));
    });
    const shown = await cli(['keys', 'rotate']);
    expect(shown.stdout).toMatch(/^Key +\S+\nSigns from +2026-04-13T10:05:00\.\d{3}Z\n$/);
  });
});
