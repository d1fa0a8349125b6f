import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createCollection } from '../../src/services/collections/create.ts';
import { updateCollection } from '../../src/services/collections/update.ts';
import {
  asNewAccount,
  describeOnDatabases,
  NOW,
  newTestApp,
  pricedVariants,
  statementsOf,
  type TestApp,
} from '../harness.ts';
import { eventually } from '../support/eventually.ts';
import { contextOf, entry } from '../support/furnished.ts';
import { expectProblem } from './support.ts';

const LIMIT = 10_000;
const CSV = [
  'occurredDate,action,quantity,unitAmount,currency,number,variantName',
  '2025-03-01,Purchase,2,4.50,USD,MST131,Normal',
].join('\n');
const QUERY = '{ viewer { name } }';

describeOnDatabases('the budget of work of an account', (database) => {
  /** Ten accounts of one process, whose clock stands still. */
  const tenAccounts = async (workLimitPerMinute = LIMIT) => {
    let millis = NOW.getTime();
    const now = () => new Date(millis);
    // What the database is measured by, and what a test says that it was.
    const spend: ((accountId: string, databaseMillis: number) => void)[] = [];
    const db = { ...database(), onWork: (listener: (typeof spend)[number]) => void spend.push(listener) };
    const first = await newTestApp(db, { now, config: { workLimitPerMinute } });
    const quiet: TestApp[] = [];
    for (let i = 0; i < 9; i++) quiet.push(await asNewAccount(database(), first.fetch, { now }));
    const pass = (seconds: number) => {
      millis += seconds * 1000;
    };
    const use = ({ accountId }: TestApp, databaseMillis: number) => {
      for (const listener of spend) listener(accountId, databaseMillis);
    };
    return { noisy: first, quiet, pass, use };
  };
  const query = (app: TestApp) => app.send('POST', '/graphql', { query: QUERY });

  it('is used up for that account alone, by REST and GraphQL, until it is refilled', async () => {
    const { noisy, quiet, pass, use } = await tenAccounts();
    expect((await noisy.send('GET', '/collection')).status).toBe(200);
    // Half a second more than there is, which takes three seconds to be refilled.
    use(noisy, LIMIT + 500);
    const refused = await noisy.send('GET', '/collection');
    expectProblem(refused, 'RateLimited');
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThanOrEqual(4);
    const operation = await query(noisy);
    expect(operation.status).toBe(429);
    expect(operation.headers.get('Retry-After')).toMatch(/^\d+$/);
    expect(operation.body).toMatchObject({
      errors: [
        { message: expect.stringContaining(`${LIMIT} ms a minute`), extensions: { code: 'RateLimited' } },
      ],
    });
    for (const app of quiet) {
      expect((await app.send('GET', '/collection')).status).toBe(200);
      expect((await query(app)).status).toBe(200);
    }
    pass(Number(refused.headers.get('Retry-After')));
    expect((await noisy.send('GET', '/collection')).status).toBe(200);
  });

  it('is not used by what is refused', async () => {
    const { noisy, use } = await tenAccounts(10);
    use(noisy, 50);
    const wait = async () => {
      const refused = await noisy.send('GET', '/collection');
      expectProblem(refused, 'RateLimited');
      return refused.headers.get('Retry-After');
    };
    // A millisecond of work takes six seconds to be refilled.
    const first = await wait();
    for (let i = 0; i < 50; i++) await wait();
    expect(await wait()).toBe(first);
  });

  it('says what is left of it in the answers of GraphQL', async () => {
    const { noisy, quiet, use } = await tenAccounts();
    const left = async (app: TestApp) => (await query(app)).body.extensions.cost;
    use(noisy, LIMIT / 2);
    const { work, ...cost } = await left(noisy);
    expect(cost).toEqual({ requested: 1, maximum: 10_000 });
    expect(work.limit).toBe(LIMIT);
    expect(work.remaining).toBeLessThanOrEqual(LIMIT / 2);
    expect((await left(quiet[0]!)).work.remaining).toBeGreaterThan(LIMIT / 2);
    const unlimited = await tenAccounts(0);
    unlimited.use(unlimited.noisy, 10 * LIMIT);
    expect(await left(unlimited.noisy)).toEqual({ requested: 1, maximum: 10_000 });
  });

  it.each<[string, string, (collectionId: string, variantId: string) => object]>([
    [
      'a batch of transactions',
      'mutation ($input: CreateTransactionsInput!) { result: createTransactions(input: $input) { __typename } }',
      (collectionId, variantId) => ({
        collectionId,
        transactions: Array.from({ length: 50 }, () => ({ ...entry(variantId), action: 'PURCHASE' })),
      }),
    ],
    [
      'an import of transactions',
      'mutation ($input: ImportTransactionsInput!) { result: importTransactions(input: $input) { __typename } }',
      (collectionId) => ({ collectionId, csv: CSV }),
    ],
    [
      'another currency',
      'mutation ($input: UpdatePreferencesInput!) { result: updatePreferences(input: $input) { __typename } }',
      () => ({ preferredCurrency: 'EUR' }),
    ],
  ])('is used by %s', async (_name, mutation, input) => {
    // So little that all work is too much.
    const app = await newTestApp(database(), { config: { workLimitPerMinute: 1 } });
    const { id } = await createCollection(contextOf(database(), app), { name: 'Binder' });
    const [variantId] = (await pricedVariants(database(), 1)) as [string];
    const variables = { input: input(id, variantId) };
    const { status, body } = await app.send('POST', '/graphql', { query: mutation, variables });
    expect([status, body.data.result.__typename]).toEqual([200, expect.stringMatching(/Payload$/)]);
    expect(body.extensions.cost.work).toEqual({ limit: 1, remaining: 0 });
    expectProblem(await app.send('GET', '/collection'), 'RateLimited');
  });

  it('is looked at before each mutation of an operation but the first, which the request was let in for', async () => {
    const app = await newTestApp(database(), { config: { workLimitPerMinute: 1 } });
    const create = (name: string) =>
      `${name}: createCollection(input: { name: "${name}" }) { ... on CreateCollectionPayload { collection { name } } }`;
    const { status, headers, body } = await app.send('POST', '/graphql', {
      query: `mutation { ${create('first')} ${create('second')} ${create('third')} }`,
    });
    expect(status).toBe(200);
    expect(headers.get('Retry-After')).toMatch(/^\d+$/);
    expect(body).toMatchObject({
      data: null,
      errors: [{ path: ['second'], extensions: { code: 'RateLimited' } }],
    });
    const written = await database().query<{ name: string }>(
      'select name from collection where account_id = $1',
      [app.accountId],
    );
    expect(written).toEqual([{ name: 'first' }]);
  });

  it('is waited for by the events of a subscription, of which none is lost', async () => {
    const { noisy, pass, use } = await tenAccounts();
    const ctx = contextOf(database(), noisy);
    const { id } = await createCollection(ctx, { name: 'Followed' });
    const body = JSON.stringify({
      query: `subscription { collectionChanged(id: "${id}") { collection { name } } }`,
    });
    const { body: stream } = await noisy.fetch(
      new Request('http://cardledger.test/graphql', {
        method: 'POST',
        body,
        headers: {
          Authorization: `Bearer ${noisy.token}`,
          Accept: 'text/event-stream',
          'Content-Type': 'application/json',
        },
      }),
    );
    const reader = stream!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const reading = (async () => {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        text += value;
      }
    })();
    use(noisy, LIMIT);
    await updateCollection(ctx, id, { name: 'While it is used up' });
    expectProblem(await noisy.send('GET', '/collection'), 'RateLimited');
    await sleep(500);
    expect(text).not.toContain('event: next');
    pass(60);
    await eventually(() => expect(text).toContain('While it is used up'));
    expect(text).toContain('"work":{"limit":10000,');
    use(noisy, 10 * LIMIT);
    await updateCollection(ctx, id, { name: 'For nobody' });
    await sleep(500);
    await reader.cancel();
    await reading;
    pass(120);
    const { statements } = await statementsOf(() => sleep(1500));
    expect(statements).toEqual([]);
  });

  it('is not spent on a client that has left', async () => {
    const { noisy } = await tenAccounts();
    const headers = { Authorization: `Bearer ${noisy.token}` };
    const ask = (signal?: AbortSignal) =>
      noisy.fetch(new Request('http://localhost/collection', { headers, ...(signal && { signal }) }));
    await ask();
    const left = await statementsOf(() => ask(AbortSignal.abort()));
    expect([left.result.status, left.statements]).toEqual([400, []]);
    expect((await ask()).status).toBe(200);
  });
});
