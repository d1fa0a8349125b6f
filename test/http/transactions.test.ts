import { describe, expect, it } from 'vitest';
import { CURRENCIES } from '../../src/domain/currencies.ts';
import { describeOnDatabases, newTestApp, pricedVariants, statementsOf } from '../harness.ts';
import {
  expectPagination,
  expectProblem,
  NO_COLLECTION,
  NO_TRANSACTION,
  newCollection,
  purchase,
  record,
  usd,
} from './support.ts';

interface CatalogueRow {
  variantId: string;
  variantName: string;
  fcId: string;
  productId: string;
  productName: string;
  number: string | null;
  imageUrl: string;
}

const CATALOGUE_ROW = `
  select v.id as "variantId", v.name as "variantName", v.fc_id as "fcId", p.id as "productId", p.name as "productName",
    p.number, p.image_url as "imageUrl"
  from variant v join product p on p.id = v.product_id`;

describeOnDatabases('REST transactions', (database) => {
  const newApp = async () => {
    const app = await newTestApp(database());
    const [variantId, other] = (await pricedVariants(database(), 2)) as [string, string];
    const id = await newCollection(app);
    const list = async (query = '') =>
      (await app.send('GET', `/collection/${id}/transaction${query}`)).body.results;
    return { app, id, variantId, other, list };
  };

  it('records one, with all fields of the contract', async () => {
    const { app, id, variantId, list } = await newApp();
    const [row] = await database().query<CatalogueRow>(`${CATALOGUE_ROW} where v.id = $1`, [variantId]);
    const path = `/collection/${id}/transaction`;
    const { status, headers, body } = await app.send('POST', path, purchase(variantId));
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toBe('application/json');
    expect(body).toMatchObject({
      transactionId: expect.stringMatching(/^txn_[0-9a-z]{26}$/),
      occurred: '2026-01-31T12:00:00Z',
      action: 'Purchase',
      quantity: 4,
      unitAmount: usd(10),
      ...row,
    });
    expect(await list()).toEqual([body]);
  });

  it('has a null number where the product has none', async () => {
    const { app, id } = await newApp();
    const [row] = await database().query<CatalogueRow>(
      `${CATALOGUE_ROW} where p.number is null order by v.id limit 1`,
    );
    const imageUrl = expect.stringMatching(/^\/pictures\/[a-z0-9]+\/(pack|box|case)\.svg$/);
    expect(await record(app, id, row!.variantId)).toMatchObject({ ...row, number: null, imageUrl });
  });

  it('gives the date back at noon UTC', async () => {
    const { app, id, variantId } = await newApp();
    for (const occurredDate of ['1970-01-01', '2000-02-29', '2026-04-13', '2026-04-14']) {
      const { occurred } = await record(app, id, variantId, { occurredDate });
      expect(occurred).toBe(`${occurredDate}T12:00:00Z`);
    }
  });

  it('has fees and shipping only where there are any', async () => {
    const { app, id, variantId, list } = await newApp();
    const plain = await record(app, id, variantId);
    expect(Object.keys(plain)).not.toContain('fees');
    const body = await record(app, id, variantId, { fees: usd(0.5), shipping: usd(4.9999) });
    expect(body).toMatchObject({ fees: usd(0.5), shipping: usd(4.9999) });
    expect(await list()).toEqual([plain, body]);
    const path = `/transaction/${body.transactionId}`;
    const changed = await app.send('PATCH', path, { fees: null, shipping: usd(0) });
    expect(changed.body).toEqual({ ...plain, transactionId: body.transactionId, fees: usd(0.5) });
    const refused = await app.send('PATCH', path, { shipping: { currency: 'EUR', value: 1 } });
    expectProblem(refused, 'ValidationFailed', { pointers: ['/shipping/currency'] });
  });

  it('gives the unit amount back exactly', async () => {
    const { app, id, variantId, list } = await newApp();
    const amounts = [0, 0.0001, 0.1, 10, 10.5, 0.3333, 1234567.8901, 999_999_999.9999, 1_000_000_000];
    for (const value of amounts) {
      expect((await record(app, id, variantId, { unitAmount: usd(value) })).unitAmount).toEqual(usd(value));
    }
    const listed = (await list()).map((row: { unitAmount: unknown }) => row.unitAmount);
    expect(listed).toEqual(amounts.map(usd));
  });

  it('takes every currency, on every day', async () => {
    const { app, id, variantId } = await newApp();
    const path = `/collection/${id}/transaction`;
    for (const currency of CURRENCIES) {
      for (const occurredDate of ['1970-01-01', '2026-04-14']) {
        const unitAmount = { currency, value: 77.1234 };
        const { body } = await app.send('POST', path, purchase(variantId, { unitAmount, occurredDate }));
        expect(body).toMatchObject({ unitAmount });
      }
    }
  });

  it('says whether the collection or the variant is missing', async () => {
    const { app, id, variantId } = await newApp();
    const post = (collectionId: string, variant: string) =>
      app.send('POST', `/collection/${collectionId}/transaction`, purchase(variant));
    for (const missing of [
      'var_000000000000',
      'prd_1',
      variantId.toUpperCase(),
      '',
      'x'.repeat(10_000),
      '\u0000',
    ]) {
      const answer = await post(id, missing);
      expectProblem(answer, 'NotFound');
      expect(answer.body.detail).toBe('The variant does not exist.');
    }
    const body = { ...purchase(''), quantity: 0 };
    expect((await app.send('POST', `/collection/${id}/transaction`, body)).body.errors).toEqual([
      { pointer: '/quantity', detail: 'must be a whole number from 1 to 1000000' },
    ]);
    const answer = await post(NO_COLLECTION, variantId);
    expectProblem(answer, 'NotFound');
    expect(answer.body.detail).toBe('The collection does not exist.');
  });

  describe('an update', () => {
    it('changes only the fields that are there and not null', async () => {
      const { app, id, variantId } = await newApp();
      const before = await record(app, id, variantId);
      const path = `/transaction/${before.transactionId}`;
      const nothing = { occurredDate: null, action: null, quantity: null, unitAmount: null };
      const changes = [
        [{ quantity: 9 }, { quantity: 9 }],
        [{ occurredDate: '2020-02-29' }, { occurred: '2020-02-29T12:00:00Z' }],
        [{ action: 'Sale' }, { action: 'Sale' }],
        [
          { unitAmount: { currency: 'NZD', value: 0.0001 } },
          { unitAmount: { currency: 'NZD', value: 0.0001 } },
        ],
      ] as const;
      let expected = before;
      for (const [change, effect] of changes) {
        expected = { ...expected, ...effect };
        const { status, body } = await app.send('PATCH', path, { ...nothing, ...change });
        expect({ status, body }).toEqual({ status: 200, body: expected });
      }
      for (const unchanged of [{}, nothing]) {
        expect((await app.send('PATCH', path, unchanged)).body).toEqual(expected);
      }
      const all = { occurredDate: '2026-01-31', action: 'Purchase', quantity: 4, unitAmount: usd(10) };
      expect((await app.send('PATCH', path, all)).body).toEqual(before);
    });

    it('is seen in the collection', async () => {
      const { app, id, variantId } = await newApp();
      const { transactionId } = await record(app, id, variantId);
      await app.send('PATCH', `/transaction/${transactionId}`, { quantity: 2, unitAmount: usd(2.5) });
      const { body } = await app.send('GET', `/collection/${id}`);
      expect(body).toMatchObject({ quantity: 2, invested: usd(5), cashPosition: usd(-5), profit: usd(0) });
    });

    it('does not know ids that nothing has', async () => {
      const { app } = await newApp();
      expectProblem(await app.send('PATCH', `/transaction/${NO_TRANSACTION}`, { quantity: 1 }), 'NotFound');
      expectProblem(await app.send('DELETE', `/transaction/${NO_TRANSACTION}`), 'NotFound');
    });
  });

  describe('what is said of the cards', () => {
    const SAID = {
      cardCondition: 'NearMint',
      grade: { company: 'PSA', grade: '9.5', certificate: '0012' },
      language: 'JA',
      notes: 'From a friend',
      tags: ['for trade', 'signed'],
    };
    const NAMES = Object.keys(SAID);

    it('comes back as it was given, one way or the other', async () => {
      const { app, id, variantId, list } = await newApp();
      const all = await record(app, id, variantId, SAID);
      expect(all).toMatchObject(SAID);
      const { certificate: _, ...grade } = SAID.grade;
      const some = await record(app, id, variantId, { grade, notes: ' ', tags: [] });
      expect(some).toMatchObject({ grade });
      const none = await record(app, id, variantId);
      for (const name of NAMES) {
        expect(none).not.toHaveProperty(name);
        if (name !== 'grade') expect(some).not.toHaveProperty(name);
      }
      expect(await list()).toEqual([all, some, none]);
      expect(await list('?sortOrder=Alphabetical')).toEqual([all, some, none]);
    });

    it('changes where it is given, and is taken away where that is asked for', async () => {
      const { app, id, variantId } = await newApp();
      const before = await record(app, id, variantId, SAID);
      const without = (...names: string[]) =>
        Object.fromEntries(Object.entries(before).filter(([name]) => !names.includes(name)));
      const path = `/transaction/${before.transactionId}`;
      const nothing = Object.fromEntries([...NAMES, 'clear'].map((name) => [name, null]));
      const steps: [object, object][] = [
        [nothing, before],
        [{ clear: [] }, before],
        [{ clear: ['CardCondition'] }, without('cardCondition')],
        [{ cardCondition: SAID.cardCondition, clear: ['Grade'] }, without('grade')],
        [{ grade: { company: 'cgc', grade: '10' } }, { ...before, grade: { company: 'CGC', grade: '10' } }],
        [
          { grade: SAID.grade, notes: '', language: 'DE' },
          { ...without('notes'), language: 'DE' },
        ],
        [{ notes: SAID.notes, tags: [], clear: ['Language'] }, without('tags', 'language')],
        [{ clear: ['CardCondition', 'Grade', 'Grade'], notes: ' ' }, without(...NAMES)],
        [SAID, before],
        [{ quantity: before.quantity }, before],
      ];
      for (const [change, expected] of steps) {
        const { status, body } = await app.send('PATCH', path, change);
        expect({ status, body }).toEqual({ status: 200, body: expected });
      }
      const answer = await app.send('PATCH', path, { cardCondition: 'Damaged', clear: ['CardCondition'] });
      expectProblem(answer, 'ValidationFailed', { pointers: ['/clear/0'] });
    });

    it('changes no amount', async () => {
      const { app, id, variantId } = await newApp();
      const plain = await record(app, id, variantId);
      const amounts = async () => (await app.send('GET', `/collection/${id}`)).body;
      const before = await amounts();
      await app.send('PATCH', `/transaction/${plain.transactionId}`, SAID);
      expect(await amounts()).toEqual(before);
    });
  });

  it('is deleted from its collection, with 204 and no body', async () => {
    const { app, id, variantId, list } = await newApp();
    const first = await record(app, id, variantId);
    const second = await record(app, id, variantId, { quantity: 1 });
    const { status, headers, body } = await app.send('DELETE', `/transaction/${first.transactionId}`);
    expect({ status, body }).toEqual({ status: 204, body: '' });
    expect(headers.get('Content-Type')).toBeNull();
    expect(await list()).toEqual([second]);
    expect((await app.send('GET', `/collection/${id}`)).body.quantity).toBe(1);
    expectProblem(await app.send('DELETE', `/transaction/${first.transactionId}`), 'NotFound');
    await app.send('DELETE', `/transaction/${second.transactionId}`);
    expect((await app.send('GET', `/collection/${id}`)).body.invested).toBeNull();
    expect(await list()).toEqual([]);
  });

  describe('the list', () => {
    it('is by the day it occurred, then by entry, where no order is asked for', async () => {
      const { app, id, variantId, list } = await newApp();
      const days = ['2026-03-01', '2025-12-31', '2026-03-01', '1999-01-01', '2025-12-31'];
      const made: unknown[] = [];
      for (const [i, occurredDate] of days.entries()) {
        made.push(await record(app, id, variantId, { occurredDate, quantity: i + 1 }));
      }
      const expected = [3, 1, 4, 0, 2].map((i) => made[i]);
      expect(await list()).toEqual(expected);
      expect(await list('?sortOrder=Chronological')).toEqual(expected);
    });

    it('orders by product name, then variant name', async () => {
      const { app, id, list } = await newApp();
      const rows = await database().query<CatalogueRow>(
        `${CATALOGUE_ROW} where p.name ~ '^[A-Z][a-z]+( [A-Z][a-z]+)*$' order by md5(v.id) limit 25`,
      );
      for (const { variantId } of rows) await record(app, id, variantId);
      const names = (await list('?sortOrder=Alphabetical')).map(
        (row: CatalogueRow) => `${row.productName}\n${row.variantName}`,
      );
      const { compare } = new Intl.Collator('und');
      const expected = rows
        .sort((a, b) => compare(a.productName, b.productName) || compare(a.variantName, b.variantName))
        .map((row) => `${row.productName}\n${row.variantName}`);
      expect(names).toEqual(expected);
    });

    it('is in pages, in both orders', async () => {
      const { app, id, variantId, other } = await newApp();
      for (const variant of [variantId, other, variantId, variantId, other]) await record(app, id, variant);
      for (const sortOrder of ['Chronological', 'Alphabetical']) {
        await expectPagination(app, `/collection/${id}/transaction?sortOrder=${sortOrder}`);
      }
    });

    it('holds the transactions of its own collection alone', async () => {
      const { app, id, variantId, list } = await newApp();
      const other = await newCollection(app);
      await record(app, other, variantId);
      const mine = await record(app, id, variantId);
      expect(await list()).toEqual([mine]);
    });

    it('takes one statement, and asks for the collection only where there is nothing', async () => {
      const { app, id, variantId } = await newApp();
      const path = `/collection/${id}/transaction`;
      expect((await app.send('GET', path)).body).toEqual({ results: [] });
      await record(app, id, variantId);
      const { result, statements } = await statementsOf(() => app.send('GET', path));
      expect(result.body.results).toHaveLength(1);
      expect(statements).toHaveLength(1);
      expectProblem(await app.send('GET', `${path}?cursor=1`), 'NotFound');
      expectProblem(await (await newTestApp(database())).send('GET', path), 'NotFound');
    });

    it('refuses other orders, and a collection that is not there', async () => {
      const { app, id } = await newApp();
      for (const sortOrder of ['chronological', 'MarketValue', '']) {
        const answer = await app.send('GET', `/collection/${id}/transaction?sortOrder=${sortOrder}`);
        expectProblem(answer, 'ValidationFailed', { pointers: ['?sortOrder'] });
      }
      expectProblem(
        await app.send('GET', `/collection/${id}/transaction?sort=Alphabetical`),
        'ValidationFailed',
        {
          pointers: ['?sort'],
        },
      );
      expectProblem(await app.send('GET', `/collection/${NO_COLLECTION}/transaction`), 'NotFound');
    });
  });
});
