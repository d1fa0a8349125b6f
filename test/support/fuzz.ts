import fc from 'fast-check';

const { FUZZ_RUNS, FUZZ_SEED } = process.env;

/** Random cases are the same in each run, so that one that fails fails for whoever made it so: FUZZ_SEED tries others. */
fc.configureGlobal({ seed: Number(FUZZ_SEED ?? 20_260_413) });

/** How many cases a test of random ones tries: FUZZ_RUNS, if it is given. */
export function fuzzRuns(runs: number): number {
  return Number(FUZZ_RUNS ?? runs);
}
