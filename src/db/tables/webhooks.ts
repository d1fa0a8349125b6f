import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core';
import { account } from './tenant.ts';
import { idText } from './types.ts';

const time = (name: string) => timestamp(name, { withTimezone: true });

/** Whom to tell of events, and how that goes (docs/decisions.md#webhooks). */
export const webhook = pgTable(
  'webhook',
  {
    accountId: uuid('account_id')
      .notNull()
      .references(() => account.accountId),
    id: idText().notNull(),
    url: text().notNull(),
    /** A list of types. */
    events: jsonb().$type<string[]>().notNull(),
    /** Whether it is told of the accounts below its own, too. */
    allAccounts: boolean('all_accounts').notNull(),
    /** `Deleted` until its deliveries are purged. */
    status: text().notNull().default('Active'),
    /** Why it was switched off, unless its owner did it. */
    disabledReason: text('disabled_reason'),
    disabledAt: time('disabled_at'),
    secret: text().notNull(),
    /** The one before, which signs beside it for a day. */
    previousSecret: text('previous_secret'),
    previousUntil: time('previous_until'),
    revision: bigint({ mode: 'number' }).notNull().default(1),
    createdAt: time('created_at').notNull(),
    /** It is told of what happens from here on. */
    activeSince: time('active_since').notNull().defaultNow(),
    /** Attempts since the last that succeeded, and when the first of them was. */
    failures: integer().notNull().default(0),
    failingSince: time('failing_since'),
    isSlow: boolean('is_slow').notNull().default(false),
    /** When there is something to deliver; whoever looks takes it until `leased_until`, with the name `lease`. */
    lookAt: time('look_at').notNull().default(sql`'infinity'`),
    leasedUntil: time('leased_until').notNull().defaultNow(),
    lease: uuid(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.id] }),
    index('webhook_due').on(t.lookAt).where(sql`${t.status} = 'Active'`),
    index('webhook_disabled').on(t.disabledAt).where(sql`${t.status} <> 'Active'`),
    check('webhook_statuses', sql`${t.status} in ('Active', 'Disabled', 'Deleted')`),
  ],
);

/** A message for a webhook. No foreign key: it is purged in batches when the webhook is gone. */
export const webhookDelivery = pgTable(
  'webhook_delivery',
  {
    accountId: uuid('account_id').notNull(),
    webhookId: idText('webhook_id').notNull(),
    /** Made of what names the event, so that it is here once: the `webhook-id`. */
    id: idText().notNull(),
    type: text().notNull(),
    /** Those of one are delivered one behind the other, by `number`. */
    stream: idText().notNull(),
    number: bigint({ mode: 'number' }).notNull(),
    /** The body, as it is signed. */
    payload: text().notNull(),
    status: text().notNull().default('Pending'),
    occurredAt: time('occurred_at').notNull(),
    attempts: integer().notNull().default(0),
    notBefore: time('not_before').notNull().defaultNow(),
    lastAttemptAt: time('last_attempt_at'),
    responseStatus: integer('response_status'),
    error: text(),
    finishedAt: time('finished_at'),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.webhookId, t.id] }),
    index('webhook_delivery_pending')
      .on(t.accountId, t.webhookId, t.stream, t.number)
      .where(sql`${t.status} = 'Pending'`),
    index('webhook_delivery_number').on(t.accountId, t.webhookId, t.number, t.id),
    index('webhook_delivery_finished').on(t.status, t.finishedAt).where(sql`${t.status} <> 'Pending'`),
    check('webhook_delivery_statuses', sql`${t.status} in ('Pending', 'Delivered', 'Failed')`),
  ],
);

/** One row: how far the log of events is read for webhooks, and how many deliveries were made of it. */
export const webhookFeed = pgTable('webhook_feed', {
  id: integer().primaryKey(),
  readFrom: time('read_from').notNull(),
  number: bigint({ mode: 'number' }).notNull(),
});
