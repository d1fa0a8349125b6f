import { expect } from 'vitest';
import type { Database } from '../../src/db/client.ts';
import { heldCatalogue, marketChanged } from '../../src/memory/memory.ts';
import type { Context } from '../../src/services/context.ts';
import { writePrices } from '../../src/services/market/import.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { settleMarket } from '../../src/services/market/settle.ts';
import { eventually } from './eventually.ts';

const SOURCE = { version: 'test', isSample: true };

/** US dollars by variant; null where no price is known. */
export type DayPrices = Record<string, string | null>;

/** An import whose process ends at the commit: no account has had its turn. Without expected values, to be quick. */
export function commitPrices(db: Database, day: string, prices: DayPrices, source = SOURCE) {
  const rows = Object.entries(prices).map(([variantId, amount]) => ({ variantId, currency: 'USD', amount }));
  return db.transaction((tx) => writePrices(tx, rows, day, source, noProgress));
}

/** The same with the turns of the accounts. */
export async function importDay(db: Database, day: string, prices: DayPrices) {
  await commitPrices(db, day, prices);
  await settleMarket(db);
}

/** Variants that are part of no expected value, so that an import of their prices is quick. */
export async function variantsWithoutEv(db: Database, count: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select v.id from variant v join price p on p.variant_id = v.id join product r on r.id = v.product_id
     where r.sealed_set_type is null and p.amount is not null
       and v.set_code not in (select rates ->> 'setCode' from pull_rate_set)
     order by v.id limit ${count}`,
  );
  return rows.map(({ id }) => id);
}

/** Leaves so many variants of a suite's own database, and no expected values: then imports, and all after them, are quick. */
export async function smallCatalogue(db: Database, count: number): Promise<string[]> {
  const ids = await variantsWithoutEv(db, count);
  await keepVariants(db, ids);
  return ids;
}

/** Leaves these variants of a suite's own database, with their products, and no expected values. */
export async function keepVariants(db: Database, ids: string[]): Promise<void> {
  const others = 'not in (select jsonb_array_elements_text($1::jsonb))';
  const params = [JSON.stringify(ids)];
  await db.transaction(async (tx) => {
    await tx.liftTimeouts();
    // Nothing refers to what goes, and to look for it takes a minute.
    await tx.query(`set local session_replication_role = 'replica'`);
    for (const table of ['product_ev_history', 'product_ev', 'pull_rate_set'])
      await tx.query(`delete from ${table}`);
    for (const table of ['sale_volumes', 'price_year', 'price'])
      await tx.query(`delete from ${table} where variant_id ${others}`, params);
    await tx.query(`delete from variant where id ${others}`, params);
    await tx.query(
      'delete from product p where not exists (select from variant v where v.product_id = p.id)',
    );
  });
  marketChanged(db);
}

/** Until the newest prices are held in memory; before, statements serve. */
export function untilHeld(ctx: Context): Promise<void> {
  return eventually(async () => expect(await heldCatalogue(ctx)).not.toBeNull());
}
