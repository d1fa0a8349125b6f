import { describe, expect, inject, it } from 'vitest';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { catalogueAtHand, keepCatalogue } from '../../src/memory/memory.ts';
import { NOW, newTestApp, pricedVariants } from '../harness.ts';
import { eventually } from '../support/eventually.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { addressOf, promote } from '../support/postgres-pair.ts';
import { startPostgres, startStandby } from '../support/postgres-server.ts';
import { setOfServer } from '../support/server-settings.ts';
import { newCollection, record } from './support.ts';

const HELD = `query Held($id: ID!) {
  collection(id: $id) { transactionSummaries(first: 50, sort: GAIN) { nodes { quantity } } }
}`;

/** Nothing but the test counts transactions on, and what is committed is in the log. */
const QUIET = { settings: { autovacuum: 'off', synchronous_commit: 'on' } };

describe.skipIf(!inject('postgresUrl'))('a standby that is promoted without the last writes', () => {
  it('is believed, though its next write has the state of one that it lacks', async () => {
    const primary = await startPostgres(QUIET);
    const { url } = await loadedPostgresUrl(primary.url);
    const standby = await startStandby(primary, QUIET);
    const db = postgresDatabase(addressOf({ ...primary, url }, standby));
    const app = await newTestApp(db);
    const stop = keepCatalogue(db, () => NOW);
    await eventually(async () => expect(catalogueAtHand({ db, now: () => NOW })).not.toBeNull());
    const [variant] = await pricedVariants(db, 1);
    const id = await newCollection(app);
    const quantities = async () => {
      type Data = { collection: { transactionSummaries: { nodes: { quantity: number }[] } } };
      const { collection } = await app.graphql<Data>(HELD, { id });
      return collection.transactionSummaries.nodes.map(({ quantity }) => quantity);
    };
    const lastTransaction = async () => {
      const text = 'select xmin::text::bigint as id from collection where id = $1';
      return (await db.query<{ id: number }>(text, [id]))[0]!.id;
    };
    await record(app, id, variant!, { quantity: 1 });
    expect(await quantities()).toEqual([1]);

    const admins = [primary, standby].map(({ superuserUrl }) => postgresDatabase(superuserUrl));
    const [onPrimary, onStandby] = admins;
    const [now] = await onPrimary!.query<{ lsn: string }>('select pg_current_wal_lsn()::text as lsn');
    await eventually(async () =>
      expect(
        await onStandby!.query('select pg_last_wal_replay_lsn() >= $1::pg_lsn as "hasIt"', [now!.lsn]),
      ).toEqual([{ hasIt: true }]),
    );
    await setOfServer(standby.superuserUrl, 'primary_conninfo', '');
    await eventually(async () =>
      expect(await onPrimary!.query('select from pg_stat_replication')).toEqual([]),
    );
    await record(app, id, variant!, { quantity: 2 });
    expect(await quantities()).toEqual([3]);
    const lost = await lastTransaction();
    await primary.stop();
    await promote(standby);
    // A slow machine tries again what took long, so numbers may be left over.
    const next = 'select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as id';
    while ((await onStandby!.query<{ id: number }>(next))[0]!.id < lost) {
      await onStandby!.query('select pg_current_xact_id()');
    }
    await Promise.all(admins.map((admin) => admin.close()));

    await eventually(() => record(app, id, variant!, { quantity: 5 }));
    expect(await quantities()).toEqual([6]);
    await stop();
    await db.close();
    await standby.stop();
  });
});
