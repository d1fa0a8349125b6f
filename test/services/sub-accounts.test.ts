import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { PURGE_ACCOUNT_ROWS, PURGED_TABLES } from '../../src/db/queries/sub-accounts.ts';
import { accountUuid } from '../../src/domain/credentials.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { getAccount } from '../../src/services/accounts/get.ts';
import { setLimits } from '../../src/services/accounts/set-limits.ts';
import { createClient } from '../../src/services/clients/create.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import type { Context } from '../../src/services/context.ts';
import { diagnoseAccount } from '../../src/services/doctor.ts';
import { setGoalCollection } from '../../src/services/goals/set.ts';
import { withIdempotencyKey } from '../../src/services/idempotency.ts';
import { setIdentityProvider } from '../../src/services/identity-providers/set.ts';
import { createPriceAlert } from '../../src/services/price-alerts/create.ts';
import { createSubAccount } from '../../src/services/sub-accounts/create.ts';
import { deleteSubAccount } from '../../src/services/sub-accounts/delete.ts';
import { findSubAccount, getSubAccount } from '../../src/services/sub-accounts/get.ts';
import { countSubAccounts, listSubAccounts } from '../../src/services/sub-accounts/list.ts';
import { purgeDeletedAccounts, purgeFormerAccounts } from '../../src/services/sub-accounts/purge.ts';
import { updateSubAccount } from '../../src/services/sub-accounts/update.ts';
import { createTransaction, createTransactions } from '../../src/services/transactions/create.ts';
import { previewImport } from '../../src/services/transactions/import-preview.ts';
import { createWebhook } from '../../src/services/webhooks/create.ts';
import { testWebhook } from '../../src/services/webhooks/deliveries.ts';
import { describeOnDatabases, NOW, newAccount, pricedVariants, statementsOf } from '../harness.ts';
import { entry } from '../support/furnished.ts';
import { isLeftToPostgres } from '../support/left-to-postgres.ts';
import { keysOf } from '../support/pages.ts';
import { rowsRead } from '../support/rows-read.ts';
import { databaseOfCaller, TENANT_TABLES } from '../support/tenancy.ts';

const AT_ONCE = 50;
const FIRST_PAGE = { kind: 'position', position: 0, size: 200 } as const;

/** $1 platform, $2 how many: as many statements would have made them. */
const FILL = [
  `insert into sub_account (account_id, id, external_id)
   select $1::uuid, ('019d8648-' || lpad(to_hex(n), 4, '0') || '-7000-a000-' || left(md5($1::text || n), 12))::uuid, 'user-' || n
   from generate_series(1, $2::integer) n`,
  `insert into account (account_id, parent_id, name, preferred_currency, preferred_price_source, max_collections, max_valued_collections, created_at)
   select id, account_id, external_id, 'USD', 'VendorMarket', 1, 1, now() from sub_account
   where account_id = $1 and $2::integer > 0`,
];

describeOnDatabases('accounts below another', (database, kind) => {
  let platform: Context;
  beforeAll(async () => {
    platform = await newAccount(database(), { maxAccounts: 1000, maxCollections: 30, currency: 'EUR' });
  });

  const create = (ctx = platform, externalId: string = randomUUID(), name = 'Ada') =>
    createSubAccount(ctx, { name, externalId });
  const uuidOf = ({ id }: { id: string }) => accountUuid(id)!;

  /** As the account itself. */
  const asAccount = (account: { id: string }): Context => ({
    db: databaseOfCaller(database().forAccount(uuidOf(account)), uuidOf(account)),
    caller: { accountId: uuidOf(account), clientId: platform.caller.clientId },
    now: () => NOW,
  });

  /** The same through the second wall, which requests work behind. */
  const walled = (ctx: Context): Context => ({
    ...ctx,
    db: databaseOfCaller(database().forAccount(ctx.caller.accountId), ctx.caller.accountId),
  });

  it('begin with the preferences of the one above, and with no more than it may have', async () => {
    const account = await create(walled(platform), 'user-1');
    expect(account).toEqual({
      id: expect.stringMatching(/^acc_[0-9a-f-]{36}$/),
      externalId: 'user-1',
      name: 'Ada',
      status: 'Active',
      maxCollections: 30,
      maxValuedCollections: LIMITS.valuedCollections,
      maxTransactions: LIMITS.transactions,
      revision: 1,
      createdAt: NOW.toISOString(),
    });
    expect(await getAccount(asAccount(account))).toMatchObject({
      id: account.id,
      preferredCurrency: 'EUR',
      maxCollections: 30,
      maxAccounts: 0,
    });
    expect(await getSubAccount(platform, account.id)).toEqual(account);
  });

  it('are the same account again for the same external id, and another one below another platform', async () => {
    const account = await create(platform, 'user-2');
    expect(await create(platform, 'user-2', 'Grace')).toEqual(account);
    const other = await newAccount(database(), { maxAccounts: 1 });
    expect((await create(other, 'user-2')).id).not.toBe(account.id);
    expect(await findSubAccount(other, account.id)).toBeNull();
  });

  it('are one account, however many ask for it at once', async () => {
    const ctx = await newAccount(database(), { maxAccounts: 2 });
    const made = await Promise.all(Array.from({ length: AT_ONCE }, () => create(walled(ctx), 'user-1')));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(await countSubAccounts(ctx)).toBe(1);
    expect((await getAccount(ctx)).accountCount).toBe(1);
  });

  it('are never more than there may be, however many are asked for at once', async () => {
    const limit = 7;
    const ctx = await newAccount(database(), { maxAccounts: limit });
    const tried = await Promise.allSettled(Array.from({ length: AT_ONCE }, () => create(walled(ctx))));
    const refused = tried.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(refused).toHaveLength(AT_ONCE - limit);
    for (const error of refused)
      expect(error).toMatchObject({ problem: 'LimitExceeded', details: { limit, current: limit } });
    const { items } = await listSubAccounts(ctx, FIRST_PAGE);
    expect(items).toHaveLength(limit);
    // The one that is there is given, and deleting one makes room for one.
    expect(await create(ctx, items[0]!.externalId)).toEqual(items[0]);
    await deleteSubAccount(ctx, items[0]!.id);
    await create(ctx, 'instead');
    await expect(create(ctx)).rejects.toMatchObject({ problem: 'LimitExceeded' });
  });

  it.skipIf(isLeftToPostgres(kind))('are read by the page, however deep that is in a long list', async () => {
    const ctx = await newAccount(database(), { maxAccounts: 10_000 });
    const { accountId } = ctx.caller;
    const undo = new Error('What is filled in is not kept.');
    const work = database().transaction(async (tx) => {
      for (const statement of FILL) await tx.query(statement, [accountId, 10_000]);
      await tx.query('analyze account, sub_account');
      const [deep] = await tx.query<{ id: string }>(
        'select id from sub_account where account_id = $1 order by id offset 9000 limit 1',
        [accountId],
      );
      const page = { size: 50, before: null, fromEnd: false } as const;
      for (const after of [null, [deep!.id]]) {
        const { result, statements } = await statementsOf(() =>
          listSubAccounts({ ...ctx, db: tx }, { ...page, kind: 'key', after }),
        );
        expect(result.items.map(({ externalId }) => externalId)).toEqual(
          Array.from({ length: 50 }, (_, i) => `user-${(after ? 9002 : 1) + i}`),
        );
        for (const table of ['sub_account', 'account'])
          expect(await rowsRead(tx, table, statements[0]!)).toBeLessThanOrEqual(51);
      }
      throw undo;
    });
    await expect(work).rejects.toBe(undo);
  });

  it('are for those alone whom the operator lets have some, and keep none below them', async () => {
    const none = await newAccount(database());
    none.caller.scope = 'platform';
    await expect(create(none)).rejects.toMatchObject({
      problem: 'LimitExceeded',
      message: 'There may be 0 accounts below this one; delete one first, or ask the operator for more.',
    });
    const account = await create();
    await expect(setLimits(database(), { accountId: account.id, maxAccounts: 1 })).rejects.toMatchObject({
      problem: 'ValidationFailed',
    });
    expect((await getAccount(asAccount(account))).maxAccounts).toBe(0);
    await expect(
      setLimits(database(), { accountId: platform.caller.accountId, maxAccounts: LIMITS.maxAccounts + 1 }),
    ).rejects.toMatchObject({ problem: 'ValidationFailed' });
  });

  it('need a token of the scope platform', async () => {
    const account = await create();
    const plain: Context = { ...platform, caller: { ...platform.caller } };
    delete plain.caller.scope;
    const verbs = [
      () => create(plain),
      () => getSubAccount(plain, account.id),
      () => listSubAccounts(plain, FIRST_PAGE),
      () => countSubAccounts(plain),
      () => updateSubAccount(plain, account.id, { name: 'x' }),
      () => deleteSubAccount(plain, account.id),
    ];
    for (const verb of verbs) await expect(verb()).rejects.toMatchObject({ problem: 'Forbidden' });
  });

  it.each([
    [{ name: 'Ada', externalId: '' }, 'externalId'],
    [{ name: 'Ada', externalId: 'x'.repeat(LIMITS.externalIdCharacters + 1) }, 'externalId'],
    [{ name: 'Ada', externalId: 'a\u0000' }, 'externalId'],
    [{ name: 'Ada' }, 'externalId'],
    [{ name: '', externalId: 'x' }, 'name'],
  ])('are not made of %j', async (input, field) => {
    await expect(createSubAccount(platform, input)).rejects.toMatchObject({
      problem: 'ValidationFailed',
      details: { breaches: [{ path: [field] }] },
    });
  });

  it('may have an external id of the longest, and of any characters that are seen', async () => {
    for (const externalId of ['x'.repeat(LIMITS.externalIdCharacters), ' é|日本 ', 'auth0|42', "'; drop"]) {
      const account = await create(platform, externalId);
      expect(account.externalId).toBe(externalId);
      const { items } = await listSubAccounts(platform, FIRST_PAGE, externalId);
      expect(items).toEqual([account]);
    }
  });

  it('are listed oldest first, by key as by position, each once, and found by their external id', async () => {
    const ctx = await newAccount(database(), { maxAccounts: 10 });
    let millis = NOW.getTime();
    const timed = { ...ctx, now: () => new Date(millis++) };
    const made = [];
    for (let i = 0; i < 5; i++) made.push(await create(timed, `user-${i}`));
    expect((await listSubAccounts(ctx, FIRST_PAGE)).items).toEqual(made);
    for (const db of [ctx.db, walled(ctx).db]) {
      for (const fromEnd of [false, true]) {
        const found = [];
        let place: readonly string[] | null = null;
        do {
          const request = {
            kind: 'key' as const,
            size: 2,
            fromEnd,
            after: fromEnd ? null : place,
            before: fromEnd ? place : null,
          };
          const page = await listSubAccounts({ ...ctx, db }, request);
          found.push(...(fromEnd ? page.items.toReversed() : page.items));
          place = (fromEnd ? page.hasPreviousPage : page.hasNextPage)
            ? keysOf(page).at(fromEnd ? 0 : -1)!
            : null;
        } while (place);
        expect(found).toEqual(fromEnd ? made.toReversed() : made);
      }
    }
    expect((await listSubAccounts(ctx, FIRST_PAGE, 'user-3')).items).toEqual([made[3]]);
    expect((await listSubAccounts(ctx, FIRST_PAGE, 'nobody')).items).toEqual([]);
    expect([await countSubAccounts(ctx), await countSubAccounts(ctx, 'user-3')]).toEqual([5, 1]);
    expect(await countSubAccounts(ctx, 'nobody')).toBe(0);
  });

  it('are changed within the limits of the one above', async () => {
    const account = await create();
    const changes = { name: ' Grace ', maxCollections: 30, maxValuedCollections: 0, maxTransactions: 1 };
    const changed = await updateSubAccount(walled(platform), account.id, changes);
    expect(changed).toEqual({ ...account, ...changes, name: 'Grace', revision: 2 });
    expect(await updateSubAccount(platform, account.id, { name: null })).toEqual({ ...changed, revision: 3 });
    const wrong = updateSubAccount(platform, account.id, {
      maxCollections: 31,
      maxTransactions: LIMITS.transactions + 1,
    });
    await expect(wrong).rejects.toMatchObject({
      problem: 'ValidationFailed',
      details: {
        breaches: [
          { path: ['maxCollections'], detail: 'must be at most 30, which is your own' },
          { path: ['maxTransactions'], detail: `must be at most ${LIMITS.transactions}, which is your own` },
        ],
      },
    });
    for (const bad of [{ maxCollections: -1 }, { maxCollections: 0.5 }, { status: 'Gone' }, { other: 1 }])
      await expect(updateSubAccount(platform, account.id, bad)).rejects.toMatchObject({
        problem: 'ValidationFailed',
      });
  });

  it('keep to what they may have at once, whatever was set aside for their collections', async () => {
    const [variantId] = await pricedVariants(database(), 1);
    const account = await create();
    const own = asAccount(account);
    const { id } = await createCollection(own, { name: 'Binder' });
    await createTransaction(own, id, entry(variantId!));
    await updateSubAccount(walled(platform), account.id, { maxTransactions: 2, maxCollections: 1 });
    await createTransaction(own, id, entry(variantId!));
    const full = { problem: 'LimitExceeded', details: { limit: 2, current: 2 } };
    await expect(createTransaction(own, id, entry(variantId!))).rejects.toMatchObject(full);
    await expect(createCollection(own, { name: 'x' })).rejects.toMatchObject({ problem: 'LimitExceeded' });
  });

  it('are changed at the revision that is required, and by a key once', async () => {
    const account = await create();
    await expect(updateSubAccount(platform, account.id, { name: 'x' }, [7])).rejects.toMatchObject({
      problem: 'PreconditionFailed',
    });
    await expect(deleteSubAccount(platform, account.id, [7])).rejects.toMatchObject({
      problem: 'PreconditionFailed',
    });
    expect((await updateSubAccount(platform, account.id, { name: 'x' }, [7, 1])).revision).toBe(2);
    for (const ctx of [platform, walled(platform)]) {
      const keyed = () => withIdempotencyKey(ctx, `rename-${ctx === platform}`, 'key');
      const first = await updateSubAccount(keyed(), account.id, { name: 'y', maxTransactions: 5 });
      expect(await updateSubAccount(keyed(), account.id, { name: 'y', maxTransactions: 5 })).toEqual(first);
    }
    const externalId = randomUUID();
    const made = await create(withIdempotencyKey(walled(platform), 'make', 'key'), externalId);
    expect(await create(withIdempotencyKey(walled(platform), 'make', 'key'), externalId)).toEqual(made);
    await expect(create(withIdempotencyKey(platform, 'make', 'key'), 'another')).rejects.toMatchObject({
      problem: 'IdempotencyMismatch',
    });
    await deleteSubAccount(withIdempotencyKey(walled(platform), 'delete', 'key'), made.id, [1]);
    await deleteSubAccount(withIdempotencyKey(walled(platform), 'delete', 'key'), made.id, [1]);
  });

  it('have another revision, too, where the operator changes what they may have', async () => {
    const { id, revision } = await create();
    await setLimits(database(), { accountId: id, maxCollections: 7 });
    expect(await getSubAccount(platform, id)).toMatchObject({ maxCollections: 7, revision: revision + 1 });
    await expect(updateSubAccount(platform, id, { name: 'x' }, [revision])).rejects.toMatchObject({
      problem: 'PreconditionFailed',
    });
  });

  it('of another platform, and ids that are none, do not exist', async () => {
    const other = await newAccount(database(), { maxAccounts: 1 });
    const theirs = await create(other);
    const before = await getSubAccount(other, theirs.id);
    const ids = [theirs.id, `acc_${randomUUID()}`, `acc_${platform.caller.accountId}`];
    const malformed = [uuidOf(theirs), 'acc_x', '', 'acc_', 'col_01kn3w4v5h2c8q6r9t0m1n2p3q'];
    for (const id of [...ids, ...malformed]) {
      expect(await findSubAccount(platform, id)).toBeNull();
      const missing = { problem: 'NotFound', message: 'The account does not exist.' };
      for (const verb of [
        () => getSubAccount(platform, id),
        () => updateSubAccount(platform, id, { name: 'Mine', status: 'Suspended' }),
        () => deleteSubAccount(platform, id),
        () => deleteSubAccount(platform, id, [1]),
      ])
        await expect(verb()).rejects.toMatchObject(missing);
    }
    expect(await getSubAccount(other, theirs.id)).toEqual(before);
  });

  it('are counted right, and the doctor sees where they are not', async () => {
    const ctx = await newAccount(database(), { maxAccounts: 5 });
    await create(ctx);
    const ofPlatform = async (fix: boolean) =>
      (await diagnoseAccount(database(), ctx.caller.accountId, fix)).differences;
    expect(await ofPlatform(false)).toEqual([]);
    await database().query('update account set account_count = 3 where account_id = $1', [
      ctx.caller.accountId,
    ]);
    expect(await ofPlatform(true)).toMatchObject([
      { kind: 'account', field: 'account_count', stored: '3', expected: '1' },
    ]);
    expect(await countSubAccounts(ctx)).toBe(1);
  });

  describe('once deleted', () => {
    /** An account with rows in every table, as far as requests make them. */
    async function furnished() {
      const account = await create(platform, 'leaving');
      const own = asAccount(account);
      const variants = await pricedVariants(database(), 3);
      const { id } = await createCollection(own, { name: 'Binder', valued: true });
      await createTransactions(
        own,
        id,
        variants.map((variantId) => entry(variantId)),
      );
      await createPriceAlert(own, { targetId: id, condition: 'Change', percent: 5, days: 7 });
      await setGoalCollection(own, id, { setCode: 'WTR' });
      await createCollection(withIdempotencyKey(own, 'once', 'key'), { name: 'Second' });
      await previewImport(own, id, {
        csv: `variantId,occurredDate,action,quantity,unitAmount,currency\n${variants[0]},2026-04-13,Purchase,1,1,EUR\n`,
      });
      await createClient(database(), { accountId: account.id, name: 'Own', now: NOW });
      const { webhook } = await createWebhook(own, { url: 'https://app.example/webhooks' });
      await testWebhook(own, webhook.id);
      const fill = [
        `insert into ledger_to_rate (account_id, first_day, last_day) values ($1, '2026-01-01', '2026-01-02')`,
        `insert into event_stream (account_id, stream, sequence) values ($1, 'alerts', 1)`,
        `insert into goal_item (account_id, collection_id, variant_id, quantity)
         select account_id, collection_id, '${variants[0]}', 1 from goal where account_id = $1 on conflict do nothing`,
        `insert into cost_state (account_id, collection_id, variant_id, occurred, transaction_id, cost, held, held_cost)
         select account_id, collection_id, variant_id, occurred, id, 0, 1, 1 from transaction where account_id = $1`,
      ];
      for (const statement of fill) await database().query(statement, [uuidOf(account)]);
      return { account, own };
    }

    const tables = async () => {
      const rows = await database().query<{ name: string }>(
        `select table_name as name from information_schema.columns
         where column_name = 'account_id' and table_schema = current_schema() order by 1`,
      );
      return rows.map(({ name }) => name);
    };
    const rowsOf = async (account: { id: string }) => {
      const counts: Record<string, number> = {};
      for (const table of await tables()) {
        const statement = `select count(*) as count from ${table} where account_id = $1`;
        const [row] = await database().query<{ count: number }>(statement, [uuidOf(account)]);
        counts[table] = row!.count;
      }
      return counts;
    };
    const setBack = (account: { id: string }) =>
      database().query(`update account set deleted_at = now() - interval '1 hour' where account_id = $1`, [
        uuidOf(account),
      ]);

    it('are gone at once, and free their external id', async () => {
      const { account, own } = await furnished();
      const others = await countSubAccounts(platform);
      await deleteSubAccount(walled(platform), account.id);
      expect(await countSubAccounts(platform)).toBe(others - 1);
      expect(await findSubAccount(platform, account.id)).toBeNull();
      expect((await listSubAccounts(platform, FIRST_PAGE, 'leaving')).items).toEqual([]);
      await expect(deleteSubAccount(platform, account.id)).rejects.toMatchObject({ problem: 'NotFound' });
      await expect(getAccount(own)).rejects.toMatchObject({ problem: 'Unauthorized' });
      expect((await create(platform, 'leaving')).id).not.toBe(account.id);
      await setBack(account);
      await purgeDeletedAccounts(database());
      await deleteSubAccount(platform, (await create(platform, 'leaving')).id);
    });

    it('leave no row in any table, and take none of another account', async () => {
      expect([...PURGED_TABLES, 'account'].sort()).toEqual([...TENANT_TABLES, 'client'].sort());
      const { account } = await furnished();
      const kept = await create();
      await createCollection(asAccount(kept), { name: 'Kept' });
      const before = await rowsOf(account);
      // It has none below it, whose users could sign in.
      const {
        sub_account: below,
        former_sub_account: former,
        identity_provider: provider,
        ...filled
      } = before;
      expect([below, former, provider]).toEqual([0, 0, 0]);
      expect(Object.entries(filled).filter(([, count]) => count === 0)).toEqual([]);
      const keptRows = await rowsOf(kept);
      await deleteSubAccount(platform, account.id);
      // Those who had access a moment ago may still be at work.
      await database().query('update account set deleted_at = now() where account_id = $1', [
        uuidOf(account),
      ]);
      await purgeDeletedAccounts(database());
      expect(await rowsOf(account)).toEqual(before);
      await setBack(account);
      const purged = await Promise.all([1, 2, 3].map(() => purgeDeletedAccounts(database())));
      expect(purged.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(1);
      expect(Object.values(await rowsOf(account)).every((count) => count === 0)).toBe(true);
      expect(await rowsOf(kept)).toEqual(keptRows);
    });

    it('are remembered by their external id for 25 hours, where users sign in on their own', async () => {
      const formerOf = async ({ caller }: Context) => {
        const rows = await database().query<{ externalId: string }>(
          'select external_id as "externalId" from former_sub_account where account_id = $1 order by 1',
          [caller.accountId],
        );
        return rows.map(({ externalId }) => externalId);
      };
      const own = await newAccount(database(), { maxAccounts: 10 });
      const leave = async (externalId: string) => deleteSubAccount(own, (await create(own, externalId)).id);
      await leave('before');
      await setIdentityProvider(own, {
        issuer: 'https://login.example',
        audience: randomUUID(),
        createsAccounts: true,
      });
      for (const externalId of ['a', 'b', 'b']) await leave(externalId);
      expect(await formerOf(own)).toEqual(['a', 'b']);
      const age = (externalId: string, interval: string) =>
        database().query(
          'update former_sub_account set deleted_at = now() - $3::interval where account_id = $1 and external_id = $2',
          [own.caller.accountId, externalId, interval],
        );
      await age('a', '24 hours 59 minutes');
      await age('b', '25 hours 1 minute');
      expect(await purgeFormerAccounts(database())).toBeGreaterThanOrEqual(1);
      expect(await formerOf(own)).toEqual(['a']);
      await database().query(
        `insert into former_sub_account select $1, 'old ' || i, now() - interval '26 hours' from generate_series(1, 5001) i`,
        [own.caller.accountId],
      );
      let batches = 0;
      expect(await purgeFormerAccounts(database(), () => batches++ < 1)).toBe(5000);
      expect(await formerOf(own)).toHaveLength(2);
    });

    it('are looked for in no table as a whole, whatever its statistics say', async () => {
      const { account } = await furnished();
      await deleteSubAccount(platform, account.id);
      await setBack(account);
      const wholly = new Set<string>();
      const explained: OpenDatabase['transaction'] = (work) =>
        database().transaction((tx) => {
          const query: typeof tx.query = async (text, params, how) => {
            const isPurge = PURGE_ACCOUNT_ROWS.includes(text);
            const plan = isPurge ? await tx.query(`explain ${text}`, params) : [];
            for (const [, table] of JSON.stringify(plan).matchAll(/Seq Scan on (\w+?)(?:_\d+)?\b/g))
              wholly.add(table!);
            return tx.query(text, params, how);
          };
          return work({ ...tx, query });
        });
      await purgeDeletedAccounts({ ...database(), transaction: explained });
      // Of clients there are few.
      expect([...wholly].filter((table) => table !== 'client')).toEqual([]);
      expect(Object.values(await rowsOf(account)).every((count) => count === 0)).toBe(true);
    });
  });
});
