import { beforeAll, expect, it } from 'vitest';
import { describeOnDatabases, newTestApp, type TestApp } from '../harness.ts';
import { graphqlEntry, recordWorkedExample, type WorkedExample } from '../support/furnished.ts';
import { mutate } from './mutate.ts';

const HISTORY = (from: string, to = from) => `query ($id: ID!, $from: ${from}, $to: ${to}) {
  collection(id: $id) { valueHistory(from: $from, to: $to) { date } } }`;

describeOnDatabases('days and times', (database) => {
  let app: TestApp;
  let example: WorkedExample;

  beforeAll(async () => {
    app = await newTestApp(database());
    example = await recordWorkedExample(database(), app);
  });

  const ask = async (query: string, given: Record<string, unknown> = {}) => {
    const variables = { id: example.collectionId, ...given };
    const { body } = await app.send('POST', '/graphql', { query, variables });
    return body as { data?: unknown; errors?: { message: string }[] };
  };
  const range = { from: '2026-04-12', to: '2026-04-13' };
  const points = { collection: { valueHistory: [{ date: '2026-04-12' }, { date: '2026-04-13' }] } };

  it.each(['Date!', 'String!'])(
    'are taken of a variable that is declared %s, at once and again',
    async (type) => {
      for (let i = 0; i < 2; i++) expect((await ask(HISTORY(type), range)).data).toEqual(points);
      const query = `mutation ($id: ID!, $variantId: ID!, $day: ${type}) { createTransaction(input: { collectionId: $id,
      variantId: $variantId, occurredDate: $day, action: SALE, quantity: 1, unitAmount: { currency: USD, value: 1 } }) {
      ... on CreateTransactionPayload { transaction { occurred } } ... on ValidationFailed { errors { path detail } } } }`;
      const { variantId } = example;
      expect((await ask(query, { variantId, day: '2026-04-12' })).data).toEqual({
        createTransaction: { transaction: { occurred: '2026-04-12T12:00:00Z' } },
      });
      expect((await ask(query, { variantId, day: '2026-02-30' })).data).toEqual({
        createTransaction: {
          errors: [{ path: ['occurredDate'], detail: 'must be a calendar date: there is no 2026-02-30' }],
        },
      });
    },
  );

  it.each([
    ['Int!', 'used in position expecting type "Date!"'],
    ['String', 'used in position expecting type "String!"'],
    ['[String!]!', 'used in position expecting type "Date!"'],
  ])('are not taken of a variable that is declared %s', async (type, message) => {
    expect((await ask(HISTORY('Date!', type), range)).errors![0]!.message).toContain(message);
  });

  it('are no texts of another kind', async () => {
    const query = 'query ($day: Date!) { products(query: $day) { totalCount } }';
    expect((await ask(query, { day: '2026-04-12' })).errors![0]!.message).toContain(
      'used in position expecting type "String"',
    );
  });

  it('are told from numbers by their type, and from other texts with all else that is wrong', async () => {
    const { errors } = await ask(HISTORY('Date!'), { ...range, from: 20260412 });
    expect(errors![0]!.message).toBe(
      'Variable "$from" got invalid value 20260412; Expected type "Date". Date must be a day as a text, such as "2026-01-31".',
    );
    const huge = await app.send(
      'POST',
      '/graphql',
      `{"query": "query ($first: Int) { collections(first: $first) { totalCount } }", "variables": {"first": 1e999}}`,
    );
    expect(huge.body.errors[0].message).toMatch(
      /^Variable "\$first" got a number that cannot be kept exactly; Int cannot represent/,
    );
    const named =
      'query { collections(first: 1) { nodes { valueHistory(from: Today, to: "2026-04-12") { date } } } }';
    expect((await ask(named, {})).errors![0]!.message).toContain('Date must be a day as a text');
    const entry = { ...graphqlEntry(example.variantId), occurredDate: 'tomorrow', quantity: 0 };
    const refused = await mutate(app, 'createTransaction', { collectionId: example.collectionId, ...entry });
    expect(refused.errors.map(({ path }: { path: string[] }) => path.join('.')).sort()).toEqual([
      'occurredDate',
      'quantity',
    ]);
  });
});
