import { beforeAll, expect, it } from 'vitest';
import { marketChanged } from '../../src/memory/memory.ts';
import { diagnose } from '../../src/services/doctor.ts';
import { describeOnOwnDatabases, newTestApp, type TestApp } from '../harness.ts';
import { contextOf, entry } from '../support/furnished.ts';
import { type DayPrices, importDay, smallCatalogue, untilHeld } from '../support/price-days.ts';

const DAY = '2026-04-13';
const SUMS =
  'quantity unpriced warning percentageGain gain { decimal } marketValue { decimal } invested { decimal }';

/** What is said of cards that nobody knows the price of (docs/decisions.md#unknown-prices). */
describeOnOwnDatabases('unknown prices', (database) => {
  let app: TestApp;
  let a: string;
  let b: string;
  let none: string;

  beforeAll(async () => {
    [a, b, none] = (await smallCatalogue(database(), 3)) as [string, string, string];
    app = await newTestApp(database());
    await setPrices({ [a]: '5', [b]: '3', [none]: null });
  });

  const setPrices = async (prices: DayPrices) => {
    await importDay(database(), DAY, prices);
    marketChanged(database());
  };

  async function collectionOf(cards: [string, number, ('Purchase' | 'Sale')?][], of = app): Promise<string> {
    const { body } = await of.send('POST', '/collection', { name: 'Cards' });
    for (const [variantId, quantity, action = 'Purchase'] of cards) {
      const { status } = await of.send(
        'POST',
        `/collection/${body.collectionId}/transaction`,
        entry(variantId, { quantity, action, unitAmount: { currency: 'USD', value: 2 } }),
      );
      expect(status).toBe(200);
    }
    return body.collectionId;
  }

  const sumsOf = async (id: string, of = app) =>
    (await of.graphql<{ collection: unknown }>(`{ collection(id: "${id}") { ${SUMS} } }`)).collection;

  it('leave cards out of the gain, and out of what it is a percentage of', async () => {
    const id = await collectionOf([
      [a, 2],
      [none, 3],
    ]);
    expect(await sumsOf(id)).toEqual({
      quantity: 5,
      unpriced: 3,
      warning:
        '3 cards have no known market price: the market value counts them as 0, and the gain leaves them out.',
      // 6.00 of the 4.00 that the cards with a price cost, not of the 10.00 of all.
      percentageGain: 1.5,
      gain: { decimal: '6.00' },
      marketValue: { decimal: '10.00' },
      invested: { decimal: '10.00' },
    });
    const { body, headers } = await app.send('GET', `/collection/${id}`);
    expect(body).toMatchObject({ marketValue: { value: 10 }, gain: { value: 6 } });
    expect(headers.get('Unpriced-Cards')).toBe('3');
    const known = await app.send('GET', `/collection/${id}`, undefined, {
      'If-None-Match': headers.get('ETag')!,
    });
    expect([known.status, known.headers.get('Unpriced-Cards')]).toEqual([304, '3']);
  });

  it('leave no gain where no card has a price', async () => {
    const id = await collectionOf([[none, 1]]);
    expect(await sumsOf(id)).toMatchObject({
      unpriced: 1,
      warning:
        '1 card has no known market price: the market value counts it as 0, and the gain leaves it out.',
      gain: null,
      percentageGain: null,
      marketValue: { decimal: '0.00' },
    });
    const { body } = await app.send('GET', `/collection/${id}`);
    expect(body).toMatchObject({ marketValue: { value: 0 }, gain: null });
  });

  it('are nothing to be said of where all prices are known, or nothing is held', async () => {
    const priced = await collectionOf([[a, 1]]);
    const soldOut = await collectionOf([
      [none, 2],
      [none, 2, 'Sale'],
    ]);
    const oversold = await collectionOf([[none, 2, 'Sale']]);
    const empty = await collectionOf([]);
    for (const id of [priced, soldOut, oversold, empty]) {
      expect(await sumsOf(id)).toMatchObject({ unpriced: 0, warning: null });
      const { headers } = await app.send('GET', `/collection/${id}`);
      expect(headers.get('Unpriced-Cards')).toBeNull();
    }
    expect(await sumsOf(soldOut)).toMatchObject({ gain: { decimal: '0.00' } });
    expect(await sumsOf(empty)).toMatchObject({ gain: null });
  });

  it('follow the ledger, whatever is recorded, changed and deleted', async () => {
    const id = await collectionOf([
      [none, 4],
      [none, 6, 'Sale'],
      [none, 3],
      [a, 1],
    ]);
    expect(await sumsOf(id)).toMatchObject({ unpriced: 1 });
    const { body } = await app.send('GET', `/collection/${id}/transaction`);
    const sale = body.results.find(({ action }: { action: string }) => action === 'Sale');
    await app.send('PATCH', `/transaction/${sale.transactionId}`, { quantity: 2 });
    expect(await sumsOf(id)).toMatchObject({ unpriced: 5 });
    await app.send('DELETE', `/transaction/${sale.transactionId}`);
    expect(await sumsOf(id)).toMatchObject({ unpriced: 7 });
    expect((await diagnose(database(), { fix: false })).differences).toEqual([]);
  });

  it.each(['by statement', 'in memory'])('follow an import, valued %s', async (way) => {
    const id = await collectionOf([
      [a, 2],
      [b, 3],
      [none, 1],
    ]);
    expect(await sumsOf(id)).toMatchObject({ unpriced: 1 });
    await setPrices({ [a]: '5', [b]: null, [none]: null });
    if (way === 'in memory') await untilHeld(contextOf(database(), app));
    expect(await sumsOf(id)).toMatchObject({ unpriced: 4, gain: { decimal: '6.00' }, percentageGain: 1.5 });
    expect((await diagnose(database(), { fix: false })).differences).toEqual([]);
    await setPrices({ [a]: '5', [b]: '3', [none]: '1' });
    if (way === 'in memory') await untilHeld(contextOf(database(), app));
    expect(await sumsOf(id)).toMatchObject({ unpriced: 0, warning: null, marketValue: { decimal: '20.00' } });
    await setPrices({ [a]: '5', [b]: '3', [none]: null });
  });

  it('are summed up by the dashboard and by pages of REST, of one account alone', async () => {
    const [owner, other] = [await newTestApp(database()), await newTestApp(database())];
    for (const cards of [
      [[none, 2]],
      [
        [a, 1],
        [none, 1],
      ],
    ] as [string, number][][]) {
      const id = await collectionOf(cards, owner);
      await owner.graphql(
        `mutation { updateCollection(input: { id: "${id}", valued: true }) { __typename } }`,
      );
    }
    const dashboard = async (of: TestApp) =>
      (await of.graphql<{ viewer: { dashboard: unknown } }>(`{ viewer { dashboard { ${SUMS} } } }`)).viewer
        .dashboard;
    const sums = { quantity: 4, unpriced: 3, percentageGain: 1.5, gain: { decimal: '3.00' } };
    expect(await dashboard(owner)).toMatchObject(sums);
    // All of it valued afresh.
    await setPrices({ [a]: '5', [b]: '3', [none]: null });
    await untilHeld(contextOf(database(), owner));
    expect(await dashboard(owner)).toMatchObject(sums);
    const pages = ['/collection', '/collection?pageSize=1&cursor=1'];
    const unpriced = [];
    for (const path of pages) unpriced.push((await owner.send('GET', path)).headers.get('Unpriced-Cards'));
    expect(unpriced).toEqual(['3', '1']);
    expect(await dashboard(other)).toMatchObject({ quantity: 0, unpriced: 0, warning: null });
    expect((await other.send('GET', '/collection')).headers.get('Unpriced-Cards')).toBeNull();
  });

  it('are told of each holding, and of a page of them', async () => {
    const id = await collectionOf([
      [a, 2],
      [none, 3],
    ]);
    const { collection } = await app.graphql<{ collection: unknown }>(
      `{ collection(id: "${id}") { transactionSummaries(sort: QUANTITY) { nodes { unpriced gain { decimal } percentageGain warning } } } }`,
    );
    expect(collection).toEqual({
      transactionSummaries: {
        nodes: [
          {
            unpriced: 3,
            gain: null,
            percentageGain: null,
            warning: expect.stringContaining('No market price'),
          },
          { unpriced: 0, gain: { decimal: '6.00' }, percentageGain: 1.5, warning: null },
        ],
      },
    });
    const { headers } = await app.send('GET', `/collection/${id}/transaction-summary`);
    expect(headers.get('Unpriced-Cards')).toBe('3');
  });

  it('leave points of a history unknown, with the reason', async () => {
    const id = await collectionOf([
      [a, 2],
      [none, 3],
    ]);
    const { collection } = await app.graphql<{ collection: unknown }>(
      `{ collection(id: "${id}") { valueHistory(from: "2026-04-12", to: "2026-04-13") {
           marketValue { decimal } knownMarketValue { decimal } unpricedVariants warning } } }`,
    );
    const unknown = await collectionOf([[none, 3]]);
    const of = await app.graphql<{ collection: unknown }>(
      `{ collection(id: "${unknown}") { valueHistory(from: "2026-04-12", to: "2026-04-13") {
           marketValue { decimal } knownMarketValue { decimal } unpricedVariants warning } } }`,
    );
    const nothing = {
      marketValue: { decimal: '0.00' },
      knownMarketValue: { decimal: '0.00' },
      unpricedVariants: 0,
      warning: null,
    };
    expect(collection).toEqual({
      valueHistory: [
        nothing,
        {
          marketValue: { decimal: '10.00' },
          knownMarketValue: { decimal: '10.00' },
          unpricedVariants: 1,
          warning: '1 variant held without a known market price counts as 0.',
        },
      ],
    });
    expect(of.collection).toEqual({
      valueHistory: [
        nothing,
        {
          marketValue: { decimal: '0.00' },
          knownMarketValue: null,
          unpricedVariants: 1,
          warning: 'No market price is known of the cards that were held.',
        },
      ],
    });
  });
});
