import { describe, expect, it } from 'vitest';
import { type AccountAccess, HeldAccess } from '../../src/memory/access.ts';

const FOUND: AccountAccess = { parentId: 'own', suspended: false };
const elapsed = () => 0;

describe('the access to accounts that is held', () => {
  it('is that of the platform that asks: what one does not see another one does', async () => {
    const access = new HeldAccess();
    const asked: string[] = [];
    const accessOf = (platformId: string) =>
      access.of(platformId, 'account', elapsed, async () => {
        asked.push(platformId);
        return platformId === 'own' ? FOUND : null;
      });
    // Both are under way at once.
    expect(await Promise.all([accessOf('other'), accessOf('own')])).toEqual([null, FOUND]);
    expect([accessOf('other'), accessOf('own')]).toEqual([null, FOUND]);
    expect(asked).toEqual(['other', 'own']);
  });

  it('is not refused to one since another one has asked too often', async () => {
    const access = new HeldAccess();
    const refused = access.of('other', 'account', elapsed, async () => {
      throw new Error('too often');
    });
    const found = access.of('own', 'account', elapsed, async () => FOUND);
    await expect(refused).rejects.toThrow('too often');
    expect(await found).toEqual(FOUND);
  });

  it('is asked for again by all once the account is forgotten', async () => {
    const access = new HeldAccess();
    let suspended = false;
    const accessOf = (accountId: string) =>
      access.of('own', accountId, elapsed, async () => ({ parentId: 'own', suspended }));
    await Promise.all([accessOf('account'), accessOf('another')]);
    suspended = true;
    access.forget('account');
    expect(await accessOf('account')).toMatchObject({ suspended: true });
    expect(accessOf('another')).toMatchObject({ suspended: false });
  });
});
