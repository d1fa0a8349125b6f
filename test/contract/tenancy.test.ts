import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { listAccounts } from '../../src/services/accounts/list.ts';
import { describeOnDatabases } from '../harness.ts';
import { asCallerOf, breachOfTenancy, TENANT_TABLES, takeBreaches } from '../support/tenancy.ts';

describe('the check of statements for the account', () => {
  const mine = randomUUID();
  const other = randomUUID();

  it('knows the tenant tables', () => {
    expect(TENANT_TABLES).toEqual(
      expect.arrayContaining(['account', 'collection', 'transaction', 'holding', 'idempotency_key', 'event']),
    );
  });

  it.each([
    ['select * from collection where account_id = $1', [mine]],
    ['select * from product p join variant v on v.product_id = p.id', []],
    [
      'select * from collection c join account a on a.account_id = c.account_id where c.account_id = $1',
      [mine],
    ],
    ['with col as (select id from collection c where c.account_id = $1) select * from col', [mine]],
    ['insert into holding as h (account_id, collection_id) values ($1, $2)', [mine, 'x']],
    ['select t.id from create_transaction($1::uuid, $2) t', [mine, 'x']],
    ['update "collection" set "name" = $2 where "collection"."account_id" = $1', [mine, 'x']],
  ])('lets %s pass', (text, params) => {
    expect(breachOfTenancy(text, params, mine)).toBeNull();
    expect(breachOfTenancy(text, params, null)).toBeNull();
  });

  it.each([
    ['select * from collection where id = $1', ['x'], 'names no account_id for collection'],
    [
      'select * from account a, collection c where a.account_id = $1',
      [mine],
      'names no account_id for collection c',
    ],
    [
      'delete from transaction t using collection c where t.account_id = $1 and c.id = t.collection_id',
      [mine],
      'names no account_id for collection c',
    ],
    ['insert into holding (collection_id) values ($1)', ['x'], 'names no account_id for holding'],
    ['select account_id from collection', [], 'binds no account'],
    ['select * from collection where account_id = $1', [other], 'binds another account'],
    ['insert into collection (account_id, id) values ($1, $2)', [other, 'x'], 'binds another account'],
    ['select t.id from create_transaction($1::uuid, $2) t', [other, 'x'], 'binds another account'],
    ['select t.id from create_transaction($2, $1) t', [mine, 'x'], 'binds another account'],
  ])('refuses %s', (text, params, breach) => {
    expect(breachOfTenancy(text, params, mine)).toBe(breach);
  });

  it('lets an exception pass for the operator, and for no caller', () => {
    const text = 'select account_id as "accountId" from account where deleted_at is null order by account_id';
    expect(breachOfTenancy(text, [], null)).toBeNull();
    expect(breachOfTenancy(text, [], mine)).toBe('binds no account');
  });
});

describeOnDatabases('the collection of statements', (database) => {
  it('has those of the product, and not those that tests send themselves', async () => {
    await asCallerOf(randomUUID(), () => database().query('select 1 from account'));
    expect(takeBreaches()).toEqual([]);
    await asCallerOf(randomUUID(), () => listAccounts(database()));
    expect(takeBreaches()).toEqual([
      expect.stringMatching(/^binds no account: select .* from account where parent_id is null order by/),
    ]);
  });
});
