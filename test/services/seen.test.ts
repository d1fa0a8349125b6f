import { beforeAll, beforeEach, expect, it } from 'vitest';
import { COLLECTIONS_BY_ID } from '../../src/db/queries/collections.ts';
import { productEvId } from '../../src/domain/ids.ts';
import { pageByKey } from '../../src/domain/pagination.ts';
import { marketChanged } from '../../src/memory/memory.ts';
import { getPreferences } from '../../src/services/accounts/preferences.ts';
import { updatePreferences } from '../../src/services/accounts/update-preferences.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { type Context, Seen } from '../../src/services/context.ts';
import { getEvHistories } from '../../src/services/evs/history.ts';
import { getMarketPrices } from '../../src/services/products/get.ts';
import { countSummaries, listSummaries, summaryOrder } from '../../src/services/summaries/list.ts';
import {
  describeOnDatabases,
  describeOnOwnDatabases,
  newAccount,
  newTestApp,
  type TestApp,
} from '../harness.ts';
import { contextOf, entry } from '../support/furnished.ts';
import { sentThrough } from '../support/interrupted.ts';
import { commitPrices, type DayPrices, smallCatalogue, untilHeld } from '../support/price-days.ts';

const DAY = '2026-04-13';

/** A node that holds the market of before an import, and has not heard of it. */
describeOnOwnDatabases('an answer in the second after an import', (database) => {
  let app: TestApp;
  let collectionId: string;
  let bought: string;
  let unpriced: string;

  beforeAll(async () => {
    [bought, unpriced] = (await smallCatalogue(database(), 2)) as [string, string];
    app = await newTestApp(database());
  });
  beforeEach(async () => {
    await commitPrices(database(), DAY, { [bought]: '3', [unpriced]: null });
    marketChanged(database());
    collectionId = await collectionOf(app);
    await untilHeld(contextOf(database(), app));
    // The search is made of the market that is held.
    await app.graphql('{ products(query: "price<5", first: 1) { totalCount } }');
  });

  async function collectionOf(owner: TestApp): Promise<string> {
    const { body } = await owner.send('POST', '/collection', { name: 'Cards' });
    const path = `/collection/${body.collectionId}/transaction`;
    for (const variantId of [bought, unpriced]) {
      const unitAmount = { currency: 'USD', value: 1 };
      const { status } = await owner.send('POST', path, entry(variantId, { quantity: 2, unitAmount }));
      expect(status).toBe(200);
    }
    return body.collectionId;
  }

  async function commitUnheard(prices: DayPrices): Promise<void> {
    await database().query(
      'update price set amount = p.value::numeric from jsonb_each_text($1::jsonb) p where variant_id = p.key',
      [JSON.stringify(prices)],
    );
    await database().query(`update market_data set revision = revision + 1 where kind = 'prices'`);
  }
  const FOUND = 'transactionSummaries(searchQuery: "price<5 gain>0", sort: CHRONOLOGICAL, first: 5)';

  it('shows no summary at REST that another market found', async () => {
    const path = `/collection/${collectionId}/transaction-summary?sort=Chronological&searchQuery=${encodeURIComponent('price<5 gain>0')}`;
    const held = await app.send('GET', path);
    expect(held.body.results).toMatchObject([{ variantId: bought, marketValue: { value: 6 } }]);
    await commitUnheard({ [bought]: '100', [unpriced]: null });
    const answer = await app.send('GET', path);
    expect(answer.body.results).toEqual([]);
  });

  it.each([
    [
      'summaries',
      `collection(id: $id) { marketValue { value } ${FOUND} { totalCount nodes { marketValue { value } } } }`,
    ],
    [
      'transactions',
      'collection(id: $id) { marketValue { value } transactions(searchQuery: "price<5", first: 5) { totalCount } }',
    ],
    [
      'products',
      'collection(id: $id) { marketValue { value } } products(query: "usd<5", first: 5) { totalCount }',
    ],
  ])('has no %s at GraphQL that another market found', async (_, fields) => {
    await commitUnheard({ [bought]: '100', [unpriced]: null });
    const answer = await app.graphql<Record<string, unknown>>(`query ($id: ID!) { ${fields} }`, {
      id: collectionId,
    });
    expect(answer).toMatchObject({ collection: { marketValue: { value: 200 } } });
    expect(JSON.stringify(answer)).toContain('"totalCount":0');
  });

  it('has products in the order of the market that all else is of', async () => {
    await commitUnheard({ [bought]: '3', [unpriced]: '100' });
    const query = `query ($id: ID!) { collection(id: $id) { marketValue { value } }
      products(sort: PRICE, first: 1) { nodes { variants { id } } } }`;
    expect(await app.graphql(query, { id: collectionId })).toMatchObject({
      collection: { marketValue: { value: 206 } },
      products: { nodes: [{ variants: [{ id: unpriced }] }] },
    });
  });

  it('does not say that a price is unknown by which a value was made', async () => {
    await commitUnheard({ [bought]: '3', [unpriced]: '4' });
    const query = `query ($id: ID!, $variantId: ID!) { collection(id: $id) { marketValue { value } }
      node(id: $variantId) { ... on Variant { marketPrice { value } } } }`;
    expect(await app.graphql(query, { id: collectionId, variantId: unpriced })).toEqual({
      collection: { marketValue: { value: 14 } },
      node: { marketPrice: { value: 4 } },
    });
  });

  it.each(['before', 'behind'])(
    'is in one currency where that changes %s its first statement',
    async (when) => {
      let change = async (): Promise<unknown> => undefined;
      const changing = sentThrough(database(), async (text, send) => {
        if (text !== COLLECTIONS_BY_ID.stored) return send();
        if (when === 'before') await change();
        const rows = await send();
        if (when === 'behind') await change();
        return rows;
      });
      const owner = await newTestApp(changing);
      const id = await collectionOf(owner);
      change = async () => {
        change = async () => undefined;
        await updatePreferences(contextOf(database(), owner), { preferredCurrency: 'EUR' });
      };
      const query = `query ($id: ID!) { collection(id: $id) { marketValue { currency }
      transactions(first: 1) { nodes { variant { marketPrice { currency } } } } } }`;
      const { collection } = (await owner.graphql(query, { id })) as {
        collection: { marketValue: { currency: string } };
      };
      // Behind it, they may both be what was read beside it.
      const { currency } = when === 'before' ? { currency: 'EUR' } : collection.marketValue;
      expect(collection).toEqual({
        marketValue: { currency },
        transactions: { nodes: [{ variant: { marketPrice: { currency } } }] },
      });
    },
  );
});

describeOnDatabases('what an answer is made of', (database) => {
  const asker = async (): Promise<Context & { seen: Seen }> => ({
    ...(await newAccount(database(), { currency: 'EUR' })),
    seen: new Seen(),
  });

  it('is noted of prices that no statement finds', async () => {
    const ctx = await asker();
    const [row] = await database().query<{ id: string }>(
      'select v.id from variant v where not exists (select from price p where p.variant_id = v.id and p.amount is not null) limit 1',
    );
    await database().transaction(async (tx) => {
      expect(await getMarketPrices({ ...ctx, db: tx }, [row!.id], 'USD', 'VendorMarket')).toEqual([null]);
    });
    expect(ctx.seen.madeOf.get('marketRevision')?.size).toBe(1);
  });

  it.each([
    ['with days', '2026-04-01', true],
    ['without any', '1990-01-01', false],
  ])('is noted of histories of expected values %s', async (_, from, hasDays) => {
    const ctx = await asker();
    const [row] = await database().query<{ setType: string; productType: string; to: string }>(
      `select set_type as "setType", product_type as "productType", (date '${from}' + 13)::text as to from product_ev limit 1`,
    );
    const id = productEvId(row!.setType, row!.productType);
    const [history] = await getEvHistories(ctx, [id], { from, to: row!.to });
    expect(history!.length > 0).toBe(hasDays);
    expect(ctx.seen.madeOf.get('marketRevision')?.size).toBe(1);
  });

  it('is noted of counts by price and of pages without a summary, and of the market only where prices matter', async () => {
    const ctx = await asker();
    const { id } = await createCollection(ctx, { name: 'Empty' });
    const noted = async (work: (ctx: Context) => Promise<unknown>) => {
      const seen = new Seen();
      await work({ ...ctx, seen });
      return [seen.madeOf.get('marketRevision')?.size ?? 0, [...seen.madeOf.get('currency')!]];
    };
    const purchases = { action: 'Purchase' } as const;
    const byTime = summaryOrder('Chronological');
    const counted = (query: string | null) => noted((ctx) => countSummaries(ctx, [id], query, purchases));
    expect(await counted('gain>5')).toEqual([1, ['EUR']]);
    expect(await counted(null)).toEqual([0, ['EUR']]);
    const page = pageByKey({}, byTime);
    expect(await noted((ctx) => listSummaries(ctx, [id], 'gain>5', byTime, page))).toEqual([1, ['EUR']]);
  });

  it('is noted of the currency, also where the database tells it', async () => {
    const ctx = await asker();
    await getPreferences(ctx);
    expect([...ctx.seen.madeOf.get('currency')!]).toEqual(['EUR']);
  });
});
