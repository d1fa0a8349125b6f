import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { explaining } from '../../src/cli/database.ts';
import { loadConfig } from '../../src/config.ts';
import type { OpenDatabase } from '../../src/db/client.ts';
import { migrate } from '../../src/db/migrate.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { diagnose } from '../../src/services/doctor.ts';
import { newTestApp, pricedVariants } from '../harness.ts';
import { emptyPostgresUrl } from '../support/empty-postgres.ts';
import { eventually } from '../support/eventually.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { findPgBouncer, type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts';

const url = inject('postgresUrl');

describe.skipIf(!url || !findPgBouncer())('behind PgBouncer in transaction mode', () => {
  let bouncer: PgBouncer;
  let db: OpenDatabase;

  beforeAll(async () => {
    bouncer = await startPgBouncer((await loadedPostgresUrl(url!)).url);
    db = postgresDatabase(bouncer.url);
  });
  afterAll(async () => {
    await db.close();
    await bouncer.stop();
  });

  it('migrates an empty database, each migration once, when nodes start at the same time', async () => {
    const { pathname } = new URL(await emptyPostgresUrl(url!));
    const address = Object.assign(new URL(bouncer.url), { pathname }).href;
    const nodes = [postgresDatabase(address), postgresDatabase(address)];
    const results = await Promise.all(nodes.map((node) => migrate(node)));
    const journal = await nodes[0]!.query('select 1 from migration');
    expect(results.reduce((sum, { applied }) => sum + applied, 0)).toBe(journal.length);
    expect(await migrate(nodes[0]!)).toEqual({ applied: 0, waiting: [] });
    await Promise.all(nodes.map((node) => node.close()));
  });

  it('is told of where DATABASE_URL does not say so', async () => {
    const config = loadConfig({ DATABASE_URL: bouncer.url.replace('?pgbouncer=true', '') });
    const told = postgresDatabase(config.databaseUrl!);
    await expect(explaining(config, () => told.query('select 1'))).rejects.toThrow(
      /unsupported startup parameter.* add \?pgbouncer=true to DATABASE_URL/,
    );
    await told.close();
  });

  it('has the settings in every statement and transaction, unless they are lifted', async () => {
    const settings = (on: Pick<OpenDatabase, 'query'>) =>
      on.query(
        `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
           current_setting('random_page_cost') as cost, current_setting('jit') as jit,
           current_setting('TimeZone') as zone`,
      );
    const set = [{ statement: '5s', lock: '3s', cost: '1.1', jit: 'off', zone: 'UTC' }];
    expect(await settings(db)).toEqual(set);
    expect(await db.transaction(settings)).toEqual(set);
    const lifted = db.transaction(async (tx) => {
      await tx.liftTimeouts();
      return settings(tx);
    });
    expect(await lifted).toEqual([{ statement: '0', lock: '0', cost: '1.1', jit: 'off', zone: 'UTC' }]);
    expect(await settings(db)).toEqual(set);
  });

  it('serves requests that come at once, each of them once', async () => {
    const app = await newTestApp(db);
    const variants = await pricedVariants(db, 5);
    const { body: collection } = await app.send('POST', '/collection', { name: 'Bounced' });
    const path = `/collection/${collection.collectionId}/transaction`;
    const bought = (i: number) => ({
      variantId: variants[i % 5],
      occurredDate: '2025-01-01',
      action: 'Purchase',
      quantity: 1,
      unitAmount: { currency: 'USD', value: 1 },
    });
    /** Who waits for too long is told to try again. */
    const send = async (i: number): Promise<number> => {
      const { status } = await app.send('POST', path, bought(i), { 'Idempotency-Key': `key-${i % 30}` });
      return status === 503 ? send(i) : status;
    };
    const statuses = await Promise.all(Array.from({ length: 60 }, (_, i) => send(i)));
    expect(statuses).toEqual(Array(60).fill(200));
    const { body } = await app.send('GET', `/collection/${collection.collectionId}`);
    expect(body.quantity).toBe(30);
    expect((await diagnose(db, { fix: false })).differences).toEqual([]);
  });

  it('has its listeners look by themselves', async () => {
    const looked = vi.fn<() => void>();
    const stop = db.listen('test', () => {}, looked);
    await eventually(() => expect(looked.mock.calls.length).toBeGreaterThan(1));
    await stop();
    const count = looked.mock.calls.length;
    await sleep(1100);
    expect(looked).toHaveBeenCalledTimes(count);
  });
});
