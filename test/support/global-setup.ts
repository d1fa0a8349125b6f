import type {} from 'vitest';
import type { TestProject } from 'vitest/node';
import { findPostgres, startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A database of the PostgreSQL under test, as a superuser; null where there is no PostgreSQL. */
    postgresUrl: string | null;
  }
}

/** Provides `inject('postgresUrl')`: TEST_DATABASE_URL, or a server started for this run, or null. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await testServer();
  project.provide('postgresUrl', server.url);
  return server.stop;
}

async function testServer(): Promise<{ url: string | null; stop: () => Promise<void> }> {
  const url = process.env.TEST_DATABASE_URL;
  if (!url && findPostgres()) return startPostgres();
  if (!url) reportMissing();
  return { url: url ?? null, stop: async () => {} };
}

function reportMissing(): void {
  const advice = 'Install PostgreSQL 15 or later, or set TEST_DATABASE_URL or PG_BIN.';
  if (process.env.CI) throw new Error(`No PostgreSQL to test with. ${advice}`);
  console.error(`\nNo PostgreSQL found: only the tests on PGlite will run. ${advice}\n`);
}
