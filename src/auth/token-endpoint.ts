import { createHash } from 'node:crypto';
import type { Database } from '../db/client.ts';
import { IS_PLATFORM } from '../db/queries/auth.ts';
import { isClientId, newGrant, secretMatches } from '../domain/credentials.ts';
import { DomainError } from '../domain/errors.ts';
import type { Caller } from '../services/context.ts';
import { findActiveClient } from './active-client.ts';
import { TOKEN_SECONDS } from './keys.ts';
import { type RateLimiter, type RateLimitState, rateLimitHeaders } from './rate-limit.ts';
import {
  type Credentials,
  OAuthError,
  type OAuthErrorCode,
  parseCredentials,
  parseForm,
  readGrant,
  type TokenRequest,
} from './token-request.ts';
import { issueToken, type Scope, type TokenContext } from './tokens.ts';

/** An answer of the token endpoint, for any HTTP server to send. */
export interface OAuthAnswer {
  status: 200 | 400 | 401 | 429 | 503;
  headers: Record<string, string>;
  body: Record<string, string | number>;
}

/** An address may ask for this many times what a client may (docs/decisions.md#rate-limits: 30 and 10). */
const ADDRESS_SHARE = 3;

const HEADERS = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

const STATUS = {
  invalid_request: 400,
  unsupported_grant_type: 400,
  invalid_scope: 400,
  invalid_client: 401,
  too_many_requests: 429,
  temporarily_unavailable: 503,
} as const satisfies Record<OAuthErrorCode, number>;

export interface TokenEndpoint extends TokenContext {
  db: Database;
  limit: RateLimiter;
  /** For a client id at an address; 0 switches the limits off. */
  limitPerMinute: number;
}

/** Answers POST /oauth2/token. `addressGroup` is what the limit for an address counts by. */
export async function answerTokenRequest(
  endpoint: TokenEndpoint,
  request: TokenRequest,
  addressGroup: string,
): Promise<OAuthAnswer> {
  const states: RateLimitState[] = [];
  const answer = await grant(endpoint, request, addressGroup, states).catch((error) =>
    refusal(expectedError(error)),
  );
  return { ...answer, headers: { ...answer.headers, ...limitHeaders(states) } };
}

/** @param states takes those of the limits that the request counts for */
async function grant(
  endpoint: TokenEndpoint,
  request: TokenRequest,
  addressGroup: string,
  states: RateLimitState[],
): Promise<OAuthAnswer> {
  // The address first: one that is over its limit is counted no further, whatever clients it names.
  const count = countsFrom(endpoint, addressGroup, states);
  await count(`address:${addressGroup}`, ADDRESS_SHARE);
  const form = parseForm(request);
  const credentials = parseCredentials(request.authorization, form);
  // With the address, or who sends bad secrets from anywhere would lock a client out whose id is known.
  await count(clientKey(credentials.clientId, addressGroup), 1);
  const scope = readGrant(form);
  const caller = await authenticate(endpoint.db, credentials, addressGroup);
  const allowed = await withScope(endpoint.db, caller, scope, addressGroup);
  const token = await issueToken(endpoint, allowed, newGrant(endpoint.now(), TOKEN_SECONDS));
  return {
    status: 200,
    headers: HEADERS,
    body: { access_token: token, token_type: 'Bearer', expires_in: TOKEN_SECONDS, scope },
  };
}

/** Of the limit that bites first. */
function limitHeaders(states: RateLimitState[]): Record<string, string> {
  const [tightest] = states.sort((a, b) => a.remaining - b.remaining);
  return tightest ? rateLimitHeaders(tightest) : {};
}

/** The answer to a request that cannot be granted. */
export function refusal({ code, message, retryAfterSeconds }: OAuthError): OAuthAnswer {
  return {
    status: STATUS[code],
    headers: {
      ...HEADERS,
      ...(code === 'invalid_client' && { 'WWW-Authenticate': 'Basic realm="cardledger", charset="UTF-8"' }),
      ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
    },
    body: { error: code, error_description: message },
  };
}

function countsFrom(
  { limit, limitPerMinute }: TokenEndpoint,
  addressGroup: string,
  states: RateLimitState[],
): (key: string, share: number) => Promise<void> {
  return async (key, share) => {
    if (limitPerMinute === 0) return;
    const state = await limit(key, limitPerMinute * share, addressGroup);
    states.push(state);
    if (!state.isOver) return;
    throw new OAuthError(
      'too_many_requests',
      `Too many token requests. Wait ${state.resetSeconds} seconds, and use a token until it expires.`,
      state.resetSeconds,
    );
  };
}

/** A digest, since what is sent as a client id may be of any length. */
function clientKey(clientId: string, addressGroup: string): string {
  return `client:${createHash('sha256').update(`${addressGroup} ${clientId}`).digest('hex')}`;
}

async function authenticate(
  db: Database,
  { clientId, clientSecret }: Credentials,
  address: string,
): Promise<Caller> {
  // A text that can be no client id costs a look-up too, so that time tells nothing about which ids there are.
  const client = await findActiveClient(db, isClientId(clientId) ? clientId : 'cli_', { address });
  const matches = secretMatches(clientSecret, client?.digest ?? null);
  if (!matches || !client) {
    throw new OAuthError('invalid_client', 'The client is not known, or its secret is wrong.');
  }
  return { accountId: client.accountId, clientId };
}

/** Throws where the account may not have what the scope is for. */
async function withScope(db: Database, caller: Caller, scope: Scope, address: string): Promise<Caller> {
  if (scope === 'default') return caller;
  if (scope === 'read') return { ...caller, scope };
  const isPlatform = (await db.query(IS_PLATFORM, [caller.accountId], { address })).length > 0;
  if (isPlatform) return { ...caller, scope };
  throw new OAuthError(
    'invalid_scope',
    'The account may have no accounts below it. The operator says how many: cardledger account set-limits --accounts.',
  );
}

function expectedError(error: unknown): OAuthError {
  if (error instanceof OAuthError) return error;
  if (error instanceof DomainError && error.problem === 'Unavailable') {
    return new OAuthError('temporarily_unavailable', error.message, error.details.retryAfterSeconds);
  }
  throw error;
}
