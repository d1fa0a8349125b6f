import { beforeAll, describe, expect, it } from 'vitest';
import { naturalKey } from '../../src/domain/natural-order.ts';
import { describeOnDatabases, newTestApp, type TestApp } from '../harness.ts';
import { type Furnished, furnish } from '../support/furnished.ts';
import type { Item } from './representations.ts';

/** What an order goes by, computed from what the answers show: less than 0 where `a` is first. */
type Comparison = (a: Item, b: Item) => number;

const { compare } = new Intl.Collator('und');
const byText =
  (text: (item: Item) => string): Comparison =>
  (a, b) =>
    compare(text(a), text(b));
const byCode =
  (text: (item: Item) => string): Comparison =>
  (a, b) =>
    text(a) < text(b) ? -1 : Number(text(a) > text(b));
/** Highest first, nulls last. */
const highest =
  (value: (item: Item) => number | null): Comparison =>
  (a, b) =>
    (value(b) ?? Number.NEGATIVE_INFINITY) === (value(a) ?? Number.NEGATIVE_INFINITY)
      ? 0
      : (value(b) ?? Number.NEGATIVE_INFINITY) - (value(a) ?? Number.NEGATIVE_INFINITY);
const lowest =
  (value: (item: Item) => number): Comparison =>
  (a, b) =>
    value(a) - value(b);
const inTurn =
  (...comparisons: Comparison[]): Comparison =>
  (a, b) =>
    comparisons.map((one) => one(a, b)).find((result) => result !== 0) ?? 0;

const value = (field: string) => (item: Item) => item[field]?.value ?? null;
const byProduct = inTurn(
  byText(({ variant }) => variant.product.name),
  byText(({ variant }) => variant.variantName),
);

const COLLECTIONS: Record<string, Comparison> = {
  CHRONOLOGICAL: inTurn(
    byCode(({ createdAt }) => createdAt),
    byCode(({ id }) => id),
  ),
  ALPHABETICAL: byText(({ name }) => name),
  VALUE: highest(value('marketValue')),
  PERCENTAGE_GAIN: highest(({ percentageGain }) => percentageGain),
};
const TRANSACTIONS: Record<string, Comparison> = {
  CHRONOLOGICAL: inTurn(
    byCode(({ occurred }) => occurred),
    byCode(({ id }) => id),
  ),
  ALPHABETICAL: byProduct,
};
const SUMMARIES: Record<string, Comparison> = {
  ALPHABETICAL: byProduct,
  MARKET_VALUE: highest(value('marketValue')),
  UNIT_VALUE: highest(({ variant }) => variant.marketPrice?.value ?? null),
  GAIN: highest(value('gain')),
  PERCENTAGE_GAIN: highest(({ percentageGain }) => percentageGain),
  QUANTITY: highest(({ quantity }) => quantity),
  CARD_NUMBER: byCode(({ variant }) => naturalKey(variant.product.number)),
};
const EVS: Record<string, Comparison> = {
  HIGHEST_ESTIMATED_VALUE: highest(value('currentEstimatedValue')),
  LOWEST_ESTIMATED_VALUE: lowest(value('currentEstimatedValue')),
  HIGHEST_MARKET_PRICE: highest(value('marketPrice')),
  LOWEST_MARKET_PRICE: lowest(value('marketPrice')),
  MARKET_PRICE_DELTA_POSITIVE: highest(value('marketPriceDelta')),
  MARKET_PRICE_DELTA_NEGATIVE: lowest(value('marketPriceDelta')),
};

const MONEY = '{ value }';
const VARIANT = `variant { id variantName marketPrice ${MONEY} product { name number } }`;

describeOnDatabases('orders', (database) => {
  let app: TestApp;
  let furnished: Furnished;

  beforeAll(async () => {
    app = await newTestApp(database());
    furnished = await furnish(database(), app);
  });

  const expectOrder = (items: Item[], comparison: Comparison) => {
    expect(items.length).toBeGreaterThan(10);
    for (const [i, item] of items.slice(1).entries())
      expect(comparison(items[i], item), JSON.stringify([items[i], item])).toBeLessThanOrEqual(0);
  };
  const ofStocked = async (field: string): Promise<Item[]> => {
    const { collection } = await app.graphql<Item>(
      `query ($id: ID!) { collection(id: $id) { list: ${field} } }`,
      {
        id: furnished.stocked,
      },
    );
    return collection.list.nodes;
  };

  it.each(Object.entries(COLLECTIONS))('collections %s', async (sort, comparison) => {
    const { collections } = await app.graphql<Item>(
      `{ collections(sort: ${sort}) { nodes { id name createdAt percentageGain marketValue ${MONEY} } } }`,
    );
    expectOrder(collections.nodes, comparison);
  });

  it.each(Object.entries(TRANSACTIONS))('transactions %s', async (sort, comparison) => {
    const items = await ofStocked(
      `transactions(first: 100, sort: ${sort}) { nodes { id occurred ${VARIANT} } }`,
    );
    expectOrder(items, comparison);
  });

  it.each(Object.entries(SUMMARIES))('summaries %s', async (sort, comparison) => {
    const items = await ofStocked(
      `transactionSummaries(first: 100, sort: ${sort}) { nodes { quantity percentageGain gain ${MONEY}
        marketValue ${MONEY} ${VARIANT} } }`,
    );
    expectOrder(items, comparison);
  });

  it('summaries CHRONOLOGICAL: by the first transaction', async () => {
    const transactions = await ofStocked(`transactions(first: 100) { nodes { ${VARIANT} } }`);
    const summaries = await ofStocked(
      `transactionSummaries(first: 100, sort: CHRONOLOGICAL) { nodes { ${VARIANT} } }`,
    );
    const firsts = [...new Set(transactions.map(({ variant }) => variant.id))];
    expect(summaries.map(({ variant }) => variant.id)).toEqual(firsts);
  });

  describe('expected values', () => {
    const evs = async (sort: string): Promise<Item[]> =>
      (
        await app.graphql<Item>(
          `{ productEvs(first: 200, sort: ${sort}) { nodes { setType productType currentEstimatedValue ${MONEY}
            marketPrice ${MONEY} marketPriceDelta ${MONEY} } } }`,
        )
      ).productEvs.nodes;

    it.each(Object.entries(EVS))('%s', async (sort, comparison) => {
      expectOrder(await evs(sort), comparison);
    });

    it('by release date', async () => {
      const rows = await database().query<{ setType: string; date: string }>(
        'select distinct set_type as "setType", release_date::text as date from product_ev',
      );
      const dates = new Map(rows.map(({ setType, date }) => [setType, date]));
      const dateOf = ({ setType }: Item) => dates.get(setType) ?? '';
      expectOrder(await evs('OLDEST_RELEASE_DATE'), byCode(dateOf));
      expectOrder((await evs('NEWEST_RELEASE_DATE')).reverse(), byCode(dateOf));
    });
  });
});
