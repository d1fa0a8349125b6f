import { existsSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { type Browser, type BrowserContext, chromium, type Page, type Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PageRequest } from '../../src/domain/pagination.ts';
import { projectPath } from '../../src/paths.ts';
import { updatePreferences } from '../../src/services/accounts/update-preferences.ts';
import { deleteCollection } from '../../src/services/collections/delete.ts';
import { collectionOrder, listCollections } from '../../src/services/collections/list.ts';
import { updateCollection } from '../../src/services/collections/update.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { listTransactions, transactionOrder } from '../../src/services/transactions/list.ts';
import { NOW } from '../harness.ts';
import { CHROMIUM, CHROMIUM_ARGS } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { entry } from '../support/furnished.ts';
import { newGate } from '../support/gate.ts';
import { breaches } from './accessibility.ts';
import { HOUSE_RULE, startWebService, type WebService } from './service.ts';

const ALL: PageRequest = { kind: 'position', position: 0, size: 100 };
const COMMAND_AND_CONQUER = 'var_atzw90sz174deze4';

/** What each view has once it is there. */
const VIEWS = {
  dashboard: 'The figures as a table',
  collection: "Fyendal's Spring Tunic",
  record: 'Latest in the collection',
  import: 'Drop a file here, or choose one',
  sealed: 'What the value is made of',
  alerts: 'None yet.',
} as const;

const CSV = {
  name: 'mine.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(
    'occurredDate,action,quantity,unitAmount,currency,number,variantName\n2025-03-01,Purchase,2,4.50,USD,MST131,Normal',
  ),
};

const SIZES = [
  { width: 360, height: 740, colorScheme: 'dark', reducedMotion: 'reduce' },
  { width: 1400, height: 1000, colorScheme: 'light', reducedMotion: 'no-preference' },
  { width: 2000, height: 1200, colorScheme: 'dark', reducedMotion: 'no-preference' },
] as const;

describe.skipIf(!existsSync(CHROMIUM) && !process.env.CI)(`the page at / (needs ${CHROMIUM})`, () => {
  let service: WebService;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];
  let requested: string[];

  beforeAll(async () => {
    service = await startWebService();
    browser = await chromium.launch({ executablePath: CHROMIUM, args: [...CHROMIUM_ARGS, HOUSE_RULE] });
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });
  beforeEach(async () => {
    complaints = [];
    requested = [];
    context = await browser.newContext({ viewport: { width: 1400, height: 1000 }, locale: 'en-GB' });
    context.setDefaultTimeout(Number(process.env.PATIENCE ?? 120_000));
    page = await newPage();
  });
  afterEach(async () => {
    await context.close();
    const origins = new Set(requested.map((url) => new URL(url).origin));
    const own = [service.demo, service.production, service.house];
    expect([...origins].filter((origin) => !own.includes(origin))).toEqual([]);
  });

  const newPage = async () => {
    const opened = await context.newPage();
    // The browser is at the time of the service, and its clock goes on.
    await opened.addInitScript((time) => {
      const ahead = time - Date.now();
      const now = Date.now.bind(Date);
      Date.now = () => now() + ahead;
    }, NOW.getTime());
    opened.on('request', (request) => requested.push(request.url()));
    opened.on('pageerror', (error) => complaints.push(error.message));
    opened.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    return opened;
  };
  const open = async (view: string, at = page) => {
    await at.goto(`${service.demo}/#/${view}`);
    await at.locator('main h1').waitFor();
  };
  const sees = (text: string | RegExp, at = page) => at.getByText(text).first().waitFor();
  const rowsShown = () => page.locator('.holdings-body .name b').allTextContents();
  const answers = (operation: string) =>
    page.waitForResponse((response) => response.request().postDataJSON()?.operationName === operation);

  const pickCommandAndConquer = async () => {
    await page.getByRole('combobox', { name: 'Card' }).fill('command and conquer');
    await page
      .getByRole('option', { name: /Command and Conquer/ })
      .first()
      .click();
  };

  const signIn = async (address: string) => {
    await page.goto(`${address}/`);
    await page.getByLabel('Client id').fill(service.client.clientId);
    await page.getByLabel('Client secret').fill(service.client.clientSecret);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await sees('The figures as a table');
  };
  /** Tries again what has failed, until all of it is there. */
  const untilNoProblem = async () => {
    const again = page.getByRole('button', { name: 'Try again' });
    await eventually(async () => {
      // It may be gone before it is clicked.
      if ((await again.count()) > 0)
        await again
          .first()
          .click({ timeout: 1000 })
          .catch(() => {});
      expect(await page.locator('.problem').allTextContents()).toEqual([]);
    });
  };
  /** The next answer of an operation is lost behind its work. */
  const loseAnswer = async (operation: string) => {
    let isLost = false;
    await page.route('**/graphql', async (route) => {
      if (isLost || route.request().postDataJSON()?.operationName !== operation) return route.continue();
      isLost = true;
      expect((await route.fetch()).ok()).toBe(true);
      await route.abort();
    });
  };
  /** What an operation sent, each time. */
  const inputsOf = (operation: string) => {
    const inputs: Record<string, unknown>[] = [];
    page.on('request', (request) => {
      const body = request.url().endsWith('/graphql') ? request.postDataJSON() : null;
      if (body?.operationName === operation) inputs.push(body.variables.input);
    });
    return inputs;
  };
  const transactionsOf = async (collectionId: string) => {
    const [page] = await listTransactions(
      service.ctx,
      [collectionId],
      transactionOrder('Chronological'),
      ALL,
    );
    return page!.items.length;
  };

  it('is small', () => {
    const [js, css] = ['main.js', 'main.css'].map((file) => readFileSync(projectPath(`dist/web/${file}`)));
    const bytes = gzipSync(js!, { level: 9 }).length;
    expect(bytes).toBeLessThan(150_000);
    console.error(`script ${bytes} bytes compressed, styles ${gzipSync(css!).length}`);
  });

  it.each([
    ['/', '.tile'],
    ['/graphql', '.graphiql-execute-button'],
    ['/docs', '.opblock'],
  ])('paints %s from its own server alone', async (path, content) => {
    await page.goto(`${service.demo}${path}`);
    await page.locator(content).first().waitFor();
    const [paint, bytes] = await page.evaluate(() => {
      const files = ['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type));
      const sizes = (files as PerformanceResourceTiming[]).map(({ encodedBodySize }) => encodedBodySize);
      const [first] = performance.getEntriesByName('first-contentful-paint');
      return [first!.startTime, sizes.reduce((sum, size) => sum + size, 0)] as const;
    });
    console.error(
      `${path}: first contentful paint ${paint.toFixed(0)} ms, ${bytes} bytes in ${requested.length} requests`,
    );
    expect(complaints).toEqual([]);
  });

  it.each(SIZES)('breaks no rule of accessibility at $width pixels, $colorScheme', async (size) => {
    const { width, height, colorScheme, reducedMotion } = size;
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme, reducedMotion });
    for (const [view, text] of Object.entries(VIEWS)) {
      await open(view);
      await sees(text);
      expect([view, await breaches(page)]).toEqual([view, []]);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      expect([view, wide]).toEqual([view, width]);
      if (process.env.SCREENSHOTS) {
        await page.screenshot({ path: `${process.env.SCREENSHOTS}/${view}-${width}.png`, fullPage: true });
      }
    }
    expect(complaints).toEqual([]);
  });

  it('shows the sums, and their history in each range', async () => {
    await open('dashboard');
    await sees('The figures as a table');
    const value = page.locator('.tile', { hasText: 'Value' }).first();
    expect(await value.textContent()).toMatch(/US\$[\d,.]+/);
    const counts = page.getByRole('checkbox', { name: 'Demo binder counts for the dashboard' });
    await counts.click();
    await sees('No collection counts for the dashboard.');
    await counts.click();
    await sees('The figures as a table');
    for (const [name, days] of [
      ['1 month', 31],
      ['5 years', 16],
    ] as const) {
      const answered = answers('ValueHistory');
      await page.getByRole('group', { name: 'Range' }).getByRole('button', { name, exact: true }).click();
      await answered;
      await page.getByRole('img', { name: new RegExp(`^${name}: from`) }).waitFor();
      expect(await page.locator('details tbody tr').count()).toBeGreaterThanOrEqual(days);
    }
  });

  it('shows what moved over each time, by percentage and by amount', async () => {
    await open('dashboard');
    await sees('What moved');
    const moved = page.locator('.pair .entries li');
    for (const name of ['1 week', '1 year', 'In money']) {
      const answered = answers('Movers');
      const panel = page.locator('section', { has: page.getByRole('heading', { name: 'What moved' }) });
      await panel.getByRole('button', { name, exact: true }).click();
      await answered;
      await eventually(async () => expect(await moved.count()).toBeGreaterThan(1));
    }
    for (const text of await moved.allTextContents()) expect(text).toMatch(/[+−][\d.]+%[+−]US\$[\d.]+$/);
  });

  it('makes a collection that counts for the dashboard, and reads those again that it changes', async () => {
    await open('dashboard');
    await sees(/in 1 valued collection\./);
    await page.getByLabel('New collection').fill('x'.repeat(101));
    expect(await page.getByLabel('New collection').inputValue()).toHaveLength(100);
    await page.getByLabel('New collection').fill('Second binder');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Second binder' }).waitFor();
    await sees('Nothing is held here yet.');
    const id = page.url().split('/').at(-1)!;
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await sees(/in 2 valued collections\./);
    expect(
      await page.getByRole('checkbox', { name: 'Second binder counts for the dashboard' }).isChecked(),
    ).toBe(true);
    // A range that was read before the change has it when it is looked at again.
    const figures = page.locator('details tbody tr').first();
    await page.getByRole('link', { name: 'Collection', exact: true }).last().click();
    await page.getByText('Live', { exact: true }).waitFor();
    await createTransactions(service.ctx, id, [entry(COMMAND_AND_CONQUER, { quantity: 1000 })]);
    await sees('1 variant held.');
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await sees(/1,0\d\d cards in 2 valued collections/);
    await eventually(async () => expect(await figures.textContent()).toMatch(/US\$\d+,\d{3}/));
    await deleteCollection(service.ctx, id);
  });

  it('orders by each column, and searches with completions and errors at their column', async () => {
    await open('collection');
    await sees("Fyendal's Spring Tunic");
    const names = await rowsShown();
    expect(names).toHaveLength(5 - 1);
    for (const order of await page
      .getByRole('combobox', { name: 'Order', exact: true })
      .locator('option')
      .allTextContents()) {
      await page.getByRole('combobox', { name: 'Order', exact: true }).selectOption(order);
      await page.locator('.holdings').waitFor();
    }
    await page.getByRole('button', { name: 'Card', exact: true }).click();
    await eventually(async () => expect(await rowsShown()).toEqual(names.toSorted()));
    await page.getByRole('button', { name: 'Card', exact: true }).click();
    await eventually(async () => expect(await rowsShown()).toEqual(names.toSorted().reverse()));

    const search = page.getByRole('combobox', { name: 'Search' });
    await search.pressSequentially('class:gen');
    await page.getByRole('option', { name: /generic/ }).waitFor();
    await search.press('ArrowDown');
    await search.press('Enter');
    expect(await search.inputValue()).toMatch(/class:generic/);
    await search.fill('price<cheap');
    await sees('Column 7: expected a number for price.');
    expect(await page.locator('.wrong mark').textContent()).toBe('cheap');
    expect(await search.getAttribute('aria-invalid')).toBe('true');
    expect(await breaches(page)).toEqual([]);
    await search.fill('spring tunic');
    await eventually(async () => expect(await rowsShown()).toEqual(["Fyendal's Spring Tunic"]));
  });

  it('records at once, takes back, and says what was refused', async () => {
    await open('record');
    const card = page.getByRole('combobox', { name: 'Card' });
    await card.fill('command and con');
    await page.getByRole('option', { name: /Command and Conquer ARC159/ }).click();
    await page.getByRole('combobox', { name: 'Finish and edition' }).selectOption('Unlimited Edition Normal');
    await page.getByLabel('Quantity').fill('3');
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/graphql', async (route) => {
      if (route.request().postDataJSON()?.operationName === 'Record') await held;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    await sees(/recording …/);
    release();
    await sees(/each · recorded$/);
    await sees(/Bought 3 × Command and Conquer$/);
    await page.getByRole('button', { name: 'Undo' }).click();
    await sees(/each · undone$/);
    await eventually(async () =>
      expect(await page.getByText(/Bought 3 × Command and Conquer$/).count()).toBe(0),
    );

    await page.unroute('**/graphql');
    await page.route('**/graphql', (route) =>
      route.request().postDataJSON()?.operationName === 'Record' ? route.abort() : route.continue(),
    );
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    await sees(/not recorded: The server does not answer/);
    await page.unroute('**/graphql');
    await page.getByRole('button', { name: 'Try again' }).click();
    await sees(/each · recorded$/);
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(async () => expect(await page.getByText(/each · undone$/).count()).toBe(2));
    expect(await breaches(page)).toEqual([]);
  });

  it('records a price of four decimals, at an address without https, too', async () => {
    await signIn(service.house);
    expect(await page.evaluate(() => [isSecureContext, 'randomUUID' in crypto])).toEqual([false, false]);
    await page.getByRole('link', { name: 'Record' }).click();
    await page.getByRole('combobox', { name: 'Card' }).fill('command and con');
    await page.getByRole('option', { name: /Command and Conquer ARC159/ }).click();
    await page.getByLabel('Price of one').fill('0.0625');
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    await sees(/US\$0\.0625 each · recorded$/);
    await page.getByRole('button', { name: 'Undo' }).click();
    await sees(/each · undone$/);
    expect(complaints).toEqual([]);
  });

  it('says of a sale that it is beyond what is held, before and after, and keeps the focus at what is undone', async () => {
    const id = await service.fill('Sold from', 1);
    await createTransactions(service.ctx, id, [entry(COMMAND_AND_CONQUER, { quantity: 2 })]);
    await open(`record/${id}`);
    await pickCommandAndConquer();
    await page.getByLabel('Finish and edition').selectOption(COMMAND_AND_CONQUER);
    await sees('Held in Sold from: 2.');
    await page.getByRole('button', { name: 'Sold' }).click();
    expect(await page.getByText(/to be sold/).count()).toBe(0);
    await page.getByLabel('Quantity').fill('3');
    await sees('Only 2 of the 3 to be sold are held.');
    expect(await breaches(page)).toEqual([]);
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    await sees('Held in Sold from: −1.');
    await sees('More were sold than bought, by 1: record the purchase, too.');
    await page.getByRole('button', { name: 'Undo' }).click();
    await sees(/each · undone$/);
    expect(await page.evaluate(() => document.activeElement!.textContent)).toMatch(/undone$/);
    await sees('Held in Sold from: 2.');
    await deleteCollection(service.ctx, id);
  });

  it('names what a file lacks as the page calls it, and opens where it is given', async () => {
    await open('import');
    const header = 'Identifier,Name,Pitch,Set,Set number,Edition,Foiling,Treatment,Have';
    const csv = `${header}\ncommand-and-conquer-red,Command and Conquer,1,Arcane Rising,ARC159,Unlimited,,,1`;
    await page
      .getByLabel(/Drop a file here/)
      .setInputFiles({ name: 'fabrary.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
    await sees('Day is required: a file of FaBrary has no dates. Price of one is required:');
    expect(await page.getByLabel('Day').getAttribute('aria-invalid')).toBe('true');
    expect(await breaches(page)).toEqual([]);
    await page.getByLabel('Day').fill('2025-03-01');
    await page.getByLabel('Price of one').fill('2.5');
    await page.getByRole('button', { name: 'Check again' }).click();
    await sees(/1 row, of which 1 matched a card/);
  });

  it('imports a file once, though the answer was lost and it was tried again', async () => {
    const id = await service.fill('Imported into', 1);
    await open(`import/${id}`);
    await page.getByLabel(/Drop a file here/).setInputFiles(CSV);
    const button = page.getByRole('button', { name: 'Import 1 transaction' });
    await button.waitFor();
    await loseAnswer('Import');
    await button.click();
    await sees('The server does not answer. Look at your connection, and try again.');
    expect(await transactionsOf(id)).toBe(2);
    await page.getByRole('button', { name: 'Try again' }).click();
    await sees('1 transaction of mine.csv recorded');
    expect(await transactionsOf(id)).toBe(2);
    // The same file is another import from then on, of which its rows tell.
    await page.getByLabel(/Drop a file here/).setInputFiles([]);
    await page.getByLabel(/Drop a file here/).setInputFiles(CSV);
    await sees(/1 row may be recorded already/);
    await button.click();
    await sees('1 transaction of mine.csv recorded');
    expect(await transactionsOf(id)).toBe(3);
  });

  it('imports nothing with values that it was not checked with', async () => {
    const id = await service.fill('Checked before', 1);
    await open(`import/${id}`);
    const inputs = inputsOf('Import');
    const csv = CSV.buffer.toString().replace(',USD,', ',,');
    await page.getByLabel(/Drop a file here/).setInputFiles({ ...CSV, buffer: Buffer.from(csv) });
    const button = page.getByRole('button', { name: 'Import 1 transaction' });
    await button.waitFor();
    await page.getByText('For rows without a currency, day or price').click();
    await page.getByRole('combobox', { name: 'Currency' }).selectOption('EUR');
    await sees('It was checked with other values. Check it again.');
    expect(await button.count()).toBe(0);
    expect(await breaches(page)).toEqual([]);
    await page.getByRole('button', { name: 'Check again' }).click();
    await button.click();
    await sees('1 transaction of mine.csv recorded');
    expect(inputs.map(({ currency, dryRun = false }) => [currency, dryRun])).toEqual([
      ['USD', true],
      ['EUR', true],
      ['EUR', false],
    ]);
    await deleteCollection(service.ctx, id);
  });

  it('makes a collection once, though the answer was lost and it was made again', async () => {
    await open('dashboard');
    await page.getByLabel('New collection').fill('Made once');
    await loseAnswer('CreateCollection');
    const create = page.getByRole('button', { name: 'Create' });
    await create.click();
    await sees(/The server does not answer/);
    await create.click();
    await page.waitForURL(/#\/collection\//);
    const { items } = await listCollections(service.ctx, collectionOrder('Alphabetical'), ALL);
    expect(items.filter(({ name }) => name === 'Made once')).toHaveLength(1);
    const id = page.url().split('/').at(-1)!;
    expect(items.filter((one) => one.id === id)).toMatchObject([{ name: 'Made once' }]);
    // By its name it would be the first collection, which the other tests look at.
    await deleteCollection(service.ctx, id);
  });

  it('makes an alert once, though the answer was lost and it was made again', async () => {
    await open('alerts');
    await page.getByRole('button', { name: 'This collection' }).click();
    await page.getByLabel('Amount').fill('1.0625');
    await loseAnswer('CreateAlert');
    const make = page.getByRole('button', { name: 'Create the alert' });
    await make.click();
    await sees(/The server does not answer/);
    await make.click();
    await sees(/falls below US\$1\.0625/);
    expect(await page.getByText(/falls below US/).count()).toBe(1);
    await page.getByRole('button', { name: /^Delete/ }).click();
    await sees('None yet.');
  });

  it('imports a file once its rows are mended', async () => {
    await open('import');
    const csv = [
      'occurredDate,action,quantity,unitAmount,currency,number,variantName',
      '2025-03-01,Purchase,2,4.50,USD,MST131,Normal',
      '2025-03-01,Purchase,1,9.00,USD,MST131,Cold Foil',
      '2025-03-02,Purchase,1,9.00,USD,XXX999,Normal',
    ].join('\n');
    const file = { name: 'mine.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
    await page.getByLabel(/Drop a file here/).setInputFiles(file);
    await sees(/3 rows, of which 1 matched a card, and 2 have an error/);
    for (const { width, height, colorScheme } of SIZES) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      expect.soft(await breaches(page)).toEqual([]);
      expect.soft(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    }
    await page.getByRole('button', { name: /Rainbow Foil$/ }).click();
    await page.getByLabel('Leave it out').nth(1).check();
    await page.getByRole('button', { name: 'Check again' }).last().click();
    await page.getByRole('button', { name: 'Import 2 transactions' }).click();
    await sees(/2 transactions of mine.csv recorded/);
    await page.getByRole('link', { name: 'See the collection' }).click();
    await page.locator('.holdings').waitFor();
    const large = { ...file, buffer: Buffer.alloc(1024 * 1024, 'x') };
    await open('import');
    await page.getByLabel(/Drop a file here/).setInputFiles(large);
    await sees(/is too large: a file of up to 1 MiB/);
  });

  it('says of a file that it sells more than was bought', async () => {
    const id = await service.fill('Oversold', 0);
    await open(`import/${id}`);
    const buffer = Buffer.from(CSV.buffer.toString().replace('Purchase', 'Sale'));
    await page.getByLabel(/Drop a file here/).setInputFiles({ ...CSV, buffer });
    await sees(/More sold than bought of 1 variant, with what is recorded: line 2, by 2\./);
    expect(await breaches(page)).toEqual([]);
    await page.getByRole('button', { name: 'Import 1 transaction' }).click();
    await sees('1 transaction of mine.csv recorded');
    await deleteCollection(service.ctx, id);
  });

  it('shows what sealed products are worth, and why', async () => {
    await open('sealed');
    await sees('How it is spread');
    await page.getByRole('button', { name: 'Packs' }).click();
    const answered = answers('Breakdown');
    await page
      .getByRole('button', { name: /Arcane Rising/ })
      .first()
      .click();
    await answered;
    await page.getByRole('img', { name: /opened by simulation, 5 % return less than/ }).waitFor();
    expect(await page.locator('.bars tbody tr').count()).toBeGreaterThan(3);
    await sees('Prices are sample data, not real market prices.');
  });

  it('makes and deletes alerts', async () => {
    await open('alerts');
    await sees('None yet.');
    await pickCommandAndConquer();
    await page.getByLabel('Amount').fill('1.5');
    await page.getByRole('button', { name: 'Create the alert' }).click();
    await sees(/falls below US\$1\.50/);
    expect(await breaches(page)).toEqual([]);
    await page.getByRole('button', { name: /^Delete/ }).click();
    await sees('None yet.');
  });

  it('shows what another window changes', async () => {
    const id = await service.fill('Shared', 3);
    await open(`collection/${id}`);
    await sees('3 variants held.');
    await page.getByText('Live', { exact: true }).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.postDataJSON()?.operationName));
    await createTransactions(service.ctx, id, [entry(COMMAND_AND_CONQUER)]);
    await sees('4 variants held.');
    // Which no transaction changes.
    expect(asked).not.toContain('PreferredCurrency');
  });

  /** All connections are lost; the subscriptions that come behind are answered by `answer`. */
  const loseConnections = async (answer: (route: Route, query: string) => Promise<void>) => {
    await page.route('**/graphql', (route) => {
      const query = queryOf(route);
      return query.startsWith('subscription') ? answer(route, query) : route.continue();
    });
    service.breakConnections();
    await page.getByText('Not live', { exact: true }).waitFor();
  };
  const queryOf = (route: Route): string => route.request().postDataJSON()?.query ?? '';
  const idSentBy = (route: Route) => route.request().headers()['last-event-id'];
  const failed = (code: string, extensions = {}) => {
    const result = { data: null, errors: [{ message: 'Failed.', extensions: { code } }], extensions };
    return {
      contentType: 'text/event-stream',
      body: `event: next\ndata: ${JSON.stringify(result)}\n\nevent: complete\ndata:\n\n`,
    };
  };

  it('reads again what changed while it was not live, though no event had come', async () => {
    const id = await service.fill('Lost', 3);
    try {
      await open(`collection/${id}`);
      await sees('3 variants held.');
      await page.getByText('Live', { exact: true }).waitFor();
      const changed = newGate();
      const ids: unknown[] = [];
      await loseConnections(async (route) => {
        ids.push(idSentBy(route));
        await changed.opened;
        return route.continue();
      });
      await createTransactions(service.ctx, id, [entry(COMMAND_AND_CONQUER)]);
      changed.open();
      await sees('4 variants held.');
      await page.getByText('Live', { exact: true }).waitFor();
      expect(ids).toEqual([undefined, undefined]);
    } finally {
      await deleteCollection(service.ctx, id);
    }
  });

  it('reads again what changed in events that are not kept any more, prices too', async () => {
    const id = await service.fill('Missed', 1);
    try {
      await open(`sealed/${id}`);
      await sees(/US\$\d/);
      await page.getByText('Live', { exact: true }).waitFor();
      await updateCollection(service.ctx, id, { name: 'Heard of' });
      await page.getByRole('option', { name: 'Heard of' }).waitFor({ state: 'attached' });
      const changed = newGate();
      const ids: unknown[] = [];
      await loseConnections(async (route, query) => {
        await changed.opened;
        // Nothing else is told of the change.
        if (!query.includes('collectionChanged') || ids.length > 0) return route.abort();
        ids.push(idSentBy(route));
        return route.fulfill(failed('EVENTS_MISSED', { eventId: `evt_${id}_99` }));
      });
      await updatePreferences(service.ctx, { preferredCurrency: 'EUR' });
      changed.open();
      const dollars = page.locator('main').getByText(/US\$\d/);
      await eventually(async () => expect(await dollars.count()).toBe(0));
      await sees(/€\d/);
      expect(ids).toEqual([expect.stringMatching(`^evt_${id}_`)]);
    } finally {
      await updatePreferences(service.ctx, { preferredCurrency: 'USD' });
      await deleteCollection(service.ctx, id);
    }
  });

  it('shows what changed in a collection while it followed another one', async () => {
    const id = await service.fill('Looked at before', 2);
    const other = await service.fill('Looked at meanwhile', 4);
    try {
      await open(`collection/${id}`);
      await sees('2 variants held.');
      await page.getByText('Live', { exact: true }).waitFor();
      await open(`collection/${other}`);
      await sees('4 variants held.');
      await createTransactions(service.ctx, id, [entry(COMMAND_AND_CONQUER)]);
      await open(`collection/${id}`);
      await sees('3 variants held.');
    } finally {
      for (const one of [id, other]) await deleteCollection(service.ctx, one);
    }
  });

  it('waits no longer for its next connection than for the first, where that had stood for a while', async () => {
    await page.clock.install();
    await page.addInitScript(() => {
      const waits: number[] = [];
      const { setTimeout } = window;
      const recording = (work: () => void, millis?: number) => {
        if (millis && millis >= 1000 && millis <= 30_000) waits.push(millis);
        return setTimeout(work, millis);
      };
      Object.assign(window, { waits, setTimeout: recording });
    });
    const id = await service.fill('Lost again', 1);
    try {
      await open(`alerts/${id}`);
      await page.getByText('Live', { exact: true }).waitFor();
      for (let i = 0; i < 3; i++) {
        await page.clock.fastForward(11_000);
        service.breakConnections();
        await page.getByText('Not live', { exact: true }).waitFor();
        await page.getByText('Live', { exact: true }).waitFor();
      }
      expect(new Set(await page.evaluate<number[]>('waits'))).toEqual(new Set([1000]));
    } finally {
      await deleteCollection(service.ctx, id);
    }
  });

  it.each(['Unavailable', 'LimitExceeded'])('is not live while alerts are refused by %s', async (code) => {
    await page.clock.install();
    const id = await service.fill(`Refused by ${code}`, 2);
    const wanted: string[] = [];
    await page.route('**/graphql', (route) => {
      if (!queryOf(route).includes('priceAlertTriggered')) return route.continue();
      wanted.push('alerts');
      return wanted.length === 1 ? route.fulfill(failed(code)) : route.continue();
    });
    try {
      await open(`collection/${id}`);
      await sees('2 variants held.');
      await eventually(async () => {
        await createTransactions(service.ctx, id, [entry(COMMAND_AND_CONQUER)]);
        await page.getByText('3 variants held.').first().waitFor({ timeout: 2000 });
      });
      expect(await page.getByText('Not live', { exact: true }).count()).toBe(1);
      expect(wanted).toHaveLength(1);
      await page.clock.fastForward(30_000);
      await page.getByText('Live', { exact: true }).waitFor();
      expect(wanted).toHaveLength(2);
    } finally {
      await deleteCollection(service.ctx, id);
    }
  });

  it.each(Object.entries(VIEWS))('goes on in %s when the server fails', async (view, text) => {
    // What names the views is read first; then what a view reads itself, or sends, fails.
    await page.route('**/graphql', (route) =>
      ['MyCollections', 'PreferredCurrency', 'Changes', 'Triggered'].includes(
        route.request().postDataJSON()?.operationName,
      )
        ? route.continue()
        : route.fulfill({ status: 500, json: {} }),
    );
    await page.goto(`${service.demo}/#/${view}`);
    if (view === 'import') await page.getByLabel(/Drop a file here/).setInputFiles(CSV);
    await sees('The server failed. Try again in a moment.');
    expect(await breaches(page)).toEqual([]);
    await page.unroute('**/graphql');
    await page.getByRole('button', { name: 'Try again' }).first().waitFor();
    await untilNoProblem();
    await sees(view === 'import' ? /1 row, of which 1 matched a card/ : text);
  });

  it.each(Object.entries(VIEWS))('goes on in %s when nothing at all could be read', async (view, text) => {
    await page.route('**/graphql', (route) => route.fulfill({ status: 500, json: {} }));
    await page.goto(`${service.demo}/#/${view}`);
    await sees('The server failed. Try again in a moment.');
    await page.unroute('**/graphql');
    await page.getByRole('button', { name: 'Try again' }).click();
    await sees(text);
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it.each(Object.entries(VIEWS))('says in %s when there is no network, and goes on', async (view, text) => {
    const other = view === 'sealed' ? 'alerts' : 'sealed';
    await open(other);
    await sees(VIEWS[other]);
    await context.setOffline(true);
    await sees(/You are offline. What is shown was read before/);
    await page.evaluate((to) => {
      location.hash = `#/${to}`;
    }, view);
    if (view === 'import') await page.getByLabel(/Drop a file here/).setInputFiles(CSV);
    await sees(/You are offline. Nothing new can be read/);
    expect(await breaches(page)).toEqual([]);
    await context.setOffline(false);
    await untilNoProblem();
    await sees(view === 'import' ? /1 row, of which 1 matched a card/ : text);
  });

  /** What each view shows of a collection of two variants. */
  const READ = {
    ...VIEWS,
    dashboard: 'What moved',
    collection: '2 variants held.',
    record: /^Bought 1 × /,
    import: /1 row, of which 1 matched a card/,
  };

  it.each(Object.entries(READ))('keeps what was read in %s when the server fails', async (view, text) => {
    const id = await service.fill(`Kept in ${view}`, 2);
    await open(`${view}/${id}`);
    if (view === 'import') await page.getByLabel(/Drop a file here/).setInputFiles(CSV);
    await sees(text);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.route('**/graphql', (route) => route.fulfill({ status: 500, json: {} }));
    // What another window changes is to be read again.
    await createTransactions(service.ctx, id, [entry(COMMAND_AND_CONQUER)]);
    await sees('The server failed. Try again in a moment. What is shown was read before.');
    expect(await page.getByText(text).first().isVisible()).toBe(true);
    expect(await breaches(page)).toEqual([]);
    await page.unroute('**/graphql');
    await untilNoProblem();
    await sees(view === 'collection' ? '3 variants held.' : text);
    await deleteCollection(service.ctx, id);
  });

  it('tries again what failed while other queries were still to be answered', async () => {
    const id = await service.fill('Tried again', 2);
    let isFailing = false;
    const late = newGate();
    await page.route('**/graphql', async (route) => {
      const { operationName } = route.request().postDataJSON();
      if (['Movers', 'ValueHistory'].includes(operationName)) await late.opened;
      else if (isFailing) return route.fulfill({ status: 500, json: {} });
      return route.continue();
    });
    await open(`dashboard/${id}`);
    await sees('What moved');
    await page.getByText('Live', { exact: true }).waitFor();
    isFailing = true;
    await createTransactions(service.ctx, id, [entry(COMMAND_AND_CONQUER)]);
    const problems = page.getByText(
      'The server failed. Try again in a moment. What is shown was read before.',
    );
    await problems.nth(1).waitFor();
    const answered = [answers('Movers'), answers('ValueHistory')];
    late.open();
    await Promise.all(answered);
    await sees('Paid in');
    isFailing = false;
    const asked = page.waitForRequest((request) => request.postDataJSON()?.operationName === 'Dashboard');
    await page.getByRole('button', { name: 'Try again' }).nth(1).click();
    await asked;
    await untilNoProblem();
    await deleteCollection(service.ctx, id);
  });

  it.each(Object.entries(READ))('reads again in %s at the next change what failed', async (view, text) => {
    const id = await service.fill(`Healed in ${view}`, 2);
    await open(`${view}/${id}`);
    if (view === 'import') await page.getByLabel(/Drop a file here/).setInputFiles(CSV);
    if (view === 'record') await pickCommandAndConquer();
    await sees(text);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.route('**/graphql', (route) => route.fulfill({ status: 500, json: {} }));
    await createTransactions(service.ctx, id, [entry(COMMAND_AND_CONQUER)]);
    await sees('The server failed. Try again in a moment. What is shown was read before.');
    await page.unroute('**/graphql');
    const hasNoProblem = () => document.querySelectorAll('[role=alert]').length === 0;
    await eventually(async () => {
      // A failure that is told behind this change waits for another one.
      await createTransactions(service.ctx, id, [entry(COMMAND_AND_CONQUER)]);
      await page.waitForFunction(hasNoProblem, null, { timeout: 5000 });
    });
    await deleteCollection(service.ctx, id);
  });

  it.each(['record', 'import', 'alerts'])('begins in %s with the preferred currency', async (view) => {
    const id = await service.fill(`Euros in ${view}`, 0);
    await updatePreferences(service.ctx, { preferredCurrency: 'EUR' });
    try {
      await open(`${view}/${id}`);
      if (view === 'import') await page.getByText('For rows without a currency, day or price').click();
      const currency = page.locator('main').getByLabel('Currency');
      await currency.waitFor();
      expect(await currency.inputValue()).toBe('EUR');
    } finally {
      await updatePreferences(service.ctx, { preferredCurrency: 'USD' });
      await deleteCollection(service.ctx, id);
    }
  });

  it('shows what sealed products are worth in the preferred currency, also when that changes', async () => {
    const id = await service.fill('In euros', 1);
    await open(`sealed/${id}`);
    await sees(/US\$\d/);
    await page.getByText('Live', { exact: true }).waitFor();
    await updatePreferences(service.ctx, { preferredCurrency: 'EUR' });
    try {
      const dollars = page.locator('main').getByText(/US\$\d/);
      await eventually(async () => expect(await dollars.count()).toBe(0));
      await sees(/€\d/);
    } finally {
      await updatePreferences(service.ctx, { preferredCurrency: 'USD' });
      await deleteCollection(service.ctx, id);
    }
  });

  it.each(Object.entries(READ))('keeps what was read in %s without a network', async (view, text) => {
    const id = await service.fill(`Kept in ${view}`, 2);
    await open(`${view}/${id}`);
    if (view === 'import') await page.getByLabel(/Drop a file here/).setInputFiles(CSV);
    await sees(text);
    await context.setOffline(true);
    await sees(/You are offline. What is shown was read before/);
    if (view === 'import') {
      await page.getByRole('button', { name: 'Import 1 transaction' }).click();
      await sees('You are offline. Nothing new can be read until you are back.');
    } else {
      await page.getByRole('link', { name: view === 'sealed' ? 'Alerts' : 'Sealed' }).click();
      await page.goBack();
    }
    await sees(text);
    expect(await breaches(page)).toEqual([]);
    await context.setOffline(false);
    await untilNoProblem();
    await sees(view === 'import' ? '1 transaction of mine.csv recorded' : text);
    await deleteCollection(service.ctx, id);
  });

  it('asks for id and secret in production, and keeps the token in its memory', async () => {
    await page.goto(`${service.production}/`);
    await page.getByLabel('Client id').fill(service.client.clientId);
    await page.getByLabel('Client secret').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await sees('There is no client with this id and secret.');
    expect(await breaches(page)).toEqual([]);
    await page.getByLabel('Client secret').fill(service.client.clientSecret);
    await page.keyboard.press('Enter');
    await sees('The figures as a table');
    const kept = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    );
    expect(kept).toBe('[{},{},""]');
    // A token that is no longer good asks for another.
    await page.route('**/graphql', (route) => route.fulfill({ status: 401, json: {} }));
    await page.getByRole('link', { name: 'Sealed' }).click();
    await sees(/You were signed out/);
  });

  it('shows its queries in GraphiQL, with what they ask for, after the same form', async () => {
    await page.goto(
      `${service.production}/graphql?tab=Suggest#${encodeURIComponent('{ "text": "class:ni" }')}`,
    );
    await page.getByLabel('Client id').fill(service.client.clientId);
    await page.getByLabel('Client secret').fill(service.client.clientSecret);
    await page.getByRole('button', { name: 'Sign in' }).click();
    const run = page.locator('.graphiql-execute-button');
    await run.waitFor();
    // GraphiQL reads its editors a moment after it is there; what is sent before lacks the variables.
    await eventually(async () => {
      const answered = answers('Suggest');
      await run.click();
      expect((await (await answered).json()).data?.suggest[0].text).toBe('class:ninja');
    });
    await open('sealed');
    const link = await page.getByRole('link', { name: 'Show in GraphiQL' }).first().getAttribute('href');
    expect(link).toMatch(/^graphql\?tab=Sealed#%7B/);
  });

  it('has one head on all pages', async () => {
    for (const path of ['/', '/docs', '/graphql', '/problems/NotFound']) {
      await page.goto(`${service.demo}${path}`);
      const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
      expect(await links.allTextContents()).toEqual(['Home', 'GraphQL', 'REST']);
      expect(await page.title()).toMatch(/ · cardledger$/);
    }
    expect(await breaches(page)).toEqual([]);
  });

  // Whose layout is others': the smallest and a usual one, in both colours.
  it.each(SIZES.slice(0, 2))(
    'breaks no rule in GraphiQL and /docs at $width pixels, $colorScheme',
    async (size) => {
      const { width, height, colorScheme, reducedMotion } = size;
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme, reducedMotion });
      await page.goto(`${service.demo}/graphql`);
      await page.locator('.graphiql-execute-button').waitFor();
      await page.locator('.graphiql-query-editor .view-line span span').first().waitFor();
      expect.soft(await breaches(page)).toEqual([]);
      await page.getByRole('button', { name: /Documentation Explorer/ }).click();
      await page.locator('.graphiql-doc-explorer').waitFor();
      expect.soft(await breaches(page)).toEqual([]);
      await page.locator('.graphiql-doc-explorer').getByRole('link', { name: 'Query', exact: true }).click();
      await page.locator('.graphiql-doc-explorer-back').waitFor();
      expect.soft(await breaches(page)).toEqual([]);
      await page.goto(`${service.demo}/docs`);
      await page.locator('.opblock').first().waitFor();
      expect.soft(await breaches(page)).toEqual([]);
      // Signed in as the demo account: what is opened can be executed, and answers.
      await sees('You are signed in as the demo account. What is executed here is done.');
      for (const operation of ['Collections-listCollections', 'Collections-createCollection']) {
        await page.locator(`#operations-${operation} .opblock-summary-control`).click();
        await page.locator(`#operations-${operation} .execute`).waitFor();
      }
      await page.locator('#operations-Collections-listCollections .execute').click();
      await page.locator('.live-responses-table', { hasText: '"collectionId"' }).waitFor();
      expect.soft(await breaches(page)).toEqual([]);
    },
  );

  it('tries out what REST does after the form of the other pages', async () => {
    await page.goto(`${service.production}/docs`);
    await page.getByRole('button', { name: 'Sign in to try it out' }).click();
    expect(await breaches(page)).toEqual([]);
    await page.getByLabel('Client id').fill(service.client.clientId);
    await page.getByLabel('Client secret').fill(service.client.clientSecret);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await sees('You are signed in. What is executed here is done.');
    await page.locator('#operations-Collections-listCollections .opblock-summary-control').click();
    await page.locator('#operations-Collections-listCollections .execute').click();
    await page.locator('.live-responses-table', { hasText: '"collectionId"' }).waitFor();
  });

  it('scrolls and orders 10,000 variants', async () => {
    const id = await service.fill('Everything', 10_000);
    await open(`collection/${id}`);
    await sees('10,000 variants held.');
    await sees(/US\$/);
    // The time from the act to the frame behind the rows, those rows being known or asked for.
    const timed = (act: string) =>
      page.evaluate(async (what) => {
        const list = document.querySelector('.holdings')!;
        const from = performance.now();
        if (what === 'end') list.scrollTop = list.scrollHeight;
        else if (what === 'top') list.scrollTop = 0;
        else if (what === 'page') list.scrollTop += list.clientHeight;
        else {
          const option = [...document.querySelectorAll('option')].find(({ text }) => text === what)!;
          const select = option.closest('select')!;
          select.value = option.value;
          select.dispatchEvent(new Event('change', { bubbles: true }));
        }
        const before = document.querySelector('.holdings-body')!.textContent;
        const isThere = () => {
          const text = document.querySelector('.holdings-body')!.textContent;
          return text !== before && !document.querySelector('.holdings-body .waiting');
        };
        while (!isThere()) {
          if (performance.now() - from > 20_000)
            throw new Error(`${what}: ${document.querySelector('main')!.textContent}`);
          await new Promise((resolve) => requestAnimationFrame(resolve));
        }
        await new Promise((resolve) => requestAnimationFrame(resolve));
        return performance.now() - from;
      }, act);
    const took: Record<string, string> = {};
    // Each shows other rows than the one before: the price, the gain and its percentage have the same order here.
    const orders = [
      ...['Name', 'Price of one', 'Card number', 'Gain', 'First transaction', 'Gain in percent'],
      ...['Quantity held', 'Value'],
    ];
    for (const act of ['page', 'end', 'top', ...orders, 'end', ...orders])
      took[`${act}${took[act] ? ' again' : ''}`] = `${(await timed(act)).toFixed(0)} ms`;
    console.error('10,000 variants:', took);
    expect(await page.locator('.holdings-body .holding').count()).toBeLessThan(60);
    expect(await page.locator('.holdings').getAttribute('aria-rowcount')).toBe('10001');
    await page.locator('.holdings').focus();
    await page.keyboard.press('End');
    const lastRow = page.locator('.holdings-body .holding').last();
    await eventually(async () => expect(await lastRow.getAttribute('aria-rowindex')).toBe('10001'));
    expect(complaints).toEqual([]);
  });
});
