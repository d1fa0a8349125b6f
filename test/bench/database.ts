import postgres from 'postgres';
import type { OpenDatabase } from '../../src/db/client.ts';

/**
 * Settings under which the write-ahead log has what is measured alone: no images of whole pages (which follow each
 * checkpoint), no checkpoint but those that are asked for, and no autovacuum, in whose place `maintain` comes between.
 */
export const PLAIN_LOG = {
  full_page_writes: 'off',
  checkpoint_timeout: '1h',
  max_wal_size: '16GB',
  autovacuum: 'off',
};

/** Sends statements such as `vacuum`, which take their time and cannot be part of a transaction. */
export async function maintain(url: string, ...statements: string[]): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  for (const statement of statements) await sql.unsafe(statement);
  await sql.end();
}

/** The bytes of the write-ahead log so far, of all databases of the server. */
export async function walBytes(db: OpenDatabase): Promise<number> {
  const [row] = await db.query<{ bytes: string }>(
    `select (pg_current_wal_insert_lsn() - '0/0')::text as bytes`,
  );
  return Number(row!.bytes);
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
