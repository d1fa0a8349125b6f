import { getTableColumns, getTableName, is } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import { expect, it } from 'vitest';
import { COORDINATOR_TABLES, REFERENCE_TABLES, TENANT_TABLES } from '../../src/db/placement.ts';
import * as tables from '../../src/db/tables/index.ts';

const all = Object.values(tables).filter((table) => is(table, PgTable));
/** Found before the account is known, so they are whole on every node. */
const FOUND_BY_OTHERS = ['client', 'identity_provider'];

it('every table has one place on Citus', () => {
  expect([...TENANT_TABLES, ...REFERENCE_TABLES, ...COORDINATOR_TABLES].sort()).toEqual(
    // Made before the first migration.
    [...all.map(getTableName), 'migration'].sort(),
  );
});

it('what has an account is with its rows', () => {
  const withAccount = all.filter((table) =>
    Object.values(getTableColumns(table)).some(({ name }) => name === 'account_id'),
  );
  expect([...TENANT_TABLES, ...FOUND_BY_OTHERS].sort()).toEqual(withAccount.map(getTableName).sort());
});
