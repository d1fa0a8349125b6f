import { expect, it } from 'vitest';
import { ACCOUNT } from '../../src/db/queries/accounts.ts';
import { addDays } from '../../src/domain/dates.ts';
import { importSaleVolumes } from '../../src/services/market/import.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import {
  asNewAccount,
  describeOnDatabases,
  describeOnOwnDatabases,
  NOW,
  newTestApp,
  pricedVariants,
  statementsOf,
} from '../harness.ts';
import { brokenDatabase } from '../support/broken-database.ts';
import { importPrices } from '../support/import-prices.ts';

const PRICE = `query ($id: ID!) { variant(id: $id) { id marketPrice { currency decimal } } }`;
interface Price {
  variant: { marketPrice: { currency: string; decimal: string } };
}

describeOnDatabases('answers that follow from the catalogue', (database) => {
  it('are kept for each currency, and need no statement', async () => {
    const app = await newTestApp(database());
    const [id] = await pricedVariants(database(), 1);
    const price = async () => (await app.graphql<Price>(PRICE, { id })).variant.marketPrice;
    const dollars = await price();
    expect(dollars.currency).toBe('USD');
    const again = await statementsOf(price);
    expect(again).toMatchObject({ result: dollars, statements: [] });
    const prefer = (currency: string) =>
      app.graphql(
        'mutation ($input: UpdatePreferencesInput!) { updatePreferences(input: $input) { __typename } }',
        { input: { preferredCurrency: currency } },
      );
    await prefer('JPY');
    for (let i = 0; i < 3; i++) expect((await price()).currency).toBe('JPY');
    await prefer('USD');
    for (let i = 0; i < 3; i++) expect(await price()).toEqual(dollars);
  });

  it('are kept of expected values, too, but for their history', async () => {
    const app = await newTestApp(database());
    const fields = '{ id currentEstimatedValue { currency decimal } breakdown { categories { category } } }';
    const page = `totalCount pageInfo { endCursor } edges { cursor } nodes ${fields}`;
    const queries = [
      `{ productEvs(first: 5, sort: HIGHEST_MARKET_PRICE) { ${page} } }`,
      '{ evBreakdown(setType: "Out", productType: BOX) { currentEstimatedValue { currency } distribution { mean { value } } } }',
    ];
    const [id] = await pricedVariants(database(), 1);
    // From here on the preferences are known.
    await app.graphql(PRICE, { id });
    for (const query of queries) {
      const first = await statementsOf(() => app.graphql(query));
      expect(first.statements).toEqual([]);
      for (let i = 0; i < 2; i++) {
        const again = await statementsOf(() => app.graphql(query));
        expect(again).toEqual(first);
      }
      expect(JSON.stringify(first.result)).toContain('"USD"');
    }
    const history = queries[0]!.replace('id ', 'id history(from: "2026-04-01", to: "2026-04-14") { date } ');
    for (let i = 0; i < 3; i++) {
      const { statements } = await statementsOf(() => app.graphql(history));
      expect(statements).toHaveLength(1);
    }
    const other = await asNewAccount(database(), app.fetch, { currency: 'JPY' });
    for (const query of queries) {
      const { result } = await statementsOf(() => other.graphql(query));
      expect(JSON.stringify(result)).not.toContain('"USD"');
      expect(JSON.stringify(result)).toContain('"JPY"');
    }
  });

  it('ask for the preferences beside the first statement, where prices will follow from them', async () => {
    const asked = async (price: string) => {
      const app = await newTestApp(database());
      const query = `{ collections(first: 1) { nodes { transactionSummaries(first: 1) { nodes { variant { ${price} } } } } } }`;
      const { statements } = await statementsOf(() => app.graphql(query));
      const texts = statements.map(({ text }) => text);
      const list = texts.findIndex((text) => text.includes('from collection c'));
      return { preferences: texts.indexOf(ACCOUNT), list };
    };
    const { preferences, list } = await asked('marketPrice { value }');
    expect(preferences).not.toBe(-1);
    expect(preferences).toBeLessThan(list);
    for (const others of ['id', 'marketPrice(currency: EUR, priceSource: VENDOR_MARKET) { value }'])
      expect((await asked(others)).preferences).toBe(-1);
  });

  it('tell their cost, its shares where they are asked for, and what they are given to do', async () => {
    const app = await newTestApp(database());
    const [id] = await pricedVariants(database(), 1);
    const body = { query: PRICE, variables: { id } };
    const send = (headers = {}) => app.send('POST', '/graphql', body, headers);
    const answers = [await send(), await send(), await send({ 'GraphQL-Cost-Debug': '1' }), await send()];
    const [first, second, debug, last] = answers.map((answer) => answer.body);
    expect(second).toEqual(first);
    expect(last).toEqual(first);
    expect(debug.data).toEqual(first.data);
    expect(debug.extensions.cost.fields).not.toEqual([]);
    expect(new Set(answers.map(({ headers }) => headers.get('X-Request-Id'))).size).toBe(4);
    const other = await app.send('POST', '/graphql', { ...body, variables: { id: 'var_none' } });
    expect(other.body.data).toEqual({ variant: null });
  });

  it('carry out a mutation once, whatever becomes of its answer', async () => {
    const app = await newTestApp(database());
    const CREATE = `mutation ($input: CreateCollectionInput!) { first: createCollection(input: $input) { ...Made }
        second: createCollection(input: $input) { ...Made } }
      fragment Made on CreateCollectionPayload { collection { id valueHistory(from: "2026-02-01", to: "2026-01-01") { date } } }`;
    for (let i = 1; i <= 3; i++) {
      const { body } = await app.send('POST', '/graphql', {
        query: CREATE,
        variables: { input: { name: 'One' } },
      });
      expect(body.errors).toHaveLength(2);
      expect(body.data.first.collection.id).not.toBe(body.data.second.collection.id);
      const { collections } = await app.graphql<{ collections: { totalCount: number } }>(
        '{ collections { totalCount } }',
      );
      expect(collections.totalCount).toBe(2 * i);
    }
  });
});

describeOnDatabases('an operation that fails in a nullable field', (database) => {
  it('is null in that field alone where a condition below a kept text is null', async () => {
    const app = await newTestApp(database());
    const query = `query ($skip: Boolean = false) { evBreakdown(setType: "Out", productType: BOX) {
      imageUrl distribution { samples @skip(if: $skip) } } }`;
    for (let i = 0; i < 3; i++) {
      const { body } = await app.send('POST', '/graphql', { query, variables: { skip: null } });
      expect(body.errors).toMatchObject([{ path: ['evBreakdown', 'distribution'] }]);
      expect(body.data).toEqual({ evBreakdown: { imageUrl: expect.any(String), distribution: null } });
    }
  });

  it('costs the statements of one that does not, each time, whichever way it comes', async () => {
    const app = await newTestApp(database());
    await app.graphql('mutation { createCollection(input: { name: "One" }) { __typename } }');
    const history = (from: string) =>
      `{ viewer { name } collections { nodes { realizedGains(year: 2026) { quantity } valueHistory(from: "${from}", to: "2026-02-01") { date } } } }`;
    const statementsFor = async (query: string, isQuick: boolean) => {
      const send = () =>
        isQuick
          ? app.send('POST', '/graphql', { query })
          : app.send('GET', `/graphql?query=${encodeURIComponent(query)}`, undefined, {
              Accept: 'application/json',
            });
      const { result, statements } = await statementsOf(send);
      return { errors: result.body.errors?.length ?? 0, statements: statements.length };
    };
    for (const isQuick of [true, true, true, false]) {
      const good = await statementsFor(history('2026-01-01'), isQuick);
      expect(good.errors).toBe(0);
      const failing = await statementsFor(history('2026-03-01'), isQuick);
      expect(failing.errors).toBe(1);
      // The history itself is refused before it is asked of the database.
      expect(failing.statements).toBe(good.statements - 1);
    }
  });
});

describeOnDatabases('a mutation whose second part fails', (database) => {
  it('has done its first part once, says so, and does not go on', async () => {
    const broken = brokenDatabase(
      database(),
      'update account set preferred_currency = coalesce',
      new Error('It is broken.'),
    );
    const { fetch } = await newTestApp(broken);
    const app = await asNewAccount(database(), fetch);
    const query = `mutation ($k: String) { first: createCollection(input: { name: "One", idempotencyKey: $k }) { __typename }
      updatePreferences(input: { preferredCurrency: JPY }) { __typename }
      last: createCollection(input: { name: "Last" }) { __typename } }`;
    for (let i = 1; i <= 4; i++) {
      const { body } = await app.send('POST', '/graphql', { query, variables: { k: i % 2 ? null : 'same' } });
      expect(body.data).toBeNull();
      expect(body.errors).toMatchObject([{ path: ['updatePreferences'], extensions: { code: 'Internal' } }]);
    }
    const { collections } = await app.graphql<{ collections: { nodes: unknown[] } }>(
      '{ collections { nodes { name } } }',
    );
    // Two without a key, and one for the key that came twice.
    expect(collections.nodes).toEqual(Array.from({ length: 3 }, () => ({ name: 'One' })));
  });
});

describeOnOwnDatabases('kept answers after an import', (database) => {
  it('show the new expected value', async () => {
    const app = await newTestApp(database());
    const VALUE = '{ evBreakdown(setType: "Out", productType: BOX) { currentEstimatedValue { decimal } } }';
    const value = async () =>
      (await app.graphql<{ evBreakdown: { currentEstimatedValue: { decimal: string } } }>(VALUE)).evBreakdown
        .currentEstimatedValue.decimal;
    const list = async () => (await app.send('GET', '/ev/list?sort=HighestEstimatedValue')).body.results;
    const [before, evs] = [await value(), await list()];
    expect(await value()).toBe(before);
    expect(await list()).toEqual(evs);
    const prices = await database().query<{ variantId: string; currency: string; amount: string }>(
      `select p.variant_id as "variantId", p.currency, (p.amount * 2)::text as amount
       from price p join variant v on v.id = p.variant_id where v.set_code = 'OUT' and p.amount is not null`,
    );
    await importPrices(database(), prices, '2026-04-14', { version: 'doubled', isSample: true }, noProgress);
    const after = await value();
    expect(Number(after) / Number(before)).toBeCloseTo(2, 2);
    expect(await list()).not.toEqual(evs);
    expect(await value()).toBe(after);
  });

  it('show the new price at once where it was imported, and a second later where nobody heard of it', async () => {
    let millis = NOW.getTime();
    const app = await newTestApp(database(), { now: () => new Date(millis) });
    const [id] = (await pricedVariants(database(), 1)) as [string];
    const price = async () => (await app.graphql<Price>(PRICE, { id })).variant.marketPrice.decimal;
    const importPrice = (amount: string) =>
      importPrices(
        database(),
        [{ variantId: id, currency: 'USD', amount }],
        '2026-04-14',
        { version: amount, isSample: true },
        noProgress,
      );
    for (const amount of ['11.00', '12.00']) {
      await importPrice(amount);
      for (let i = 0; i < 3; i++) expect(await price()).toBe(amount);
    }
    // As another node does it, whose notification is lost.
    await database().query(`update price set amount = 13 where variant_id = $1`, [id]);
    await database().query(`update market_data set revision = revision + 1 where kind = 'prices'`);
    millis += 1000;
    expect(await price()).toBe('13.00');
  });

  it('show the new sales at once, with the names of before', async () => {
    const app = await newTestApp(database());
    const [id] = (await pricedVariants(database(), 1)) as [string];
    const SOLD = 'query ($id: ID!) { variant(id: $id) { saleVolumes product { name } } }';
    const sold = async () =>
      (await app.graphql<{ variant: { saleVolumes: number[]; product: { name: string } } }>(SOLD, { id }))
        .variant;
    const before = await sold();
    expect(await sold()).toEqual(before);
    const [{ day }] = (await database().query<{ day: string }>(
      `select newest_day::text as day from market_data where kind = 'sales'`,
    )) as [{ day: string }];
    for (const count of [7, 8]) {
      await importSaleVolumes(
        database(),
        [{ variantId: id, daily: [count] }],
        addDays(day, 1),
        { version: `${count} sold`, isSample: true },
        noProgress,
      );
      const { saleVolumes, product } = await sold();
      expect([saleVolumes.at(-1), product]).toEqual([count, before.product]);
    }
  });
});
