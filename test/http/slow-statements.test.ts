import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { updateCollection } from '../../src/services/collections/update.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { startServer, subscribe } from '../graphql/subscriptions/support.ts';
import { newTestApp, pricedVariants, type TestApp } from '../harness.ts';
import { eventually } from '../support/eventually.ts';
import { contextOf, entry } from '../support/furnished.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { expectProblem } from './support.ts';

const url = inject('postgresUrl');
const SALES = 'transactions(first: 1, filter: { action: SALE }) { nodes { id } }';
const NAME =
  'subscription ($id: ID!) { collectionChanged(id: $id) { kind collection { id name quantity } } }';
const WITH_SALES = NAME.replace('quantity', `quantity ${SALES}`);
const TOO_MUCH = { extensions: { code: 'TooMuchWork' } };

describe.skipIf(!url)('2 s of the database', () => {
  let db: OpenDatabase;
  beforeAll(async () => {
    // Not the harness's, whose operations may take longer.
    db = postgresDatabase((await loadedPostgresUrl(url!)).url);
  });
  afterAll(() => db.close());

  const filled = async (app: TestApp) => {
    const ctx = contextOf(db, app);
    const { id } = await createCollection(ctx, { name: 'Binder' });
    const [variantId] = (await pricedVariants(db, 1)) as [string];
    await createTransactions(ctx, id, [entry(variantId)]);
    return { ctx, id };
  };
  /** From here until it is ended whoever reads transactions waits for far longer than an operation may take. */
  const slowed = async () => {
    await db.query(
      'create policy slow on transaction as restrictive for select to cardledger_tenant using ((select count(*) = 1 from pg_sleep(60)))',
    );
    const end = () =>
      db.transaction(async (tx) => {
        // Those that are slow have the table until they are broken off.
        await tx.liftTimeouts();
        await tx.query('drop policy if exists slow on transaction');
      });
    onTestFinished(end);
    return end;
  };

  it('are all that a request has, by REST and by GraphQL', async () => {
    const app = await newTestApp(db);
    const { id } = await filled(app);
    await slowed();
    expectProblem(
      await app.send('GET', `/collection/${id}/transaction?sortOrder=Alphabetical`),
      'TooMuchWork',
    );
    const { body } = await app.send('POST', '/graphql', {
      query: `{ collection(id: "${id}") { ${SALES} } }`,
    });
    expect(body.errors).toMatchObject([TOO_MUCH]);
  });

  it('are all that an event has, anew for each, while those of other streams go on', async () => {
    const server = await startServer(db);
    const { ctx, id } = await filled(server.app);
    const slow = subscribe(server, id, { query: WITH_SALES });
    const quick = subscribe(server, id, { query: NAME });
    await Promise.all([slow.connected, quick.connected]);
    const quicken = await slowed();
    await Promise.all([1, 2, 3].map((i) => updateCollection(ctx, id, { name: `No. ${i}` })));
    await slow.until(2);
    expect(quick.results.length).toBe(3);
    expect(slow.results.map(({ errors }) => errors?.[0])).toMatchObject([TOO_MUCH, TOO_MUCH]);
    await quicken();
    await updateCollection(ctx, id, { name: 'No. 4' });
    const last = await eventually(() => {
      const result = slow.results.at(-1)!;
      expect(result.data?.collectionChanged.collection?.name).toBe('No. 4');
      return result;
    });
    // What the slow ones took is the account's, whose clock stands still.
    const { limit, remaining } = last.extensions!.cost!.work!;
    expect(remaining).toBeLessThanOrEqual(limit - 2000);
  });
});
