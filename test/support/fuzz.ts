import fc from 'fast-check';
import { isLeftToPostgres } from './left-to-postgres.ts';

const { FUZZ_RUNS, TEST_CITUS_URL } = process.env;

/** Random cases are the same in each run, so that one that fails fails for whoever made it so: FUZZ_SEED tries others. */
export const FUZZ_SEED = Number(process.env.FUZZ_SEED ?? 20_260_413);

fc.configureGlobal({ seed: FUZZ_SEED });

/**
 * How many cases a test of random ones tries: FUZZ_RUNS, if it is given; of those that are on both databases PGlite a fifth, where
 * there is PostgreSQL, and so does Citus, where the parts of a change go to and fro between nodes.
 */
export function fuzzRuns(runs: number, kind?: 'pglite' | 'postgres'): number {
  if (FUZZ_RUNS) return Number(FUZZ_RUNS);
  return kind && (TEST_CITUS_URL || isLeftToPostgres(kind)) ? Math.ceil(runs / 5) : runs;
}
