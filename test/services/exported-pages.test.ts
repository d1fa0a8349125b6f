import { expect, it } from 'vitest';
import type { Database } from '../../src/db/client.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import type { Context } from '../../src/services/context.ts';
import { inOneMarket } from '../../src/services/one-market.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { exportedPages } from '../../src/services/transactions/export.ts';
import { describeOnDatabases, newAccount, pricedVariants } from '../harness.ts';
import { entry } from '../support/furnished.ts';
import { newGate } from '../support/gate.ts';

describeOnDatabases('pages of exports', (database) => {
  async function collectionOf(ctx: Context) {
    const [variantId] = (await pricedVariants(database(), 1)) as [string];
    const { id } = await createCollection(ctx, { name: 'Exported' });
    await createTransactions(ctx, id, [entry(variantId)]);
    return id;
  }

  /** The context with statements that wait, and then fail where that is said. */
  function held(ctx: Context, error?: Error) {
    const [asked, until] = [newGate(), newGate()];
    const query: Database['query'] = async (...statement) => {
      asked.open();
      await until.opened;
      if (error) throw error;
      return ctx.db.query(...statement);
    };
    return { ctx: { ...ctx, db: { ...ctx.db, query } }, asked: asked.opened, letGo: until.open };
  }

  it('are written one at a time for an account, whatever becomes of the one before, and beside those of others', async () => {
    const [own, others] = [await newAccount(database()), await newAccount(database())];
    const [id, otherId] = [await collectionOf(own), await collectionOf(others)];
    const first = held(own, new Error('broken'));
    const second = held(own);
    const written: string[] = [];
    const failing = exportedPages(first.ctx, [id], null, 'Cardledger').catch(({ message }) => {
      written.push(message);
    });
    await first.asked;
    second.letGo();
    const next = exportedPages(second.ctx, [id], null, 'Cardledger').then(([page]) => {
      written.push('second');
      return page;
    });
    const [other] = await exportedPages(others, [otherId], null, 'Cardledger');
    // In a transaction none waits for one outside, which may wait for its connection.
    const [inside] = await inOneMarket(own, (snapshot) => exportedPages(snapshot, [id], null, 'Cardledger'));
    expect(written).toEqual([]);
    first.letGo();
    await failing;
    expect(await next).toEqual(inside);
    expect(written).toEqual(['broken', 'second']);
    expect(other!.csv.split('\n')).toHaveLength(3);
  });
});
