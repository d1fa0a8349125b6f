import { expect, it, onTestFinished, vi } from 'vitest';
import { HeldLedger } from '../../src/memory/ledgers.ts';
import { searchableCatalogue } from '../../src/memory/memory.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { searchProducts } from '../../src/services/products/search.ts';
import { countSummaries } from '../../src/services/summaries/list.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { describeOnOneDatabase, newAccount, pricedVariants } from '../harness.ts';
import { entry } from '../support/furnished.ts';

const reason = { problem: 'MalformedRequest', message: 'The client left before the answer.' };

describeOnOneDatabase('what a client asked to be read that has left', (database) => {
  it('is not read', async () => {
    const ctx = await newAccount(database());
    await searchableCatalogue(ctx);
    const leaving = new AbortController();
    const asker = { ...ctx, leaving: leaving.signal };
    await searchProducts(asker, '-dragon');
    const asked = [searchProducts(asker, '-dragon'), countSummaries(asker, [], '-dragon')];
    leaving.abort();
    for (const outcome of await Promise.allSettled(asked))
      expect(outcome).toMatchObject({ status: 'rejected', reason });
  });

  it('is read no further in memory', async () => {
    const ctx = await newAccount(database());
    const { id } = await createCollection(ctx, { name: 'Left' });
    await createTransactions(ctx, id, [entry((await pricedVariants(database(), 1))[0]!)]);
    const count = (leaving?: AbortSignal) => countSummaries({ ...ctx, leaving }, [id], 'quantity>0');
    expect(await count()).toEqual([1]);
    const leaving = new AbortController();
    let parts = 0;
    const most = 1000;
    const where = vi.spyOn(HeldLedger.prototype, 'where').mockImplementation(function* () {
      for (; parts < most; parts++) {
        if (parts === 3) leaving.abort();
        // Longer than a turn, behind which it waits.
        const end = performance.now() + 6;
        while (performance.now() < end);
        yield;
      }
      return null;
    });
    onTestFinished(() => where.mockRestore());
    await expect(count(leaving.signal)).rejects.toMatchObject(reason);
    expect(parts).toBeGreaterThanOrEqual(3);
    expect(parts).toBeLessThan(most / 10);
  });
});
