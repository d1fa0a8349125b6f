import { beforeAll, describe, expect, it } from 'vitest';
import { describeOnDatabases, newTestApp, type TestApp } from '../harness.ts';
import { restFields, selectionOf } from '../support/fields.ts';
import { type Furnished, furnish, recordWorkedExample, type WorkedExample } from '../support/furnished.ts';

const MONEY = '{ currency value decimal }';
const TOTALS = `quantity cashPosition ${MONEY} invested ${MONEY} profit ${MONEY} gain ${MONEY}
  marketValue ${MONEY} percentageGain`;
const usd = (decimal: string) => ({ currency: 'USD', value: Number(decimal), decimal });

// biome-ignore lint/suspicious/noExplicitAny: the tests assert on the shape of answers
type Any = any;

describeOnDatabases('GraphQL queries', (database) => {
  let app: TestApp;
  let stranger: TestApp;
  let furnished: Furnished;
  let example: WorkedExample;

  const create = async (name: string) =>
    (
      await app.graphql<Any>(
        'mutation ($name: String!) { createCollection(input: { name: $name }) { ... on CreateCollectionPayload { collection { id } } } }',
        { name },
      )
    ).createCollection.collection.id as string;

  beforeAll(async () => {
    const db = database();
    app = await newTestApp(db);
    stranger = await newTestApp(db);
    furnished = await furnish(db, app);
    example = await recordWorkedExample(db, app);
  });

  const totalsOfExample = () => {
    const marketValue = (3 * Number(example.price)).toFixed(2);
    const gain = (3 * Number(example.price) - 30).toFixed(2);
    return {
      quantity: 3,
      cashPosition: usd('-25.00'),
      invested: usd('30.00'),
      profit: usd('5.00'),
      marketValue: usd(marketValue),
      gain: usd(gain),
      percentageGain: expect.closeTo(Number(gain) / 30, 12),
    };
  };

  describe('collections', () => {
    it('gives every field of the worked example', async () => {
      const { collection } = await app.graphql<Any>(
        `query ($id: ID!) { collection(id: $id) { __typename id collectionId name description valued pinned
          isGoalCollection image createdAt ${TOTALS}
          transactionSummaries { totalCount nodes { __typename id warning ${TOTALS} variant { id } } } } }`,
        { id: example.collectionId },
      );
      expect(collection).toEqual({
        __typename: 'Collection',
        id: example.collectionId,
        collectionId: example.collectionId,
        name: 'Example',
        description: '',
        valued: false,
        pinned: false,
        isGoalCollection: false,
        image: 0,
        createdAt: '2026-04-13T10:00:00.000Z',
        ...totalsOfExample(),
        transactionSummaries: {
          totalCount: 1,
          nodes: [
            {
              __typename: 'TransactionSummary',
              id: `sum_${example.collectionId.slice(4)}_${example.variantId.slice(4)}`,
              warning: null,
              ...totalsOfExample(),
              variant: { id: example.variantId },
            },
          ],
        },
      });
    });

    it('has nulls while there is no transaction, and a market value all the same', async () => {
      const id = await create('Empty');
      const { collection } = await app.graphql<Any>(
        `query ($id: ID!) { collection(id: $id) { ${TOTALS}
          transactions { totalCount nodes { id } } transactionSummaries { totalCount nodes { id } } } }`,
        { id },
      );
      expect(collection).toEqual({
        quantity: 0,
        cashPosition: null,
        invested: null,
        profit: null,
        gain: null,
        percentageGain: null,
        marketValue: usd('0.00'),
        transactions: { totalCount: 0, nodes: [] },
        transactionSummaries: { totalCount: 0, nodes: [] },
      });
    });

    it('takes null for a sort and a direction as their defaults', async () => {
      const { a, b } = await app.graphql<Any>(
        '{ a: collections(sort: null, reverse: null) { nodes { id } } b: collections { nodes { id } } }',
      );
      expect(a).toEqual(b);
    });

    it('warns of summaries that are oversold or have no price or cost', async () => {
      const { collection } = await app.graphql<Any>(
        `query ($id: ID!) { collection(id: $id) { transactionSummaries(first: 200) {
          nodes { quantity unknownCost gain { value } marketValue { value } warning } } } }`,
        { id: furnished.stocked },
      );
      const nodes: Any[] = collection.transactionSummaries.nodes;
      const oversold = nodes.filter(({ quantity }) => quantity < 0);
      const ofUnknownCost = nodes.filter(({ unknownCost }) => unknownCost > 0);
      const unpriced = nodes.filter(({ gain, unknownCost }) => gain === null && unknownCost === 0);
      expect(oversold.length).toBeGreaterThan(1);
      expect(unpriced.length).toBeGreaterThan(1);
      expect(ofUnknownCost.length).toBeGreaterThan(1);
      for (const { warning, gain } of ofUnknownCost) {
        expect(warning).toMatch(/The cost of \d+ cards? that (was|were) bought is not known/);
        expect(gain).toBeNull();
      }
      for (const { warning, marketValue } of oversold) {
        expect(warning).toMatch(/^\d+ more cards? (was|were) sold than bought\./);
        expect(marketValue.value).toBe(0);
      }
      for (const { warning } of unpriced) expect(warning).toContain('No market price is known');
      // The tests know the rates of one day alone, and some transactions are older.
      const ofRates = /^A transaction of \d{4}-\d\d-\d\d is older than the first known rate: [^.]*\.$/;
      for (const { warning, gain, quantity } of nodes)
        if (gain !== null && quantity >= 0 && warning !== null) expect(warning).toMatch(ofRates);
      expect(nodes.some(({ warning }) => warning === null)).toBe(true);
    });
  });

  it('gives every field of a transaction', async () => {
    const { transaction } = await app.graphql<Any>(
      `query ($id: ID!) { transaction(id: $id) { __typename id transactionId occurred action quantity
        unitAmount ${MONEY} variant { id } collection { id } } }`,
      { id: example.transactionIds[1] },
    );
    expect(transaction).toEqual({
      __typename: 'Transaction',
      id: example.transactionIds[1],
      transactionId: example.transactionIds[1],
      occurred: '2026-04-13T12:00:00Z',
      action: 'SALE',
      quantity: 1,
      unitAmount: usd('15.00'),
      variant: { id: example.variantId },
      collection: { id: example.collectionId },
    });
  });

  describe('products', () => {
    const VARIANT = selectionOf('Variant', restFields('VariantResponseModel'), 'id product { id }');
    const PRODUCT = selectionOf('Product', restFields('ProductResponseModel'), `id variants ${VARIANT}`);

    it('gives the fields of a product that REST gives', async () => {
      const { product } = await app.graphql<Any>(`query ($id: ID!) { product(id: $id) ${PRODUCT} }`, {
        id: example.productId,
      });
      const { body } = await app.send('GET', `/product/${example.productId}`);
      const { variants, id, ...card } = product;
      const { variants: _, ...inRest } = body;
      expect(id).toBe(example.productId);
      expect(card).toEqual(inRest);
      expect(variants).toHaveLength(body.variants.length);
      for (const [i, { id: variantId, product: owner, marketPrice, ...variant }] of variants.entries()) {
        expect(body.variants[i]).toMatchObject(variant);
        expect(body.variants[i].variantId).toBe(variantId);
        expect(owner).toEqual({ id: example.productId });
        expect(variant.saleVolumes).toHaveLength(30);
        const { value, currency } = body.variants[i].marketPrice ?? {};
        if (marketPrice) expect([marketPrice.value, marketPrice.currency]).toEqual([value, currency]);
        else expect(body.variants[i].marketPrice).toBeNull();
      }
    });

    it('has null for what the vendor does not list, and for what is not on the card', async () => {
      const [row] = await database().query<{ id: string }>(
        'select id from product where vendor_product_id is null and number is not null and cost is null order by id limit 1',
      );
      const { product } = await app.graphql<Any>(`query ($id: ID!) { product(id: $id) ${PRODUCT} }`, {
        id: row!.id,
      });
      expect(product).toMatchObject({ id: row!.id, vendorProductId: null, cost: null });
    });

    it('converts a market price at the latest rate', async () => {
      const { variant } = await app.graphql<Any>(
        `query ($id: ID!) { variant(id: $id) { usual: marketPrice ${MONEY}
          usd: marketPrice(currency: USD, priceSource: VENDOR_MARKET) ${MONEY}
          nzd: marketPrice(currency: NZD) ${MONEY} jpy: marketPrice(currency: JPY, priceSource: null) ${MONEY} } }`,
        { id: example.variantId },
      );
      const rates = await database().query<{ currency: string; perEuro: number }>(
        `select currency, per_euro::float8 as "perEuro" from fx_rate where currency in ('USD', 'NZD', 'JPY')`,
      );
      const rate = (to: string) => {
        const perEuro = (code: string) => rates.find(({ currency }) => currency === code)!.perEuro;
        return perEuro(to) / perEuro('USD');
      };
      expect(variant.usual).toEqual(usd(example.price));
      expect(variant.usd).toEqual(variant.usual);
      expect(variant.nzd.currency).toBe('NZD');
      expect(variant.nzd.value).toBeCloseTo(Number(example.price) * rate('NZD'), 2);
      expect(variant.jpy.decimal).toMatch(/^\d+$/);
      expect(Math.abs(variant.jpy.value - Number(example.price) * rate('JPY'))).toBeLessThanOrEqual(0.5);
    });

    it('has no price where none is known', async () => {
      const [row] = await database().query<{ id: string }>(
        'select v.id from variant v left join price p on p.variant_id = v.id where p.amount is null order by v.id limit 1',
      );
      const { variant } = await app.graphql<Any>(
        'query ($id: ID!) { variant(id: $id) { marketPrice { value } } }',
        { id: row!.id },
      );
      expect(variant).toEqual({ marketPrice: null });
    });
  });

  describe('expected values', () => {
    it('gives every field, and the breakdown that they are made of', async () => {
      const breakdown = `productId productName fcId imageUrl warning currentEstimatedValue ${MONEY} product { id }
        categories { category categoryName multiplier averageMarketPrice ${MONEY} contributedValue ${MONEY} }`;
      const { productEvs, evBreakdown } = await app.graphql<Any>(
        `{ evBreakdown(setType: "Wtr1stEdition", productType: BOX) { ${breakdown} }
          productEvs(first: 100, productType: BOX) { totalCount nodes { id setType productType productId productImage
          productName fcId warning currentEstimatedValue ${MONEY} marketPrice ${MONEY} marketPriceDelta ${MONEY}
          product { id name } breakdown { ${breakdown} } } } }`,
      );
      expect(productEvs.totalCount).toBe(productEvs.nodes.length);
      expect(productEvs.nodes.every(({ productType }: Any) => productType === 'BOX')).toBe(true);
      const ev = productEvs.nodes.find(({ setType }: Any) => setType === 'Wtr1stEdition');
      expect(ev).toMatchObject({
        id: 'pev_Wtr1stEdition_Box',
        product: { id: ev.productId, name: ev.productName },
      });
      expect(ev.breakdown).toEqual(evBreakdown);
      expect(evBreakdown).toMatchObject({
        productId: ev.productId,
        productName: ev.productName,
        fcId: ev.fcId,
        imageUrl: ev.productImage,
        product: { id: ev.productId },
        currentEstimatedValue: ev.currentEstimatedValue,
        warning: ev.warning,
      });
      expect(ev.warning).toContain('sample data');
      expect(ev.marketPriceDelta.value).toBeCloseTo(ev.currentEstimatedValue.value - ev.marketPrice.value, 1);
      const sum = evBreakdown.categories.reduce(
        (all: number, { contributedValue }: Any) => all + contributedValue.value,
        0,
      );
      expect(sum).toBeCloseTo(evBreakdown.currentEstimatedValue.value, 0);
      expect(evBreakdown.categories.length).toBeGreaterThan(5);
    });

    it.each([
      ['NoSuchSet', 'BOX'],
      ['Wtr1stEdition_Box', 'BOX'],
      ['', 'PACK'],
      ['a\\u0000b', 'CASE'],
    ])('has null for %s %s', async (setType, productType) => {
      const query = `{ evBreakdown(setType: "${setType}", productType: ${productType}) { warning } }`;
      expect(await app.graphql(query)).toEqual({ evBreakdown: null });
    });
  });

  it('gives the account, its limits and the sums of its valued collections', async () => {
    const { viewer, collections } = await app.graphql<Any>(
      `{ viewer { __typename id name preferredCurrency preferredPriceSource dashboard { collectionCount ${TOTALS} }
          limits { maxCollections collectionCount maxValuedCollections valuedCollectionCount } }
        collections(first: 200) { totalCount nodes { valued ${TOTALS} } } }`,
    );
    const valued: Any[] = collections.nodes.filter(({ valued }: Any) => valued);
    const sum = (field: string) =>
      expect.closeTo(
        valued.reduce((all, node) => all + node[field].value, 0),
        1,
      );
    expect(valued).toHaveLength(4);
    expect(viewer).toMatchObject({
      __typename: 'Account',
      id: `acc_${app.accountId}`,
      name: 'Test',
      preferredCurrency: 'USD',
      preferredPriceSource: 'VENDOR_MARKET',
      limits: {
        maxCollections: 200,
        collectionCount: collections.totalCount,
        maxValuedCollections: 20,
        valuedCollectionCount: 4,
      },
      dashboard: {
        collectionCount: 4,
        quantity: valued.reduce((all, { quantity }) => all + quantity, 0),
        cashPosition: { value: sum('cashPosition') },
        marketValue: { value: sum('marketValue') },
        gain: { value: sum('gain') },
      },
    });
    const empty = await stranger.graphql<Any>(`{ viewer { dashboard { collectionCount ${TOTALS} } } }`);
    expect(empty.viewer.dashboard).toMatchObject({
      collectionCount: 0,
      gain: null,
      marketValue: usd('0.00'),
    });
  });
});
