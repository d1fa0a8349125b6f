import { readFileSync } from 'node:fs';
import postgres from 'postgres';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { type Database, type OpenDatabase, pgliteDatabase, postgresDatabase } from '../../src/db/client.ts';
import { migrate } from '../../src/db/migrate.ts';
import { projectPath } from '../../src/paths.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { deleteCollection } from '../../src/services/collections/delete.ts';
import { diagnose } from '../../src/services/doctor.ts';
import { importAges } from '../../src/services/market/state.ts';
import { NOW } from '../harness.ts';
import { emptyPostgresUrl } from '../support/empty-postgres.ts';
import { freshPglite } from '../support/pglite-template.ts';

/** A dump of a small shop's database (NZD, three currencies, a deleted collection) at migration 0002. */
const FIRST_VERSION = readFileSync(projectPath('test/fixtures/database/first-version.sql'), 'utf8');
const TENANT_TABLES = ['account', 'client', 'collection', 'transaction', 'holding'];

async function firstVersionOnPglite(): Promise<OpenDatabase> {
  const pglite = await freshPglite();
  await pglite.exec(FIRST_VERSION);
  await pglite.exec('reset all');
  return pgliteDatabase(pglite);
}

async function firstVersionOnPostgres(): Promise<OpenDatabase> {
  const url = await emptyPostgresUrl(inject('postgresUrl')!);
  const loader = postgres(url, { max: 1 });
  await loader.unsafe(FIRST_VERSION);
  await loader.end();
  return postgresDatabase(url);
}

/** The tenants' rows as they are, by table. */
async function tenantRows(db: Database, columnsLike?: Record<string, object[]>) {
  const tables = await Promise.all(
    TENANT_TABLES.map(async (table) => {
      const rows = await db.query<{ row: object }>(
        `select to_jsonb(t) as row from ${table} t order by to_jsonb(t)::text collate "C"`,
      );
      return [table, rows.map(({ row }) => onlyKeysOf(row, columnsLike?.[table]?.[0] ?? row))] as const;
    }),
  );
  return Object.fromEntries(tables.map(([table, rows]) => [table, sorted(rows)]));
}

/** Later versions may have more columns. */
function onlyKeysOf(row: object, like: object): object {
  return Object.fromEntries(Object.entries(row).filter(([name]) => name in like));
}

/** Changes of a price within a year and over its end, in two currencies, and the end of what is known. */
const PRICE_CHANGES = `
  insert into price_history (variant_id, source, day, currency, amount)
  select 'var_4pgzg5sf8885g0sk', 'VendorMarket', day, currency, amount from (values
    (date '2024-12-31', 'EUR', 0.5), (date '2025-01-01', 'USD', 0), (date '2025-07-01', 'USD', 12.3456),
    (date '2025-12-31', 'USD', null)
  ) as change(day, currency, amount)`;

function priceChanges(db: Database) {
  return db.query<{ variantId: string; day: string; currency: string; amount: string | null }>(
    'select variant_id as "variantId", source, day, currency, amount from price_history order by variant_id, day',
  );
}

const sorted = (rows: object[]) => rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

describe.each([
  ['pglite', firstVersionOnPglite],
  ['postgres', firstVersionOnPostgres],
] as const)('a database of the first version (%s)', (kind, open) => {
  it.skipIf(kind === 'postgres' && !inject('postgresUrl'))(
    'is brought to this one, with all that was in it',
    async () => {
      const db = await open();
      onTestFinished(() => db.close());
      const before = await tenantRows(db);
      expect(before.transaction).toHaveLength(17);
      await db.query(PRICE_CHANGES);
      const prices = await priceChanges(db);
      expect(prices).toHaveLength(10);
      const { applied } = await migrate(db);
      expect(applied).toBeGreaterThan(0);
      expect(await tenantRows(db, before)).toEqual(before);
      expect(await priceChanges(db)).toEqual(prices);
      expect(await diagnose(db, { fix: false })).toEqual({ differences: [], fixed: false });
      for (const { seconds } of await importAges(db)) expect(seconds).toBeLessThan(3600);

      const { account_id: accountId } = before.account![0] as { account_id: string };
      const ctx = { db, caller: { accountId, clientId: 'cli_test' }, now: () => NOW };
      const { id } = await createCollection(ctx, { name: 'Of this version' });
      await deleteCollection(ctx, id);
      expect((await diagnose(db, { fix: false })).differences).toEqual([]);
    },
  );
});
