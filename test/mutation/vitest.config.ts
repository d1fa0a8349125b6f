import { defineConfig } from 'vitest/config';

/**
 * The tests of the domain alone, which need no database; without those that search the whole catalogue or simulate every
 * set for seconds: mutated code counts each step that it takes, and these would take minutes.
 */
export default defineConfig({
  test: {
    include: ['test/domain/**/*.test.ts', 'test/mutation/modules.test.ts'],
    exclude: [
      'test/domain/ev-means.test.ts',
      'test/domain/search/fuzz.test.ts',
      'test/domain/search/judged.test.ts',
      'test/domain/search/structured.test.ts',
    ],
    testTimeout: 30_000,
  },
});
