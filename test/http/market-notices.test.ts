import { beforeEach, expect, it } from 'vitest';
import { marketWarnings } from '../../src/services/market/state.ts';
import { describeOnOwnDatabases, NOW, newTestApp } from '../harness.ts';
import { sendRaw } from './support.ts';

const PRICES = 'The newest market prices are those of ';
const RATES = 'The newest exchange rates are those of ';
const NONE = 'No market prices are loaded, so market values count as 0';

describeOnOwnDatabases('old market data', (database) => {
  const set = (kind: string, newestDay: string, importedDay = newestDay) =>
    database().query(
      `update market_data set is_sample = false, newest_day = $2::date, imported_at = $3::timestamptz where kind = $1`,
      [kind, newestDay, `${importedDay}T23:59:59Z`],
    );
  const warned = async (today: string) => (await marketWarnings(database(), today)).map(({ fact }) => fact);
  beforeEach(async () => {
    await set('prices', '2026-04-10');
    await set('rates', '2026-04-10');
  });

  it('is older than two days', async () => {
    expect(await warned('2026-04-12')).toEqual([]);
    expect(await warned('2026-04-13')).toEqual([`${PRICES}2026-04-10`, `${RATES}2026-04-10`]);
    const [prices, rates] = await marketWarnings(database(), '2026-04-13');
    expect(prices!.advice).toContain('`cardledger pull prices`');
    expect(prices!.advice).toContain('PULL_PRICES=daily');
    expect(rates!.advice).toContain('`cardledger pull exchange-rates`');
  });

  it('of rates, which holidays have none of, is what was not imported for two days, or has none of the last ten', async () => {
    await set('rates', '2026-04-02', '2026-04-10');
    expect(await warned('2026-04-12')).toEqual([]);
    await set('rates', '2026-04-02', '2026-04-13');
    expect(await warned('2026-04-12')).toEqual([]);
    await set('prices', '2026-04-13');
    expect(await warned('2026-04-13')).toEqual([`${RATES}2026-04-02`]);
  });

  it('is no subject beside samples', async () => {
    await database().query(`update market_data set is_sample = true where kind = 'prices'`);
    expect(await warned('2027-01-01')).toEqual([]);
  });

  it('is told of at the front door and by /readyz', async () => {
    const today = NOW.toISOString().slice(0, 10);
    const app = await newTestApp(database());
    const ready = async () => {
      const { status, body } = await sendRaw(app, 'GET', '/readyz', {});
      return [status, body];
    };
    await set('rates', today);
    await set('prices', today);
    await database().query(`update market_data set is_sample = false`);
    expect(await ready()).toEqual([200, { status: 'ready' }]);
    const home = (accept: string) => sendRaw(app, 'GET', '/', { Accept: accept });
    expect((await home('application/json')).body).not.toHaveProperty('notice');

    await set('prices', '2026-01-02');
    await set('rates', '2026-01-03');
    const told = `${PRICES}2026-01-02. ${RATES}2026-01-03.`;
    expect(await ready()).toEqual([200, { status: 'ready', detail: told }]);
    expect((await home('application/json')).body.notice).toBe(told);
    expect((await home('*/*')).body).toMatch(
      new RegExp(`^cardledger: .*\n${PRICES}2026-01-02\\.\n${RATES}2026-01-03\\.\n\n`),
    );
    expect((await home('text/html')).body).toContain(`<p>${PRICES}2026-01-02.</p>`);

    await database().query(`update market_data set kind = 'prices-of-old' where kind = 'prices'`);
    expect((await ready())[1]).toMatchObject({ detail: expect.stringContaining(`${NONE}. `) });
    await database().query(`update market_data set kind = 'prices' where kind = 'prices-of-old'`);
  });

  it('keeps nobody from serving where it cannot be read', async () => {
    const app = await newTestApp(database());
    await database().query('alter table market_data rename to market_data_of_old');
    const { status, body } = await sendRaw(app, 'GET', '/readyz', {});
    expect([status, body]).toEqual([200, { status: 'ready' }]);
    await database().query('alter table market_data_of_old rename to market_data');
  });
});
