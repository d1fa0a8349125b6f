import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { migrate } from '../../src/db/migrate.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { NOW } from '../harness.ts';
import { startPostgres, startStandby } from '../support/postgres-server.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { describeOnSettings, type Ended, removeFoldersAfterwards, runWith } from './support.ts';

removeFoldersAfterwards();

/** Where the database of the suite has none. */
const LACKING_PRICES = /^(No market prices are loaded, so market values count as 0: .*\n)?/;

const nameAndState = ({ json }: Ended) =>
  json.checks.map(({ name, ok }: { name: string; ok: boolean }) => `${name} ${ok ? 'ok' : 'wrong'}`);

describeOnSettings('doctor', (subject) => {
  const cli: ReturnType<typeof subject>['cli'] = (args, options) => subject().cli(args, options);

  /** An account with one collection, whose stored count is then set to 7. */
  async function damagedAccount(): Promise<string> {
    return subject().open(async (db) => {
      const { accountId } = await createAccount(db, { name: 'Damaged', now: NOW });
      const ctx = { db, now: () => NOW, caller: { accountId, clientId: 'cli_test' } };
      await createCollection(ctx, { name: 'Binder' });
      await db.query('update account set collection_count = 7 where account_id = $1', [accountId]);
      return accountId;
    });
  }

  it('finds nothing wrong with a good installation', async () => {
    const { code, stdout, stderr } = await cli(['doctor']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok +node +\d+\.\d+\.\d+$/m);
    expect(stdout).toMatch(/^ok +configuration +(PostgreSQL at 127|embedded database in \/)/m);
    expect(stdout).toMatch(/^ok +database +(PGlite, )?PostgreSQL \d+/m);
    expect(stdout).not.toContain('WRONG');
    expect(stderr.replace(LACKING_PRICES, '')).toBe('');
    const isLacking = stderr !== '';
    const examined = await cli(['doctor', '--json']);
    expect(nameAndState(examined)).toEqual([
      'node ok',
      'configuration ok',
      'database ok',
      'clock ok',
      'schema ok',
      // Where each table is, which Citus alone asks of one.
      ...(process.env.TEST_CITUS_URL ? ['placement ok'] : []),
      'ledger ok',
    ]);
    expect(examined.json).toMatchObject({ ok: true, differences: [], fixed: false });
    expect(examined.json.warnings).toHaveLength(isLacking ? 1 : 0);
  });

  it('reports a wrong sum until it is repaired', async () => {
    const accountId = await damagedAccount();
    const found = await cli(['doctor', '--json']);
    expect(found.code).toBe(1);
    expect(found.json).toMatchObject({ ok: false, fixed: false });
    expect(found.json.differences).toEqual([
      {
        kind: 'account',
        accountId,
        id: expect.any(String),
        field: expect.any(String),
        stored: '7',
        expected: '1',
      },
    ]);
    const shown = await cli(['doctor']);
    expect(shown.code).toBe(1);
    expect(shown.stdout).toMatch(/^WRONG +ledger +1 difference$/m);
    expect(shown.stdout).toMatch(/^account .* 7 +1$/m);
    expect(shown.stderr.replace(LACKING_PRICES, '')).toBe('To repair: cardledger doctor --fix\n');

    const fixed = await cli(['doctor', '--fix']);
    expect(fixed.code).toBe(0);
    expect(fixed.stdout).toMatch(/^ok +ledger +1 difference, repaired$/m);
    expect((await cli(['doctor'])).code).toBe(0);
  });

  it('compares the clock with that of the database', async () => {
    const ahead = (seconds: number) => ({ now: () => new Date(Date.now() + seconds * 1000) });
    expect((await cli(['doctor', '--json'], ahead(-25))).code).toBe(0);
    const wrong = await cli(['doctor', '--json'], ahead(35));
    expect(wrong.code).toBe(1);
    expect(nameAndState(wrong)).toContain('clock wrong');
  });

  it('reports settings that are wrong', async () => {
    const wrong = await runWith({ ...subject().environment, PORT: '70000' }, ['doctor', '--json']);
    expect(wrong.code).toBe(1);
    expect(nameAndState(wrong)).toEqual(['node ok', 'configuration wrong']);
    expect(wrong.json.checks[1].detail).toContain('PORT must be a whole number from 0 to 65535');
  });

  it('reports a database of another version, and compares nothing in it', async () => {
    const newest = 'select max(created_at) as at from migration';
    await subject().open(async (db) => {
      await db.query(`insert into migration (created_at, hash) select at + 1, 'later' from (${newest}) m`);
    });
    const newer = await cli(['doctor', '--json']);
    expect(newer.code).toBe(1);
    expect(nameAndState(newer).at(-1)).toBe('schema wrong');
    expect(newer.json.checks.at(-1).detail).toMatch(/newer than this version/);
    expect((await cli(['account', 'list'])).stderr).toMatch(/newer than this version of cardledger/);
  });
});

describe.skipIf(!inject('postgresUrl'))('doctor of replicas', () => {
  const started = async <S extends { stop(): Promise<void> }>(starting: Promise<S>): Promise<S> => {
    const server = await starting;
    onTestFinished(() => server.stop());
    return server;
  };

  it('says of each what is wrong with it, or how far behind it was', async () => {
    const primary = await started(startPostgres());
    const db = postgresDatabase(primary.url);
    onTestFinished(() => db.close());
    await migrate(db);
    const quick = await started(startStandby(primary));
    const slow = await started(startStandby(primary, { settings: { recovery_min_apply_delay: '1h' } }));
    const stranger = await started(startPostgres());
    const proxy = await startTcpProxy(quick.port);
    onTestFinished(() => proxy.close());
    await createAccount(db, { name: 'What the slow one has not', now: NOW });

    const name = ({ port }: { port: number }) => `127.0.0.1:${port}`;
    const at = (server: { port: number }, pathname = new URL(primary.url).pathname) =>
      Object.assign(new URL(primary.superuserUrl), { host: name(server), pathname }).href;
    const doctorOf = (...urls: string[]) => {
      const settings = { DATABASE_URL: primary.url, DATABASE_REPLICA_URLS: urls.join(',') };
      return runWith(settings, ['doctor', '--json']);
    };
    const replicasIn = ({ json }: Ended) =>
      json.checks
        .filter((check: { name: string }) => check.name === 'replica')
        .map(({ ok, detail }: { ok: boolean; detail: string }) => [ok, detail]);

    const wrong = await doctorOf(
      ...[at(quick), at(slow), at(proxy), at(primary, '/template1'), at(primary)],
      ...[at(stranger, '/postgres'), at({ port: 1 })],
    );
    const matching = (text: RegExp) => expect.stringMatching(text);
    expect([wrong.code, replicasIn(wrong)]).toEqual([
      1,
      [
        [true, matching(new RegExp(`^${name(quick)}: it had all that the primary had, after \\d+ ms$`))],
        [false, matching(new RegExp(`^${name(slow)}: it lags: \\d+ bytes of the log behind`))],
        [false, `${name(proxy)}: it is the same server as ${name(quick)}`],
        [false, `${name(primary)}/template1: it is no standby (any more), and takes changes of its own`],
        [
          true,
          `${name(primary)}${new URL(primary.url).pathname}: it is the one that takes changes, and answers no reads as a replica`,
        ],
        [false, `${name(stranger)}: it is no standby (any more), and takes changes of its own`],
        [false, matching(/^127\.0\.0\.1:1: it cannot be read: /)],
      ],
    ]);
    const good = await doctorOf(at(quick), at(primary));
    expect([good.code, replicasIn(good).map(([ok]: [boolean]) => ok)]).toEqual([0, [true, true]]);
    const shown = await runWith(
      { DATABASE_URL: primary.url, DATABASE_REPLICA_URLS: at(quick, '/template1') },
      ['doctor'],
    );
    expect(shown.code).toBe(1);
    expect(shown.stdout).toMatch(
      new RegExp(`^WRONG +replica +${name(quick)}: it is a replica of another database$`, 'm'),
    );
  });
});
