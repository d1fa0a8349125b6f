import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { projectPath } from '../../src/paths.ts';
import { describeOnSettings, fileWith, removeFoldersAfterwards } from '../cli/support.ts';
import { fixture, textOfFixture } from './support.ts';

removeFoldersAfterwards();

const now = () => new Date('2026-04-20T10:00:00Z');
const EMPTY = '{"totalItems":0,"success":true,"errors":[],"results":[]}';

let server: Server;
let baseUrl: string;
let requests: IncomingMessage[];
let files: Record<string, string>;

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(request);
    const content = files[request.url!];
    const etag = `"${content?.length}"`;
    if (content === undefined) response.writeHead(404).end();
    else if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
    else response.writeHead(200, { ETag: etag }).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  requests = [];
  files = {
    '/tcgplayer/62/groups': textOfFixture('tcgcsv/groups.json'),
    '/tcgplayer/62/2724/products': textOfFixture('tcgcsv/products.json'),
    '/tcgplayer/62/2724/prices': textOfFixture('tcgcsv/prices.json'),
    '/tcgplayer/62/24001/products': EMPTY,
    '/tcgplayer/62/24001/prices': EMPTY,
    '/eurofxref-hist.csv': textOfFixture('ecb/eurofxref-hist.csv'),
  };
});

describeOnSettings('commands for market data', (subject) => {
  const cli: ReturnType<typeof subject>['cli'] = (args, options) => subject().cli(args, { now, ...options });
  const priced = () =>
    subject().open((db) =>
      db.query<{ day: string; n: number }>(
        'select as_of::text as day, count(*) as n from price group by 1 order by 1',
      ),
    );

  it('pull prices: of all groups, first as a dry run', async () => {
    await cli(['import', 'catalogue', projectPath('data/catalogue.json.gz')]);
    const before = await priced();
    const dry = await cli(['pull', 'prices', '--base-url', baseUrl, '--dry-run', '--json']);
    expect(dry.json).toMatchObject({
      kind: 'prices',
      dryRun: true,
      groups: 2,
      downloaded: 4,
      notModified: 0,
    });
    expect(dry.json.prices).toMatchObject({ added: 7, rejectedCount: 2 });
    expect(await priced()).toEqual(before);
    expect(requests.map(({ url }) => url)).toEqual(Object.keys(files).slice(0, 5));
    for (const { headers } of requests) expect(headers['user-agent']).toMatch(/^cardledger\/\d/);
    const done = await cli(['pull', 'prices', '--base-url', `${baseUrl}/`, '--json']);
    expect(done.json).toMatchObject({ downloaded: 0, notModified: 4, prices: { added: 7, changed: 0 } });
    expect(await priced()).toEqual([{ day: '2026-04-20', n: 7 }]);
  });

  it('pull prices: nothing changes when nothing did; people are told what was left out', async () => {
    const again = await cli(['pull', 'prices', '--base-url', baseUrl]);
    expect(again.stdout).toMatch(/ADDED {2}CHANGED {2}UNCHANGED {2}LEFT OUT\nprices +0 +0 +7 +2\n$/);
    expect(again.stderr).toContain('loaded 2 groups');
    expect(again.stderr).toContain(
      `Left out: 1 unknown product, 1 unknown variant. The first: ${baseUrl}/tcgplayer/62/2724/prices, line `,
    );
  });

  it('pull prices: fails in one line, and leaves the prices', async () => {
    delete files['/tcgplayer/62/24001/prices'];
    const before = await priced();
    const failed = await cli(['pull', 'prices', '--base-url', baseUrl]);
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toMatch(
      /cardledger: Cannot download .*\/24001\/prices: the server answered 404 Not Found\.\n$/,
    );
    const { stderr } = await cli(['pull', 'prices', '--base-url', 'ftp://example.org', '--json']);
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'InvalidUsage' });
    expect(await priced()).toEqual(before);
  });

  it('pull rates: the history, or the archive where there is no CSV', async () => {
    const { json } = await cli(['pull', 'exchange-rates', '--base-url', baseUrl, '--json']);
    expect(json).toMatchObject({
      kind: 'exchange-rates',
      downloaded: 1,
      exchangeRates: { added: 8, rejectedBy: { 'unknown currency': 1 } },
    });
    delete files['/eurofxref-hist.csv'];
    requests = [];
    const missing = await cli(['pull', 'rates', '--base-url', baseUrl]);
    expect(missing.stderr).toContain('eurofxref-hist.zip: the server answered 404');
    expect(requests.map(({ url }) => url)).toEqual(['/eurofxref-hist.csv', '/eurofxref-hist.zip']);
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
