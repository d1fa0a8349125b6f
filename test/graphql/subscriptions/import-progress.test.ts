import { request as httpRequest } from 'node:http';
import { expect, it } from 'vitest';
import { LIMITS } from '../../../src/domain/limits.ts';
import { createCollection } from '../../../src/services/collections/create.ts';
import { getCollection } from '../../../src/services/collections/get.ts';
import { importTransactions } from '../../../src/services/transactions/import.ts';
import { importPreviewed, previewImport } from '../../../src/services/transactions/import-preview.ts';
import { asNewAccount, describeOnDatabases } from '../../harness.ts';
import { eventually } from '../../support/eventually.ts';
import { contextOf } from '../../support/furnished.ts';
import { fileOf, row } from '../../support/transaction-csv.ts';
import { mutationDocument } from '../mutate.ts';
import { type Subscription, startServer, subscribe, type TestServer } from './support.ts';

const PROGRESS = 'subscription ($id: ID!) { importProgress(collectionId: $id) { phase done total } }';
const many = (count: number) =>
  fileOf(...Array.from({ length: count }, (_, i) => row({ quantity: 1 + (i % 9) })));

interface Step {
  phase: string;
  done: number;
  total: number | null;
}

const stepsOf = ({ results }: Subscription) =>
  results.map(({ data }) => (data as unknown as { importProgress: Step }).importProgress);

describeOnDatabases('importProgress', (database) => {
  const start = async () => {
    // Whoever is slow here is the machine, not a client.
    const server = await startServer(database(), { pingMillis: 20_000 });
    const ctx = contextOf(database(), server.app);
    // The index of the search, which the first import makes.
    await previewImport(ctx, (await createCollection(ctx, { name: 'First' })).id, { csv: many(1) });
    const { id } = await createCollection(ctx, { name: 'Imported' });
    const follow = async (of: Pick<TestServer, 'url' | 'app'> = server, collectionId = id) => {
      const followed = subscribe(of, collectionId, { query: PROGRESS });
      await followed.connected;
      return followed;
    };
    return { server, ctx, id, follow };
  };

  it('sends the phases of an import with its rows, and ends with it', async () => {
    const { ctx, id, follow } = await start();
    const [one, two] = [await follow(), await follow()];
    await importTransactions(ctx, id, { csv: many(2500) });
    expect(await Promise.all([one.ended, two.ended])).toEqual(['complete', 'complete']);
    const steps = stepsOf(one);
    expect(new Set(steps.map(({ phase }) => phase)).has('RECORDING')).toBe(true);
    const phases = ['READING', 'MATCHING', 'RECORDING'];
    const places = steps.map(({ phase }) => phases.indexOf(phase));
    expect(places).toEqual(places.toSorted());
    for (const { phase, done, total } of steps) {
      expect(total).toBe(phase === 'READING' ? null : 2500);
      expect(done).toBeLessThanOrEqual(2500);
    }
    expect(steps.at(-1)).toEqual({ phase: 'RECORDING', done: 2500, total: 2500 });
  });

  it('is of previews and of what is imported of them, too, and ends where one fails', async () => {
    const { ctx, id, follow } = await start();
    const ofPreview = await follow();
    const preview = await previewImport(ctx, id, { csv: many(1200) });
    expect(await ofPreview.ended).toBe('complete');
    expect(stepsOf(ofPreview).at(-1)).toEqual({ phase: 'RECORDING', done: 1200, total: 1200 });
    const ofImport = await follow();
    await importPreviewed(ctx, preview.id, {});
    expect(await ofImport.ended).toBe('complete');
    expect(stepsOf(ofImport).at(-1)).toEqual({ phase: 'RECORDING', done: 1200, total: 1200 });
    const ofNothing = await follow();
    await expect(importTransactions(ctx, id, { csv: 'no,known,header\n1,2,3' })).rejects.toThrow('header');
    expect(await ofNothing.ended).toBe('complete');
  });

  it('sends nothing of other collections, or to another account', async () => {
    const { server, ctx, id, follow } = await start();
    const { id: other } = await createCollection(ctx, { name: 'Other' });
    const ofOther = await follow(server, other);
    const stranger = await asNewAccount(database(), server.app.fetch);
    const theirs = subscribe({ ...server, app: stranger }, id, { query: PROGRESS });
    expect(await theirs.ended).toBe('complete');
    expect(theirs.results).toMatchObject([{ errors: [{ extensions: { code: 'NotFound' } }] }]);
    const mine = await follow();
    await importTransactions(ctx, id, { csv: many(600) });
    expect(await mine.ended).toBe('complete');
    expect(ofOther.results).toEqual([]);
  });

  it('counts among the subscriptions of a client', async () => {
    const { server, id, follow } = await start();
    const all = await Promise.all(Array.from({ length: LIMITS.subscriptionsPerClient }, () => follow()));
    await eventually(async () => {
      const { body: metrics } = await server.app.send('GET', '/metrics');
      expect(metrics).toContain(`cardledger_graphql_subscriptions{field="importProgress"} ${all.length}`);
    });
    const more = subscribe(server, id, { query: PROGRESS });
    expect(await more.ended).toBe('complete');
    expect(more.results).toMatchObject([{ errors: [{ extensions: { code: 'LimitExceeded' } }] }]);
    all[0]!.stop();
    await eventually(async () => {
      const again = subscribe(server, id, { query: PROGRESS });
      await again.connected;
      expect(again.results).toEqual([]);
    });
  });

  /** Sends a request on a connection of its own, which is closed at the first step for which that is said. */
  const leaving = async (
    { server, follow }: Awaited<ReturnType<typeof start>>,
    { path, type, body }: { path: string; type: string; body: string },
    atStep: (step: Step) => boolean,
  ) => {
    const followed = await follow();
    const { port, app } = server;
    const headers = { Authorization: `Bearer ${app.token}`, 'Content-Type': type };
    const request = httpRequest({ port, path, method: 'POST', headers });
    const left = new Promise((resolve) => request.once('close', resolve)).then(() => followed.ended);
    request.on('error', () => {});
    request.end(body);
    await eventually(() => expect(stepsOf(followed).some(atStep)).toBe(true));
    request.destroy();
    expect(await left).toBe('complete');
    return stepsOf(followed);
  };

  it.each([
    ['GraphQL', (id: string, csv: string) => inGraphQL('previewImport', { collectionId: id, csv })],
    [
      'REST',
      (id: string, csv: string) => ({ path: `/collection/${id}/import`, type: 'text/csv', body: csv }),
    ],
  ])('keeps no preview for a client of %s that leaves while it is made', async (_transport, sent) => {
    const started = await start();
    // Most hold none, so that there is much to read.
    const csv = `${many(500)}\n${`${row({ quantity: '' })}\n`.repeat(15_000)}`;
    const steps = await leaving(started, sent(started.id, csv), () => true);
    expect(steps.at(-1)!.phase).not.toBe('RECORDING');
    const { accountId } = started.server.app;
    const kept = await database().query('select collection_id from import_preview where account_id = $1', [
      accountId,
    ]);
    expect(kept).toHaveLength(1);
  });

  it('records nothing for a client that leaves before the commit', async () => {
    const started = await start();
    const { ctx, id } = started;
    const isInside = ({ phase, done }: Step) => phase === 'RECORDING' && done > 0;
    const input = { collectionId: id, csv: many(8000) };
    const steps = await leaving(started, inGraphQL('importTransactions', input), isInside);
    expect(steps.at(-1)!.done).toBeLessThan(8000);
    const preview = await previewImport(ctx, id, { csv: many(8000) });
    await leaving(started, inGraphQL('importPreviewed', { id: preview.id }), isInside);
    expect((await getCollection(ctx, id)).transactionCount).toBe(0);
    expect(await importPreviewed(ctx, preview.id, {})).toMatchObject({
      written: true,
      transactionCount: 8000,
    });
  });
});

function inGraphQL(mutation: string, input: object) {
  const body = JSON.stringify({ query: mutationDocument(mutation), variables: { input } });
  return { path: '/graphql', type: 'application/json', body };
}
