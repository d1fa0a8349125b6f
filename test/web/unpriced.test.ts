import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/db/client.ts';
import { NOW } from '../harness.ts';
import { CHROMIUM, CHROMIUM_ARGS } from '../support/chromium.ts';
import { breaches } from './accessibility.ts';
import { startWebService, type WebService } from './service.ts';

/** As where nothing but the catalogue was imported. */
async function withoutPrices(db: Database): Promise<void> {
  for (const table of [
    'price',
    'price_year',
    'price_day',
    'price_move',
    'index_day',
    'product_ev',
    'product_ev_history',
  ])
    await db.query(`delete from ${table}`);
  await db.query(`delete from market_data where kind in ('prices', 'market-index')`);
  // Expected values are of the revision of their pull rates, which a node may have read by now.
  await db.query(`update market_data set revision = revision + 1 where kind = 'pull-rates'`);
}

/** As where the first prices were imported on the newest day. */
async function withoutPast(db: Database): Promise<void> {
  await db.query('delete from price_year');
  await db.query(`
    insert into price_year (variant_id, source, year, days, currencies, amounts)
    select p.variant_id, p.source, extract(year from m.newest_day), array[m.newest_day], array[p.currency], array[p.amount]
    from price p, market_data m where m.kind = 'prices' and p.amount is not null`);
  await db.query(`
    update price_move set day_currency = null, day_amount = null, week_currency = null, week_amount = null,
      month_currency = null, month_amount = null, year_currency = null, year_amount = null`);
  await db.query('delete from product_ev_history');
}

describe.skipIf(!existsSync(CHROMIUM) && !process.env.CI).each([
  ['without any price', withoutPrices],
  ['without a price of the past', withoutPast],
] as const)(`the page at / %s (needs ${CHROMIUM})`, (_, change) => {
  let service: WebService;
  let browser: Browser;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    service = await startWebService(change);
    browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_ARGS });
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });
  afterEach(() => page?.close());

  const open = async (view: string) => {
    complaints = [];
    page = await browser.newPage({ viewport: { width: 1400, height: 1000 }, locale: 'en-GB' });
    page.setDefaultTimeout(Number(process.env.PATIENCE ?? 120_000));
    await page.addInitScript((time) => {
      Date.now = () => time;
    }, NOW.getTime());
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    await page.goto(`${service.demo}/#/${view}`);
    await page.locator('main h1').waitFor();
  };

  const sees = (text: string | RegExp) => page.getByText(text).first().waitFor();
  const seesAll = async (...texts: (string | RegExp)[]) => {
    for (const text of texts) await sees(text);
    expect(await breaches(page)).toEqual([]);
    expect(complaints).toEqual([]);
  };
  const tile = (name: string) => page.locator('.tile', { hasText: name }).first().textContent();

  if (change === withoutPrices) {
    it('says so on the dashboard, in place of sums, charts and movers', async () => {
      await open('dashboard');
      await seesAll(
        'No price of what was held is known, so there is no value to draw.',
        'No prices are loaded.',
        /were held without a known price/,
      );
      expect(await tile('Value')).toBe('Value—no price of what is held is known');
      expect(await tile('Gain')).toBe('Gain—no price of what is held is known');
      expect(await tile('Return')).toBe('Return—not known: prices are missing');
      expect(await page.locator('.chart').count()).toBe(0);
    });

    it('says so of each holding, and of sealed products', async () => {
      await open('collection');
      await seesAll(/No market price is known, so the market value counts as 0/);
      await page.close();
      await open('sealed');
      await seesAll('There are no expected values yet: they follow from the prices of cards.');
    });
  } else {
    it('begins the chart where prices do, and says what is not known before', async () => {
      await open('dashboard');
      await seesAll(
        /^It begins on 2026-04-13: of days before, not all prices/,
        /Left out: 4 variants without a price on one of these days/,
        'Nothing has gained.',
        'Nothing has lost.',
      );
      await page.getByRole('img', { name: /^1 year: from US\$[\d.]+ on 2026-04-13 to/ }).waitFor();
      expect(await tile('Value')).toMatch(/^ValueUS\$[\d.]+at the latest prices$/);
      expect(await tile('Return')).toBe('Return—not known: prices are missing');
    });
  }

  it('takes what is recorded', async () => {
    await open('record');
    await page.getByRole('combobox', { name: 'Card' }).fill('command and conquer');
    const option = page.getByRole('option', { name: /Command and Conquer/ });
    await option.first().click();
    await page.getByLabel('Price of one').fill('2');
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    await seesAll(/ each · recorded$/);
  });
});
