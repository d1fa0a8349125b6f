import type { Database } from '../../src/db/client.ts';
import { derivePriceMoves } from '../../src/services/market/import-run.ts';

export interface PriceDays {
  /** Variants that have prices: the first so many by their ids, or all. */
  variants?: number;
  days: number;
  /** `YYYY-MM-DD`, the last of them. */
  newest: string;
  /** A price changes on every so many days. */
  everyDays: number;
}

/**
 * Replaces the history of prices, as imports would have written it, and gives the number of changes. The prices wander, so that
 * they are no easier to compress than real ones.
 */
export function fillPriceDays(
  db: Database,
  { variants, days, newest, everyDays }: PriceDays,
): Promise<number> {
  return db.transaction(async (tx) => {
    await tx.liftTimeouts();
    await tx.query('delete from price_year');
    await tx.query('select setseed(0.5)');
    const first = new Date(Date.parse(newest) - (days - 1) * 86_400_000).getUTCFullYear();
    for (let year = first; year <= Number(newest.slice(0, 4)); year++) {
      await tx.query(
        `insert into price_year (variant_id, source, year, days, currencies, amounts)
         select id, 'VendorMarket', ${year}, array_agg(day order by day), array_agg(text 'USD' order by day),
           array_agg(round((base * (1 + 0.3 * sin(d / 100.0 + n) + 0.05 * random()))::numeric, 2) order by day)
         from (select id, row_number() over (order by id) as n, 0.1 + power(random(), 4) * 100 as base
             from (select id from variant order by id ${variants === undefined ? '' : `limit ${variants}`}) chosen) v,
           generate_series(0, ${days - 1}) d, lateral (select date '${newest}' - (${days - 1} - d) as day) of_day
         where (n + d) % ${everyDays} = 0 and extract(year from day) = ${year}
         group by id`,
      );
    }
    await tx.query('analyze price_year');
    await derivePriceMoves(tx);
    const [row] = await tx.query<{ changes: number }>(
      'select sum(cardinality(days))::integer as changes from price_year',
    );
    return row!.changes;
  });
}

/** Two copies of each variant beside it. */
export async function copyVariants(db: Database): Promise<void> {
  await db.query(
    `insert into variant (id, product_id, name, position, fc_id, set_code, edition, finish, rarity, is_expansion_slot)
     select v.id || 'c' || n, v.product_id, v.name || ' copy ' || n, v.position + 100 * n, v.fc_id || '-c' || n, 'XXX', v.edition,
       v.finish, v.rarity, v.is_expansion_slot
     from variant v, generate_series(1, 2) n`,
  );
}
