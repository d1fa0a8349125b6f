import { type CryptoKey, createLocalJWKSet, errors, type JWK, type JWTHeaderParameters } from 'jose';
import { LRUCache } from 'lru-cache';
import { DomainError } from '../domain/errors.ts';
import { OutboundError, sendOut } from '../lib/outbound.ts';
import type { AddressesOf } from '../lib/public-address.ts';

/** The keys that identity providers sign with, found by OpenID Connect Discovery and kept for a time. */

const MAX_ISSUERS = 1000;
/** For each of the two documents, so that no request waits longer than twice that. */
const DOCUMENT_MILLIS = 2500;
const DOCUMENT_BYTES = 256 * 1024;

/** From this age on keys are read again beside the requests, */
const RENEWED_AFTER_MILLIS = 5 * 60_000;
/** from this on requests wait for that, */
const FRESH_MILLIS = 10 * 60_000;
/** and for so long keys are good where the provider cannot be asked. */
const GOOD_MILLIS = 24 * 3600_000;
/** After a failure, and between two readings for keys that are not known, it is not asked for so long. */
const PAUSE_MILLIS = 30_000;

/** So that nobody makes a signature costly to check: RSA of 8,192 bits, with an exponent of 32. */
const MAX_MODULUS_CHARACTERS = 1366;
const MAX_EXPONENT_CHARACTERS = 6;

type FindKey = (header: JWTHeaderParameters) => Promise<CryptoKey>;

export interface ProviderKeys {
  /**
   * The key of an issuer that a token's header means. Throws errors of `jose` where there is none, and `Unavailable` where no keys are
   * known and it cannot be asked.
   */
  find(issuer: string, header: JWTHeaderParameters): Promise<CryptoKey>;
}

export function createProviderKeys(addressesOf: AddressesOf, elapsed: () => number): ProviderKeys {
  const issuers = new LRUCache<string, KeysOfIssuer>({ max: MAX_ISSUERS });
  return {
    find(issuer, header) {
      let keys = issuers.get(issuer);
      if (!keys) {
        keys = new KeysOfIssuer(issuer, () => readKeys(issuer, addressesOf), elapsed);
        issuers.set(issuer, keys);
      }
      return keys.find(header);
    },
  };
}

class KeysOfIssuer {
  readonly #issuer: string;
  readonly #read: () => Promise<FindKey>;
  readonly #elapsed: () => number;
  #known: { atMillis: number; find: FindKey } | undefined;
  #triedAtMillis = -Infinity;
  #failure: Error | undefined;
  #reading: Promise<void> | undefined;

  constructor(issuer: string, read: () => Promise<FindKey>, elapsed: () => number) {
    this.#issuer = issuer;
    this.#read = read;
    this.#elapsed = elapsed;
  }

  async find(header: JWTHeaderParameters): Promise<CryptoKey> {
    const known = await this.#keys();
    try {
      return await known(header);
    } catch (error) {
      // Who comes while they are read waits with the others.
      const isTried = this.#isPausing && this.#reading === undefined;
      if (!(error instanceof errors.JWKSNoMatchingKey) || isTried) throw error;
      await this.#renew();
      return this.#known!.find(header);
    }
  }

  async #keys(): Promise<FindKey> {
    const age = this.#age;
    if (age >= RENEWED_AFTER_MILLIS && !(this.#failure && this.#isPausing)) {
      const renewed = this.#renew();
      if (age >= FRESH_MILLIS) await renewed;
    }
    if (this.#known && this.#age < GOOD_MILLIS) return this.#known.find;
    throw new DomainError(
      'Unavailable',
      `The keys of the identity provider ${this.#issuer} cannot be read: ${this.#failure?.message}.`,
      { retryAfterSeconds: PAUSE_MILLIS / 1000, cause: this.#failure },
    );
  }

  get #age(): number {
    return this.#known ? this.#elapsed() - this.#known.atMillis : Number.POSITIVE_INFINITY;
  }

  get #isPausing(): boolean {
    return this.#elapsed() - this.#triedAtMillis < PAUSE_MILLIS;
  }

  /** Reads them once for all who wait. Never fails: what was known stays. */
  #renew(): Promise<void> {
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readOnce(): Promise<void> {
    const atMillis = this.#elapsed();
    this.#triedAtMillis = atMillis;
    try {
      this.#known = { atMillis, find: await this.#read() };
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error as Error;
    }
  }
}

/** Throws an error whose message says what is wrong with the provider. */
async function readKeys(issuer: string, addressesOf: AddressesOf): Promise<FindKey> {
  const discovered = await readJson(
    `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    addressesOf,
  );
  if (discovered.issuer !== issuer) throw new OutboundError('its document names another issuer');
  const { jwks_uri: address } = discovered;
  if (typeof address !== 'string' || !URL.canParse(address))
    throw new OutboundError('its document has no address of keys (jwks_uri)');
  const { keys } = await readJson(address, addressesOf);
  if (!Array.isArray(keys)) throw new OutboundError('what is at its jwks_uri is no set of keys');
  const usable = keys.flatMap((key) => publicPart(key) ?? []);
  if (usable.length === 0) throw new OutboundError('it has no key that signatures can be checked with');
  const find = createLocalJWKSet({ keys: usable });
  return async (header) => {
    try {
      return (await find(header)) as CryptoKey;
    } catch (error) {
      throw error instanceof errors.JOSEError ? error : new errors.JWKSInvalid('The key cannot be read');
    }
  };
}

async function readJson(address: string, addressesOf: AddressesOf): Promise<Record<string, unknown>> {
  const { status, body } = await sendOut(new URL(address), addressesOf, {
    method: 'GET',
    headers: { Accept: 'application/json' },
    timeoutMillis: DOCUMENT_MILLIS,
    maxBytes: DOCUMENT_BYTES,
  });
  if (status !== 200) throw new OutboundError(`it answered with the status ${status}`);
  try {
    return Object(JSON.parse(body.toString()));
  } catch {
    throw new OutboundError('its answer is not JSON');
  }
}

/** The members that make an asymmetric key public; null of what is none, or is too large. */
function publicPart(key: Record<string, unknown> | null): JWK | null {
  const { kty, kid, use, alg, key_ops, crv, x, y, n, e } = Object(key) as JWK;
  const shared = { kid, use, alg, key_ops };
  if (kty === 'EC') return withoutUndefined({ ...shared, kty, crv, x, y });
  if (kty === 'OKP') return withoutUndefined({ ...shared, kty, crv, x });
  if (kty !== 'RSA' || typeof n !== 'string' || typeof e !== 'string') return null;
  if (n.length > MAX_MODULUS_CHARACTERS || e.length > MAX_EXPONENT_CHARACTERS) return null;
  return withoutUndefined({ ...shared, kty, n, e });
}

function withoutUndefined(key: Record<string, unknown>): JWK {
  return Object.fromEntries(Object.entries(key).filter(([, value]) => value !== undefined)) as JWK;
}
