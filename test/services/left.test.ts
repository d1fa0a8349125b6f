import { expect, it } from 'vitest';
import type { Parts } from '../../src/lib/parts.ts';
import { searchableCatalogue } from '../../src/memory/memory.ts';
import { readInTurns } from '../../src/services/context.ts';
import { searchProducts } from '../../src/services/products/search.ts';
import { countSummaries } from '../../src/services/summaries/list.ts';
import { describeOnOneDatabase, newAccount } from '../harness.ts';

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

  it('is read no further', async () => {
    const leaving = new AbortController();
    let read = 0;
    const most = 1000;
    function* parts(): Parts<number> {
      for (; read < most; read++) {
        if (read === 3) leaving.abort();
        // Longer than a turn, behind which it waits.
        const end = performance.now() + 6;
        while (performance.now() < end);
        yield;
      }
      return read;
    }
    await expect(readInTurns({ leaving: leaving.signal }, parts())).rejects.toMatchObject(reason);
    expect(read).toBeLessThan(most);
  });
});
