import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { createSchema } from '../../src/graphql/schema.ts';
import { asNewAccount, describeOnDatabases, newTestApp, pricedVariants, type TestApp } from '../harness.ts';
import { ORIGIN } from '../http/support.ts';
import { asCallerOf } from '../support/tenancy.ts';
import { everythingOf, expectSound, furnishedIds, type KnownIds } from './account.ts';
import { type GeneratedOperation, operationOf } from './operations.ts';
import { CASE_MILLIS, fuzzOptions } from './values.ts';

const SCHEMA = createSchema();

/** Operations are compiled when they come a second time, and have been learnt from Yoga's answer before. */
const COMPILED_FROM = 2;
const TIMES = 4;

interface Answered {
  status: number;
  type: string | null;
  text: string;
}

/** What an app answers to an account; without a stated length, Yoga does it. */
async function answerOf(
  { fetch }: TestApp,
  { token, accountId }: TestApp,
  operation: GeneratedOperation,
  isDirect: boolean,
): Promise<Answered> {
  const body = JSON.stringify(operation);
  const headers = {
    Authorization: `Bearer ${token}`,
    Accept: 'application/json',
    'Content-Type': 'application/json',
    'X-Request-Id': 'fuzz',
    ...(isDirect && { 'Content-Length': String(Buffer.byteLength(body)) }),
  };
  const request = new Request(`${ORIGIN}/graphql`, { method: 'POST', headers, body });
  const response = await asCallerOf(accountId, () => fetch(request));
  return { status: response.status, type: response.headers.get('Content-Type'), text: await response.text() };
}

const FILL = `mutation ($input: CreateTransactionsInput!) {
  createTransactions(input: $input) { ... on CreateTransactionsPayload { transactions { id } } }
}`;

/** Of variants with a price and without one, bought and sold; some of more cards than were bought. */
async function manyTransactions(db: OpenDatabase) {
  const unpriced = await db.query<{ id: string }>(
    'select id from variant v where not exists (select from price where variant_id = v.id) order by id limit 3',
  );
  const variantIds = [...(await pricedVariants(db, 12)), ...unpriced.map(({ id }) => id)];
  return variantIds.flatMap((variantId, i) =>
    ['PURCHASE', 'SALE'].map((action, j) => ({
      variantId,
      action,
      occurredDate: `2026-0${1 + (i % 4)}-1${j}`,
      quantity: 1 + ((5 * i + 3 * j) % 7),
      unitAmount: { currency: i % 3 === 0 ? 'EUR' : 'USD', value: i + 0.37 },
    })),
  );
}

const ID = /[0-9a-hjkmnp-tv-z]{26}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** The text with random ids, also those in cursors, told by where they come first. */
function withoutIds(text: string): string {
  const places = new Map<string, number>();
  const place = (id: string) => {
    if (!places.has(id)) places.set(id, places.size);
    return `#${places.get(id)}`;
  };
  return text
    .replaceAll(/"WyJ[\w-]+"/g, (cursor) => JSON.stringify(Buffer.from(cursor, 'base64url').toString()))
    .replaceAll(ID, place);
}

describeOnDatabases('any operation', (database, kind) => {
  let compiled: TestApp;
  let twin: TestApp;
  let interpreted: TestApp;
  let ids: KnownIds;
  let idsOfTwin: KnownIds;
  beforeAll(async () => {
    compiled = await newTestApp(database(), { compiledFromExecution: COMPILED_FROM });
    interpreted = await newTestApp(database(), { compiledFromExecution: 0 });
    twin = await asNewAccount(database(), compiled.fetch);
    ids = await furnishedIds(database(), compiled, interpreted);
    idsOfTwin = await furnishedIds(database(), twin, interpreted);
    for (const [app, [collectionId]] of [
      [compiled, ids.collection],
      [twin, idsOfTwin.collection],
    ] as const) {
      const input = { collectionId, transactions: await manyTransactions(database()) };
      expect(await app.graphql(FILL, { input })).toMatchObject({
        createTransactions: { transactions: expect.any(Array) },
      });
    }
  });

  const forTwin = (operation: GeneratedOperation): GeneratedOperation => {
    let text = JSON.stringify(operation);
    for (const kind of ['collection', 'transaction', 'alert'] as const) {
      for (const [i, id] of ids[kind].entries())
        text = text.replaceAll(id.slice(4), idsOfTwin[kind][i]!.slice(4));
    }
    return JSON.parse(text);
  };
  const learnFrom = (text: string, { collection, transaction, alert }: KnownIds) => {
    const known = { col: collection, txn: transaction, alr: alert };
    for (const [quoted, prefix] of text.matchAll(/"(col|txn|alr)_[0-9a-z]{26}"/g)) {
      const list = known[prefix as keyof typeof known];
      const id = quoted.slice(1, -1);
      if (!list.includes(id)) list.push(id);
    }
  };

  /** Where statements run side by side, chance decides which of several errors come, and in which order. */
  const comparable = (answer: Answered): Answered => {
    if (kind === 'pglite' || !answer.text.startsWith('{"errors":')) return answer;
    const { errors, ...others } = JSON.parse(answer.text);
    return { ...answer, text: JSON.stringify('data' in others ? others : { errors, ...others }) };
  };

  const outcomes = { data: 0, errors: 0 };
  let cursors: string[] = [];

  /** The same request by both. */
  const expectSameAnswer = async (operation: GeneratedOperation): Promise<void> => {
    const actual = await answerOf(compiled, compiled, operation, true);
    const expected = await answerOf(interpreted, compiled, operation, false);
    expect(comparable(actual)).toEqual(comparable(expected));
    outcomes[actual.text.startsWith('{"data":{') ? 'data' : 'errors']++;
    const found = actual.text.match(/(?<=")WyJ[\w-]+(?=")/g) ?? [];
    cursors = [...new Set([...cursors, ...found])].slice(-50);
  };

  /** The same change of two accounts that are alike. */
  const expectSameChange = async (
    operation: GeneratedOperation,
    ofTwin: GeneratedOperation,
  ): Promise<void> => {
    const actual = await answerOf(compiled, compiled, operation, true);
    const expected = await answerOf(interpreted, twin, ofTwin, false);
    expect(withoutIds(comparable(actual).text)).toBe(withoutIds(comparable(expected).text));
    outcomes[actual.text.startsWith('{"data":{') ? 'data' : 'errors']++;
    learnFrom(actual.text, ids);
    learnFrom(expected.text, idsOfTwin);
  };

  it('is answered alike by what was compiled of it and by the interpreter, however often it comes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.gen(), fc.integer({ min: 1, max: 4 }), async (draw, dice) => {
        const isQuery = dice > 1;
        const operation = isQuery
          ? operationOf(draw, SCHEMA, ids, 'query', cursors)
          : operationOf(draw, SCHEMA, ids, 'mutation', []);
        const ofTwin = forTwin(operation);
        for (let time = 1; time <= TIMES; time++) {
          await (isQuery ? expectSameAnswer(operation) : expectSameChange(operation, ofTwin)).catch(
            (cause) => {
              throw new Error(`${time}: ${JSON.stringify(operation)}: ${String(cause)}`, { cause });
            },
          );
        }
      }),
      { ...fuzzOptions(60), timeout: CASE_MILLIS },
    );
    // Both kinds, from whatever seed.
    expect(3 * outcomes.data).toBeGreaterThan(outcomes.errors);
    const { body: metrics } = await compiled.send('GET', '/metrics');
    expect(Number(/cache_hits_total{cache="compiled_operations"} (\d+)/.exec(metrics)?.[1])).toBeGreaterThan(
      outcomes.data / 4,
    );
    const [mine, theirs] = [await everythingOf(compiled), await everythingOf(twin)];
    expect(withoutIds(JSON.stringify(mine))).toBe(withoutIds(JSON.stringify(theirs)));
    for (const { accountId } of [compiled, twin]) await expectSound(database(), accountId);
  }, 36_000_000);
});
