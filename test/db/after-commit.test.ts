import { expect, it } from 'vitest';
import type { Database } from '../../src/db/client.ts';
import { observedDatabase } from '../../src/observability/statements.ts';
import { describeOnDatabases, newAccount } from '../harness.ts';

describeOnDatabases('what is to be done after a commit', (database) => {
  const ways: [string, () => Promise<Database>][] = [
    ['the database', async () => database()],
    ['the database of an account', async () => (await newAccount(database())).db],
    ['an observed database', async () => observedDatabase(database(), () => () => {})],
  ];

  it.each(ways)('is done at once by %s where nothing is to be committed', async (_, open) => {
    const db = await open();
    const done: string[] = [];
    db.afterCommit(() => done.push('now'));
    expect(done).toEqual(['now']);
  });

  it.each(ways)('waits for the end of a transaction of %s, also of one within it', async (_, open) => {
    const db = await open();
    const done: string[] = [];
    await db.transaction(async (tx) => {
      await tx.transaction(async (inner) => {
        inner.afterCommit(() => done.push('inner'));
        await inner.query('select 1');
      });
      tx.afterCommit(() => done.push('outer'));
      await tx.query('select 1');
      expect(done).toEqual([]);
    });
    expect(done).toEqual(['inner', 'outer']);
  });

  it('is not done where the transaction is undone', async () => {
    const done: string[] = [];
    const undone = database().transaction(async (tx) => {
      tx.afterCommit(() => done.push('undone'));
      throw new Error('no');
    });
    await expect(undone).rejects.toThrow();
    expect(done).toEqual([]);
  });

  it('is done once where the transaction is tried again', async () => {
    const done: number[] = [];
    let attempts = 0;
    await database().transaction(async (tx) => {
      const attempt = ++attempts;
      tx.afterCommit(() => done.push(attempt));
      if (attempt === 1) throw Object.assign(new Error('deadlock'), { code: '40P01' });
    });
    expect(done).toEqual([2]);
  });
});
