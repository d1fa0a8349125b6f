import type { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { OpenDatabase, Param } from '../../src/db/client.ts';
import type { EmbeddedServer } from '../../src/db/embedded-server.ts';
import { MAX_PREPARED } from '../../src/db/embedded-statements.ts';
import { pgliteDatabase } from '../../src/db/pglite-database.ts';
import { asText, DATE, INT8, TIMESTAMP, TIMESTAMPTZ } from '../../src/db/text-types.ts';
import { serviceTurn } from '../../src/db/turns.ts';
import { eventually } from '../support/eventually.ts';
import { freshPglite, freshServer } from '../support/pglite-template.ts';

/** Past five executions PostgreSQL may take one plan for all parameters. */
const EXECUTIONS = 7;

let shared: EmbeddedServer;
beforeAll(async () => {
  shared = await freshServer();
});
afterAll(() => shared.close());

interface Opened {
  db: OpenDatabase;
  /** Runs a script of many commands. */
  exec(script: string): Promise<unknown>;
  kept(): Promise<Kept[]>;
}

/** The database of this file, with nothing in it but what is set up. */
async function open(setUp = ''): Promise<Opened> {
  const exec = (script: string) => execOn(shared, script);
  await exec(
    'drop table if exists thing, other, seen; drop role if exists cardledger_tenant; deallocate all',
  );
  await exec(setUp);
  const db = pgliteDatabase(shared);
  return {
    db,
    exec,
    async kept() {
      await exec(`drop table if exists seen; ${lookAt('seen')}`);
      return db.query<Kept>('select * from seen');
    },
  };
}

const execOn = (server: EmbeddedServer, script: string) =>
  server.use(serviceTurn(), (connection) => connection.send(`begin; ${script}; commit`));

/** One that the test may close or break. */
async function openOwn(): Promise<EmbeddedServer> {
  const server = await freshServer();
  onTestFinished(() => server.close());
  return server;
}

interface Kept {
  text: string;
  executions: number;
}

/** Makes a table of the statements that are kept, in the order in which they were prepared, with how often each was executed. */
const lookAt = (table: string) =>
  `create table ${table} as select statement as text, (generic_plans + custom_plans)::int as executions
   from pg_prepared_statements where statement !~ 'typarray|from seen'
   order by substring(name from '[0-9]+')::int`;

/** As PGlite's own `query`, which prepares nothing, gives and refuses it. */
async function unprepared(pglite: PGlite, text: string, params: Param[]) {
  const parsers = { [DATE]: asText, [TIMESTAMP]: asText, [TIMESTAMPTZ]: asText, [INT8]: Number };
  return (await pglite.query(text, params, { parsers })).rows;
}

const outcome = (work: Promise<unknown>) =>
  work.catch(({ code, message, severity, detail, constraint }) => ({
    code,
    message,
    severity,
    detail,
    constraint,
  }));

const VALUES: [text: string, params?: Param[]][] = [
  [`select date '2026-02-28' as d, timestamp '2026-02-28 01:02:03.456789' as t, now() > 'yesterday' as n`],
  [`select timestamptz '2026-02-28 01:02:03+02' as tz, time '01:02' as t, interval '1 day 2 hours' as i`],
  [`select 7::int8 as a, -9007199254740991::int8 as b, 1::int2 as c, 2::int4 as d, 1.50::numeric as e`],
  [`select 0.1::float8 as a, 'NaN'::float8 as b, 1.5::float4 as c, 12345678901234567890.12::numeric as d`],
  [`select true as t, false as f, null::boolean as n, null as u, '' as empty, ' é 😀 "''' as odd`],
  [`select '{"a": [1, null, "é😀"]}'::json as j, '[]'::jsonb as b, '"x"'::jsonb as s, 'null'::jsonb as n`],
  [`select '{1,2,null}'::int[] as i, '{a,"b,c",null,"q\\"",é}'::text[] as t, '{t,f}'::bool[] as b`],
  [
    `select '{{1,2},{3,4}}'::int8[] as a, '{}'::text[] as e, '{2026-01-01}'::date[] as d, '{"{}"}'::json[] as j`,
  ],
  [`select 'd0b8e2f4-0000-4000-8000-000000000000'::uuid as u, '\\x00ff'::bytea as b, 'x'::"char" as c`],
  [`select i, repeat('é', i * 700) as long from generate_series(0, 40) i`],
  [`select repeat('x', 3000000) as huge`],
  ['select 1 as twice, 2 as twice'],
  ['select 1 as a where false'],
  ['select'],
  [''],
  ['select $1 as t, $2::int as i, $3::numeric as n, $4::float8 as f', ['é😀', 2, '1.10', 0.1]],
  ['select $1::int8 as a, $2::int8 as b, $3::text as t, $4::text as u', [2 ** 40, '3', 4, true]],
  ['select $1::boolean as a, $2::boolean as b, $3::boolean as c', [true, 0, ' Yes ']],
  ['select $1::json as a, $2::jsonb as b, $3::jsonb as c, $4::jsonb as d', ['{"a":1}', 7, true, '"x"']],
  ['select $1::date as d, $2::timestamp as t', ['2026-01-31', '2026-01-31 10:00']],
  ['select $1::text as a, $2::int as b, $3::json as c, $4::boolean as d', [null, null, null, null]],
  ['select $1::uuid as u, $2::int[] as i', ['d0b8e2f4-0000-4000-8000-000000000000', '{1,2}']],
  ['select * from jsonb_to_recordset($1::jsonb) as r (a int, b text)', ['[{"a": 1}, {"b": "x"}]']],
  ['insert into thing (id, name) values ($1, $2) returning *', [1, 'one']],
  ['update thing set name = $1', ['two']],
  ['delete from thing'],
  ['show server_version'],
  ['create table if not exists other (a int)'],
  ['select 1; select 2'],
  ['selec 1'],
  ['select * from missing'],
  ['select 1 / $1::int as x', [0]],
  ['select $1::int as x', ['one']],
  ['insert into thing (id) values (null)'],
  [`insert into thing (id) values (5), (5)`],
  [`do $$ begin raise exception 'own' using errcode = 'CL001', detail = 'more'; end $$`],
];

describe('statements of the embedded database', () => {
  it('give the values and errors of PGlite’s own, however often they are executed', async () => {
    const { exec, db } = await open('create table thing (id int primary key, name text)');
    const pglite = await freshPglite();
    await pglite.exec('create table thing (id int primary key, name text)');
    const empty = () => Promise.all([exec('delete from thing'), pglite.exec('delete from thing')]);
    for (const [text, params = []] of VALUES) {
      const expected = await outcome(unprepared(pglite, text, params));
      if (text.startsWith('insert')) await empty();
      for (let i = 0; i < EXECUTIONS; i++) {
        expect(await outcome(db.query(text, params)), text).toEqual(expected);
        if (text.startsWith('insert')) await empty();
      }
    }
    await pglite.close();
  });

  it('are prepared once, and the one used least recently is closed beyond a number', async () => {
    const server = await openOwn();
    const db = pgliteDatabase(server);
    const text = (i: number) => `select ${i} as n`;
    for (let i = 0; i < MAX_PREPARED; i++) await db.query(text(i));
    for (const i of [0, 2, 0]) expect(await db.query(text(i))).toEqual([{ n: i }]);
    await execOn(server, lookAt('"full"'));
    await db.query(text(MAX_PREPARED));
    await db.query(text(MAX_PREPARED + 1));
    await execOn(server, lookAt('later'));

    const full = await db.query<Kept>('select * from "full"');
    expect(full).toHaveLength(MAX_PREPARED);
    expect(full.slice(0, 4).map(({ executions }) => executions)).toEqual([3, 1, 2, 1]);
    const after = (await db.query<Kept>('select * from later')).map((statement) => statement.text);
    expect(after).toHaveLength(MAX_PREPARED);
    expect(after.slice(0, 3)).toEqual([0, 2, 4].map(text));
    expect(after.slice(-2)).toEqual([MAX_PREPARED, MAX_PREPARED + 1].map(text));
    expect(await db.query(text(1))).toEqual([{ n: 1 }]);
  });

  it('are not kept where they are wrong', async () => {
    const { kept, db } = await open();
    for (let i = 0; i < 2; i++) await expect(db.query('selec')).rejects.toMatchObject({ code: '42601' });
    expect(await kept()).toEqual([]);
  });
});

describe('statements of the embedded database in transactions', () => {
  const INSERT = 'insert into thing values ($1)';
  const ids = (db: OpenDatabase) =>
    db.query<{ id: number }>('select id from thing order by id').then((rows) => rows.map(({ id }) => id));

  it('fail with all of it, whether they are new or known, and go on afterwards', async () => {
    const { db } = await open('create table thing (id int primary key)');
    for (let i = 0; i < 3; i++) {
      const failed = db.transaction(async (tx) => {
        await tx.query(INSERT, [1]);
        await tx.query(INSERT, [1]);
      });
      await expect(failed).rejects.toMatchObject({ code: '23505' });
      // What is new is first prepared in a transaction that has failed, and in one that has not.
      const swallowed = db.transaction(async (tx) => {
        await tx.query(INSERT, [2]);
        await tx.query('select 1 / 0').catch(() => {});
        await expect(tx.query(`select ${i}`)).rejects.toMatchObject({ code: '25P02' });
        await expect(tx.query(INSERT, [3])).rejects.toMatchObject({ code: '25P02' });
      });
      await expect(swallowed).rejects.toThrow('A statement of the transaction has failed');
      expect(await ids(db)).toEqual([]);
      expect(await db.query(`select ${i}`)).toHaveLength(1);
    }
    await db.transaction((tx) => tx.query(INSERT, [4]));
    expect(await ids(db)).toEqual([4]);
  });

  it('are refused once it is over', async () => {
    const { db } = await open('create table thing (id int)');
    let late: Promise<unknown> | undefined;
    const tx = await db.transaction(async (inner) => {
      await inner.query(INSERT, [1]);
      late = inner.query(INSERT, [2]);
      return inner;
    });
    await late;
    await expect(tx.query(INSERT, [3])).rejects.toThrow('The transaction of this statement is over.');
    expect(await ids(db)).toEqual([1, 2]);
  });

  it('keep those out that are sent beside it', async () => {
    const { exec, db } = await open('create table thing (id int)');
    const account = '00000000-0000-4000-8000-000000000000';
    await exec('create role cardledger_tenant; grant all on thing to cardledger_tenant');
    const beside: Promise<unknown>[] = [];
    const counts = await db.transaction(async (tx) => {
      const found: number[] = [];
      for (let i = 0; i < 10; i++) {
        beside.push(
          db.query(INSERT, [i]),
          db.forAccount(account).query(INSERT, [i]),
          exec('insert into thing values (100)'),
          db.transaction((other) => other.query(INSERT, [i])),
        );
        await new Promise(setImmediate);
        const [row] = await tx.query<{ count: number }>(
          'select count(*) as count from thing where current_user = $1',
          ['postgres'],
        );
        found.push(row!.count);
      }
      return found;
    });
    expect(counts).toEqual(Array.from({ length: 10 }, () => 0));
    await Promise.all(beside);
    expect(await ids(db)).toHaveLength(40);
  });

  it('follow each other in a transaction, so that a text sent many times at once is prepared once', async () => {
    const { kept, db } = await open();
    const rows = await db.transaction((tx) =>
      Promise.all([1, 2, 3].map((i) => tx.query('select $1::int as i', [i]))),
    );
    expect(rows).toEqual([1, 2, 3].map((i) => [{ i }]));
    expect(await kept()).toMatchObject([{ executions: 3 }]);
  });

  it('give each its own answer, however many are sent at once, beside listening', async () => {
    const { db } = await open();
    const answers = Array.from({ length: 300 }, async (_, i) => {
      const text = `select $1::int as i, ${i % 30} as of`;
      const send = (on: Pick<OpenDatabase, 'query'>) => on.query<{ i: number; of: number }>(text, [i]);
      const [row] = await (i % 3 === 0 ? db.transaction(send) : send(db));
      return row;
    });
    const stop = db.listen(
      'some_channel',
      () => {},
      () => {},
    );
    expect(await Promise.all(answers)).toEqual(answers.map((_, i) => ({ i, of: i % 30 })));
    await stop();
  });

  it('are answered where they were sent before the database is closed, and refused afterwards', async () => {
    const db = pgliteDatabase(await openOwn());
    const sent = Array.from({ length: 5 }, (_, i) => db.query('select $1::int as i', [i]));
    const closed = db.close();
    expect(await Promise.all(sent)).toEqual(sent.map((_, i) => [{ i }]));
    await closed;
    await expect(db.query('select 1')).rejects.toThrow('The service is stopping');
    await expect(db.transaction((tx) => tx.query('select 1'))).rejects.toThrow('The service is stopping');
  });

  it('notify once, alone, in a transaction, and for an account', async () => {
    const { db } = await open('create role cardledger_tenant');
    const messages: string[] = [];
    const connected = vi.fn<() => void>();
    const stop = db.listen('channel', (message) => messages.push(message), connected);
    await eventually(() => expect(connected).toHaveBeenCalled());
    const notify = 'select pg_notify($1, $2)';
    for (let i = 0; i < 2; i++) {
      await db.query(notify, ['channel', `alone ${i}`]);
      await db.query(notify, ['other', 'unheard']);
      await db.transaction((tx) => tx.query(notify, ['channel', `transaction ${i}`]));
      await db.forAccount('00000000-0000-4000-8000-000000000000').query(notify, ['channel', `account ${i}`]);
    }
    const heard = ['alone', 'transaction', 'account'];
    await eventually(() =>
      expect(messages).toEqual([0, 1].flatMap((i) => heard.map((what) => `${what} ${i}`))),
    );
    await stop();
    await db.query(notify, ['channel', 'unheard']);
    expect(messages).toHaveLength(6);
  });
});

describe('statements of the embedded database whose tables change', () => {
  const ALL = 'select * from thing where id = $1';
  const SET_UP = 'create table thing (id int, name text); insert into thing values (1, $$one$$)';

  it.each([
    ['a new column', 'alter table thing add column size int default 5', { id: 1, name: 'one', size: 5 }],
    ['a column that goes', 'alter table thing drop column name', { id: 1 }],
    ['a column with another name', 'alter table thing rename name to title', { id: 1, title: 'one' }],
    ['another type', 'alter table thing alter id type text', { id: '1', name: 'one' }],
    [
      'another table of the name',
      `drop table thing; ${SET_UP.replace('int', 'bigint')}`,
      { id: 1, name: 'one' },
    ],
    ['all statements closed', 'deallocate all', { id: 1, name: 'one' }],
  ])('are prepared anew, without anybody hearing of it: %s', async (_what, change, expected) => {
    const { exec, kept, db } = await open(`${SET_UP}; create role cardledger_tenant`);
    const grant = () => exec('grant select on thing to cardledger_tenant');
    const wall = db.forAccount('00000000-0000-4000-8000-000000000000');
    const readers = [
      () => db.query(ALL, [1]),
      () => db.transaction((tx) => tx.query(`${ALL} -- in a transaction`, [1])),
      () => wall.query(`${ALL} -- for an account`, [1]),
    ];
    await grant();
    for (const read of readers) {
      for (let i = 0; i < EXECUTIONS; i++) expect(await read()).toEqual([{ id: 1, name: 'one' }]);
    }
    await exec(change);
    await grant();
    for (const read of readers) {
      for (let i = 0; i < EXECUTIONS; i++) expect(await read()).toEqual([expected]);
    }
    expect(await kept()).toHaveLength(readers.length);
  });

  it('have the whole transaction tried again, with all that it did', async () => {
    const { exec, db } = await open(SET_UP);
    const texts = Array.from({ length: 3 }, (_, i) => `select *, ${i} as i from thing where id = $1`);
    let tries = 0;
    const work = () =>
      db.transaction(async (tx) => {
        tries++;
        await tx.query('update thing set name = name || $1', ['!']);
        for (const text of texts) await tx.query(text, [1]);
      });
    await work();
    await exec('alter table thing add column size int');
    await work();
    expect(tries).toBe(1 + texts.length + 1);
    expect(await db.query('select name from thing')).toEqual([{ name: 'one!!' }]);
  });

  it('fail as new ones do where the table is gone, and work once it is back', async () => {
    const { exec, db } = await open(SET_UP);
    await db.query(ALL, [1]);
    await exec('drop table thing');
    for (let i = 0; i < 2; i++) await expect(db.query(ALL, [1])).rejects.toMatchObject({ code: '42P01' });
    await exec(SET_UP);
    expect(await db.query(ALL, [1])).toHaveLength(1);
  });

  it('are right where they were prepared for a table that was never committed', async () => {
    const { db } = await open();
    const undone = db.transaction(async (tx) => {
      await tx.query('create table thing (id text)');
      await tx.query(ALL, ['x']);
      throw new Error('undo');
    });
    await expect(undone).rejects.toThrow('undo');
    await expect(db.query(ALL, ['x'])).rejects.toMatchObject({ code: '42P01' });
    await db.query('create table thing (id int)');
    await db.query('insert into thing values (1)');
    expect(await db.query(ALL, [1])).toEqual([{ id: 1 }]);
  });

  it('are tried once where they fail for what they do', async () => {
    const { db } = await open(SET_UP);
    let tries = 0;
    const failing = (value: Param) =>
      db.transaction(async (tx) => {
        tries++;
        return tx.query('select 1 / $1::int as quotient', [value]);
      });
    expect(await failing(1)).toEqual([{ quotient: 1 }]);
    await expect(failing(0)).rejects.toMatchObject({ code: '22012' });
    await expect(failing('one')).rejects.toMatchObject({ code: '22P02' });
    expect(tries).toBe(3);
    await db.query('create role cardledger_tenant');
    const refused = db.transaction(async (tx) => {
      tries++;
      await tx.query('select 1 from thing');
      await tx.query('set local role cardledger_tenant');
      await tx.query('select 1 from thing');
    });
    await expect(refused).rejects.toMatchObject({ code: '42501' });
    expect(tries).toBe(4);
  });

  it('are tried once where what they call fails as if they were wrong', async () => {
    const lost = (name: string, kind: string) =>
      `create or replace function ${name}() returns int language plpgsql ${kind}
       as $$ begin raise undefined_table; end $$`;
    const { db } = await open(`${lost('lost', 'volatile')}; ${lost('lost_when_planned', 'immutable')}`);
    let tries = 0;
    const call = (text: string) =>
      db.transaction((tx) => {
        tries++;
        return tx.query(text);
      });
    await expect(call('select lost_when_planned()')).rejects.toMatchObject({ code: '42P01' });
    expect(tries).toBe(1);
    for (let i = 0; i < 2; i++) await expect(call('select lost()')).rejects.toMatchObject({ code: '42P01' });
    expect(tries).toBe(3);
  });
});
