import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** `npm run test:slow`, `test:faults` and `test:cluster` run those that take minutes, and only those. */
const APART = ['slow', 'faults', 'cluster'];
const ONLY = APART.find((folder) => process.env.npm_lifecycle_event === `test:${folder}`);

const SUITES = {
  include: [ONLY ? `test/${ONLY}/**/*.test.ts` : 'test/**/*.test.ts'],
  exclude: ['bench', ...APART.filter((folder) => folder !== ONLY)].map((folder) => `test/${folder}/**`),
};

export default defineConfig({
  resolve: {
    // One copy of graphql: imports from our files and from packages must end at the same CommonJS file.
    alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }],
  },
  test: {
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: ['test/support/tenancy-setup.ts', 'test/support/fuzz.ts'],
    pool: 'forks',
    // The files of a worker share its modules, and so its database.
    isolate: false,
    // Without it a tenth of the processor's time is collecting garbage.
    execArgv: ['--max-semi-space-size=64'],
    // One more than there are processors, as tests wait for processes, time and the database.
    maxWorkers: Math.min(availableParallelism() + 1, 4),
    reporters: process.env.CI ? ['dot'] : ['default'],
    ...SUITES,
    // What hangs is to end; no test is to fail since the machine is slow.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
