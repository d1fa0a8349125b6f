import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';

/** What clients prove themselves with (docs/decisions.md#accounts-and-clients). */

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const CLIENT_ID_CHARACTERS = 26;
const CLIENT_ID = new RegExp(`^cli_[0-9a-z]{${CLIENT_ID_CHARACTERS}}$`);
const SECRET_BYTES = 32;

/** `cli_` and 130 random bits in base32. */
export function newClientId(): string {
  const characters = Array.from(randomBytes(CLIENT_ID_CHARACTERS), (byte) => ALPHABET[byte & 31]);
  return `cli_${characters.join('')}`;
}

/** Whether a text has the shape of a client id, and so may be asked for in the database. */
export function isClientId(text: string): boolean {
  return CLIENT_ID.test(text);
}

/** A secret of 256 random bits. The prefix lets scanners of leaked secrets find it. */
export function newClientSecret(): string {
  return `cls_${randomBytes(SECRET_BYTES).toString('base64url')}`;
}

// A scheme with what follows it, a token, a client secret, the password of an address.
const SECRETS = [
  [/\b(Bearer|Basic)( |%20|\+)+[\w+/=~.-]+/gi, '$1 […]'],
  [/eyJ[\w-]{10,}\.[\w-]+(\.[\w-]*)?/g, '[token]'],
  [/cls_[\w-]{8,}/g, '[secret]'],
  [/whsec_[\w+/=-]{8,}/g, '[secret]'],
  [/(:\/\/[^\s/:@"]*:)[^\s/"]+@/g, '$1[…]@'],
] as const;

/** What each of them has. Most texts have none. */
const SIGN_OF_SECRET = /bearer|basic|eyJ|cls_|whsec_|:\/\//i;

/** The text with what looks like a token, a secret or a password taken out. */
export function withoutSecrets(text: string): string {
  if (!SIGN_OF_SECRET.test(text)) return text;
  return SECRETS.reduce((rest, [secret, mark]) => rest.replace(secret, mark), text);
}

/** SHA-256 in hexadecimal. Nothing slower is needed: the secret is random, so it cannot be guessed from its digest. */
export function secretDigest(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** No secret has this digest. */
const NO_DIGEST = '0'.repeat(64);

/** Compares in constant time, and does the same work where there is no digest because the client is unknown. */
export function secretMatches(secret: string, digest: string | null): boolean {
  return timingSafeEqual(Buffer.from(secretDigest(secret), 'hex'), Buffer.from(digest ?? NO_DIGEST, 'hex'));
}

/** What sets an access token apart from others. */
export interface TokenGrant {
  /** Its `jti`. */
  id: string;
  issuedAtSeconds: number;
  expiresInSeconds: number;
}

export function newGrant(now: Date, expiresInSeconds: number): TokenGrant {
  return { id: randomUUID(), issuedAtSeconds: Math.floor(now.getTime() / 1000), expiresInSeconds };
}

const ACCOUNT_ID = /^(?:acc_)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** What an account, which is known by its uuid within, is called everywhere else. */
export function accountIdOf(uuid: string): string {
  return `acc_${uuid}`;
}

/** The uuid of an account's id, with or without its prefix `acc_`; null where it is none. */
export function accountUuid(id: string): string | null {
  return ACCOUNT_ID.exec(id)?.[1] ?? null;
}
