import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    // One copy of graphql: imports from our files and from packages must end at the same CommonJS file.
    alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }],
  },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/bench/**', 'test/faults/**'],
    globalSetup: 'test/support/global-setup.ts',
    pool: 'forks',
    // The files of a worker share its modules, and so its database.
    isolate: false,
    maxWorkers: Math.min(availableParallelism(), 4),
    reporters: process.env.CI ? ['dot'] : ['default'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
