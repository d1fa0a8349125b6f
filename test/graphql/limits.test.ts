import { beforeAll, describe, expect, it } from 'vitest';
import { describeOnDatabases, newTestApp, pricedVariants, statementsOf, type TestApp } from '../harness.ts';
import { graphqlEntry, recordWorkedExample, type WorkedExample } from '../support/furnished.ts';

/** With it, a request that cannot be executed is 400; plain JSON gets 200 for some. */
const ACCEPT = { Accept: 'application/graphql-response+json' };

const many = (count: number, text: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => text(i)).join(' ');

/** A document of so many bytes, most of them in a comment of two-byte letters. */
function bytes(count: number): string {
  const text = '{ viewer { id } } #';
  return (
    text.padEnd(text.length + (count % 2 === text.length % 2 ? 0 : 1), '#') +
    'é'.repeat(Math.floor((count - text.length) / 2))
  );
}

/** A document of so many tokens: 10 fields of 12 tokens and their ids, and 2 braces. */
function tokens(count: number): string {
  const ids = count - 2 - 10 * 12;
  const field = (i: number) => `a${i}: nodes(ids: [${'"x" '.repeat(i < 9 ? 188 : ids - 9 * 188)}]) { id }`;
  return `{ ${many(10, field)} }`;
}

/** Fields on the longest path: 1 + 3 for each round + the leaf's. */
function depth(leaf: string, id: string): string {
  const rounds = 3;
  return `{ transaction(id: "${id}") { ${'collection { transactions(first: 1) { nodes { '.repeat(rounds)} ${leaf} ${'} } } '.repeat(rounds)} } }`;
}

const aliases = (count: number) => `{ ${many(count, (i) => `a${i}: __typename`)} }`;
const cost = (size: number) =>
  `{ collections(first: 200) { nodes { transactionSummaries(first: ${size}) { nodes { variant { id } } } } } }`;

describeOnDatabases('limits of an operation on the schema', (database) => {
  let app: TestApp;
  let example: WorkedExample;
  let variants: string[];

  beforeAll(async () => {
    app = await newTestApp(database());
    example = await recordWorkedExample(database(), app);
    variants = await pricedVariants(database(), 1000);
  });

  const send = async (query: string, variables?: unknown) => {
    const { result, statements } = await statementsOf(() =>
      app.send('POST', '/graphql', { query, variables }, ACCEPT),
    );
    return { ...result, statements: statements.length };
  };
  const expectRefused = async (query: string, codes: string[], variables?: unknown) => {
    const { status, body, statements } = await send(query, variables);
    expect(status).toBe(400);
    expect(codes).toContain(body.errors[0].extensions.code);
    expect(body.errors[0].extensions.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(body).not.toHaveProperty('data');
    expect(statements).toBe(0);
  };

  describe.each([
    ['64 KiB', 'DOCUMENT_TOO_LARGE', () => bytes(65_536), () => bytes(65_537)],
    ['2,000 tokens', 'TOO_MANY_TOKENS', () => tokens(2000), () => tokens(2001)],
    [
      '150 selections from fields of one name',
      'GRAPHQL_VALIDATION_FAILED',
      () => `{ ${'viewer { id } '.repeat(150)} }`,
      () => `{ ${'viewer { id } '.repeat(150)} ...F } fragment F on Query { viewer { id } }`,
    ],
    [
      'depth 12',
      'DEPTH_LIMIT',
      () => depth('id collection { id }', example.transactionIds[0]!),
      () => depth('id collection { marketValue { value } }', example.transactionIds[0]!),
    ],
    ['30 aliases', 'ALIAS_LIMIT', () => aliases(30), () => aliases(31)],
    [
      '30 aliases after fragments are spread',
      'ALIAS_LIMIT',
      () =>
        '{ collections { nodes { ...A transactions { nodes { collection { ...A } } } } } } fragment A on Collection { ...B } fragment B on Collection { ' +
        many(15, (i) => `a${i}: name`) +
        ' }',
      () =>
        '{ collections { nodes { ...A transactions { nodes { collection { ...A b: id } } } } } } fragment A on Collection { ...B } fragment B on Collection { ' +
        many(15, (i) => `a${i}: name`) +
        ' }',
    ],
    // 1 + 200 × (1 + 1 + 23 × 2) = 9,601; with 24 it is 10,001.
    ['a cost of 10,000', 'COST_LIMIT', () => cost(23), () => cost(24)],
  ] as const)('%s', (_limit, code, within, beyond) => {
    it('is taken', async () => {
      const { status, body } = await send(within());
      expect(body.errors).toBeUndefined();
      expect(status).toBe(200);
      expect(body.extensions.cost.requested).toBeLessThanOrEqual(10_000);
    });

    it('is the most, and nothing is executed beyond', async () => {
      await expectRefused(beyond(), [code]);
    });
  });

  it('the helpers above make what they say', () => {
    expect([Buffer.byteLength(bytes(65_536)), Buffer.byteLength(bytes(65_537))]).toEqual([65_536, 65_537]);
  });

  describe('a payload that answers item by item', () => {
    const rest = (fields: string) => `{ ... on CreateTransactionsPayload { transactions { ${fields} } } }`;
    const page = 'collection { transactionSummaries(first: 200) { nodes { variant { product { name } } } } }';
    const transactions = (count: number) => variants.slice(0, count).map((id) => graphqlEntry(id));
    const literal = (count: number) =>
      `[${many(count, () => `{ variantId: "${variants[0]}", occurredDate: "2026-04-13", action: SALE, quantity: 1, unitAmount: { currency: USD, value: 1 } }`)}]`;

    it('costs as many times as there are items in the input', async () => {
      const { collectionId } = example;
      const whole = `mutation ($input: CreateTransactionsInput!) { createTransactions(input: $input) ${rest(page)} }`;
      await expectRefused(whole, ['COST_LIMIT'], {
        input: { collectionId, transactions: transactions(1000) },
      });
      const list = `mutation ($t: [TransactionEntryInput!]!) {
        createTransactions(input: { collectionId: "${collectionId}", transactions: $t }) ${rest(page)} }`;
      await expectRefused(list, ['COST_LIMIT'], { t: transactions(100) });
      await expectRefused(
        `mutation { createTransactions(input: { collectionId: "${collectionId}", transactions: ${literal(40)} }) ${rest(page)} }`,
        ['COST_LIMIT'],
      );
      await expectRefused(
        `mutation ($t: [TransactionEntryInput!]! = ${literal(40)}) {
          createTransactions(input: { collectionId: "${collectionId}", transactions: $t }) ${rest(page)} }`,
        ['COST_LIMIT'],
      );
    });

    it('passes with what one wants to know of 1,000 transactions', async () => {
      const input = { collectionId: example.collectionId, transactions: transactions(1000) };
      const { body } = await send(
        `mutation ($input: CreateTransactionsInput!) { createTransactions(input: $input) ${rest('id unitAmount { value } variant { product { name } }')} }`,
        { input },
      );
      expect(body.errors).toBeUndefined();
      expect(body.extensions.cost.requested).toBe(10 + 1 + 1000 * 3);
      expect(body.data.createTransactions.transactions).toHaveLength(1000);
    });
  });

  describe('the history of an expected value', () => {
    const history = (from: string, more = '') =>
      `{ productEvs(first: 1) { nodes { history(from: "${from}", to: "2026-04-13") { date } ${more} } } }`;

    it('has up to 400 days, and costs as many points', async () => {
      const { body } = await send(history('2025-03-10'));
      expect(body.errors).toBeUndefined();
      expect(body.extensions.cost.requested).toBe(1 + 1 + 400);
      expect((await send(history('2026-04-13'))).body.extensions.cost.requested).toBe(1 + 1 + 1);
    });

    it('has no more, which costs the field alone', async () => {
      const { status, body } = await send(history('2025-03-09', 'setType'));
      expect(status).toBe(200);
      expect(body.data.productEvs.nodes).toEqual([{ history: null, setType: expect.any(String) }]);
      expect(body.errors).toMatchObject([
        { path: ['productEvs', 'nodes', 0, 'history'], extensions: { code: 'BAD_USER_INPUT' } },
      ]);
      expect(body.errors[0].message).toContain('400 days');
    });

    it('cannot be asked of all of them for all days', async () => {
      const all = (i: number) =>
        `a${i}: productEvs(first: 200) { nodes { history(from: "1970-01-01", to: "2026-04-13") { date } } }`;
      await expectRefused(`{ ${many(6, all)} }`, ['COST_LIMIT']);
      await expectRefused(`{ ${all(0)} }`, ['COST_LIMIT']);
    });
  });

  it('reports of one import fit in an operation, and those of two do not', async () => {
    const report = (i: number) => `i${i}: importTransactions(input: { collectionId: "x", csv: "" }) {
      ... on ImportTransactionsPayload { skipped { reason } errors { line suggestions { variantId } } duplicates { line } } }`;
    const { body } = await send(`mutation { ${report(1)} }`);
    expect(body.errors).toBeUndefined();
    expect(body.extensions.cost.requested).toBe(5000 + 10 + 1 + 5 + 1000 * 2 + 1000);
    await expectRefused(`mutation { ${report(1)} ${report(2)} }`, ['COST_LIMIT']);
  });

  describe('hostile documents', () => {
    const chain = (length: number, type: string, root: string, body: (next: string) => string) =>
      `{ ${root} } ${many(length, (i) => `fragment F${i} on ${type} { ${body(`...F${i + 1}`)} }`)} fragment F${length} on ${type} { id }`;
    const documents: [string, string, string[]][] = [
      [
        'aliases × fragments',
        chain(
          60,
          'Product',
          'product(id: 1) { ...F0 }',
          (next) => `a: variants { product { ${next} } } b: variants { product { ${next} } }`,
        ),
        ['DEPTH_LIMIT', 'ALIAS_LIMIT', 'COST_LIMIT'],
      ],
      [
        'pages × fragments',
        chain(
          3,
          'Collection',
          'collections(first: 200) { nodes { ...F0 } }',
          (next) => `transactions(first: 200) { nodes { collection { ${next} } } }`,
        ),
        ['COST_LIMIT', 'DEPTH_LIMIT'],
      ],
      [
        'a ring of fragments',
        '{ viewer { ...A } } fragment A on Account { ...B } fragment B on Account { ...A }',
        ['GRAPHQL_VALIDATION_FAILED'],
      ],
      ['open braces', '{'.repeat(60_000), ['GRAPHQL_PARSE_FAILED', 'TOO_MANY_TOKENS', 'DEPTH_LIMIT']],
      ['one field 1,990 times', `{ ${'__typename '.repeat(1990)} }`, ['GRAPHQL_VALIDATION_FAILED']],
      ['one object 490 times', `{ ${'viewer { id } '.repeat(490)} }`, ['GRAPHQL_VALIDATION_FAILED']],
      ['900 directives', `{ __typename ${'@a'.repeat(900)} }`, ['GRAPHQL_VALIDATION_FAILED']],
      [
        'introspection in depth',
        `{ __schema { types { ${'fields { type { '.repeat(8)} name ${'} } '.repeat(8)} } } }`,
        ['DEPTH_LIMIT'],
      ],
      ['nodes of 10,001 ids', `query ($ids: [ID!]!) { nodes(ids: $ids) { id } }`, ['COST_LIMIT']],
    ];
    it.each(documents)('%s', async (_name, query, codes) => {
      await expectRefused(query, codes, { ids: Array.from({ length: 10_001 }, () => 'x') });
    });
  });

  describe('numbers that lose digits', () => {
    const mutation = `mutation ($value: Float!) { createTransaction(input: { collectionId: "x", variantId: "x",
      occurredDate: "2026-04-13", action: SALE, quantity: 1, unitAmount: { currency: USD, value: $value } }) {
      __typename ... on Error { message } } }`;
    const lossy = [
      '10.00000000000000001',
      '0.1000000000000000055',
      '99999999999999999999',
      '1e-400',
      '123456789.00000000001',
    ];

    it.each(lossy)('%s is refused, not rounded, in a variable', async (value) => {
      const { status, body } = await app.send(
        'POST',
        '/graphql',
        `{"query":${JSON.stringify(mutation)},"variables":{"value":${value}}}`,
        ACCEPT,
      );
      expect(body.errors?.[0].extensions.code).toBe('BAD_USER_INPUT');
      expect(status).toBe(400);
    });

    it.each(lossy)('%s is refused, not rounded, in a document', async (value) => {
      const query = mutation.replace('($value: Float!)', '').replace('$value', value);
      await expectRefused(query, ['BAD_USER_INPUT']);
      // Again, when the document is known.
      await expectRefused(query, ['BAD_USER_INPUT']);
    });

    it.each(['10.0000', '1e3', '0.10', '999999999.9999', '1000000000', '0'])('%s is taken', async (value) => {
      const text = `{"query":${JSON.stringify(mutation)},"variables":{"value":${value}, "pad": 0.1234567890123456}}`;
      const { body } = await app.send('POST', '/graphql', text);
      expect(body.data.createTransaction).toEqual({
        __typename: 'NotFound',
        message: 'The collection does not exist.',
      });
    });
  });
});
