import { beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/domain/limits.ts';
import { retryPauseMillis } from '../../src/domain/webhooks.ts';
import { createClient } from '../../src/services/clients/create.ts';
import { mutate } from '../graphql/mutate.ts';
import { asNewAccount, bearing, describeOnDatabases, newTestApp, type TestApp } from '../harness.ts';
import { newWebhook } from '../http/routes.ts';
import { expectProblem, NO_DELIVERY } from '../http/support.ts';
import { actingFor, deviceOf, newSubAccount } from '../support/platforms.ts';

const URL_OF_APP = 'https://app.example/webhooks';

describe('the pauses between attempts', () => {
  it('are those of the specification, over three days', () => {
    const pauses = Array.from({ length: 10 }, (_, i) => retryPauseMillis(i + 1, () => 0.5));
    const minute = 60_000;
    const hour = 60 * minute;
    expect(pauses).toEqual([
      ...[5000, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour],
      null,
    ]);
    expect([retryPauseMillis(1, () => 0), retryPauseMillis(1, () => 1)]).toEqual([4500, 5500]);
  });
});

describeOnDatabases('webhooks', (database) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await newTestApp(database(), { maxAccounts: 10 });
  });
  const create = (input: object = {}, of = app) => of.send('POST', '/webhook', { url: URL_OF_APP, ...input });

  it('are made, read, changed and deleted', async () => {
    const { status, body, headers } = await create({ events: ['account.deleted', 'account.deleted'] });
    expect(status).toBe(200);
    const { secret, ...made } = body;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(made).toMatchObject({
      url: URL_OF_APP,
      events: ['account.deleted'],
      allAccounts: false,
      status: 'Active',
    });
    const path = `/webhook/${made.webhookId}`;
    expect(headers.get('location')).toBe(path);
    const read = await app.send('GET', path);
    expect(read.body).toEqual(made);
    expect((await app.send('GET', '/webhook')).body).toEqual({ results: [made] });
    const stale = { 'If-Match': read.headers.get('etag')! };
    const changed = await app.send(
      'PATCH',
      path,
      { status: 'Disabled', url: 'https://other.example/' },
      stale,
    );
    expect(changed.body).toEqual({ ...made, status: 'Disabled', url: 'https://other.example/' });
    expectProblem(await app.send('PATCH', path, { status: 'Active' }, stale), 'PreconditionFailed');
    expectProblem(await app.send('DELETE', path, undefined, stale), 'PreconditionFailed');
    expect((await app.send('DELETE', path)).status).toBe(204);
    expectProblem(await app.send('GET', path), 'NotFound');
    expectProblem(await app.send('DELETE', path), 'NotFound');
    expect((await app.send('GET', '/webhook')).body).toEqual({ results: [] });
  });

  it('show their secret where it is made, and nowhere else', async () => {
    const key = { 'Idempotency-Key': 'one' };
    const { body } = await app.send('POST', '/webhook', { url: URL_OF_APP }, key);
    expect((await app.send('POST', '/webhook', { url: URL_OF_APP }, key)).body).toEqual(body);
    const path = `/webhook/${body.webhookId}`;
    const { body: rotated } = await app.send('POST', `${path}/secret`);
    expect(rotated.secret).not.toBe(body.secret);
    const others = [
      await app.send('GET', path),
      await app.send('GET', '/webhook'),
      await app.send('PATCH', path, { status: 'Active' }),
      await app.send('POST', `${path}/test`),
      await app.send('GET', `${path}/delivery`),
    ];
    expect(JSON.stringify(others.map((answer) => answer.body))).not.toContain('whsec_');
  });

  it('are so many, and one more where one is deleted', async () => {
    const ids: string[] = [];
    for (let i = 0; i < LIMITS.webhooks; i++) ids.push((await create()).body.webhookId);
    const refused = await create();
    expectProblem(refused, 'LimitExceeded');
    expect(refused.body).toMatchObject({ limit: LIMITS.webhooks, current: LIMITS.webhooks });
    await app.send('DELETE', `/webhook/${ids[0]}`);
    const [one, another] = await Promise.all([create(), create()]);
    expect([one.status, another.status].sort()).toEqual([200, 409]);
  });

  it.each([
    ['no address', 'app.example', 'must be an address that begins with https://'],
    ['another protocol', 'ftp://app.example/', 'must be an address that begins with https://'],
    ['http', 'http://app.example/', 'its address must begin with https://'],
    ['loopback', 'https://127.0.0.1/', 'its address is not a public one'],
    ['metadata', 'https://169.254.169.254/', 'its address is not a public one'],
    ['IPv6', 'https://[fd00::1]/', 'its address is not a public one'],
    ['IPv4 in IPv6', 'https://[::ffff:10.0.0.1]/', 'its address is not a public one'],
    ['a password', 'https://me:secret@app.example/', 'must have no user, password, fragment or spaces'],
    ['a fragment', 'https://app.example/#x', 'must have no user, password, fragment or spaces'],
    ['a space', 'https://app.example/a b', 'must have no user, password, fragment or spaces'],
  ])('are refused at an address with %s', async (_, url, detail) => {
    const refused = await create({ url });
    expectProblem(refused, 'ValidationFailed');
    expect(refused.body.errors).toEqual([{ pointer: '/url', detail: expect.stringContaining(detail) }]);
    const { body } = await create();
    expectProblem(await app.send('PATCH', `/webhook/${body.webhookId}`, { url }), 'ValidationFailed');
  });

  it('take an address in a network of the operator, by http and by either transport', async () => {
    const within = await newTestApp(database(), { config: { outboundNetworks: '127.0.0.0/8' } });
    const url = 'http://127.0.0.1:3000/';
    expect(await create({ url }, within)).toMatchObject({ status: 200, body: { url } });
    expect(await mutate(within, 'createWebhook', { url })).toMatchObject({ webhook: { url } });
    expect(await mutate(app, 'createWebhook', { url })).toMatchObject({ __typename: 'ValidationFailed' });
  });

  it('take an address of so many characters, and events that there are', async () => {
    const urlOf = (length: number) => 'https://app.example/'.padEnd(length, 'x');
    expect((await create({ url: urlOf(LIMITS.webhookUrlCharacters) })).status).toBe(200);
    expectProblem(await create({ url: urlOf(LIMITS.webhookUrlCharacters + 1) }), 'ValidationFailed');
    expectProblem(await create({ events: [] }), 'ValidationFailed');
    expectProblem(await create({ events: ['collection.eaten'] }), 'ValidationFailed');
    expectProblem(await create({ events: ['webhook.test'] }), 'ValidationFailed');
  });

  it('of all accounts are kept by tokens of a platform alone', async () => {
    const { body } = await create({ allAccounts: true });
    const path = `/webhook/${body.webhookId}`;
    const ada = actingFor(app, await newSubAccount(app, 'ada'));
    const plain = await asNewAccount(database(), app.fetch);
    for (const [other, reason] of [
      [ada, 'without the header Cardledger-Account'],
      [plain, 'is kept with a token of the scope platform'],
    ] as const) {
      const refused = await create({ allAccounts: true }, other);
      expectProblem(refused, 'Forbidden');
      expect(refused.body.detail).toContain(reason);
    }
    expect((await create({}, ada)).status).toBe(200);
    const { body: test } = await app.send('POST', `${path}/test`);
    const form = new URLSearchParams({ grant_type: 'client_credentials', scope: 'default' });
    const client = await createClient(database(), { accountId: app.accountId, name: 'x', now: new Date() });
    form.set('client_id', client.clientId);
    form.set('client_secret', client.clientSecret);
    const answer = await app.fetch(
      new Request('http://cardledger.test/oauth2/token', { method: 'POST', body: form }),
    );
    const { access_token: token } = (await answer.json()) as { access_token: string };
    const own = bearing(app.fetch, token, app.accountId);
    expect((await own.send('GET', path)).status).toBe(200);
    for (const [method, to, sent] of [
      ['PATCH', path, { url: 'https://thief.example/' }],
      ['DELETE', path],
      ['POST', `${path}/secret`],
      ['POST', `${path}/test`],
      ['POST', `${path}/delivery/${test.deliveryId}/send`],
    ] as const)
      expectProblem(await own.send(method, to, sent), 'Forbidden');
    expect((await app.send('GET', path)).body.url).toBe(URL_OF_APP);
  });

  it('are read with a token of the scope read, and not changed', async () => {
    const ada = await newSubAccount(app, 'ada');
    const { webhookId } = await newWebhook(actingFor(app, ada));
    const device = await deviceOf(app, ada, 'read');
    expect((await device.send('GET', `/webhook/${webhookId}`)).status).toBe(200);
    expectProblem(await device.send('POST', `/webhook/${webhookId}/secret`), 'Forbidden');
    const { body } = await device.send('POST', '/graphql', {
      query: `mutation { rotateWebhookSecret(input: { id: "${webhookId}" }) { __typename } }`,
    });
    expect(body.errors[0].extensions.code).toBe('Forbidden');
  });

  it('send again what was sent to them, and nothing of another', async () => {
    const { webhookId, deliveryId } = await newWebhook(app);
    const { body: second } = await create();
    const send = (webhook: string, delivery: string) =>
      app.send('POST', `/webhook/${webhook}/delivery/${delivery}/send`);
    expect((await send(webhookId, deliveryId)).body).toMatchObject({ deliveryId, status: 'Pending' });
    for (const id of [NO_DELIVERY, 'msg_', webhookId]) expectProblem(await send(webhookId, id), 'NotFound');
    expectProblem(await send(second.webhookId, deliveryId), 'NotFound');
    const stranger = await asNewAccount(database(), app.fetch);
    const theirs = await newWebhook(stranger);
    expectProblem(await send(webhookId, theirs.deliveryId), 'NotFound');
    await app.send('PATCH', `/webhook/${webhookId}`, { status: 'Disabled' });
    expectProblem(await send(webhookId, deliveryId), 'ValidationFailed');
  });

  it('and their deliveries are listed in pages, newest first', async () => {
    const { webhookId } = await newWebhook(app);
    const ids = [];
    for (let i = 0; i < 5; i++)
      ids.push((await app.send('POST', `/webhook/${webhookId}/test`)).body.deliveryId);
    const { body } = await app.send('GET', `/webhook/${webhookId}/delivery?pageSize=5`);
    expect(body.results.map((one: { deliveryId: string }) => one.deliveryId)).toEqual(ids.reverse());
    type Page = {
      webhookDeliveries: { totalCount: number; nodes: { id: string }[]; pageInfo: { endCursor: string } };
    };
    const page = (after: string | null) =>
      app.graphql<Page>(
        `query ($id: ID!, $after: String) { webhookDeliveries(webhookId: $id, first: 2, after: $after) {
           totalCount nodes { id } pageInfo { endCursor } } }`,
        { id: webhookId, after },
      );
    const { webhookDeliveries: first } = await page(null);
    const { webhookDeliveries: second } = await page(first.pageInfo.endCursor);
    expect(first.totalCount).toBe(6);
    expect([...first.nodes, ...second.nodes].map(({ id }) => id)).toEqual(ids.slice(0, 4));
  });

  it('are the same by GraphQL', async () => {
    const made = await mutate(app, 'createWebhook', { url: URL_OF_APP, events: ['MARKET_IMPORTED'] });
    expect(made).toMatchObject({
      webhook: { url: URL_OF_APP, events: ['MARKET_IMPORTED'], allAccounts: false, status: 'ACTIVE' },
      secret: expect.stringMatching(/^whsec_/),
    });
    const { id } = made.webhook;
    const { secret } = await mutate(app, 'rotateWebhookSecret', { id });
    expect(secret).not.toBe(made.secret);
    expect(await mutate(app, 'updateWebhook', { id, status: 'DISABLED' })).toMatchObject({
      webhook: { status: 'DISABLED', disabledReason: null },
    });
    expect(await mutate(app, 'testWebhook', { id })).toMatchObject({ __typename: 'ValidationFailed' });
    await mutate(app, 'updateWebhook', { id, status: 'ACTIVE' });
    const { delivery } = await mutate(app, 'testWebhook', { id });
    expect(JSON.parse(delivery.payload)).toMatchObject({ type: 'webhook.test', data: { webhookId: id } });
    expect(await mutate(app, 'resendWebhookDelivery', { id: delivery.id, webhookId: id })).toMatchObject({
      delivery: { id: delivery.id, status: 'PENDING' },
    });
    expect(await mutate(app, 'deleteWebhook', { id })).toMatchObject({ deletedId: id });
    expect(await app.graphql('{ webhooks { totalCount } }')).toEqual({ webhooks: { totalCount: 0 } });
  });
});
