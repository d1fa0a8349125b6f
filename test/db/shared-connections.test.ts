import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type OpenDatabase, postgresDatabase } from '../../src/db/client.ts';

const url = inject('postgresUrl');
const SHARED = 3;
const STATEMENTS = 48;

const times = <T>(count: number, work: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)));

describe.skipIf(!url)('hot statements', () => {
  let db: OpenDatabase;

  beforeAll(() => {
    db = postgresDatabase(url!);
  });
  afterAll(() => db.close());

  it('share three connections, and each gets its own answer', async () => {
    const answers = await times(200, async (i) => {
      const [row] = await db.hot<{ i: number; pid: number }>(
        'select $1::int as i, pg_backend_pid() as pid, pg_sleep(0.001)',
        [i],
      );
      return row!;
    });
    expect(answers.map(({ i }) => i)).toEqual(answers.map((_, i) => i));
    expect(new Set(answers.map(({ pid }) => pid)).size).toBe(SHARED);
    expect(db.pools!.shared).toMatchObject({ size: STATEMENTS, inUse: 0, waiting: 0 });
  });

  it('are sent up to a number, and wait beyond', async () => {
    const under = times(STATEMENTS, () => db.hot('select pg_sleep(0.01)'));
    await new Promise(setImmediate);
    expect(db.pools!.shared).toMatchObject({ inUse: STATEMENTS, waiting: 0 });
    const beyond = db.hot('select 1 as x');
    await new Promise(setImmediate);
    expect(db.pools!.shared).toMatchObject({ inUse: STATEMENTS, waiting: 1 });
    await under;
    expect(await beyond).toEqual([{ x: 1 }]);
    expect(db.pools!.shared).toMatchObject({ inUse: 0, waiting: 0 });
  });

  it('fail alone', async () => {
    const answers = await times(30, (i) =>
      db.hot<{ x: number }>('select 12 / $1::int as x', [i % 3]).catch(({ message }) => message),
    );
    const failed = answers.filter((answer) => !Array.isArray(answer));
    expect(failed).toHaveLength(10);
    expect(failed[0]).toMatch(/division by zero/);
    expect(answers.filter((_, i) => i % 3 === 2)).toEqual(Array.from({ length: 10 }, () => [{ x: 6 }]));
  });

  it('that come behind slow ones are given up no earlier than those', async () => {
    const answers = await times(2 * SHARED, () => db.hot<{ x: number }>('select 1 as x, pg_sleep(3)'));
    expect(answers.map(([row]) => row!.x)).toEqual(Array.from({ length: 2 * SHARED }, () => 1));
  });

  it('leave room for transactions, which have connections of their own', async () => {
    const slow = times(STATEMENTS, () => db.hot('select pg_sleep(0.02)'));
    const pids = await db.transaction(async (tx) => [
      ...(await tx.query<{ pid: number }>('select pg_backend_pid() as pid')),
      ...(await tx.hot<{ pid: number }>('select pg_backend_pid() as pid')),
    ]);
    expect(pids[0]).toEqual(pids[1]);
    await slow;
  });
});
