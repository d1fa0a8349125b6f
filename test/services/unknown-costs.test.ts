import { beforeAll, describe, expect, it } from 'vitest';
import type { CostBasis } from '../../src/domain/cost-basis.ts';
import { marketChanged } from '../../src/memory/memory.ts';
import { updatePreferences } from '../../src/services/accounts/update-preferences.ts';
import { diagnose } from '../../src/services/doctor.ts';
import { exportTransactions } from '../../src/services/transactions/export.ts';
import { importTransactions } from '../../src/services/transactions/import.ts';
import { describeOnOwnDatabases, newTestApp, type TestApp } from '../harness.ts';
import { contextOf, entry } from '../support/furnished.ts';
import { importDay, smallCatalogue, untilHeld } from '../support/price-days.ts';

const SUMS =
  'quantity unknownCost boughtAtUnknownCost warning gainRatio gain { decimal } marketValue { decimal } invested { decimal }';
const UNKNOWN = { costUnknown: true, unitAmount: { currency: 'USD', value: 0 } };
const usd = (value: number) => ({ currency: 'USD', value });

/** What is said of cards of which nobody knows what they cost (docs/decisions.md#unknown-costs). */
describeOnOwnDatabases('unknown costs', (database) => {
  let a: string;
  let b: string;
  let none: string;

  beforeAll(async () => {
    [a, b, none] = (await smallCatalogue(database(), 3)) as [string, string, string];
    await importDay(database(), '2026-04-13', { [a]: '5', [b]: '3', [none]: null });
    marketChanged(database());
    await untilHeld(contextOf(database(), await newTestApp(database())));
  });

  async function appOf(costBasis: CostBasis = 'Average'): Promise<TestApp> {
    const app = await newTestApp(database());
    await updatePreferences(contextOf(database(), app), { costBasis });
    return app;
  }

  async function collectionOf(app: TestApp, entries: object[]): Promise<string> {
    const { body } = await app.send('POST', '/collection', { name: 'Cards', valued: true });
    for (const one of entries) {
      const { status } = await app.send('POST', `/collection/${body.collectionId}/transaction`, one);
      expect(status).toBe(200);
    }
    return body.collectionId;
  }

  const sumsOf = async (app: TestApp, id: string) =>
    (
      await app.graphql<{ collection: unknown }>(
        `{ collection(id: "${id}") { ${SUMS} transactionSummaries { nodes { ${SUMS} } } } }`,
      )
    ).collection;

  const agrees = async () => expect((await diagnose(database(), { fix: false })).differences).toEqual([]);

  it('leave cards out of the gain, and out of what it is a fraction of', async () => {
    const app = await appOf();
    const id = await collectionOf(app, [
      entry(a, { quantity: 2, unitAmount: usd(2) }),
      { ...entry(b, { quantity: 3 }), ...UNKNOWN },
    ]);
    expect(await sumsOf(app, id)).toMatchObject({
      quantity: 5,
      unknownCost: 3,
      warning:
        'The cost of 3 cards that were bought is not known: what is invested and the profit count it as 0, and the gain leaves 3 cards out.',
      // 6.00 on the 4.00 of the cards whose cost is known.
      gain: { decimal: '6.00' },
      gainRatio: 1.5,
      marketValue: { decimal: '19.00' },
      invested: { decimal: '4.00' },
    });
    const { body, headers } = await app.send('GET', `/collection/${id}`);
    expect(body).toMatchObject({ gain: { value: 6 }, invested: { value: 4 } });
    expect(headers.get('Unknown-Cost-Cards')).toBe('3');
    const known = { 'If-None-Match': headers.get('ETag')! };
    const again = await app.send('GET', `/collection/${id}`, undefined, known);
    expect([again.status, again.headers.get('Unknown-Cost-Cards')]).toEqual([304, '3']);
    const { viewer } = await app.graphql<{ viewer: unknown }>(`{ viewer { dashboard { ${SUMS} } } }`);
    expect(viewer).toMatchObject({
      dashboard: { unknownCost: 3, gain: { decimal: '6.00' }, gainRatio: 1.5 },
    });
    const summaries = await app.send('GET', `/collection/${id}/transaction-summary`);
    expect(summaries.headers.get('Unknown-Cost-Cards')).toBe('3');
    expect(summaries.body.results).toContainEqual(
      expect.objectContaining({ variantId: b, gain: null, marketValue: { currency: 'USD', value: 9 } }),
    );
    await agrees();
  });

  it('leave no gain where that of no card is known', async () => {
    const app = await appOf();
    const id = await collectionOf(app, [{ ...entry(a), ...UNKNOWN }]);
    expect(await sumsOf(app, id)).toMatchObject({
      unknownCost: 1,
      warning:
        'The cost of 1 card that was bought is not known: what is invested and the profit count it as 0, and the gain leaves 1 card out.',
      gain: null,
      gainRatio: null,
      marketValue: { decimal: '5.00' },
    });
  });

  it('are found by no gain, as they have none', async () => {
    const app = await appOf();
    const id = await collectionOf(app, [
      { ...entry(a, { quantity: 2 }), ...UNKNOWN },
      entry(b, { quantity: 3, unitAmount: usd(1) }),
    ]);
    const foundBy = async (search: string) => {
      const { collection } = await app.graphql<{
        collection: { transactionSummaries: { nodes: { variant: { id: string } }[] } };
      }>(
        `{ collection(id: "${id}") { transactionSummaries(searchQuery: "${search}") { nodes { variant { id } } } } }`,
      );
      return collection.transactionSummaries.nodes.map(({ variant }) => variant.id);
    };
    expect(await foundBy('gain>1')).toEqual([b]);
    // What they are worth, to which a gain of nothing would come.
    expect(await foundBy('gain:10')).toEqual([]);
    expect(await foundBy('gain<11 or quantity:2')).toHaveLength(2);
  });

  it('are nothing to be said of where all are known', async () => {
    const app = await appOf();
    const id = await collectionOf(app, [entry(a)]);
    expect(await sumsOf(app, id)).toMatchObject({ unknownCost: 0, boughtAtUnknownCost: 0, warning: null });
    const { headers } = await app.send('GET', `/collection/${id}`);
    expect(headers.get('Unknown-Cost-Cards')).toBeNull();
  });

  it('are told of with what sales brought, also when nothing is held any more', async () => {
    const app = await appOf();
    const id = await collectionOf(app, [
      { ...entry(a, { quantity: 2 }), ...UNKNOWN },
      entry(a, { action: 'Sale', quantity: 2, unitAmount: usd(50) }),
    ]);
    const told = {
      unknownCost: 0,
      boughtAtUnknownCost: 2,
      warning:
        'The cost of 2 cards that were bought is not known: what is invested and the profit count it as 0.',
    };
    expect(await sumsOf(app, id)).toMatchObject({ ...told, transactionSummaries: { nodes: [told] } });
    const { body, headers } = await app.send('GET', `/collection/${id}`);
    expect([body.profit.value, headers.get('Unknown-Cost-Cards')]).toEqual([100, '2']);
    await agrees();
  });

  describe.each([
    // By an average, all cards of a holding that mixes them.
    { costBasis: 'Average', held: [4, 3, 1], lots: [null, null], sold: 1 },
    { costBasis: 'MovingAverage', held: [4, 3, 1], lots: [null, null], sold: 1 },
    // The ones bought first, of which one is sold, then the other.
    { costBasis: 'Fifo', held: [2, 1, 0], lots: [null, '2.00'], sold: 1 },
  ] as const)('by $costBasis', ({ costBasis, held, lots, sold }) => {
    it('are those of the cards that are held', async () => {
      const app = await appOf(costBasis);
      const id = await collectionOf(app, [
        { ...entry(a, { quantity: 2, occurredDate: '2024-01-01' }), ...UNKNOWN },
        entry(a, { quantity: 2, occurredDate: '2024-02-01', unitAmount: usd(2) }),
      ]);
      const unknown: number[] = [];
      const look = async () => {
        const { collection } = await app.graphql<{
          collection: { unknownCost: number; transactionSummaries: { nodes: { unknownCost: number }[] } };
        }>(`{ collection(id: "${id}") { unknownCost transactionSummaries { nodes { unknownCost } } } }`);
        expect(collection.transactionSummaries.nodes[0]!.unknownCost).toBe(collection.unknownCost);
        unknown.push(collection.unknownCost);
      };
      await look();
      const sell = (quantity: number) =>
        app.send(
          'POST',
          `/collection/${id}/transaction`,
          entry(a, { action: 'Sale', quantity, unitAmount: usd(4) }),
        );
      await sell(1);
      await look();
      const { collection } = await app.graphql<{ collection: unknown }>(
        `{ collection(id: "${id}") {
          transactionSummaries { nodes { gain { decimal } lots { nodes { unitCost { decimal } } } } }
          realizedGains(year: 2026) { quantity unknownCost sales { nodes { unknownCost lots { nodes { costUnknown } } } } }
        } }`,
      );
      expect(collection).toMatchObject({
        transactionSummaries: {
          nodes: [
            {
              gain: null,
              lots: { nodes: lots.map((decimal) => ({ unitCost: decimal && { decimal } })) },
            },
          ],
        },
        realizedGains: {
          quantity: 1,
          unknownCost: sold,
          sales: { nodes: [{ unknownCost: sold, lots: { nodes: [{ costUnknown: true }] } }] },
        },
      });
      await sell(2);
      await look();
      expect(unknown).toEqual(held);
      await agrees();
    });

    it('are no more once they are known', async () => {
      const app = await appOf(costBasis);
      const id = await collectionOf(app, [entry(a, { unitAmount: usd(2) }), { ...entry(a), ...UNKNOWN }]);
      const { body } = await app.send('GET', `/collection/${id}/transaction`);
      const purchase = body.results.find(({ costUnknown }: { costUnknown?: true }) => costUnknown);
      const patched = await app.send('PATCH', `/transaction/${purchase.transactionId}`, {
        unitAmount: usd(1.5),
      });
      expect(patched.body).not.toHaveProperty('costUnknown');
      expect(await sumsOf(app, id)).toMatchObject({
        unknownCost: 0,
        gain: { decimal: '6.50' },
        warning: null,
      });
      await app.send('PATCH', `/transaction/${purchase.transactionId}`, { costUnknown: true });
      expect(await sumsOf(app, id)).toMatchObject({
        unknownCost: costBasis === 'Fifo' ? 1 : 2,
        gain: null,
        invested: { decimal: '2.00' },
      });
      await app.send('DELETE', `/transaction/${purchase.transactionId}`);
      expect(await sumsOf(app, id)).toMatchObject({ unknownCost: 0, gain: { decimal: '3.00' } });
      await agrees();
    });
  });

  it('go with what is moved, and with another cost basis', async () => {
    const app = await appOf('Fifo');
    const ctx = contextOf(database(), app);
    const from = await collectionOf(app, [
      { ...entry(a, { quantity: 2 }), ...UNKNOWN },
      entry(a, { occurredDate: '2026-04-14', unitAmount: usd(2) }),
    ]);
    const to = await collectionOf(app, [entry(b)]);
    const move = `mutation { moveTransactions(input: {fromCollectionId: "${from}", toCollectionId: "${to}", variantId: "${a}"}) { __typename } }`;
    await app.graphql(move);
    expect(await sumsOf(app, from)).toMatchObject({ unknownCost: 0 });
    expect(await sumsOf(app, to)).toMatchObject({ unknownCost: 2, gain: { decimal: '2.00' } });
    for (const [costBasis, unknownCost] of [
      ['MovingAverage', 3],
      ['Average', 3],
      ['Fifo', 2],
    ] as const) {
      await updatePreferences(ctx, { costBasis });
      expect(await sumsOf(app, to)).toMatchObject({ unknownCost });
      await agrees();
    }
  });

  it('leave the gain and the returns of a period open, and what came before it alone', async () => {
    const app = await appOf();
    const id = await collectionOf(app, [
      { ...entry(a, { quantity: 2, occurredDate: '2026-04-10' }), ...UNKNOWN },
    ]);
    const performance = async (from: string) => {
      const part =
        'gain { decimal } warning timeWeightedReturn { value reason } internalRateOfReturn { reason }';
      const { collection } = await app.graphql<{ collection: { performance: unknown } }>(
        `{ collection(id: "${id}") { performance(from: "${from}", to: "2026-04-14") { ${part} } } }`,
      );
      return collection.performance;
    };
    expect(await performance('2026-04-10')).toMatchObject({
      gain: null,
      warning: expect.stringContaining(
        '2 cards were bought at a cost that is not known, and count as 0 in what was paid.',
      ),
      timeWeightedReturn: { value: null, reason: 'UNKNOWN_COST' },
      internalRateOfReturn: { reason: 'UNKNOWN_COST' },
    });
    expect(await performance('2026-04-14')).toMatchObject({ gain: { decimal: '0.00' }, warning: null });
    const { collection } = await app.graphql<{ collection: { valueHistory: unknown } }>(
      `{ collection(id: "${id}") { valueHistory(from: "2026-04-10", to: "2026-04-11", interval: DAY) { warning } } }`,
    );
    expect(collection.valueHistory).toMatchObject([
      { warning: expect.stringContaining('2 cards were bought at a cost that is not known') },
      { warning: expect.stringContaining('2 cards were bought at a cost that is not known') },
    ]);
  });

  describe('are refused', () => {
    const refused = async (app: TestApp, method: 'POST' | 'PATCH', path: string, body: object) => {
      const answer = await app.send(method, path, body);
      expect(answer.status).toBe(400);
      return answer.body.errors ?? answer.body;
    };

    it('beside a price, and of a sale', async () => {
      const app = await appOf();
      const id = await collectionOf(app, []);
      const path = `/collection/${id}/transaction`;
      expect(JSON.stringify(await refused(app, 'POST', path, { ...entry(a), costUnknown: true }))).toContain(
        'must be 0, or costUnknown false: a price is given, or it is not known',
      );
      expect(
        JSON.stringify(await refused(app, 'POST', path, { ...entry(a, { action: 'Sale' }), ...UNKNOWN })),
      ).toContain('must not be true of a sale');
      expect((await app.send('GET', path)).body.results).toEqual([]);
    });

    it('in a change that leaves a sale without an amount', async () => {
      const app = await appOf();
      const id = await collectionOf(app, [{ ...entry(a), ...UNKNOWN }, entry(a, { action: 'Sale' })]);
      const { body } = await app.send('GET', `/collection/${id}/transaction`);
      const [purchase, sale] = body.results;
      expect(
        JSON.stringify(
          await refused(app, 'PATCH', `/transaction/${purchase.transactionId}`, { action: 'Sale' }),
        ),
      ).toContain('is required: the cost of the purchase is not known, and a sale has an amount');
      expect(
        JSON.stringify(
          await refused(app, 'PATCH', `/transaction/${sale.transactionId}`, { costUnknown: true }),
        ),
      ).toContain('must not be true of a sale');
      const both = await app.send('PATCH', `/transaction/${purchase.transactionId}`, {
        action: 'Sale',
        unitAmount: usd(1),
      });
      expect(both.status).toBe(200);
      await agrees();
    });
  });

  describe('in files', () => {
    it('are what rows without a price have, where that is chosen', async () => {
      const app = await appOf();
      const ctx = contextOf(database(), app);
      const id = await collectionOf(app, []);
      const csv = `when,card,many,paid,fees\n2026-04-10,${a},2,,0.50\n2026-04-10,${b},1,3,\n`;
      const columns = {
        occurredDate: 'when',
        variantId: 'card',
        quantity: 'many',
        unitAmount: 'paid',
        fees: 'fees',
      };
      const report = await importTransactions(ctx, id, { csv, columns, currency: 'USD', cost: 'Unknown' });
      expect(report).toMatchObject({ written: true, transactionCount: 2, errors: [] });
      // Of what is not known in whole, the fees are known.
      expect(await sumsOf(app, id)).toMatchObject({ unknownCost: 2, invested: { decimal: '3.50' } });
      await agrees();
    });

    it('are no amount of a sale, and none beside one that is given', async () => {
      const app = await appOf();
      const ctx = contextOf(database(), app);
      const id = await collectionOf(app, []);
      const columns = {
        occurredDate: 'when',
        variantId: 'card',
        quantity: 'many',
        unitAmount: 'paid',
        action: 'what',
      };
      const csv = `when,card,many,paid,what\n2026-04-10,${a},2,,Sale\n2026-04-10,${a},2,unknown,Sale\n`;
      const report = await importTransactions(ctx, id, { csv, columns, currency: 'USD', cost: 'Unknown' });
      expect(report).toMatchObject({ written: false, transactionCount: 0 });
      expect(report.errors).toMatchObject(
        [2, 3].map((line) => ({
          line,
          column: 'paid',
          detail: 'is not known, and the row is a sale: fill in what it brought, or leave the row out',
        })),
      );
      const flat = { csv, columns, currency: 'USD', cost: 'Unknown', unitAmount: usd(1) };
      await expect(importTransactions(ctx, id, flat)).rejects.toThrow(
        'must be left out where the cost is unknown',
      );
    });

    it.each(['Cardledger', 'Json', 'Collectr'] as const)('are not told as 0 by %s', async (format) => {
      const app = await appOf();
      const ctx = contextOf(database(), app);
      const id = await collectionOf(app, [{ ...entry(a, { quantity: 2 }), ...UNKNOWN }]);
      let file = '';
      for await (const piece of exportTransactions(ctx, id, format)) file += piece;
      const [, cells = file] = file.split('\r\n');
      expect(cells).toContain(format === 'Collectr' ? ',,' : 'unknown');
      expect(cells).not.toMatch(/[,"]0(\.0+)?[,"]/);
    });

    it.each([
      ['Cardledger', {}],
      ['Json', {}],
      ['Collectr', { cost: 'Unknown', currency: 'USD' }],
    ] as const)('come back from a file of %s', async (format, options) => {
      const app = await appOf();
      const ctx = contextOf(database(), app);
      const first = await collectionOf(app, [
        { ...entry(a, { quantity: 2 }), ...UNKNOWN },
        entry(b, { unitAmount: usd(2) }),
      ]);
      const second = await collectionOf(app, []);
      let csv = '';
      for await (const piece of exportTransactions(ctx, first, format)) csv += piece;
      const report = await importTransactions(ctx, second, { csv, ...options });
      expect(report).toMatchObject({ written: true, errors: [] });
      expect(await sumsOf(app, second)).toEqual(await sumsOf(app, first));
    });
  });
});
