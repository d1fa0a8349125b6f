import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Problem } from '../../src/domain/errors.ts';
import { setLimits } from '../../src/services/accounts/set-limits.ts';
import { movableClock } from '../auth/support.ts';
import { mutate } from '../graphql/mutate.ts';
import {
  asNewAccount,
  bearing,
  describeOnDatabases,
  newTestApp,
  pricedVariants,
  statementsOf,
  type TestApp,
  type TestResponse,
} from '../harness.ts';
import { AUDIENCE, type StandIn, startStandIn } from '../support/identity-provider.ts';
import { actingFor, newSubAccount } from '../support/platforms.ts';
import { goodRequest, isOfPlatforms, newIdentityProvider, newIds, newWebhook, OPERATIONS } from './routes.ts';
import { expectProblem, NO_ACCOUNT, newCollection, record } from './support.ts';

const NONE = 'There is no account for the subject of the access token: the platform is to create it.';
const DELETED = 'The account of the access token does not exist any more.';

describeOnDatabases('users of a platform who sign in on their own', (database) => {
  const clock = movableClock();
  let idp: StandIn;
  let platform: TestApp;
  let other: TestApp;
  let audience: string;

  beforeAll(async () => {
    idp = await startStandIn(clock.now);
    audience = `${AUDIENCE}/${randomUUID()}`;
    platform = await newTestApp(database(), {
      maxAccounts: 1000,
      now: clock.now,
      elapsed: clock.elapsed,
      config: { outboundNetworks: '127.0.0.0/8', assistants: true },
    });
    other = await asNewAccount(database(), platform.fetch, { maxAccounts: 10 });
    await name(platform);
  });
  afterAll(() => idp.close());

  const name = async (app: TestApp, changes: object = {}) => {
    const given = { issuer: idp.issuer, audience, createsAccounts: true, ...changes };
    return app.send('PUT', '/identity-provider', given);
  };
  /** The app as a user sees it, who signs in as `sub` at a platform. */
  const user = async (sub: string = randomUUID(), claims: object = {}, at = platform): Promise<TestApp> =>
    bearing(platform.fetch, await idp.token({ sub, aud: audience, ...claims }), at.accountId);
  const viewerOf = async (app: TestApp) =>
    (await app.graphql<{ viewer: { id: string } }>('{ viewer { id } }')).viewer.id;
  const accountsOf = async (app: TestApp, externalId: string) =>
    (await app.send('GET', `/account?externalId=${encodeURIComponent(externalId)}`)).body.results;

  const expectRefusal = (answer: TestResponse, problem: Problem, detail: string) => {
    expectProblem(answer, problem);
    expect(answer.body.detail).toBe(detail);
  };

  it('have the account whose external id is their subject', async () => {
    const ada = await newSubAccount(platform, 'ada');
    expect(await viewerOf(await user('ada'))).toBe(ada);
    const collectionId = await newCollection(actingFor(platform, ada), 'Binder of Ada');
    const { body } = await (await user('ada')).send('GET', '/collection');
    expect(body.results).toMatchObject([{ collectionId, name: 'Binder of Ada' }]);
    expectProblem(await (await user('grace')).send('GET', `/collection/${collectionId}`), 'NotFound');
  });

  it('are given one when they come for the first time, once however many requests they send', async () => {
    const sub = `  ${'x'.repeat(120)}`;
    const seen = await Promise.all(Array.from({ length: 10 }, async () => viewerOf(await user(sub))));
    expect(new Set(seen).size).toBe(1);
    expect(await accountsOf(platform, sub)).toMatchObject([
      { accountId: seen[0], externalId: sub, name: 'x'.repeat(100), status: 'Active' },
    ]);
    expect(await viewerOf(await user('   '))).toMatch(/^acc_/);
  });

  it('are given so many a minute, and those who have one are let in', async () => {
    const limited = await newTestApp(database(), {
      maxAccounts: 10,
      config: { outboundNetworks: '127.0.0.0/8', rateLimitPerMinute: 2 },
    });
    const own = randomUUID();
    expect((await name(limited, { audience: own })).status).toBe(200);
    const statuses = [];
    for (const sub of ['one', 'two', 'three', 'one']) {
      const app = bearing(limited.fetch, await idp.token({ sub, aud: own }), limited.accountId);
      statuses.push((await app.send('GET', '/collection')).status);
    }
    expect(statuses).toEqual([200, 200, 429, 200]);
  });

  it('are refused where they have none, and the platform makes them itself', async () => {
    await name(platform, { createsAccounts: false });
    const app = await user('later');
    const refused = await app.send('GET', '/collection');
    expectRefusal(refused, 'Unauthorized', NONE);
    expect(refused.headers.get('WWW-Authenticate')).toContain(
      `error="invalid_token", error_description="${NONE}"`,
    );
    const accountId = await newSubAccount(platform, 'later');
    expect(await viewerOf(app)).toBe(accountId);
    await name(platform);
  });

  it('are refused where there may be no more accounts, or their subject cannot be an external id', async () => {
    const full = await asNewAccount(database(), platform.fetch, { maxAccounts: 1 });
    const own = randomUUID();
    await name(full, { audience: own });
    await newSubAccount(full, 'only');
    const refused = await (await user('second', { aud: own }, full)).send('GET', '/collection');
    expectProblem(refused, 'Unauthorized');
    expect(refused.body.detail).toContain('the platform has as many as it may have');
    await setLimits(database(), { accountId: full.accountId, maxAccounts: 2 });
    expect((await (await user('second', { aud: own }, full)).send('GET', '/collection')).status).toBe(200);
    for (const sub of ['', 'x'.repeat(256), 'a\u0000b', 7, { x: 1 }]) {
      const bad = await (await user(sub as string)).send('GET', '/collection');
      expectProblem(bad, 'Unauthorized');
      expect(bad.body.detail).toContain('is no external id of an account');
    }
    expect((await (await user('x'.repeat(255))).send('GET', '/collection')).status).toBe(200);
  });

  const ROUTES = OPERATIONS.filter(
    (operation) => !isOfPlatforms(operation) && !/^.account/.test(operation.path),
  );

  it.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
    'may do what a token of the account may: %s',
    async (_, operation) => {
      const app = await user();
      const answers = [];
      for (const one of [app, actingFor(platform, await viewerOf(app))]) {
        const [variantId] = (await pricedVariants(database(), 1)) as [string];
        const collectionId = await newCollection(one);
        const { transactionId, productId } = await record(one, collectionId, variantId);
        const webhook = await newWebhook(one);
        const ids = { accountId: NO_ACCOUNT, collectionId, transactionId, variantId, productId, ...webhook };
        const { path, body, headers } = goodRequest(operation);
        const answer = await one.send(operation.method, path(ids), body?.(ids), headers);
        expect(answer.status).toBeLessThan(300);
        answers.push([answer.status, Object.keys(answer.body || {})]);
      }
      expect(answers[0]).toEqual(answers[1]);
    },
  );

  it('may do nothing that keeps accounts', async () => {
    const app = await user('ada');
    const ids = await newIds(database(), other);
    for (const operation of OPERATIONS.filter(isOfPlatforms)) {
      const { path, body } = goodRequest(operation);
      expectProblem(await app.send(operation.method, path(ids), body?.(ids)), 'Forbidden');
    }
    const headers = { 'Cardledger-Account': ids.accountId };
    expectProblem(await app.send('GET', '/collection', undefined, headers), 'Forbidden');
  });

  it('change nothing with a token of the scope to read', async () => {
    const reader = await user('ada', { scope: 'openid cardledger:read' });
    expect((await reader.send('GET', '/collection')).status).toBe(200);
    expectProblem(await reader.send('POST', '/collection', { name: 'x' }), 'Forbidden');
    expectProblem(await (await user('ada', { scope: 'openid' })).send('GET', '/collection'), 'Forbidden');
    await name(platform, { defaultScope: 'cards.write', readScope: 'cards.read' });
    const scoped = async (scope: string) =>
      (await user('ada', { scope })).send('POST', '/collection', { name: 'x' });
    expect((await scoped('cards.write')).status).toBe(200);
    expectRefusal(
      await scoped('cards.read'),
      'Forbidden',
      'This token has the scope read: it changes nothing.',
    );
    expectProblem(await scoped('cardledger:default'), 'Forbidden');
    await name(platform);
  });

  it('are those of one platform, by the audience', async () => {
    const theirs = randomUUID();
    await name(other, { audience: theirs });
    const [mine, ofOther] = [await user('ada'), await user('ada', { aud: theirs }, other)];
    expect(await viewerOf(mine)).not.toBe(await viewerOf(ofOther));
    expect(await accountsOf(other, 'ada')).toMatchObject([{ accountId: await viewerOf(ofOther) }]);
    const both = await (await user('ada', { aud: [audience, theirs] })).send('GET', '/collection');
    expectProblem(both, 'Unauthorized');
    const taken = await name(other);
    expectProblem(taken, 'ValidationFailed', { pointers: ['/audience'] });
    expect(taken.body.errors[0].detail).toBe(
      'another platform names this issuer with this audience: a token is good for one platform',
    );
    const again = await mutate(other, 'setIdentityProvider', {
      issuer: idp.issuer,
      audience,
      createsAccounts: true,
    });
    expect(again.__typename).toBe('ValidationFailed');
    expect(await viewerOf(await user('ada', { aud: theirs }, other))).toBe(await viewerOf(ofOther));
  });

  it('lose access when their account is suspended, and have it again', async () => {
    const app = await user('suspended');
    const id = await viewerOf(app);
    await platform.send('PATCH', `/account/${id}`, { status: 'Suspended' });
    for (const one of [app, await user('suspended')])
      expectRefusal(
        await one.send('GET', '/collection'),
        'Unauthorized',
        'The account of the access token is suspended.',
      );
    await platform.send('PATCH', `/account/${id}`, { status: 'Active' });
    expect(await viewerOf(app)).toBe(id);
  });

  it('lose it when that is deleted, and are given another one only when they sign in again', async () => {
    const app = await user('deleted');
    const unused = await user('deleted');
    const id = await viewerOf(app);
    expect((await platform.send('DELETE', `/account/${id}`)).status).toBe(204);
    for (const one of [app, unused])
      expectRefusal(await one.send('GET', '/collection'), 'Unauthorized', DELETED);
    clock.advance(61);
    expectRefusal(await app.send('GET', '/collection'), 'Unauthorized', DELETED);
    const again = await viewerOf(await user('deleted'));
    expect(again).not.toBe(id);
    // What was made anew is theirs by any token that is good.
    expect(await viewerOf(app)).toBe(again);
  });

  it('cost no look-up, no network and no check of a signature when their token is known', async () => {
    const app = await user('ada');
    await viewerOf(app);
    const asked = idp.asked.length;
    const { statements } = await statementsOf(async () => {
      for (let i = 0; i < 5; i++) expect((await app.send('GET', '/ev/list')).status).toBe(200);
    });
    expect(statements.filter(({ text }) => /identity_provider|sub_account|client/.test(text))).toEqual([]);
    expect(idp.asked.length).toBe(asked);
  });

  it('are not looked up for issuers that nobody names', async () => {
    await viewerOf(await user('ada'));
    const token = (i: number) => idp.token({ iss: `https://unknown-${i}.example`, aud: audience });
    const { statements } = await statementsOf(async () => {
      for (let i = 0; i < 20; i++) {
        const refused = await bearing(platform.fetch, await token(i), platform.accountId).send(
          'GET',
          '/ev/list',
        );
        expectProblem(refused, 'Unauthorized');
      }
    });
    expect(statements).toEqual([]);
  });

  it('wait for a provider that is not known and down no longer than they must, and are told', async () => {
    const down = await startStandIn(clock.now);
    const own = randomUUID();
    await name(other, { issuer: down.issuer, audience: own });
    down.instead = (_, response) => {
      response.writeHead(500).end();
      return true;
    };
    const token = await down.token({ aud: own });
    const refused = await bearing(platform.fetch, token, other.accountId).send('GET', '/collection');
    expectProblem(refused, 'Unavailable');
    expect(refused.body.detail).toBe(
      `The keys of the identity provider ${down.issuer} cannot be read: it answered with the status 500.`,
    );
    expect(refused.headers.get('Retry-After')).toBe('30');
    expect(await viewerOf(await user('ada'))).toMatch(/^acc_/);
    await down.close();
  });

  describe('have a provider that', () => {
    it('a platform sets, reads and takes away, on both transports', async () => {
      const app = await asNewAccount(database(), platform.fetch, { maxAccounts: 1 });
      expectRefusal(
        await app.send('GET', '/identity-provider'),
        'NotFound',
        'The identity provider does not exist.',
      );
      expect(await app.graphql('{ identityProvider { issuer } }')).toEqual({ identityProvider: null });
      const given = newIdentityProvider();
      const shown = { ...given, defaultScope: 'cardledger:default', readScope: 'cardledger:read' };
      const set = await app.send('PUT', '/identity-provider', given);
      expect([set.status, set.body, set.headers.get('ETag')]).toEqual([200, shown, '"1"']);
      const fields = '{ issuer audience createsAccounts defaultScope readScope }';
      expect(await app.graphql(`{ identityProvider ${fields} }`)).toEqual({ identityProvider: shown });
      const changed = await mutate(app, 'setIdentityProvider', {
        ...given,
        createsAccounts: false,
        readScope: 'r',
      });
      expect(changed.identityProvider).toEqual({ ...shown, createsAccounts: false, readScope: 'r' });
      const stale = { 'If-Match': '"1"' };
      expectProblem(await app.send('PUT', '/identity-provider', given, stale), 'PreconditionFailed');
      expectProblem(await app.send('DELETE', '/identity-provider', undefined, stale), 'PreconditionFailed');
      expect((await app.send('GET', '/identity-provider')).headers.get('ETag')).toBe('"2"');
      expect((await mutate(app, 'deleteIdentityProvider', {})).identityProvider).toMatchObject({
        readScope: 'r',
      });
      expect((await mutate(app, 'deleteIdentityProvider', {})).__typename).toBe('NotFound');
      expectProblem(await app.send('DELETE', '/identity-provider'), 'NotFound');
      expectProblem(await app.send('PUT', '/identity-provider', given, stale), 'PreconditionFailed');
      expect((await app.send('PUT', '/identity-provider', given)).status).toBe(200);
      expect((await app.send('DELETE', '/identity-provider')).status).toBe(204);
    });

    it.each<[string, object, string]>([
      ['no address', { issuer: 'login.example' }, 'issuer'],
      ['an address of something else', { issuer: 'ftp://login.example' }, 'issuer'],
      ['an address inside', { issuer: 'https://10.0.0.1' }, 'issuer'],
      ['a public address by http', { issuer: 'http://192.0.9.1' }, 'issuer'],
      ['an address with a query', { issuer: 'https://login.example/?x=1' }, 'issuer'],
      ['an address with a fragment', { issuer: 'https://login.example/#x' }, 'issuer'],
      ['an address with a password', { issuer: 'https://a:b@login.example' }, 'issuer'],
      ['an address that is too long', { issuer: `https://login.example/${'x'.repeat(234)}` }, 'issuer'],
      ['no audience', { audience: '' }, 'audience'],
      ['an audience that is too long', { audience: 'x'.repeat(256) }, 'audience'],
      ['no boolean', { createsAccounts: 'yes' }, 'createsAccounts'],
      ['two scopes in one', { readScope: 'a b' }, 'readScope'],
      ['an empty scope', { defaultScope: '' }, 'defaultScope'],
      ['a scope that is too long', { readScope: 'x'.repeat(101) }, 'readScope'],
      ['one scope for both', { readScope: 'cardledger:default' }, 'readScope'],
    ])('has %s is refused', async (_, changes, field) => {
      const refused = await other.send('PUT', '/identity-provider', { ...newIdentityProvider(), ...changes });
      expectProblem(refused, 'ValidationFailed', { pointers: [`/${field}`] });
    });

    it('has the longest of all is taken', async () => {
      const app = await asNewAccount(database(), platform.fetch, { maxAccounts: 1 });
      const given = {
        issuer: `https://login.example/${'x'.repeat(233)}`,
        audience: randomUUID().padEnd(255, 'x'),
        createsAccounts: false,
        defaultScope: 'd'.repeat(100),
        readScope: 'r'.repeat(100),
      };
      expect((await app.send('PUT', '/identity-provider', given)).body).toEqual(given);
    });

    it('is taken away or changed ends its tokens within 60 seconds, on this node at once', async () => {
      const app = await asNewAccount(database(), platform.fetch, { maxAccounts: 10 });
      const own = randomUUID();
      await name(app, { audience: own });
      const mine = await user('ada', { aud: own }, app);
      const id = await viewerOf(mine);
      await name(app, { audience: own, defaultScope: 'other' });
      expectProblem(await mine.send('GET', '/collection'), 'Forbidden');
      await name(app, { audience: own });
      expect(await viewerOf(mine)).toBe(id);
      await app.send('DELETE', '/identity-provider');
      expectProblem(await mine.send('GET', '/collection'), 'Unauthorized');
      await name(app, { audience: own });
      expect(await viewerOf(mine)).toBe(id);
      // Another node, which nothing tells of it.
      await database().query('delete from identity_provider where account_id = $1', [app.accountId]);
      clock.advance(29);
      expect((await mine.send('GET', '/collection')).status).toBe(200);
      clock.advance(31);
      expectProblem(await mine.send('GET', '/collection'), 'Unauthorized');
    });

    it('is asked for by no other scope, and is not that of another platform', async () => {
      const plain = await asNewAccount(database(), platform.fetch);
      for (const [method, body] of [['GET'], ['PUT', newIdentityProvider()], ['DELETE']] as const)
        expectProblem(await plain.send(method, '/identity-provider', body), 'Forbidden');
      const stranger = await asNewAccount(database(), platform.fetch, { maxAccounts: 1 });
      expectProblem(await stranger.send('GET', '/identity-provider'), 'NotFound');
      expectProblem(await stranger.send('DELETE', '/identity-provider'), 'NotFound');
      expect((await platform.send('GET', '/identity-provider')).body.audience).toBe(audience);
    });
  });
});
