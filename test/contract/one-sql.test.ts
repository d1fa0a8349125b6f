import { describe, expect, it } from 'vitest';
import { TENANT_TABLES } from '../../src/db/placement.ts';
import { breachesOfOneSql, RULES, tablesOnAllNodes } from '../support/one-sql.ts';
import { breachesOf } from '../support/one-sql-listener.ts';
import {
  FUNCTIONS_OF_ACCOUNT,
  QUERY_FILES,
  statementsIn,
  statementsInBody,
} from '../support/written-statements.ts';

/** Each rule by a word of its name, with a statement that breaks it and one that does not. */
const EXAMPLES: [rule: string, broken: string, kept: string][] = [
  [
    'function that reads a table',
    "select amount * latest_exchange_rate(currency, 'USD') from price",
    'select amount * (select per_euro from fx_rate fx where fx.currency = price.currency) from price',
  ],
  [
    'CASE WHEN',
    "select case t.action when 'Sale' then 1 end from transaction t where t.account_id = $1",
    "select case when t.action = 'Sale' then 1 end from transaction t where t.account_id = $1",
  ],
  [
    'has RETURNING, even where',
    'with gone as (delete from goal_item i where i.account_id = $1) select 1',
    'with gone as (delete from goal_item i where i.account_id = $1 returning i.variant_id) select 1',
  ],
  [
    'where a value is a sub-select',
    'insert into price_alert (account_id, market_revision) values ($1, (select max(revision) from market_data))',
    'insert into price_alert (account_id, market_revision) select $1::uuid, max(revision) from market_data returning id',
  ],
  [
    'RETURNING or ON CONFLICT',
    'insert into goal_item (account_id, variant_id) select $1, v.id from variant v',
    'insert into goal_item (account_id, variant_id) select $1, v.id from variant v on conflict do nothing',
  ],
  [
    'no sub-select in SET',
    'with v as (select 1 as is_met) update price_alert p set is_met = (select is_met from v) where p.account_id = $1',
    'with v as (select 1 as is_met) update price_alert p set is_met = v.is_met from v where p.account_id = $1',
  ],
  [
    'the time in SET',
    'update webhook w set disabled_at = coalesce(w.disabled_at, now()) where w.account_id = $1',
    'update webhook w set disabled_at = coalesce(w.disabled_at, at.now) from (select now() as now) at where w.account_id = $1',
  ],
  [
    'nothing by chance',
    'update market_data set revision = revision + floor(random() * 10)',
    'update market_data set revision = revision + $1::bigint',
  ],
  [
    'what SET makes of columns',
    "update import_preview_row r set row = r.row || jsonb_build_object('left', r.line) where r.account_id = $1",
    "update import_preview_row r set row = jsonb_set(r.row, '{left}', $2::jsonb) where r.account_id = $1",
  ],
  [
    'what RETURNING makes',
    'delete from transaction t where t.account_id = $1 returning t.occurred::text',
    'with gone as (delete from transaction t where t.account_id = $1 returning t.occurred) select occurred::text from gone',
  ],
  [
    'what WHERE makes of columns',
    'update collection set name = $2 where account_id = $1 and $3::jsonb @> to_jsonb(revision)',
    'update collection set name = $2 where account_id = $1 and $3::jsonb @> revision::text::jsonb',
  ],
  [
    'is cast behind FROM',
    'delete from event e where e.account_id = $1 and e.sequence = any(array(select jsonb_array_elements_text($2::jsonb)::bigint))',
    'delete from event e where e.account_id = $1 and e.sequence = any(array(select s.n::bigint from jsonb_array_elements_text($2::jsonb) as s(n)))',
  ],
  [
    'locked at a time',
    'select p.id from import_preview p join collection c on c.account_id = $1 and c.id = p.collection_id where p.account_id = $1 for no key update of c, p',
    'with col as (select c.id from collection c where c.account_id = $1 for no key update) select p.id from import_preview p where p.account_id = $1 and p.collection_id = (select id from col) for no key update',
  ],
  [
    'ON CONFLICT … WHERE',
    "insert into idempotency_key as k (account_id) values ($1) on conflict (account_id) do update set answer = null where k.created_at < now() - interval '1 day'",
    'insert into idempotency_key as k (account_id) values ($1) on conflict (account_id) do update set answer = null where k.created_at < $2',
  ],
  [
    'rows of a function',
    'select w.id, exists (select from jsonb_to_recordset($1::jsonb) as k(id text) where k.id = w.id) from webhook w',
    'with w as materialized (select w.id from webhook w) select w.id, exists (select from jsonb_to_recordset($1::jsonb) as k(id text) where k.id = w.id) from w',
  ],
];

describe('the rules of what all three engines run', () => {
  it.each(EXAMPLES)('%s: refuse what breaks them, and nothing else', (rule, broken, kept) => {
    expect(breachesOfOneSql(broken)).toEqual([expect.stringContaining(rule)]);
    expect(breachesOfOneSql(kept)).toEqual([]);
  });

  const JOINED =
    'select p.id from import_preview p join collection c on c.account_id = $1 and c.id = p.collection_id where p.account_id = $1';

  it.each([
    `${JOINED} for share`,
    `${JOINED} for key share skip locked`,
    `${JOINED} order by p.id limit 1 for update of p for key share of c`,
    `with x as (select $2::text as id) ${JOINED} for no key update`,
    `with x as (${JOINED} for no key update) select id from x`,
    `select exists (${JOINED} for share) from product`,
  ])('find two tables of accounts that are locked wherever it is: %s', (statement) => {
    expect(breachesOfOneSql(statement)).toEqual([expect.stringContaining('locked at a time')]);
  });

  it.each([
    `with x as (${JOINED}) select c.id from collection c where c.account_id = $1 and c.id in (select id from x) for key share`,
    `${JOINED} for share of p`,
    'select p.id from import_preview p join variant v on v.id = p.id where p.account_id = $1 for update',
  ])('take one that is locked beside others that are read: %s', (statement) => {
    expect(breachesOfOneSql(statement)).toEqual([]);
  });

  it('have an example each', () => {
    const named = RULES.map(({ name }) => EXAMPLES.filter(([rule]) => name.includes(rule)).length);
    expect(named).toEqual(RULES.map(() => 1));
  });

  it('look at no text in quotes, and at no comment', () => {
    expect(
      breachesOfOneSql("select 'case x when now()' -- latest_exchange_rate(a, b)\n from product"),
    ).toEqual([]);
  });
});

describe('the tables that all nodes are asked for', () => {
  it.each([
    ['select id from collection where account_id = $1', []],
    ['select id from "collection"', ['collection']],
    [
      'select c.id from account a join collection c on c.account_id = a.account_id where a.account_id = $1',
      ['collection c'],
    ],
    ['select c.id from account a join collection c on c.account_id = $1 where a.account_id = $1', []],
    [
      'delete from holding h using collection c where h.account_id = $1 and c.id = h.collection_id',
      ['collection c'],
    ],
    ['select p.id from product p join variant v on v.product_id = p.id', []],
    ['select a.name from account a where a.account_id = any($2::uuid[])', []],
  ])('are those whose account is no parameter: %s', (text, tables) => {
    expect(tablesOnAllNodes(text)).toEqual(tables);
  });
});

describe('the statements that are written down', () => {
  it.each(QUERY_FILES)('%s has none that Citus would refuse', async (file) => {
    const statements = await statementsIn(file);
    const breaches = statements.flatMap(({ name, text }) =>
      breachesOf(text).map((breach) => `${name}: ${breach}`),
    );
    expect(breaches).toEqual([]);
  });

  // Each with its reason in docs/operations.md#changes-on-citus.
  it('insert rows of accounts by themselves, but for these: a part that inserts is worked by all nodes', async () => {
    const isPart = new RegExp(`\\(\\s*insert into (${TENANT_TABLES.join('|')})\\b`);
    const written = (await Promise.all(QUERY_FILES.map(statementsIn))).flat();
    const parts = written.filter(({ text }) => isPart.test(text)).map(({ name }) => name);
    expect([...new Set(parts)].sort()).toEqual([
      'CREATE_SUB_ACCOUNT',
      'DELETE_SUB_ACCOUNT',
      'FEED_WEBHOOKS',
      'LOG_TRIGGERED_ALERTS',
      'SEND_TEST',
    ]);
  });

  it.each([...FUNCTIONS_OF_ACCOUNT])(
    'in the function %s are of one account, and none that Citus would refuse',
    (_name, body) => {
      const statements = statementsInBody(body);
      const tables = new RegExp(`\\b(from|join|into|update) (${TENANT_TABLES.join('|')})\\b`, 'gi');
      // None is left out.
      expect(statements.join(';').match(tables)).toEqual(body.match(tables));
      expect(statements.flatMap(breachesOf)).toEqual([]);
    },
  );
});
