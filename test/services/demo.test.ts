import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { ensureDemoClient } from '../../src/demo.ts';
import { addDays } from '../../src/domain/dates.ts';
import { getDashboard } from '../../src/services/accounts/get.ts';
import { getDashboardHistory } from '../../src/services/collections/history.ts';
import { NOW, ownDatabase } from '../harness.ts';

describe('the demo client', () => {
  let first: OpenDatabase;
  let second: OpenDatabase;
  let dataDir: string;
  beforeAll(async () => {
    [first, second] = await Promise.all([ownDatabase('pglite'), ownDatabase('pglite')]);
    dataDir = await mkdtemp(join(tmpdir(), 'cardledger-demo-'));
  });
  afterAll(async () => {
    await Promise.all([first.close(), second.close()]);
    await rm(dataDir, { recursive: true });
  });

  it('stays that of each database that uses the directory', async () => {
    const ofFirst = await ensureDemoClient(first, dataDir, NOW);
    expect(await ensureDemoClient(first, dataDir, NOW)).toEqual(ofFirst);
    const ofSecond = await ensureDemoClient(second, dataDir, NOW);
    expect(ofSecond.clientId).not.toBe(ofFirst.clientId);
    expect(await ensureDemoClient(first, dataDir, NOW)).toEqual(ofFirst);
    expect(JSON.parse(await readFile(ofFirst.path, 'utf8')).clientId).toBe(ofFirst.clientId);
    expect(await ensureDemoClient(second, dataDir, NOW)).toEqual(ofSecond);
    expect(await readdir(dataDir)).toHaveLength(2 + 1);
  });

  it('holds cards with made-up prices since they were bought, which lead up to those of the newest day', async () => {
    const demo = await ensureDemoClient(first, dataDir, NOW);
    const ctx = { db: first.forAccount(demo.accountId), caller: demo, now: () => NOW };
    const { newest } = (
      await first.query<{ newest: string }>(
        `select newest_day::text as newest from market_data where kind = 'prices'`,
      )
    )[0]!;
    const points = await getDashboardHistory(ctx, {
      from: addDays(newest, -7 * 52),
      to: newest,
      interval: 'Week',
    });
    expect(points.map(({ unpricedVariants }) => unpricedVariants)).toEqual(points.map(() => 0));
    expect(new Set(points.map(({ marketValue }) => marketValue.amount)).size).toBeGreaterThan(12);
    const { marketValue } = await getDashboard(ctx);
    expect(points.at(-1)!.marketValue.amount).toBe(marketValue.amount);
    const prices = await first.query<{ count: number }>(
      'select count(distinct variant_id)::int as count from price_year where cardinality(days) > 1',
    );
    expect(prices[0]!.count).toBe(4 + 3 + 6);
    const years = await first.query<{ amounts: string[]; days: string[] }>(
      `select array_to_json(amounts) as amounts, array_to_json(days) as days from price_year
       where variant_id in (select variant_id from price_year where cardinality(days) > 1) order by variant_id, year`,
    );
    for (const { amounts } of years) {
      for (const [i, amount] of amounts.slice(1).entries()) {
        const before = Number(amounts[i]);
        expect(Math.abs(Number(amount) - before)).toBeLessThan(0.09 * before + 0.011);
      }
    }
    // The market's index goes back as far.
    const [index] = await first.query<{ first: string }>('select min(day)::text as first from index_day');
    expect(index!.first).toBe(years.flatMap(({ days }) => days).sort()[0]);
    // Another account on the same database leaves them as they are.
    const before = await first.query('select * from price_year where cardinality(days) > 1 order by 1, 3');
    const other = await mkdtemp(join(tmpdir(), 'cardledger-demo-'));
    await ensureDemoClient(first, other, NOW);
    await rm(other, { recursive: true });
    expect(await first.query('select * from price_year where cardinality(days) > 1 order by 1, 3')).toEqual(
      before,
    );
  });
});
