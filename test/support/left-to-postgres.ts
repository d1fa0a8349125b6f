import { inject } from 'vitest';

/**
 * For tests of many rows or cases, whose statements are the same on both databases and take PGlite three times as long: it
 * runs them only where there is no PostgreSQL.
 */
export function isLeftToPostgres(kind: 'pglite' | 'postgres'): boolean {
  return kind === 'pglite' && inject('postgresUrl') !== null;
}
