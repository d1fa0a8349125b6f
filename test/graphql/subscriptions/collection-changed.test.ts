import { describe, expect, it } from 'vitest';
import { summaryId } from '../../../src/domain/ids.ts';
import { updatePreferences } from '../../../src/services/accounts/update-preferences.ts';
import { createCollection } from '../../../src/services/collections/create.ts';
import { deleteCollection } from '../../../src/services/collections/delete.ts';
import { updateCollection } from '../../../src/services/collections/update.ts';
import { setGoalCollection } from '../../../src/services/goals/set.ts';
import { createTransactions } from '../../../src/services/transactions/create.ts';
import { deleteTransaction } from '../../../src/services/transactions/delete.ts';
import { updateTransaction } from '../../../src/services/transactions/update.ts';
import { asNewAccount, describeOnDatabases, pricedVariants } from '../../harness.ts';
import { contextOf, entry } from '../../support/furnished.ts';
import { COLLECTION_CHANGED, startServer, subscribe } from './support.ts';

describeOnDatabases('collectionChanged', (database) => {
  const start = async () => {
    const server = await startServer(database());
    const ctx = contextOf(database(), server.app);
    const { id } = await createCollection(ctx, { name: 'Followed' });
    const following = async () => {
      const subscription = subscribe(server, id);
      await subscription.connected;
      return subscription;
    };
    return { server, ctx, id, following };
  };

  it('sends each change, with what a cache needs to follow it', async () => {
    const { ctx, id, following } = await start();
    const subscription = await following();
    const [variantId] = (await pricedVariants(database(), 1)) as [string];
    const [created] = await createTransactions(ctx, id, [entry(variantId, { quantity: 3 })]);
    const transactionId = created!.id;
    await subscription.until(1);
    await updateTransaction(ctx, transactionId, { quantity: 5 });
    await subscription.until(2);
    await deleteTransaction(ctx, transactionId);
    await subscription.until(3);
    await setGoalCollection(ctx, id);
    await subscription.until(4);
    await setGoalCollection(ctx, null);
    await subscription.until(5);
    await deleteCollection(ctx, id);
    expect(await subscription.ended).toBe('complete');

    const summary = summaryId(id, variantId);
    const none = {
      transactions: [],
      deletedTransactionIds: [],
      transactionSummaries: [],
      deletedTransactionSummaryIds: [],
    };
    const collection = (quantity: number) => ({ id, name: 'Followed', quantity });
    expect(subscription.changes()).toEqual([
      {
        ...none,
        kind: 'TRANSACTIONS_CREATED',
        collection: collection(3),
        transactions: [{ id: transactionId, quantity: 3 }],
        transactionSummaries: [{ id: summary, quantity: 3 }],
      },
      {
        ...none,
        kind: 'TRANSACTION_UPDATED',
        collection: collection(5),
        transactions: [{ id: transactionId, quantity: 5 }],
        transactionSummaries: [{ id: summary, quantity: 5 }],
      },
      {
        ...none,
        kind: 'TRANSACTION_DELETED',
        collection: collection(0),
        deletedTransactionIds: [transactionId],
        deletedTransactionSummaryIds: [summary],
      },
      { ...none, kind: 'UPDATED', collection: collection(0) },
      { ...none, kind: 'UPDATED', collection: collection(0) },
      { ...none, kind: 'DELETED', collection: null },
    ]);
    const ids = subscription.results.map(({ extensions }) => Number(extensions!.eventId!.split('_').at(-1)));
    expect(ids).toEqual(ids.map((_, i) => ids[0]! + i));
    expect(subscription.results[0]!.extensions!.cost).toMatchObject({ requested: 4002, maximum: 10_000 });
  });

  it('sends the amounts by the cost basis of the account, and all of them anew when that changes', async () => {
    const { server, ctx, id } = await start();
    await updatePreferences(ctx, { costBasis: 'Fifo' });
    const amounts = 'invested { value } profit { value }';
    const query = `subscription ($id: ID!) { collectionChanged(id: $id) {
      kind collection { ${amounts} } transactionSummaries { ${amounts} } } }`;
    const subscription = subscribe(server, id, { query });
    await subscription.connected;
    const [variantId] = (await pricedVariants(database(), 1)) as [string];
    const deal = (action: 'Purchase' | 'Sale', value: number) =>
      entry(variantId, { action, unitAmount: { currency: 'USD', value } });
    const entries = [deal('Purchase', 10), deal('Purchase', 20), deal('Sale', 40)];
    const [first] = await createTransactions(ctx, id, entries);
    await subscription.until(1);
    await updateTransaction(ctx, first!.id, { unitAmount: { currency: 'USD', value: 12 } });
    await subscription.until(2);
    await deleteTransaction(ctx, first!.id);
    await subscription.until(3);
    await updatePreferences(ctx, { costBasis: 'MovingAverage' });
    await subscription.until(4);
    const of = (invested: number, profit: number) => ({
      invested: { value: invested },
      profit: { value: profit },
    });
    const change = (kind: string, totals: object, summaries = [totals]) => ({
      kind,
      collection: totals,
      transactionSummaries: summaries,
    });
    expect(subscription.changes()).toEqual([
      change('TRANSACTIONS_CREATED', of(20, 30)),
      change('TRANSACTION_UPDATED', of(20, 28)),
      change('TRANSACTION_DELETED', of(0, 20)),
      change('REVALUED', of(0, 20), []),
    ]);
  });

  it('goes on after the last event that a client knows, also where the collection was deleted meanwhile', async () => {
    const { server, ctx, id, following } = await start();
    const first = await following();
    await updateCollection(ctx, id, { name: 'Zero' });
    await first.until(1);
    first.stop();
    const lastEventId = first.results.at(-1)!.extensions!.eventId!;
    for (const name of ['One', 'Two', 'Three']) await updateCollection(ctx, id, { name });
    const second = subscribe(server, id, { lastEventId });
    const results = await second.until(3);
    expect(second.changes().map(({ kind }) => kind)).toEqual(['UPDATED', 'UPDATED', 'UPDATED']);
    second.stop();
    await deleteCollection(ctx, id);
    const third = subscribe(server, id, { lastEventId: results[1]!.extensions!.eventId! });
    expect(await third.ended).toBe('complete');
    expect(third.changes().map(({ kind }) => kind)).toEqual(['UPDATED', 'DELETED']);
  });

  describe('refuses', () => {
    const refusal = async (id: string, options = {}) => {
      const { server } = await start();
      const subscription = subscribe(server, id, options);
      expect(await subscription.ended).toBe('complete');
      expect(subscription.results).toHaveLength(1);
      return subscription.results[0]!.errors![0]!.extensions.code;
    };

    it("another account's collection, and one that is not there", async () => {
      const { server, ctx, id } = await start();
      const other = await asNewAccount(database(), server.app.fetch);
      const subscription = subscribe({ ...server, app: other }, id);
      expect(await subscription.ended).toBe('complete');
      expect(subscription.results).toMatchObject([
        { errors: [{ message: 'The collection does not exist.', extensions: { code: 'NotFound' } }] },
      ]);
      await deleteCollection(ctx, id);
      expect(await refusal(id)).toBe('NotFound');
      expect(await refusal('txn_01')).toBe('NotFound');
      expect(await refusal('col_01')).toBe('NotFound');
    });

    it('an id of an event of something else', async () => {
      const { id } = await start();
      for (const lastEventId of ['evt_alerts_1', 'evt_col_01_1', 'nonsense', `evt_${id}_x`])
        expect(await refusal(id, { lastEventId })).toBe('BAD_USER_INPUT');
    });

    it('operations beyond the limits', async () => {
      const { id } = await start();
      const nested = 'transactions { collection { transactions(first: 10) { nodes { id } } } }';
      const query = `subscription ($id: ID!) { collectionChanged(id: $id) { ${nested} } }`;
      expect(await refusal(id, { query })).toBe('COST_LIMIT');
      expect(await refusal(id, { query: '{ nothing }' })).toBe('GRAPHQL_VALIDATION_FAILED');
      const two = COLLECTION_CHANGED.replace('{', '{ other: collectionChanged(id: $id) { kind }');
      expect(await refusal(id, { query: two })).toBe('GRAPHQL_VALIDATION_FAILED');
    });
  });
});
