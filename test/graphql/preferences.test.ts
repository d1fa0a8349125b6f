import { describe, expect, it } from 'vitest';
import { describeOnDatabases, newTestApp, type TestApp } from '../harness.ts';
import { furnish, graphqlEntry, recordWorkedExample } from '../support/furnished.ts';
import { mutate } from './mutate.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests assert on the shape of answers
type Any = any;

const MONEY = '{ currency value decimal }';
const TOTALS = `quantity cashPosition ${MONEY} invested ${MONEY} profit ${MONEY} gain ${MONEY}
  marketValue ${MONEY} percentageGain`;
const EVERYTHING = `{ viewer { preferredCurrency dashboard { ${TOTALS} } }
  collections(first: 14) { nodes { id ${TOTALS}
    transactionSummaries(first: 26) { nodes { id ${TOTALS} variant { id marketPrice ${MONEY} } } } } }
  productEvs(first: 2) { nodes { currentEstimatedValue ${MONEY} marketPrice ${MONEY} marketPriceDelta ${MONEY} } } }`;

/** The currencies of all amounts in an answer. */
function currenciesOf(answer: unknown): Set<string> {
  const found = JSON.stringify(answer).matchAll(/"currency":"([A-Z]{3})"/g);
  return new Set([...found].map((match) => match[1]!));
}

describeOnDatabases('updatePreferences', (database) => {
  const change = (app: TestApp, preferredCurrency: string) =>
    mutate(app, 'updatePreferences', { preferredCurrency });
  const ratesOf = async () => {
    const rows = await database().query<{ currency: string; perEuro: number }>(
      'select currency, per_euro::float8 as "perEuro" from fx_rate',
    );
    return new Map([
      ['EUR', 1] as const,
      ...rows.map(({ currency, perEuro }) => [currency, perEuro] as const),
    ]);
  };

  it('changes the currency of every derived amount', async () => {
    const app = await newTestApp(database());
    await furnish(database(), app);
    const before = await app.graphql<Any>(EVERYTHING);
    expect(currenciesOf(before)).toEqual(new Set(['USD']));
    expect(await change(app, 'NZD')).toEqual({
      __typename: 'UpdatePreferencesPayload',
      account: {
        id: `acc_${app.accountId}`,
        preferredCurrency: 'NZD',
        preferredPriceSource: 'VENDOR_MARKET',
        costBasis: 'AVERAGE',
      },
    });
    const after = await app.graphql<Any>(EVERYTHING);
    expect(currenciesOf(after)).toEqual(new Set(['NZD']));
    const rates = await ratesOf();
    const rate = rates.get('NZD')! / rates.get('USD')!;
    // One day of rates is loaded, so every amount is in proportion.
    for (const [i, collection] of after.collections.nodes.entries()) {
      const was = before.collections.nodes[i];
      expect(collection.quantity).toBe(was.quantity);
      for (const field of ['marketValue', 'invested', 'profit', 'cashPosition', 'gain']) {
        if (was[field] === null) expect(collection[field]).toBeNull();
        else expect(collection[field].value / rate, field).toBeCloseTo(was[field].value, 1);
      }
      if (was.percentageGain === null) expect(collection.percentageGain).toBeNull();
      else expect(collection.percentageGain).toBeCloseTo(was.percentageGain, 10);
    }
  });

  it('comes back to the same amounts', async () => {
    const app = await newTestApp(database());
    await furnish(database(), app);
    const before = await app.graphql(EVERYTHING);
    for (const currency of ['JPY', 'EUR', 'USD']) await change(app, currency);
    expect(await app.graphql(EVERYTHING)).toEqual(before);
  });

  it('keeps the amounts of transactions as they were given', async () => {
    const app = await newTestApp(database());
    const { collectionId, transactionIds } = await recordWorkedExample(database(), app);
    await change(app, 'JPY');
    const { nodes, collection } = await app.graphql<Any>(
      `query ($ids: [ID!]!, $id: ID!) { nodes(ids: $ids) { ... on Transaction { unitAmount ${MONEY} } }
        collection(id: $id) { invested ${MONEY} profit ${MONEY} } }`,
      { ids: transactionIds, id: collectionId },
    );
    expect(nodes.map(({ unitAmount }: Any) => unitAmount)).toEqual([
      { currency: 'USD', value: 10, decimal: '10.00' },
      { currency: 'USD', value: 15, decimal: '15.00' },
    ]);
    const rates = await ratesOf();
    const yen = Math.round((30 * rates.get('JPY')!) / rates.get('USD')!);
    expect(collection.invested).toEqual({ currency: 'JPY', value: yen, decimal: String(yen) });
  });

  it('changes nothing where nothing is given, or the same', async () => {
    const app = await newTestApp(database(), { currency: 'EUR' });
    const account = { preferredCurrency: 'EUR', preferredPriceSource: 'VENDOR_MARKET' };
    for (const input of [
      {},
      { preferredCurrency: null, preferredPriceSource: null },
      { preferredCurrency: 'EUR' },
      { preferredPriceSource: 'VENDOR_MARKET' },
    ]) {
      expect(await mutate(app, 'updatePreferences', input)).toMatchObject({ account });
    }
  });

  describe('several mutations in one operation', () => {
    it('each answer with what holds after them', async () => {
      const app = await newTestApp(database());
      const { collectionId, variantId } = await recordWorkedExample(database(), app);
      const result = `{ ... on CreateTransactionPayload { transaction {
        collection { quantity transactionSummaries { totalCount nodes { quantity } } } variant { marketPrice { currency } } } } }`;
      const answer = await app.graphql<Any>(
        `mutation ($input: CreateTransactionInput!, $id: ID!) {
          a: createTransaction(input: $input) ${result}
          updatePreferences(input: { preferredCurrency: NZD }) { ... on UpdatePreferencesPayload {
            account { preferredCurrency dashboard { collectionCount marketValue { currency } } } } }
          updateCollection(input: { id: $id, valued: true }) { __typename }
          b: createTransaction(input: $input) ${result}
          c: updatePreferences(input: {}) { ... on UpdatePreferencesPayload {
            account { dashboard { collectionCount } limits { valuedCollectionCount } } } }
        }`,
        { input: { collectionId, ...graphqlEntry(variantId) }, id: collectionId },
      );
      const seen = (quantity: number, currency: string) => ({
        transaction: {
          collection: { quantity, transactionSummaries: { totalCount: 1, nodes: [{ quantity }] } },
          variant: { marketPrice: { currency } },
        },
      });
      expect(answer).toEqual({
        a: seen(4, 'USD'),
        updatePreferences: {
          account: {
            preferredCurrency: 'NZD',
            dashboard: { collectionCount: 0, marketValue: { currency: 'NZD' } },
          },
        },
        updateCollection: { __typename: 'UpdateCollectionPayload' },
        b: seen(5, 'NZD'),
        c: { account: { dashboard: { collectionCount: 1 }, limits: { valuedCollectionCount: 1 } } },
      });
    });
  });
});
