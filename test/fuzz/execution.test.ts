import fc from 'fast-check';
import { type ExecutionResult, execute, getOperationAST } from 'graphql';
import { beforeAll, expect, it } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { createGraphQLContext } from '../../src/graphql/context.ts';
import { chargeTo } from '../../src/graphql/cost/limits.ts';
import { createPreparation } from '../../src/graphql/prepare.ts';
import { publicResult } from '../../src/graphql/public-result.ts';
import { failedBefore, resultText, withCost } from '../../src/graphql/result.ts';
import { createSchema } from '../../src/graphql/schema.ts';
import { parseJson } from '../../src/http/json-body.ts';
import { untilChecked } from '../../src/memory/memory.ts';
import { Seen } from '../../src/services/context.ts';
import { asNewAccount, describeOnDatabases, newTestApp, pricedVariants, type TestApp } from '../harness.ts';
import { ORIGIN } from '../http/support.ts';
import { NOW } from '../support/clock.ts';
import { isLeftToPostgres } from '../support/left-to-postgres.ts';
import { asCallerOf, databaseOfCaller } from '../support/tenancy.ts';
import { everythingOf, expectSound, furnishedIds, type KnownIds } from './account.ts';
import { type GeneratedOperation, operationOf } from './operations.ts';
import { CASE_MILLIS, fuzzOptions } from './values.ts';

const SCHEMA = createSchema();

const PREPARATION = createPreparation(SCHEMA);

/** The first goes through all of Yoga, the others the quick way. */
const TIMES = 3;
const REQUEST_ID = 'fuzz';

/** What the service answers to an account. */
async function answerOf(
  { fetch, token, accountId }: TestApp,
  operation: GeneratedOperation,
): Promise<string> {
  const body = JSON.stringify(operation);
  const headers = {
    Authorization: `Bearer ${token}`,
    Accept: 'application/json',
    'Content-Type': 'application/json',
    'X-Request-Id': REQUEST_ID,
  };
  const request = new Request(`${ORIGIN}/graphql`, { method: 'POST', headers, body });
  return (await asCallerOf(accountId, () => fetch(request))).text();
}

/** The same, executed by graphql-js; null where it is not said which operation is meant. */
async function expectedOf(
  db: OpenDatabase,
  { accountId }: TestApp,
  operation: GeneratedOperation,
): Promise<string | null> {
  const result = await interpreted(db, accountId, operation).catch(failedBefore);
  return result && resultText(publicResult(result, REQUEST_ID, () => {}));
}

async function interpreted(
  db: OpenDatabase,
  accountId: string,
  operation: GeneratedOperation,
): Promise<ExecutionResult | null> {
  // As a body arrives: numbers that lose digits are none.
  const given = parseJson(JSON.stringify(operation), 'body') as GeneratedOperation;
  const { query, operationName, variables = {} } = given;
  const document = PREPARATION.parse(query);
  if (!getOperationAST(document, operationName)) return null;
  const admission = PREPARATION.admit(given, document, { known: undefined, withShares: false });
  if (admission.errors) return withCost({ errors: admission.errors }, admission.cost);
  const caller = { accountId, clientId: 'cli_fuzz' };
  const ctx = { db: databaseOfCaller(db, accountId), caller, now: () => NOW, seen: new Seen() };
  return asCallerOf(accountId, async () => {
    await untilChecked(ctx);
    const follow = () => Promise.reject(new Error('Not followed.'));
    const ofRequest = { requestId: REQUEST_ID, log: () => {}, follow, followImport: follow };
    const graphql = createGraphQLContext(ctx, ofRequest);
    const contextValue = {
      ...graphql,
      mutation: { operation: { hasBegun: false, hasChanged: false }, isReplayed: false, isDone: false },
    };
    contextValue.context.charge = chargeTo(admission.cost, admission.cost.requested);
    const result = await execute({
      schema: SCHEMA,
      document,
      operationName,
      variableValues: variables,
      contextValue,
    });
    return withCost(result, admission.cost);
  });
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

function errorsOf(text: string): number {
  return text.startsWith('{"errors":') ? JSON.parse(text).errors.length : 0;
}

describeOnDatabases('any operation', (database, kind) => {
  let app: TestApp;
  let twin: TestApp;
  let ids: KnownIds;
  let idsOfTwin: KnownIds;
  beforeAll(async () => {
    app = await newTestApp(database());
    twin = await asNewAccount(database(), app.fetch);
    const stranger = await asNewAccount(database(), app.fetch);
    ids = await furnishedIds(database(), app, stranger);
    idsOfTwin = await furnishedIds(database(), twin, stranger);
    for (const [owner, [collectionId]] of [
      [app, ids.collection],
      [twin, idsOfTwin.collection],
    ] as const) {
      const input = { collectionId, transactions: await manyTransactions(database()) };
      expect(await owner.graphql(FILL, { input })).toMatchObject({
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

  /**
   * Byte for byte, but on PostgreSQL, where statements run side by side and chance decides which of several errors comes
   * first: it may be the only one then, on either side, where it makes null what the others belong to. Where there are errors,
   * the data are compared.
   */
  const comparable = (text: string): string => {
    if (kind === 'pglite' || errorsOf(text) === 0) return text;
    const { errors, data } = JSON.parse(text);
    return JSON.stringify({ data, hasErrors: errors !== undefined });
  };

  const outcomes = { data: 0, partial: 0, errors: 0 };
  const expectSame = (actual: string, expected: string) => {
    expect(comparable(actual)).toBe(comparable(expected));
    const kind = actual.startsWith('{"data":{') ? 'data' : /"data":[{n]/.test(actual) ? 'partial' : 'errors';
    outcomes[kind]++;
  };
  let cursors: string[] = [];

  const expectSameAnswer = async (operation: GeneratedOperation): Promise<void> => {
    const actual = await answerOf(app, operation);
    const expected = await expectedOf(database(), app, operation);
    if (expected === null) return;
    expectSame(actual, expected);
    const found = actual.match(/(?<=")WyJ[\w-]+(?=")/g) ?? [];
    cursors = [...new Set([...cursors, ...found])].slice(-50);
  };

  /** The same change of two accounts that are alike. */
  const expectSameChange = async (
    operation: GeneratedOperation,
    ofTwin: GeneratedOperation,
  ): Promise<void> => {
    const actual = await answerOf(app, operation);
    const expected = await expectedOf(database(), twin, ofTwin);
    if (expected === null) return;
    expectSame(withoutIds(actual), withoutIds(expected));
    learnFrom(actual, ids);
    learnFrom(expected, idsOfTwin);
  };

  it.skipIf(isLeftToPostgres(kind))(
    'is executed as graphql-js does it, errors and their order included, however often it comes',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.gen(), fc.integer({ min: 1, max: 4 }), async (draw, dice) => {
          const isQuery = dice > 1;
          const operation = isQuery
            ? operationOf(draw, SCHEMA, ids, 'query', cursors)
            : operationOf(draw, SCHEMA, ids, 'mutation', []);
          const ofTwin = forTwin(operation);
          // What is read for the first time comes later than what is in memory, and so does its error: which of several is told.
          if (isQuery) await answerOf(app, operation);
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
      // All kinds, from whatever seed.
      expect(3 * outcomes.data).toBeGreaterThan(outcomes.errors);
      expect(outcomes.partial).toBeGreaterThan(0);
      const [mine, theirs] = [await everythingOf(app), await everythingOf(twin)];
      expect(withoutIds(JSON.stringify(mine))).toBe(withoutIds(JSON.stringify(theirs)));
      for (const { accountId } of [app, twin]) await expectSound(database(), accountId);
    },
    36_000_000,
  );
});
