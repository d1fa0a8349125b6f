import { expect, it } from 'vitest';
import { searchableCatalogue } from '../../src/memory/memory.ts';
import { searchProducts } from '../../src/services/products/search.ts';
import { countSummaries } from '../../src/services/summaries/list.ts';
import { describeOnOneDatabase, newAccount } from '../harness.ts';

describeOnOneDatabase('what a client asked to be read that has left', (database) => {
  it('is not read', async () => {
    const ctx = await newAccount(database());
    await searchableCatalogue(ctx);
    const leaving = new AbortController();
    const asker = { ...ctx, leaving: leaving.signal };
    await searchProducts(asker, '-dragon');
    const asked = [searchProducts(asker, '-dragon'), countSummaries(asker, [], '-dragon')];
    leaving.abort();
    const reason = { problem: 'MalformedRequest', message: 'The client left before the answer.' };
    for (const outcome of await Promise.allSettled(asked))
      expect(outcome).toMatchObject({ status: 'rejected', reason });
  });
});
