import { afterAll, expect } from 'vitest';
import { takeBreaches } from './tenancy.ts';

/** Of every test file: no statement that it made the product send may reach into another account. */
afterAll(() => {
  expect(takeBreaches(), 'statements on tenant tables without the caller’s account').toEqual([]);
});
