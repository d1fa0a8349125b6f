import { PGlite, type PGliteOptions } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { unaccent } from '@electric-sql/pglite/contrib/unaccent';

/**
 * How every PGlite of this project is opened.
 * The buffers are a quarter of PostgreSQL's default, which saves 120 MB; reads that miss them come from the
 * operating system's cache, and no slow-down was measured. The log of changes is kept under about 64 MB.
 */
export const pgliteOptions = {
  extensions: { pg_trgm, unaccent },
  startParams: [
    ...PGlite.defaultStartParams,
    ...['-c', 'shared_buffers=32MB'],
    ...['-c', 'max_wal_size=64MB'],
    ...['-c', 'min_wal_size=32MB'],
    // Lines are shown in ours, which have a time.
    ...['-c', 'log_line_prefix='],
    // As for sessions with PostgreSQL (connection.ts).
    ...['-c', 'random_page_cost=1.1'],
  ],
} satisfies PGliteOptions;
