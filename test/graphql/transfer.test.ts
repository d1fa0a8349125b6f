import { beforeAll, describe, expect, it } from 'vitest';
import { describeOnDatabases, newTestApp, pricedVariants, statementsOf, type TestApp } from '../harness.ts';
import { textOfFixture } from '../importers/support.ts';
import { graphqlEntry } from '../support/furnished.ts';
import { mutate, mutationDocument } from './mutate.ts';

const HEADER = 'occurredDate,action,quantity,unitAmount,currency,variantId';

describeOnDatabases('importTransactions and transactionsCsv', (database) => {
  let app: TestApp;
  let variants: string[];

  beforeAll(async () => {
    app = await newTestApp(database());
    variants = await pricedVariants(database(), 1000);
    await app.graphql('{ products(query: "dash") { totalCount } }');
  });

  const newCollection = async (of = app): Promise<string> =>
    (await mutate(of, 'createCollection', { name: 'Binder' })).collection.id;
  const row = (quantity = 1) => `2026-01-31,Purchase,${quantity},1.50,USD,${variants[0]}`;
  const fileOf = (...rows: string[]) => [HEADER, ...rows].join('\n');
  const page = async (id: string, after: string | null = null, of = app) => {
    const query = `query ($id: ID!, $after: String) { collection(id: $id) { transactionsCsv(after: $after) {
      csv endCursor } } }`;
    type Data = { collection: { transactionsCsv: { csv: string; endCursor: string | null } } | null };
    return (await of.graphql<Data>(query, { id, after })).collection?.transactionsCsv;
  };

  it('reports what it read and recorded', async () => {
    const collectionId = await newCollection();
    const input = { occurredDate: '2026-02-01', unitAmount: { currency: 'USD', value: 0 } };
    const csv = textOfFixture('transactions/tcgplayer-seller.csv');
    expect(
      await mutate(app, 'importTransactions', { collectionId, csv, format: 'TCGPLAYER', ...input }),
    ).toEqual({
      __typename: 'ImportTransactionsPayload',
      written: true,
      format: 'TCGPLAYER',
      rowCount: 5,
      transactionCount: 3,
      skipped: [
        { reason: 'of another game', count: 1 },
        { reason: 'holds none', count: 1 },
      ],
      errorCount: 0,
      errors: [],
      duplicateCount: 0,
      duplicates: [],
      oversoldCount: 0,
      oversold: [],
      collection: { id: collectionId, quantity: 7 },
    });
  });

  it('reports an error for each row, and what may be meant', async () => {
    const collectionId = await newCollection();
    const csv = [
      'occurredDate,action,quantity,unitAmount,currency,number,productName,variantName',
      '2026-01-31,Purchase,0,1.50,USD,MST131,"10,000 Year Reunion",Rainbow Foil',
      '2026-01-31,Purchase,1,1.50,USD,,Comand and Conqer,Unlimited Edition Normal',
    ].join('\n');
    const result = await mutate(app, 'importTransactions', { collectionId, csv });
    expect(result).toMatchObject({ written: false, errorCount: 2, collection: { quantity: 0 } });
    expect(result.errors).toMatchObject([
      { line: 2, column: 'quantity', detail: 'must be a whole number from 1 to 1000000', suggestions: [] },
      {
        line: 3,
        column: 'productName',
        suggestions: [
          {
            variantId: 'var_atzw90sz174deze4',
            variantName: 'Unlimited Edition Normal',
            productName: 'Command and Conquer',
            number: 'ARC159',
            fcId: 'ARC159-Unlimited',
          },
          {},
          {},
        ],
      },
    ]);
  });

  it.each([
    ['', 'csv', 'line 1: the file is empty'],
    [
      'a,b\n1,2',
      'csv',
      /^line 1: the header is of none of cardledger, .*; it begins with a, b\. Say by columns/,
    ],
    [`${HEADER}\n"2026`, 'csv', /^line 2: a quoted text does not end/],
  ])('refuses %j', async (csv, field, detail) => {
    const result = await mutate(app, 'importTransactions', { collectionId: await newCollection(), csv });
    expect(result).toMatchObject({
      __typename: 'ValidationFailed',
      errors: [
        { path: [field], detail: typeof detail === 'string' ? detail : expect.stringMatching(detail) },
      ],
    });
  });

  it('takes what rows without a price have cost, of which their error tells', async () => {
    const collectionId = await newCollection();
    const input = { collectionId, csv: fileOf(row().replace('1.50', '')) };
    const refused = await mutate(app, 'importTransactions', input);
    expect(refused).toMatchObject({
      written: false,
      errors: [{ column: 'unitAmount', detail: expect.stringContaining('or a cost, such as unknown') }],
    });
    const taken = await mutate(app, 'importTransactions', { ...input, cost: 'UNKNOWN' });
    expect(taken).toMatchObject({ written: true, errors: [], transactionCount: 1 });
  });

  it('is once for its key; a refusal is not kept', async () => {
    const collectionId = await newCollection();
    const input = { collectionId, idempotencyKey: `import-${collectionId}` };
    const dry = await mutate(app, 'importTransactions', { ...input, csv: fileOf(row()), dryRun: true });
    expect(dry).toMatchObject({ written: false, transactionCount: 1 });
    const refused = await mutate(app, 'importTransactions', { ...input, csv: fileOf(row(0)) });
    expect(refused).toMatchObject({ written: false, errorCount: 1 });
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => mutate(app, 'importTransactions', { ...input, csv: fileOf(row(5)) })),
    );
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]).toMatchObject({ written: true, collection: { quantity: 5 } });
    expect(await mutate(app, 'importTransactions', { ...input, csv: fileOf(row(6)) })).toMatchObject({
      __typename: 'IdempotencyMismatch',
    });
  });

  it('does not reach the collections of another account', async () => {
    const stranger = await newTestApp(database());
    const collectionId = await newCollection();
    expect(await mutate(stranger, 'importTransactions', { collectionId, csv: fileOf(row()) })).toEqual({
      __typename: 'NotFound',
      message: 'The collection does not exist.',
    });
    expect(await page(collectionId, null, stranger)).toBeUndefined();
    expect((await page(collectionId))!.csv.split('\r\n')).toHaveLength(2);
  });

  it('costs so much that one operation has one import', async () => {
    const collectionId = await newCollection();
    const one = mutationDocument('importTransactions').replace(/^mutation [^{]*\{|\}$/g, '');
    const query = `mutation ($input: ImportTransactionsInput!) { a: ${one} b: ${one} }`;
    const variables = { input: { collectionId, csv: fileOf(row()) } };
    const { status, body } = await app.send('POST', '/graphql', { query, variables });
    expect([status, body.errors[0].extensions.code]).toEqual([400, 'COST_LIMIT']);
    const single = await app.send('POST', '/graphql', {
      query: mutationDocument('importTransactions'),
      variables,
    });
    expect(single.body.extensions.cost.requested).toBeGreaterThan(5000);
  });

  it('takes a file up to the size of a request, and none above', async () => {
    const collectionId = await newCollection();
    const query = mutationDocument('importTransactions');
    const send = (padding: number) => {
      const csv = `${fileOf(row())}\n${`${' '.repeat(50_000)}\n`.repeat(padding / 50_000)}`;
      return app.send('POST', '/graphql', {
        query,
        variables: { input: { collectionId, csv, dryRun: true } },
      });
    };
    const { body } = await send(1_000_000);
    expect(body.data.importTransactions).toMatchObject({ transactionCount: 1, errors: [] });
    expect((await send(1_050_000)).status).toBe(413);
  });

  describe('transactionsCsv', () => {
    it('gives parts that are the file', async () => {
      const collectionId = await newCollection();
      for (let i = 0; i < 2; i++) {
        const transactions = variants.map((id) => graphqlEntry(id, { quantity: 1 + i }));
        await mutate(app, 'createTransactions', { collectionId, transactions });
      }
      await mutate(app, 'createTransaction', { collectionId, ...graphqlEntry(variants[0]!) });
      const parts: string[] = [];
      let after: string | null = null;
      do {
        const part: { csv: string; endCursor: string | null } = (await page(collectionId, after))!;
        parts.push(part.csv);
        after = part.endCursor;
      } while (after !== null);
      expect(parts.map((part) => part.split('\r\n').length - 1)).toEqual([1001, 1000, 1]);
      const lines = parts.join('').split('\r\n');
      expect(lines[0]).toMatch(/^transactionId,collection,occurredDate,/);
      expect(new Set(lines)).toHaveProperty('size', 2003);
      const copy = await newCollection();
      const result = await mutate(app, 'importTransactions', { collectionId: copy, csv: parts.join('') });
      expect(result).toMatchObject({ written: true, transactionCount: 2001 });
    });

    it('gives parts in the format of another program, without sales', async () => {
      const collectionId = await newCollection();
      const purchases = variants.map((id) => graphqlEntry(id));
      await mutate(app, 'createTransactions', { collectionId, transactions: purchases });
      await mutate(app, 'createTransaction', {
        collectionId,
        ...graphqlEntry(variants[0]!, { action: 'Sale', occurredDate: '2026-04-14' }),
      });
      const query = `query ($id: ID!, $after: String, $format: ExportFormat!) {
        collection(id: $id) { transactionsCsv(after: $after, format: $format) { csv salesLeftOut endCursor } } }`;
      type Part = { csv: string; salesLeftOut: number; endCursor: string | null };
      type Data = { collection: { transactionsCsv: Part } };
      const part = async (format: string, after: string | null = null) =>
        (await app.graphql<Data>(query, { id: collectionId, after, format })).collection.transactionsCsv;
      const first = await part('ARCHIDEKT');
      const last = await part('ARCHIDEKT', first.endCursor);
      expect([first, last].map(({ csv }) => csv.split('\r\n').length - 1)).toEqual([1001, 0]);
      expect([first, last].map(({ salesLeftOut }) => salesLeftOut)).toEqual([0, 1]);
      expect((await part('JSON', first.endCursor)).csv).toContain('"action":"Sale"');
      const copy = await newCollection();
      const result = await mutate(app, 'importTransactions', {
        collectionId: copy,
        csv: first.csv + last.csv,
      });
      expect(result).toMatchObject({ written: true, format: 'ARCHIDEKT', transactionCount: 1000 });
    });

    it('takes as many statements for one collection as for several', async () => {
      const query = 'query ($n: Int!) { collections(first: $n) { nodes { transactionsCsv { csv } } } }';
      for (const n of [1, 9]) {
        const { statements } = await statementsOf(() => app.graphql(query, { n }));
        expect(statements).toHaveLength(2);
      }
    });

    it('costs a point for each row of a page', async () => {
      const query = (n: number) => `{ collections(first: ${n}) { nodes { transactionsCsv { csv } } } }`;
      const { body } = await app.send('POST', '/graphql', { query: query(9) });
      expect(body.extensions.cost.requested).toBe(1 + 9 * (1 + 1001));
      expect((await app.send('POST', '/graphql', { query: query(10) })).status).toBe(400);
    });

    it.each(['x', 'WyJ4Il0'])('refuses the cursor %j', async (after) => {
      const query =
        'query ($id: ID!, $after: String) { collection(id: $id) { transactionsCsv(after: $after) { csv } } }';
      const variables = { id: await newCollection(), after };
      const { body } = await app.send('POST', '/graphql', { query, variables });
      expect(body.errors[0].extensions.code).toBe('BAD_USER_INPUT');
    });
  });
});
