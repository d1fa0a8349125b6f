import { describe, expect, it } from 'vitest';
import { describeOnDatabases, newTestApp, pricedVariants, type TestApp } from '../harness.ts';
import { expectPagination, expectProblem, NO_COLLECTION, newCollection, record, usd } from './support.ts';

const UPDATE = { name: 'Vault', valued: true, description: 'Foils', pinned: true, image: 7 };

describeOnDatabases('REST collections', (database) => {
  const namesIn = async (app: TestApp, sort: string) => {
    const { status, body } = await app.send('GET', `/collection?sort=${sort}`);
    expect(status).toBe(200);
    return body.results.map(({ name }: { name: string }) => name);
  };

  it("creates one, with the contract's values of a new collection", async () => {
    const app = await newTestApp(database());
    const { status, headers, body } = await app.send('POST', '/collection', { name: '  My binder ' });
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toBe('application/json');
    expect(body).toMatchObject({
      collectionId: expect.stringMatching(/^col_[0-9a-z]{26}$/),
      name: 'My binder',
      valued: false,
      pinned: false,
      isGoalCollection: false,
      description: '',
      quantity: 0,
      image: 0,
      cashPosition: null,
      invested: null,
      profit: null,
      gain: null,
      marketValue: usd(0),
    });
    expect((await app.send('GET', `/collection/${body.collectionId}`)).body).toEqual(body);
    expect((await app.send('GET', '/collection')).body).toEqual({ results: [body] });
  });

  it("has the account's currency in the market value of a new one", async () => {
    const app = await newTestApp(database(), { currency: 'JPY' });
    const { body } = await app.send('POST', '/collection', { name: 'Binder' });
    expect(body.marketValue).toEqual({ currency: 'JPY', value: 0 });
  });

  it('sums up its transactions', async () => {
    const app = await newTestApp(database());
    const [a, b] = (await pricedVariants(database(), 2)) as [string, string];
    const id = await newCollection(app);
    await record(app, id, a);
    await record(app, id, a, { action: 'Sale', quantity: 1, unitAmount: usd(15) });
    await record(app, id, b, { quantity: 3, unitAmount: usd(0.3333) });
    const { body } = await app.send('GET', `/collection/${id}`);
    expect(body).toMatchObject({
      quantity: 6,
      invested: usd(31),
      profit: usd(5),
      cashPosition: usd(-26),
    });
    const summaries = (await app.send('GET', `/collection/${id}/transaction-summary`)).body.results;
    const sum = (field: 'marketValue' | 'gain') =>
      summaries.reduce(
        (cents: number, s: Record<string, { value: number }>) => cents + s[field]!.value * 100,
        0,
      );
    expect(body.marketValue.value * 100).toBeCloseTo(sum('marketValue'), 6);
    expect(body.gain.value * 100).toBeCloseTo(sum('gain'), 0);
  });

  it('updates all five fields and gives the collection', async () => {
    const app = await newTestApp(database());
    const id = await newCollection(app);
    const before = (await app.send('GET', `/collection/${id}`)).body;
    const { status, body } = await app.send('PUT', `/collection/${id}`, UPDATE);
    expect(status).toBe(200);
    expect(body).toEqual({ ...before, ...UPDATE });
    expect((await app.send('GET', `/collection/${id}`)).body).toEqual(body);
    const back = { name: 'Binder', valued: false, description: '', pinned: false, image: 0 };
    expect((await app.send('PUT', `/collection/${id}`, back)).body).toEqual(before);
  });

  it('needs all five fields to update', async () => {
    const app = await newTestApp(database());
    const id = await newCollection(app);
    for (const field of Object.keys(UPDATE)) {
      const { [field]: _, ...others } = UPDATE as Record<string, unknown>;
      const pointers = [`/${field}`];
      expectProblem(await app.send('PUT', `/collection/${id}`, others), 'ValidationFailed', { pointers });
      const withNull = { ...UPDATE, [field]: null };
      expectProblem(await app.send('PUT', `/collection/${id}`, withNull), 'ValidationFailed', { pointers });
    }
    const pointers = Object.keys(UPDATE).map((field) => `/${field}`);
    expectProblem(await app.send('PUT', `/collection/${id}`, {}), 'ValidationFailed', { pointers });
    expect((await app.send('GET', `/collection/${id}`)).body.name).toBe('Binder');
  });

  it('deletes one with its transactions, with 204 and no body', async () => {
    const app = await newTestApp(database());
    const [variantId] = await pricedVariants(database(), 1);
    const id = await newCollection(app);
    const { transactionId } = await record(app, id, variantId!);
    const { status, headers, body } = await app.send('DELETE', `/collection/${id}`);
    expect({ status, body }).toEqual({ status: 204, body: '' });
    expect(headers.get('Content-Type')).toBeNull();
    expectProblem(await app.send('GET', `/collection/${id}`), 'NotFound');
    expectProblem(await app.send('DELETE', `/collection/${id}`), 'NotFound');
    expectProblem(await app.send('PUT', `/collection/${id}`, UPDATE), 'NotFound');
    for (const list of ['transaction', 'transaction-summary']) {
      expectProblem(await app.send('GET', `/collection/${id}/${list}`), 'NotFound');
    }
    expectProblem(await app.send('PATCH', `/transaction/${transactionId}`, {}), 'NotFound');
    expectProblem(await app.send('DELETE', `/transaction/${transactionId}`), 'NotFound');
    expect((await app.send('GET', '/collection')).body).toEqual({ results: [] });
  });

  it('keeps the goal collection from deletion', async () => {
    const app = await newTestApp(database());
    const id = await newCollection(app);
    const setGoal = (collectionId: string | null) =>
      app.graphql(
        'mutation Goal($id: ID) { setGoalCollection(input: { collectionId: $id }) { __typename } }',
        { id: collectionId },
      );
    await setGoal(id);
    expect((await app.send('GET', `/collection/${id}`)).body.isGoalCollection).toBe(true);
    const refused = await app.send('DELETE', `/collection/${id}`);
    expectProblem(refused, 'CollectionInUse');
    expect(refused.body.detail).toContain('goal collection');
    await setGoal(null);
    expect((await app.send('DELETE', `/collection/${id}`)).status).toBe(204);
  });

  it('does not know ids that nothing has', async () => {
    const app = await newTestApp(database());
    const missing = await app.send('GET', `/collection/${NO_COLLECTION}`);
    expectProblem(missing, 'NotFound');
    expect(missing.body.instance).toBe(`/collection/${NO_COLLECTION}`);
    expectProblem(await app.send('PUT', `/collection/${NO_COLLECTION}`, UPDATE), 'NotFound');
    expectProblem(await app.send('DELETE', `/collection/${NO_COLLECTION}`), 'NotFound');
  });

  describe('the list', () => {
    it('is by creation, oldest first, where no order is asked for', async () => {
      const app = await newTestApp(database());
      for (const name of ['b', 'c', 'a']) await newCollection(app, name);
      const { body } = await app.send('GET', '/collection');
      expect(body.results.map(({ name }: { name: string }) => name)).toEqual(['b', 'c', 'a']);
      expect(await namesIn(app, 'Chronological')).toEqual(['b', 'c', 'a']);
    });

    it('orders names by Unicode collation, case-insensitive', async () => {
      const app = await newTestApp(database());
      const names = [
        'Zebra',
        'éclair 2',
        'eclair 3',
        'Éclair 1',
        'apple',
        'Banana',
        '10',
        '9',
        'Äpfel',
        'äpfel 2',
      ];
      for (const name of names) await newCollection(app, name);
      const expected = [
        '10',
        '9',
        'Äpfel',
        'äpfel 2',
        'apple',
        'Banana',
        'Éclair 1',
        'éclair 2',
        'eclair 3',
        'Zebra',
      ];
      expect(await namesIn(app, 'Alphabetical')).toEqual(expected);
    });

    it('orders by value and by percentage gain, highest first, nulls last', async () => {
      const app = await newTestApp(database());
      const [row] = await database().query<{ id: string; amount: string }>(
        `select v.id, p.amount from variant v join price p on p.variant_id = v.id
         where p.amount > 1 order by v.id limit 1`,
      );
      const price = Number(row!.amount);
      await newCollection(app, 'empty');
      // Market values: 3, 1, 2 and 0 prices; gains: −50 %, +300 %, 0 %, none.
      for (const [name, quantity, paid] of [
        ['three, at a loss', 3, price * 2],
        ['one, at a gain', 1, price / 4],
        ['two, even', 2, price],
      ] as const) {
        const id = await newCollection(app, name);
        const value = Math.round(paid * 10_000) / 10_000;
        await record(app, id, row!.id, { quantity, unitAmount: usd(value) });
      }
      expect(await namesIn(app, 'Value')).toEqual([
        'three, at a loss',
        'two, even',
        'one, at a gain',
        'empty',
      ]);
      expect(await namesIn(app, 'PercentageGain')).toEqual([
        'one, at a gain',
        'two, even',
        'three, at a loss',
        'empty',
      ]);
    });

    it('is in pages, in every order', async () => {
      const app = await newTestApp(database());
      for (let i = 0; i < 5; i++) await newCollection(app, 'Same name');
      for (const sort of ['Chronological', 'Alphabetical', 'Value', 'PercentageGain']) {
        await expectPagination(app, `/collection?sort=${sort}`);
      }
    });

    it('of an account without any is one empty page', async () => {
      const app = await newTestApp(database());
      expect((await app.send('GET', '/collection?cursor=0')).body).toEqual({ results: [] });
      expectProblem(await app.send('GET', '/collection?cursor=1'), 'NotFound');
    });

    it('has 50 on a page where no size is asked for, and 200 at most', async () => {
      const app = await newTestApp(database());
      await database().query(
        `insert into collection (account_id, id, name, created_at, currency)
         select $1, 'col_' || lpad(n::text, 26, '0'), 'Binder ' || n, now(), 'USD' from generate_series(1, 201) n`,
        [app.accountId],
      );
      const page = (await app.send('GET', '/collection')).body;
      expect([page.results.length, page.nextCursor]).toEqual([50, 50]);
      const largest = (await app.send('GET', '/collection?pageSize=200')).body;
      expect([largest.results.length, largest.nextCursor]).toEqual([200, 200]);
      const last = (await app.send('GET', '/collection?pageSize=200&cursor=200')).body;
      expect([last.results.length, 'nextCursor' in last]).toEqual([1, false]);
    });

    it('refuses other orders', async () => {
      const app = await newTestApp(database());
      for (const sort of ['chronological', 'Name', '', 'Gain']) {
        expectProblem(await app.send('GET', `/collection?sort=${sort}`), 'ValidationFailed', {
          pointers: ['?sort'],
        });
      }
    });
  });
});
