import { defineConfig } from 'vitest/config';

/** The tests of the domain alone, which need no database; without those that search the whole catalogue for seconds. */
export default defineConfig({
  test: {
    include: ['test/domain/**/*.test.ts'],
    exclude: ['test/domain/search/fuzz.test.ts', 'test/domain/search/judged.test.ts'],
    testTimeout: 30_000,
  },
});
