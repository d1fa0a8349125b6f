import { beforeAll, describe, expect, it } from 'vitest';
import {
  describeOnDatabases,
  newTestApp,
  pricedVariants,
  statementsOf,
  type TestApp,
} from '../../harness.ts';
import { graphqlEntry, recordWorkedExample } from '../../support/furnished.ts';
import { mutate } from '../mutate.ts';

/** What an operation costs by the size of what it reads, beside the points of its shape. */
describeOnDatabases('cost by size', (database) => {
  let app: TestApp;
  let id: string;

  beforeAll(async () => {
    app = await newTestApp(database());
    id = (await recordWorkedExample(database(), app)).collectionId;
    // The search is made, and the catalogue read.
    await app.graphql('{ products(query: "dash") { totalCount } }');
  });

  /** As many transactions as the row of the collection says: nobody looks for them before they are charged for. */
  const sized = (count: number) =>
    database().query('update collection set transaction_count = $2, revision = revision + 1 where id = $1', [
      id,
      count,
    ]);

  async function asked(fields: string) {
    const { result, statements } = await statementsOf(() =>
      app.send('POST', '/graphql', { query: `{ collection(id: "${id}") { ${fields} } }` }),
    );
    const { cost } = result.body.extensions;
    return { ...result, cost: cost.requested as number, statements: statements.map(({ text }) => text) };
  }

  const HISTORY = (day: string) => `valueHistory(from: "${day}", to: "${day}") { date }`;
  /** Of 3,000 transactions on a day: for themselves, and for the prices of as many variants. */
  const POINTS_OF_DAY = 3000 / 25 + 3000 / 750;
  const KINDS: [what: string, fields: string, shape: number, rows: number, times: number][] = [
    [
      'realised gains, of all years at once',
      'a: realizedGains(year: 2025) { year } b: realizedGains(year: 2026) { year }',
      3,
      100,
      1,
    ],
    ['each history', `a: ${HISTORY('2026-02-01')} b: ${HISTORY('2026-01-31')}`, 3, 3000 / POINTS_OF_DAY, 2],
    [
      'a performance, by its days too',
      'a: performance(from: "2026-01-02", to: "2026-02-01") { warning } b: performance(from: "2026-01-02", to: "2026-02-01") { to }',
      3,
      3000 / (3000 / 25 + (31 * 3000) / 750),
      1,
    ],
    [
      'each list of transactions by name',
      'a: transactions(sort: ALPHABETICAL, first: 1) { nodes { id } } b: transactions(sort: ALPHABETICAL, last: 1) { nodes { id } }',
      5,
      200,
      2,
    ],
    [
      'transactions by time, nothing',
      'transactions(first: 1) { nodes { id } }',
      3,
      Number.POSITIVE_INFINITY,
      1,
    ],
    [
      'summaries, whatever is asked of them',
      'a: transactionSummaries(first: 1) { nodes { id } } b: transactionSummaries(first: 1, sort: GAIN) { nodes { id } totalCount }',
      5,
      100,
      1,
    ],
    [
      'each list of summaries in an order that the database has, beside the summaries',
      'transactionSummaries(first: 1, sort: CHRONOLOGICAL) { nodes { id } }',
      3,
      100 / 3,
      1,
    ],
    [
      'the summaries, and each query over them',
      'transactionSummaries(first: 1, searchQuery: "quantity>0") { nodes { id } totalCount }',
      3 + 4,
      100 / 3,
      1,
    ],
    [
      'the summaries, and each list and count of those by a filter',
      'transactionSummaries(first: 1, filter: { graded: true }) { nodes { id } totalCount }',
      3,
      3000 / (3000 / 100 + 2 * (3000 / 25)),
      1,
    ],
    [
      'each list and count of transactions by a filter',
      'transactions(first: 1, filter: { graded: true }) { nodes { id } totalCount }',
      3,
      200 / 2,
      1,
    ],
    [
      'such a list in the order of names, for that too',
      'transactions(first: 1, sort: ALPHABETICAL, filter: { graded: true }) { nodes { id } }',
      3,
      3000 / (3000 / 200 + 3000 / 50),
      1,
    ],
    [
      'each condition that a search of transactions has on what is recorded, for each list and count',
      'transactions(first: 1, searchQuery: "tag:signed or -grade>9") { nodes { id } totalCount }',
      3 + 2 * (4 + 4 + 1),
      3000 / (2 * (3000 / 200 + 2 * (3000 / 50))),
      1,
    ],
    [
      'such a condition of a search of summaries, beside what the search and a filter take',
      'transactionSummaries(first: 1, searchQuery: "tag:signed quantity>0") { nodes { id } }',
      3 + 4 + 4,
      3000 / (3000 / 100 + 3000 / 50 + 3000 / 25 + 3000 / 50),
      1,
    ],
    [
      'each way to divide, however long the list',
      'a: allocation(by: SET, first: 1) { parts { key } } b: allocation(by: SET, first: 2) { parts { key } } c: allocation(by: CLASS, first: 1) { parts { key } }',
      // A list has 20 of its own.
      8 + 3 * 20,
      25,
      2,
    ],
  ];

  it.each(KINDS)('%s', async (_what, fields, shape, rows, times) => {
    await sized(24);
    const small = await asked(fields);
    expect(small.body.errors).toBeUndefined();
    expect(small.cost).toBe(shape);
    await sized(3000);
    const large = await asked(fields);
    expect(large.body.errors).toBeUndefined();
    expect(large.cost).toBe(shape + times * Math.round(3000 / rows));
  });

  it('each list of movers, of a collection and of the valued ones together', async () => {
    const lists = 'a: movers(period: DAY, first: 1) { to } b: movers(period: WEEK, first: 1) { to }';
    const ofDashboard = async () => {
      const query = `{ viewer { dashboard { ${lists} allocation(by: SET, first: 1) { parts { key } } } } }`;
      const { body } = await app.send('POST', '/graphql', { query });
      expect(body.errors).toBeUndefined();
      return body.extensions.cost.requested as number;
    };
    await mutate(app, 'updateCollection', { id, valued: true });
    for (const [count, points] of [
      [4, 0],
      [5, 1],
      [3000, 600],
    ] as const) {
      await sized(count);
      expect((await asked(lists)).cost).toBe(3 + 2 * points);
      expect(await ofDashboard()).toBe(26 + 2 * points + Math.floor(count / 25));
    }
    await mutate(app, 'updateCollection', { id, valued: false });
  });

  it('movers of the market by the variants of the catalogue, also where they are kept', async () => {
    const [row] = await database().query<{ count: number }>('select count(*)::integer as count from variant');
    for (let i = 0; i < 2; i++) {
      const { body } = await app.send('POST', '/graphql', { query: '{ marketMovers(period: DAY) { to } }' });
      expect(body.errors).toBeUndefined();
      expect(body.extensions.cost.requested).toBe(1 + Math.floor(row!.count / 40));
    }
  });

  it('market indexes by the days of the range, and by their points', async () => {
    const cost = async (range: string) => {
      const query = `{ marketIndex(${range}, interval: MONTH) { value } }`;
      return (await app.send('POST', '/graphql', { query })).body.extensions.cost.requested;
    };
    expect(await cost('from: "2026-03-01", to: "2026-03-24"')).toBe(1);
    expect(await cost('from: "2026-03-01", to: "2026-03-25"')).toBe(1 + 1);
    expect(await cost('from: "2024-01-01", to: "2025-12-31"')).toBe(24 + Math.floor(731 / 25));
  });

  it('histories of prices by the days of the range, once for all variants', async () => {
    const cost = async (days: string) => {
      const [a, b] = (await pricedVariants(database(), 2)) as [string, string];
      const history = (id: string) =>
        `node(id: "${id}") { ... on Variant { priceHistory(${days}, interval: MONTH) { date } } }`;
      const query = `{ a: ${history(a)} b: ${history(b)} }`;
      return (await app.send('POST', '/graphql', { query })).body.extensions.cost.requested;
    };
    const shape = await cost('from: "2026-03-01", to: "2026-03-24"');
    expect(await cost('from: "2026-03-01", to: "2026-03-25"')).toBe(shape + 1);
  });

  it('goals by what is held and what is wanted together, and of any printing by the catalogue', async () => {
    const [row] = await database().query<{ count: number }>('select count(*)::integer as count from variant');
    const goal = async (match: string) => {
      const input = { collectionId: id, target: { setCode: 'WTR' }, match };
      const { collection } = await mutate(app, 'setGoalCollection', input);
      expect(collection.id).toBe(id);
      const [row] = await database().query<{ size: number }>(
        'select count(*)::integer as size from goal_item where collection_id = $1',
        [id],
      );
      return row!.size;
    };
    for (const match of ['VARIANT', 'CARD']) {
      const size = await goal(match);
      await sized(3000);
      const { body, cost } = await asked(
        'goal { progress { wanted } missingCards(first: 1) { nodes { missing } } }',
      );
      expect(body.errors).toBeUndefined();
      const ofOne = Math.floor((3000 + size) / 25) + (match === 'CARD' ? Math.floor(row!.count / 200) : 0);
      expect(cost).toBe(1 + 4 + 2 * ofOne);
    }
    await mutate(app, 'setGoalCollection', {});
  });

  it('completions of sets by what is held, once for a collection and a match, and by each set', async () => {
    const ask = async (count: number, fields: string) => {
      await sized(count);
      const { body } = await app.send('POST', '/graphql', { query: `{ ${fields} }` });
      expect(body.errors).toBeUndefined();
      return body.extensions.cost.requested as number;
    };
    const rows = await database().query<{ count: number }>(
      "select count(*)::integer as count from variant v join product p on p.id = v.product_id where p.set_code in ('WTR', 'ARC') and p.sealed_set_type is null group by p.set_code",
    );
    const [all] = await database().query<{ count: number }>('select count(*)::integer as count from variant');
    for (const match of ['VARIANT', 'PRODUCT', 'CARD']) {
      const ofSet = (alias: string, code: string) =>
        `${alias}: set(code: "${code}") { completion(collectionId: "${id}", match: ${match}) { owned } }`;
      const printings = match === 'CARD' ? Math.floor(all!.count / 200) : 0;
      const ofSets = rows.reduce((sum, { count }) => sum + Math.floor(count / 25), 0);
      const two = `${ofSet('a', 'WTR')} ${ofSet('b', 'ARC')}`;
      expect(await ask(24, two)).toBe(2 * 2 + printings + ofSets);
      expect(await ask(3000, two)).toBe(2 * 2 + printings + ofSets + 3000 / 25);
      expect(await ask(3000, `${two} ${ofSet('c', 'ARC')}`)).toBe(3 * 2 + printings + ofSets + 3000 / 25);
    }
  });

  it('is too much each time where the same is asked for again', async () => {
    await sized(10_000_000);
    const list = `collection(id: "${id}") { transactions(sort: ALPHABETICAL, first: 1) { nodes { id } } }`;
    const { body } = await app.send('POST', '/graphql', { query: `{ a: ${list} b: ${list} c: ${list} }` });
    expect(body.errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code)).toEqual(
      Array(3).fill('COST_LIMIT'),
    );
  });

  it.each([
    'movers(period: DAY, first: $first) { movers { quantity } }',
    'allocation(by: SET, first: $first) { parts { key } }',
  ])('takes 1 to 200 for %s', async (field) => {
    await sized(24);
    const ofSize = async (first: number) => {
      const query = `{ collection(id: "${id}") { ${field.replace('$first', String(first))} } }`;
      return (await app.send('POST', '/graphql', { query })).body;
    };
    for (const first of [1, 200]) {
      const { errors, extensions } = await ofSize(first);
      expect(errors).toBeUndefined();
      expect(extensions.cost.requested).toBeGreaterThanOrEqual(2 + first);
    }
    for (const first of [0, 201]) {
      const { errors } = await ofSize(first);
      expect(errors).toEqual([
        expect.objectContaining({
          message: expect.stringContaining('first'),
          extensions: expect.objectContaining({ code: 'BAD_USER_INPUT' }),
        }),
      ]);
    }
  });

  it('counts no more holdings than there are variants', async () => {
    await sized(100_000_000);
    const [row] = await database().query<{ count: number }>('select count(*)::integer as count from variant');
    const { body, cost } = await asked('transactionSummaries(first: 1) { nodes { id } }');
    expect(body.errors).toBeUndefined();
    expect(cost).toBe(3 + Math.floor(row!.count / 100));
  });

  describe('of changes', () => {
    const PREFERENCES =
      'updatePreferences(input: $input) { ... on UpdatePreferencesPayload { account { preferredCurrency } } }';
    const cost = async (app: TestApp, mutation: string, input: object) => {
      const { body } = await app.send('POST', '/graphql', { query: mutation, variables: { input } });
      return { data: body.data, errors: body.errors, cost: body.extensions.cost.requested as number };
    };
    const change = (preferences: object, fields = PREFERENCES) =>
      cost(app, `mutation ($input: UpdatePreferencesInput!) { ${fields} }`, preferences);

    it.each<[string, object]>([
      ['another currency', { preferredCurrency: 'EUR' }],
      ['another cost basis', { costBasis: 'FIFO' }],
    ])('%s counts all transactions, up to what leaves it possible', async (_what, preferences) => {
      const back = { preferredCurrency: 'USD', costBasis: 'AVERAGE' };
      const shape = (await change(back)).cost;
      for (const [count, points] of [
        [1, 0],
        [3000, 1500],
        [2_000_000, 5000],
      ] as const) {
        await sized(count);
        const changed = await change(preferences);
        expect([changed.errors, changed.cost]).toEqual([undefined, shape + points]);
        // What has been changed already is nothing.
        expect((await change(preferences)).cost).toBe(shape);
        await change(back);
      }
    });

    it('a goal counts by what it is to hold', async () => {
      const variants = await pricedVariants(database(), 8);
      const set = async (target: object) => {
        const { errors, cost: points } = await cost(
          app,
          'mutation ($input: SetGoalCollectionInput!) { setGoalCollection(input: $input) { __typename } }',
          { collectionId: id, target },
        );
        expect(errors).toBeUndefined();
        return points;
      };
      const items = variants.map((variantId) => ({ variantId, quantity: 1 }));
      expect(await set({ items: items.slice(0, 3) })).toBe(11);
      expect(await set({ items })).toBe(11 + 2);
      const points = await set({ setCode: 'WTR' });
      const [row] = await database().query<{ size: number }>(
        'select count(*)::integer as size from goal_item where collection_id = $1',
        [id],
      );
      expect(row!.size).toBeGreaterThan(100);
      expect(points).toBe(11 + Math.floor(row!.size / 4));
      await mutate(app, 'setGoalCollection', {});
    });

    it('a price alert counts by what the collection holds, and on a variant nothing', async () => {
      const variants = await database().query('select id from variant');
      const [variantId] = (await pricedVariants(database(), 1)) as [string];
      const create = (targetId: string, when: object) =>
        cost(
          app,
          'mutation ($input: CreatePriceAlertInput!) { createPriceAlert(input: $input) { __typename } }',
          { targetId, when },
        );
      const conditions = [{ above: { currency: 'EUR', value: 5 } }, { change: { percent: 5, days: 30 } }];
      for (const when of conditions) {
        for (const [count, points] of [
          [24, 0],
          [25, 1],
          [3000, 120],
          [100_000_000, Math.floor(variants.length / 25)],
        ] as const) {
          await sized(count);
          const created = await create(id, when);
          expect([created.errors, created.cost]).toEqual([undefined, 11 + points]);
        }
        expect((await create(variantId, when)).cost).toBe(11);
      }
    });

    it('transactions that are recorded together count, though nothing is asked of them', async () => {
      const noted = await newTestApp(database());
      const [variantId] = (await pricedVariants(database(), 1)) as [string];
      const { id } = (await mutate(noted, 'createCollection', { name: 'Bulk' })).collection;
      const create = async (count: number) =>
        (
          await cost(
            noted,
            'mutation ($input: CreateTransactionsInput!) { createTransactions(input: $input) { __typename } }',
            { collectionId: id, transactions: Array.from({ length: count }, () => graphqlEntry(variantId)) },
          )
        ).cost;
      expect(await create(1)).toBe(11);
      expect(await create(2)).toBe(11 + 1);
      expect(await create(1000)).toBe(11 + 500);
    });

    it('what comes behind a change by the order of purchases counts, up to what leaves it possible', async () => {
      const noted = await newTestApp(database());
      const [variantId] = (await pricedVariants(database(), 1)) as [string];
      const collection = (await mutate(noted, 'createCollection', { name: 'Ordered' })).collection;
      await mutate(noted, 'updatePreferences', { costBasis: 'FIFO' });
      const entries = Array.from({ length: 1000 }, () => graphqlEntry(variantId));
      const create = (occurredDate: string) =>
        cost(
          noted,
          'mutation ($input: CreateTransactionInput!) { createTransaction(input: $input) { __typename } }',
          { collectionId: collection.id, ...graphqlEntry(variantId, { occurredDate }) },
        );
      const shape = (await create('2026-01-01')).cost;
      await mutate(noted, 'createTransactions', { collectionId: collection.id, transactions: entries });
      expect((await create('2026-04-13')).cost).toBe(shape);
      // The 1,000, the three others, and itself.
      expect((await create('2025-01-01')).cost).toBe(shape + 501);
      const { errors } = await cost(
        noted,
        `mutation ($input: CreateTransactionInput!) { ${Array.from({ length: 20 }, (_, i) => `c${i}: createTransaction(input: $input) { __typename }`).join(' ')} }`,
        { collectionId: collection.id, ...graphqlEntry(variantId, { occurredDate: '2025-01-01' }) },
      );
      expect(errors).toEqual([
        expect.objectContaining({ extensions: expect.objectContaining({ code: 'COST_LIMIT' }) }),
      ]);
    });
  });

  it('is taken up to the limit, and refused beyond it before anything is read', async () => {
    const fields = 'name realizedGains(year: 2026) { year }';
    await sized(999_800);
    const within = await asked(fields);
    expect(within.body.errors).toBeUndefined();
    expect(within.cost).toBe(10_000);

    await sized(999_900);
    const beyond = await asked(fields);
    expect(beyond.status).toBe(200);
    expect(beyond.cost).toBe(10_001);
    expect(beyond.body.errors).toEqual([
      {
        message:
          'By the size of what it reads, the operation has a cost of 10001 points; at most 10000 are allowed. Ask for smaller pages (first, last) or shorter ranges of days, or split the operation.',
        path: ['collection', 'realizedGains'],
        locations: expect.anything(),
        extensions: { code: 'COST_LIMIT', limit: 10_000, requestId: expect.any(String) },
      },
    ]);
    expect(beyond.body.data.collection).toEqual({ name: expect.any(String), realizedGains: null });
    expect(beyond.statements.join()).not.toMatch(/transaction t\b/);
  });

  describe('of a search of the catalogue', () => {
    it.each([
      ['dash', 4],
      ['command and conquer', 12],
      ['"command and conquer"', 12],
      ['dash class:ninja cost<=1', 12],
      ['-dash', 5],
      ['-(dash or is:foil)', 9],
    ])('%s', async (query, points) => {
      const { body } = await app.send('POST', '/graphql', {
        query: `query ($query: String!) { products(query: $query) { totalCount } }`,
        variables: { query },
      });
      expect(body.errors).toBeUndefined();
      expect(body.extensions.cost.requested).toBe(1 + points);
    });

    it('is taken up to the limit, and refused beyond it', async () => {
      await sized(0);
      // 1 + 199 × (1 + 1 + 48) = 9,951, and 1 of the search.
      const others = 'collections(first: 199) { nodes { transactionSummaries(first: 48) { nodes { id } } } }';
      const asking = (words: number) =>
        app.send('POST', '/graphql', {
          query: `{ ${others} products(query: "${'a '.repeat(words)}", first: 1) { totalCount } }`,
        });
      const within = await asking(12);
      expect(within.body.errors).toBeUndefined();
      expect(within.body.extensions.cost.requested).toBe(10_000);
      const beyond = await asking(13);
      expect(beyond.body.errors.map(({ path }: { path: string[] }) => path[0])).toContain('products');
      for (const { extensions } of beyond.body.errors)
        expect(extensions).toMatchObject({ code: 'COST_LIMIT', limit: 10_000 });
      expect(beyond.body.extensions.cost.requested).toBe(10_004);
    });

    it('of holdings counts once for an operation', async () => {
      await sized(0);
      const search = (alias: string, more: string) =>
        `${alias}: transactionSummaries(first: 1, searchQuery: "quantity>1 -dash") { ${more} }`;
      const { cost, body } = await asked(`${search('a', 'totalCount')} ${search('b', 'nodes { id }')}`);
      expect(body.errors).toBeUndefined();
      expect(cost).toBe(1 + 1 + 2 + 4 + 5);
    });
  });
});
