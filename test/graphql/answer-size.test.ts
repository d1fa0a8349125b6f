import { beforeAll, expect, it } from 'vitest';
import { LIMITS } from '../../src/domain/limits.ts';
import { describeOnDatabases, newTestApp, pricedVariants, type TestApp } from '../harness.ts';
import { newCollection } from '../http/support.ts';
import { graphqlEntry } from '../support/furnished.ts';

/** Four bytes each, as many as a description may have. */
const DESCRIPTION = '🃏'.repeat(LIMITS.descriptionCharacters);
const ALIASES = Array.from({ length: 29 }, (_, i) => `a${i}: description`).join(' ');

describeOnDatabases('the size of an answer', (database) => {
  let app: TestApp;
  let id: string;

  beforeAll(async () => {
    app = await newTestApp(database());
    id = await newCollection(app);
    await app.graphql(
      'mutation ($input: UpdateCollectionInput!) { updateCollection(input: $input) { __typename ... on Error { message } } }',
      { input: { id, description: DESCRIPTION } },
    );
  });

  const descriptions = (items: number) =>
    app.send('POST', '/graphql', {
      query: `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Collection { ${ALIASES} } } }`,
      variables: { ids: Array.from({ length: items }, () => id) },
    });

  it('is at most 8 MiB of data', async () => {
    const bytesOfItem = Buffer.byteLength(
      JSON.stringify(Object.fromEntries(Array.from({ length: 29 }, (_, i) => [`a${i}`, DESCRIPTION]))),
    );
    const items = Math.floor(LIMITS.answerBytes / (bytesOfItem + 1));
    const whole = await descriptions(items);
    expect(whole.body.data.nodes).toHaveLength(items);
    expect(whole.body.data.nodes.at(-1).a28).toBe(DESCRIPTION);
    const cut = await descriptions(items + 1);
    expect(cut.status).toBe(200);
    expect(cut.body).toMatchObject({
      data: null,
      errors: [
        {
          message: `The answer would have more than ${LIMITS.answerBytes} bytes. Ask for smaller pages (first, last) or fewer fields, or split the operation.`,
          extensions: { code: 'ANSWER_TOO_LARGE', limit: LIMITS.answerBytes },
        },
      ],
    });
  });

  it('leaves a mutation done once, which its key reads with fewer fields', async () => {
    const [variantId] = await pricedVariants(database(), 1);
    const transactions = Array.from({ length: 50 }, () => graphqlEntry(variantId!));
    const input = { collectionId: id, transactions, idempotencyKey: 'too-large' };
    const record = (selected: string) =>
      app.send('POST', '/graphql', {
        query: `mutation ($input: CreateTransactionsInput!) { createTransactions(input: $input) {
          ... on CreateTransactionsPayload { transactions { id ${selected} } } } }`,
        variables: { input },
      });
    const cut = await record(`collection { ${ALIASES} }`);
    expect(cut.body).toMatchObject({
      data: null,
      errors: [
        {
          message: expect.stringContaining('The mutations up to "createTransactions" were executed'),
          path: ['createTransactions'],
          extensions: { code: 'ANSWER_TOO_LARGE' },
        },
      ],
    });
    const again = await record('');
    expect(again.body.data.createTransactions.transactions).toHaveLength(50);
    const { collection } = await app.graphql<{ collection: { transactions: { totalCount: number } } }>(
      'query ($id: ID!) { collection(id: $id) { transactions(first: 1) { totalCount } } }',
      { id },
    );
    expect(collection.transactions.totalCount).toBe(50);
  });
});
