import { beforeAll, expect, it } from 'vitest';
import { importExchangeRates } from '../../src/services/market/import.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import {
  asNewAccount,
  describeOnDatabases,
  describeOnOwnDatabases,
  newTestApp,
  pricedVariants,
  statementsOf,
  type TestApp,
} from '../harness.ts';
import { entry } from '../support/furnished.ts';

/** The tests' databases know the rates of one day: 2026-04-13. */
const OLDER = (day: string, from = 'EUR', to = 'USD') =>
  `A transaction of ${day} is older than the first known rate: the exchange rate from ${from} to ${to} is that of 2026-04-13.`;
const NEWER = (day: string, from = 'EUR', to = 'USD') =>
  `A transaction of ${day} is newer than the last known rate: the exchange rate from ${from} to ${to} is that of 2026-04-13.`;

/** The days in a currency of each variant, in a new collection of the account; its warnings by both transports. */
async function warningsOf(account: TestApp, days: Record<string, string[]>, currency: string) {
  const { body } = await account.send('POST', '/collection', { name: 'Rates' });
  const path = `/collection/${body.collectionId}`;
  for (const [variantId, dates] of Object.entries(days)) {
    for (const occurredDate of dates) {
      const sent = entry(variantId, { occurredDate, unitAmount: { currency, value: 2 } });
      expect((await account.send('POST', `${path}/transaction`, sent)).status).toBe(200);
    }
  }
  const rest = (await account.send('GET', `${path}/transaction-summary`)).body.results as {
    variantId: string;
    warning?: string;
  }[];
  const { collection } = await account.graphql<{
    collection: { transactionSummaries: { nodes: { variant: { id: string }; warning: string | null }[] } };
  }>(
    `query ($id: ID!) { collection(id: $id) { transactionSummaries { nodes { variant { id } warning } } } }`,
    { id: body.collectionId },
  );
  const byGraphql = Object.fromEntries(
    collection.transactionSummaries.nodes.map(({ variant, warning }) => [variant.id, warning]),
  );
  expect(Object.fromEntries(rest.map((one) => [one.variantId, one.warning ?? null]))).toEqual(byGraphql);
  // Where there is nothing to say, REST has no field.
  for (const one of rest) expect('warning' in one).toBe(one.warning !== undefined);
  return byGraphql;
}

describeOnDatabases('warnings of exchange rates that are not of their time', (database) => {
  let app: TestApp;
  let variants: string[];

  beforeAll(async () => {
    app = await newTestApp(database(), { now: () => new Date('2026-05-30T10:00:00Z') });
    variants = await pricedVariants(database(), 4);
  });

  it('come from a day before the first rate, and from the eleventh after the last', async () => {
    const [a, b, c, d] = variants as [string, string, string, string];
    const days = {
      [a]: ['2026-04-13', '2026-04-23'],
      [b]: ['2026-04-12', '2026-04-13'],
      [c]: ['2026-04-24', '2026-04-13'],
      [d]: ['2026-04-24', '2020-01-01', '2026-05-30', '2026-04-12'],
    };
    expect(await warningsOf(app, days, 'EUR')).toEqual({
      [a]: null,
      [b]: OLDER('2026-04-12'),
      [c]: NEWER('2026-04-24'),
      [d]: `${OLDER('2020-01-01')} ${NEWER('2026-05-30')}`,
    });
  });

  it('do not come where nothing is converted', async () => {
    expect(await warningsOf(app, { [variants[0]!]: ['2020-01-01', '2026-05-30'] }, 'USD')).toEqual({
      [variants[0]!]: null,
    });
  });

  it('are looked for from the first converted transaction to the last, whatever a node has in memory', async () => {
    const [a, b] = variants as [string, string];
    const path = `/collection/${(await app.send('POST', '/collection', { name: 'Held' })).body.collectionId}`;
    const page = async () => {
      const { result, statements } = await statementsOf(() =>
        app.send('GET', `${path}/transaction-summary?sort=MarketValue`),
      );
      const warnings = result.body.results.map(({ warning }: { warning?: string }) => warning ?? null);
      return { warnings, isLookedFor: statements.some(({ text }) => text.includes('rate_gap')) };
    };
    const record = async (variantId: string, more = {}) =>
      (await app.send('POST', `${path}/transaction`, entry(variantId, more))).body.transactionId;
    await record(a);
    expect(await page()).toEqual({ warnings: [null], isLookedFor: false });
    const converted = await record(b, {
      occurredDate: '2026-04-12',
      unitAmount: { currency: 'EUR', value: 2 },
    });
    const { warnings, isLookedFor } = await page();
    expect(new Set(warnings)).toEqual(new Set([null, OLDER('2026-04-12')]));
    expect(isLookedFor).toBe(true);
    await app.send('DELETE', `/transaction/${converted}`);
    expect(await page()).toEqual({ warnings: [null], isLookedFor: false });
  });

  it('are in the currency of the account, which is another one after a change', async () => {
    const account = await asNewAccount(database(), app.fetch, { currency: 'JPY' });
    expect(await warningsOf(account, { [variants[0]!]: ['2020-01-01'] }, 'USD')).toEqual({
      [variants[0]!]: OLDER('2020-01-01', 'USD', 'JPY'),
    });
    await account.graphql('mutation { updatePreferences(input: { preferredCurrency: USD }) { __typename } }');
    const { collections } = await account.graphql<{
      collections: { nodes: { transactionSummaries: { nodes: { warning: string | null }[] } }[] };
    }>('{ collections { nodes { transactionSummaries { nodes { warning } } } } }');
    expect(collections.nodes[0]!.transactionSummaries.nodes).toEqual([{ warning: null }]);
  });
});

describeOnOwnDatabases('warnings of transactions between two rates', (database) => {
  const BETWEEN = (day: string, rate: string) =>
    `A transaction of ${day} is of a time without known rates: the exchange rate from EUR to USD is that of ${rate}.`;
  const importRates = (...days: string[]) => importRatesOf('USD', days);
  const importRatesOf = (currency: string, days: string[]) =>
    importExchangeRates(
      database(),
      days.map((day) => ({ currency, day, per_euro: currency === 'JPY' ? '160' : '1.1' })),
      { version: 'test', isSample: false },
      noProgress,
    );

  it('come from the eleventh day after the one to the day before the other, until there is one between', async () => {
    const app = await newTestApp(database(), { now: () => new Date('2026-05-30T10:00:00Z') });
    const [a, b, c, d] = (await pricedVariants(database(), 4)) as [string, string, string, string];
    await importRates('2026-05-13');
    const days = {
      [a]: ['2026-04-13', '2026-04-23', '2026-05-13', '2026-05-23'],
      [b]: ['2026-04-24'],
      [c]: ['2026-05-12'],
      [d]: ['2026-05-24', '2026-05-01', '2026-05-02'],
    };
    const newer = NEWER('2026-05-24').replace('2026-04-13', '2026-05-13');
    expect(await warningsOf(app, days, 'EUR')).toEqual({
      [a]: null,
      [b]: BETWEEN('2026-04-24', '2026-04-13'),
      [c]: BETWEEN('2026-05-12', '2026-04-13'),
      [d]: `${BETWEEN('2026-05-01', '2026-04-13')} ${newer}`,
    });
    await importRates('2026-04-23', '2026-05-01');
    expect(await warningsOf(app, days, 'EUR')).toEqual({
      [a]: null,
      [b]: null,
      [c]: BETWEEN('2026-05-12', '2026-05-01'),
      [d]: newer,
    });
    // Eleven days later: none between is later than by ten.
    await importRates('2026-05-02');
    expect(await warningsOf(app, days, 'EUR')).toEqual({ [a]: null, [b]: null, [c]: null, [d]: newer });
  });

  it('tell of one once that neither currency has a rate for, with the older of both', async () => {
    const app = await newTestApp(database(), {
      currency: 'JPY',
      now: () => new Date('2027-05-30T10:00:00Z'),
    });
    const [a] = (await pricedVariants(database(), 1)) as [string];
    await importRatesOf('JPY', ['2027-01-01', '2027-05-01']);
    await importRatesOf('USD', ['2027-01-05', '2027-05-01']);
    expect(await warningsOf(app, { [a]: ['2027-02-01'] }, 'USD')).toEqual({
      [a]: BETWEEN('2027-02-01', '2027-01-01').replace('from EUR to USD', 'from USD to JPY'),
    });
  });
});
