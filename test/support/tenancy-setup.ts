import { afterAll, expect } from 'vitest';
import { takeBreachesOfOneSql } from './one-sql-listener.ts';
import { takeBreaches } from './tenancy.ts';

/** Of every test file: no statement that it made the product send may reach into another account, or be one that Citus would refuse. */
afterAll(() => {
  expect(takeBreaches(), 'statements on tenant tables without the caller’s account').toEqual([]);
  expect(takeBreachesOfOneSql(), 'statements that Citus would refuse').toEqual([]);
});
