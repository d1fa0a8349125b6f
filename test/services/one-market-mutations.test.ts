import { pino } from 'pino';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import type { Database, OpenDatabase } from '../../src/db/client.ts';
import { UPDATE_PREFERENCES } from '../../src/db/queries/accounts.ts';
import { COLLECTIONS_BY_ID, UPDATE_COLLECTION } from '../../src/db/queries/collections.ts';
import { ONE_SNAPSHOT } from '../../src/db/queries/snapshot.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { marketChanged } from '../../src/memory/memory.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { updateCollection } from '../../src/services/collections/update.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { describeOnOwnDatabases, newTestApp, type TestApp } from '../harness.ts';
import { eventually } from '../support/eventually.ts';
import { contextOf, entry } from '../support/furnished.ts';
import { interrupted, sentThrough, transactionsThrough } from '../support/interrupted.ts';
import { importDay, smallCatalogue } from '../support/price-days.ts';
import { asCallerOf } from '../support/tenancy.ts';

interface Summary {
  quantity: number;
  marketValue: { value: number };
  variant: { marketPrice: { value: number } };
}

const SUMMARY = 'quantity marketValue { value } variant { marketPrice { value } }';
const COLLECTION = `name marketValue { value } transactionSummaries(first: 5) { nodes { ${SUMMARY} } }`;

describeOnOwnDatabases('answers of mutations while prices change', (database) => {
  let variantId: string;
  beforeAll(async () => {
    [variantId] = (await smallCatalogue(database(), 4)) as [string];
  });
  beforeEach(() => setPrice(1));

  /** The process knows of it when it is done. */
  async function setPrice(price: number): Promise<void> {
    await asCallerOf(null, () => importDay(database(), '2026-04-14', { [variantId]: String(price) }));
    marketChanged(database());
  }

  /** A valued collection with two cards. */
  async function holding(app: TestApp, name = 'Held'): Promise<string> {
    const ctx = contextOf(database(), app);
    const { id } = await createCollection(ctx, { name });
    await updateCollection(ctx, id, { valued: true });
    await createTransactions(ctx, id, [entry(variantId, { quantity: 2 })]);
    return id;
  }

  const update = (id: string, name: string, more = '') =>
    `updateCollection(input: { id: "${id}", name: "${name}" ${more} }) { ... on UpdateCollectionPayload { collection { ${COLLECTION} } } }`;

  const create = (id: string, shown = `transactionSummary { ${SUMMARY} }`) =>
    `createTransaction(input: { collectionId: "${id}", variantId: "${variantId}", occurredDate: "2026-01-31",
      action: PURCHASE, quantity: 1, unitAmount: { currency: USD, value: 1 } }) { ... on CreateTransactionPayload { ${shown} } }`;

  /** The price that all of a collection is valued by. */
  function priceOf(collection: {
    marketValue: { value: number };
    transactionSummaries: { nodes: Summary[] };
  }): number {
    const [summary] = collection.transactionSummaries.nodes;
    const { quantity, marketValue, variant } = summary!;
    const price = variant.marketPrice.value;
    expect(marketValue.value).toBe(quantity * price);
    expect(collection.marketValue.value).toBe(quantity * price);
    return price;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the tests assert on its shape
  type Answer = any;

  it('are of the new prices where these come behind the change', async () => {
    const app = await newTestApp(interrupted(database(), UPDATE_COLLECTION, () => setPrice(7)));
    const id = await holding(app);
    const { updateCollection } = await app.graphql<Answer>(`mutation { ${update(id, 'New')} }`);
    expect(updateCollection.collection.name).toBe('New');
    expect(priceOf(updateCollection.collection)).toBe(7);
  });

  it('are so each by itself, as it left the ledger, where an operation has several', async () => {
    const app = await newTestApp(interrupted(database(), UPDATE_COLLECTION, () => setPrice(7)));
    const id = await holding(app);
    const answer = await app.graphql<Answer>(
      `mutation { a: ${create(id)} b: ${update(id, 'New')} c: ${create(id)} d: ${update(id, 'Newer')} }`,
    );
    const { a, b, c, d } = answer;
    const summary = (quantity: number, price: number) => ({
      quantity,
      marketValue: { value: quantity * price },
      variant: { marketPrice: { value: price } },
    });
    expect(a.transactionSummary).toEqual(summary(3, 1));
    expect(priceOf(b.collection)).toBe(7);
    expect(b.collection.transactionSummaries.nodes).toEqual([summary(3, 7)]);
    expect(c.transactionSummary).toEqual(summary(4, 7));
    expect([d.collection.name, priceOf(d.collection)]).toEqual(['Newer', 7]);
  });

  it('show what a key that is sent again had made as it is now', async () => {
    const app = await newTestApp(database());
    const once = (key: string) =>
      app.graphql<Answer>(
        `mutation { createCollection(input: { name: "Once", idempotencyKey: "${key}" }) {
          ... on CreateCollectionPayload { collection { id ${COLLECTION} } } } }`,
      );
    const { id } = (await once('kept')).createCollection.collection;
    await createTransactions(contextOf(database(), app), id, [entry(variantId, { quantity: 2 })]);
    expect(priceOf((await once('kept')).createCollection.collection)).toBe(1);
    await setPrice(7);
    expect(priceOf((await once('kept')).createCollection.collection)).toBe(7);
    const gone = (await once('gone')).createCollection.collection;
    await app.send('DELETE', `/collection/${gone.id}`);
    expect((await once('gone')).createCollection.collection).toEqual(gone);
  });

  it('cost by its size what is read again of what a key had made', async () => {
    const app = await newTestApp(database());
    const history =
      'valueHistory(from: "2026-01-01", to: "2026-04-01", interval: DAY) { invested { value } }';
    const costOf = async (query: string) =>
      (await app.send('POST', '/graphql', { query })).body.extensions.cost.requested as number;
    const once = `mutation { createCollection(input: { name: "Once", idempotencyKey: "once" }) {
      ... on CreateCollectionPayload { collection { id ${history} } } } }`;
    const empty = await costOf(once);
    const { collections } = await app.graphql<Answer>('{ collections(first: 1) { nodes { id } } }');
    const { id } = collections.nodes[0];
    const asked = `{ collection(id: "${id}") { id ${history} } }`;
    const emptyAsked = await costOf(asked);
    const many = Array.from({ length: 1000 }, () => entry(variantId));
    await createTransactions(contextOf(database(), app), id, many);
    const grown = (await costOf(asked)) - emptyAsked;
    expect(grown).toBeGreaterThan(0);
    expect((await costOf(once)) - empty).toBe(grown);
  });

  it('show a goal by one market for the same key', async () => {
    const app = await newTestApp(database());
    const id = await holding(app);
    const once = () =>
      app.graphql<Answer>(
        `mutation { setGoalCollection(input: { collectionId: "${id}", idempotencyKey: "goal" }) {
          ... on SetGoalCollectionPayload { collection { ${COLLECTION} } } } }`,
      );
    expect(priceOf((await once()).setGoalCollection.collection)).toBe(1);
    await setPrice(7);
    expect(priceOf((await once()).setGoalCollection.collection)).toBe(7);
  });

  it('show the account with the currency of the amounts beside it', async () => {
    let meanwhile = async (): Promise<unknown> => undefined;
    const app = await newTestApp(
      sentThrough(database(), async (text, send) => {
        // The first statement behind the change.
        if (text !== UPDATE_PREFERENCES) await meanwhile();
        return send();
      }),
    );
    await holding(app);
    const change = (currency: string) => `updatePreferences(input: { preferredCurrency: ${currency} }) {
      ... on UpdatePreferencesPayload { account { preferredCurrency dashboard { marketValue { currency } } } } }`;
    await app.graphql(`mutation { ${change('GBP')} }`);
    meanwhile = async () => {
      meanwhile = async () => undefined;
      await asCallerOf(null, () =>
        contextOf(database(), app).db.query(
          `update account set preferred_currency = 'EUR' where account_id = $1`,
          [app.accountId],
        ),
      );
    };
    const { updatePreferences } = await app.graphql<Answer>(`mutation { ${change('USD')} }`);
    const { preferredCurrency, dashboard } = updatePreferences.account;
    expect(dashboard.marketValue.currency).toBe(preferredCurrency);
  });

  it.each([
    ['nobody expected', () => new Error('No snapshot.')],
    ['is expected', () => new DomainError('TooMuchWork', 'No snapshot.')],
  ])(
    'are what they were where the second reading fails by what %s, which the log is told',
    async (_, failure) => {
      const lines: string[] = [];
      const logger = pino({ level: 'error' }, { write: (line: string) => lines.push(line) });
      const db = interrupted(database(), UPDATE_COLLECTION, () => setPrice(7));
      const app = await newTestApp(
        readingThrough(db, () => Promise.reject(failure())),
        { logger },
      );
      const id = await holding(app);
      const { updateCollection } = await app.graphql<Answer>(`mutation { ${update(id, 'New')} }`);
      const { name, marketValue, transactionSummaries } = updateCollection.collection;
      expect(name).toBe('New');
      expect([marketValue.value, transactionSummaries.nodes[0].marketValue.value]).toEqual([2, 14]);
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatch(/could not be read once more.*No snapshot\./);
    },
  );

  it('are of one market beside an error of one of their fields', async () => {
    const app = await newTestApp(interrupted(database(), UPDATE_COLLECTION, () => setPrice(7)));
    const id = await holding(app);
    const query = `mutation { updateCollection(input: { id: "${id}", name: "New" }) {
      ... on UpdateCollectionPayload { collection { ${COLLECTION} realizedGains(year: 1) { gain { value } } } } } }`;
    const { body } = await app.send('POST', '/graphql', { query });
    expect(body.errors).toHaveLength(1);
    expect(body.data.updateCollection.collection.realizedGains).toBe(null);
    expect(priceOf(body.data.updateCollection.collection)).toBe(7);
  });

  it('are what they were where the second reading has an error more', async () => {
    const { lines, logger } = logged();
    // As an operation whose time is used up fails before anything is sent.
    const failing = (tx: Database): Database => {
      const send = ((text, params, how) =>
        text === ONE_SNAPSHOT || Object.values(COLLECTIONS_BY_ID).includes(text)
          ? tx.query(text, params, how)
          : Promise.reject(new DomainError('TooMuchWork', 'Spent.'))) as Database['query'];
      return { ...tx, query: send, hot: send, forOperation: () => failing(tx) };
    };
    const db = interrupted(database(), UPDATE_COLLECTION, () => setPrice(7));
    const app = await newTestApp(
      transactionsThrough(db, (run, how) => run(how?.reads ? failing : undefined)),
      { logger },
    );
    const id = await holding(app);
    const query = `mutation { updateCollection(input: { id: "${id}", name: "New" }) { ... on UpdateCollectionPayload { collection {
      marketValue { value } realizedGains(year: 1) { gain { value } } transactionSummary(variantId: "${variantId}") { quantity } } } } }`;
    const { body } = await app.send('POST', '/graphql', { query });
    expect(body.errors).toHaveLength(1);
    expect(body.data.updateCollection.collection.transactionSummary).toEqual({ quantity: 2 });
    expect(lines).toEqual([expect.stringContaining('Spent.')]);
  });

  it('tell the log nothing of a key that is sent again when what it shows is gone', async () => {
    const { lines, logger } = logged();
    const app = await newTestApp(database(), { logger });
    const id = await holding(app);
    const query = `mutation { createTransaction(input: { collectionId: "${id}", variantId: "${variantId}", occurredDate: "2026-01-31",
      action: PURCHASE, quantity: 1, unitAmount: { currency: USD, value: 1 }, idempotencyKey: "once" }) {
      ... on CreateTransactionPayload { transaction { collection { name } } } } }`;
    await app.graphql(query);
    await app.send('DELETE', `/collection/${id}`);
    const { body } = await app.send('POST', '/graphql', { query });
    expect(body).toMatchObject({ data: null, errors: [{ extensions: { code: 'NotFound' } }] });
    expect(lines).toEqual([]);
  });

  /** Sends it as a client that may leave; whether it is answered or not. */
  async function sendLeaving(app: TestApp, query: string, signal: AbortSignal): Promise<void> {
    const body = JSON.stringify({ query });
    const headers = { Authorization: `Bearer ${app.token}`, 'Content-Type': 'application/json' };
    const request = new Request('http://cardledger.test/graphql', {
      method: 'POST',
      headers: { ...headers, 'Content-Length': String(Buffer.byteLength(body)) },
      body,
      signal,
    });
    await asCallerOf(app.accountId, () => app.fetch(request)).catch(() => {});
  }
  const nameOf = async (app: TestApp, id: string) => (await app.send('GET', `/collection/${id}`)).body.name;

  it('are not read again for a client that has left', async () => {
    let readings = 0;
    const leaving = new AbortController();
    const db = interrupted(database(), UPDATE_COLLECTION, async () => {
      await setPrice(7);
      leaving.abort();
    });
    const app = await newTestApp(
      readingThrough(db, (read) => {
        readings++;
        return read();
      }),
    );
    const id = await holding(app);
    await sendLeaving(app, `mutation { ${update(id, 'New')} }`, leaving.signal);
    await eventually(async () => expect(await nameOf(app, id)).toBe('New'));
    expect(readings).toBe(0);
  });

  it('keep no mutation behind them from being executed where the client has left, and nobody reads them', async () => {
    const leaving = new AbortController();
    const db = interrupted(database(), UPDATE_COLLECTION, async () => leaving.abort());
    const app = await newTestApp(db);
    const [one, two] = [await holding(app), await holding(app, 'Another')];
    const search = 'transactionSummaries(first: 1, searchQuery: "quantity>0") { totalCount }';
    const searched = (id: string, name: string) =>
      `updateCollection(input: { id: "${id}", name: "${name}" }) { ... on UpdateCollectionPayload { collection { ${search} } } }`;
    const both = `mutation { one: ${searched(one, 'New')} two: ${searched(two, 'New, too')} }`;
    await sendLeaving(app, both, leaving.signal);
    await eventually(async () => expect(await nameOf(app, two)).toBe('New, too'));
  });

  it('show a new alert as judged by the price beside it', async () => {
    let isChanged = false;
    const app = await newTestApp(
      transactionsThrough(database(), async (run, how) => {
        const result = await run();
        if (!isChanged && !how?.reads) {
          isChanged = true;
          await setPrice(50);
        }
        return result;
      }),
    );
    const { createPriceAlert } = await app.graphql<Answer>(
      `mutation { createPriceAlert(input: { targetId: "${variantId}", when: { above: { currency: USD, value: 10 } } }) {
        ... on CreatePriceAlertPayload { priceAlert { isMet target { ... on Variant { marketPrice { value } } } } } } }`,
    );
    const { isMet, target } = createPriceAlert.priceAlert;
    expect(isChanged).toBe(true);
    expect(isMet).toBe(target.marketPrice.value > 10);
  });

  it('are whole where what a row points at was not there in between, and what is behind them is done', async () => {
    let isHidden = false;
    const app = await newTestApp(
      sentThrough(database(), async (text, send) => {
        const isAsked = isHidden && Object.values(COLLECTIONS_BY_ID).includes(text);
        if (isAsked) isHidden = false;
        const rows = await send();
        // As if somebody had deleted it meanwhile.
        return isAsked ? [] : rows;
      }),
    );
    const id = await holding(app);
    isHidden = true;
    const shown = 'transaction { collection { name } }';
    const { a, b } = await app.graphql<Answer>(
      `mutation { a: ${create(id, shown)} b: ${create(id, shown)} }`,
    );
    expect(isHidden).toBe(false);
    const transaction = { collection: { name: 'Held' } };
    expect([a, b]).toEqual([{ transaction }, { transaction }]);
    expect((await app.send('GET', `/collection/${id}/transaction`)).body.results).toHaveLength(3);
  });

  it('tell of no change that was not begun, behind one whose answer failed', async () => {
    let isHiding = false;
    const app = await newTestApp(
      readingThrough(
        sentThrough(database(), async (text, send) =>
          isHiding && Object.values(COLLECTIONS_BY_ID).includes(text) ? [] : send(),
        ),
        () => Promise.reject(new Error('No snapshot.')),
      ),
    );
    const id = await holding(app);
    isHiding = true;
    const shown = 'transaction { id collection { name } }';
    const { body } = await app.send('POST', '/graphql', {
      query: `mutation { a: ${create(id, shown)} b: ${create(id, shown)} }`,
    });
    isHiding = false;
    expect(body).toMatchObject({ data: null, errors: [{ path: expect.arrayContaining(['a']) }] });
    expect((await app.send('GET', `/collection/${id}/transaction`)).body.results).toHaveLength(2);
  });

  /** Each is quick, and answers meet the commits of many. */
  const IMPORTS = 40;

  it('are of one market, and done once, beside many imports', async () => {
    const app = await newTestApp(database());
    const id = await holding(app);
    let isImporting = true;
    const imports = (async () => {
      for (let price = 1; price <= IMPORTS; price++) await setPrice(price);
      isImporting = false;
    })();
    let quantity = 2;
    while (isImporting) {
      for (const mutation of [update(id, 'Held'), create(id)]) {
        const { body } = await app.send('POST', '/graphql', { query: `mutation { ${mutation} }` });
        // The embedded database is the import's meanwhile: on a busy machine some are told to come again.
        if (body.errors?.[0].extensions.code === 'Unavailable') continue;
        expect(body.errors).toBeUndefined();
        const { updateCollection, createTransaction } = body.data;
        if (updateCollection) priceOf(updateCollection.collection);
        else {
          const { marketValue, variant, ...summary } = createTransaction.transactionSummary;
          expect(summary.quantity).toBe(++quantity);
          expect(marketValue.value).toBe(quantity * variant.marketPrice.value);
        }
      }
    }
    await imports;
    expect(quantity).toBeGreaterThan(2);
  });
});

function logged() {
  const lines: string[] = [];
  return { lines, logger: pino({ level: 'error' }, { write: (line: string) => lines.push(line) }) };
}

/** The database, whose transactions that only read go through `reading`. */
function readingThrough(
  database: OpenDatabase,
  reading: <T>(read: () => Promise<T>) => Promise<T>,
): OpenDatabase {
  return transactionsThrough(database, (run, how) => (how?.reads ? reading(run) : run()));
}
