import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import type { OpenDatabase } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { keepPulled, pauseMillis } from '../../src/server/keep-pulled.ts';
import { removeFoldersAfterwards, runWith, temporaryFolder } from '../cli/support.ts';
import { describeOnOwnDatabases } from '../harness.ts';
import { emptyPostgresUrl } from '../support/empty-postgres.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { failing, type MarketServer, startMarketServer } from '../support/market-server.ts';
import { serveProcess } from './server-process.ts';

removeFoldersAfterwards();

let market: MarketServer;
beforeEach(async () => {
  market = await startMarketServer();
});
afterEach(() => market.stop());

const RATES = ['/eurofxref-hist.csv'];
const pathsOfPrices = () => Object.keys(market.files).slice(0, 5);
const pricesOf = (db: OpenDatabase) =>
  db.query('select variant_id, amount, as_of::text as day from price order by 1');
const stateOf = async (db: OpenDatabase, kind: string) =>
  (
    await db.query<{ tries: number; waits: number; pulled: boolean }>(
      `select tries, extract(epoch from not_before - now())::float8 as waits, pulled_at is not null as pulled
       from market_pull where kind = $1`,
      [kind],
    )
  )[0];
/** As if the time had come. */
const makeDue = (db: OpenDatabase) =>
  db.query(`update market_pull set not_before = now(), pulled_at = pulled_at - interval '25 hours'`);

describeOnOwnDatabases('market data that is pulled', (database) => {
  let folder: string;
  let told: string[];
  let stops: (() => Promise<void>)[];
  beforeAll(async () => {
    folder = await temporaryFolder();
  });
  beforeEach(() => {
    told = [];
    stops = [];
  });
  afterEach(async () => {
    for (const stop of stops) await stop();
  });

  const logger = pino({ base: null }, { write: (line) => void told.push(JSON.parse(line).msg) });
  const start = (settings: NodeJS.ProcessEnv, now = new Date()) => {
    const { baseUrl } = market;
    const config = loadConfig({
      ...{ DATA_DIR: folder, PULL_PRICES_URL: baseUrl, PULL_RATES_URL: baseUrl },
      ...settings,
    });
    const onFailure = (_: string | null, error: unknown) => void told.push(String(error));
    const stop = keepPulled(config, database().housekeeping, { now: () => now, onFailure, logger });
    stops.push(stop);
    return stop;
  };
  const toldOf = (text: string) =>
    expect.poll(() => told.find((line) => line.includes(text)), { timeout: 20_000 }).toBeDefined();

  it('is what the real files have; nothing of a broken one is kept', async () => {
    market.faults.push(failing(500), market.cut, market.half);
    start({ PULL_PRICES: 'daily' });
    await toldOf('pulled market prices: 7 added, 0 changed, 2 left out. All sample prices were removed');
    const [groups, ...others] = pathsOfPrices();
    expect(market.requested).toEqual([groups, groups, groups, groups, ...others]);
    expect(told.filter((line) => line.includes('trying again'))).toEqual([
      expect.stringContaining('answered 500'),
      expect.stringMatching(/terminated|closed|aborted/),
      expect.stringContaining('cut off'),
    ]);
    expect(await pricesOf(database())).toHaveLength(7);
    expect((await readdir(join(folder, 'pull-cache'))).filter((name) => name.endsWith('.part'))).toEqual([]);
    expect(await stateOf(database(), 'prices')).toMatchObject({ tries: 0, pulled: true });
  });

  it('is not pulled again before it is due', async () => {
    await start({ PULL_PRICES: 'daily' })();
    expect(market.requested).toEqual([]);
    await makeDue(database());
    start({ PULL_PRICES: 'daily' });
    await toldOf('pulled market prices: 0 added');
    expect(market.requested).toEqual(pathsOfPrices());
  });

  it('stays as it was where it cannot be had, and is tried again later and later', async () => {
    const before = await pricesOf(database());
    delete market.files['/tcgplayer/62/24001/prices'];
    for (const [tries, least, most] of [
      [1, 225, 375],
      [2, 450, 750],
    ] as const) {
      told = [];
      await makeDue(database());
      const stop = start({ PULL_PRICES: 'daily' });
      await toldOf('market prices are not pulled, and what was loaded stays; the next try is in');
      expect(told.at(-1)).toMatch(/\d min\. Cannot download .*\/24001\/prices: the server answered 404/);
      await expect
        .poll(async () => (await stateOf(database(), 'prices'))!.waits)
        .toSatisfy((waits: number) => waits > least - 20 && waits <= most);
      expect((await stateOf(database(), 'prices'))!.tries).toBe(tries);
      await stop();
    }
    expect(await pricesOf(database())).toEqual(before);
    market.requested.length = 0;
    await start({ PULL_PRICES: 'daily' })();
    expect(market.requested).toEqual([]);
  });

  it('is left alone for as long as its server asks, up to six hours', async () => {
    for (const [asked, least, most] of [
      [3600, 3500, 3600],
      [10 ** 9, 21_500, 21_600],
    ] as const) {
      told = [];
      await database().query('delete from market_pull');
      market.faults.push((_, response) => response.writeHead(429, { 'Retry-After': String(asked) }).end());
      const stop = start({ PULL_RATES: 'daily' });
      await toldOf(`asks to wait for ${asked} s`);
      await expect
        .poll(async () => (await stateOf(database(), 'rates'))!.waits)
        .toSatisfy((waits: number) => waits > least && waits <= most);
      await stop();
    }
  });

  it('is pulled once an hour at most, whatever the clocks say', async () => {
    const aYear = 365 * 24 * 3600_000;
    const pulled = async (ago: string, wait = '0') => {
      await database().query(
        `insert into market_pull (kind, tries, pulled_at, not_before)
         values ('rates', 0, now() - $1::interval, now() + $2::interval)
         on conflict (kind) do update set tries = 0, pulled_at = excluded.pulled_at, not_before = excluded.not_before`,
        [ago, wait],
      );
      market.requested.length = 0;
      told = [];
    };
    const ahead = new Date(Date.now() + aYear);
    for (const times of ['daily', '06:00']) {
      await pulled('59 minutes');
      await start({ PULL_RATES: times }, ahead)();
      expect(market.requested).toEqual([]);
      await pulled('61 minutes');
      const stop = start({ PULL_RATES: times }, ahead);
      await toldOf('pulled exchange rates');
      await stop();
    }
    // The database's own was ahead when it was pulled, or put off.
    await pulled('-1 year', '1 year');
    const stop = start({ PULL_RATES: 'daily' });
    await toldOf('pulled exchange rates');
    await stop();
    await pulled('-1 year', '8 hours');
    await start({ PULL_RATES: 'daily' })();
    expect(market.requested).toEqual([]);
  });

  it('stays with who pulls it for as long as that takes', async () => {
    await database().query('delete from market_pull');
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    market.faults.push(() => {});
    const stop = start({ PULL_RATES: 'daily' });
    await expect.poll(() => market.requested).toEqual(RATES);
    const waits = async () => (await stateOf(database(), 'rates'))!.waits;
    expect(await waits()).toBeGreaterThan(290);
    await database().query(`update market_pull set not_before = now() + interval '1 second'`);
    await vi.advanceTimersByTimeAsync(60_000);
    await expect.poll(waits).toBeGreaterThan(290);
    expect(await waits()).toBeLessThanOrEqual(300);
    await stop();
  });

  it('is pulled soon after a start that comes later than its time', async () => {
    const now = new Date();
    const lastHour = new Date(now.getTime() - 3600_000).toISOString().slice(11, 16);
    const nextHour = new Date(now.getTime() + 3600_000).toISOString().slice(11, 16);
    start({ PULL_RATES: lastHour });
    await toldOf('pulled exchange rates: ');
    const pulledHoursAgo = (hours: number) =>
      database().query(
        `update market_pull set pulled_at = now() - $1 * interval '1 hour', not_before = now() where kind = 'rates'`,
        [hours],
      );
    market.requested.length = 0;
    await pulledHoursAgo(20);
    await start({ PULL_RATES: nextHour })();
    expect(market.requested).toEqual([]);
    await pulledHoursAgo(24);
    told = [];
    start({ PULL_RATES: nextHour });
    await toldOf('pulled exchange rates: 0 added');
    expect(market.requested).toEqual(RATES);
  });

  it('ends at once in the middle of a download, and leaves it to the next', async () => {
    await database().query('delete from market_pull');
    market.faults.push(() => {});
    const stop = start({ PULL_RATES: 'daily' });
    await expect.poll(() => market.requested).toEqual(RATES);
    await stop();
    // One that had waited for the end of its time would have failed.
    expect(told).toEqual([]);
    const state = (await stateOf(database(), 'rates'))!;
    expect(state).toMatchObject({ tries: 0, pulled: false });
    expect(state.waits).toBeLessThanOrEqual(0);
  });

  it('is pulled by one of many', async () => {
    await database().query('delete from market_pull');
    for (let i = 0; i < 5; i++) start({ PULL_RATES: 'daily', PULL_PRICES: 'daily' });
    await toldOf('pulled exchange rates');
    await toldOf('pulled market prices');
    expect(market.requested.toSorted()).toEqual([...RATES, ...pathsOfPrices()].toSorted());
    // One that died in the middle is waited for five minutes, and no longer.
    await database().query(
      `update market_pull set pulled_at = null, not_before = now() + interval '1 minute'`,
    );
    await start({ PULL_RATES: 'daily' })();
    expect(market.requested).toHaveLength(6);
    await makeDue(database());
    start({ PULL_RATES: 'daily' });
    await expect.poll(() => market.requested.length).toBe(7);
  });
});

it('pauses of failures grow to six hours', () => {
  for (const [tries, minutes] of [
    [1, 5],
    [2, 10],
    [7, 320],
    [8, 360],
    [1000, 360],
  ] as const) {
    const millis = pauseMillis(tries);
    expect(millis).toBeGreaterThanOrEqual(minutes * 60_000 * 0.75);
    expect(millis).toBeLessThanOrEqual(minutes * 60_000 * 1.25);
  }
});

describe('settings of pulls', () => {
  it.each([
    [{ PULL_PRICES: 'noon' }, 'PULL_PRICES must be daily, or a time of the day (UTC) such as 06:00'],
    [{ PULL_RATES: '24:00' }, 'PULL_RATES must be daily, or a time of the day (UTC) such as 06:00'],
    [{ PULL_PRICES_URL: 'ftp://example.org' }, 'PULL_PRICES_URL must be an http or https address'],
  ])('%j ends the start with one line', async (settings, message) => {
    const cwd = await temporaryFolder();
    await expect(serveProcess(settings, cwd)).rejects.toThrow(
      `cardledger cannot start: The configuration is wrong: ${message}.\n`,
    );
    expect(await readdir(cwd)).toEqual([]);
  });
});

describe.skipIf(!inject('postgresUrl'))('processes on one PostgreSQL', () => {
  const settingsOf = async () => {
    const { url } = await loadedPostgresUrl(inject('postgresUrl')!);
    const { baseUrl } = market;
    return {
      ...{ DATABASE_URL: url, PULL_PRICES: 'daily', PULL_RATES: 'daily' },
      ...{ PULL_PRICES_URL: baseUrl, PULL_RATES_URL: baseUrl },
    };
  };

  it('pull once, and commands do not', async () => {
    const settings = await settingsOf();
    const folder = await temporaryFolder();
    expect((await runWith({ ...settings, DATA_DIR: folder }, ['account', 'list'])).code).toBe(0);
    expect(market.requested).toEqual([]);
    const servers = [
      await serveProcess({ ...settings, WORKERS: '2' }, folder),
      await serveProcess(settings, await temporaryFolder()),
    ];
    const isPulled = (server: (typeof servers)[number]) =>
      server.lines.filter(({ msg }) => msg?.startsWith('pulled ')).map(({ added }) => added);
    await expect.poll(() => servers.flatMap(isPulled).length, { timeout: 30_000 }).toBe(2);
    expect(market.requested.toSorted()).toEqual([...RATES, ...pathsOfPrices()].toSorted());
    const db = postgresDatabase(settings.DATABASE_URL);
    expect(await pricesOf(db)).toHaveLength(7);
    await db.close();
    for (const server of servers) expect(await server.stop()).toBe(0);
  });

  it('say at the first start, in lines of JSON, what they load and how to have it pulled', async () => {
    const DATABASE_URL = await emptyPostgresUrl(inject('postgresUrl')!);
    const starts: object[] = [];
    for (let i = 0; i < 2; i++) {
      const server = await serveProcess({ DATABASE_URL }, await temporaryFolder());
      const says = (part: string) => server.lines.some(({ msg }) => msg?.includes(part));
      starts.push({ loads: says(' products'), pulls: says('PULL_PRICES=daily and PULL_RATES=daily') });
      expect(await server.stop()).toBe(0);
      expect(server.output().trim().split('\n')).toHaveLength(server.lines.length);
    }
    expect(starts).toEqual([
      { loads: true, pulls: true },
      { loads: false, pulls: false },
    ]);
  });

  it('leave a pull to others for five minutes where they die in it', async () => {
    const settings = await settingsOf();
    market.faults.push(() => {});
    const server = await serveProcess(settings, await temporaryFolder());
    await expect.poll(() => market.requested).toEqual(RATES);
    process.kill(server.pid, 'SIGKILL');
    const db = postgresDatabase(settings.DATABASE_URL);
    const { waits, tries } = (await stateOf(db, 'rates'))!;
    expect([waits > 240, waits <= 300, tries]).toEqual([true, true, 1]);
    const again = await serveProcess(settings, await temporaryFolder());
    await again.line(({ msg }) => msg?.startsWith('pulled market prices'));
    expect(market.requested.filter((path) => path === RATES[0])).toHaveLength(1);
    expect(await again.stop()).toBe(0);
    await db.close();
  });

  it('end at SIGTERM while they write, and nothing of that is left', async () => {
    const settings = await settingsOf();
    const db = postgresDatabase(settings.DATABASE_URL);
    const before = await pricesOf(db);
    await db.transaction(async (tx) => {
      // The write waits for this, and the server ends before it is given back.
      await tx.query('set local idle_in_transaction_session_timeout = 0');
      await tx.query('lock table price in share mode');
      const server = await serveProcess(settings, await temporaryFolder());
      const waiting = `select 1 from pg_locks where not granted and relation = 'price'::regclass`;
      await expect.poll(async () => (await db.query(waiting)).length, { timeout: 40_000 }).toBe(1);
      expect(await server.stop()).toBe(0);
    });
    expect(await pricesOf(db)).toEqual(before);
    expect(await stateOf(db, 'prices')).toMatchObject({ tries: 0, pulled: false });
    expect((await stateOf(db, 'prices'))!.waits).toBeLessThanOrEqual(0);
    await db.close();
  });

  it('end at SIGTERM in the middle of a pull', async () => {
    const settings = await settingsOf();
    market.faults.push(() => {});
    const server = await serveProcess(settings, await temporaryFolder());
    await expect.poll(() => market.requested).toEqual(RATES);
    expect(await server.stop()).toBe(0);
    expect(server.lines.filter(({ msg }) => / pulled/.test(msg))).toEqual([]);
    const again = await serveProcess(settings, await temporaryFolder());
    await again.line(({ msg }) => msg?.startsWith('pulled market prices'));
    expect(await again.stop()).toBe(0);
  });
});
