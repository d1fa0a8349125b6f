import { expect, it } from 'vitest';
import { describeOnOwnDatabases, newAccount } from '../harness.ts';

const SHARED_CONNECTIONS = 2;

describeOnOwnDatabases('the work of the database', (database) => {
  const wait = (kind: string) =>
    kind === 'postgres' ? 'select pg_sleep(0.05)' : 'select count(*) from generate_series(1, 100000)';

  it('is told of the account that asked for it', async () => {
    const db = database();
    const worked = new Map<string, number>();
    db.onWork((accountId, millis) => worked.set(accountId, (worked.get(accountId) ?? 0) + millis));
    const account = async () => {
      const { accountId } = (await newAccount(db)).caller;
      return { accountId, db: db.forAccount(accountId) };
    };
    const [one, other, idle] = [await account(), await account(), await account()];
    const of = ({ accountId }: typeof one) => worked.get(accountId) ?? 0;

    // Where this process stands still meanwhile, a statement seems to take no time.
    while (of(one) <= 10) await one.db.query(wait(db.kind));
    while (of(other) <= 10) await other.db.transaction((tx) => tx.query(wait(db.kind)));
    const before = of(one);
    const failing = 'select 1 / (select 0 * count(*) from generate_series(1, 300000))';
    await expect(one.db.query(failing)).rejects.toThrow('division by zero');
    expect(of(one)).toBeGreaterThan(before);
    expect(of(idle)).toBe(0);
  });

  it('is shared out among statements that share a connection', async () => {
    const db = database();
    let worked = 0;
    db.onWork((_, millis) => {
      worked += millis;
    });
    const account = db.forAccount((await newAccount(db)).caller.accountId);
    const start = performance.now();
    while (worked <= 10) await Promise.all(Array.from({ length: 6 }, () => account.hot(wait(db.kind))));
    expect(worked).toBeLessThanOrEqual((performance.now() - start) * SHARED_CONNECTIONS);
  });
});
