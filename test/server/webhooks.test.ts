import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { createWorkLimit } from '../../src/auth/work-limit.ts';
import type { Database, OpenDatabase } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { RECORD_IMPORT } from '../../src/db/queries/market-data.ts';
import { GIVE_BACK_WEBHOOK } from '../../src/db/queries/webhook-deliveries.ts';
import { accountIdOf, accountUuid } from '../../src/domain/credentials.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { parseNetworks } from '../../src/lib/networks.ts';
import { createAddressCheck } from '../../src/lib/public-address.ts';
import { keepWebhooksDelivered } from '../../src/server/keep-webhooks-delivered.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { deleteCollection } from '../../src/services/collections/delete.ts';
import { updateCollection } from '../../src/services/collections/update.ts';
import type { Context } from '../../src/services/context.ts';
import { logTriggeredAlerts } from '../../src/services/events/announce.ts';
import { purgeEvents } from '../../src/services/events/purge.ts';
import { createSubAccount } from '../../src/services/sub-accounts/create.ts';
import { deleteSubAccount } from '../../src/services/sub-accounts/delete.ts';
import { purgeDeletedAccounts } from '../../src/services/sub-accounts/purge.ts';
import { createWebhook } from '../../src/services/webhooks/create.ts';
import { deleteWebhook } from '../../src/services/webhooks/delete.ts';
import {
  listWebhookDeliveries,
  resendWebhookDelivery,
  testWebhook,
} from '../../src/services/webhooks/deliveries.ts';
import { WebhookFeed, webhookBacklogAge } from '../../src/services/webhooks/feed.ts';
import { getWebhook } from '../../src/services/webhooks/get.ts';
import { purgeWebhookDeliveries } from '../../src/services/webhooks/purge.ts';
import { rotateWebhookSecret } from '../../src/services/webhooks/rotate-secret.ts';
import { updateWebhook } from '../../src/services/webhooks/update.ts';
import { removeFoldersAfterwards, temporaryFolder } from '../cli/support.ts';
import { newService } from '../faults/service.ts';
import { describeOnOwnDatabases, newAccount } from '../harness.ts';
import { eventually } from '../support/eventually.ts';
import { isLeftToPostgres } from '../support/left-to-postgres.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { untilOneWaits } from '../support/lock-waits.ts';
import { freePort } from '../support/postgres-server.ts';
import { blocksOf } from '../support/readme-blocks.ts';
import { databaseOfCaller } from '../support/tenancy.ts';
import { deliverUnderFaults } from '../support/webhook-faults.ts';
import { type Receiver, startReceiver, status } from '../support/webhook-receiver.ts';

removeFoldersAfterwards();

const networks = parseNetworks('127.0.0.0/8');
const PAGE = { kind: 'position', position: 0, size: 200 } as const;

describeOnOwnDatabases('webhooks', (database, kind) => {
  let receiver: Receiver;
  let ctx: Context;
  let told: string[];
  let stops: (() => Promise<void>)[];

  beforeEach(async () => {
    receiver = await startReceiver();
    told = [];
    stops = [];
    ctx = { ...(await newAccount(database(), { maxAccounts: 10 })), outboundNetworks: networks };
  });
  afterEach(async () => {
    for (const stop of stops) await stop();
    await receiver.stop();
    await database().query(`update webhook set status = 'Deleted', disabled_at = now()`);
  });

  const logger = pino({ base: null }, { write: (line) => void told.push(JSON.parse(line).msg) });
  const start = (
    more: Partial<Parameters<typeof keepWebhooksDelivered>[1]> = {},
    db: OpenDatabase = database(),
  ) => {
    const stop = keepWebhooksDelivered(db, {
      ...{ addressesOf: createAddressCheck(networks), logger, now: () => new Date(), lookMillis: 20 },
      workOf: unbounded,
      ...more,
    });
    stops.push(stop);
    return stop;
  };
  const unbounded = createWorkLimit({ account: 0, platform: 0 }, () => performance.now());
  const create = (input: object = {}, of: Context = ctx) =>
    createWebhook(of, { url: receiver.url, ...input });
  const deliveries = async (id: string, of: Context = ctx) =>
    (await listWebhookDeliveries(of, id, PAGE)).items;
  /** As if the time of the next attempt had come. */
  const makeDue = async () => {
    await database().query(`update webhook_delivery set not_before = now() where status = 'Pending'`);
    await database().query(`update webhook set look_at = now() where status = 'Active'`);
  };
  const changesOf = (payloads: { payload: { data: { change: string } } }[]) =>
    payloads.map(({ payload }) => payload.data.change);

  it('tell of changes of a collection, in their order, signed so that receivers can tell', async () => {
    const { webhook, secret } = await create();
    start();
    const { id } = await createCollection(ctx, { name: 'Binder' });
    await updateCollection(ctx, id, { name: 'Folder' });
    await deleteCollection(ctx, id);
    await eventually(() => expect(receiver.received).toHaveLength(3));
    const accountId = accountIdOf(ctx.caller.accountId);
    expect(receiver.received.map(({ payload }) => payload)).toEqual(
      [
        [1, 'Created'],
        [2, 'Updated'],
        [3, 'Deleted'],
      ].map(([revision, change]) => ({
        type: 'collection.changed',
        version: 1,
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        data: { accountId, collectionId: id, revision, change },
      })),
    );
    const verifier = new Verifier(secret);
    for (const { headers, body, payload } of receiver.received) {
      expect(verifier.verify(body, headers as Record<string, string>)).toEqual(payload);
      expect(headers['content-type']).toBe('application/json');
      expect(headers['user-agent']).toMatch(/^cardledger\//);
    }
    const [{ body, headers }] = receiver.received as [(typeof receiver.received)[0]];
    expect(() => verifier.verify(`${body} `, headers as Record<string, string>)).toThrow();
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(3);
    await eventually(async () =>
      expect((await deliveries(webhook.id)).map((one) => one.status)).toEqual(Array(3).fill('Delivered')),
    );
    expect((await deliveries(webhook.id))[0]).toMatchObject({
      id: receiver.received[2]!.id,
      type: 'collection.changed',
      payload: receiver.received[2]!.body,
      attempts: 1,
      responseStatus: 204,
      error: null,
      nextAttemptAt: null,
    });
  });

  it('tell of what happens from their beginning, of the events that are wanted, and of nothing else', async () => {
    await createCollection(ctx, { name: 'Before' });
    await create({ events: ['account.deleted'] });
    await create();
    const stranger = await newAccount(database());
    start();
    await createCollection(stranger, { name: 'Of another account' });
    await createCollection(ctx, { name: 'After' });
    await eventually(() => expect(receiver.received).toHaveLength(1));
    expect(changesOf(receiver.received)).toEqual(['Created']);
  });

  it('tell of price alerts that fire, and of imports', async () => {
    const { webhook } = await create({ events: ['price_alert.triggered', 'market.imported'] });
    start();
    const { accountId } = ctx.caller;
    await database().transaction((tx) => logTriggeredAlerts(tx, accountId, [{ alertId: 'alr_1' }]));
    await eventually(() => expect(receiver.received).toHaveLength(1));
    await database().query(RECORD_IMPORT, ['sales', 'again', false, null]);
    await database().query(RECORD_IMPORT, ['market-index', 'again', false, null]);
    await eventually(() => expect(receiver.received).toHaveLength(2));
    const [{ revision }] = (await database().query(
      `select revision from market_data where kind = 'sales'`,
    )) as [{ revision: number }];
    expect(receiver.received.map(({ payload: { type, data } }) => [type, data])).toEqual([
      ['price_alert.triggered', { accountId: accountIdOf(accountId), priceAlertId: 'alr_1', revision: 1 }],
      ['market.imported', { kind: 'sales', revision }],
    ]);
    expect(await deliveries(webhook.id)).toHaveLength(2);
  });

  it('of an account that is suspended are told once it is resumed', async () => {
    await create();
    const suspend = (is: boolean) =>
      database().query('update account set suspended = $2 where account_id = $1', [ctx.caller.accountId, is]);
    await suspend(true);
    start();
    await createCollection(ctx, { name: 'Meanwhile' });
    const waits = () =>
      database().query('select 1 as one from webhook_delivery where account_id = $1', [ctx.caller.accountId]);
    await eventually(async () => expect(await waits()).toHaveLength(1));
    expect(receiver.received).toEqual([]);
    // Nobody is late with what is not to be sent.
    expect(await webhookBacklogAge(database())).toBe(0);
    await suspend(false);
    await eventually(() => expect(receiver.received).toHaveLength(1));
  });

  it.skipIf(kind === 'pglite')(
    'tell of what was begun long before it was committed',
    async () => {
      await create();
      start();
      await ctx.db.transaction(async (tx) => {
        await tx.liftTimeouts();
        await createCollection({ ...ctx, db: tx }, { name: 'Begun first' });
        // Longer than what is looked at again in any case.
        await tx.query('select pg_sleep(12)');
      });
      await eventually(() => expect(receiver.received).toHaveLength(1));
    },
    60_000,
  );

  it('tell of nothing that was undone', async () => {
    await create();
    start();
    await expect(
      ctx.db.transaction(async (tx) => {
        await createCollection({ ...ctx, db: tx }, { name: 'Undone' });
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    await createCollection(ctx, { name: 'Done' });
    await eventually(() => expect(receiver.received).toHaveLength(1));
  });

  const below = async (platform: Context, externalId: string): Promise<Context> => {
    const { id } = await createSubAccount(platform, { name: externalId, externalId });
    const accountId = accountUuid(id)!;
    return {
      ...platform,
      db: databaseOfCaller(database(), accountId),
      caller: { ...ctx.caller, accountId },
    };
  };
  /** As if all of an account had happened so many hours ago, and no service had run since. */
  const age = async (hours: number, { caller }: Context) => {
    const ago = `now() - interval '${hours} hours'`;
    await database().query(`update event set created_at = ${ago} where account_id = $1`, [caller.accountId]);
    await database().query(`update webhook set active_since = ${ago} - interval '1 minute'`);
    await database().query(`update webhook_feed set read_from = ${ago} - interval '1 minute'`);
  };

  it('are told of what is older than events are kept, where nobody ran to tell them', async () => {
    await create();
    await createCollection(ctx, { name: 'Binder' });
    await age(24.1, ctx);
    await purgeEvents(database());
    start();
    await eventually(() => expect(receiver.received).toHaveLength(1));
    const kept = () =>
      database().query('select 1 as one from event where account_id = $1', [ctx.caller.accountId]);
    await eventually(async () => {
      await purgeEvents(database());
      expect(await kept()).toEqual([]);
    });
  });

  it('are kept as long as their events are read again', async () => {
    const { webhook } = await create();
    const stop = start();
    await createCollection(ctx, { name: 'Binder' });
    await eventually(async () =>
      expect(await deliveries(webhook.id)).toMatchObject([{ status: 'Delivered' }]),
    );
    await stop();
    await age(24.1, ctx);
    await database().query(`update webhook_delivery set finished_at = now() - interval '24.1 hours'`);
    await purgeEvents(database());
    await purgeWebhookDeliveries(database());
    start();
    await testWebhook(ctx, webhook.id);
    await eventually(() => expect(receiver.received).toHaveLength(2));
    expect(receiver.received[1]!.payload.type).toBe('webhook.test');
  });

  it('are told of all of an account that was deleted, where nobody ran to tell them', async () => {
    const ada = await below(ctx, 'ada');
    await create({ allAccounts: true });
    await createCollection(ada, { name: 'Hers' });
    await deleteSubAccount(ctx, accountIdOf(ada.caller.accountId));
    for (const one of [ada, ctx]) await age(0.2, one);
    await database().query(
      `update account set deleted_at = now() - interval '12 minutes' where account_id = $1`,
      [ada.caller.accountId],
    );
    await purgeDeletedAccounts(database());
    start();
    await eventually(() =>
      expect(receiver.received.map(({ payload }) => payload.type).sort()).toEqual([
        ...['account.deleted', 'collection.changed'],
      ]),
    );
    const left = () =>
      database().query('select 1 as one from account where account_id = $1', [ada.caller.accountId]);
    await eventually(async () => {
      await purgeDeletedAccounts(database());
      expect(await left()).toEqual([]);
    });
  });

  it('of a platform tell of the accounts below it, and of none of another', async () => {
    const other = { ...(await newAccount(database(), { maxAccounts: 10 })), outboundNetworks: networks };
    const ada = await below(ctx, 'ada');
    const theirs = await below(other, 'ada');
    const { webhook } = await create({ allAccounts: true });
    await create({ events: ['account.deleted'] });
    start();
    await createCollection(theirs, { name: 'Theirs' });
    await deleteSubAccount(other, accountIdOf(theirs.caller.accountId));
    await createCollection(ada, { name: 'Hers' });
    await eventually(() => expect(receiver.received).toHaveLength(1));
    const adaId = accountIdOf(ada.caller.accountId);
    await deleteSubAccount(ctx, adaId);
    await eventually(() => expect(receiver.received).toHaveLength(2));
    expect(receiver.received.map(({ payload: { type, data } }) => [type, data.accountId])).toEqual([
      ['collection.changed', adaId],
      ['account.deleted', adaId],
    ]);
    expect(await deliveries(webhook.id)).toHaveLength(2);
  });

  it('are tried again, later each time, and what comes behind in a stream waits', async () => {
    const { webhook } = await create();
    const { id } = await createCollection(ctx, { name: 'Binder' });
    await updateCollection(ctx, id, { name: 'Folder' });
    const other = await createCollection(ctx, { name: 'Beside it' });
    let isFirst = true;
    receiver.answer = (response, request) => {
      const isRefused = isFirst && receiver.received.at(-1)!.payload.data.collectionId === id;
      if (isRefused) isFirst = false;
      status(isRefused ? 500 : 204)(response, request);
    };
    start();
    await eventually(async () =>
      expect((await deliveries(webhook.id)).map((one) => one.status).sort()).toEqual([
        ...['Delivered', 'Pending', 'Pending'],
      ]),
    );
    // What lies beside it may be delivered first.
    const failed = await eventually(async () => {
      const [found] = (await deliveries(webhook.id)).filter(({ attempts, error }) => attempts === 1 && error);
      expect(found).toMatchObject({ status: 'Pending', responseStatus: 500, error: 'the answer was 500' });
      return found;
    });
    const pause = new Date(failed!.nextAttemptAt!).getTime() - new Date(failed!.lastAttemptAt!).getTime();
    expect(pause).toBeGreaterThanOrEqual(4500);
    expect(pause).toBeLessThanOrEqual(5500);
    await makeDue();
    await eventually(() => expect(receiver.received).toHaveLength(4));
    const of = (collectionId: string) =>
      receiver.received.filter(({ payload }) => payload.data.collectionId === collectionId);
    expect(changesOf(of(id))).toEqual(['Created', 'Created', 'Updated']);
    expect(new Set(of(id).map((one) => one.id)).size).toBe(2);
    expect(changesOf(of(other.id))).toEqual(['Created']);
    await eventually(async () => expect((await getWebhook(ctx, webhook.id)).failingSince).toBeNull());
  });

  it('follow no redirect', async () => {
    const target = await startReceiver();
    receiver.answer = status(302, { location: target.url });
    const { webhook } = await create();
    start();
    await createCollection(ctx, { name: 'Binder' });
    await eventually(async () =>
      expect(await deliveries(webhook.id)).toMatchObject([
        { responseStatus: 302, error: 'the answer was 302: redirects are not followed' },
      ]),
    );
    expect(target.received).toEqual([]);
    await target.stop();
  });

  it('end where the receiver is gone, and go on from then where they are switched on', async () => {
    receiver.answers.push(status(410));
    const { webhook } = await create();
    start();
    await createCollection(ctx, { name: 'Binder' });
    await eventually(async () =>
      expect(await getWebhook(ctx, webhook.id)).toMatchObject({
        status: 'Disabled',
        disabledReason: 'The receiver answered 410 (Gone).',
      }),
    );
    await createCollection(ctx, { name: 'Meanwhile' });
    await database().query(`update webhook set disabled_at = now() - interval '3 minutes'`);
    await purgeWebhookDeliveries(database());
    expect(await deliveries(webhook.id)).toMatchObject([{ status: 'Failed', responseStatus: 410 }]);
    expect(await updateWebhook(ctx, webhook.id, { status: 'Active' })).toMatchObject({
      status: 'Active',
      disabledReason: null,
      failingSince: null,
    });
    await createCollection(ctx, { name: 'After' });
    await eventually(() => expect(receiver.received).toHaveLength(2));
    expect(told.filter((line) => line.includes('switched off'))).toEqual([
      'a webhook is switched off: The receiver answered 410 (Gone).',
    ]);
  });

  it('that fail for days are switched off, and a message is given up after its last attempt', async () => {
    receiver.answer = status(503);
    const { webhook } = await create();
    await createCollection(ctx, { name: 'Binder' });
    start();
    await eventually(async () => expect(await deliveries(webhook.id)).toMatchObject([{ attempts: 1 }]));
    await database().query(`update webhook_delivery set attempts = 8`);
    await makeDue();
    await eventually(async () =>
      expect(await deliveries(webhook.id)).toMatchObject([{ attempts: 9, status: 'Pending' }]),
    );
    await makeDue();
    await eventually(async () =>
      expect(await deliveries(webhook.id)).toMatchObject([{ attempts: 10, status: 'Failed' }]),
    );
    expect(await getWebhook(ctx, webhook.id)).toMatchObject({
      status: 'Active',
      failingSince: expect.any(String),
    });
    await database().query(`update webhook set failing_since = now() - interval '73 hours'`);
    await createCollection(ctx, { name: 'Another' });
    await eventually(async () =>
      expect(await getWebhook(ctx, webhook.id)).toMatchObject({
        status: 'Disabled',
        disabledReason: 'Every attempt of 3 days failed; the last one: the answer was 503.',
      }),
    );
    expect(await updateWebhook(ctx, webhook.id, { url: receiver.url })).toMatchObject({
      status: 'Disabled',
      failingSince: expect.any(String),
    });
  });

  it('sign by both secrets for a day', async () => {
    const { webhook, secret: old } = await create();
    const { secret } = await rotateWebhookSecret(ctx, webhook.id);
    expect(secret).not.toBe(old);
    start();
    await testWebhook(ctx, webhook.id);
    await eventually(() => expect(receiver.received).toHaveLength(1));
    const verify = (by: string) => {
      const { body, headers } = receiver.received.at(-1)!;
      return new Verifier(by).verify(body, headers as Record<string, string>);
    };
    expect(verify(secret)).toEqual(verify(old));
    expect(verify(secret)).toMatchObject({
      type: 'webhook.test',
      data: { accountId: accountIdOf(ctx.caller.accountId), webhookId: webhook.id },
    });
    // Whoever has the webhook goes on with the secrets that it was taken with.
    await eventually(async () =>
      expect(await database().query('select 1 from webhook where lease is not null')).toEqual([]),
    );
    await database().query('update webhook set previous_until = now()');
    await testWebhook(ctx, webhook.id);
    await eventually(() => expect(receiver.received).toHaveLength(2));
    expect(verify(secret)).toBeDefined();
    expect(() => verify(old)).toThrow();
  });

  it('are sent again with the same id and body, and nothing waits behind that', async () => {
    const { webhook } = await create();
    start();
    const { id } = await createCollection(ctx, { name: 'Binder' });
    await eventually(async () =>
      expect(await deliveries(webhook.id)).toMatchObject([{ status: 'Delivered' }]),
    );
    receiver.answers.push(status(500));
    const [first] = await deliveries(webhook.id);
    expect(await resendWebhookDelivery(ctx, webhook.id, first!.id)).toMatchObject({
      status: 'Pending',
      attempts: 0,
    });
    await eventually(() => expect(receiver.received).toHaveLength(2));
    await updateCollection(ctx, id, { name: 'Folder' });
    await eventually(() => expect(receiver.received).toHaveLength(3));
    const [one, again, next] = receiver.received;
    expect([again!.id, again!.body]).toEqual([one!.id, one!.body]);
    expect(next!.payload.data.change).toBe('Updated');
    // It waits for its next attempt: that is now.
    await resendWebhookDelivery(ctx, webhook.id, first!.id);
    await eventually(() => expect(receiver.received).toHaveLength(4));
    expect(receiver.received[3]!.id).toBe(one!.id);
  });

  it('are listed newest first, whether they were asked for or happened', async () => {
    const { webhook } = await create();
    await database().query('update webhook_feed set number = 0');
    const asked = [];
    for (let i = 0; i < 3; i++) asked.push((await testWebhook(ctx, webhook.id)).id);
    start();
    await createCollection(ctx, { name: 'Binder' });
    await eventually(async () => expect(await deliveries(webhook.id)).toHaveLength(4));
    asked.push((await testWebhook(ctx, webhook.id)).id);
    const [last, event, ...first] = await deliveries(webhook.id);
    expect(event!.type).toBe('collection.changed');
    expect([last, ...first].map((one) => one!.id)).toEqual(asked.reverse());
  });

  it('of an account are told of its first event before another is of its 500th, and those told pay for it once', async () => {
    const quiet = { ...(await newAccount(database())), outboundNetworks: networks };
    const { webhook } = await create();
    const { webhook: other } = await create({}, quiet);
    const happen = (of: Context, count: number) =>
      database().query(
        `insert into event (account_id, stream, sequence, kind)
        select $1, 'col_' || i % 2, i / 2 + 1, 'Updated' from generate_series(0, $2::integer - 1) i`,
        [of.caller.accountId, count],
      );
    const made = async ({ id }: { id: string }) =>
      (
        await database().query<{ stream: string }>(
          'select stream, number from webhook_delivery where webhook_id = $1 order by number',
          [id],
        )
      ).length;
    const payers: string[] = [];
    const feed = new WebhookFeed(database().housekeeping, (accountId) => ({
      ...unbounded(accountId),
      payDatabase: () => void payers.push(accountId),
    }));
    await happen(ctx, 600);
    await happen(quiet, 1);
    expect(await feed.look()).toBe(true);
    expect(await made(other)).toBe(1);
    // Others may have had an event meanwhile.
    expect(await made(webhook)).toBeGreaterThan(0);
    expect(await made(webhook)).toBeLessThan(500);
    expect(payers.sort()).toEqual([ctx.caller.accountId, quiet.caller.accountId].sort());
    expect(await feed.look()).toBe(false);
    expect(await made(webhook)).toBe(600);
    payers.length = 0;
    const { webhook: late } = await create();
    // As if it had been made before, by who had not committed yet.
    await database().query(
      `update webhook set active_since = w.active_since from webhook w
       where webhook.account_id = $3 and webhook.id = $1 and w.account_id = $3 and w.id = $2`,
      [late.id, webhook.id, ctx.caller.accountId],
    );
    expect(await feed.look()).toBe(false);
    expect(await made(late)).toBe(600);
    expect(payers).toEqual([ctx.caller.accountId]);
    payers.length = 0;
    expect(await feed.look()).toBe(false);
    expect(payers).toEqual([]);
  });

  it('of a stream that is given its numbers again, by a database of before, are told of them', async () => {
    const { webhook } = await create();
    const feed = new WebhookFeed(database().housekeeping, unbounded);
    const happen = () =>
      database().query(
        `insert into event (account_id, stream, sequence, kind) values ($1, 'col_0', 1, 'Updated')`,
        [ctx.caller.accountId],
      );
    await happen();
    await feed.look();
    await database().query('delete from event where account_id = $1', [ctx.caller.accountId]);
    await database().query('delete from webhook_delivery where webhook_id = $1', [webhook.id]);
    await happen();
    await feed.look();
    expect(await deliveries(webhook.id)).toHaveLength(1);
  });

  it('wait while the budget of work of their account is used up, and those of others do not', async () => {
    const quiet = { ...(await newAccount(database())), outboundNetworks: networks };
    const { webhook } = await create({ url: `${receiver.url}/noisy` });
    await create({ url: `${receiver.url}/quiet` }, quiet);
    let isUsedUp = true;
    const paid = new Set<string>();
    start({
      workOf: (accountId) => ({
        ...unbounded(accountId),
        pay: () => void paid.add(accountId),
        isUsedUp: isUsedUp && accountId === ctx.caller.accountId,
      }),
    });
    await testWebhook(ctx, webhook.id);
    await createCollection(ctx, { name: 'Binder' });
    await createCollection(quiet, { name: 'Binder' });
    await eventually(() => expect(receiver.received).toHaveLength(1));
    expect(receiver.received[0]!.payload.data.accountId).toBe(accountIdOf(quiet.caller.accountId));
    await eventually(async () => expect(await deliveries(webhook.id)).toHaveLength(2));
    expect((await deliveries(webhook.id)).map((one) => one.status)).toEqual(['Pending', 'Pending']);
    isUsedUp = false;
    await makeDue();
    await eventually(() => expect(receiver.received).toHaveLength(3));
    expect(paid).toContain(ctx.caller.accountId);
    expect(paid).toContain(quiet.caller.accountId);
  });

  it.skipIf(kind === 'pglite')(
    'are looked at again where something comes while they are given back',
    async () => {
      const { webhook } = await create();
      let isGivenBack = false;
      const housekeepingOf = (accountId: string): Database => {
        const db = database().housekeepingOf(accountId);
        const query: Database['query'] = async (text, params, how) => {
          if (text !== GIVE_BACK_WEBHOOK || isGivenBack) return db.query(text, params, how);
          isGivenBack = true;
          let giveBack: Promise<unknown> | undefined;
          await database().transaction(async (tx) => {
            await testWebhook({ ...ctx, db: tx }, webhook.id);
            // It waits for as long as a slow machine takes, and has not seen what is not committed yet.
            giveBack = db.transaction(async (own) => {
              await own.liftTimeouts();
              return own.query(text, params, how);
            });
            await untilOneWaits(database().housekeeping);
          });
          return (await giveBack) as never;
        };
        return { ...db, query };
      };
      start({}, { ...database(), housekeepingOf });
      await testWebhook(ctx, webhook.id);
      await eventually(() => expect(receiver.received).toHaveLength(2));
      expect([isGivenBack, told]).toEqual([true, []]);
    },
  );

  it('that are switched off are sent nothing more', async () => {
    const { webhook } = await create();
    const { id } = await createCollection(ctx, { name: 'Binder' });
    for (const name of ['A', 'B', 'C']) await updateCollection(ctx, id, { name });
    receiver.answers.push(async (response, request) => {
      await updateWebhook(ctx, webhook.id, { status: 'Disabled' });
      status(204)(response, request);
    });
    start();
    await eventually(async () =>
      expect((await deliveries(webhook.id)).map((one) => one.status)).toContain('Delivered'),
    );
    await sleep(500);
    expect(receiver.received).toHaveLength(1);
  });

  it('that are off take no test', async () => {
    const { webhook } = await create();
    await updateWebhook(ctx, webhook.id, { status: 'Disabled' });
    await expect(testWebhook(ctx, webhook.id)).rejects.toThrow('input: the webhook is switched off');
  });

  it('of one receiver that is slow, or sends without an end, hold up no other', async () => {
    const slow = await startReceiver();
    slow.answer = (response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'.repeat(4000)), 5);
      response.once('close', () => clearInterval(timer));
    };
    const silent = await startReceiver();
    silent.answer = () => {};
    const { webhook: endless } = await create({ url: slow.url });
    await create({ url: silent.url });
    await create();
    start();
    for (let i = 0; i < 5; i++) await createCollection(ctx, { name: `Binder ${i}` });
    await eventually(() => expect(receiver.received).toHaveLength(5));
    await eventually(async () =>
      expect((await deliveries(endless.id)).map((one) => one.error)).toEqual(
        Array(5).fill('its answer is larger than 65536 bytes'),
      ),
    );
    expect(silent.received.length).toBeLessThanOrEqual(8);
    for (const stop of stops.splice(0)) await stop();
    await slow.stop();
    await silent.stop();
  });

  describe('are sent to no address', () => {
    it('that is found by a name, unless it is good', async () => {
      const asked: string[] = [];
      const answers: Record<string, string[]> = {
        'inside.example': ['10.0.0.7'],
        'loop.example': ['::1', '::ffff:127.0.0.1'],
        'both.example': ['169.254.169.254', '127.0.0.1'],
      };
      const resolve = async (name: string) => {
        asked.push(name);
        return answers[name]!;
      };
      const { port } = new URL(receiver.url);
      const { webhook } = await create({ url: `http://inside.example:${port}/` });
      const { webhook: loop } = await create({ url: `https://loop.example:${port}/` });
      const { webhook: both } = await create({ url: `http://both.example:${port}/` });
      start({ addressesOf: createAddressCheck(networks, resolve) });
      await createCollection(ctx, { name: 'Binder' });
      await eventually(async () => {
        const error = expect.stringContaining('its address is not a public one');
        expect(await deliveries(webhook.id)).toMatchObject([{ attempts: 1, error }]);
        expect(await deliveries(loop.id)).toMatchObject([{ attempts: 1, error }]);
        expect(await deliveries(both.id)).toMatchObject([{ status: 'Delivered' }]);
      });
      expect(receiver.received.map(({ headers }) => headers.host)).toEqual([`both.example:${port}`]);
      expect(asked.sort()).toEqual(['both.example', 'inside.example', 'loop.example']);
    });
  });

  it('are taken by the receiver of the documents, and what is not signed is not', async () => {
    const [script] = blocksOf('docs/webhooks.md').filter(({ language }) => language === 'js');
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'receiver.mjs'), script!.text);
    const port = String(await freePort());
    const url = `http://127.0.0.1:${port}/`;
    const { webhook, secret } = await create({ url });
    const env = { PATH: process.env.PATH, PORT: port, WEBHOOK_SECRET: secret };
    const child = spawn(process.execPath, ['receiver.mjs'], { cwd: folder, env });
    const output = text(child.stdout);
    await eventually(async () => expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401));
    start();
    const { delivery } = { delivery: await testWebhook(ctx, webhook.id) };
    const isDelivered = (attempts: number) =>
      eventually(async () =>
        expect(await deliveries(webhook.id)).toMatchObject([
          { status: 'Delivered', responseStatus: 204, attempts },
        ]),
      );
    await isDelivered(1);
    await resendWebhookDelivery(ctx, webhook.id, delivery.id);
    await isDelivered(1);
    child.kill();
    expect((await output).match(/webhook\.test/g)).toHaveLength(1);
    expect(script!.text.trim().split('\n').length).toBeLessThanOrEqual(25);
  });

  it('that are deleted are sent nothing, and go with their deliveries', async () => {
    const { webhook } = await create();
    start();
    await createCollection(ctx, { name: 'Binder' });
    await eventually(() => expect(receiver.received).toHaveLength(1));
    await deleteWebhook(ctx, webhook.id);
    await expect(getWebhook(ctx, webhook.id)).rejects.toThrow('The webhook does not exist.');
    await createCollection(ctx, { name: 'Another' });
    await database().query(`update webhook set disabled_at = now() - interval '3 minutes'`);
    await purgeWebhookDeliveries(database());
    const { accountId } = ctx.caller;
    for (const table of ['webhook', 'webhook_delivery'])
      expect(await database().query(`select from ${table} where account_id = $1`, [accountId])).toEqual([]);
    expect(receiver.received).toHaveLength(1);
  });

  it.skipIf(isLeftToPostgres(kind))(
    'for which too much waits are switched off',
    async () => {
      const { webhook } = await create();
      const wait = (from: number, to: number) =>
        database().query(
          `with made as (
           insert into webhook_delivery (account_id, webhook_id, id, type, stream, number, payload, occurred_at)
           select $1, $2, 'msg_' || n, 'webhook.test', 'msg_' || n, n, '{}', now()
           from generate_series($3::integer, $4::integer) n
         )
         update webhook set look_at = now() where account_id = $1 and id = $2`,
          [ctx.caller.accountId, webhook.id, from, to],
        );
      // In parts, each of which is within the time that a statement may take on a slow machine.
      const part = LIMITS.webhookBacklog / 20;
      for (let from = 1; from <= LIMITS.webhookBacklog; from += part) await wait(from, from + part - 1);
      await purgeWebhookDeliveries(database());
      expect(await getWebhook(ctx, webhook.id)).toMatchObject({ status: 'Active' });
      await wait(LIMITS.webhookBacklog + 1, LIMITS.webhookBacklog + 1);
      await purgeWebhookDeliveries(database());
      expect(await getWebhook(ctx, webhook.id)).toMatchObject({
        status: 'Disabled',
        disabledReason: 'More than 100000 deliveries waited.',
      });
    },
    60_000,
  );

  it('are kept so long', async () => {
    const { webhook } = await create();
    const stop = start();
    for (const name of ['A', 'B', 'C', 'D']) await createCollection(ctx, { name });
    await eventually(async () =>
      expect((await deliveries(webhook.id)).map((one) => one.status)).toEqual(Array(4).fill('Delivered')),
    );
    // What is gone is not to be made of its event, which is new, again.
    await stop();
    const ids = (await deliveries(webhook.id)).map((one) => one.id);
    const set = (id: string, state: string, hours: number) =>
      database().query(
        `update webhook_delivery set status = $2, finished_at = now() - $3::float8 * interval '1 hour'
         where account_id = $4 and id = $1`,
        [id, state, hours, ctx.caller.accountId],
      );
    const { webhookDeliveredHours: delivered, webhookFailedHours: failed } = LIMITS;
    await set(ids[0]!, 'Delivered', delivered + 0.01);
    await set(ids[1]!, 'Delivered', delivered - 0.01);
    await set(ids[2]!, 'Failed', failed + 0.01);
    await set(ids[3]!, 'Failed', failed - 0.01);
    await purgeWebhookDeliveries(database());
    expect((await deliveries(webhook.id)).map((one) => one.id)).toEqual([ids[1], ids[3]]);
  });
});

describe.skipIf(!inject('postgresUrl'))('webhooks of a service that is killed', () => {
  it('are told of everything that was committed, of nothing else, and in order', async () => {
    const { url } = await loadedPostgresUrl(inject('postgresUrl')!);
    const db = postgresDatabase(url);
    const { accountId } = await createAccount(db, { name: 'Webhooks', now: new Date() });
    const ctx = { db: db.forAccount(accountId), caller: { accountId, clientId: 'x' }, now: () => new Date() };
    const settings = { DATABASE_URL: url, DEMO: '0', OUTBOUND_NETWORKS: '127.0.0.0/8' };
    const service = await newService(await temporaryFolder(), settings);
    const result = await deliverUnderFaults({
      ...{ db, ctx, events: 300, kills: 2 },
      start: () => service.start(),
      kill: () => service.end('SIGKILL'),
    });
    await db.close();
    expect(result).toMatchObject({ committed: 300, missing: 0, invented: 0, outOfOrder: 0 });
    expect(result.undone).toBeGreaterThan(20);
    process.stdout.write(`webhooks of a service that is killed: ${result.duplicates} of 300 came twice\n`);
  });
});
