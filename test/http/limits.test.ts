import { describe, expect, it } from 'vitest';
import { asNewAccount, describeOnDatabases, newTestApp, type TestApp } from '../harness.ts';
import { anotherClient, expectProblem, newCollection, sendRaw } from './support.ts';

const UPDATE = { name: 'Vault', valued: true, description: '', pinned: false, image: 0 };

describeOnDatabases('REST limits of an account', (database) => {
  const create = (app: TestApp) => app.send('POST', '/collection', { name: 'Binder' });
  const value = (app: TestApp, id: string, valued = true) =>
    app.send('PUT', `/collection/${id}`, { ...UPDATE, valued });

  it('lets exactly one of 50 racing requests have the last place', async () => {
    const app = await newTestApp(database(), { maxCollections: 3 });
    await newCollection(app);
    await newCollection(app);
    const answers = await Promise.all(Array.from({ length: 50 }, () => create(app)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expectProblem(answer, 'LimitExceeded');
      expect(answer.body).toMatchObject({ limit: 3, current: 3 });
    }
    expect((await app.send('GET', '/collection')).body.results).toHaveLength(3);
  });

  it('gives the place of a deleted collection away again', async () => {
    const app = await newTestApp(database(), { maxCollections: 1 });
    const id = await newCollection(app);
    expectProblem(await create(app), 'LimitExceeded');
    const deleted = await Promise.all(
      Array.from({ length: 5 }, () => app.send('DELETE', `/collection/${id}`)),
    );
    expect(deleted.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404]);
    const answers = await Promise.all(Array.from({ length: 5 }, () => create(app)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
  });

  it('counts each account by itself, 200 where nothing else is set', async () => {
    const app = await newTestApp(database(), { maxCollections: 0 });
    expectProblem(await create(app), 'LimitExceeded');
    const other = await asNewAccount(database(), app.fetch);
    await database().query('update account set collection_count = 199 where account_id = $1', [
      other.accountId,
    ]);
    expect((await create(other)).status).toBe(200);
    const refused = await create(other);
    expectProblem(refused, 'LimitExceeded');
    expect(refused.body).toMatchObject({ limit: 200, current: 200 });
  });

  it('lets exactly one of 50 racing collections be the last valued one', async () => {
    const app = await newTestApp(database(), { maxValuedCollections: 2 });
    const ids: string[] = [];
    for (let i = 0; i < 51; i++) ids.push(await newCollection(app));
    expect((await value(app, ids[0]!)).status).toBe(200);
    const answers = await Promise.all(ids.slice(1).map((id) => value(app, id)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expectProblem(answer, 'LimitExceeded');
      expect(answer.body).toMatchObject({ limit: 2, current: 2 });
    }
    const { results } = (await app.send('GET', '/collection?pageSize=200')).body;
    expect(results.filter(({ valued }: { valued: boolean }) => valued)).toHaveLength(2);
    // What is refused changes nothing else either.
    expect(results.filter(({ name }: { name: string }) => name === 'Vault')).toHaveLength(2);
  });

  it('counts one collection once, however often it is made valued', async () => {
    const app = await newTestApp(database(), { maxValuedCollections: 1 });
    const [a, b] = [await newCollection(app), await newCollection(app)];
    const answers = await Promise.all(Array.from({ length: 20 }, () => value(app, a)));
    for (const { status } of answers) expect(status).toBe(200);
    expectProblem(await value(app, b), 'LimitExceeded');
    const off = await Promise.all(Array.from({ length: 20 }, () => value(app, a, false)));
    for (const { status } of off) expect(status).toBe(200);
    expect((await value(app, b)).status).toBe(200);
    expectProblem(await value(app, a), 'LimitExceeded');
    await app.send('DELETE', `/collection/${b}`);
    expect((await value(app, a)).status).toBe(200);
  });

  it('allows 20 valued collections where nothing else is set', async () => {
    const app = await newTestApp(database());
    for (let i = 0; i < 20; i++) expect((await value(app, await newCollection(app))).status).toBe(200);
    const refused = await value(app, await newCollection(app));
    expectProblem(refused, 'LimitExceeded');
    expect(refused.body).toMatchObject({ limit: 20, current: 20 });
  });
});

describeOnDatabases('REST limits of a client', (database) => {
  const limits = (headers: Headers) =>
    ['Limit', 'Remaining', 'Reset'].map((name) => headers.get(`RateLimit-${name}`));
  const newApp = async (rateLimitPerMinute: number) => {
    let millis = Date.parse('2026-04-13T10:00:00Z');
    let setMillis = 0;
    const app = await newTestApp(database(), {
      now: () => new Date(millis + setMillis),
      elapsed: () => millis,
      config: { rateLimitPerMinute },
    });
    const wait = (seconds: number) => {
      millis += seconds * 1000;
    };
    const setClock = (seconds: number) => {
      setMillis += seconds * 1000;
    };
    return { app, wait, setClock };
  };

  it('are told in every answer, and bite with 429', async () => {
    const { app, wait } = await newApp(3);
    expect(limits((await app.send('GET', '/collection')).headers)).toEqual(['3', '2', '60']);
    wait(10.5);
    expect(limits((await app.send('GET', '/collection?sort=x')).headers)).toEqual(['3', '1', '50']);
    const created = await app.send('POST', '/collection', { name: 'Binder' });
    expect(limits(created.headers)).toEqual(['3', '0', '50']);
    for (let i = 0; i < 2; i++) {
      const refused = await app.send('POST', '/collection', { name: 'Binder' });
      expectProblem(refused, 'RateLimited');
      expect(refused.headers.get('Retry-After')).toBe('50');
      expect(limits(refused.headers)).toEqual(['3', '0', '50']);
    }
    wait(49);
    const last = await app.send('GET', '/collection');
    expectProblem(last, 'RateLimited');
    expect(last.headers.get('Retry-After')).toBe('1');
    wait(1);
    const { body, headers } = await app.send('GET', '/collection');
    expect(body.results).toHaveLength(1);
    expect(limits(headers)).toEqual(['3', '2', '60']);
  });

  it('last a minute, whatever the clock is set to meanwhile', async () => {
    const { app, wait, setClock } = await newApp(1);
    expect((await app.send('GET', '/collection')).status).toBe(200);
    setClock(-7200);
    wait(1);
    const refused = await app.send('GET', '/collection');
    expectProblem(refused, 'RateLimited');
    expect(refused.headers.get('Retry-After')).toBe('59');
    setClock(600);
    expectProblem(await app.send('GET', '/collection'), 'RateLimited');
    wait(59);
    expect((await app.send('GET', '/collection')).status).toBe(200);
  });

  it('count each request once, whatever the route', async () => {
    const { app } = await newApp(20);
    const id = await newCollection(app);
    const paths = ['/product/search?q=x', `/collection/${id}`, '/ev/list', '/product/x'];
    for (const [i, path] of paths.entries()) {
      expect(limits((await app.send('GET', path)).headers)[1]).toBe(String(18 - i));
    }
  });

  it('count each client by itself', async () => {
    const { app } = await newApp(1);
    const client = await anotherClient(database(), app);
    expect((await app.send('GET', '/collection')).status).toBe(200);
    expectProblem(await app.send('GET', '/collection'), 'RateLimited');
    expect((await client.send('GET', '/collection')).status).toBe(200);
    expectProblem(await client.send('GET', '/collection'), 'RateLimited');
  });

  it('hold under racing requests', async () => {
    const { app } = await newApp(10);
    const answers = await Promise.all(Array.from({ length: 50 }, () => app.send('GET', '/collection')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(40);
  });

  describe('leave out', () => {
    it('requests without a good token, and paths that need none', async () => {
      const { app } = await newApp(1);
      for (let i = 0; i < 3; i++) {
        expectProblem(await sendRaw(app, 'GET', '/collection'), 'Unauthorized');
        expect((await sendRaw(app, 'GET', '/healthz')).status).toBe(200);
        expectProblem(await app.send('GET', '/nothing'), 'NotFound');
      }
      expect((await app.send('GET', '/collection')).status).toBe(200);
    });

    it('everything where the limit is 0', async () => {
      const { app } = await newApp(0);
      const { status, headers } = await app.send('GET', '/collection');
      expect([status, ...limits(headers)]).toEqual([200, null, null, null]);
    });
  });
});
