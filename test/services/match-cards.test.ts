import { expect, it } from 'vitest';
import { matchCards } from '../../src/services/transactions/match-cards.ts';
import { describeOnDatabases, newAccount } from '../harness.ts';

describeOnDatabases('suggestions for cards of a file', (database) => {
  it('are searched once for each text that differs, and take a word once', async () => {
    const { suggest } = await matchCards(await newAccount(database()), []);
    const [once, oftener] = await suggest([
      { name: 'Command and Conquer (Foil)' },
      { name: 'Command and Conquer Conquer Conquer (Foil) (Foil)' },
    ]);
    expect(once!.length).toBeGreaterThan(0);
    expect(oftener!.map(({ productId }) => productId)).toEqual(once!.map(({ productId }) => productId));
  });

  it('are searched for nobody where the client has left', async () => {
    const leaving = new AbortController();
    const { suggest } = await matchCards({ ...(await newAccount(database())), leaving: leaving.signal }, []);
    leaving.abort();
    await expect(suggest([{ name: 'Command and Conquer' }])).rejects.toMatchObject({
      problem: 'MalformedRequest',
    });
  });
});
