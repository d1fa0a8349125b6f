import { expect, it } from 'vitest';
import { createAccount } from '../../src/services/accounts/create.ts';
import { describeOnOwnDatabases, NOW } from '../harness.ts';
import { eventually } from '../support/eventually.ts';

const DROPS_ACTIVE_PORTAL = `do $$ begin raise exception 'cannot drop active portal ""' using errcode = '24000'; end $$`;
const SESSION = `select current_setting('test.session', true) as mark`;

describeOnOwnDatabases('a session that has not cleaned up behind a statement', (database) => {
  it('is given up, and whoever met it told that the database cannot be reached', async () => {
    const db = database();
    await db.query(`select set_config('test.session', 'broken', false)`);
    expect(await db.query(SESSION)).toEqual([{ mark: 'broken' }]);
    await expect(db.query(DROPS_ACTIVE_PORTAL)).rejects.toMatchObject({
      problem: 'Unavailable',
      message: 'The database cannot be reached at the moment. Try again shortly.',
    });
    const mark = await eventually(() => db.query<{ mark: string | null }>(SESSION));
    expect(mark[0]!.mark || null).toBeNull();
  });

  it('gives up its transaction, of which nothing is kept', async () => {
    const db = database();
    const { length } = await db.query('select 1 from account');
    const half = db.transaction(async (tx) => {
      await createAccount(tx, { name: 'Half', now: NOW });
      await tx.query(DROPS_ACTIVE_PORTAL);
    });
    await expect(half).rejects.toMatchObject({ problem: 'Unavailable' });
    expect(await eventually(() => db.query('select 1 from account'))).toHaveLength(length);
  });
});
