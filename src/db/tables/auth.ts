import { bigint, integer, jsonb, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';
import { idText } from './types.ts';

/** Who may call. Client ids are unique over all accounts, so they have a table that is not distributed by account. */

export const client = pgTable('client', {
  id: idText().primaryKey(),
  /** No foreign key: on a cluster this table is on every node and the account on one. */
  accountId: uuid('account_id').notNull(),
  name: text().notNull(),
  /** SHA-256 of the secret, in hexadecimal. */
  secretDigest: text('secret_digest').notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
  revokedAt: timestamp('revoked_at', { withTimezone: true }),
});

/** The keys that sign access tokens. The newest one signs; the others verify until their tokens have expired. */
export const signingKey = pgTable('signing_key', {
  id: idText().primaryKey(),
  publicJwk: jsonb('public_jwk').$type<Record<string, unknown>>().notNull(),
  privateJwk: jsonb('private_jwk').$type<Record<string, unknown>>().notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
});

/** Counters of rate limits that all nodes share, in the layout of rate-limiter-flexible. */
export const rateLimit = pgTable('rate_limit', {
  key: idText().primaryKey(),
  points: integer().notNull().default(0),
  /** Milliseconds since 1970. */
  expire: bigint({ mode: 'number' }),
});
