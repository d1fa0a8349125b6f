import { expect, it } from 'vitest';
import { describeOnDatabases, NOW, statementsOf } from '../harness.ts';
import { movableClock, newAddress, newClient, node, requestToken } from './support.ts';

const LIMIT = { tokenLimitPerMinute: 10 };

const limits = (limit: number, remaining: number, resetSeconds: number) => ({
  'RateLimit-Limit': String(limit),
  'RateLimit-Remaining': String(remaining),
  'RateLimit-Reset': String(resetSeconds),
});

describeOnDatabases('token limit', (database) => {
  const statuses = async (answers: ReturnType<typeof requestToken>[]) =>
    (await Promise.all(answers)).map(({ status }) => status);
  const rows = () =>
    database().query<{ key: string; points: number; expire: number }>('select * from rate_limit');

  it('lets exactly 10 of 30 racing requests of a client at an address pass, over two nodes', async () => {
    const db = database();
    const client = await newClient(db);
    const nodes = [node(db, () => NOW, LIMIT), node(db, () => NOW, LIMIT)];
    const address = newAddress();
    const answers = Array.from({ length: 30 }, (_, i) => requestToken(nodes[i % 2]!, client, { address }));
    const passed = (await statuses(answers)).filter((status) => status === 200);
    expect(passed).toHaveLength(10);
  });

  it('locks nobody out whose id somebody elsewhere sends with bad secrets', async () => {
    const client = await newClient(database());
    const auth = node(database(), () => NOW, LIMIT);
    const elsewhere = { address: newAddress() };
    const guess = () => requestToken(auth, { ...client, clientSecret: 'wrong' }, elsewhere);
    for (let i = 0; i < 10; i++) expect((await guess()).status).toBe(401);
    expect((await guess()).status).toBe(429);
    expect((await requestToken(auth, client, elsewhere)).status).toBe(429);
    expect((await requestToken(auth, client)).status).toBe(200);
    // However many clients are guessed at, an address has 30 guesses.
    const other = (i: number) =>
      requestToken(auth, { clientId: `nobody-${i}`, clientSecret: 'x' }, elsewhere);
    for (let i = 0; i < 18; i++) expect((await other(i)).status).toBe(401);
    expect((await other(18)).status).toBe(429);
  });

  it('lets exactly 30 of 50 racing requests of an address pass, whatever clients it names', async () => {
    const db = database();
    const clients = await Promise.all(Array.from({ length: 5 }, () => newClient(db)));
    const nodes = [node(db, () => NOW, LIMIT), node(db, () => NOW, LIMIT)];
    const address = newAddress();
    const answers = Array.from({ length: 50 }, (_, i) =>
      requestToken(nodes[i % 2]!, clients[i % 5]!, { address }),
    );
    expect((await statuses(answers)).filter((status) => status === 200)).toHaveLength(30);
  });

  it('says when to come again, and keeps its word', async () => {
    const clock = movableClock();
    const client = await newClient(database());
    const at = { address: newAddress() };
    const auth = node(database(), clock.now, LIMIT);
    for (let i = 0; i < 10; i++) {
      const { status, headers } = await requestToken(auth, client, at);
      expect([status, headers]).toEqual([200, expect.objectContaining(limits(10, 9 - i, 60))]);
    }
    clock.advance(15);
    const refused = await requestToken(auth, client, at);
    expect(refused).toEqual({
      status: 429,
      headers: { 'Cache-Control': 'no-store', Pragma: 'no-cache', 'Retry-After': '45', ...limits(10, 0, 45) },
      body: {
        error: 'too_many_requests',
        error_description: 'Too many token requests. Wait 45 seconds, and use a token until it expires.',
      },
    });
    clock.advance(44);
    expect((await requestToken(auth, client, at)).headers['Retry-After']).toBe('1');
    expect((await requestToken(node(database(), clock.now, LIMIT), client, at)).status).toBe(429);
    clock.advance(1);
    expect((await requestToken(auth, client, at)).status).toBe(200);
  });

  it('waits for no minute that a clock which was ahead has said, but for one of a node a minute ahead', async () => {
    const clock = movableClock();
    const client = await newClient(database());
    const at = { address: newAddress() };
    const used = async (aheadSeconds: number) => {
      clock.advance(aheadSeconds);
      const ahead = node(database(), clock.now, LIMIT);
      for (let i = 0; i < 11; i++) await requestToken(ahead, client, at);
      clock.advance(-aheadSeconds);
      return (await requestToken(node(database(), clock.now, LIMIT), client, at)).status;
    };
    expect(await used(60)).toBe(429);
    expect(await used(3600)).toBe(200);
  });

  it('counts failures of every kind', async () => {
    const client = await newClient(database());
    const auth = node(database(), () => NOW, LIMIT);
    const wrong = { ...client, clientSecret: 'wrong' };
    const at = { address: newAddress() };
    for (let i = 0; i < 4; i++) expect((await requestToken(auth, wrong, at)).status).toBe(401);
    for (let i = 0; i < 3; i++)
      expect((await requestToken(auth, client, { scope: 'x', ...at })).status).toBe(400);
    for (let i = 0; i < 3; i++)
      expect((await requestToken(auth, client, { grant_type: 'x', ...at })).status).toBe(400);
    expect((await requestToken(auth, client, at)).status).toBe(429);

    const address = newAddress();
    const garbage = () =>
      auth.token(
        { contentType: 'text/plain', authorization: undefined, body: '' },
        { socketAddress: address, forwardedFor: undefined },
      );
    for (let i = 0; i < 30; i++) {
      const { status, headers } = await garbage();
      expect([status, headers]).toEqual([400, expect.objectContaining(limits(30, 29 - i, 60))]);
    }
    expect((await garbage()).status).toBe(429);
  });

  it('of an address that is over it uses up nothing of a client', async () => {
    const client = await newClient(database());
    const auth = node(database(), () => NOW, LIMIT);
    const address = newAddress();
    const other = { clientId: 'nobody', clientSecret: 'x' };
    for (let i = 0; i < 30; i++) await requestToken(auth, { ...other, clientId: `nobody-${i}` }, { address });
    for (let i = 0; i < 20; i++) expect((await requestToken(auth, client, { address })).status).toBe(429);
    expect((await requestToken(auth, client)).status).toBe(200);
  });

  it('is not fooled by X-Forwarded-For, nor by the addresses of one network', async () => {
    const auth = node(database(), () => NOW, LIMIT);
    const network = newAddress().slice(0, -1);
    const ask = (i: number) =>
      auth.token(
        { contentType: undefined, authorization: undefined, body: '' },
        { socketAddress: `${network}${i}`, forwardedFor: `198.51.100.${i}` },
      );
    for (let i = 1; i <= 30; i++) expect((await ask(i)).status).toBe(400);
    expect((await ask(31)).status).toBe(429);
  });

  it('is by the address that a trusted proxy names', async () => {
    const auth = node(database(), () => NOW, { ...LIMIT, trustProxy: '10.9.9.9' });
    const ask = (forwardedFor: string) =>
      auth.token(
        { contentType: undefined, authorization: undefined, body: '' },
        { socketAddress: '10.9.9.9', forwardedFor },
      );
    const [one, two] = [newAddress(), newAddress()];
    for (let i = 0; i < 30; i++) expect((await ask(`10.1.1.${i}, ${one}`)).status).toBe(400);
    expect((await ask(one)).status).toBe(429);
    expect((await ask(two)).status).toBe(400);
  });

  it('asks the database no more about a key that is over it', async () => {
    const client = await newClient(database());
    const auth = node(database(), () => NOW, LIMIT);
    const address = newAddress();
    for (let i = 0; i < 31; i++) await requestToken(auth, client, { address });
    const { result, statements } = await statementsOf(() => requestToken(auth, client, { address }));
    expect(result.status).toBe(429);
    expect(statements).toEqual([]);
  });

  it('stores short keys only, and none when it is off', async () => {
    await database().query('delete from rate_limit');
    const huge = { clientId: 'x'.repeat(1024 * 1024), clientSecret: 'x' };
    expect(
      (
        await requestToken(
          node(database(), () => NOW),
          huge,
        )
      ).status,
    ).toBe(401);
    expect(await rows()).toEqual([]);
    expect(
      (
        await requestToken(
          node(database(), () => NOW, LIMIT),
          huge,
        )
      ).status,
    ).toBe(401);
    const keys = (await rows()).map(({ key }) => key);
    expect(keys).toHaveLength(2);
    for (const key of keys) expect(key.length).toBeLessThan(80);
  });

  it('forgets what has expired', async () => {
    const clock = movableClock();
    await database().query('delete from rate_limit');
    const auth = node(database(), clock.now, LIMIT);
    const client = await newClient(database());
    for (let i = 0; i < 5; i++) await requestToken(auth, { ...client, clientId: `nobody-${i}` });
    expect(await rows()).toHaveLength(10);
    clock.advance(60);
    await requestToken(auth, client);
    expect(await rows()).toHaveLength(2);
  });
});
