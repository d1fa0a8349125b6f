import { beforeAll, describe, expect, it } from 'vitest';
import {
  describeOnDatabases,
  newTestApp,
  statementsOf,
  type TestApp,
  type TestResponse,
} from '../harness.ts';
import { type Furnished, furnish } from '../support/furnished.ts';
import { isLeftToPostgres } from '../support/left-to-postgres.ts';
import {
  idsOf,
  LISTS,
  labelOf,
  ORDERED_LISTS,
  type OrderedList,
  pageDocument,
  readPage,
  sendPage,
} from './lists.ts';

const CASES = ORDERED_LISTS.map((ordered) => [labelOf(ordered), ordered] as const);
const ONE_OF_EACH = LISTS.map(
  (list) => [list.name, ORDERED_LISTS.find((ordered) => ordered.list === list) as OrderedList] as const,
);

const cursorOf = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
const partsOf = (cursor: string) => JSON.parse(Buffer.from(cursor, 'base64url').toString()) as string[];

describeOnDatabases('the arguments of connections', (database, kind) => {
  let app: TestApp;
  let furnished: Furnished;
  /** A cursor of each list in each order. */
  const firstCursors: string[] = [];

  beforeAll(async () => {
    app = await newTestApp(database());
    furnished = await furnish(database(), app);
    for (const [, ordered] of CASES) {
      const { edges } = await readPage(app, ordered, furnished.stocked, { first: 1 });
      firstCursors.push(edges[0]!.cursor);
    }
  });

  const send = (ordered: OrderedList, page: object, fields?: string) =>
    sendPage(app, ordered, furnished.stocked, page, fields);
  const expectBadInput = ({ body }: TestResponse, label?: string) => {
    expect([undefined, null, { collection: null }, { products: null }], label).toContainEqual(body.data);
    expect(body.errors, label).toHaveLength(1);
    expect(body.errors[0].extensions, label).toMatchObject({
      code: 'BAD_USER_INPUT',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(body.errors[0].message, label).not.toMatch(/Internal|select /);
  };

  // Before a database is asked.
  describe.skipIf(isLeftToPostgres(kind)).each(ONE_OF_EACH)('sizes of %s', (name, ordered) => {
    it.each(['first', 'last'])('%s is from 1 to 200', async (argument) => {
      for (const size of [1, 200])
        expect((await send(ordered, { [argument]: size })).body.errors).toBeUndefined();
      for (const size of [0, -1, 201, 2_147_483_647, -2_147_483_648]) {
        const answer = await send(ordered, { [argument]: size });
        expectBadInput(answer, `${argument}: ${size}`);
        expect(answer.status).toBe(400);
        const path = ordered.list.inCollection ? `collection.${name}` : name;
        expect(answer.body.errors[0].message).toBe(
          `${path}: ${argument}: must be a whole number from 1 to 200`,
        );
      }
      for (const size of [1.5, '1', true, 2 ** 31, [1, 2]]) {
        const answer = await send(ordered, { [argument]: size });
        expectBadInput(answer, `${argument}: ${size}`);
      }
    });

    it('are refused as literals and as defaults, too', async () => {
      const at = (first: string, variable = '') =>
        pageDocument(ordered, '{ nodes { id } }')
          .replace('first: $first', `first: ${first}`)
          .replace('$first: Int, ', variable);
      const variables = ordered.list.inCollection ? { parent: furnished.stocked } : {};
      const sendText = (query: string) => app.send('POST', '/graphql', { query, variables });
      expect((await sendText(at('200'))).body.errors).toBeUndefined();
      for (const query of [at('0'), at('201'), at('-1'), at('$n', '$n: Int = 201, ')]) {
        const answer = await sendText(query);
        expectBadInput(answer, query);
        expect(answer.status).toBe(400);
      }
    });

    it('may not both be given', async () => {
      const answer = await send(ordered, { first: 1, last: 1 });
      expectBadInput(answer);
      expect(answer.status).toBe(400);
      expect((await send(ordered, { first: 1, last: null })).body.errors).toBeUndefined();
    });
  });

  describe.each(CASES)('cursors of %s', (label, ordered) => {
    // Before a database is asked.
    it.skipIf(isLeftToPostgres(kind))(
      'are refused where they are malformed, or of another list or order',
      async () => {
        const [name, ...key] = partsOf(firstCursors[CASES.findIndex(([one]) => one === label)]!);
        // Of the other orders of this list, and one of each other list.
        const others = CASES.flatMap(([other, { list }], at) =>
          other !== label && (list === ordered.list || list !== CASES[at - 1]?.[1].list)
            ? [firstCursors[at]!]
            : [],
        );
        const bad = [
          '',
          'x',
          '!!!',
          '\u0000',
          '💥',
          'null',
          Buffer.from('[').toString('base64url'),
          Buffer.from('{}').toString('base64url'),
          Buffer.from('null').toString('base64url'),
          cursorOf(),
          cursorOf(name),
          cursorOf(name, ...key.slice(1)),
          cursorOf(name, ...key, 'more'),
          cursorOf(name, ...key.map(() => null)),
          cursorOf(name, ...key.map(() => 1)),
          cursorOf(name, ...key.map(() => ['x'])),
          cursorOf(name, ...key.map((part) => `${part}\u0000`)),
          cursorOf(name, ...key.map((part) => `${part}\ud800`)),
        ];
        const expectRefused = async (argument: 'after' | 'before', cursor: string) => {
          const answer = await send(ordered, { [argument]: cursor });
          expectBadInput(answer, `${argument}: ${cursor}`);
          expect(answer.body.errors[0].message).toBe(
            `${argument}: is not a cursor of this list in this order`,
          );
        };
        for (const cursor of [...bad, ...others]) await expectRefused('after', cursor);
        for (const cursor of bad) await expectRefused('before', cursor);
      },
    );

    it('never fail inside, whatever the parts of their key', async () => {
      const [name, ...key] = partsOf(firstCursors[CASES.findIndex(([one]) => one === label)]!);
      const parts = [
        '',
        'NaN',
        '1e400',
        '-Infinity',
        'Infinity',
        'infinity',
        '-infinity',
        '9'.repeat(60),
        '9'.repeat(200),
        '2026-13-45',
        '0000-00-00',
        '9999-99-99',
        '2023-02-30',
        '0000-01-01',
        '999999999',
        '9999999999',
        '-1',
        "'",
        'é',
        'x'.repeat(10_000),
      ];
      for (const [i] of key.entries()) {
        for (const part of parts) {
          const cursor = cursorOf(name, ...key.with(i, part));
          const { status, body } = await send(ordered, { after: cursor }, '{ nodes { id } }');
          const codes = (body.errors ?? []).map(
            ({ extensions }: { extensions: { code: string } }) => extensions.code,
          );
          expect(
            [status, codes.filter((code: string) => code !== 'BAD_USER_INPUT')],
            `${i}: ${part}`,
          ).toEqual([200, []]);
        }
      }
    });
  });

  it('a cursor whose item is gone still stands for its place', async () => {
    const ordered = ORDERED_LISTS.find((one) => labelOf(one) === 'collections ALPHABETICAL')!;
    const { id } = (
      await app.graphql<{ createCollection: { collection: { id: string } } }>(
        'mutation { createCollection(input: { name: "Car" }) { ... on CreateCollectionPayload { collection { id } } } }',
      )
    ).createCollection.collection;
    const before = await readPage(app, ordered, '', { first: 200 });
    const place = before.edges.findIndex(({ node }) => node.id === id);
    await app.send('DELETE', `/collection/${id}`);
    const { cursor } = before.edges[place]!;
    const ids = idsOf([before]);
    expect(idsOf([await readPage(app, ordered, '', { after: cursor })])).toEqual(ids.slice(place + 1));
    expect(idsOf([await readPage(app, ordered, '', { before: cursor })])).toEqual(ids.slice(0, place));
  });

  describe('what is not asked for costs no statement', () => {
    const counts: Record<string, [without: number, withCount: number]> = {
      collections: [1, 2],
      // The collection knows it.
      transactions: [2, 2],
      // They are in memory as the collection was read.
      transactionSummaries: [1, 1],
      // Of these, all is in memory.
      productEvs: [0, 0],
      products: [0, 0],
      sets: [0, 0],
    };
    it.each(ONE_OF_EACH)('totalCount of %s', async (name, ordered) => {
      const statements = async (fields: string) => {
        await send(ordered, {}, fields);
        return (await statementsOf(() => send(ordered, {}, fields))).statements.length;
      };
      expect([
        await statements('{ edges { cursor node { id } } pageInfo { hasNextPage } }'),
        await statements('{ edges { cursor node { id } } pageInfo { hasNextPage } totalCount }'),
      ]).toEqual(counts[name]);
    });
  });
});
