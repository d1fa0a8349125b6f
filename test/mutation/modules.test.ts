/// <reference types="vite/types/importMeta.d.ts" />
import { expect, it } from 'vitest';

/** Stryker takes a file of tests that cannot be loaded for one without failures, so that loading must be a test too. */
const modules = import.meta.glob<object>('../../src/domain/**/*.ts');

it.each(Object.entries(modules))('%s can be loaded', async (_, load) => {
  expect(await load()).toBeTypeOf('object');
});
