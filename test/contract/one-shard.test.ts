import { expect, it } from 'vitest';
import type { Database } from '../../src/db/client.ts';
import { INSERT_ACCOUNT } from '../../src/db/queries/accounts.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { newOneShardCheck } from '../support/one-shard.ts';

it('the plans of statements of the product are looked at, and of none that tests send themselves', async () => {
  // Of its own: suites that were here before have sent the same.
  const { oneShardListener, takeBreachesOfOneShard } = newOneShardCheck();
  const planned: string[] = [];
  const planner = {
    query: async (text: string) => {
      planned.push(text);
      return [{ 'QUERY PLAN': `Task Count: ${planned.length * 32}` }];
    },
  } as unknown as Database;

  oneShardListener('update account set name = $1', ['x']);
  await createAccount({ query: oneShardListener } as unknown as Database, {
    name: 'x',
    now: new Date(0),
  }).catch(() => {});
  expect(await takeBreachesOfOneShard(async () => planner)).toEqual([
    expect.stringMatching(/^32: insert into account/),
  ]);
  expect(planned).toEqual([`explain ${INSERT_ACCOUNT}`]);
  expect(await takeBreachesOfOneShard(async () => planner)).toEqual([]);
});
