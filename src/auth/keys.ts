import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose';
import type { Database } from '../db/client.ts';
import {
  DELETE_SIGNING_KEY,
  INSERT_SIGNING_KEY,
  LOCK_SIGNING_KEYS,
  SIGNING_KEYS,
} from '../db/queries/auth.ts';

/**
 * The keys that sign access tokens, shared by all nodes through the database. A new key is published for
 * PUBLISHED_BEFORE_SIGNING_SECONDS before it signs; every node and every reader of the JWKS has seen it by then, since
 * a node reads the keys every REFRESH_SECONDS and the JWKS may be kept for JWKS_MAX_AGE_SECONDS.
 */

export const ALGORITHM = 'ES256';
export const TOKEN_SECONDS = 3600;
export const JWKS_MAX_AGE_SECONDS = 240;
const REFRESH_SECONDS = 60;
const PUBLISHED_BEFORE_SIGNING_SECONDS = REFRESH_SECONDS + JWKS_MAX_AGE_SECONDS;
/** Tokens with unknown key ids make a node read the keys at most once in this time. */
const UNKNOWN_KEY_SECONDS = 1;
/** How far the clocks of two nodes may differ. */
const CLOCK_SKEW_SECONDS = 60;

export interface SigningKey {
  id: string;
  createdAtMillis: number;
  publicJwk: JWK;
  publicKey: CryptoKey;
  privateKey: CryptoKey;
  /** For authentication codes; derived from the private key. */
  codeSecret: Uint8Array;
}

export interface SigningKeys {
  /** The key that signs now. */
  signer(): Promise<SigningKey>;
  /** The key of that id, or null where no node has made it or its tokens have all expired. */
  verifier(id: string): Promise<CryptoKey | null>;
  jwks(): Promise<{ keys: JWK[] }>;
  /** A code of the text that nobody but a node can make (HMAC-SHA-256, as base64url). */
  codeOf(text: string): Promise<string>;
  /** Whether a node made the code of this text, by a key that is kept: for an hour after another one took over. */
  isCodeOf(text: string, code: string): Promise<boolean>;
}

/** The keys as one node sees them. The first key is made here if no node has made one. */
export function createSigningKeys(db: Database, now: () => Date, elapsed: () => number): SigningKeys {
  let loaded: { atMillis: number; keys: SigningKey[] } | undefined;
  let loading: Promise<SigningKey[]> | undefined;

  async function load(): Promise<SigningKey[]> {
    const atMillis = elapsed();
    let rows = await readRows(db);
    if (rows.length === 0) rows = await createFirstKey(db, now());
    const keys = await Promise.all(withoutRetired(rows, now().getTime()).map(importKey));
    loaded = { atMillis, keys };
    return keys;
  }

  async function keys(maxAgeSeconds: number): Promise<SigningKey[]> {
    if (loaded && elapsed() - loaded.atMillis < maxAgeSeconds * 1000) return loaded.keys;
    loading ??= load().finally(() => {
      loading = undefined;
    });
    return loading;
  }

  const find = async (id: string, maxAgeSeconds: number) =>
    (await keys(maxAgeSeconds)).find((key) => key.id === id)?.publicKey;

  async function signer(): Promise<SigningKey> {
    const all = await keys(REFRESH_SECONDS);
    const publishedBy = now().getTime() - PUBLISHED_BEFORE_SIGNING_SECONDS * 1000;
    return all.findLast((key) => key.createdAtMillis <= publishedBy) ?? all[0]!;
  }

  return {
    signer,
    verifier: async (id) =>
      (await find(id, REFRESH_SECONDS)) ?? (await find(id, UNKNOWN_KEY_SECONDS)) ?? null,
    jwks: async () => ({ keys: (await keys(REFRESH_SECONDS)).map((key) => key.publicJwk) }),
    codeOf: async (text) => codeOf(await signer(), text).toString('base64url'),
    async isCodeOf(text, code) {
      const given = Buffer.from(code, 'base64url');
      return (await keys(REFRESH_SECONDS)).some((key) => {
        const own = codeOf(key, text);
        return given.length === own.length && timingSafeEqual(given, own);
      });
    },
  };
}

function codeOf({ codeSecret }: SigningKey, text: string): Buffer {
  return createHmac('sha256', codeSecret).update(text).digest();
}

/** Adds a key that signs as soon as it has been published for long enough, and deletes those that are not needed. */
export async function rotateSigningKey(db: Database, now: Date): Promise<{ keyId: string; signsFrom: Date }> {
  return db.transaction(async (tx) => {
    await tx.query(LOCK_SIGNING_KEYS);
    const before = await readRows(tx);
    const needed = new Set(withoutRetired(before, now.getTime()).map(({ id }) => id));
    for (const { id } of before) {
      if (!needed.has(id)) await tx.query(DELETE_SIGNING_KEY, [id]);
    }
    const newest = before.at(-1);
    // After the newest even where this node's clock is behind: the order of the keys says which one signs.
    const createdAt = newest
      ? new Date(Math.max(now.getTime(), new Date(newest.createdAt).getTime() + 1))
      : now;
    const keyId = await insertKey(tx, createdAt);
    const waitSeconds = newest ? PUBLISHED_BEFORE_SIGNING_SECONDS : 0;
    return { keyId, signsFrom: new Date(createdAt.getTime() + waitSeconds * 1000) };
  });
}

interface KeyRow {
  id: string;
  publicJwk: JWK;
  privateJwk: JWK;
  createdAt: string;
}

/** Oldest first. */
function readRows(db: Database): Promise<KeyRow[]> {
  return db.query<KeyRow>(SIGNING_KEYS);
}

/** Without the keys whose last token, signed just before the next key took over, has expired. */
function withoutRetired(rows: KeyRow[], nowMillis: number): KeyRow[] {
  const keptSeconds = PUBLISHED_BEFORE_SIGNING_SECONDS + TOKEN_SECONDS + CLOCK_SKEW_SECONDS;
  return rows.filter((_, i) => {
    const next = rows[i + 1];
    return !next || nowMillis < new Date(next.createdAt).getTime() + keptSeconds * 1000;
  });
}

/** The keys, of which there is one at least: of several nodes that start at once one makes it. */
async function createFirstKey(db: Database, now: Date): Promise<KeyRow[]> {
  return db.transaction(async (tx) => {
    await tx.query(LOCK_SIGNING_KEYS);
    if ((await readRows(tx)).length === 0) await insertKey(tx, now);
    return readRows(tx);
  });
}

async function insertKey(tx: Database, now: Date): Promise<string> {
  const pair = await generateKeyPair(ALGORITHM, { extractable: true });
  const bare = await exportJWK(pair.publicKey);
  const id = await calculateJwkThumbprint(bare);
  const publicJwk = { ...bare, kid: id, alg: ALGORITHM, use: 'sig' };
  const privateJwk = await exportJWK(pair.privateKey);
  const params = [id, JSON.stringify(publicJwk), JSON.stringify(privateJwk), now.toISOString()];
  await tx.query(INSERT_SIGNING_KEY, params);
  return id;
}

async function importKey(row: KeyRow): Promise<SigningKey> {
  const [publicKey, privateKey] = await Promise.all([
    importJWK(row.publicJwk, ALGORITHM) as Promise<CryptoKey>,
    importJWK(row.privateJwk, ALGORITHM) as Promise<CryptoKey>,
  ]);
  return {
    id: row.id,
    createdAtMillis: new Date(row.createdAt).getTime(),
    publicJwk: row.publicJwk,
    publicKey,
    privateKey,
    // Not the key itself: one key has one use.
    codeSecret: new Uint8Array(
      hkdfSync('sha256', Buffer.from(row.privateJwk.d!, 'base64url'), '', 'authentication codes', 32),
    ),
  };
}
