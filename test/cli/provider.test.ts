import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { NOW } from '../harness.ts';
import { describeOnSettings, removeFoldersAfterwards, runWith } from './support.ts';

removeFoldersAfterwards();

describeOnSettings('provider', (subject) => {
  const cli = (...args: string[]) => subject().cli(args, { now: () => NOW });

  async function newPlatform(): Promise<string> {
    const { json } = await cli('account', 'create', 'App', '--json');
    await cli('account', 'set-limits', json.accountId, '--accounts', '10');
    return json.accountId;
  }

  it('sets, shows and removes who signs the users of a platform in', async () => {
    const id = await newPlatform();
    const named = ['--issuer', 'https://login.example', '--audience', randomUUID()];
    const shown = {
      issuer: named[1],
      audience: named[3],
      createsAccounts: false,
      defaultScope: 'cardledger:default',
      readScope: 'cardledger:read',
    };
    expect((await cli('provider', 'set', id, ...named, '--json')).json).toEqual(shown);
    expect((await cli('provider', 'show', id, '--json')).json).toEqual(shown);
    const changed = await cli(
      'provider',
      'set',
      id,
      ...named,
      '--creates-accounts',
      '--read-scope',
      'cards.read',
    );
    expect(changed.stdout).toBe(
      `Issuer         https://login.example\nAudience       ${named[3]}\nNew users      are given an account\nScope default  cardledger:default\nScope read     cards.read\n`,
    );
    const other = await cli('provider', 'set', await newPlatform(), ...named);
    expect(other.stderr).toContain('audience: another platform names this issuer with this audience');
    expect((await cli('provider', 'remove', id)).stdout).toBe(
      'Removed https://login.example. Its tokens end within 60 seconds.\n',
    );
    for (const command of ['show', 'remove'])
      expect(await cli('provider', command, id)).toMatchObject({
        code: 1,
        stderr: 'cardledger: The identity provider does not exist.\n',
      });
  });

  it('is at a public address, or in a network of the settings', async () => {
    const id = await newPlatform();
    const set = ['provider', 'set', id, '--issuer', 'http://10.1.0.7:8080', '--audience', randomUUID()];
    const refused = await cli(...set);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('issuer: its address must begin with https://'),
    ]);
    const settings = { ...subject().environment, OUTBOUND_NETWORKS: '10.1.0.0/16' };
    expect((await runWith(settings, set)).code).toBe(0);
  });

  it('is for platforms', async () => {
    const { json } = await cli('account', 'create', 'Card shop', '--json');
    const refused = await cli('provider', 'show', json.accountId);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain(`cardledger account set-limits ${json.accountId} --accounts N`);
    expect((await cli('provider', 'show', 'acc_none')).stderr).toContain('The account does not exist.');
    const bad = await cli('provider', 'set', json.accountId, '--issuer', 'https://login.example');
    expect(bad.stderr).toContain("required option '--audience <text>' not specified");
  });
});
