import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { createAccount } from '../../src/services/accounts/create.ts';
import { listAccounts } from '../../src/services/accounts/list.ts';
import { setLimits } from '../../src/services/accounts/set-limits.ts';
import { createClient } from '../../src/services/clients/create.ts';
import { listClients } from '../../src/services/clients/list.ts';
import { revokeClient } from '../../src/services/clients/revoke.ts';
import { rotateClient } from '../../src/services/clients/rotate.ts';
import { describeOnDatabases, NOW, statementsOf } from '../harness.ts';
import { movableClock, newClient, node, outcome, REVOKED, requestToken, tokenOf } from './support.ts';

const NOBODY = `cli_${'0'.repeat(26)}`;

describeOnDatabases('clients', (database) => {
  it('have an id and a secret of 256 random bits, of which only the digest is stored', async () => {
    const { clientId, clientSecret, accountId } = await newClient(database());
    expect(clientId).toMatch(/^cli_[0-9a-z]{26}$/);
    expect(Buffer.from(clientSecret.replace('cls_', ''), 'base64url')).toHaveLength(32);
    const rows = await database().query('select * from client where id = $1', [clientId]);
    expect(rows).toMatchObject([
      { account_id: accountId, secret_digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
    expect(JSON.stringify(rows)).not.toContain(clientSecret);
    expect((await newClient(database())).clientSecret).not.toBe(clientSecret);
  });

  it('belong to an account that exists, by its id or its uuid', async () => {
    const { accountId } = await createAccount(database(), { name: 'Owner', now: NOW });
    for (const id of [accountId, `acc_${accountId}`]) {
      await createClient(database(), { accountId: id, name: 'App', now: NOW });
    }
    const clients = await listClients(database(), { accountId: `acc_${accountId}` });
    expect(clients).toHaveLength(2);
    expect(clients[0]).toEqual({
      clientId: expect.any(String),
      accountId,
      name: 'App',
      createdAt: NOW,
      revokedAt: null,
    });
    for (const id of [randomUUID(), 'x', `col_${accountId}`, "' or 1=1"]) {
      await expect(createClient(database(), { accountId: id, name: 'App', now: NOW })).rejects.toMatchObject({
        problem: 'NotFound',
      });
    }
    for (const name of ['', ' ', 'a\u0000b', 'x'.repeat(101)]) {
      await expect(createClient(database(), { accountId, name, now: NOW })).rejects.toMatchObject({
        problem: 'ValidationFailed',
      });
    }
  });

  it('get a new secret, and the old one ends at once', async () => {
    const old = await newClient(database());
    const auth = node(database(), () => NOW);
    const token = await tokenOf(auth, old);
    const fresh = await rotateClient(database(), old);
    expect(fresh.clientId).toBe(old.clientId);
    expect((await requestToken(auth, old)).status).toBe(401);
    expect((await requestToken(auth, fresh)).status).toBe(200);
    expect(await outcome(auth, token)).toBe('accepted');
  });

  it('lose their tokens within 60 seconds of being revoked, on every node', async () => {
    const db = database();
    const clock = movableClock();
    const client = await newClient(db);
    const nodes = [node(db, clock.now), node(db, clock.now)];
    const token = await tokenOf(nodes[0]!, client);
    for (const auth of nodes) expect(await outcome(auth, token)).toBe('accepted');
    await revokeClient(db, { clientId: client.clientId, now: clock.now() });
    for (const auth of nodes) expect((await requestToken(auth, client)).status).toBe(401);
    // A node that keeps seeing the client must not keep trusting it.
    for (let second = 0; second < 30; second += 5) {
      await outcome(nodes[0]!, token);
      clock.advance(5);
    }
    for (const auth of nodes) expect(await outcome(auth, token)).toBe(REVOKED);
    expect(await outcome(node(db, clock.now), token)).toBe(REVOKED);
  });

  it('lose their tokens too when they are deleted', async () => {
    const clock = movableClock();
    const client = await newClient(database());
    const auth = node(database(), clock.now);
    const token = await tokenOf(auth, client);
    await database().query('delete from client where id = $1', [client.clientId]);
    clock.advance(30);
    expect(await outcome(auth, token)).toBe(REVOKED);
  });

  it('are revoked for good', async () => {
    const { clientId, accountId } = await newClient(database());
    await revokeClient(database(), { clientId, now: NOW });
    await revokeClient(database(), { clientId, now: new Date(NOW.getTime() + 1000) });
    expect(await listClients(database(), { accountId })).toMatchObject([{ clientId, revokedAt: NOW }]);
    await expect(rotateClient(database(), { clientId })).rejects.toMatchObject({ problem: 'NotFound' });
  });

  it('are not found where there is none', async () => {
    for (const clientId of [NOBODY, '', 'x', 'cli_\u0000', `cli_${'0'.repeat(1000)}`]) {
      await expect(rotateClient(database(), { clientId })).rejects.toMatchObject({ problem: 'NotFound' });
      await expect(revokeClient(database(), { clientId, now: NOW })).rejects.toMatchObject({
        problem: 'NotFound',
      });
    }
    await expect(listClients(database(), { accountId: 'x' })).rejects.toMatchObject({ problem: 'NotFound' });
    expect(await listClients(database(), { accountId: randomUUID() })).toEqual([]);
  });

  it('cost the same look-ups whether the id or the secret is wrong', async () => {
    const client = await newClient(database());
    const auth = node(database(), () => NOW);
    const wrong = [
      { ...client, clientSecret: 'wrong' },
      { ...client, clientId: NOBODY },
      { ...client, clientId: 'no id at all \u0000' },
    ];
    const seen = [];
    for (const credentials of wrong) {
      const { result, statements } = await statementsOf(() => requestToken(auth, credentials));
      seen.push({ result, statements: statements.map(({ text }) => text) });
    }
    expect(seen[0]!.result.status).toBe(401);
    expect(seen[0]!.statements).toHaveLength(2);
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).toEqual(seen[0]);
  });
});

describeOnDatabases('accounts', (database) => {
  const find = async (accountId: string) =>
    (await listAccounts(database())).find((account) => account.accountId === accountId);

  it('start with the decided preferences and limits', async () => {
    const { accountId } = await createAccount(database(), { name: ' Ada ', now: NOW });
    expect(await find(accountId)).toEqual({
      accountId,
      name: 'Ada',
      maxCollections: 200,
      maxValuedCollections: 20,
      maxTransactions: 2_000_000,
      maxAccounts: 0,
      accountCount: 0,
      collectionCount: 0,
      valuedCollectionCount: 0,
      transactionCount: 0,
      createdAt: NOW,
    });
    const rows = await database().query(
      'select preferred_currency as currency, preferred_price_source as source from account where account_id = $1',
      [accountId],
    );
    expect(rows).toEqual([{ currency: 'USD', source: 'VendorMarket' }]);
    await expect(createAccount(database(), { name: '', now: NOW })).rejects.toMatchObject({
      problem: 'ValidationFailed',
    });
  });

  it('have limits that the operator changes, each by itself', async () => {
    const { accountId } = await createAccount(database(), { name: 'Ada', now: NOW });
    await setLimits(database(), { accountId, maxCollections: 0 });
    expect(await find(accountId)).toMatchObject({ maxCollections: 0, maxValuedCollections: 20 });
    await setLimits(database(), { accountId: `acc_${accountId}`, maxValuedCollections: 1_000_000 });
    expect(await find(accountId)).toMatchObject({ maxCollections: 0, maxValuedCollections: 1_000_000 });
    await setLimits(database(), { accountId, maxTransactions: 1_000_000_000 });
    expect(await find(accountId)).toMatchObject({ maxCollections: 0, maxTransactions: 1_000_000_000 });
    for (const maxTransactions of [-1, 1_000_000_001, 1.5, Number.NaN]) {
      await expect(setLimits(database(), { accountId, maxTransactions })).rejects.toMatchObject({
        problem: 'ValidationFailed',
      });
    }
    for (const maxCollections of [-1, 1_000_001, 1.5, Number.NaN]) {
      await expect(setLimits(database(), { accountId, maxCollections })).rejects.toMatchObject({
        problem: 'ValidationFailed',
      });
    }
    await expect(setLimits(database(), { accountId })).rejects.toMatchObject({ problem: 'ValidationFailed' });
    for (const id of [randomUUID(), 'x']) {
      await expect(setLimits(database(), { accountId: id, maxCollections: 1 })).rejects.toMatchObject({
        problem: 'NotFound',
      });
    }
  });
});
