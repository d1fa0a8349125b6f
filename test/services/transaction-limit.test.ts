import { beforeAll, expect, it } from 'vitest';
import { setLimits } from '../../src/services/accounts/set-limits.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import type { Context } from '../../src/services/context.ts';
import { ShareUsedUp, withShare } from '../../src/services/transactions/share.ts';
import {
  asNewAccount,
  describeOnDatabases,
  newAccount,
  newTestApp,
  pricedVariants,
  type TestApp,
} from '../harness.ts';
import { expectProblem, newCollection, purchase } from '../http/support.ts';

describeOnDatabases('the transactions of an account', (database) => {
  let variant: string;

  beforeAll(async () => {
    variant = (await pricedVariants(database(), 1))[0]!;
  });

  const one = (app: TestApp, id: string, headers = {}) =>
    app.send('POST', `/collection/${id}/transaction`, purchase(variant), headers);
  const many = async (app: TestApp, collectionId: string, count: number, idempotencyKey?: string) => {
    const entry = {
      variantId: variant,
      occurredDate: '2026-01-31',
      action: 'PURCHASE',
      quantity: 1,
      unitAmount: { currency: 'USD', value: 1 },
    };
    const input = { collectionId, transactions: Array.from({ length: count }, () => entry), idempotencyKey };
    const { createTransactions } = await app.graphql<{ createTransactions: object }>(
      `mutation ($input: CreateTransactionsInput!) { createTransactions(input: $input) {
        __typename ... on LimitExceeded { message limit current } } }`,
      { input },
    );
    return createTransactions;
  };
  const imported = async (app: TestApp, collectionId: string, count: number, idempotencyKey?: string) => {
    const csv = `occurredDate,action,quantity,unitAmount,currency,variantId\n${`2026-01-31,Purchase,1,1,USD,${variant}\n`.repeat(count)}`;
    const { importTransactions } = await app.graphql<{ importTransactions: object }>(
      `mutation ($input: ImportTransactionsInput!) { importTransactions(input: $input) {
        __typename ... on LimitExceeded { limit current } ... on ImportTransactionsPayload { written } } }`,
      { input: { collectionId, csv, idempotencyKey } },
    );
    return importTransactions;
  };
  const limits = async (app: TestApp) => {
    type Answer = { viewer: { limits: { maxTransactions: number; transactionCount: number } } };
    return (await app.graphql<Answer>('{ viewer { limits { maxTransactions transactionCount } } }')).viewer
      .limits;
  };
  const succeeded = (answers: { status: number }[]) => answers.filter(({ status }) => status === 200);

  it('are 2,000,000 at most where nothing else is set', async () => {
    const app = await newTestApp(database());
    const id = await newCollection(app);
    await database().query('update collection set transaction_count = 1999999 where account_id = $1', [
      app.accountId,
    ]);
    expect((await one(app, id)).status).toBe(200);
    const refused = await one(app, id);
    expectProblem(refused, 'LimitExceeded');
    expect(refused.body).toMatchObject({ limit: 2_000_000, current: 2_000_000 });
    expect(await limits(app)).toEqual({ maxTransactions: 2_000_000, transactionCount: 2_000_000 });
  });

  it.each([
    ['of one collection', 1],
    ['of many collections', 20],
  ])('are exactly as many as it may have after racing requests %s', async (_name, count) => {
    const app = await newTestApp(database(), { maxTransactions: 7 });
    const ids: string[] = [];
    for (let i = 0; i < count; i++) ids.push(await newCollection(app));
    const untilAnswered = async (id: string) => {
      let answer = await one(app, id);
      // Whose turn did not come on a slow machine.
      while (answer.status === 503) answer = await one(app, id);
      return answer;
    };
    const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => untilAnswered(ids[i % count]!)));
    expect(succeeded(answers)).toHaveLength(7);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expectProblem(answer, 'LimitExceeded');
      expect(answer.body).toMatchObject({ limit: 7, current: 7 });
    }
    expect(await limits(app)).toEqual({ maxTransactions: 7, transactionCount: 7 });
  });

  it('are bounded on every way, with a key and without', async () => {
    const app = await newTestApp(database(), { maxTransactions: 12 });
    const [a, b] = [await newCollection(app), await newCollection(app)];
    const full = (current: number) => ({ __typename: 'LimitExceeded', limit: 12, current });
    expect(await many(app, a, 3)).toEqual({ __typename: 'CreateTransactionsPayload' });
    expect(await many(app, a, 3, 'bulk')).toEqual({ __typename: 'CreateTransactionsPayload' });
    expect(await many(app, b, 7)).toMatchObject(full(6));
    expect(await imported(app, b, 7, 'import')).toEqual(full(6));
    expect(await imported(app, b, 2)).toMatchObject({ written: true });
    expect(await imported(app, b, 2, 'import-2')).toMatchObject({ written: true });
    expect((await one(app, a, { 'Idempotency-Key': 'a' })).status).toBe(200);
    expect((await one(app, b)).status).toBe(200);
    expectProblem(await one(app, a, { 'Idempotency-Key': 'b' }), 'LimitExceeded');
    expectProblem(await one(app, b), 'LimitExceeded');
    expect(await many(app, a, 1, 'bulk-2')).toMatchObject(full(12));
    expect(await imported(app, a, 1)).toEqual(full(12));
    // What was done once is not done again, and needs no room.
    expect((await one(app, a, { 'Idempotency-Key': 'a' })).headers.get('Idempotency-Replayed')).toBe('true');
    expect(await many(app, a, 3, 'bulk')).toEqual({ __typename: 'CreateTransactionsPayload' });
    expect((await limits(app)).transactionCount).toBe(12);
  });

  it('give their place away when they, or their collection, are deleted', async () => {
    const app = await newTestApp(database(), { maxTransactions: 2 });
    const [a, b] = [await newCollection(app), await newCollection(app)];
    const first = await one(app, a);
    expect((await one(app, a)).status).toBe(200);
    expectProblem(await one(app, b), 'LimitExceeded');
    await app.send('DELETE', `/transaction/${first.body.transactionId}`);
    expect((await one(app, b)).status).toBe(200);
    expectProblem(await one(app, a), 'LimitExceeded');
    await app.send('DELETE', `/collection/${a}`);
    expect((await one(app, b)).status).toBe(200);
    expectProblem(await one(app, b), 'LimitExceeded');
  });

  it('are bounded by another limit at once, whatever shares collections have', async () => {
    const app = await newTestApp(database());
    const other = await asNewAccount(database(), app.fetch);
    const [id, others] = [await newCollection(app), await newCollection(other)];
    expect((await one(app, id)).status).toBe(200);
    expect((await one(other, others)).status).toBe(200);
    await setLimits(database(), { accountId: app.accountId, maxTransactions: 2 });
    expect((await one(app, id)).status).toBe(200);
    expectProblem(await one(app, id), 'LimitExceeded');
    await setLimits(database(), { accountId: app.accountId, maxTransactions: 1 });
    expect((await one(app, id)).body).toMatchObject({ limit: 1, current: 2 });
    await setLimits(database(), { accountId: app.accountId, maxTransactions: 3 });
    expect((await one(app, id)).status).toBe(200);
    expect((await one(other, others)).status).toBe(200);
  });

  it('are refused behind what is missing', async () => {
    const app = await newTestApp(database(), { maxTransactions: 0 });
    const id = await newCollection(app);
    expectProblem(await one(app, id), 'LimitExceeded');
    const missing = await app.send('POST', `/collection/${id}/transaction`, purchase('var_0000000000000000'));
    expectProblem(missing, 'NotFound');
    expectProblem(await one(app, 'col_01kn3w4v5h2c8q6r9t0m1n2p3q'), 'NotFound');
  });

  it('are recorded with the share in one transaction where others use it up meanwhile, and only that often', async () => {
    const ctx = await newAccount(database());
    const { id } = await createCollection(ctx, { name: 'Shared' });
    const share = async ({ db }: Context) => {
      const [row] = await db.query<{ share: number }>(
        'select transaction_share as share from collection where account_id = $1 and id = $2',
        [ctx.caller.accountId, id],
      );
      return row!.share;
    };
    const usedUpAt = (tries: number) => {
      const seen: { isTransaction: boolean; share: number }[] = [];
      const written = withShare(ctx, id, async (own) => {
        seen.push({ isTransaction: own.db.isTransaction, share: await share(own) });
        if (seen.length <= tries) {
          await own.db.query(
            'update collection set transaction_share = 0 where account_id = $1 and id = $2',
            [ctx.caller.accountId, id],
          );
          throw new ShareUsedUp(5);
        }
        return seen;
      });
      return { seen, written };
    };
    const alone = { isTransaction: false, share: 0 };
    expect(await usedUpAt(2).written).toEqual([
      alone,
      { isTransaction: false, share: 1005 },
      { isTransaction: true, share: 1005 },
    ]);
    const { seen, written } = usedUpAt(3);
    await expect(written).rejects.toThrowError(ShareUsedUp);
    expect(seen).toHaveLength(3);
  });
});
