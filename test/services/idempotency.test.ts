import { createHash, randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Database } from '../../src/db/client.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import type { Context } from '../../src/services/context.ts';
import { idempotently, purgeIdempotencyKeys, withIdempotencyKey } from '../../src/services/idempotency.ts';
import { createTransaction } from '../../src/services/transactions/create.ts';
import { describeOnDatabases, NOW, newAccount, pricedVariants, statementsOf } from '../harness.ts';

const LIMIT_MILLIS = LIMITS.idempotencyKeyHours * 3_600_000;

describeOnDatabases('idempotency keys', (database) => {
  /** Keys of the caller, by name, that were used so long ago by the clock of `from`. */
  const used = (
    { caller }: Context,
    ages: Record<string, number>,
    from: 'now()' | `'${string}'::timestamptz`,
  ) =>
    database().query(
      `insert into idempotency_key (account_id, client_id, key, request_digest, answer, created_at)
       select $1, $2, key, 'digest', '"earlier"', ${from} - millis::bigint * interval '1 millisecond'
       from jsonb_each_text($3::jsonb) as t(key, millis)`,
      [caller.accountId, caller.clientId, JSON.stringify(ages)],
    );
  const keysOf = async ({ caller }: Context, db: Database = database()) => {
    const rows = await db.query<{ key: string }>(
      `select key from idempotency_key where account_id = $1 order by key`,
      [caller.accountId],
    );
    return rows.map(({ key }) => key);
  };
  const write = async (
    ctx: Context,
    key: string,
    verb: (ctx: Context) => Promise<unknown> = async () => 'new',
  ) => {
    const keyed = withIdempotencyKey(ctx, key, 'key');
    const value = await idempotently(keyed, 'verb', {}, verb);
    return { value, replayed: keyed.idempotency.replayed };
  };
  const SHORTLY = 60_000;
  const ATNOW = `'${NOW.toISOString()}'::timestamptz` as const;

  it('are purged when they are expired, of every account, whether it writes any more or not', async () => {
    const [idle, busy] = [await newAccount(database()), await newAccount(database())];
    for (const ctx of [idle, busy]) {
      await used(ctx, { gone: LIMIT_MILLIS + SHORTLY, kept: LIMIT_MILLIS - SHORTLY, young: 0 }, 'now()');
    }
    expect(await purgeIdempotencyKeys(database())).toBeGreaterThanOrEqual(2);
    for (const ctx of [idle, busy]) expect(await keysOf(ctx)).toEqual(['kept', 'young']);
    expect(await purgeIdempotencyKeys(database())).toBe(0);
  });

  it('stand where their answer had to make room for others of the account, and nothing is done twice', async () => {
    const [ctx, other] = [await newAccount(database()), await newAccount(database())];
    const large = async () => 'x'.repeat(2000);
    for (const one of [ctx, other]) await write(one, 'oldest', large);
    // As if they were as large as all that an account may keep.
    for (const { caller } of [ctx, other])
      await database().query(
        `update idempotency_key set answer_bytes = $2::integer, created_at = $3 where account_id = $1`,
        [caller.accountId, LIMITS.idempotencyAnswersBytes, new Date(NOW.getTime() - 60_000).toISOString()],
      );
    const newest = 'y'.repeat(LIMITS.idempotencyAnswersBytes / 16);
    await write(ctx, 'newest', async () => newest);
    let isRepeated = false;
    const again = async () => {
      isRepeated = true;
    };
    await expect(write(ctx, 'oldest', again)).rejects.toThrow('was done, once');
    expect(await write(ctx, 'newest', again)).toEqual({ value: newest, replayed: true });
    expect(await write(other, 'oldest', again)).toEqual({ value: 'x'.repeat(2000), replayed: true });
    expect(isRepeated).toBe(false);
  });

  it('are purged in batches', async () => {
    const ctx = await newAccount(database());
    const many = Array.from({ length: 2001 }, (_, i) => [`key-${i}`, LIMIT_MILLIS + SHORTLY + i]);
    await used(ctx, { ...Object.fromEntries(many), young: 0 }, 'now()');
    const { result, statements } = await statementsOf(() => purgeIdempotencyKeys(database()));
    expect(result).toBeGreaterThanOrEqual(2001);
    expect(statements).toHaveLength(3);
    expect(await keysOf(ctx)).toEqual(['young']);
  });

  it('know a request by what it says, so that nodes of the next version know it, too', async () => {
    const ctx = await newAccount(database());
    const { id: collectionId } = await createCollection(ctx, { name: 'Upgraded' });
    const [variantId] = await pricedVariants(database(), 1);
    const said = {
      variantId,
      occurredDate: '2025-01-01',
      action: 'Purchase',
      quantity: 1,
      unitAmount: { currency: 'USD', value: 2.5 },
    };
    await createTransaction(withIdempotencyKey(ctx, 'upgraded', 'key'), collectionId, said);
    const input = { collectionId, ...said };
    // What a rule adds by itself, such as the default of a new field, would make another request of it.
    const digest = createHash('sha256')
      .update(JSON.stringify({ verb: 'createTransaction', input }))
      .digest('hex');
    const kept = await database().query(
      'select request_digest as digest from idempotency_key where account_id = $1',
      [ctx.caller.accountId],
    );
    expect(kept).toEqual([{ digest }]);
  });

  it('are replaced by the same key when they are expired, and not before', async () => {
    const ctx = await newAccount(database());
    await used(ctx, { expired: LIMIT_MILLIS + 1, valid: LIMIT_MILLIS }, ATNOW);
    expect(await write(ctx, 'expired')).toEqual({ value: 'new', replayed: false });
    expect(await write(ctx, 'expired')).toEqual({ value: 'new', replayed: true });
    await expect(write(ctx, 'valid')).rejects.toMatchObject({ problem: 'IdempotencyMismatch' });
  });

  it('stay replaceable where the write fails', async () => {
    const ctx = await newAccount(database());
    await used(ctx, { expired: LIMIT_MILLIS + 1 }, ATNOW);
    await expect(write(ctx, 'expired', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await write(ctx, 'expired')).toEqual({ value: 'new', replayed: false });
  });

  it('give those who come at once with an expired one a single answer', async () => {
    const ctx = await newAccount(database());
    await used(ctx, { expired: LIMIT_MILLIS + 1 }, ATNOW);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => write(ctx, 'expired', async () => randomUUID())),
    );
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(new Set(answers.map(({ value }) => value)).size).toBe(1);
  });

  it('take two statements of a write, however many its account has', async () => {
    const ctx = await newAccount(database());
    const count = async (key: string) => (await statementsOf(() => write(ctx, key))).statements.length;
    expect(await count('first')).toBe(2);
    const ages = Array.from({ length: 500 }, (_, i) => [`key-${i}`, LIMIT_MILLIS - 250 + i]);
    await used(ctx, Object.fromEntries(ages), ATNOW);
    expect(await count('second')).toBe(2);
    expect(await count('key-499')).toBe(2);
  });

  it('of other requests are left alone by a write, and not locked', async () => {
    const ctx = await newAccount(database());
    const others = Object.fromEntries(
      Array.from({ length: 12 }, (_, i) => [`other-${i}`, LIMIT_MILLIS + 1 + i]),
    );
    await used(ctx, others, ATNOW);
    const locked = `select key from idempotency_key where account_id = $1 and key like 'other-%' for update nowait`;
    await write(ctx, 'own', async () => {
      // PGlite has one connection, which this write has.
      if (database().kind === 'pglite') return;
      expect(await database().query(locked, [ctx.caller.accountId])).toHaveLength(12);
    });
    expect(await keysOf(ctx)).toHaveLength(13);
  });
});
