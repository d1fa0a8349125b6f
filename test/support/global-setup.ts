import type {} from 'vitest';
import type { TestProject } from 'vitest/node';
import { plainOwnerUrl } from './plain-owner.ts';
import { findPostgres, startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A database of the PostgreSQL under test, as its plain owner; null where there is no PostgreSQL. */
    postgresUrl: string | null;
    /** The same server as a superuser, for what only one may do. */
    superuserUrl: string | null;
  }
}

/**
 * Provides `inject('postgresUrl')` of the Citus coordinator at TEST_CITUS_URL, where each database is distributed, of the server at
 * TEST_DATABASE_URL, or of one started for this run, or null.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await testServer();
  project.provide('postgresUrl', server.url);
  project.provide('superuserUrl', server.superuserUrl);
  // Of a whole run in a fresh clone, each worker would make it for itself.
  if (process.env.CI && process.env.npm_lifecycle_event === 'test')
    await (await import('./loaded-databases.ts')).loadedDump();
  return server.stop;
}

type TestServer = Record<'url' | 'superuserUrl', string | null> & { stop: () => Promise<void> };

async function testServer(): Promise<TestServer> {
  const { TEST_CITUS_URL, TEST_DATABASE_URL } = process.env;
  console.error(
    TEST_CITUS_URL
      ? '\nThe tests on PostgreSQL run on the Citus at TEST_CITUS_URL.\n'
      : '\nNot tested on Citus: TEST_CITUS_URL names no coordinator (npm run citus starts one).\n',
  );
  const superuserUrl = TEST_CITUS_URL || TEST_DATABASE_URL;
  if (!superuserUrl && findPostgres()) return startPostgres();
  if (!superuserUrl) reportMissing();
  const url = superuserUrl ? await plainOwnerUrl(superuserUrl) : null;
  return { url, superuserUrl: superuserUrl || null, stop: async () => {} };
}

function reportMissing(): void {
  const advice = 'Install PostgreSQL 15 or later, or set TEST_DATABASE_URL or PG_BIN.';
  if (process.env.CI) throw new Error(`No PostgreSQL to test with. ${advice}`);
  console.error(`\nNo PostgreSQL found: only the tests on PGlite will run. ${advice}\n`);
}
