import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/db/client.ts';
import { KEEP_ANSWER } from '../../src/db/queries/idempotency.ts';
import { ACCOUNT_ACCESS } from '../../src/db/queries/sub-accounts.ts';
import { accountIdOf, accountUuid } from '../../src/domain/credentials.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { setLimits } from '../../src/services/accounts/set-limits.ts';
import { createClient } from '../../src/services/clients/create.ts';
import { movableClock } from '../auth/support.ts';
import { MUTATIONS } from '../graphql/decided-schema.ts';
import { mutate } from '../graphql/mutate.ts';
import {
  asNewAccount,
  bearing,
  describeOnDatabases,
  NOW,
  newTestApp,
  pricedVariants,
  statementsOf,
  type TestApp,
} from '../harness.ts';
import { transactionsThrough } from '../support/interrupted.ts';
import { actingFor, deviceOf, newSubAccount } from '../support/platforms.ts';
import { goodRequest, type Ids, isOfPlatforms, newIds, newWebhook, OPERATIONS } from './routes.ts';
import {
  expectProblem,
  NO_ACCOUNT,
  NO_COLLECTION,
  NO_DELIVERY,
  NO_TRANSACTION,
  NO_WEBHOOK,
  newCollection,
  ORIGIN,
  record,
  sendRaw,
} from './support.ts';

/** Those that the accounts below a platform have, too. */
const ROUTES = OPERATIONS.filter(
  (operation) => !isOfPlatforms(operation) && !/^.account/.test(operation.path),
);
const ACCOUNT_ROUTES = OPERATIONS.filter(isOfPlatforms);

const NO_SUCH = 'The account does not exist.';

describeOnDatabases('a platform', (database) => {
  let platform: TestApp;
  let other: TestApp;
  let plain: TestApp;
  /** Accounts below it, and below the other one. */
  let ada: string;
  let grace: string;
  let theirs: string;

  beforeAll(async () => {
    platform = await newTestApp(database(), { maxAccounts: 1000, config: { assistants: true } });
    other = await asNewAccount(database(), platform.fetch, { maxAccounts: 10 });
    plain = await asNewAccount(database(), platform.fetch);
    ada = await newSubAccount(platform, 'ada');
    grace = await newSubAccount(platform, 'grace');
    theirs = await newSubAccount(other, 'ada');
  });

  /** What of an account its own ids name. */
  const idsOf = async (app: TestApp): Promise<Ids> => {
    const [variantId] = (await pricedVariants(database(), 1)) as [string];
    const collectionId = await newCollection(app);
    const { transactionId, productId } = await record(app, collectionId, variantId);
    const webhook = await newWebhook(app);
    return { accountId: NO_ACCOUNT, collectionId, transactionId, variantId, productId, ...webhook };
  };
  const viewerOf = (app: TestApp) =>
    app.graphql<{ viewer: { id: string } }>('{ viewer { id } }').then(({ viewer }) => viewer.id);
  const tokenRequest = async (app: TestApp, fields: Record<string, string>) => {
    const body = new URLSearchParams({ grant_type: 'client_credentials', ...fields });
    const answer = await app.fetch(new Request(`${ORIGIN}/oauth2/token`, { method: 'POST', body }));
    return { status: answer.status, body: await answer.json() };
  };
  const newClientOf = async (accountId: string) => {
    const { clientId, clientSecret } = await createClient(database(), { accountId, name: 'x', now: NOW });
    return { client_id: clientId, client_secret: clientSecret };
  };

  describe('acts for an account below it', () => {
    it('with the header, and for its own without it', async () => {
      expect(await viewerOf(actingFor(platform, ada))).toBe(ada);
      expect(await viewerOf(platform)).toBe(`acc_${platform.accountId}`);
      const { collectionId } = await idsOf(actingFor(platform, ada));
      const seen = (app: TestApp) => app.send('GET', `/collection/${collectionId}`);
      expect((await seen(actingFor(platform, ada))).status).toBe(200);
      for (const app of [platform, actingFor(platform, grace), other, actingFor(other, theirs), plain])
        expectProblem(await seen(app), 'NotFound');
    });

    it.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
      'as the token of that account does: %s',
      async (_, operation) => {
        const own = await newSubAccount(platform, randomUUID());
        const answers = [];
        for (const app of [actingFor(platform, own), await deviceOf(platform, own)]) {
          const ids = await idsOf(app);
          const { path, body, headers } = goodRequest(operation);
          const answer = await app.send(operation.method, path(ids), body?.(ids), headers);
          expect(answer.status).toBeLessThan(300);
          const names = [...answer.headers.keys()].filter((name) => name !== 'location');
          answers.push({ status: answer.status, names, fields: Object.keys(answer.body || {}) });
        }
        expect(answers[0]).toEqual(answers[1]);
      },
    );

    it('as the account would keep accounts: not at all', async () => {
      const ids = await newIds(database(), platform);
      for (const operation of ACCOUNT_ROUTES) {
        const { path, body } = goodRequest(operation);
        for (const app of [actingFor(platform, ada), await deviceOf(platform, ada), plain]) {
          const refused = await app.send(operation.method, path(ids), body?.(ids));
          expectProblem(refused, 'Forbidden');
          expect(refused.body.detail.includes('without the header Cardledger-Account')).toBe(app !== plain);
        }
      }
      const { body } = await plain.send('POST', '/graphql', { query: '{ accounts { totalCount } }' });
      expect(body.errors[0].extensions.code).toBe('Forbidden');
    });

    it('and never for one that is not: each is as an id that nobody has', async () => {
      const names = [theirs, `acc_${plain.accountId}`, `acc_${platform.accountId}`, `acc_${other.accountId}`];
      const malformed = [
        '',
        'acc_',
        'ada',
        accountUuid(ada)!,
        `${ada}, ${grace}`,
        `${ada} `.repeat(2),
        'x'.repeat(300),
      ];
      for (const named of [NO_ACCOUNT, ...names, ...malformed]) {
        const rest = await actingFor(platform, named).send('GET', '/collection');
        expectProblem(rest, 'NotFound');
        expect(rest.body.detail).toBe(NO_SUCH);
        const { status, body } = await actingFor(platform, named).send('POST', '/graphql', {
          query: '{ viewer { id } }',
        });
        expect([status, body.errors[0].extensions.code]).toEqual([404, 'NotFound']);
        expectProblem(await actingFor(platform, named).send('POST', '/mcp', {}), 'NotFound');
      }
    });

    it('but nobody else does: the header is Forbidden with any other token', async () => {
      const read = await readTokenOf(platform);
      for (const app of [plain, read, await deviceOf(platform, ada), await deviceOf(platform, ada, 'read')]) {
        for (const named of [ada, theirs, NO_ACCOUNT, '', `acc_${app.accountId}`]) {
          const refused = await app.send('GET', '/collection', undefined, { 'Cardledger-Account': named });
          expectProblem(refused, 'Forbidden');
        }
      }
      const unknown = { 'Cardledger-Account': ada };
      expectProblem(await sendRaw(platform, 'GET', '/collection', unknown), 'Unauthorized');
    });

    it('also by the tools of assistants', async () => {
      const app = actingFor(platform, grace);
      await newCollection(app, 'Of Grace');
      const message = {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'list_collections', arguments: {} },
      };
      const accept = { Accept: 'application/json, text/event-stream' };
      const { body } = await app.send('POST', '/mcp', message, accept);
      const { collections } = JSON.parse(body.result.content[0].text);
      expect(collections.nodes.map(({ name }: { name: string }) => name)).toContain('Of Grace');
    });

    it('with keys and ids of its own, whatever others have sent', async () => {
      const key = { 'Idempotency-Key': 'one' };
      const make = async (app: TestApp) => (await app.send('POST', '/collection', { name: 'x' }, key)).body;
      const made = [
        await make(platform),
        await make(actingFor(platform, ada)),
        await make(actingFor(platform, grace)),
      ];
      expect(new Set(made.map(({ collectionId }) => collectionId)).size).toBe(3);
      expect(await make(actingFor(platform, ada))).toEqual(made[1]);
      expect(await make(await deviceOf(platform, ada))).toEqual(made[1]);
    });
  });

  describe('what belongs to a sibling, the platform or a stranger', () => {
    const comparable = ({ status, headers, body }: Awaited<ReturnType<TestApp['send']>>) => {
      const { instance: _, requestId: __, ...rest } = body;
      return { status, headers: [...headers].filter(([name]) => name !== 'x-request-id'), body: rest };
    };

    const missing = {
      collectionId: NO_COLLECTION,
      transactionId: NO_TRANSACTION,
      webhookId: NO_WEBHOOK,
      deliveryId: NO_DELIVERY,
    };

    it.each(
      ROUTES.filter(({ path }) => /[{]/.test(path) && !path.startsWith('/product')).map(
        (route) => [`${route.method} ${route.path}`, route] as const,
      ),
    )('is as what does not exist: %s', async (_, operation) => {
      const apps = {
        platform,
        ada: actingFor(platform, ada),
        device: await deviceOf(platform, ada),
        sibling: actingFor(platform, grace),
        stranger: actingFor(other, theirs),
        plain,
      };
      const { path, body, headers: own } = goodRequest(operation);
      for (const [owner, asked] of [
        [apps.ada, [apps.platform, apps.sibling, apps.stranger, apps.plain]],
        [apps.platform, [apps.ada, apps.device, apps.stranger]],
        [apps.sibling, [apps.ada, apps.device, apps.platform]],
        [apps.stranger, [apps.ada, apps.device, apps.platform]],
      ] as const) {
        const ids = await idsOf(owner);
        for (const app of asked) {
          const send = (named: Ids) => app.send(operation.method, path(named), body?.(named), own);
          const told = await send(ids);
          expectProblem(told, 'NotFound');
          expect(comparable(told)).toEqual(comparable(await send({ ...ids, ...missing })));
        }
        expect((await owner.send('GET', `/collection/${ids.collectionId}`)).status).toBe(200);
      }
    });

    it.each(
      OPERATIONS.filter(({ path }) => path.includes('{accountId}')).map(
        (route) => [`${route.method} ${route.path}`, route] as const,
      ),
    )('is as an account that nobody has: %s', async (_, operation) => {
      const idOf = ({ accountId }: TestApp) => `acc_${accountId}`;
      const above = [idOf(platform), idOf(other), theirs];
      for (const [app, accounts] of [
        [platform, [theirs, idOf(other), idOf(plain)]],
        [actingFor(platform, ada), [grace, ...above]],
        [await deviceOf(platform, ada), [grace, ...above]],
        [plain, [ada, ...above]],
      ] as const) {
        const send = (accountId: string) => {
          const { path, body, headers } = goodRequest(operation);
          const ids = { ...missing, accountId, variantId: '', productId: '' };
          return app.send(operation.method, path(ids), body?.(ids), headers);
        };
        const nobodys = await send(NO_ACCOUNT);
        const isRefused = app !== platform && isOfPlatforms(operation);
        expectProblem(nobodys, isRefused ? 'Forbidden' : 'NotFound');
        for (const id of accounts) expect(comparable(await send(id))).toEqual(comparable(nobodys));
      }
    });
  });

  const readTokenOf = async (app: TestApp) => {
    const { body } = await tokenRequest(app, { ...(await newClientOf(app.accountId)), scope: 'read' });
    return bearing(app.fetch, body.access_token, app.accountId);
  };

  describe('gets its token', () => {
    it('where it may have accounts below it, or has some', async () => {
      const credentials = await newClientOf(plain.accountId);
      const refused = {
        status: 400,
        body: {
          error: 'invalid_scope',
          error_description:
            'The account may have no accounts below it. The operator says how many: cardledger account set-limits --accounts.',
        },
      };
      expect(await tokenRequest(plain, { ...credentials, scope: 'platform' })).toEqual(refused);
      await setLimits(database(), { accountId: plain.accountId, maxAccounts: 1 });
      const granted = await tokenRequest(plain, { ...credentials, scope: 'platform' });
      expect(granted).toMatchObject({ status: 200, body: { scope: 'platform' } });
      const app = bearing(plain.fetch, granted.body.access_token, plain.accountId);
      await newSubAccount(app, 'only');
      await setLimits(database(), { accountId: plain.accountId, maxAccounts: 0 });
      expect((await tokenRequest(plain, { ...credentials, scope: 'platform' })).status).toBe(200);
      const full = await app.send('POST', '/account', { name: 'x', externalId: 'x' });
      expectProblem(full, 'LimitExceeded');
      expect(full.body).toMatchObject({ limit: 0, current: 1 });
    });

    it('but never an account below another', async () => {
      const credentials = await newClientOf(ada);
      expect((await tokenRequest(platform, { ...credentials, scope: 'platform' })).status).toBe(400);
      const { status, body } = await tokenRequest(platform, { ...credentials, scope: 'default' });
      expect(status).toBe(200);
      expect(await viewerOf(bearing(platform.fetch, body.access_token, accountUuid(ada)!))).toBe(ada);
    });
  });

  describe('gives out tokens for devices', () => {
    it('that are good for so long, and name who gave them', async () => {
      const issued = async (scope: string, expiresIn: number) =>
        (await platform.send('POST', `/account/${ada}/token`, { scope, expiresIn })).body;
      for (const [scope, expiresIn] of [
        ['default', LIMITS.accountTokenMinSeconds],
        ['read', LIMITS.accountTokenMaxSeconds],
      ] as const) {
        const { accessToken, ...rest } = await issued(scope, expiresIn);
        expect(rest).toEqual({ tokenType: 'Bearer', expiresIn, scope });
        const claims = decodeJwt(accessToken);
        expect(claims).toMatchObject({ sub: ada, scope, act: { sub: `acc_${platform.accountId}` } });
        expect(claims.exp! - claims.iat!).toBe(expiresIn);
        expect(await viewerOf(bearing(platform.fetch, accessToken, accountUuid(ada)!))).toBe(ada);
      }
      for (const bad of [
        { expiresIn: 59 },
        { expiresIn: 3601 },
        { expiresIn: 60.5 },
        { scope: 'platform' },
      ]) {
        const body = { scope: 'default', expiresIn: 600, ...bad };
        expectProblem(await platform.send('POST', `/account/${ada}/token`, body), 'ValidationFailed');
      }
      for (const id of [theirs, NO_ACCOUNT, 'acc_', `acc_${platform.accountId}`]) {
        const refused = await platform.send('POST', `/account/${id}/token`, { scope: 'read', expiresIn: 60 });
        expectProblem(refused, 'NotFound');
      }
    });

    it('again by their key, without keeping them', async () => {
      const key = { 'Idempotency-Key': randomUUID() };
      const ask = async () =>
        (await platform.send('POST', `/account/${ada}/token`, { scope: 'read', expiresIn: 60 }, key)).body;
      const [first, again] = [await ask(), await ask()];
      expect(decodeJwt(again.accessToken)).toEqual(decodeJwt(first.accessToken));
      const kept = await database().query<{ answer: object }>(
        'select answer from idempotency_key where account_id = $1 and key = $2',
        [platform.accountId, key['Idempotency-Key']],
      );
      expect(JSON.stringify(kept)).not.toContain('eyJ');
    });

    it('each counted once, however often its transaction is tried', async () => {
      let losses = 2;
      const losing = (tx: Database): Database => ({
        ...tx,
        query: (text, params, how) => {
          if (text !== KEEP_ANSWER || losses-- <= 0) return tx.query(text, params, how);
          return Promise.reject(Object.assign(new Error('could not serialize access'), { code: '40001' }));
        },
      });
      const tried = await newTestApp(
        transactionsThrough(database(), (run) => run(losing)),
        { maxAccounts: 1 },
      );
      const id = await newSubAccount(tried, 'tried');
      const statusOf = async (headers = {}) =>
        (await tried.send('POST', `/account/${id}/token`, { scope: 'read', expiresIn: 60 }, headers)).status;
      expect(await statusOf({ 'Idempotency-Key': randomUUID() })).toBe(200);
      expect(losses).toBeLessThan(0);
      for (let i = 1; i < LIMITS.accountTokensPerMinute; i++) expect(await statusOf()).toBe(200);
      expect(await statusOf()).toBe(429);
    });

    it('so many a minute for each account, and none of those counts at the token endpoint', async () => {
      const clock = movableClock();
      const limited = await newTestApp(database(), {
        maxAccounts: 2,
        now: clock.now,
        elapsed: clock.elapsed,
        config: { tokenLimitPerMinute: 5 },
      });
      const [one, two] = [await newSubAccount(limited, 'one'), await newSubAccount(limited, 'two')];
      const ask = (id: string, headers = {}) =>
        limited.send('POST', `/account/${id}/token`, { scope: 'read', expiresIn: 60 }, headers);
      const key = { 'Idempotency-Key': randomUUID() };
      for (let i = 0; i < LIMITS.accountTokensPerMinute; i++) expect((await ask(one)).status).toBe(200);
      const refused = await ask(one);
      expectProblem(refused, 'RateLimited');
      expect(refused.headers.get('Retry-After')).toBe('60');
      expectProblem(await ask(one, key), 'RateLimited');
      expect((await ask(two)).status).toBe(200);
      clock.advance(60);
      // With the key it was refused with, too: the token is of now.
      const { exp } = decodeJwt((await ask(one, key)).body.accessToken);
      expect(exp! * 1000).toBeGreaterThanOrEqual(clock.now().getTime() + 59_000);
    });
  });

  describe('takes tokens of the scope read', () => {
    const isChange = ({ method }: { method: string }) => method !== 'GET';

    it.each(OPERATIONS.map((route) => [`${route.method} ${route.path}`, route] as const))(
      'to read, and to change nothing: %s',
      async (_, operation) => {
        const own = await newSubAccount(platform, randomUUID());
        const isKept = ACCOUNT_ROUTES.includes(operation);
        const ids = { ...(await idsOf(actingFor(platform, own))), accountId: isKept ? grace : own };
        const { path, body, headers } = goodRequest(operation);
        const app = await deviceOf(platform, own, 'read');
        const answer = await app.send(operation.method, path(ids), body?.(ids), headers);
        if (isChange(operation) || isKept) expectProblem(answer, 'Forbidden');
        else expect(answer.status).toBe(200);
        expect((await actingFor(platform, own).send('GET', `/collection/${ids.collectionId}`)).status).toBe(
          200,
        );
      },
    );

    it('in GraphQL, by either way, and in tools', async () => {
      // An account may be given so many tokens a minute.
      const own = await newSubAccount(platform, randomUUID());
      for (const app of [await deviceOf(platform, own, 'read'), await readTokenOf(platform)]) {
        for (const name of Object.keys(MUTATIONS)) {
          const query = `mutation M${randomUUID().slice(0, 8)} { createCollection(input: { name: "${name}" }) { __typename } }`;
          const send = () => app.send('POST', '/graphql', { query }, { 'X-Request-Id': 'same' });
          const first = await send();
          expect(first.body.data ?? null).toBeNull();
          expect(first.body.errors).toMatchObject([{ extensions: { code: 'Forbidden' } }]);
          // From the second time on by the quick way.
          for (let i = 0; i < 2; i++) {
            const { status, body } = await send();
            expect({ status, body }).toEqual({ status: first.status, body: first.body });
          }
        }
        const { collections } = await app.graphql<{ collections: { nodes: { name: string }[] } }>(
          '{ collections { nodes { name } } }',
        );
        expect(collections.nodes.map(({ name }) => name)).not.toEqual(
          expect.arrayContaining(Object.keys(MUTATIONS)),
        );
      }
      await expect(
        mutate(await deviceOf(platform, own, 'read'), 'deleteCollection', { id: 'x' }),
      ).rejects.toThrow('Forbidden');
    });
  });

  describe('suspends and deletes accounts', () => {
    const patch = (id: string, status: string) => platform.send('PATCH', `/account/${id}`, { status });

    it('which ends all access at once on this node, and gives it back', async () => {
      const id = await newSubAccount(platform, randomUUID());
      const device = await deviceOf(platform, id);
      const credentials = await newClientOf(id);
      await idsOf(device);
      expect((await patch(id, 'Suspended')).body).toMatchObject({ accountId: id, status: 'Suspended' });
      const acting = await actingFor(platform, id).send('GET', '/collection');
      expectProblem(acting, 'Forbidden');
      const refused = await device.send('GET', '/collection');
      expectProblem(refused, 'Unauthorized');
      expect(refused.headers.get('WWW-Authenticate')).toContain(
        'The account of the access token is suspended.',
      );
      expectProblem(
        await platform.send('POST', `/account/${id}/token`, { scope: 'read', expiresIn: 60 }),
        'Forbidden',
      );
      expect((await tokenRequest(platform, { ...credentials, scope: 'default' })).status).toBe(401);
      expect((await patch(id, 'Active')).body.status).toBe('Active');
      for (const app of [actingFor(platform, id), device])
        expect((await app.send('GET', '/collection')).body.results).toHaveLength(1);
      expect((await tokenRequest(platform, { ...credentials, scope: 'default' })).status).toBe(200);
      expect((await platform.send('DELETE', `/account/${id}`)).status).toBe(204);
      expectProblem(await actingFor(platform, id).send('GET', '/collection'), 'NotFound');
      expectProblem(await device.send('GET', '/collection'), 'Unauthorized');
      expect((await tokenRequest(platform, { ...credentials, scope: 'default' })).status).toBe(401);
    });

    it('which ends tokens within 60 seconds on a node that has not heard of it', async () => {
      const clock = movableClock();
      const node = await newTestApp(database(), { maxAccounts: 1, now: clock.now, elapsed: clock.elapsed });
      const id = await newSubAccount(node, 'far');
      const apps = [actingFor(node, id), await deviceOf(node, id)];
      for (const app of apps) expect((await app.send('GET', '/collection')).status).toBe(200);
      await database().query('update account set suspended = true where account_id = $1', [accountUuid(id)!]);
      for (const app of apps) expect((await app.send('GET', '/collection')).status).toBe(200);
      clock.advance(60);
      const statuses = [];
      for (const app of apps) statuses.push((await app.send('GET', '/collection')).status);
      expect(statuses).toEqual([403, 401]);
    });
  });

  it('has a limit of requests for each account below it, and one for all', async () => {
    const clock = movableClock();
    const limited = await newTestApp(database(), {
      maxAccounts: 3,
      now: clock.now,
      elapsed: clock.elapsed,
      config: { rateLimitPerMinute: 3, platformRateLimitPerMinute: 5 },
    });
    const [one, two] = [await newSubAccount(limited, 'one'), await newSubAccount(limited, 'two')];
    const statusOf = async (app: TestApp) => (await app.send('GET', '/collection')).status;
    const statuses = [];
    for (const id of [one, one, one, one, one, two, two, two])
      statuses.push(await statusOf(actingFor(limited, id)));
    // The fourth and fifth of one account, which take nothing from the other, and the sixth of all.
    expect(statuses).toEqual([200, 200, 200, 429, 429, 200, 200, 429]);
    // Its own requests are those of a client.
    expect(await statusOf(limited)).toBe(200);
    expect(await statusOf(limited)).toBe(429);
    clock.advance(60);
    expect(await statusOf(actingFor(limited, two))).toBe(200);
    const unknown = [];
    for (let i = 0; i < 4; i++) unknown.push(await statusOf(actingFor(limited, NO_ACCOUNT)));
    // They are the client's own, too.
    expect(unknown).toEqual([404, 404, 404, 429]);
    expect(await statusOf(actingFor(limited, two))).toBe(200);
    clock.advance(60);
    const device = await deviceOf(limited, one);
    const ofDevice = [];
    for (let i = 0; i < 9; i++) ofDevice.push(await statusOf(device));
    expect(ofDevice).toEqual([200, 200, 200, 429, 429, 429, 429, 429, 429]);
    expect(await statusOf(actingFor(limited, two))).toBe(200);
  });

  it('has so many accounts looked up by the ids that it names, and no more', async () => {
    const limited = await newTestApp(database(), {
      maxAccounts: 3,
      config: { rateLimitPerMinute: 3, platformRateLimitPerMinute: 5 },
    });
    const known = await newSubAccount(limited, 'known');
    const statusOf = async (id: string) => (await actingFor(limited, id).send('GET', '/collection')).status;
    expect(await statusOf(known)).toBe(200);
    const { result, statements } = await statementsOf(async () => {
      const statuses = [];
      for (let i = 0; i < 9; i++) statuses.push(await statusOf(accountIdOf(randomUUID())));
      return statuses;
    });
    // The first request of its own made the account.
    expect(result).toEqual([404, 404, ...Array(7).fill(429)]);
    expect(statements.filter(({ text }) => text === ACCOUNT_ACCESS)).toHaveLength(4);
    expect(await statusOf(known)).toBe(200);
  });

  it('has a budget of work for each account below it, and one for all', async () => {
    const clock = movableClock();
    // What the database is said to have worked.
    const spend: ((accountId: string, databaseMillis: number) => void)[] = [];
    const db = { ...database(), onWork: (listener: (typeof spend)[number]) => void spend.push(listener) };
    const limited = await newTestApp(db, {
      maxAccounts: 3,
      now: clock.now,
      elapsed: clock.elapsed,
      config: { workLimitPerMinute: 20_000, platformWorkLimitPerMinute: 40_000 },
    });
    const ids = [];
    for (const externalId of ['one', 'two', 'three']) ids.push(await newSubAccount(limited, externalId));
    const [one, two, three] = ids as [string, string, string];
    const device = await deviceOf(limited, two);
    const ask = (app: TestApp) => app.send('GET', '/collection');
    const use = async (id: string, millis: number) => {
      expect((await ask(actingFor(limited, id))).status).toBe(200);
      for (const listener of spend) listener(accountUuid(id)!, millis);
    };
    const detailOf = async (app: TestApp) => {
      const answer = await ask(app);
      expectProblem(answer, 'RateLimited');
      return answer.body.detail;
    };
    await use(one, 20_000);
    expect(await detailOf(actingFor(limited, one))).toContain('20000 ms a minute for an account,');
    await use(two, 10_000);
    expect((await ask(device)).status).toBe(200);
    await use(three, 10_000);
    const ofAll = '40000 ms a minute for all accounts below a platform,';
    for (const app of [actingFor(limited, two), device]) expect(await detailOf(app)).toContain(ofAll);
    // Its own requests are those of any account.
    expect((await ask(limited)).status).toBe(200);
    clock.advance(30);
    expect((await ask(device)).status).toBe(200);
  });

  it('may be called with its header by pages of other origins', async () => {
    const app = await newTestApp(database(), { config: { corsOrigins: 'https://app.example' } });
    const preflight = await sendRaw(app, 'OPTIONS', '/collection', {
      Origin: 'https://app.example',
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'authorization,cardledger-account',
    });
    expect(preflight.headers.get('Access-Control-Allow-Headers')).toContain('Cardledger-Account');
  });
});
