import {
  bigint,
  boolean,
  integer,
  jsonb,
  pgTable,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { idText } from './types.ts';

/** Who may call. Client ids, and who signs users in, are unique over all accounts, so they have tables that are not distributed by account. */

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

/**
 * Who signs a platform's users in. Of a token it is found by issuer and audience, which therefore are unique over all accounts: a
 * token is good for one platform.
 */
export const identityProvider = pgTable(
  'identity_provider',
  {
    accountId: uuid('account_id').primaryKey(),
    issuer: idText().notNull(),
    audience: idText().notNull(),
    /** Whether a user who is seen for the first time is given an account. */
    createsAccounts: boolean('creates_accounts').notNull(),
    /** The values of a token's scope with which it is one of our scope `default`, or `read`. */
    defaultScope: text('default_scope').notNull(),
    readScope: text('read_scope').notNull(),
    revision: bigint({ mode: 'number' }).notNull().default(1),
  },
  (t) => [uniqueIndex('identity_provider_token').on(t.issuer, t.audience)],
);

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
