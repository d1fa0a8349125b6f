import { beforeAll, describe, expect, it } from 'vitest';
import { describeOnDatabases, newTestApp, pricedVariants, type TestApp } from '../harness.ts';
import { expectProblem, newCollection, purchase, record, usd } from './support.ts';

const ASTRAL = '🃏';
const UPDATE = { name: 'Vault', valued: false, description: '', pinned: false, image: 0 };

describeOnDatabases('REST with values at the limits', (database) => {
  let app: TestApp;
  let collectionId: string;
  let variantId: string;
  let transactionId: string;
  beforeAll(async () => {
    app = await newTestApp(database(), { maxCollections: 1000 });
    [variantId] = (await pricedVariants(database(), 1)) as [string];
    collectionId = await newCollection(app);
    ({ transactionId } = await record(app, collectionId, variantId));
  });

  /** Sends the value as literal JSON text in a field of a transaction: once to record, once to change one. */
  const asField = async (field: string, literal: string) => {
    const [name, inner] = field.split('.') as [string, string?];
    const value = inner ? { currency: 'USD', value: 1, [inner]: 'HERE' } : 'HERE';
    const text = (body: unknown) => JSON.stringify(body).replace('"HERE"', literal);
    const create = text(purchase(variantId, { [name]: value }));
    return {
      created: await app.send('POST', `/collection/${collectionId}/transaction`, create),
      changed: await app.send('PATCH', `/transaction/${transactionId}`, text({ [name]: value })),
    };
  };
  const expectRefused = async (field: string, literal: string, isNullGood = false) => {
    const { created, changed } = await asField(field, literal);
    const pointers = [`/${field.replace('.', '/')}`];
    expectProblem(created, 'ValidationFailed', { pointers });
    if (isNullGood) expect(changed.status).toBe(200);
    else expectProblem(changed, 'ValidationFailed', { pointers });
  };
  const expectTaken = async (field: string, literal: string, found: unknown) => {
    const { created, changed } = await asField(field, literal);
    const [name, inner] = (field === 'occurredDate' ? 'occurred' : field).split('.') as [string, string?];
    for (const { status, body } of [created, changed]) {
      expect({ literal, status }).toEqual({ literal, status: 200 });
      expect(inner ? body[name][inner] : body[name]).toBe(found);
    }
  };
  const text = (literal: string) => JSON.stringify(literal);

  it('takes amounts from 0 to 1e9 with at most 4 decimals', async () => {
    for (const [literal, value] of [
      ['0', 0],
      ['-0', 0],
      ['-0.0', 0],
      ['0.0000', 0],
      ['0.0001', 0.0001],
      ['1e-4', 0.0001],
      ['1.00000', 1],
      ['1.00000000000000000000', 1],
      ['1E3', 1000],
      ['999999999.9999', 999_999_999.9999],
      ['1000000000', 1e9],
      ['1e9', 1e9],
      ['1000000000.00000000000', 1e9],
    ] as const) {
      await expectTaken('unitAmount.value', literal, value);
    }
  });

  it('refuses other amounts, and rounds none', async () => {
    for (const literal of [
      '-0.0001',
      '-1',
      '0.00001',
      '1e-5',
      '1e-400',
      '0.00000000000000000000000001',
      '1.00005',
      '1.00000000000000000001',
      '0.30000000000000000001',
      '99999999.99995',
      '1000000000.0001',
      '1000000000.00000000000000000001',
      '1000000001',
      '1e10',
      '1e308',
      '1e400',
      '-1e400',
      `1${'0'.repeat(400)}`,
      '"1"',
      '"NaN"',
      'true',
      'null',
      '[1]',
      '{}',
    ]) {
      await expectRefused('unitAmount.value', literal);
    }
  });

  it('takes NaN and Infinity for what they are: no JSON', async () => {
    for (const literal of [
      'NaN',
      'Infinity',
      '-Infinity',
      '+1',
      '01',
      '1.',
      '.5',
      '0x1',
      '1_000',
      'undefined',
    ]) {
      const { created, changed } = await asField('unitAmount.value', literal);
      expectProblem(created, 'MalformedRequest');
      expectProblem(changed, 'MalformedRequest');
    }
  });

  it('takes known currencies alone', async () => {
    await expectTaken('unitAmount.currency', text('NZD'), 'NZD');
    for (const literal of ['usd', 'XXX', 'BTC', '', 'USD ', 'HRK', 'USD\u0000', '__proto__']) {
      await expectRefused('unitAmount.currency', text(literal));
    }
    for (const literal of ['1', 'null', '["USD"]']) await expectRefused('unitAmount.currency', literal);
    for (const literal of ['10', '"10"', '[]', '"USD 10"']) await expectRefused('unitAmount', literal);
    await expectRefused('unitAmount', 'null', true);
  });

  it('takes days of the calendar from 1970 to tomorrow', async () => {
    for (const day of ['1970-01-01', '2024-02-29', '2026-04-13', '2026-04-14']) {
      await expectTaken('occurredDate', text(day), `${day}T12:00:00Z`);
    }
    for (const day of [
      '1969-12-31',
      '2026-04-15',
      '9999-12-31',
      '2023-02-29',
      '2023-02-30',
      '2023-04-31',
      '2023-13-01',
      '2023-00-10',
      '2023-1-1',
      '20230101',
      '2023-01-01T00:00:00Z',
      ' 2023-01-01',
      '2023-01-01\n',
      '+002023-01-01',
      '٢٠٢٣-٠١-٠١',
      'yesterday',
      '',
    ]) {
      await expectRefused('occurredDate', text(day));
    }
    await expectRefused('occurredDate', '20230101');
    await expectRefused('occurredDate', 'null', true);
  });

  it('takes whole quantities from 1 to 1,000,000', async () => {
    for (const [literal, quantity] of [
      ['1', 1],
      ['1.0', 1],
      ['1e6', 1_000_000],
      ['1000000', 1_000_000],
      ['1.0000000000000000000', 1],
    ] as const) {
      await expectTaken('quantity', literal, quantity);
    }
    for (const literal of [
      '0',
      '-0',
      '-1',
      '1000001',
      '1.5',
      '1.00000000000000000001',
      '1e400',
      '1e-400',
      '9007199254740993',
      '"1"',
      'true',
      '[]',
    ]) {
      await expectRefused('quantity', literal);
    }
    await expectRefused('quantity', 'null', true);
  });

  it('takes Purchase and Sale', async () => {
    await expectTaken('action', '"Sale"', 'Sale');
    for (const literal of ['"sale"', '"Gift"', '""', '0', '["Sale"]']) await expectRefused('action', literal);
    await expectRefused('action', 'null', true);
  });

  const create = (name: unknown) => app.send('POST', '/collection', { name });
  const update = (changes: Record<string, unknown>) =>
    app.send('PUT', `/collection/${collectionId}`, { ...UPDATE, ...changes });

  it('takes names of 1 to 100 characters after trimming', async () => {
    for (const [name, found] of [
      ['x', 'x'],
      ['x'.repeat(100), 'x'.repeat(100)],
      [ASTRAL.repeat(100), ASTRAL.repeat(100)],
      [` \u00a0\u2003${'x'.repeat(100)}\ufeff `, 'x'.repeat(100)],
      ['Éclair & "quotes" <b> \\ % _ \u200d', 'Éclair & "quotes" <b> \\ % _ \u200d'],
    ] as const) {
      for (const answer of [await create(name), await update({ name })]) {
        expect(answer.body).toMatchObject({ name: found });
      }
    }
    const controls = ['\u0000', 'a\u0000b', 'a\nb', 'a\tb', '\u001f', 'a\u007f', 'a\u0085b', '\u009f'];
    const bad = [
      '',
      '   ',
      '\u3000',
      'x'.repeat(101),
      ASTRAL.repeat(101),
      ...controls,
      1,
      null,
      true,
      [],
      {},
    ];
    for (const name of bad) {
      expectProblem(await create(name), 'ValidationFailed', { pointers: ['/name'] });
      expectProblem(await update({ name }), 'ValidationFailed', { pointers: ['/name'] });
    }
    for (const literal of ['"\\ud800"', '"a\\udc00b"', '"\\udc00\\ud800"']) {
      expectProblem(await app.send('POST', '/collection', `{"name":${literal}}`), 'ValidationFailed', {
        pointers: ['/name'],
      });
    }
    expect((await app.send('POST', '/collection', '{"name":"\\ud83c\\udccf"}')).body.name).toBe(ASTRAL);
  });

  it('takes descriptions of up to 2,000 characters, with lines', async () => {
    for (const description of ['', 'x'.repeat(2000), ASTRAL.repeat(2000), ' two\r\n\tlines ']) {
      expect((await update({ description })).body).toMatchObject({ description });
    }
    const bad = ['x'.repeat(2001), ASTRAL.repeat(2001), 'a\u0000', 'a\u001b', 'a\u0085', null, 1, []];
    for (const description of bad) {
      expectProblem(await update({ description }), 'ValidationFailed', { pointers: ['/description'] });
    }
  });

  it('takes whole images from 0 to 2^31 − 1, and booleans for flags', async () => {
    for (const image of [0, 1, 2 ** 31 - 1]) expect((await update({ image })).body).toMatchObject({ image });
    for (const image of [-1, 2 ** 31, 0.5, 1e300, '1', null, true]) {
      expectProblem(await update({ image }), 'ValidationFailed', { pointers: ['/image'] });
    }
    for (const flag of ['valued', 'pinned']) {
      for (const value of ['true', 0, 1, null, []]) {
        expectProblem(await update({ [flag]: value }), 'ValidationFailed', { pointers: [`/${flag}`] });
      }
    }
  });

  it('lists every breach at once', async () => {
    const path = `/collection/${collectionId}/transaction`;
    const fields = ['/variantId', '/occurredDate', '/action', '/quantity', '/unitAmount'];
    expectProblem(await app.send('POST', path, {}), 'ValidationFailed', { pointers: fields });
    expectProblem(
      await app.send('POST', path, { unitAmount: {}, quantity: 0, action: null }),
      'ValidationFailed',
      {
        pointers: [...fields.slice(0, 4), '/unitAmount/currency', '/unitAmount/value'],
      },
    );
    const answer = await app.send('POST', path, purchase(variantId, { quantity: undefined }));
    expect(answer.body.errors).toEqual([{ pointer: '/quantity', detail: 'is required' }]);
    expect((await app.send('POST', path, '[]')).body.errors).toEqual([
      { pointer: '', detail: 'must be an object' },
    ]);
    const detail = 'must be one of Chronological, Alphabetical';
    const sorted = await app.send('GET', `${path}?sortOrder=x`);
    expect(sorted.body.errors).toEqual([{ pointer: '?sortOrder', detail }]);
  });

  it('lists a day out of range beside the other breaches', async () => {
    const path = `/collection/${collectionId}/transaction`;
    for (const occurredDate of ['1969-12-31', '2026-04-15']) {
      const body = purchase(variantId, { occurredDate, quantity: 0 });
      expectProblem(await app.send('POST', path, body), 'ValidationFailed', {
        pointers: ['/occurredDate', '/quantity'],
      });
    }
  });

  it('refuses fields that are not known, by JSON pointer', async () => {
    const unknown = purchase(variantId, { id: 1, unitAmount: { ...usd(1), 'a/b~c': 1 }, '': 1 });
    expectProblem(
      await app.send('POST', `/collection/${collectionId}/transaction`, unknown),
      'ValidationFailed',
      { pointers: ['/id', '/unitAmount/a~1b~0c', '/'] },
    );
    const pointers = ['/collectionId', '/quantity'];
    expectProblem(await update({ collectionId, quantity: 1 }), 'ValidationFailed', { pointers });
    expectProblem(
      await app.send('PATCH', `/transaction/${transactionId}`, { variantId }),
      'ValidationFailed',
      {
        pointers: ['/variantId'],
      },
    );
    for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      for (const value of ['{"name":"x"}', '{"name":"x1234567890123456"}', '1']) {
        const answer = await app.send('POST', '/collection', `{"name":"x","${key}":${value}}`);
        expectProblem(answer, 'ValidationFailed', { pointers: [`/${key}`] });
        const inherited = await app.send('POST', '/collection', `{"${key}":${value}}`);
        expectProblem(inherited, 'ValidationFailed', { pointers: ['/name', `/${key}`] });
      }
    }
    expect(({} as Record<string, unknown>).name).toBeUndefined();
  });

  describe('in the query', () => {
    it('refuses parameters that are repeated or not known, on every kind of route', async () => {
      const refused = async (method: string, path: string, pointers: string[], body?: unknown) =>
        expectProblem(await app.send(method, path, body), 'ValidationFailed', { pointers });
      await refused('GET', '/collection?cursor=0&cursor=0', ['?cursor']);
      await refused('GET', '/collection?sort=Value&sort=Alphabetical&x=1', ['?sort', '?x']);
      await refused('GET', '/collection?sort=Value&sort=', ['?sort']);
      await refused('GET', '/collection?sort=x&cursor=-1&pageSize=0&y=1', [
        '?sort',
        '?cursor',
        '?pageSize',
        '?y',
      ]);
      await refused('GET', '/collection?Cursor=1', ['?Cursor']);
      await refused('GET', '/ev/list?constructor=1&a%2Fb=2', ['?constructor', '?a/b']);
      await refused('GET', `/collection/${collectionId}?x=1`, ['?x']);
      await refused('POST', '/collection?name=x', ['?name'], { name: 'x' });
      await refused('DELETE', `/transaction/${transactionId}?force=1`, ['?force']);
      await refused('PATCH', `/transaction/${transactionId}?a=1&a=2`, ['?a'], {});
    });

    it('survives what is no good encoding', async () => {
      for (const query of [
        'sort=%',
        'sort=%zz',
        'sort=%ff',
        'sort=%00',
        'cursor=%',
        '%00=1',
        '%=1',
        '__proto__=1',
      ]) {
        const { status } = await app.send('GET', `/collection?${query}`);
        expect({ query, status }).toEqual({ query, status: 400 });
      }
    });
  });

  it('does not find what ids of another type or shape name', async () => {
    const shapes = [
      'x',
      '%00',
      `${collectionId}%00`,
      `${collectionId}%20`,
      collectionId.toUpperCase(),
      collectionId.replace('col_', 'txn_'),
      transactionId.replace('txn_', 'col_'),
      variantId,
      'col_',
      'col_%2F..%2F..',
      '%zz',
      '%',
      '%ff%fe',
      'null',
      '__proto__',
      '%F0%9F%83%8F',
      "col_'%20or%201=1--",
      'x'.repeat(10_000),
      `col_${'0'.repeat(100)}`,
      `col_${'0'.repeat(101)}`,
    ];
    for (const id of shapes) {
      const requests: [string, string, unknown?][] = [
        ['GET', `/collection/${id}`],
        ['PUT', `/collection/${id}`, UPDATE],
        ['DELETE', `/collection/${id}`],
        ['GET', `/collection/${id}/transaction`],
        ['POST', `/collection/${id}/transaction`, purchase(variantId)],
        ['GET', `/collection/${id}/transaction-summary`],
        ['PATCH', `/transaction/${id}`, {}],
        ['DELETE', `/transaction/${id}`],
        ['GET', `/product/${id}`],
      ];
      for (const [method, path, body] of requests) {
        const answer = await app.send(method, path, body);
        expect({ method, id: id.slice(0, 40), status: answer.status }).toMatchObject({ status: 404 });
        expectProblem(answer, 'NotFound');
      }
    }
  });
});
