import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import type { Database } from '../../src/db/client.ts';
import { migrate } from '../../src/db/migrate.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import type { Context } from '../../src/services/context.ts';
import { createTransaction } from '../../src/services/transactions/create.ts';
import {
  describeOnDatabases,
  NOW,
  newAccount,
  newTestApp,
  pricedVariants,
  type SentStatement,
  statementsOf,
} from '../harness.ts';
import { TENANT_TABLES } from '../support/tenancy.ts';

describeOnDatabases('the wall between accounts in the database', (database) => {
  const sides: { ctx: Context; collectionId: string; wall: Database }[] = [];

  beforeAll(async () => {
    const [variantId] = await pricedVariants(database(), 1);
    for (let i = 0; i < 2; i++) {
      const ctx = await newAccount(database());
      const { id: collectionId } = await createCollection(ctx, { name: `Side ${i}` });
      await createTransaction(ctx, collectionId, {
        variantId,
        occurredDate: '2025-01-01',
        action: 'Purchase',
        quantity: 1,
        unitAmount: { currency: 'USD', value: 1 },
      });
      sides.push({ ctx, collectionId, wall: database().forAccount(ctx.caller.accountId) });
    }
  });
  const mine = () => sides[0]!;
  const theirs = () => sides[1]!;

  const FILLED = ['account', 'collection', 'transaction', 'holding', 'event'];

  it.each(FILLED)('gives a query that forgets the account no row of another one: %s', async (table) => {
    const rows = await mine().wall.query<{ account_id: string }>(`select account_id from ${table}`);
    expect(rows.length).toBeGreaterThan(0);
    expect(new Set(rows.map((row) => row.account_id))).toEqual(new Set([mine().ctx.caller.accountId]));
  });

  it.each(FILLED)('gives the role no row at all where nobody has named an account: %s', async (table) => {
    const rows = await database().transaction(async (tx) => {
      await tx.query('set local role cardledger_tenant');
      return tx.query(`select 1 from ${table}`);
    });
    expect(rows).toEqual([]);
  });

  it('changes, deletes and adds no row of another account', async () => {
    const { wall } = mine();
    const [{ name }] = (await wall.query<{ name: string }>(
      `with u as (update collection set pinned = true returning name) select name from u`,
    )) as [{ name: string }];
    expect(name).toBe('Side 0');
    expect(
      await wall.query('delete from transaction where account_id = $1 returning id', [
        theirs().ctx.caller.accountId,
      ]),
    ).toEqual([]);
    const insert = wall.query(
      `insert into collection (account_id, id, name, created_at, currency) values ($1, 'col_x', 'x', now(), 'USD')`,
      [theirs().ctx.caller.accountId],
    );
    await expect(insert).rejects.toMatchObject({ code: '42501' });
  });

  it('holds in transactions, and ends with them', async () => {
    const count = async (db: Database) =>
      (await db.query<{ count: number }>('select count(*) as count from account'))[0]!.count;
    expect(await mine().wall.transaction(count)).toBe(1);
    await expect(mine().wall.transaction(async () => Promise.reject(new Error('undone')))).rejects.toThrow(
      'undone',
    );
    expect(await count(database())).toBeGreaterThan(1);
  });

  it('holds for a statement that is kept, whoever sent it before', async () => {
    const seen = async (db: Database) => {
      const rows = await db.query<{ id: string }>('select account_id as id from collection');
      return [...new Set(rows.map(({ id }) => id))];
    };
    const [one, other] = sides.map(({ ctx }) => ctx.caller.accountId);
    // Past five executions PostgreSQL may take one plan for all.
    for (let i = 0; i < 8; i++) {
      expect(await seen(mine().wall)).toEqual([one]);
      expect(await seen(theirs().wall)).toEqual([other]);
      expect(await mine().wall.transaction(seen)).toEqual([one]);
      expect(await seen(database())).toEqual(expect.arrayContaining([one, other]));
    }
  });

  it('keeps secrets and the operator’s tables from the role', async () => {
    for (const table of ['client', 'signing_key', 'rate_limit', 'migration']) {
      await expect(mine().wall.query(`select 1 from ${table}`)).rejects.toMatchObject({ code: '42501' });
    }
    await expect(mine().wall.query('delete from product')).rejects.toMatchObject({ code: '42501' });
  });

  it('is a role that owns nothing and passes no policy, over every table with an account', async () => {
    expect(
      await database().query(
        `select rolsuper, rolbypassrls, rolcanlogin, rolcreaterole,
           exists (select from pg_class where relowner = r.oid) as owns
         from pg_roles r where rolname = 'cardledger_tenant'`,
      ),
    ).toEqual([
      {
        rolsuper: false,
        rolbypassrls: false,
        // Nodes of Citus log in on each other as it.
        rolcanlogin: Boolean(process.env.TEST_CITUS_URL),
        rolcreaterole: false,
        owns: false,
      },
    ]);
    const walled = await database().query<{ name: string }>(
      `select relname as name from pg_class c where relrowsecurity and not relforcerowsecurity
         and (select array_agg(polroles) from pg_policy where polrelid = c.oid) = array[array['cardledger_tenant'::regrole::oid]]`,
    );
    // A new table needs a migration with: SELECT raise_tenant_wall('its_name')
    expect(walled.map(({ name }) => name).sort()).toEqual([...TENANT_TABLES].sort());
  });

  it('changes nothing of the plans of the owner, who is no superuser', async () => {
    if (database().kind === 'postgres') {
      const [owner] = await database().query(
        `select current_setting('is_superuser') as superuser, relowner = current_user::regrole as owns
         from pg_class where oid = 'holding'::regclass`,
      );
      expect(owner).toEqual({ superuser: 'off', owns: true });
    }
    const pages = await statementsOfPages();
    expect(pages.filter(({ text }) => /\bfrom holding\b/.test(text)).length).toBeGreaterThanOrEqual(3);
    for (const page of pages) {
      const plan = await planOf(database(), page);
      expect(plan).not.toMatch(/current_user|current_setting/i);
      expect(plan).toBe(await planWithoutPolicies(page));
      expect(await planOf(mine().wall, page)).toMatch(/current_setting\('cardledger\.account_id'/);
    }
  });

  /** Those that a page of collections and pages of summaries are read with: by value in memory, also after a change, and by statement. */
  async function statementsOfPages() {
    const app = await newTestApp(database());
    const { body: collection } = await app.send('POST', '/collection', { name: 'Planned' });
    const variantIds = await pricedVariants(database(), 3);
    const buy = (variantId: string) =>
      app.send('POST', `/collection/${collection.collectionId}/transaction`, {
        variantId,
        occurredDate: '2025-01-01',
        action: 'Purchase',
        quantity: 1,
        unitAmount: { currency: 'USD', value: 1 },
      });
    for (const variantId of variantIds) await buy(variantId);
    const summaries = (args: string) =>
      `transactionSummaries(first: 1, ${args}) { pageInfo { endCursor } nodes { quantity } }`;
    const query = `query ($after: String) { collections(first: 1) { nodes { name
      ofLedger: ${summaries('sort: MARKET_VALUE')}
      byPrice: ${summaries('after: $after, sort: MARKET_VALUE, searchQuery: "price>0"')}
      byTime: ${summaries('sort: CHRONOLOGICAL')} } } }`;
    interface Pages {
      collections: { nodes: { byPrice: { pageInfo: { endCursor: string } } }[] };
    }
    const page = (after?: string) => statementsOf(() => app.graphql<Pages>(query, { after }));
    const first = await page();
    // So that the second is of what was written since.
    await buy(variantIds[0]!);
    const second = await page(first.result.collections.nodes[0]!.byPrice.pageInfo.endCursor);
    const statements = [...first.statements, ...second.statements];
    const walled = new RegExp(`\\bfrom (${TENANT_TABLES.join('|')})\\b`);
    const sent = statements.filter(({ text }) => /^\s*(select|with)\b/.test(text) && walled.test(text));
    return [...new Map(sent.map((statement) => [statement.text, statement])).values()];
  }

  const planOf = async (db: Database, { text, params }: SentStatement) => {
    const lines = await db.query<{ 'QUERY PLAN': string }>(`explain (costs off) ${text}`, params);
    return lines.map((line) => line['QUERY PLAN']).join('\n');
  };

  async function planWithoutPolicies(statement: SentStatement): Promise<string> {
    let plan = '';
    const undone = database().transaction(async (tx) => {
      for (const table of TENANT_TABLES) await tx.query(`alter table ${table} disable row level security`);
      plan = await planOf(tx, statement);
      throw new Error('undo');
    });
    await expect(undone).rejects.toThrow('undo');
    return plan;
  }

  describe('keys', () => {
    it('start with the account: every primary key, unique index and foreign key of tenant tables', async () => {
      const wrong = await database().query(
        `select conname, conrelid::regclass::text as on from pg_constraint k
         where contype in ('p', 'u', 'f') and conrelid::regclass::text = any($1::text[])
           and (contype <> 'f' or confrelid::regclass::text = any($1::text[]))
           and (select attname from pg_attribute where attrelid = conrelid and attnum = conkey[1]) <> 'account_id'
         union all
         select i.indexrelid::regclass::text, i.indrelid::regclass::text from pg_index i
         where i.indisunique and i.indrelid::regclass::text = any($1::text[])
           and (select attname from pg_attribute where attrelid = i.indrelid and attnum = i.indkey[0]) <> 'account_id'`,
        [`{${TENANT_TABLES.join(',')}}`],
      );
      // By which a token is found before it is known whose it is: unique over all accounts.
      expect(wrong).toEqual([{ conname: 'identity_provider_token', on: 'identity_provider' }]);
    });

    it('make a link to what another account owns impossible', async () => {
      const [own, foreign] = [mine().ctx.caller.accountId, theirs().collectionId];
      const links = [
        `insert into transaction (account_id, id, collection_id, variant_id, occurred, action, quantity, unit_amount, currency, rate)
         select $1, 'txn_x', $2, variant_id, occurred, action, quantity, unit_amount, currency, rate from transaction where collection_id = $2`,
        'update transaction set collection_id = $2 where account_id = $1',
        `insert into holding (account_id, collection_id, variant_id, transaction_count, bought, cost, sold, proceeds)
         select $1, $2, variant_id, 1, 1, 1, 0, 0 from holding where collection_id = $2`,
        'update holding set collection_id = $2 where account_id = $1',
      ];
      for (const link of links) {
        await expect(database().query(link, [own, foreign]), link).rejects.toMatchObject({ code: '23503' });
      }
    });
  });
});

describe.skipIf(!inject('postgresUrl'))('a database whose owner is no superuser', () => {
  /** As on a PostgreSQL that somebody else runs: its superuser makes users with these attributes, and their databases. */
  async function ownedBy(attributes: string) {
    const admin = postgresDatabase(inject('superuserUrl')!);
    const name = `owner_${randomUUID().replaceAll('-', '')}`;
    await admin.query(`create role ${name} login ${attributes}`);
    await admin.query(`create database ${name} owner ${name}`);
    const url = new URL(inject('superuserUrl')!);
    url.username = name;
    url.pathname = `/${name}`;
    const db = postgresDatabase(url.href);
    onTestFinished(async () => {
      await db.close();
      await admin.query(`drop database ${name}`);
      await admin.close();
    });
    return { admin, db, name };
  }
  const migrated = async (db: Database) => {
    await migrate(db);
    const accounts = [];
    for (let i = 0; i < 2; i++) accounts.push(await createAccount(db, { name: 'Owner', now: NOW }));
    return accounts.map(({ accountId }) => accountId);
  };
  const COUNT = 'select count(*) as count from account';

  it('is walled, by a role that its owner makes', async () => {
    const { db } = await ownedBy('createrole');
    const [first] = await migrated(db);
    expect(await db.query(COUNT)).toEqual([{ count: 2 }]);
    expect(await db.forAccount(first!).query(COUNT)).toEqual([{ count: 1 }]);
    expect(await migrate(db)).toEqual({ applied: 0, waiting: [] });
  });

  it('is walled, by a role that an administrator made and granted', async () => {
    const { admin, db, name } = await ownedBy('nocreaterole');
    await admin.query(`grant cardledger_tenant to ${name}`);
    const [first] = await migrated(db);
    expect(await db.query(COUNT)).toEqual([{ count: 2 }]);
    expect(await db.forAccount(first!).query(COUNT)).toEqual([{ count: 1 }]);
  });

  it('is not migrated where the owner may not work as the role', async () => {
    const { db, name } = await ownedBy('nocreaterole');
    await expect(migrate(db)).rejects.toMatchObject({
      code: '42501',
      message: expect.stringContaining(`run "grant cardledger_tenant to ${name}"`),
    });
  });
});
