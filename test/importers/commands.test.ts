import { afterEach, beforeEach, expect, it } from 'vitest';
import { projectPath } from '../../src/paths.ts';
import { describeOnSettings, fileWith, removeFoldersAfterwards, runWith } from '../cli/support.ts';
import { type MarketServer, startMarketServer } from '../support/market-server.ts';
import { fixture, textOfFixture } from './support.ts';

removeFoldersAfterwards();

const now = () => new Date('2026-04-20T10:00:00Z');

let market: MarketServer;
beforeEach(async () => {
  market = await startMarketServer();
});
afterEach(() => market.stop());

describeOnSettings('commands for market data', (subject) => {
  const cli: ReturnType<typeof subject>['cli'] = (args, options) => subject().cli(args, { now, ...options });
  const priced = () =>
    subject().open((db) =>
      db.query<{ day: string; n: number }>(
        'select as_of::text as day, count(*) as n from price group by 1 order by 1',
      ),
    );

  it('import prices, import sales: not before there is a catalogue', async () => {
    const prices = ['prices', fixture('tcgcsv/ProductsAndPrices.csv')];
    for (const file of [prices, ['sales', fixture('price-history/488423.json')]]) {
      const { code, stderr } = await cli(['import', ...file]);
      expect([code, stderr]).toEqual([1, expect.stringContaining('undone: the catalogue is empty; start')]);
    }
  });

  it('pull prices: of all groups, first as a dry run', async () => {
    await cli(['import', 'catalogue', projectPath('data/catalogue.json.gz')]);
    const before = await priced();
    const dry = await cli(['pull', 'prices', '--base-url', market.baseUrl, '--dry-run', '--json']);
    expect(dry.json).toMatchObject({
      kind: 'prices',
      dryRun: true,
      groups: 2,
      downloaded: 4,
      notModified: 0,
    });
    expect(dry.json.prices).toMatchObject({ added: 7, rejectedCount: 2 });
    expect(await priced()).toEqual(before);
    expect(market.requested).toEqual(Object.keys(market.files).slice(0, 5));
    for (const agent of market.agents) expect(agent).toMatch(/^cardledger\/\d/);
    const done = await cli(['pull', 'prices', '--base-url', `${market.baseUrl}/`, '--json']);
    expect(done.json).toMatchObject({ downloaded: 0, notModified: 4, prices: { added: 7, changed: 0 } });
    expect(await priced()).toEqual([{ day: '2026-04-20', n: 7 }]);
  });

  it('pull prices: nothing changes when nothing did; people are told what was left out', async () => {
    const again = await cli(['pull', 'prices', '--base-url', market.baseUrl]);
    expect(again.stdout).toMatch(/ADDED {2}CHANGED {2}UNCHANGED {2}LEFT OUT\nprices +0 +0 +7 +2\n$/);
    expect(again.stderr).toContain('read 2 groups');
    expect(again.stderr).toContain(
      `Left out: 1 unknown product, 1 unknown variant. The first: ${market.baseUrl}/tcgplayer/62/2724/prices, line `,
    );
  });

  it('pull prices: fails in one line, and leaves the prices', async () => {
    delete market.files['/tcgplayer/62/24001/prices'];
    const before = await priced();
    const failed = await cli(['pull', 'prices', '--base-url', market.baseUrl]);
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toMatch(
      /cardledger: Cannot download .*\/24001\/prices: the server answered 404 Not Found\.\n$/,
    );
    const { stderr } = await cli(['pull', 'prices', '--base-url', 'ftp://example.org', '--json']);
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'InvalidUsage' });
    expect(await priced()).toEqual(before);
  });

  it('pull rates: the history, or the archive where there is no CSV', async () => {
    const { json } = await cli(['pull', 'exchange-rates', '--base-url', market.baseUrl, '--json']);
    expect(json).toMatchObject({
      kind: 'exchange-rates',
      downloaded: 1,
      exchangeRates: { added: 8, rejectedBy: { 'unknown currency': 1 } },
    });
    delete market.files['/eurofxref-hist.csv'];
    market.requested.length = 0;
    const environment = { ...subject().environment, PULL_RATES_URL: market.baseUrl };
    const missing = await runWith(environment, ['pull', 'rates'], { now });
    expect(missing.stderr).toContain('eurofxref-hist.zip: the server answered 404');
    expect(market.requested).toEqual(['/eurofxref-hist.csv', '/eurofxref-hist.zip']);
  });

  it('import prices: of a day, which may not be to come', async () => {
    const csv = fixture('tcgcsv/ProductsAndPrices.csv');
    const early = await cli(['import', 'prices', '--day', '2026-04-19', csv]);
    expect(early.stderr).toContain(
      'prices of 2026-04-19 are older than those that are loaded, of 2026-04-20',
    );
    const late = await cli(['import', 'prices', '--day', '2026-04-21', csv]);
    expect(late.stderr).toContain('--day: 2026-04-21 has not come yet.');
    const { json } = await cli(['import', 'prices', csv, '--json']);
    expect(json).toMatchObject({ kind: 'prices', files: [csv], prices: { added: 7, rejectedCount: 2 } });
  });

  it('import sales: named after the product, or with its id', async () => {
    const histories = [fixture('price-history/488423.json')];
    const { json } = await cli(['import', 'sales', ...histories, '--json']);
    expect(json).toMatchObject({ saleVolumes: { added: 2, rejectedCount: 1 }, priceHistory: { added: 3 } });
    const named = await fileWith(textOfFixture('price-history/488423-quarter.json'), 'json');
    const given = await cli(['import', 'sales', '--product', '488423', named, '--dry-run', '--json']);
    expect(given.json).toMatchObject({
      dryRun: true,
      saleVolumes: { rejectedCount: 1 },
      priceHistory: { added: 3 },
    });
  });

  it('import catalogue: the-fab-cube', async () => {
    const cube = ['card', 'card-printing', 'card-face-association', 'set', 'set-printing'];
    const { json } = await cli([
      'import',
      'catalogue',
      ...cube.map((name) => fixture(`fab-cube/${name}.csv`)),
      '--json',
    ]);
    expect(json).toMatchObject({
      kind: 'catalogue',
      products: { added: 2 },
      variants: { added: 2, rejectedCount: 0 },
    });
  });
});
