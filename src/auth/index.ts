import type { JWK } from 'jose';
import type { Database } from '../db/client.ts';
import type { TokenGrant } from '../domain/credentials.ts';
import type { CacheUse } from '../lib/cache-use.ts';
import type { AddressesOf } from '../lib/public-address.ts';
import type { Caller } from '../services/context.ts';
import { type AccessTo, createCallerFromBearer, type SignIn } from './caller.ts';
import { createClientStatus } from './client-status.ts';
import { createSigningKeys, JWKS_MAX_AGE_SECONDS, type SigningKeys } from './keys.ts';
import { addressGroup, parseTrustedProxies, peerAddress } from './peer-address.ts';
import { createProviderKeys } from './provider-keys.ts';
import { createRateLimiter } from './rate-limit.ts';
import { answerTokenRequest, type OAuthAnswer } from './token-endpoint.ts';
import type { TokenRequest } from './token-request.ts';
import { issueToken, SCOPES } from './tokens.ts';

export interface AuthOptions {
  db: Database;
  now: () => Date;
  /** Milliseconds that pass whatever the clock is set to: what is kept or counted for a time goes by them. */
  elapsed: () => number;
  /** The public address of the service, without a slash at its end; the same on all nodes. */
  issuer: string;
  /** Token requests for a client id at an address; 0 switches the limits of the token endpoint off. */
  tokenLimitPerMinute: number;
  /** What is known of the access to accounts. */
  accessTo: AccessTo;
  signIn: SignIn;
  /** Where identity providers may be asked for their keys. */
  addressesOf: AddressesOf;
  /** TRUST_PROXY: addresses and CIDR ranges of the proxies, with commas between them. */
  trustProxy: string;
}

/** Where a request comes from, as the server sees it. */
export interface Peer {
  socketAddress: string | undefined;
  /** `X-Forwarded-For` */
  forwardedFor: string | undefined;
}

export interface Auth {
  /** What limits count by. */
  addressOf(peer: Peer): string;
  /** Answers POST /oauth2/token. */
  token(request: TokenRequest, peer: Peer): Promise<OAuthAnswer>;
  /** The keys that verify tokens, which may be kept for `maxAgeSeconds`. */
  jwks(): Promise<{ keys: JWK[]; maxAgeSeconds: number }>;
  /** RFC 8414 */
  metadata(): Record<string, string | string[]>;
  /** From the `Authorization` header. Throws `Unauthorized`; `challengeOf` makes its `WWW-Authenticate`. */
  caller(authorization: string | null | undefined): Caller | Promise<Caller>;
  /** The caller acting for the account that `Cardledger-Account` names. Throws `Forbidden`, `NotFound`. */
  actingFor(caller: Caller, accountId: string): Caller | Promise<Caller>;
  /** A token for the caller. */
  issue(caller: Caller, grant: TokenGrant): Promise<string>;
  /** Authentication codes, for texts that come back from clients. */
  codes: Pick<SigningKeys, 'codeOf' | 'isCodeOf'>;
  /** By name. */
  caches: Record<string, CacheUse>;
}

/** Authentication as one node does it. Throws where `trustProxy` cannot be read. */
export function createAuth(options: AuthOptions): Auth {
  const { db, now, elapsed, issuer, tokenLimitPerMinute, accessTo, signIn, trustProxy } = options;
  const isTrusted = parseTrustedProxies(trustProxy);
  const addressOf = ({ socketAddress, forwardedFor }: Peer) =>
    addressGroup(peerAddress(socketAddress, forwardedFor, isTrusted));
  const keys = createSigningKeys(db, now, elapsed);
  const providerKeys = createProviderKeys(options.addressesOf, elapsed);
  const context = { keys, issuer, now, elapsed, providerKeys };
  const endpoint = { ...context, db, limit: createRateLimiter(db, now), limitPerMinute: tokenLimitPerMinute };
  const status = createClientStatus(db, elapsed);
  const bearer = createCallerFromBearer(context, status.isActive, accessTo, signIn);
  return {
    addressOf,
    token: (request, peer) => answerTokenRequest(endpoint, request, addressOf(peer)),
    jwks: async () => ({ ...(await keys.jwks()), maxAgeSeconds: JWKS_MAX_AGE_SECONDS }),
    metadata: () => metadataOf(issuer),
    caller: bearer.caller,
    actingFor: bearer.actingFor,
    issue: (caller, grant) => issueToken(context, caller, grant),
    codes: keys,
    caches: { verified_tokens: bearer.cache, client_status: status.cache },
  };
}

function metadataOf(issuer: string): Record<string, string | string[]> {
  return {
    issuer,
    token_endpoint: `${issuer}/oauth2/token`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    scopes_supported: [...SCOPES],
    response_types_supported: [],
  };
}
