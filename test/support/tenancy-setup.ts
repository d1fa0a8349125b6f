import { afterAll, expect } from 'vitest';
import { takeBreachesOfOneShard } from './one-shard.ts';
import { takeBreachesOfOneSql } from './one-sql-listener.ts';
import { takeBreaches } from './tenancy.ts';

/**
 * Of every test file: no statement that it made the product send may reach into another account, or be one that Citus would refuse, or
 * there be worked by more than one shard.
 */
afterAll(async () => {
  expect(takeBreaches(), 'statements on tenant tables without the caller’s account').toEqual([]);
  expect(takeBreachesOfOneSql(), 'statements that Citus would refuse').toEqual([]);
  expect(await takeBreachesOfOneShard(planner), 'statements that several shards work').toEqual([]);
});

/** A database on Citus; asked for where there is a statement to plan. */
const planner = async () => (await import('../harness.ts')).sharedDatabase('postgres');
