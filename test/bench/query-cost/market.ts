import type { OpenDatabase } from '../../../src/db/client.ts';
import { recomputeIndexes } from '../../../src/services/market/indexes.ts';
import { fillPriceDays } from '../price-days.ts';
import { PRICE_DAYS } from './queries.ts';

const DAY_MILLIS = 86_400_000;
const DAYS = (Date.parse(PRICE_DAYS.last) - Date.parse(PRICE_DAYS.first)) / DAY_MILLIS + 1;

/** Gives the market three years: a price of each variant on every third day, an exchange rate of each currency on every day. */
export async function fillMarket(db: OpenDatabase): Promise<void> {
  await fillPriceDays(db, { days: DAYS, newest: PRICE_DAYS.last, everyDays: 3 });
  await db.transaction(async (tx) => {
    await tx.liftTimeouts();
    await tx.query(
      `insert into fx_rate (currency, day, per_euro)
       select f.currency, d::date, round(f.per_euro * (1 + 0.05 * sin(extract(doy from d) / 58.0))::numeric, 4)
       from fx_rate f, generate_series($1::date, $2::date, '1 day') d
       where f.day = (select max(day) from fx_rate) and f.day > $2::date`,
      [PRICE_DAYS.first, PRICE_DAYS.last],
    );
    await tx.query(
      `update market_data set newest_day = $1::date, revision = revision + 1 where kind in ('prices', 'market-index')`,
      [PRICE_DAYS.last],
    );
    await tx.query(`update market_data set version = 'none' where kind = 'market-index'`);
    await recomputeIndexes(tx);
  });
}

/** As after an import: nothing that was made of the market before is right any more. */
export async function marketChanged(db: OpenDatabase): Promise<void> {
  await db.query(`update market_data set revision = revision + 1 where kind = 'pull-rates'`);
  await db.query(`select pg_notify('market', 'changed')`);
}
