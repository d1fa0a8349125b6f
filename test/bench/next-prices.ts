import type { OpenDatabase } from '../../src/db/client.ts';

const DAY_MILLIS = 86_400_000;
let day = Date.parse('2026-05-01');

/** Prices of so many variants of the next day, as importers give them: each time other ones. */
export async function nextPrices(db: OpenDatabase, count: number) {
  const variants = await db.query<{ id: string }>(
    `select id from variant order by length(id), id limit ${count}`,
  );
  day += DAY_MILLIS;
  const rows = variants.map(({ id: variantId }, i) => ({
    variantId,
    currency: 'USD',
    amount: (((i * 7 + day / DAY_MILLIS) % 9000) / 100).toFixed(2),
  }));
  return { rows, date: new Date(day).toISOString().slice(0, 10) };
}
