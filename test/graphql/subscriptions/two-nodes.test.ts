import { describe, expect, inject, it } from 'vitest';
import { postgresDatabase } from '../../../src/db/postgres-database.ts';
import { createAccount } from '../../../src/services/accounts/create.ts';
import { createClient } from '../../../src/services/clients/create.ts';
import { removeFoldersAfterwards, temporaryFolder } from '../../cli/support.ts';
import { serveProcess } from '../../server/server-process.ts';
import { loadedPostgresUrl } from '../../support/loaded-databases.ts';
import { fileOf, row } from '../../support/transaction-csv.ts';
import { mutationDocument } from '../mutate.ts';
import { subscribe } from './support.ts';

removeFoldersAfterwards();

const WRITES = 10;

describe.skipIf(!inject('postgresUrl'))('subscriptions over two nodes', () => {
  it('see on one what is written on the other, and end with exit code 0', async () => {
    const { url } = await loadedPostgresUrl(inject('postgresUrl')!);
    const db = postgresDatabase(url);
    const now = new Date();
    const { accountId } = await createAccount(db, { name: 'Two nodes', now });
    const client = await createClient(db, { accountId, name: 'Test', now });
    await db.close();
    // One address, which their tokens name.
    const settings = { DATABASE_URL: url, PUBLIC_URL: 'http://cardledger.test', LOG_LEVEL: 'info' };
    const [a, b] = await Promise.all([
      serveProcess(settings, await temporaryFolder()),
      serveProcess(settings, await temporaryFolder()),
    ]);
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client.clientId,
      client_secret: client.clientSecret,
      scope: 'default',
    });
    const answer = await fetch(`${a.url}/oauth2/token`, { method: 'POST', body: form });
    const { access_token: token } = (await answer.json()) as { access_token: string };
    const send = async (path: string, method: string, body: object) => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      const response = await fetch(`${b.url}${path}`, { method, headers, body: JSON.stringify(body) });
      return (await response.json()) as { collectionId: string };
    };
    const { collectionId } = await send('/collection', 'POST', { name: 'No. 0' });
    const node = (url: string) => ({ url: `${url}/graphql`, app: { token } });
    const [onA, onB] = [subscribe(node(a.url), collectionId), subscribe(node(b.url), collectionId)];
    await Promise.all([onA.connected, onB.connected]);
    for (let i = 1; i <= WRITES; i++) {
      const body = { name: `No. ${i}`, valued: false, description: '', pinned: false, image: 0 };
      await send(`/collection/${collectionId}`, 'PUT', body);
      await Promise.all([onA.until(i), onB.until(i)]);
    }
    for (const { results } of [onA, onB]) {
      expect(results.map(({ data }) => data!.collectionChanged.collection!.name)).toEqual(
        Array.from({ length: WRITES }, (_, i) => `No. ${i + 1}`),
      );
    }
    const progress = subscribe(node(a.url), collectionId, {
      query: 'subscription ($id: ID!) { importProgress(collectionId: $id) { phase done total } }',
    });
    await progress.connected;
    const csv = fileOf(...Array.from({ length: 1500 }, () => row()));
    await send('/graphql', 'POST', {
      query: mutationDocument('importTransactions'),
      variables: { input: { collectionId, csv } },
    });
    expect(await progress.ended).toBe('complete');
    expect(progress.results.at(-1)).toMatchObject({
      data: { importProgress: { phase: 'RECORDING', done: 1500, total: 1500 } },
    });
    expect(await Promise.all([a.stop(), b.stop()])).toEqual([0, 0]);
    expect(await onA.ended).not.toBe('complete');
  });
});
