import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/domain/limits.ts';
import { mutate } from '../graphql/mutate.ts';
import { asNewAccount, describeOnDatabases, newTestApp, type TestApp } from '../harness.ts';
import { textOfFixture } from '../importers/support.ts';
import { isLeftToPostgres } from '../support/left-to-postgres.ts';
import { fileOf, row } from '../support/transaction-csv.ts';
import { expectProblem, NO_COLLECTION, newCollection, ORIGIN } from './support.ts';

const CSV = { 'Content-Type': 'text/csv' };
const MIB = 1024 * 1024;

async function lengthOf(pieces: AsyncIterable<Uint8Array>): Promise<number> {
  let length = 0;
  for await (const piece of pieces) length += piece.length;
  return length;
}

describeOnDatabases('files of transactions that are uploaded', (database, kind) => {
  let app: TestApp;
  let collectionId: string;
  beforeAll(async () => {
    app = await newTestApp(database());
    collectionId = await newCollection(app);
  });

  const upload = async (
    body: string | Uint8Array | ReadableStream,
    { query = '', headers = CSV, to = collectionId, of = app }: Partial<Upload> = {},
  ) => {
    const request = new Request(`${ORIGIN}/collection/${to}/import${query}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${of.token}`, ...headers },
      body: body as BodyInit,
      duplex: 'half',
    } as RequestInit);
    const response = await of.fetch(request);
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
  };
  interface Upload {
    query: string;
    headers: Record<string, string>;
    to: string;
    of: TestApp;
  }
  const quantityNow = async () => (await app.send('GET', `/collection/${collectionId}`)).body.quantity;

  it('become a preview, which GraphQL shows and imports', async () => {
    const { status, body } = await upload(textOfFixture('transactions/fabrary.csv'));
    expect([status, body]).toEqual([
      200,
      {
        importPreviewId: expect.stringMatching(/^imp_/),
        collectionId,
        createdAt: expect.any(String),
        format: 'Fabrary',
        rowCount: 11,
        skipped: [{ reason: 'holds none', count: 2 }],
        counts: { matched: 9, unclear: 0, wrong: 0, skipped: 0 },
      },
    ]);
    const before = await quantityNow();
    const input = {
      id: body.importPreviewId,
      occurredDate: '2026-02-01',
      unitAmount: { currency: 'USD', value: 1 },
    };
    expect(await mutate(app, 'importPreviewed', input)).toMatchObject({
      written: true,
      transactionCount: 9,
      preview: { rows: { totalCount: 0 } },
    });
    expect(await quantityNow()).toBe(before + 16);
  });

  it('say of a row what it lacks, which the import then needs', async () => {
    const csv = fileOf(row(), row({ unitAmount: '' }), row({ occurredDate: '', quantity: '0' }));
    const { body } = await upload(csv);
    expect(body.counts).toEqual({ matched: 2, unclear: 0, wrong: 1, skipped: 0 });
    const id = body.importPreviewId;
    const { importPreview } = await app.graphql<{ importPreview: { rows: { nodes: object[] } } }>(
      `{ importPreview(id: "${id}") { rows { nodes { line state lacks problems { column } } } } }`,
    );
    expect(importPreview.rows.nodes).toEqual([
      { line: 2, state: 'MATCHED', lacks: [], problems: [] },
      { line: 3, state: 'MATCHED', lacks: ['unitAmount'], problems: [] },
      { line: 4, state: 'WRONG', lacks: ['occurredDate'], problems: [{ column: 'quantity' }] },
    ]);
    const choices = [{ line: 4, skip: true }];
    const without = await mutate(app, 'importPreviewed', { id, choices, dryRun: true });
    expect(without.errors).toMatchObject([{ line: 3, column: 'unitAmount' }]);
    const given = await mutate(app, 'importPreviewed', { id, choices, dryRun: true, cost: 'UNKNOWN' });
    expect(given).toMatchObject({ errors: [], transactionCount: 2 });
  });

  it('may be forms with one file', async () => {
    const form = new FormData();
    form.set('file', new Blob([fileOf(row())], { type: 'text/csv' }), 'binder.csv');
    const sent = new Response(form);
    const headers = { 'Content-Type': sent.headers.get('Content-Type')! };
    const bytes = new Uint8Array(await sent.arrayBuffer());
    expect(await upload(bytes, { headers })).toMatchObject({ status: 200, body: { rowCount: 1 } });
    expectProblem(await upload(bytes.subarray(0, -20), { headers }), 'MalformedRequest');
    form.set('other', 'x');
    const two = new Response(form);
    const ofTwo = { 'Content-Type': two.headers.get('Content-Type')! };
    expectProblem(
      await upload(new Uint8Array(await two.arrayBuffer()), { headers: ofTwo }),
      'MalformedRequest',
    );
    expectProblem(
      await upload('x', { headers: { 'Content-Type': 'multipart/form-data' } }),
      'MalformedRequest',
    );
  });

  it('may have 16 KiB of headers in a form, and not one byte more, however they come', async () => {
    const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
    const form = (headBytes: number) => {
      const head = (padding: string) => `--b\r\nX: ${padding}\r\n\r\n`;
      return Buffer.from(`${head('x'.repeat(headBytes - head('').length))}${fileOf(row())}\r\n--b--\r\n`);
    };
    const inTwo = (bytes: Buffer) =>
      new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(bytes.subarray(0, 10_000));
          controller.enqueue(bytes.subarray(10_000));
          controller.close();
        },
      });
    const [longest, tooLong] = [form(16 * 1024), form(16 * 1024 + 1)];
    for (const body of [longest, inTwo(longest)])
      expect(await upload(body, { headers })).toMatchObject({ status: 200, body: { rowCount: 1 } });
    for (const body of [tooLong, inTwo(tooLong)])
      expectProblem(await upload(body, { headers }), 'MalformedRequest');
  });

  it('are read as they come, in pieces of any size', async () => {
    const form = new FormData();
    form.set(
      'file',
      new Blob([fileOf(row(), row({ productName: 'Crème' }))], { type: 'text/csv' }),
      'binder.csv',
    );
    const sent = new Response(form);
    const ofForm = { 'Content-Type': sent.headers.get('Content-Type')! };
    const files: [Uint8Array, Record<string, string>][] = [
      [new Uint8Array(await sent.arrayBuffer()), ofForm],
      [Buffer.from(`\uFEFF${fileOf(row(), row())}`, 'utf16le'), CSV],
    ];
    for (const [bytes, headers] of files)
      for (const size of [1, 2, 7, 31]) {
        let at = 0;
        const pieces = new ReadableStream<Uint8Array>({
          pull(controller) {
            if (at >= bytes.length) return controller.close();
            controller.enqueue(bytes.slice(at, at + size));
            at += size;
          },
        });
        expect(await upload(pieces, { headers }), `by ${size}`).toMatchObject({
          status: 200,
          body: { rowCount: 2 },
        });
      }
  });

  it('are refused at the line that is wrong, before the rest has come', async () => {
    let sent = 0;
    const rows = Buffer.from(row().repeat(100));
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(sent++ === 0 ? Buffer.from('Dear,Sir,or,Madam\n') : rows);
      },
    });
    expectProblem(await upload(endless), 'ValidationFailed', { pointers: [''] });
    expect(sent * rows.length).toBeLessThan(MIB);
  });

  it('may be UTF-16, with its mark', async () => {
    const text = Buffer.from(`\uFEFF${fileOf(row(), row())}`, 'utf16le');
    expect(await upload(text)).toMatchObject({ status: 200, body: { counts: { matched: 2 } } });
    expect(await upload(text.swap16())).toMatchObject({ status: 200, body: { counts: { matched: 2 } } });
  });

  it('are read as the parameters say', async () => {
    const sheet = 'Bought;Qty;Card;Foil;Paid\n3.2.2025;2;MST131;Normal;1.234,50\n';
    const names = {
      occurredDate: 'Bought',
      quantity: 'Qty',
      number: 'Card',
      variantName: 'Foil',
      unitAmount: 'Paid',
    };
    const query = new URLSearchParams({
      ...Object.fromEntries(Object.entries(names).map(([what, name]) => [`columns.${what}`, name])),
      dateOrder: 'DayMonthYear',
      decimalSign: 'Comma',
      currency: 'EUR',
    });
    const { body } = await upload(sheet, { query: `?${query}` });
    expect(body).toMatchObject({ format: 'Columns', counts: { matched: 1 } });
    const { importPreview } = await app.graphql<{ importPreview: unknown }>(
      `{ importPreview(id: "${body.importPreviewId}") { rows { nodes {
        number occurredDate quantity unitAmount { currency decimal } } } } }`,
    );
    expect(importPreview).toEqual({
      rows: {
        nodes: [
          {
            number: 'MST131',
            occurredDate: '2025-02-03',
            quantity: 2,
            unitAmount: { currency: 'EUR', decimal: '1234.50' },
          },
        ],
      },
    });
    for (const [bad, pointer] of [
      ['format=Excel', '?format'],
      ['dateOrder=x', '?dateOrder'],
      ['columns.card=x', '?columns.card'],
      ['columns.number=Card', '?columns.quantity'],
      ['unitAmount=1', '?currency'],
      ['unitAmount=-1&currency=USD', '?unitAmount'],
      ['occurredDate=2026-02-30', '?occurredDate'],
      ['format=Columns', '?columns'],
      ['format=Fabrary', ''],
    ])
      expectProblem(await upload(sheet, { query: `?${bad}` }), 'ValidationFailed', { pointers: [pointer!] });
  });

  describe('that are none', () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    it.each<[string, Uint8Array | string, RegExp]>([
      ['a picture', png, /no CSV file but a picture \(PNG\)/],
      [
        'an Excel workbook',
        Buffer.from('504b030414000600', 'hex'),
        /Excel workbooks \(\.xlsx\).*save the sheet as CSV/,
      ],
      ['an old Excel workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /Excel workbook \(\.xls\)/],
      ['a packed file', gzipSync('x'), /gzip archive; unpack it/],
      ['a PDF', '%PDF-1.7\n', /a PDF/],
      ['nothing', '', /the file is empty/],
      ['a list of JSON', '[\n  {"quantity": 1}\n]', /list of JSON; put each object on a line/],
      ['a text', 'Dear Sir or Madam', /the header is of none of/],
      ['half a file', fileOf(row({ productName: '"Command and' })), /a quoted text does not end/],
      ['bytes of no text', Buffer.from(`${fileOf(row())}\xff`, 'latin1'), /not UTF-8 text/],
      ['rows that are none', `{}\n${'1\n'.repeat(10_000)}`, /more than 10000 transactions/],
      ['100,000 rows', fileOf(...Array<string>(100_000).fill(row())), /more than 10000 transactions/],
      [
        '100,000 broken rows',
        fileOf(...Array<string>(100_000).fill('1,2')),
        /more than 1000 rows do not have/,
      ],
      ['text without a line break', `${'x'.repeat(2 * MIB)}`, /more than 64 KiB/],
    ])('get one clear message, and change nothing: %s', async (_what, file, detail) => {
      const before = await quantityNow();
      const answer = await upload(file);
      expectProblem(answer, 'ValidationFailed', { pointers: [''] });
      expect(answer.body.errors).toHaveLength(1);
      expect(answer.body.detail).toMatch(detail);
      expect(await quantityNow()).toBe(before);
    });
  });

  it('may have rows that hold none beyond what an import takes', async () => {
    const header = 'Identifier,Name,Pitch,Set,Set number,Edition,Foiling,Treatment,Have';
    const none = 'x,Command and Conquer,1,Arcane Rising,ARC159,Unlimited,,,0';
    const file = [header, ...Array<string>(30_000).fill(none), none.replace(/0$/, '3')].join('\n');
    expect((await upload(file)).body).toMatchObject({
      rowCount: 30_001,
      skipped: [{ reason: 'holds none', count: 30_000 }],
      counts: { matched: 1, unclear: 0, wrong: 0, skipped: 0 },
    });
  });

  it.skipIf(isLeftToPostgres(kind))('have 16 MiB, and not one byte more', async () => {
    const full = Buffer.alloc(LIMITS.importFileBytes, '\n');
    full.write(fileOf(row()));
    expect((await upload(full)).body).toMatchObject({ rowCount: 1 });
    const tooLong = Buffer.concat([full, Buffer.from('\n')]);
    expectProblem(await upload(tooLong), 'MalformedRequest', { status: 413 });
    const stated = { ...CSV, 'Content-Length': String(tooLong.length) };
    expectProblem(await upload(tooLong, { headers: stated }), 'MalformedRequest', { status: 413 });
  });

  it('must have a type that is known, and be whole', async () => {
    for (const headers of [
      { 'Content-Type': 'application/json' },
      { 'Content-Type': 'application/octet-stream' },
      { ...CSV, 'Content-Encoding': 'gzip' },
    ])
      expectProblem(await upload(fileOf(row()), { headers }), 'MalformedRequest', { status: 415 });
  });

  it('are refused before they are read where nobody may have them', async () => {
    const pulled: string[] = [];
    const body = () =>
      new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            pulled.push('read');
            controller.enqueue(Buffer.from('x'));
          },
        },
        { highWaterMark: 0 },
      );
    const send = (to: string, token: string) =>
      app.fetch(
        new Request(`${ORIGIN}/collection/${to}/import`, {
          method: 'POST',
          headers: { ...CSV, Authorization: `Bearer ${token}` },
          body: body(),
          duplex: 'half',
        } as RequestInit),
      );
    const stranger = await asNewAccount(database(), app.fetch);
    expect((await send(collectionId, 'x')).status).toBe(401);
    expect((await send(collectionId, stranger.token)).status).toBe(404);
    expect((await send(NO_COLLECTION, app.token)).status).toBe(404);
    // One piece of each is on its way to the server.
    expect(pulled.length).toBeLessThanOrEqual(3);
  });

  it('give one preview for a key', async () => {
    const headers = { ...CSV, 'Idempotency-Key': 'upload-1' };
    const [first, second] = [
      await upload(fileOf(row()), { headers }),
      await upload(fileOf(row()), { headers }),
    ];
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('Idempotency-Replayed')).toBe('true');
    expectProblem(await upload(fileOf(row(), row()), { headers }), 'IdempotencyMismatch');
  });

  it('are bounded apart from other bodies', async () => {
    const strict = {
      processBytes: 4096,
      addressBytes: 4096,
      strangersBytes: 4096,
      platformBytes: 4096,
      accountBytes: 2048,
      littleBytes: 0,
      windowMillis: 5000,
      windowBytes: 1,
    };
    const { createBodies } = await import('../../src/http/body.ts');
    const bodies = createBodies(undefined, strict);
    const sent = (length: number) =>
      bodies.of(
        new Request(ORIGIN, {
          method: 'POST',
          body: 'x'.repeat(length),
          headers: { 'Content-Length': String(length) },
        }),
        undefined,
      );
    const me = { address: '10.0.0.1', accountId: 'a' };
    const one = sent(2048);
    expect(await lengthOf(one.stream(me, true))).toBe(2048);
    await expect(lengthOf(sent(1).stream(me, true))).rejects.toMatchObject({ problem: 'RateLimited' });
    const small = sent(1);
    expect(await small.read(MIB, me)).toHaveLength(1);
    const other = sent(2048);
    await lengthOf(other.stream({ address: '10.0.0.2', accountId: 'b' }, true));
    await expect(
      lengthOf(sent(1).stream({ address: '10.0.0.3', accountId: 'c' }, true)),
    ).rejects.toMatchObject({
      problem: 'Unavailable',
      details: { retryAfterSeconds: 1 },
    });
    for (const body of [one, small, other]) body.release();
    expect(bodies.bytes).toBe(0);
  });
});
