import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { createSchema } from '../../src/graphql/schema.ts';
import { projectPath } from '../../src/paths.ts';
import { asNewAccount, describeOnDatabases, newTestApp, pricedVariants, type TestApp } from '../harness.ts';
import { entry, graphqlEntry, recordWorkedExample, type WorkedExample } from '../support/furnished.ts';
import { mutate } from './mutate.ts';

const CSV = 'occurredDate,action,quantity,unitAmount,currency,fcId\n2026-01-31,Purchase,1,1,USD,MST131\n';

const SCHEMA = createSchema();
const RELEASED = buildSchema(readFileSync(projectPath('schema/released.graphql'), 'utf8'));

/** The fields of a type that can be asked for without arguments, with the object types that they give; of connections none. */
function fieldsOf(type: string, schema = SCHEMA) {
  const found = schema.getType(type);
  const fields = isObjectType(found) ? Object.values(found.getFields()) : [];
  return fields
    .map(({ name, args, type }) => ({
      name,
      args,
      type: getNamedType(type),
      isList: isListType(getNullableType(type)),
    }))
    .filter(({ args, type }) => !args.some(isRequiredArgument) && !type.name.endsWith('Connection'));
}

/** All fields of a type, and of the objects in it and in those; `met` takes the names of their types. */
function allOf(type: string, met = new Set<string>(), levels = 3): string {
  met.add(type);
  const selected = fieldsOf(type).flatMap(({ name, type, isList }) => {
    if (isLeafType(type)) return [name];
    // Lists in one another would cost too much.
    const left = levels - (isList ? 2 : 1);
    return left > 0 && isObjectType(type) ? [`${name} ${allOf(type.name, met, left)}`] : [];
  });
  return `{ __typename ${selected.join(' ')} }`;
}

const typeFor = (mutation: string, end: string) => `${mutation[0]!.toUpperCase()}${mutation.slice(1)}${end}`;

function wholeDocument(mutation: string): string {
  const payload = typeFor(mutation, 'Payload');
  return `mutation ($input: ${typeFor(mutation, 'Input')}!) { ${mutation}(input: $input) {
    ... on ${payload} ${allOf(payload)} ... on Error { message } } }`;
}

/** An answer to a mutation as the last release has kept it: without the fields that are new since. */
function asKeptBefore(mutation: string, answer: unknown): unknown {
  const types = new Set<string>();
  allOf(typeFor(mutation, 'Payload'), types);
  const namesIn = (schema: GraphQLSchema) =>
    [...types].flatMap((type) => fieldsOf(type, schema).map(({ name }) => name));
  const released = new Set(namesIn(RELEASED));
  const added = new Set(namesIn(SCHEMA).filter((name) => !released.has(name)));
  // As a collection calls it where it is kept.
  if (added.has('collectionKind')) added.add('kind');
  return JSON.parse(JSON.stringify(answer), (key, value) => (added.has(key) ? undefined : value));
}

describeOnDatabases('idempotency keys of mutations', (database) => {
  let app: TestApp;
  let example: WorkedExample;
  let variantId: string;

  beforeAll(async () => {
    app = await newTestApp(database());
    example = await recordWorkedExample(database(), app);
    [variantId] = (await pricedVariants(database(), 1)) as [string];
  });

  const namesOf = async (of: TestApp) => {
    const { collections } = await of.graphql<{ collections: { nodes: { name: string }[] } }>(
      '{ collections(first: 200) { nodes { name } } }',
    );
    return collections.nodes.map(({ name }) => name);
  };

  describe('replay the first answer', () => {
    const inputs: [string, () => Promise<Record<string, unknown>> | Record<string, unknown>][] = [
      ['createCollection', () => ({ name: 'Once' })],
      ['updateCollection', () => ({ id: example.collectionId, name: 'Changed' })],
      [
        'deleteCollection',
        async () => ({ id: (await mutate(app, 'createCollection', { name: 'Gone' })).collection.id }),
      ],
      ['createTransaction', () => ({ collectionId: example.collectionId, ...graphqlEntry(variantId) })],
      [
        'createTransactions',
        () => ({
          collectionId: example.collectionId,
          transactions: [graphqlEntry(variantId), graphqlEntry(variantId)],
        }),
      ],
      [
        'updateTransaction',
        () => ({ id: example.transactionIds[0], unitAmount: { currency: 'NZD', value: 1.2345 } }),
      ],
      [
        'deleteTransaction',
        async () => {
          const input = { collectionId: example.collectionId, ...graphqlEntry(variantId) };
          return { id: (await mutate(app, 'createTransaction', input)).transaction.id };
        },
      ],
      ['updatePreferences', () => ({ preferredCurrency: 'EUR' })],
      ['setGoalCollection', () => ({ collectionId: example.collectionId })],
      ['createPriceAlert', () => ({ targetId: variantId, condition: 'CHANGE', percent: 0.5, days: 7 })],
      [
        'deletePriceAlert',
        async () => {
          const input = { targetId: variantId, condition: 'ABOVE', amount: { currency: 'USD', value: 1 } };
          return { id: (await mutate(app, 'createPriceAlert', input)).priceAlert.id };
        },
      ],
    ];
    const rest: Record<string, () => { path: string; body: object }> = {
      createCollection: () => ({ path: '/collection', body: { name: 'Once' } }),
      createTransaction: () => ({
        path: `/collection/${example.collectionId}/transaction`,
        body: entry(variantId),
      }),
    };

    const keptInputs: typeof inputs = [
      ...inputs,
      ['importTransactions', () => ({ collectionId: example.collectionId, csv: CSV })],
    ];

    it('of each that the last release has', () => {
      const names = keptInputs.map(([name]) => name);
      expect(names).toEqual(expect.arrayContaining(Object.keys(RELEASED.getMutationType()!.getFields())));
    });

    it.each(inputs)('of %s', async (name, inputOf) => {
      const input = { ...(await inputOf()), idempotencyKey: `key-${name}` };
      const first = await mutate(app, name, input);
      expect(first.__typename).toMatch(/Payload$/);
      const count = async () =>
        (await database().query('select id from transaction where account_id = $1', [app.accountId])).length;
      const before = await count();
      expect(await mutate(app, name, input)).toEqual(first);
      expect(await count()).toBe(before);
    });

    it.each(keptInputs)(
      'of %s, too, as a node of the last release has kept it, which has fewer fields',
      async (name, inputOf) => {
        const key = `before-${name}`;
        const input = { ...(await inputOf()), idempotencyKey: key };
        const document = wholeDocument(name);
        const first = await app.graphql(document, { input });
        const of = [app.accountId, key];
        const [kept] = await database().query<{ answer: unknown }>(
          'select answer from idempotency_key where account_id = $1 and key = $2',
          of,
        );
        const before = JSON.stringify(asKeptBefore(name, kept!.answer));
        await database().query(
          'update idempotency_key set answer = $3::jsonb where account_id = $1 and key = $2',
          [...of, before],
        );
        const again = await app.graphql(document, { input });
        expect(asKeptBefore(name, again)).toEqual(asKeptBefore(name, first));
        if (!rest[name]) return;
        const { path, body } = rest[name]();
        const { status, headers } = await app.send('POST', path, body, { 'Idempotency-Key': key });
        expect([status, headers.get('Idempotency-Replayed')]).toEqual([200, 'true']);
      },
    );
  });

  it('give everyone who comes at once the same answer, and make one row', async () => {
    const input = { name: 'At once', idempotencyKey: 'at-once' };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => mutate(app, 'createCollection', input)),
    );
    expect(new Set(answers.map(({ collection }) => collection.id)).size).toBe(1);
    expect((await namesOf(app)).filter((name) => name === 'At once')).toHaveLength(1);
  });

  it('are refused for another input or another mutation', async () => {
    const idempotencyKey = 'used';
    const mismatch = {
      __typename: 'IdempotencyMismatch',
      message: expect.stringContaining('another request'),
    };
    await mutate(app, 'createCollection', { name: 'First', idempotencyKey });
    expect(await mutate(app, 'createCollection', { name: 'Second', idempotencyKey })).toEqual(mismatch);
    expect(await mutate(app, 'deleteCollection', { id: example.collectionId, idempotencyKey })).toEqual(
      mismatch,
    );
    expect(await namesOf(app)).not.toContain('Second');
  });

  it('mean the same request on both transports, in whatever words', async () => {
    const rest = async (path: string, input: object, key: string) => {
      const { status, body, headers } = await app.send('POST', path, input, { 'Idempotency-Key': key });
      return { status, body, replayed: headers.get('Idempotency-Replayed') };
    };
    const { collection } = await mutate(app, 'createCollection', {
      name: ' Both ',
      idempotencyKey: 'both-1',
    });
    expect(await rest('/collection', { name: 'Both' }, 'both-1')).toMatchObject({
      status: 200,
      body: { collectionId: collection.id, name: 'Both' },
      replayed: 'true',
    });
    expect(await rest('/collection', { name: 'Other' }, 'both-1')).toMatchObject({
      status: 422,
      body: { type: '/problems/IdempotencyMismatch' },
    });
    const { unitAmount, ...others } = entry(variantId);
    const path = `/collection/${collection.id}/transaction`;
    const recorded = await rest(path, { unitAmount, ...others }, 'both-2');
    expect(recorded).toMatchObject({ status: 200, replayed: null });
    const input = { collectionId: collection.id, ...graphqlEntry(variantId), idempotencyKey: 'both-2' };
    const { transaction } = await mutate(app, 'createTransaction', input);
    expect(transaction.id).toBe(recorded.body.transactionId);
    expect((await rest('/collection', { name: 'Both' }, 'both-2')).status).toBe(422);
    expect((await namesOf(app)).filter((name) => name === 'Both')).toHaveLength(1);
  });

  it('mean the same request whether a field is null or left out, and in whatever order', async () => {
    const idempotencyKey = 'order';
    const { id } = (await mutate(app, 'createCollection', { name: 'Order' })).collection;
    const first = await mutate(app, 'updateCollection', { id, name: 'A', pinned: true, idempotencyKey });
    const again = await mutate(app, 'updateCollection', {
      idempotencyKey,
      image: null,
      pinned: true,
      name: 'A',
      id,
    });
    expect(again).toEqual(first);
  });

  it('are not used up by a failure', async () => {
    const idempotencyKey = 'failed';
    const missing = { id: 'col_00000000000000000000000000', idempotencyKey };
    expect(await mutate(app, 'deleteCollection', missing)).toMatchObject({ __typename: 'NotFound' });
    const invalid = await mutate(app, 'createCollection', { name: '', idempotencyKey });
    expect(invalid).toMatchObject({ __typename: 'ValidationFailed', errors: [{ path: ['name'] }] });
    const { collection } = await mutate(app, 'createCollection', { name: 'After', idempotencyKey });
    expect(collection.name).toBe('After');
  });

  it('belong to a client', async () => {
    const other = await asNewAccount(database(), app.fetch);
    const input = { name: 'Mine', idempotencyKey: 'shared' };
    const mine = await mutate(app, 'createCollection', input);
    const theirs = await mutate(other, 'createCollection', input);
    expect(theirs.collection.id).not.toBe(mine.collection.id);
  });

  it.each(['', ' ', 'a b', 'é', 'x'.repeat(256), 'a\nb'])(
    'must be visible ASCII: %j',
    async (idempotencyKey) => {
      expect(await mutate(app, 'createCollection', { name: 'Bad key', idempotencyKey })).toMatchObject({
        __typename: 'ValidationFailed',
        errors: [{ path: ['idempotencyKey'], detail: 'must be 1 to 255 visible ASCII characters' }],
      });
      expect(await namesOf(app)).not.toContain('Bad key');
    },
  );

  it('may have 255 characters, and null is none', async () => {
    const input = { name: 'Long key', idempotencyKey: '~'.repeat(255) };
    const { collection } = await mutate(app, 'createCollection', input);
    expect((await mutate(app, 'createCollection', input)).collection.id).toBe(collection.id);
    const none = await mutate(app, 'createCollection', { name: 'No key', idempotencyKey: null });
    const again = await mutate(app, 'createCollection', { name: 'No key', idempotencyKey: null });
    expect(again.collection.id).not.toBe(none.collection.id);
  });
});
