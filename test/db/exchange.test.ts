import { expect, it } from 'vitest';
import { exchangeRate, latestRate } from '../../src/db/queries/exchange.ts';
import { importExchangeRates } from '../../src/services/market/import.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { describeOnOwnDatabases } from '../harness.ts';

const RATES = { '2026-01-05': '1.7', '2026-01-12': '0.0003', '2026-02-02': '162.123456789' };
/** Without rates, in their own time, and older and newer than all. */
const CURRENCIES = ['EUR', 'USD', 'NZD', 'CHF', null];
const DAYS = ['1999-01-01', '2026-01-04', '2026-01-05', '2026-01-11', '2026-02-01', '2026-03-01', null];

describeOnOwnDatabases('rates that statements look up', (database, kind) => {
  // Citus takes no such functions, and had no nodes of the version before.
  it.skipIf(kind === 'postgres' && process.env.TEST_CITUS_URL)(
    'are those of the functions, by which nodes of the version before convert, to the last digit',
    async () => {
      const rows = ['NZD', 'USD'].flatMap((currency, i) =>
        Object.entries(RATES)
          .slice(i)
          .map(([day, per_euro]) => ({ currency, day, per_euro })),
      );
      await database().query(`delete from fx_rate where currency = 'CHF'`);
      await importExchangeRates(database(), rows, { version: 'test', isSample: true }, noProgress);
      const asked = await database().query<Record<'own' | 'target' | 'said' | 'latest', string | null>>(
        `
      select f.currency as own, t.currency as target, ${exchangeRate('f.currency', 't.currency', 'd.day')}::text as said,
        exchange_rate(f.currency, t.currency, d.day)::text as due, ${latestRate('f.currency', 't.currency')}::text as latest,
        latest_exchange_rate(f.currency, t.currency)::text as "latestDue"
      from jsonb_array_elements_text($1::jsonb) f(currency), jsonb_array_elements_text($1::jsonb) t(currency),
        (select value::date as day from jsonb_array_elements_text($2::jsonb)) d`,
        [JSON.stringify(CURRENCIES), JSON.stringify(DAYS)],
      );
      expect(asked).toHaveLength(CURRENCIES.length ** 2 * DAYS.length);
      for (const row of asked) expect(row).toMatchObject({ due: row.said, latestDue: row.latest });
      expect(new Set(asked.map(({ said }) => said)).size).toBeGreaterThan(10);
    },
  );
});
