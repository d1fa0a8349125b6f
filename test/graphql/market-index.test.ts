import { expect, it } from 'vitest';
import type { Database } from '../../src/db/client.ts';
import { exchangeRate } from '../../src/db/queries/exchange.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { describeOnOwnDatabases, newTestApp } from '../harness.ts';
import { entry } from '../support/furnished.ts';
import { importPrices } from '../support/import-prices.ts';
import { smallCatalogue } from '../support/price-days.ts';
import { mutate } from './mutate.ts';

const SOURCE = { version: 'test', isSample: false };

async function importDay(db: Database, day: string, prices: Record<string, string>): Promise<void> {
  const rows = Object.entries(prices).map(([variantId, amount]) => ({ variantId, currency: 'USD', amount }));
  const file = {
    length: rows.length,
    [Symbol.asyncIterator]: async function* () {
      yield* rows;
    },
  };
  await importPrices(db, file, day, SOURCE, noProgress);
}

describeOnOwnDatabases('the market index of imported days', (database) => {
  it('is asked for beside a history, by anybody, in their currency', async () => {
    const [a, b] = (await smallCatalogue(database(), 2)) as [string, string];
    const app = await newTestApp(database());
    await database().query(
      `insert into fx_rate (currency, day, per_euro) values ('USD', '2026-04-08', 1.1), ('USD', '2026-04-10', 1.2)`,
    );
    await importDay(database(), '2026-04-08', { [a]: '8.00', [b]: '2.00' });
    await importDay(database(), '2026-04-10', { [a]: '10.00' });
    const { body } = await app.send('POST', '/collection', { name: 'Compared' });
    await app.send(
      'POST',
      `/collection/${body.collectionId}/transaction`,
      entry(a, { quantity: 1, occurredDate: '2026-04-01' }),
    );
    const range = 'from: "2026-04-08", to: "2026-04-10"';
    const query = `query ($id: ID!) {
      collection(id: $id) { valueHistory(${range}) { date marketValue { decimal } } }
      marketIndex(${range}) { date value valueDecimal variants }
      equal: marketIndex(weighting: EQUAL, ${range}, interval: MONTH) { date valueDecimal }
    }`;
    const point = (date: string, value: number, variants = 2) => ({
      date,
      value,
      valueDecimal: String(value),
      variants,
    });
    const worth = (date: string, decimal: string) => ({ date, marketValue: { decimal } });
    expect(await app.graphql(query, { id: body.collectionId })).toEqual({
      collection: {
        valueHistory: [
          worth('2026-04-08', '8.00'),
          worth('2026-04-09', '8.00'),
          worth('2026-04-10', '10.00'),
        ],
      },
      marketIndex: [point('2026-04-08', 100), point('2026-04-09', 100), point('2026-04-10', 120)],
      equal: [{ date: '2026-04-10', valueDecimal: '111.803398875' }],
    });

    const other = await newTestApp(database());
    await mutate(other, 'updatePreferences', { preferredCurrency: 'EUR' });
    const [rates] = await database().query<{ expected: string }>(
      `select trim_scale(round(120 * ${exchangeRate("'USD'", "'EUR'", "'2026-04-10'")} / ${exchangeRate("'USD'", "'EUR'", "'2026-04-08'")}, 10)) as expected`,
    );
    const inEuros = await other.graphql<{ marketIndex: { valueDecimal: string }[] }>(
      `{ marketIndex(${range}) { valueDecimal } }`,
    );
    expect(inEuros.marketIndex.at(-1)!.valueDecimal).toBe(rates!.expected);
    expect(rates!.expected).not.toBe('120');

    const refused = await app.send('POST', '/graphql', {
      query: `{ marketIndex(set: "X", rarity: "Rare", ${range}) { value } }`,
    });
    expect(refused.body).toMatchObject({
      data: { marketIndex: null },
      errors: [
        {
          message: expect.stringContaining('must be left out beside a set'),
          extensions: { code: 'BAD_USER_INPUT' },
        },
      ],
    });
  });
});
