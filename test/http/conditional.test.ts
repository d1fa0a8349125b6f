import { describe, expect, it } from 'vitest';
import { asNewAccount, describeOnDatabases, newTestApp, pricedVariants, type TestApp } from '../harness.ts';
import { anotherClient, expectProblem, newCollection, purchase, record, usd } from './support.ts';

const UPDATE = { name: 'Vault', valued: false, description: '', pinned: false, image: 0 };
const MAX_AGE_HOURS = 24;

describeOnDatabases('REST with conditions', (database) => {
  const newApp = async () => {
    const app = await newTestApp(database());
    const id = await newCollection(app);
    const path = `/collection/${id}`;
    const etag = async () => (await app.send('GET', path)).headers.get('ETag')!;
    return { app, id, path, etag };
  };
  const oneVariant = async () => (await pricedVariants(database(), 1))[0]!;

  it('has an ETag on one resource, which changes with it alone', async () => {
    const { app, id, path, etag } = await newApp();
    const first = await etag();
    expect(first).toMatch(/^"[^"]+"$/);
    expect(await etag()).toBe(first);
    const put = await app.send('PUT', path, UPDATE);
    expect(put.headers.get('ETag')).toBe(await etag());
    expect(await etag()).not.toBe(first);
    const seen = new Set([first, await etag()]);
    const { transactionId } = await record(app, id, await oneVariant());
    seen.add(await etag());
    await app.send('PATCH', `/transaction/${transactionId}`, { quantity: 9 });
    seen.add(await etag());
    await app.send('DELETE', `/transaction/${transactionId}`);
    seen.add(await etag());
    expect(seen.size).toBe(5);
  });

  it("changes the ETag of a collection with the account's currency", async () => {
    const { app, etag } = await newApp();
    const before = await etag();
    await app.graphql('mutation { updatePreferences(input: { preferredCurrency: JPY }) { __typename } }');
    expect(await etag()).not.toBe(before);
  });

  it('answers 304 without a body where If-None-Match has the ETag', async () => {
    const { app, path } = await newApp();
    const [product] = await database().query<{ id: string }>('select id from product order by id limit 1');
    const breakdown = '/ev/breakdown?setType=Wtr1stEdition&productType=Box';
    for (const resource of [path, `/product/${product!.id}`, breakdown]) {
      const full = await app.send('GET', resource);
      const etag = full.headers.get('ETag')!;
      for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        for (const method of ['GET', 'HEAD']) {
          const { status, headers, body } = await app.send(method, resource, undefined, {
            'If-None-Match': tags,
          });
          expect({ tags, status, body }).toEqual({ tags, status: 304, body: '' });
          expect(headers.get('ETag')).toBe(etag);
          expect(headers.get('Content-Type')).toBeNull();
        }
      }
      for (const tags of [
        '',
        '"other"',
        etag.slice(1, -1),
        etag.slice(0, -1),
        `'${etag}'`,
        'x'.repeat(5000),
      ]) {
        const answer = await app.send('GET', resource, undefined, { 'If-None-Match': tags });
        expect([answer.status, answer.body]).toEqual([200, full.body]);
      }
    }
  });

  it('tells prices in other currencies apart', async () => {
    const { app } = await newApp();
    const [row] = await database().query<{ id: string }>(
      'select v.product_id as id from variant v join price p on p.variant_id = v.id where p.amount > 1 limit 1',
    );
    const tag = async (query: string) =>
      (await app.send('GET', `/product/${row!.id}${query}`)).headers.get('ETag');
    expect(await tag('?currency=USD')).toBe(await tag(''));
    expect(await tag('?currency=EUR')).not.toBe(await tag(''));
  });

  it('changes and deletes a collection at the named version alone', async () => {
    const { app, path, etag } = await newApp();
    const stale = await etag();
    const send = (method: string, tag: string) =>
      app.send(method, path, method === 'PUT' ? UPDATE : undefined, { 'If-Match': tag });
    const put = await send('PUT', stale);
    expect(put.status).toBe(200);
    const fresh = put.headers.get('ETag')!;
    const bad = [
      stale,
      `W/${fresh}`,
      '',
      '"',
      fresh.slice(1, -1),
      '"x"',
      `"0${fresh.slice(1)}`,
      '"99999999999"',
    ];
    for (const tag of [...bad, '"999999999999999"', '"9999999999999999999999"', `"${'9'.repeat(5000)}"`]) {
      for (const method of ['PUT', 'DELETE']) expectProblem(await send(method, tag), 'PreconditionFailed');
    }
    expect(await etag()).toBe(fresh);
    expect((await send('PUT', '*')).status).toBe(200);
    expectProblem(await send('DELETE', fresh), 'PreconditionFailed');
    expect((await send('DELETE', await etag())).status).toBe(204);
    for (const tag of [fresh, '*']) expectProblem(await send('DELETE', tag), 'NotFound');
  });

  it('changes and deletes a transaction at the named version alone', async () => {
    const { app, id } = await newApp();
    const created = await app.send('POST', `/collection/${id}/transaction`, purchase(await oneVariant()));
    const path = `/transaction/${created.body.transactionId}`;
    const send = (method: string, tag: string) =>
      app.send(method, path, method === 'PATCH' ? { quantity: 7 } : undefined, { 'If-Match': tag });
    const stale = created.headers.get('ETag')!;
    const changed = await send('PATCH', stale);
    expect(changed.body.quantity).toBe(7);
    const fresh = changed.headers.get('ETag')!;
    const bad = [stale, `W/${fresh}`, '', '"x"', '"2147483648"', '"99999999999"', '"999999999999999"'];
    for (const tag of [...bad, `"${'9'.repeat(5000)}"`]) {
      for (const method of ['PATCH', 'DELETE']) expectProblem(await send(method, tag), 'PreconditionFailed');
    }
    expect((await send('PATCH', '*')).status).toBe(200);
    expect((await send('DELETE', '*')).status).toBe(204);
    for (const tag of [fresh, '*']) expectProblem(await send('PATCH', tag), 'NotFound');
  });

  it('takes any of several versions', async () => {
    const { app, id, path, etag } = await newApp();
    const { transactionId, ...created } = await record(app, id, await oneVariant());
    expect(created.quantity).toBe(4);
    const changes = [
      { path, method: 'PUT', body: UPDATE, at: etag },
      {
        path: `/transaction/${transactionId}`,
        method: 'PATCH',
        body: { quantity: 5 },
        at: async () => (await app.send('PATCH', `/transaction/${transactionId}`, {})).headers.get('ETag')!,
      },
    ];
    const send = (change: (typeof changes)[number], method: string, tags: string) =>
      app.send(method, change.path, method === 'DELETE' ? undefined : change.body, { 'If-Match': tags });
    for (const change of changes) {
      for (const tagsWith of [
        (tag: string) => `"999", ${tag}`,
        (tag: string) => `${tag} ,"999"`,
        (tag: string) => `"a,b",W/"999",,${tag}`,
        (tag: string) => `${'"999", '.repeat(500)}${tag}`,
      ]) {
        const { status } = await send(change, change.method, tagsWith(await change.at()));
        expect(status).toBe(200);
      }
      for (const tagsWith of [
        (tag: string) => `"999", W/${tag}`,
        (tag: string) => `"999", ${tag.slice(1, -1)}`,
        (tag: string) => `"a,${tag.slice(1, -1)}", "x,${tag.slice(1)}`,
        () => '"998", "999"',
        () => ',',
      ]) {
        const tags = tagsWith(await change.at());
        for (const method of [change.method, 'DELETE'])
          expectProblem(await send(change, method, tags), 'PreconditionFailed');
      }
    }
    for (const change of changes.reverse()) {
      expect((await send(change, 'DELETE', `"999", ${await change.at()}`)).status).toBe(204);
    }
  });

  it('lets one of many writers of the same version through', async () => {
    const { app, path, etag } = await newApp();
    const headers = { 'If-Match': await etag() };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => app.send('PUT', path, { ...UPDATE, image: i }, headers)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(19);
  });

  it('reads and creates whatever If-Match says', async () => {
    const { app, path } = await newApp();
    const headers = { 'If-Match': '"7", "8"' };
    expect((await app.send('GET', path, undefined, headers)).status).toBe(200);
    expect((await app.send('POST', '/collection', { name: 'x' }, headers)).status).toBe(200);
  });
});

describeOnDatabases('REST with an Idempotency-Key', (database) => {
  const create = (app: Pick<TestApp, 'send'>, key: string, name: string) =>
    app.send('POST', '/collection', { name }, { 'Idempotency-Key': key });
  const count = async (app: TestApp) =>
    (await app.send('GET', '/collection?pageSize=200')).body.results.length as number;

  it('gives the first answer again', async () => {
    const app = await newTestApp(database());
    const first = await create(app, 'a', 'Binder');
    expect(first.status).toBe(200);
    expect(first.headers.get('Idempotency-Replayed')).toBeNull();
    await app.send('PUT', `/collection/${first.body.collectionId}`, { ...UPDATE, name: 'Changed since' });
    for (let i = 0; i < 2; i++) {
      const again = await create(app, 'a', 'Binder');
      expect([again.status, again.body]).toEqual([200, first.body]);
      expect(again.headers.get('Idempotency-Replayed')).toBe('true');
      expect(again.headers.get('ETag')).toBe(first.headers.get('ETag'));
    }
    expect(await count(app)).toBe(1);
    expect((await create(app, 'b', 'Binder')).body.collectionId).not.toBe(first.body.collectionId);
    expect(await count(app)).toBe(2);
  });

  it('records a transaction once', async () => {
    const app = await newTestApp(database());
    const id = await newCollection(app);
    const body = purchase((await pricedVariants(database(), 1))[0]!, { unitAmount: usd(0.0001) });
    const post = (changes: Record<string, unknown> = {}, collectionId = id) =>
      app.send(
        'POST',
        `/collection/${collectionId}/transaction`,
        { ...body, ...changes },
        { 'Idempotency-Key': 'once' },
      );
    const first = await post();
    const again = await post();
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(again.headers.get('Idempotency-Replayed')).toBe('true');
    expect((await app.send('GET', `/collection/${id}`)).body.quantity).toBe(4);
    for (const changes of [{ quantity: 5 }, { unitAmount: usd(0.0002) }, { occurredDate: '2026-02-01' }]) {
      expectProblem(await post(changes), 'IdempotencyMismatch');
    }
    expectProblem(await post({}, await newCollection(app)), 'IdempotencyMismatch');
    expectProblem(await create(app, 'once', 'Binder'), 'IdempotencyMismatch');
  });

  it('takes the same values in other words for the same request', async () => {
    const app = await newTestApp(database());
    const headers = { 'Idempotency-Key': 'words' };
    const first = await app.send('POST', '/collection', '{"name":"Binder"}', headers);
    const again = await app.send('POST', '/collection', ' {\n"name" : "\\u0042inder "} ', headers);
    expect([again.status, again.body]).toEqual([200, first.body]);
  });

  it('refuses the key of another request', async () => {
    const app = await newTestApp(database());
    await create(app, 'a', 'Binder');
    expectProblem(await create(app, 'a', 'Other'), 'IdempotencyMismatch');
    expect(await count(app)).toBe(1);
  });

  it('takes keys of 1 to 255 visible ASCII characters', async () => {
    const app = await newTestApp(database());
    for (const key of ['x', '!', '~', '"quoted"', "'; drop table", 'x'.repeat(255)].map((k) =>
      k.replaceAll(' ', '-'),
    )) {
      expect((await create(app, key, 'Binder')).status).toBe(200);
    }
    const taken = await count(app);
    for (const key of ['', 'x'.repeat(256), 'a b', 'a\tb', 'é', '\u00ff', 'a, b']) {
      const answer = await create(app, key, 'Binder');
      expectProblem(answer, 'ValidationFailed', { pointers: ['/Idempotency-Key'] });
    }
    expect(await count(app)).toBe(taken);
  });

  it('keeps keys apart by client and by account', async () => {
    const app = await newTestApp(database());
    const client = await anotherClient(database(), app);
    const stranger = await asNewAccount(database(), app.fetch);
    await create(app, 'same', 'Binder');
    for (const other of [client, stranger]) {
      const { status, headers } = await create(other, 'same', 'Other name');
      expect([status, headers.get('Idempotency-Replayed')]).toEqual([200, null]);
    }
    expect(await count(app)).toBe(2);
    expect(await count(stranger)).toBe(1);
  });

  it('makes one row of 50 requests at once', async () => {
    const app = await newTestApp(database());
    const answers = await Promise.all(Array.from({ length: 50 }, () => create(app, 'race', 'Binder')));
    for (const { status, body } of answers) expect([status, body]).toEqual([200, answers[0]!.body]);
    const fresh = answers.filter(({ headers }) => headers.get('Idempotency-Replayed') === null);
    expect(fresh).toHaveLength(1);
    expect(await count(app)).toBe(1);
  });

  it('makes one row of two requests that race under one key', async () => {
    const app = await newTestApp(database());
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => create(app, 'race', i % 2 === 0 ? 'Even' : 'Odd')),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(20);
    expect(await count(app)).toBe(1);
  });

  it('keeps nothing of a request that failed', async () => {
    const app = await newTestApp(database(), { maxCollections: 1 });
    const id = await newCollection(app);
    expectProblem(await create(app, 'a', 'Binder'), 'LimitExceeded');
    expectProblem(await create(app, 'a', ''), 'ValidationFailed');
    await app.send('DELETE', `/collection/${id}`);
    const { status, headers } = await create(app, 'a', 'Another name');
    expect([status, headers.get('Idempotency-Replayed')]).toEqual([200, null]);
  });

  describe('of another day', () => {
    it('is a new one after 24 hours', async () => {
      let millis = Date.parse('2026-04-13T10:00:00Z');
      const app = await newTestApp(database(), { now: () => new Date(millis) });
      const client = await anotherClient(database(), app);
      const first = await create(client, 'daily', 'Monday');
      millis += MAX_AGE_HOURS * 3_600_000 - 1000;
      await client.renew();
      const again = await create(client, 'daily', 'Monday');
      expect([again.status, again.headers.get('Idempotency-Replayed')]).toEqual([200, 'true']);
      expect(again.body).toEqual(first.body);
      expectProblem(await create(client, 'daily', 'Tuesday'), 'IdempotencyMismatch');
      millis += 2000;
      const tuesday = await create(client, 'daily', 'Tuesday');
      expect([tuesday.status, tuesday.headers.get('Idempotency-Replayed')]).toEqual([200, null]);
      expect(tuesday.body.collectionId).not.toBe(first.body.collectionId);
    });
  });
});
