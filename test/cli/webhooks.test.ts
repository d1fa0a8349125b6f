import { expect, it } from 'vitest';
import { describeOnSettings, removeFoldersAfterwards, runWith } from './support.ts';

removeFoldersAfterwards();

const NO_ACCOUNT = 'acc_00000000-0000-4000-8000-000000000000';
const NO_WEBHOOK = 'whk_00000000000000000000000000';

describeOnSettings('webhook', (subject) => {
  const cli = (...args: string[]) => subject().cli(args);
  const json = async (...args: string[]) => (await cli(...args, '--json')).json;

  it('creates, lists, changes, tries and deletes one', async () => {
    const { accountId } = await json('account', 'create', 'Card shop');
    const of = ['--account', accountId];
    const made = await cli('webhook', 'create', 'https://app.example/webhooks', ...of, '--all-accounts');
    expect(made.code).toBe(0);
    expect(made.stdout).toMatch(/^Webhook {2}whk_\w{26}\nAddress {2}https:.*\nSecret {3}whsec_\S{44}\n$/);
    expect(made.stderr).toContain('Keep the secret now');
    const id = /whk_\w+/.exec(made.stdout)![0];

    expect(await json('webhook', 'list', ...of)).toMatchObject([
      { webhookId: id, url: 'https://app.example/webhooks', allAccounts: true, status: 'Active' },
    ]);
    const listed = await cli('webhook', 'list', ...of);
    expect(listed.stdout).toMatch(/^WEBHOOK +ADDRESS +EVENTS +ALL ACCOUNTS +STATUS +REASON\n/);
    expect(listed.stdout).not.toContain('whsec_');

    const events = ['--events', 'account.deleted', 'market.imported'];
    expect(await json('webhook', 'update', id, ...of, ...events, '--off')).toMatchObject({
      events: ['account.deleted', 'market.imported'],
      status: 'Disabled',
    });
    expect((await cli('webhook', 'test', id, ...of)).stderr).toContain('switched off');
    expect(await json('webhook', 'update', id, ...of, '--on')).toMatchObject({ status: 'Active' });
    const { secret } = await json('webhook', 'rotate', id, ...of);
    expect(made.stdout).not.toContain(secret);

    const { deliveryId } = await json('webhook', 'test', id, ...of);
    const told = (await cli('webhook', 'send', id, deliveryId, ...of)).stderr;
    expect(told).toBe(`What becomes of it: cardledger webhook deliveries ${id} ${of.join(' ')}\n`);
    expect(await json('webhook', 'send', id, deliveryId, ...of)).toMatchObject({
      deliveryId,
      status: 'Pending',
    });
    expect(await json('webhook', 'deliveries', id, ...of)).toMatchObject([
      { deliveryId, type: 'webhook.test', status: 'Pending', attempts: 0 },
    ]);
    expect((await cli('webhook', 'deliveries', id, ...of)).stdout).toMatch(
      /^MESSAGE +TYPE +OCCURRED +STATUS/,
    );

    expect((await cli('webhook', 'delete', id, ...of)).stdout).toBe(`Deleted ${id}.\n`);
    expect(await json('webhook', 'list', ...of)).toEqual([]);
  });

  it('says what is wrong', async () => {
    const { accountId } = await json('account', 'create', 'Another');
    const of = ['--account', accountId];
    for (const [args, message] of [
      [['create', 'https://127.0.0.1/', ...of], 'url: its address is not a public one'],
      [['create', 'http://app.example/', ...of], 'url: its address must begin with https://'],
      [['create', 'https://app.example/', ...of, '--events', 'x'], 'events.0: must be one of'],
      [['create', 'https://app.example/', '--account', NO_ACCOUNT], 'The account does not exist.'],
      [['test', NO_WEBHOOK, ...of], 'The webhook does not exist.'],
      [['update', 'x', ...of, '--on'], 'The webhook does not exist.'],
    ] as const) {
      const { code, stderr } = await cli('webhook', ...args);
      expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
    }
  });

  it('takes addresses in networks of the settings', async () => {
    const { accountId } = await json('account', 'create', 'Within');
    const settings = { ...subject().environment, OUTBOUND_NETWORKS: '10.1.0.0/16' };
    const create = (url: string) => runWith(settings, ['webhook', 'create', url, '--account', accountId]);
    expect((await create('http://10.1.0.7:8080/')).code).toBe(0);
    expect((await create('http://10.2.0.7:8080/')).code).toBe(1);
  });
});
