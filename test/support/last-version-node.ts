import type { Database, OpenDatabase } from '../../src/db/client.ts';
import { newId } from '../../src/domain/ids.ts';
import * as old from '../fixtures/database/last-version-statements.ts';

/**
 * A node of the last version, as far as it writes and reads collections: its statements, sent under its conditions. A write
 * that gives no row met another state of the market; then the account is brought to the newest, and it is sent again.
 */
export interface LastVersionNode {
  createCollection(accountId: string, name: string): Promise<string>;
  renameCollection(accountId: string, id: string, name: string): Promise<void>;
  /** Gives the ids. */
  createTransactions(accountId: string, collectionId: string, entries: LastVersionEntry[]): Promise<string[]>;
  updateTransaction(accountId: string, id: string, changes: LastVersionEntry): Promise<void>;
  deleteTransaction(accountId: string, id: string): Promise<void>;
  setCurrency(accountId: string, currency: string): Promise<void>;
  /** What its lists show: collections by value, and the holdings of each. */
  read(accountId: string): Promise<void>;
  /** A line for each holding of the collection, by value. */
  summaries(accountId: string, collectionId: string): Promise<string[]>;
  importPrices(day: string, rows: { variant_id: string; currency: string; amount: string }[]): Promise<void>;
  importRates(rows: { currency: string; day: string; per_euro: string }[]): Promise<void>;
  catchUp(accountId: string): Promise<void>;
  catchUpAll(): Promise<void>;
  /** What its doctor finds in what it takes to be of the newest market. */
  differences(accountId: string): Promise<unknown[]>;
}

export interface LastVersionEntry {
  variantId: string;
  occurred: string;
  action: string;
  quantity: number;
  unitAmount: string;
  currency: string;
}

/** Its services gave up after 5, with `Unavailable`; their clients sent it again. */
const MAX_TRIES = 100;
const SOURCE = 'VendorMarket';

export function lastVersionNode(db: OpenDatabase): LastVersionNode {
  async function untilWritten<Row>(accountId: string, write: () => Promise<Row[]>): Promise<Row[]> {
    for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
      const rows = await write();
      if (rows.length > 0) return rows;
      await catchUp(accountId);
    }
    throw new Error('A write of the last version never met the newest market.');
  }

  function catchUp(accountId: string): Promise<void> {
    return db.forAccount(accountId).transaction(async (tx) => {
      await tx.liftTimeouts();
      await tx.query(old.LOCK_COLLECTIONS, [accountId]);
      if (!(await stateOf(tx, accountId)).current) await rederive(tx, accountId);
    });
  }

  async function catchUpAll(): Promise<void> {
    for (const { accountId } of await db.query<{ accountId: string }>(old.ACCOUNTS_TO_REPRICE))
      await catchUp(accountId);
  }

  async function runImport(kind: string, day: string, write: (tx: Database) => Promise<unknown>) {
    await db.transaction(async (tx) => {
      await write(tx);
      await tx.query(old.RECORD_IMPORT, [kind, 'of the last version', false, day]);
    });
    await catchUpAll();
  }

  return {
    async createCollection(accountId, name) {
      const id = newId('Collection', Date.now());
      await db
        .forAccount(accountId)
        .query(old.CREATE_COLLECTION, [accountId, id, name, '2026-04-14T00:00:00Z']);
      return id;
    },
    async renameCollection(accountId, id, name) {
      const params = [accountId, id, name, null, null, null, null, null];
      await db.forAccount(accountId).query(old.UPDATE_COLLECTION, params);
    },
    async createTransactions(accountId, collectionId, entries) {
      const own = db.forAccount(accountId);
      const rows = entries.map((entry) => ({ id: newId('Transaction', Date.now()), ...entry }));
      if (rows.length === 1) {
        const { id, variantId, occurred, action, quantity, unitAmount, currency } = rows[0]!;
        const row = [id, variantId, occurred, action, quantity, unitAmount, currency];
        const made = await own.hot(old.CREATE_TRANSACTION_AT_ONCE, [accountId, collectionId, ...row]);
        if (made.length > 0) return [id];
      }
      const params = [accountId, collectionId, JSON.stringify(rows)];
      await untilWritten(accountId, () => own.query(old.CREATE_TRANSACTIONS, params));
      return rows.map(({ id }) => id);
    },
    async updateTransaction(accountId, id, { occurred, action, quantity, unitAmount, currency }) {
      const params = [accountId, id, occurred, action, quantity, unitAmount, currency, null];
      await untilWritten(accountId, () => db.forAccount(accountId).query(old.UPDATE_TRANSACTION, params));
    },
    async deleteTransaction(accountId, id) {
      const own = db.forAccount(accountId);
      type Left = { collectionId: string; variantId: string; transactionsLeft: number };
      const [left] = await own.query<Left>(old.DELETE_TRANSACTION, [accountId, id, null]);
      if (left!.transactionsLeft > 0) return;
      await own.query(old.DELETE_EMPTY_HOLDING, [accountId, left!.collectionId, left!.variantId]);
    },
    setCurrency(accountId, currency) {
      return db.forAccount(accountId).transaction(async (tx) => {
        await tx.query(old.LOCK_ACCOUNT, [accountId]);
        await tx.query(old.UPDATE_PREFERENCES, [accountId, currency, null]);
        await tx.query(old.LOCK_COLLECTIONS, [accountId]);
        await tx.query(old.SET_COLLECTION_CURRENCY, [accountId, currency]);
        await rederive(tx, accountId);
      });
    },
    async read(accountId) {
      const own = db.forAccount(accountId);
      const rows = await own.hot<{ id: string }>(old.COLLECTIONS_BY_VALUE, [accountId]);
      const ids = JSON.stringify(rows.map(({ id }) => id));
      await own.hot(old.COLLECTIONS_BY_ID, [accountId, ids]);
      await own.hot(old.SUMMARIES_BY_VALUE, [accountId, ids]);
      await own.hot(old.DASHBOARD, [accountId]);
    },
    async summaries(accountId, collectionId) {
      const params = [accountId, JSON.stringify([collectionId])];
      const [page] = await db.forAccount(accountId).hot<{ lines: string }>(old.SUMMARIES_BY_VALUE, params);
      return page?.lines.split('\n') ?? [];
    },
    importPrices(day, rows) {
      const prices = rows.map((row) => ({ ...row, source: SOURCE, as_of: day }));
      return runImport('prices', day, async (tx) => {
        await tx.query(old.UPSERT_PRICES, [JSON.stringify(prices)]);
        await tx.query(old.RECORD_PRICE_HISTORY, [SOURCE, day]);
        await tx.query(old.RECORD_PRICE_DAY, [day]);
      });
    },
    importRates(rows) {
      const day = rows
        .map((row) => row.day)
        .toSorted()
        .at(-1)!;
      return runImport('rates', day, (tx) => tx.query(old.UPSERT_RATES, [JSON.stringify(rows)]));
    },
    catchUp,
    catchUpAll,
    async differences(accountId) {
      if (!(await stateOf(db, accountId)).current) return [];
      const found = await Promise.all(old.COMPARISONS.map((statement) => db.query(statement, [accountId])));
      return found.flat();
    },
  };
}

interface PricingState {
  revision: number;
  current: boolean;
}

async function stateOf(db: Database, accountId: string): Promise<PricingState> {
  const [state] = await db.query<PricingState>(old.PRICING_STATE, [accountId]);
  return state!;
}

async function rederive(tx: Database, accountId: string): Promise<void> {
  const { revision } = await stateOf(tx, accountId);
  const [{ rated }] = (await tx.query<{ rated: number }>(old.RATE_LEDGER, [accountId])) as [
    { rated: number },
  ];
  if (rated > 0) await tx.query(old.REDERIVE_HOLDINGS, [accountId]);
  await tx.query(old.REPRICE_HOLDINGS, [accountId]);
  await tx.query(old.RETOTAL_COLLECTIONS, [accountId]);
  await tx.query(old.MARK_PRICED, [accountId, revision]);
  const alerts = await tx.query<{ id: string }>(old.LOCK_ALERTS, [accountId, revision]);
  if (alerts.length === 0) return;
  const ids = JSON.stringify(alerts.map(({ id }) => id));
  const fired = await tx.query<{ id: string }>(old.JUDGE_ALERTS, [accountId, ids, revision]);
  if (fired.length === 0) return;
  await tx.query(old.LOG_TRIGGERED_ALERTS, [accountId, JSON.stringify(fired.map(({ id }) => id))]);
}
