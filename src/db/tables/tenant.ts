import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  date,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { variant } from './catalogue.ts';
import { decimal, idText, nameText } from './types.ts';

/** What belongs to an account. Every key starts with `account_id`, and every statement names it (docs/decisions.md#accounts-and-clients). */

export const account = pgTable(
  'account',
  {
    accountId: uuid('account_id').primaryKey(),
    /** The platform that it is below; null for an account of the operator's. */
    parentId: uuid('parent_id'),
    name: text().notNull(),
    preferredCurrency: text('preferred_currency').notNull(),
    preferredPriceSource: text('preferred_price_source').notNull(),
    costBasis: text('cost_basis').notNull().default('Average'),
    maxCollections: integer('max_collections').notNull(),
    maxValuedCollections: integer('max_valued_collections').notNull(),
    maxTransactions: integer('max_transactions').notNull().default(2_000_000),
    /** Accounts below it. */
    maxAccounts: integer('max_accounts').notNull().default(0),
    collectionCount: integer('collection_count').notNull().default(0),
    valuedCollectionCount: integer('valued_collection_count').notNull().default(0),
    accountCount: integer('account_count').notNull().default(0),
    /** Nobody has access while it is. */
    suspended: boolean().notNull().default(false),
    /** Gone for everyone since then; its rows are purged in batches afterwards. */
    deletedAt: timestamp('deleted_at', { withTimezone: true }),
    /** Grows with each change that its platform makes: its ETag. */
    revision: bigint({ mode: 'number' }).notNull().default(1),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
  },
  (t) => [
    index('account_deleted').on(t.deletedAt).where(sql`${t.deletedAt} is not null`),
    check('account_counts', sql`${t.accountCount} >= 0`),
  ],
);

/** The accounts below an account, by the ids that its app knows their users by: what they are stands in their own rows. */
export const subAccount = pgTable(
  'sub_account',
  {
    accountId: uuid('account_id')
      .notNull()
      .references(() => account.accountId),
    /** The `account_id` of the account below. */
    id: uuid().notNull(),
    externalId: idText('external_id').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.id] }),
    uniqueIndex('sub_account_external').on(t.accountId, t.externalId),
  ],
);

/**
 * The external ids of accounts that a platform with an identity provider deleted, for as long as a token of the user may still be
 * good: such a one makes no account anew.
 */
export const formerSubAccount = pgTable(
  'former_sub_account',
  {
    accountId: uuid('account_id').notNull(),
    externalId: idText('external_id').notNull(),
    deletedAt: timestamp('deleted_at', { withTimezone: true }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.externalId] }),
    index('former_sub_account_age').on(t.deletedAt),
  ],
);

/**
 * Sums over the collection's holdings, in `currency`, changed by differences with every ledger row. No index is on what
 * changes with them, so that such an update stays on its page; an account's collections are few enough to sort.
 */
export const collection = pgTable(
  'collection',
  {
    accountId: uuid('account_id')
      .notNull()
      .references(() => account.accountId),
    id: idText().notNull(),
    name: nameText().notNull(),
    description: text().notNull().default(''),
    kind: text().notNull().default('Collection'),
    valued: boolean().notNull().default(false),
    pinned: boolean().notNull().default(false),
    isGoal: boolean('is_goal').notNull().default(false),
    /** Gone for every reader; its ledger is purged in batches afterwards. */
    deleted: boolean().notNull().default(false),
    image: integer().notNull().default(0),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
    /** Grows with every change of the row: the collection's ETag. */
    revision: bigint({ mode: 'number' }).notNull().default(1),
    currency: text().notNull(),
    /** The account's; here, as the currency is, since writers of its ledger lock this row alone. */
    costBasis: text('cost_basis').notNull().default('Average'),
    /** The state of the market that `marketValue`, `gain` and `unpriced` are of (queries/valuation.ts); 0 where they are of none. */
    marketRevision: bigint('market_revision', { mode: 'number' }).notNull().default(0),
    transactionCount: bigint('transaction_count', { mode: 'number' }).notNull().default(0),
    /** Of the transactions that the account may have, how many are set aside for this collection (queries/shares.ts). */
    transactionShare: bigint('transaction_share', { mode: 'number' }).notNull().default(0),
    quantity: bigint({ mode: 'number' }).notNull().default(0),
    invested: decimal().notNull().default('0'),
    profit: decimal().notNull().default('0'),
    cashPosition: decimal('cash_position').notNull().default('0'),
    marketValue: decimal('market_value').notNull().default('0'),
    gain: decimal().notNull().default('0'),
    /** Cards that are held without a known price. */
    unpriced: bigint({ mode: 'number' }).notNull().default(0),
    /** Cards that were bought at a cost that is not known: `invested` and `profit` count it as 0. */
    boughtUnknown: bigint('bought_unknown', { mode: 'number' }).notNull().default(0),
    /** Cards that are held whose cost is not known, or in part, and what they are worth: `gain` leaves them out. */
    unknownCost: bigint('unknown_cost', { mode: 'number' }).notNull().default(0),
    unknownCostValue: decimal('unknown_cost_value').notNull().default('0'),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.id] }),
    uniqueIndex('collection_goal').on(t.accountId).where(sql`${t.isGoal}`),
    index('collection_deleted').on(t.accountId, t.id).where(sql`${t.deleted}`),
    check('collection_kind', sql`${t.kind} in ('Collection', 'Wishlist')`),
    check('collection_wishlist', sql`${t.kind} = 'Collection' or not (${t.valued} or ${t.isGoal})`),
    check('collection_transaction_count', sql`${t.transactionCount} >= 0`),
  ],
);

/** The ledger: the truth from which everything else about a collection is derived. */
export const transaction = pgTable(
  'transaction',
  {
    accountId: uuid('account_id').notNull(),
    /** Sorts by entry order. */
    id: idText().notNull(),
    collectionId: idText('collection_id').notNull(),
    variantId: idText('variant_id')
      .notNull()
      .references(() => variant.id),
    occurred: date({ mode: 'string' }).notNull(),
    action: text().notNull(),
    quantity: integer().notNull(),
    unitAmount: decimal('unit_amount').notNull(),
    /** Of a purchase whose price nobody knows: `unit_amount` is 0, and no gain is made of it. */
    costUnknown: boolean('cost_unknown').notNull().default(false),
    currency: text().notNull(),
    /** Of the whole transaction, in `currency`: part of the cost of a purchase, taken from the proceeds of a sale. */
    fees: decimal().notNull().default('0'),
    shipping: decimal().notNull().default('0'),
    /** From `currency` to the collection's, on the day it occurred: 1 where they are the same, else with 20 decimals, be it 1 or not. */
    rate: decimal().notNull(),
    revision: integer().notNull().default(1),
    /**
     * What a collector says of the cards; null where nothing is said. No amount follows from it, so the rules of the input
     * (domain/inputs.ts) will do: PostgreSQL reads the expressions of all checks anew for each statement that writes, and those of these
     * took a fifth of the time of creating a transaction.
     */
    cardCondition: text('card_condition'),
    language: text(),
    gradeCompany: text('grade_company'),
    grade: text(),
    certificate: text(),
    notes: text(),
    /** A list of texts. */
    tags: jsonb().$type<string[]>(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.id] }),
    foreignKey({
      columns: [t.accountId, t.collectionId],
      foreignColumns: [collection.accountId, collection.id],
    }).onDelete('cascade'),
    index('transaction_occurred').on(t.accountId, t.collectionId, t.occurred, t.id),
    index('transaction_variant').on(t.accountId, t.collectionId, t.variantId, t.occurred, t.id),
    // A page of a year's sales, in a collection of purchases too.
    index('transaction_sold')
      .on(t.accountId, t.collectionId, t.occurred, t.id)
      .where(sql`${t.action} = 'Sale'`),
    // What was converted, for warnings of rates that are not of their day (queries/rates.ts).
    index('transaction_converted')
      .on(t.accountId, t.collectionId, t.variantId, t.currency, t.occurred)
      .where(sql`${t.rate} <> 1`),
    // What other rates of a day concern, over all accounts (queries/rates.ts).
    index('transaction_rated').on(t.occurred, t.accountId).where(sql`scale(${t.rate}) > 0`),
    check('transaction_action', sql`${t.action} in ('Purchase', 'Sale')`),
    check('transaction_quantity', sql`${t.quantity} between 1 and 1000000`),
    check(
      'transaction_unit_amount',
      sql`${t.unitAmount} between 0 and 1000000000 and scale(${t.unitAmount}) <= 4`,
    ),
    check(
      'transaction_charges',
      sql`${t.fees} between 0 and 1000000000 and scale(${t.fees}) <= 4
        and ${t.shipping} between 0 and 1000000000 and scale(${t.shipping}) <= 4`,
    ),
    check(
      'transaction_cost_unknown',
      sql`not ${t.costUnknown} or (${t.action} = 'Purchase' and ${t.unitAmount} = 0)`,
    ),
    check('transaction_rate', sql`${t.rate} > 0 and ${t.rate} < 'Infinity'`),
  ],
);

/**
 * The running sums of one variant in one collection, from which the summary is derived. A row without transactions
 * left (`transaction_count` 0) is no summary and is about to be deleted.
 */
export const holding = pgTable(
  'holding',
  {
    accountId: uuid('account_id').notNull(),
    collectionId: idText('collection_id').notNull(),
    variantId: idText('variant_id')
      .notNull()
      .references(() => variant.id),
    transactionCount: bigint('transaction_count', { mode: 'number' }).notNull(),
    bought: bigint({ mode: 'number' }).notNull(),
    cost: decimal().notNull(),
    /** Of those bought, the cards whose cost is not known: it counts as 0. */
    boughtUnknown: bigint('bought_unknown', { mode: 'number' }).notNull().default(0),
    sold: bigint({ mode: 'number' }).notNull(),
    proceeds: decimal().notNull(),
    quantity: bigint({ mode: 'number' }).generatedAlwaysAs(sql`bought - sold`),
    invested: decimal().generatedAlwaysAs(sql`invested(bought, cost, sold)`),
    profit: decimal().generatedAlwaysAs(sql`profit(bought, cost, sold, proceeds)`),
    cashPosition: decimal('cash_position').generatedAlwaysAs(sql`proceeds - cost`),
    /**
     * By a cost basis that depends on the order, the cards that are held, what they had cost, and of how many that is not
     * known, or in part; null by the average.
     */
    held: bigint({ mode: 'number' }),
    heldCost: decimal('held_cost'),
    heldUnknown: bigint('held_unknown', { mode: 'number' }),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.collectionId, t.variantId] }),
    foreignKey({
      columns: [t.accountId, t.collectionId],
      foreignColumns: [collection.accountId, collection.id],
    }).onDelete('cascade'),
    // What is held of a variant over all collections.
    index('holding_variant').on(t.accountId, t.variantId),
    check('holding_counts', sql`${t.transactionCount} >= 0 and ${t.bought} >= 0 and ${t.sold} >= 0`),
  ],
);

/**
 * By a cost basis that depends on the order: what a variant's cards have cost after each of its transactions
 * (domain/cost-basis.ts), so that whoever changes one goes on from the one before. None by the average.
 */
export const costState = pgTable(
  'cost_state',
  {
    accountId: uuid('account_id').notNull(),
    collectionId: idText('collection_id').notNull(),
    variantId: idText('variant_id').notNull(),
    occurred: date({ mode: 'string' }).notNull(),
    transactionId: idText('transaction_id').notNull(),
    /** What the cards of the sale had cost; 0 of a purchase. */
    cost: decimal().notNull(),
    held: bigint({ mode: 'number' }).notNull(),
    heldCost: decimal('held_cost').notNull(),
    /** Of those held, cards whose cost is not known, or in part. */
    heldUnknown: bigint('held_unknown', { mode: 'number' }).notNull().default(0),
    /** First in first out: the oldest purchase of which cards are left, and how many of it are gone. */
    lotOccurred: date('lot_occurred', { mode: 'string' }),
    lotId: idText('lot_id'),
    lotTaken: integer('lot_taken'),
  },
  (t) => [
    primaryKey({
      name: 'cost_state_pk',
      columns: [t.accountId, t.collectionId, t.variantId, t.occurred, t.transactionId],
    }),
    foreignKey({
      columns: [t.accountId, t.collectionId],
      foreignColumns: [collection.accountId, collection.id],
    }).onDelete('cascade'),
  ],
);

/** What the goal collection of an account is to hold: what another collection holds, or the items of a list. */
export const goal = pgTable(
  'goal',
  {
    accountId: uuid('account_id').notNull(),
    collectionId: idText('collection_id').notNull(),
    /** What serves for a card that is wanted (domain/goals.ts). */
    match: text().notNull(),
    /** Null where it has a list. */
    targetCollectionId: idText('target_collection_id'),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.collectionId] }),
    foreignKey({
      columns: [t.accountId, t.collectionId],
      foreignColumns: [collection.accountId, collection.id],
    }).onDelete('cascade'),
    foreignKey({
      columns: [t.accountId, t.targetCollectionId],
      foreignColumns: [collection.accountId, collection.id],
    }).onDelete('cascade'),
    check('goal_match', sql`${t.match} in ('Variant', 'Product', 'Card')`),
  ],
);

/** The list of a goal. */
export const goalItem = pgTable(
  'goal_item',
  {
    accountId: uuid('account_id').notNull(),
    collectionId: idText('collection_id').notNull(),
    variantId: idText('variant_id')
      .notNull()
      .references(() => variant.id),
    quantity: bigint({ mode: 'number' }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.collectionId, t.variantId] }),
    foreignKey({
      columns: [t.accountId, t.collectionId],
      foreignColumns: [goal.accountId, goal.collectionId],
    }).onDelete('cascade'),
    check('goal_item_quantity', sql`${t.quantity} > 0`),
  ],
);

/** Accounts whose transactions of some days are to get new exchange rates. */
export const ledgerToRate = pgTable('ledger_to_rate', {
  accountId: uuid('account_id').primaryKey(),
  /** As of a change of rates. */
  firstDay: date('first_day', { mode: 'string' }).notNull(),
  lastDay: date('last_day', { mode: 'string' }).notNull(),
});

/** A price alert, on a variant or a collection, with the state of its condition (domain/price-alerts.ts). */
export const priceAlert = pgTable(
  'price_alert',
  {
    accountId: uuid('account_id')
      .notNull()
      .references(() => account.accountId),
    id: idText().notNull(),
    variantId: idText('variant_id').references(() => variant.id),
    collectionId: idText('collection_id'),
    condition: text().notNull(),
    /** Above, Below. */
    amount: decimal(),
    currency: text(),
    /** Change. */
    percent: decimal(),
    days: integer(),
    direction: text(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
    /** Whether the condition was true when it was judged last; it fires when this becomes true. */
    isMet: boolean('is_met').notNull().default(false),
    /** The day of the newest prices that it was judged by. */
    judgedThrough: date('judged_through', { mode: 'string' }),
    /** The revision of the market data that it was judged by. */
    marketRevision: bigint('market_revision', { mode: 'number' }).notNull(),
    triggerCount: integer('trigger_count').notNull().default(0),
    lastTriggeredAt: timestamp('last_triggered_at', { withTimezone: true }),
    /** The day of the prices that made it fire, the value by them, and the change in percent. */
    lastTriggeredDay: date('last_triggered_day', { mode: 'string' }),
    lastValue: decimal('last_value'),
    lastCurrency: text('last_currency'),
    lastChange: decimal('last_change'),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.id] }),
    // Those that are due are found by every node, again and again.
    index('price_alert_due').on(t.marketRevision),
    foreignKey({
      columns: [t.accountId, t.collectionId],
      foreignColumns: [collection.accountId, collection.id],
    }),
    check('price_alert_target', sql`num_nonnulls(${t.variantId}, ${t.collectionId}) = 1`),
    check(
      'price_alert_condition',
      sql`(${t.condition} in ('Above', 'Below')
          and num_nonnulls(${t.amount}, ${t.currency}) = 2 and ${t.amount} between 0 and 1000000000
          and num_nonnulls(${t.percent}, ${t.days}, ${t.direction}) = 0)
        or (${t.condition} = 'Change' and num_nonnulls(${t.amount}, ${t.currency}) = 0
          and num_nonnulls(${t.percent}, ${t.days}, ${t.direction}) = 3 and ${t.percent} between 0.01 and 10000
          and ${t.days} between 1 and 365 and ${t.direction} in ('Up', 'Down', 'Either'))`,
    ),
  ],
);

/** The first answer to a request with an idempotency key, kept 24 hours for the client (docs/decisions.md#idempotency). */
export const idempotencyKey = pgTable(
  'idempotency_key',
  {
    accountId: uuid('account_id')
      .notNull()
      .references(() => account.accountId, { onDelete: 'cascade' }),
    clientId: idText('client_id').notNull(),
    key: idText().notNull(),
    /** SHA-256 of the operation and its input. */
    requestDigest: text('request_digest').notNull(),
    /** Null within the database transaction that makes it, and where it had to make room: the key stands all the same. */
    answer: jsonb(),
    /** What the answer takes, where that is much; else 0. */
    answerBytes: integer('answer_bytes').notNull().default(0),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.clientId, t.key] }),
    index('idempotency_key_age').on(t.createdAt),
    index('idempotency_key_large').on(t.accountId, t.createdAt).where(sql`${t.answerBytes} > 0`),
  ],
);

/**
 * What happened, for those who follow it: kept 24 hours. No foreign keys: an event outlives what it is about, and a
 * write of the ledger need not look at the account.
 */
export const event = pgTable(
  'event',
  {
    accountId: uuid('account_id').notNull(),
    /** The id of a collection, or `alerts`. */
    stream: idText().notNull(),
    /**
     * The revision that the change gave the collection; of alerts, their number. Whoever writes an event holds the lock
     * of the row that counts until the commit, so the events of a stream appear in their order and without gaps.
     */
    sequence: bigint({ mode: 'number' }).notNull(),
    kind: text().notNull(),
    /** Lists of ids: the transactions and the variants concerned. */
    transactionIds: jsonb('transaction_ids').$type<string[]>(),
    variantIds: jsonb('variant_ids').$type<string[]>(),
    alertId: idText('alert_id'),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.stream, t.sequence] }), index('event_age').on(t.createdAt)],
);

/** The number of the newest event of a stream that has no revision of its own. */
export const eventStream = pgTable(
  'event_stream',
  {
    accountId: uuid('account_id').notNull(),
    stream: idText().notNull(),
    sequence: bigint({ mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.stream] })],
);

/** A file of transactions as it was read, kept 24 hours until what is to be done with its rows is known. */
export const importPreview = pgTable(
  'import_preview',
  {
    accountId: uuid('account_id').notNull(),
    id: idText().notNull(),
    collectionId: idText('collection_id').notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
    /** What its rows take, as they are stored. */
    bytes: bigint({ mode: 'number' }).notNull(),
    /** Its form, its header, what is counted of it, and what is said of rows that lack something. */
    file: jsonb().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.id] }),
    foreignKey({
      name: 'import_preview_collection',
      columns: [t.accountId, t.collectionId],
      foreignColumns: [collection.accountId, collection.id],
    }).onDelete('cascade'),
    index('import_preview_age').on(t.createdAt),
  ],
);

/** A row of such a file, until it is imported. */
export const importPreviewRow = pgTable(
  'import_preview_row',
  {
    accountId: uuid('account_id').notNull(),
    previewId: idText('preview_id').notNull(),
    line: integer().notNull(),
    state: text().notNull(),
    /** What it means. */
    row: jsonb().notNull(),
    /** As they are written. */
    cells: jsonb().$type<string[]>().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.previewId, t.line] }),
    index('import_preview_row_state').on(t.accountId, t.previewId, t.state, t.line),
    foreignKey({
      name: 'import_preview_row_preview',
      columns: [t.accountId, t.previewId],
      foreignColumns: [importPreview.accountId, importPreview.id],
    }).onDelete('cascade'),
    check('import_preview_row_states', sql`${t.state} in ('Matched', 'Unclear', 'Wrong', 'Skipped')`),
  ],
);
