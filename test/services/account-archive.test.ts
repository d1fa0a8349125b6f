import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Database } from '../../src/db/client.ts';
import { RESTORE_COLLECTION, TRANSACTIONS_TO_ARCHIVE } from '../../src/db/queries/account-archive.ts';
import { LOCK_ACCOUNT } from '../../src/db/queries/accounts.ts';
import { archiveFile, CHECKSUMS_FILE } from '../../src/domain/account-archive.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { CSV_HEADER } from '../../src/domain/transaction-file.ts';
import { exportAccount } from '../../src/services/accounts/export.ts';
import { getAccount } from '../../src/services/accounts/get.ts';
import { importAccount } from '../../src/services/accounts/import.ts';
import { inTransferPlace } from '../../src/services/accounts/transfers.ts';
import { updatePreferences } from '../../src/services/accounts/update-preferences.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { deleteCollection } from '../../src/services/collections/delete.ts';
import { collectionOrder, listCollections } from '../../src/services/collections/list.ts';
import { updateCollection } from '../../src/services/collections/update.ts';
import type { Context } from '../../src/services/context.ts';
import { diagnoseAccount } from '../../src/services/doctor.ts';
import { setGoalCollection } from '../../src/services/goals/set.ts';
import { withIdempotencyKey } from '../../src/services/idempotency.ts';
import { createPriceAlert } from '../../src/services/price-alerts/create.ts';
import { createSubAccount } from '../../src/services/sub-accounts/create.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { describeOnDatabases, NOW, newAccount, pricedVariants } from '../harness.ts';
import {
  accountIdOf,
  archiveOf,
  archiveWith,
  changed,
  type Files,
  filesOf,
  packed,
  tarEntry,
} from '../support/account-archives.ts';
import { entry } from '../support/furnished.ts';
import { isLeftToPostgres } from '../support/left-to-postgres.ts';
import { TENANT_TABLES } from '../support/tenancy.ts';

/** Tables of which an archive has every column, but for these: what is the account's own, or made afresh from the rest. */
const ARCHIVED: Record<string, { orderedBy: string; but: readonly string[] }> = {
  account: {
    orderedBy: 'account_id',
    but: [
      // The operator's and the platform's.
      ...['account_id', 'parent_id', 'name', 'max_collections', 'max_valued_collections', 'max_transactions'],
      ...['max_accounts', 'account_count', 'suspended', 'deleted_at', 'revision', 'created_at'],
    ],
  },
  collection: {
    orderedBy: 'id',
    but: [
      ...['account_id', 'revision', 'transaction_share', 'deleted'],
      // Stored for quick reading, and made anew with each state of the market.
      ...['market_revision', 'market_value', 'gain', 'unpriced', 'unknown_cost', 'unknown_cost_value'],
    ],
  },
  transaction: { orderedBy: 'id', but: ['account_id', 'revision'] },
  holding: { orderedBy: 'collection_id, variant_id', but: ['account_id'] },
  cost_state: { orderedBy: 'collection_id, variant_id, occurred, transaction_id', but: ['account_id'] },
  goal: { orderedBy: 'collection_id', but: ['account_id'] },
  goal_item: { orderedBy: 'variant_id', but: ['account_id'] },
  // Whether it is met is judged anew, by the market of now.
  price_alert: { orderedBy: 'id', but: ['account_id', 'is_met', 'judged_through', 'market_revision'] },
};

/** Tables of which it has nothing. */
const LEFT_OUT: Record<string, string> = {
  client: 'who may call is no data of the account, and its secret is known to nobody',
  identity_provider: 'how the users of a platform sign in is no data of theirs',
  sub_account: 'accounts below it are exported one by one',
  former_sub_account: 'kept for a day, of accounts that are gone',
  webhook: 'where an app hears of changes is no data of the account, and has a secret',
  webhook_delivery: 'messages to it, which are kept for a few days',
  idempotency_key: 'kept for a day, for the client',
  event: 'kept for a day, for those who follow',
  event_stream: 'only counts those',
  import_preview: 'kept for a day, until it is imported',
  import_preview_row: 'the same',
  ledger_to_rate: 'work that is still to be done',
};

async function* piecesOf(archive: Uint8Array): AsyncGenerator<Uint8Array> {
  yield archive;
}

describeOnDatabases('the archive of an account', (database, kind) => {
  let variants: string[];
  beforeAll(async () => {
    variants = await pricedVariants(database(), 12);
  });

  const walled = (ctx: Context): Context => ({
    ...ctx,
    db: { ...ctx.db, ...database().forAccount(ctx.caller.accountId) },
  });

  /** An account with something in every column that an archive has. */
  async function furnished(goal: 'collection' | 'items'): Promise<Context> {
    const ctx = await newAccount(database(), { currency: 'EUR' });
    await updatePreferences(ctx, { costBasis: 'Fifo' });
    const binder = await createCollection(ctx, { name: '=Binder, "1"', valued: true });
    await updateCollection(ctx, binder.id, { description: 'Of two\nlines; äöü 🃏', pinned: true, image: 7 });
    const wishes = await createCollection(ctx, { name: 'Wishes', collectionKind: 'Wishlist' });
    const trades = await createCollection(ctx, { name: 'Trades' });
    await createTransactions(ctx, binder.id, [
      entry(variants[1]!, {
        occurredDate: '2026-04-12',
        quantity: 5,
        unitAmount: { currency: 'JPY', value: 77.5 },
      }),
      // Entered later than what happened later.
      {
        ...entry(variants[0]!, { quantity: 4 }),
        fees: usd(1.25),
        shipping: usd(0.0005),
        notes: '=1+1\n"x" \uFFFD',
        tags: ['=a', 'b c'],
      },
      entry(variants[0]!, {
        occurredDate: '2020-02-29',
        quantity: 2,
        unitAmount: usd(3),
        cardCondition: 'NearMint',
        language: 'JA',
      }),
      entry(variants[0]!, { action: 'Sale', quantity: 3, unitAmount: usd(9.9999) }),
      entry(variants[2]!, { grade: { company: 'PSA', grade: '9.5', certificate: '0012' } }),
      entry(variants[3]!, { quantity: 2, costUnknown: true, unitAmount: usd(0) }),
    ]);
    await createTransactions(ctx, wishes.id, [entry(variants[4]!, { quantity: 3 })]);
    await createTransactions(ctx, trades.id, [entry(variants[0]!), entry(variants[5]!, { action: 'Sale' })]);
    await createTransactions(ctx, binder.id, [entry(variants[6]!)]);
    const gone = await createCollection(ctx, { name: 'Gone' });
    await createTransactions(ctx, gone.id, [entry(variants[7]!)]);
    await deleteCollection(ctx, gone.id);
    const target =
      goal === 'collection'
        ? { collectionId: wishes.id }
        : {
            items: [
              { variantId: variants[8]!, quantity: 2 },
              { variantId: variants[9]!, quantity: 1 },
            ],
          };
    await setGoalCollection(ctx, binder.id, target, 'Card');
    await createPriceAlert(ctx, { targetId: variants[0]!, condition: 'Above', amount: usd(12.3456) });
    await createPriceAlert(ctx, {
      targetId: binder.id,
      condition: 'Change',
      percent: 5.25,
      days: 7,
      direction: 'Down',
    });
    await database().query(
      `update price_alert set trigger_count = 3, last_triggered_at = '2026-04-01T01:02:03.456789Z', last_triggered_day = '2026-04-01',
         last_value = 123.4567891, last_currency = 'EUR', last_change = -5.5, created_at = '2026-03-01T00:00:00.000001Z'
       where account_id = $1`,
      [ctx.caller.accountId],
    );
    await database().query(
      `update collection set created_at = '2025-11-12T01:02:03.456789Z' where account_id = $1`,
      [ctx.caller.accountId],
    );
    return ctx;
  }

  const usd = (value: number) => ({ currency: 'USD', value });

  type Row = Record<string, unknown>;
  const rowsOf = async ({ caller }: Context, table: string): Promise<Row[]> => {
    // A collection that was deleted is gone, though its rows may still be there.
    const ofGone = `select id from collection where account_id = $1 and deleted`;
    const isThere: Record<string, string> = {
      collection: 'and not deleted',
      ...Object.fromEntries(
        ['transaction', 'holding', 'cost_state'].map((name) => [
          name,
          `and collection_id not in (${ofGone})`,
        ]),
      ),
    };
    return database().query<Row>(
      `select * from ${table} where account_id = $1 ${isThere[table] ?? ''} order by ${ARCHIVED[table]!.orderedBy}`,
      [caller.accountId],
    );
  };
  const compared = (table: string, rows: Row[]) =>
    rows.map((row) =>
      Object.fromEntries(Object.entries(row).filter(([name]) => !ARCHIVED[table]!.but.includes(name))),
    );

  /** The same text, with ids by their places among those of their kind. */
  async function withoutIds(ctx: Context, text: string): Promise<string> {
    const names = new Map([[accountIdOf(ctx), 'acc']]);
    for (const table of ['collection', 'transaction', 'price_alert'])
      for (const [i, { id }] of (await rowsOf(ctx, table)).entries()) names.set(String(id), `${table} ${i}`);
    return text.replaceAll(/(acc|col|txn|alr)_[0-9a-z-]+/g, (id) => names.get(id) ?? id);
  }
  const everything = async (ctx: Context) => {
    const all: Record<string, unknown> = {};
    for (const table of Object.keys(ARCHIVED)) all[table] = compared(table, await rowsOf(ctx, table));
    return withoutIds(ctx, JSON.stringify(all, null, 1));
  };
  const files = async (ctx: Context) => {
    const all = [...(await filesOf(await archiveOf(ctx)))].filter(([name]) => name !== CHECKSUMS_FILE);
    return withoutIds(
      ctx,
      JSON.stringify(
        all.map(([name, text]) => [name, text.split('\n')]),
        null,
        1,
      ),
    );
  };
  const take = (ctx: Context, archive: Uint8Array) => importAccount(ctx, accountIdOf(ctx), piecesOf(archive));

  describe('taken in by another account', () => {
    it('knows of every table what it has of it', () => {
      expect([...Object.keys(ARCHIVED), ...Object.keys(LEFT_OUT)].sort()).toEqual(
        [...TENANT_TABLES, 'client'].sort(),
      );
    });

    it('has everything of it: every column of every table', async () => {
      const accounts = [await furnished('collection'), await furnished('items')];
      const empty: string[] = [];
      for (const table of Object.keys(ARCHIVED)) {
        const rows = compared(table, (await Promise.all(accounts.map((ctx) => rowsOf(ctx, table)))).flat());
        expect(rows.length, table).toBeGreaterThan(0);
        for (const name of Object.keys(rows[0]!))
          if (rows.every((row) => [null, '', '0', 0, false].includes(row[name] as null)))
            empty.push(`${table}.${name}`);
      }
      // What is not there to be lost is not seen to be kept.
      expect(empty).toEqual([]);
      for (const ctx of accounts) {
        const copy = await newAccount(database(), { currency: 'USD' });
        expect(await take(walled(copy), await archiveOf(walled(ctx)))).toEqual({
          collectionCount: 3,
          transactionCount: 10,
          priceAlertCount: 2,
        });
        expect(await everything(copy)).toBe(await everything(ctx));
        expect(await files(copy)).toBe(await files(ctx));
        const { items } = await listCollections(ctx, collectionOrder('Chronological'), {
          kind: 'position',
          position: 0,
          size: 10,
        });
        const { items: copied } = await listCollections(copy, collectionOrder('Chronological'), {
          kind: 'position',
          position: 0,
          size: 10,
        });
        const figures = (collections: typeof items) =>
          collections.map((one) => ({ ...one.toJSON(), id: null, revision: null, marketRevision: null }));
        expect(figures(copied)).toEqual(figures(items));
        const { differences } = await diagnoseAccount(database(), copy.caller.accountId, false);
        expect(differences).toEqual([]);
      }
    });

    it('has as little as there is', async () => {
      const ctx = await newAccount(database());
      const archive = await archiveOf(ctx);
      expect([...(await filesOf(archive)).keys()]).toEqual(['account.json', CHECKSUMS_FILE]);
      const copy = await newAccount(database(), { currency: 'EUR' });
      expect(await take(copy, archive)).toEqual({
        collectionCount: 0,
        transactionCount: 0,
        priceAlertCount: 0,
      });
      expect((await getAccount(copy)).preferredCurrency).toBe('USD');
    });
  });

  it('has files that an import of transactions takes too', async () => {
    const files = await filesOf(await archiveOf(await furnished('items')));
    expect([...files.keys()]).toEqual([
      ...['account.json', 'collections-0001.json', 'goal.json', 'transactions-0001.csv', 'price-alerts.json'],
      CHECKSUMS_FILE,
    ]);
    expect(files.get('transactions-0001.csv')).toMatch(new RegExp(`^collectionId,${CSV_HEADER}col_`));
  });

  /** Does something else before each statement of a transaction. */
  const disturbed = (ctx: Context, disturb: (text: string, tx: Database) => Promise<unknown>): Context => {
    const within = (db: Database): Database => ({
      ...db,
      query: async <Row>(...[text, params, how]: Parameters<Database['query']>) => {
        await disturb(text, db);
        return db.query<Row>(text, params, how);
      },
      transaction: (work, how) => db.transaction((tx) => work(within(tx)), how),
    });
    return { ...ctx, db: { ...ctx.db, transaction: within(ctx.db).transaction } };
  };

  it.skipIf(isLeftToPostgres(kind) || kind === 'pglite')(
    'is of one moment, whatever is done meanwhile',
    async () => {
      const ctx = await newAccount(database());
      const { id } = await createCollection(ctx, { name: 'Binder' });
      for (let i = 0; i < 2; i++)
        await createTransactions(
          ctx,
          id,
          Array.from({ length: 600 }, () => entry(variants[0]!)),
        );
      let pages = 0;
      const exporting = disturbed(ctx, async (text) => {
        if (text === TRANSACTIONS_TO_ARCHIVE && ++pages === 2) await deleteCollection(ctx, id);
      });
      const files = await filesOf(await archiveOf(exporting));
      expect(pages).toBe(2);
      expect(files.get('transactions-0001.csv')!.split('\r\n')).toHaveLength(1200 + 2);
      expect(JSON.parse(files.get('account.json')!)).toMatchObject({
        collectionCount: 1,
        transactionCount: 1200,
      });
    },
  );

  it.skipIf(kind === 'pglite')(
    'may rest for minutes between two statements, but waits for its account as others do',
    async () => {
      const deadlines: Record<string, string[]> = {};
      const watch = async (text: string, tx: Database) => {
        const name = Object.entries({ LOCK_ACCOUNT, RESTORE_COLLECTION, TRANSACTIONS_TO_ARCHIVE }).find(
          ([, known]) => known === text,
        )?.[0];
        if (name === undefined || deadlines[name]) return;
        const shown = ['lock_timeout', 'idle_in_transaction_session_timeout'].map((setting) =>
          tx.query<{ value: string }>(`select current_setting('${setting}') as value`),
        );
        deadlines[name] = (await Promise.all(shown)).map(([row]) => row!.value);
      };
      const ctx = await furnished('items');
      const copy = await newAccount(database());
      await take(disturbed(copy, watch), await archiveOf(disturbed(ctx, watch)));
      expect(deadlines).toEqual({
        TRANSACTIONS_TO_ARCHIVE: ['0', '5min'],
        LOCK_ACCOUNT: ['3s', '5s'],
        RESTORE_COLLECTION: ['0', '5min'],
      });
    },
  );

  it.skipIf(kind === 'pglite')('holds up nothing of the platform that takes it in', async () => {
    const archive = await archiveOf(await furnished('items'));
    const account = await newAccount(database(), { maxAccounts: 10 });
    const platform: Context = { ...walled(account), caller: { ...account.caller, scope: 'platform' } };
    const create = (externalId: string) => createSubAccount(platform, { name: externalId, externalId });
    for (const key of [undefined, 'key']) {
      const { id } = await create(`ada ${key}`);
      let meanwhile: unknown;
      const taking = disturbed(platform, async (text) => {
        if (text === RESTORE_COLLECTION) meanwhile ??= await create(`grace ${key}`);
      });
      const ctx = key === undefined ? taking : withIdempotencyKey(taking, key, 'Idempotency-Key');
      await importAccount(ctx, id, piecesOf(archive));
      expect(meanwhile).toMatchObject({ externalId: `grace ${key}` });
    }
  });

  it.skipIf(isLeftToPostgres(kind))('has files of so many transactions, and no more', async () => {
    const ctx = await newAccount(database());
    const { id } = await createCollection(ctx, { name: 'Binder' });
    const add = async (count: number) => {
      for (let left = count; left > 0; left -= LIMITS.bulkTransactions)
        await createTransactions(
          ctx,
          id,
          Array.from({ length: Math.min(left, LIMITS.bulkTransactions) }, (_, i) => entry(variants[i % 12]!)),
        );
    };
    const parts = async () =>
      [...(await filesOf(await archiveOf(ctx))).keys()].filter((name) => /^tra/.test(name));
    await add(LIMITS.archiveTransactions);
    expect(await parts()).toEqual(['transactions-0001.csv']);
    await add(1);
    expect(await parts()).toEqual(['transactions-0001.csv', 'transactions-0002.csv']);
    const copy = await newAccount(database(), { maxTransactions: LIMITS.archiveTransactions + 1 });
    expect(await take(copy, await archiveOf(ctx))).toMatchObject({
      transactionCount: LIMITS.archiveTransactions + 1,
    });
    expect(await everything(copy)).toBe(await everything(ctx));
  });

  describe.skipIf(kind === 'postgres')('on a database that does one thing at a time', () => {
    /** The account as one sees it in which the next collection is made behind each of so many of its transactions. */
    async function changing(changes: number) {
      const ctx = await newAccount(database());
      const { id } = await createCollection(ctx, { name: 'First' });
      await createTransactions(ctx, id, [entry(variants[0]!), entry(variants[1]!)]);
      let left = changes;
      const transaction: Database['transaction'] = async (work, how) => {
        const done = await ctx.db.transaction(work, how);
        if (left-- > 0) await createCollection(ctx, { name: `Made when ${left} were left` });
        return done;
      };
      return { ctx, seen: { ...ctx, db: { ...ctx.db, transaction } } };
    }

    it('lets others in between its pages, and is of one moment all the same', async () => {
      const { ctx, seen } = await changing(10);
      const copy = await newAccount(database());
      const { stream } = await exportAccount(seen, accountIdOf(seen));
      await take(copy, Buffer.concat(await stream.toArray()));
      expect(await everything(copy)).toBe(await everything(ctx));
    });

    it('is not written where the account is changed again and again', async () => {
      const { seen } = await changing(100);
      await expect(exportAccount(seen, accountIdOf(seen))).rejects.toMatchObject({
        problem: 'Unavailable',
        message: expect.stringContaining('changed each time'),
      });
    });
  });

  describe('takes a place', () => {
    const places = async (count: number) =>
      Promise.all(Array.from({ length: count }, () => newAccount(database())));
    const open = async (ctx: Context) => (await exportAccount(ctx, accountIdOf(ctx))).stream;
    const closed = async (stream: Readable) => {
      stream.destroy();
      await once(stream, 'close');
    };

    it('until it is read or left, so many of a caller', async () => {
      const ctx = await newAccount(database());
      const streams: Readable[] = [];
      for (let i = 0; i < LIMITS.archivesPerCaller; i++) streams.push(await open(ctx));
      await expect(open(ctx)).rejects.toMatchObject({
        problem: 'RateLimited',
        details: { retryAfterSeconds: 5 },
      });
      await closed(streams.pop()!);
      streams.push(await open(ctx));
      await expect(open(ctx)).rejects.toMatchObject({ problem: 'RateLimited' });
      const first = streams.shift()!;
      first.resume();
      await once(first, 'close');
      streams.push(await open(ctx));
      const leaving = new AbortController();
      await closed(streams.pop()!);
      await open({ ...ctx, leaving: leaving.signal });
      leaving.abort();
      await vi.waitFor(async () => streams.push(await open(ctx)));
      for (const stream of streams) await closed(stream);
    });

    it('for so long as a slow client needs', async () => {
      const ctx = await newAccount(database());
      const stream = await open(ctx);
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      const { bytes, stream: slow } = await exportAccount(ctx, accountIdOf(ctx));
      await closed(stream);
      vi.advanceTimersByTime(LIMITS.archiveTakenMillis + bytes / 32 - 1);
      expect(slow.destroyed).toBe(false);
      vi.advanceTimersByTime(1);
      await once(slow, 'close');
    });

    it('on a disk that has room', async () => {
      const ctx = await newAccount(database());
      async function* full(): AsyncGenerator<Uint8Array> {
        yield Buffer.from('some of it');
        throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      }
      for (let i = 0; i <= LIMITS.archivesPerCaller; i++)
        await expect(importAccount(ctx, accountIdOf(ctx), full())).rejects.toMatchObject({
          problem: 'Unavailable',
          message: expect.stringContaining('no room on its disk'),
        });
    });

    it('no longer than its client waits', async () => {
      const ctx = await newAccount(database());
      await createTransactions(ctx, (await createCollection(ctx, { name: 'Binder' })).id, [
        entry(variants[0]!),
      ]);
      const leaving = AbortSignal.abort();
      await expect(exportAccount({ ...ctx, leaving }, accountIdOf(ctx))).rejects.toMatchObject({
        problem: 'MalformedRequest',
      });
    });

    it('so many of a process', async () => {
      const accounts = await places(LIMITS.archivesPerNode + 1);
      const streams: Readable[] = [];
      for (const ctx of accounts.slice(1)) streams.push(await open(ctx));
      await expect(open(accounts[0]!)).rejects.toMatchObject({ problem: 'Unavailable' });
      await closed(streams.pop()!);
      streams.push(await open(accounts[0]!));
      for (const stream of streams) await closed(stream);
    });

    it('so many of all accounts below a platform, which leaves some to others', async () => {
      const platformId = 'the platform';
      const below = (await places(LIMITS.archivesPerPlatform + 1)).map((ctx) => ({
        ...ctx,
        caller: { ...ctx.caller, platformId },
      }));
      const streams: Readable[] = [];
      for (const ctx of below.slice(1)) streams.push(await open(ctx));
      await expect(open(below[0]!)).rejects.toMatchObject({
        problem: 'RateLimited',
        message: expect.stringContaining('all accounts below a platform'),
      });
      for (const ctx of await places(2)) streams.push(await open(ctx));
      for (const stream of streams) await closed(stream);
    });
  });

  describe('is read or written', () => {
    /** Work of callers that goes on until it is ended. */
    const working = () => {
      const begun: string[] = [];
      const ends = new Map<string, () => void>();
      const begin = (name: string, caller: Partial<Context['caller']> = {}, leaving?: AbortSignal) => {
        const ctx = { db: database(), caller: { accountId: name, clientId: 'x', ...caller }, now: () => NOW };
        return inTransferPlace({ ...ctx, ...(leaving && { leaving }) }, () => {
          begun.push(name);
          return new Promise<void>((resolve) => ends.set(name, resolve));
        });
      };
      const end = async (name: string) => {
        ends.get(name)!();
        await new Promise(setImmediate);
      };
      return { begun, begin, end };
    };

    it('one at a time of an account, and of all below a platform and itself, beside another', async () => {
      const { begun, begin, end } = working();
      const platform = { platformId: 'app' };
      const works = [
        begin('user 1', platform),
        begin('user 2', platform),
        begin('app', { scope: 'platform' }),
        begin('alone'),
        begin('alone'),
      ];
      await new Promise(setImmediate);
      expect(begun).toEqual(['user 1', 'alone']);
      await end('alone');
      expect(begun).toEqual(['user 1', 'alone', 'alone']);
      await end('user 1');
      expect(begun.at(-1)).toBe('user 2');
      await end('user 2');
      await end('alone');
      expect(begun).toEqual(['user 1', 'alone', 'alone', 'user 2', 'app']);
      await end('app');
      await Promise.all(works);
    });

    it('in turn, where others are at work, and not for a client that has left meanwhile', async () => {
      const { begun, begin, end } = working();
      const works = ['a', 'b'].map((name) => begin(name));
      const left = begin('left', {}, AbortSignal.abort()).catch((error) => error);
      works.push(begin('c'));
      await new Promise(setImmediate);
      expect(begun).toEqual(['a', 'b']);
      await end('a');
      expect(await left).toMatchObject({ problem: 'MalformedRequest' });
      expect(begun).toEqual(['a', 'b', 'c']);
      for (const name of ['b', 'c']) await end(name);
      await Promise.all(works);
    });

    it('not where the turn does not come in time', async () => {
      const { begin, end } = working();
      const works = ['a', 'b'].map((name) => begin(name));
      await new Promise(setImmediate);
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      const late = begin('late').catch((error) => error);
      await vi.advanceTimersByTimeAsync(LIMITS.placeWaitMillis + 1000);
      expect(await late).toMatchObject({
        problem: 'Unavailable',
        message: expect.stringContaining('as many whole accounts'),
      });
      vi.useRealTimers();
      for (const name of ['a', 'b']) await end(name);
      await Promise.all(works);
    });
  });

  describe('refuses', () => {
    let good: Files;
    let empty: Context;
    let before: string;
    beforeAll(async () => {
      good = await filesOf(await archiveOf(await furnished('collection')));
      empty = await newAccount(database(), { currency: 'NZD' });
      before = JSON.stringify(await getAccount(empty));
    });

    const unchanged = async (ctx = empty) => {
      expect(JSON.stringify(await getAccount(ctx))).toBe(before);
      for (const table of ['collection', 'transaction', 'holding', 'price_alert', 'goal', 'event'])
        expect(
          await database().query(`select 1 from ${table} where account_id = $1`, [ctx.caller.accountId]),
        ).toEqual([]);
    };
    const expectRefused = async (archive: Uint8Array, message: string | RegExp) => {
      await expect(take(walled(empty), archive)).rejects.toMatchObject({
        problem: 'ValidationFailed',
        message: expect.stringMatching(message),
      });
    };

    it('what is no archive of an account', async () => {
      const nothing = /^This is no archive of an account: a \.tar\.gz/;
      await expectRefused(Buffer.from('collectionId,occurredDate\n'), nothing);
      await expectRefused(Buffer.from([0x50, 0x4b, 3, 4, 0, 0]), nothing);
      await expectRefused(
        gzipSync('a text, and no archive'.repeat(40)),
        'The archive is no tar archive, or it is damaged.',
      );
      await expectRefused(
        packed([tarEntry('notes.txt', Buffer.from('x'))]),
        'The archive has "notes.txt" where',
      );
      const other = changed(good, { 'account.json': '{"format": "something else"}' });
      await expectRefused(archiveWith(other), nothing);
      await unchanged();
    });

    it.skipIf(isLeftToPostgres(kind))('what is empty, or cut off anywhere', async () => {
      await expectRefused(new Uint8Array(0), 'cut off');
      const whole = archiveWith(good);
      for (let length = 1; length < whole.length; length += Math.ceil(whole.length / 40))
        await expectRefused(whole.subarray(0, length), /cut off|damaged/);
      await expectRefused(whole.subarray(0, -1), 'cut off');
      await expectRefused(gzipSync(''), 'cut off');
      await unchanged();
    });

    const unpackedOf = (archive: Uint8Array): Buffer | null => {
      try {
        return gunzipSync(archive);
      } catch {
        return null;
      }
    };

    it.skipIf(isLeftToPostgres(kind))('what is damaged', async () => {
      const whole = archiveWith(good);
      for (let at = 10; at < whole.length; at += Math.ceil(whole.length / 40)) {
        const damaged = Buffer.from(whole);
        damaged[at]! ^= 0x10;
        // Some bits of what is packed mean nothing.
        if (unpackedOf(damaged)?.equals(unpackedOf(whole)!)) continue;
        await expect(take(empty, damaged)).rejects.toMatchObject({ problem: 'ValidationFailed' });
      }
      await unchanged();
    });

    const csv = archiveFile('transactions');
    const line = (i: number) => good.get(csv)!.split('\r\n')[i]!;
    const account = (changes: object) =>
      JSON.stringify({ ...JSON.parse(good.get('account.json')!), ...changes });
    const collections = (...changes: object[]) => {
      const all: object[] = JSON.parse(good.get('collections-0001.json')!);
      return JSON.stringify(all.map((one, i) => ({ ...one, ...changes[i] })));
    };
    const alerts = (changes: object) => {
      const all: object[] = JSON.parse(good.get('price-alerts.json')!);
      return JSON.stringify(all.map((one) => ({ ...one, ...changes })));
    };
    const goal = (changes: object) => JSON.stringify({ ...JSON.parse(good.get('goal.json')!), ...changes });
    const cells = (from: string | RegExp, to: string) => good.get(csv)!.replace(from, to);
    const collectionId = (i: number): string =>
      JSON.parse(good.get('collections-0001.json')!)[i].collectionId;

    const wrong: [
      what: string,
      changes: () => Record<string, string | undefined>,
      message: string | RegExp,
    ][] = [
      [
        'another version',
        () => ({ 'account.json': account({ version: 2 }) }),
        /of version 2, and this service reads version 1/,
      ],
      ['no version', () => ({ 'account.json': account({ version: undefined }) }), /of version undefined/],
      [
        'checksums of something else',
        () => ({ [CHECKSUMS_FILE]: good.get(CHECKSUMS_FILE)!.replace(/^./, (x) => (x === 'a' ? 'b' : 'a')) }),
        /damaged: its SHA256SUMS/,
      ],
      ['a file that is missing', () => ({ [csv]: undefined }), 'has not as much of the account as it says'],
      ['no account', () => ({ 'account.json': undefined }), /has "collections-0001.json" where/],
      ['a file more', () => ({ 'notes.txt': 'x' }), /has "notes.txt" where/],
      ['a path', () => ({ '../../etc/passwd': 'x' }), /has "\.\.\/\.\.\/etc\/passwd" where/],
      [
        'a part that is missing',
        () => ({ 'transactions-0003.csv': good.get(csv)! }),
        /has "transactions-0003.csv" where/,
      ],
      ['no JSON', () => ({ 'goal.json': '{' }), 'goal.json: it is not well-formed JSON in UTF-8.'],
      [
        'a field that is not known',
        () => ({ 'account.json': account({ more: 1 }) }),
        'account.json: more is not a known field.',
      ],
      [
        'a currency that is none',
        () => ({
          'account.json': account({
            preferences: {
              preferredCurrency: 'XXX',
              preferredPriceSource: 'VendorMarket',
              costBasis: 'Average',
            },
          }),
        }),
        /^account.json: preferences.preferredCurrency /,
      ],
      ['other counts', () => ({ 'account.json': account({ collectionCount: 4 }) }), 'has not as much'],
      [
        'fewer transactions',
        () => ({ 'collections-0001.json': collections({ transactionCount: 9 }) }),
        'has not as much',
      ],
      [
        'more transactions',
        () => ({ 'collections-0001.json': collections({ transactionCount: 1 }) }),
        /line \d+: col_.* has fewer transactions/,
      ],
      [
        'a name that is none',
        () => ({ 'collections-0001.json': collections({ name: ' ' }) }),
        /^collections-0001.json: 0.name must have 1 to 100/,
      ],
      [
        'a wish list that is valued',
        () => ({ 'collections-0001.json': collections({}, { valued: true }) }),
        /^collections-0001.json: col_.*valued/,
      ],
      [
        'a wish list as the goal',
        () => ({
          'collections-0001.json': collections({ isGoalCollection: false }, { isGoalCollection: true }),
        }),
        'cannot be the goal collection',
      ],
      [
        'two goals',
        () => ({ 'collections-0001.json': collections({}, {}, { isGoalCollection: true }) }),
        'cannot be the goal collection',
      ],
      [
        'a collection twice',
        () => ({ 'collections-0001.json': collections({}, { collectionId: collectionId(0) }) }),
        'is there twice',
      ],
      [
        'a time to come',
        () => ({ 'collections-0001.json': collections({ createdAt: '2999-01-01T00:00:00Z' }) }),
        'must be from 1970 to now',
      ],
      [
        'a goal of itself',
        () => ({ 'goal.json': goal({ targetCollectionId: collectionId(0) }) }),
        'no target of a goal',
      ],
      [
        'a goal of two kinds',
        () => ({ 'goal.json': goal({ items: [{ variantId: 'var_1', quantity: 1 }] }) }),
        'no target of a goal',
      ],
      [
        'a goal of nothing that is there',
        () => ({ 'goal.json': goal({ targetCollectionId: 'col_x' }) }),
        'no collection "col_x"',
      ],
      [
        'a goal of unknown cards',
        () => ({
          'goal.json': goal({ targetCollectionId: null, items: [{ variantId: 'var_none', quantity: 1 }] }),
        }),
        /goal.json: The variant "var_none" does not exist/,
      ],
      [
        'an alert on nothing',
        () => ({ 'price-alerts.json': alerts({ targetId: 'var_none' }) }),
        /price-alerts.json: alr_\w+: The variant does not exist/,
      ],
      [
        'an alert on a collection of elsewhere',
        () => ({ 'price-alerts.json': alerts({ targetId: 'col_01kn3w4v5h2c8q6r9t0m1n2p3q' }) }),
        /The collection does not exist/,
      ],
      [
        'an alert of nonsense',
        () => ({ 'price-alerts.json': alerts({ days: 0, percent: 1000000 }) }),
        /price-alerts.json: alr_/,
      ],
      [
        'a card that is no text',
        () => ({
          'goal.json': goal({ targetCollectionId: null, items: [{ variantId: 'var_\0', quantity: 1 }] }),
        }),
        'goal.json: items.0.variantId must not contain control characters',
      ],
      [
        'an alert that fired more often than can be counted',
        () => ({ 'price-alerts.json': alerts({ triggerCount: 2 ** 31 }) }),
        'price-alerts.json: 0.triggerCount must be below',
      ],
      [
        'a day before all days',
        () => ({
          'price-alerts.json': alerts({
            lastTrigger: {
              ...{ triggeredAt: NOW.toISOString(), day: '0000-01-01' },
              ...{ value: '1', currency: 'USD', change: null },
            },
          }),
        }),
        'price-alerts.json: 0.lastTrigger.day must be from 1970-01-01',
      ],
      [
        'a time that is finer than any',
        () => ({
          'collections-0001.json': collections({ createdAt: `2026-01-01T00:00:00.${'1'.repeat(200)}Z` }),
        }),
        'collections-0001.json: 0.createdAt must be a time to the microsecond at most',
      ],
      [
        'an unknown card',
        () => ({ [csv]: cells(variants[6]!, 'var_none') }),
        /transactions-0001.csv: The variant var_none does not exist/,
      ],
      [
        'an unknown collection',
        () => ({ [csv]: cells(collectionId(2), 'col_x') }),
        /line \d+: the archive has no collection "col_x"/,
      ],
      [
        'a sale that is wished',
        () => ({
          [csv]: good.get(csv)!.replace(new RegExp(`(${collectionId(1)},.*),Purchase,`), '$1,Sale,'),
        }),
        /cannot|must|wish|sold/,
      ],
      [
        'a day to come',
        () => ({ [csv]: cells('2020-02-29', '2999-01-01') }),
        /line \d+: occurredDate must be from/,
      ],
      [
        'a price that is none',
        () => ({ [csv]: cells('9.9999', '9.99999') }),
        /line \d+: unitAmount.decimal must be a number/,
      ],
      [
        'a row that is cut off',
        () => ({ [csv]: `${good.get(csv)!}${line(1).slice(0, 40)}` }),
        /line \d+: the row does not have as many columns/,
      ],
      ['no columns', () => ({ [csv]: 'a,b\r\n' }), /line 1: the header has no column collectionId/],
      ['a file without a header', () => ({ [csv]: '' }), /line 1: the file is empty/],
      [
        'JSON that is longer than any',
        () => ({ 'goal.json': `${goal({})}${' '.repeat(LIMITS.archiveJsonBytes)}` }),
        'goal.json: it is longer than an export writes it',
      ],
    ];
    it.each(wrong)('%s', async (_, changes, message) => {
      await expectRefused(archiveWith(changed(good, changes())), message);
      await unchanged();
    });

    it.skipIf(isLeftToPostgres(kind))('what unpacks to more than it may', async () => {
      const file = (bytes: number) => tarEntry('cardledger-account/account.json', Buffer.alloc(bytes, ' '));
      await expectRefused(packed([file(LIMITS.archiveFileBytes + 1)]), 'has a file of more than 16 MiB');
      const rows = Buffer.alloc(LIMITS.archivePartBytes, '\n');
      const many = Array.from({ length: 20 }, (_, i) =>
        tarEntry(
          `cardledger-account/transactions-${String(i + 1).padStart(4, '0')}.csv`,
          Buffer.concat([Buffer.from(good.get(csv)!.split('\r\n')[0]!), rows]),
        ),
      );
      const first = ['account.json', 'collections-0001.json'].map((name) =>
        tarEntry(`cardledger-account/${name}`, Buffer.from(good.get(name)!)),
      );
      await expectRefused(packed([...first, ...many]), 'packed more than any that an export writes');
      await expectRefused(
        packed([...first, Buffer.alloc(64 * 1024 * 1024)]),
        'packed more than any that an export writes',
      );
      await unchanged();
    });

    it.skipIf(isLeftToPostgres(kind))('a part behind a short one', async () => {
      const [account, collections] = [good.get('account.json')!, good.get('collections-0001.json')!];
      const nothing = JSON.stringify({
        ...JSON.parse(account),
        ...{ collectionCount: 3, transactionCount: 0, priceAlertCount: 0 },
      });
      const all = JSON.stringify(
        JSON.parse(collections).map((one: object) => ({ ...one, transactionCount: 0 })),
      );
      const withPart = (bytes: number) =>
        archiveWith(
          new Map([
            ['account.json', nothing],
            ['collections-0001.json', all + ' '.repeat(bytes - Buffer.byteLength(all))],
            ['collections-0002.json', '[]'],
          ]),
        );
      await expectRefused(
        withPart(LIMITS.archiveLeastPartBytes - 1),
        'The archive has "collections-0002.json" where',
      );
      await take(await newAccount(database()), withPart(LIMITS.archiveLeastPartBytes));
    });

    it('what is not a plain file, or behind the end', async () => {
      const headerWith = (text: string, at: number) => {
        const header = tarEntry('cardledger-account/account.json', Buffer.alloc(0));
        const sumOf = () => header.reduce((sum, byte) => sum + byte, 0);
        const before = sumOf();
        header.write(text, at, 'latin1');
        const sum = Number.parseInt(header.toString('latin1', 148, 154), 8) + sumOf() - before;
        header.write(sum.toString(8).padStart(6, '0'), 148);
        return header;
      };
      await expectRefused(packed([headerWith('2', 156)]), 'has something else than plain files');
      for (const size of ['-0000000001', '\x80\0\0\0\0\0\0\0\0\0\0\x01', '0x000000010'])
        await expectRefused(packed([headerWith(size, 124)]), 'has a file of more than 16 MiB');
      const whole = [...good].map(([name, text]) =>
        tarEntry(`cardledger-account/${name}`, Buffer.from(text)),
      );
      await expectRefused(
        packed([...whole, Buffer.alloc(1024), tarEntry('x', Buffer.from('x'))]),
        'goes on behind its end',
      );
      await unchanged();
    });

    it('an account that has things', async () => {
      const ctx = await newAccount(database());
      const { id } = await createCollection(ctx, { name: 'Here' });
      await expect(take(ctx, archiveWith(good))).rejects.toMatchObject({
        problem: 'LimitExceeded',
        details: { limit: 0, current: 1 },
      });
      await deleteCollection(ctx, id);
      await createPriceAlert(ctx, { targetId: variants[0]!, condition: 'Above', amount: usd(1) });
      await expect(take(ctx, archiveWith(good))).rejects.toMatchObject({ problem: 'LimitExceeded' });
    });

    it('more than the account may have', async () => {
      const has = { maxCollections: 3, maxValuedCollections: 1, maxTransactions: 10 };
      for (const less of [{ maxCollections: 2 }, { maxValuedCollections: 0 }, { maxTransactions: 9 }]) {
        const ctx = await newAccount(database(), { ...has, ...less });
        await expect(take(ctx, archiveWith(good))).rejects.toMatchObject({ problem: 'LimitExceeded' });
        expect((await getAccount(ctx)).collectionCount).toBe(0);
      }
      await take(await newAccount(database(), has), archiveWith(good));
    });
  });
});
