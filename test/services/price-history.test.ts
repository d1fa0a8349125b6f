import { beforeAll, expect, it } from 'vitest';
import { PRICES_OF_DAYS } from '../../src/db/queries/prices.ts';
import { RATES_OF_DAYS } from '../../src/db/queries/rates.ts';
import type { Currency } from '../../src/domain/currencies.ts';
import { addDays } from '../../src/domain/dates.ts';
import { toDecimal } from '../../src/domain/fraction.ts';
import { historyDays, INTERVALS, type Interval } from '../../src/domain/history.ts';
import type { Context } from '../../src/services/context.ts';
import { getPriceHistories } from '../../src/services/products/price-history.ts';
import {
  describeOnOwnDatabases,
  newAccount,
  newTestApp,
  pricedVariants,
  statementsOf,
  type TestApp,
} from '../harness.ts';
import { NaiveMarket } from '../support/naive-performance.ts';
import { randomPrices, seededRandom } from '../support/random-market.ts';

const NEWEST = '2026-04-13';
/** Of 120: the naive market takes long. */
const COMPARED = 25;

describeOnOwnDatabases('the prices of a variant over time', (database) => {
  let app: TestApp;
  let ctx: Context;
  let variants: string[];

  beforeAll(async () => {
    app = await newTestApp(database());
    ctx = await newAccount(database());
    variants = await pricedVariants(database(), 120);
    await randomPrices(database(), variants, NEWEST, seededRandom(5));
  });

  it.each(INTERVALS)(
    'are those of the naive market by %s, in each currency, at the rate of the day',
    async (interval) => {
      const market = await NaiveMarket.read(database(), variants);
      const range = { from: addDays(NEWEST, -390), to: NEWEST, interval };
      const days = historyDays(range.from, range.to, interval, NEWEST);
      for (const currency of ['USD', 'EUR', 'JPY'] satisfies Currency[]) {
        const histories = await getPriceHistories(ctx, variants, range, currency, 'VendorMarket');
        for (const [i, variantId] of variants.slice(0, COMPARED).entries()) {
          const expected = days.map((date) => {
            const price = market.price(variantId, date, currency);
            const amount = price && toDecimal(price, currency === 'JPY' ? 0 : 2);
            return { date, price: amount && { currency, amount } };
          });
          expect(histories[i]).toEqual(expected);
        }
        expect(histories.flat().some(({ price }) => price === null)).toBe(true);
      }
    },
  );

  it('are read together, and told in what is asked for or preferred', async () => {
    const ids = variants.slice(0, 60);
    const query = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Variant {
      preferred: priceHistory(from: "2026-04-12", to: "2026-04-13") { date price { currency decimal } }
      yen: priceHistory(from: "2026-04-01", to: "2026-04-13", interval: MONTH, currency: JPY) { date price { currency decimal } }
    } } }`;
    // What is held in memory is read before.
    await app.graphql(query, { ids });
    const { result, statements } = await statementsOf(() =>
      app.graphql<{ nodes: Record<'preferred' | 'yen', { date: string; price: unknown }[]>[] }>(query, {
        ids,
      }),
    );
    const read = statements
      .map(({ text }) => text)
      .filter((text) => [PRICES_OF_DAYS, RATES_OF_DAYS].includes(text));
    expect(read.sort()).toEqual([PRICES_OF_DAYS, PRICES_OF_DAYS, RATES_OF_DAYS, RATES_OF_DAYS].sort());
    const range = (interval: Interval) => ({
      from: interval === 'Day' ? '2026-04-12' : '2026-04-01',
      to: NEWEST,
      interval,
    });
    for (const [name, currency, interval] of [
      ['preferred', 'USD', 'Day'],
      ['yen', 'JPY', 'Month'],
    ] as const) {
      const expected = await getPriceHistories(ctx, ids, range(interval), currency, 'VendorMarket');
      expect(result.nodes.map((node) => node[name])).toEqual(
        expected.map((points) =>
          points.map(({ date, price }) => ({
            date,
            price: price && { currency: price.currency, decimal: price.amount },
          })),
        ),
      );
    }
  });

  it.each([
    ['2025-03-10', null],
    ['2025-03-09', 'gives more than 400 points by day; take a shorter range or a longer interval'],
    ['2026-04-14', 'must not be before from'],
  ])('from %s on: %s', async (from, detail) => {
    const { body } = await app.send('POST', '/graphql', {
      query: `query ($id: ID!, $from: Date!) { node(id: $id) { ... on Variant { priceHistory(from: $from, to: "2026-04-13") { date } } } }`,
      variables: { id: variants[0], from },
    });
    if (detail === null) expect(body.data.node.priceHistory).toHaveLength(400);
    else {
      expect(body.data).toEqual({ node: { priceHistory: null } });
      expect(body.errors).toMatchObject([
        { message: `to: ${detail}`, path: ['node', 'priceHistory'], extensions: { code: 'BAD_USER_INPUT' } },
      ]);
    }
  });
});
