import { hash } from 'node:crypto';
import type { IdentityProviderRow } from '../db/queries/identity-providers.ts';
import { accountUuid } from '../domain/credentials.ts';
import { DomainError, notFound } from '../domain/errors.ts';
import { isIdOf } from '../domain/ids.ts';
import { after } from '../lib/after.ts';
import type { CacheUse } from '../lib/cache-use.ts';
import { CountedCache } from '../lib/counted-cache.ts';
import type { Caller } from '../services/context.ts';
import { type TokenContext, type VerifiedToken, verifyToken } from './tokens.ts';
import { namedIssuer, type User, type UserTokenContext, verifyUserToken } from './user-tokens.ts';

/** Names the account that a platform acts for. */
export const ACCOUNT_HEADER = 'Cardledger-Account';

/** Whose an account (a uuid) is, and whether it is suspended; null where the platform (a uuid), who wants to know, has none. */
export type AccessTo = (accountId: string, platformId: string) => Access | null | Promise<Access | null>;

interface Access {
  parentId: string | null;
  suspended: boolean;
}

/** How the users of platforms sign in on their own. */
export interface SignIn {
  /** The identity providers of platforms that name this issuer. */
  providersOf(issuer: string): readonly IdentityProviderRow[] | Promise<readonly IdentityProviderRow[]>;
  /** The account (a uuid) of a user. Throws `Unauthorized` where there is none, and none is made. */
  accountOf(user: User): Promise<string>;
}

interface Verified extends VerifiedToken {
  trustedUntil: number;
  /** Who has signed the user in; left out where the token is one of ours. */
  provider?: IdentityProviderRow;
}

const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;
const TOKEN_CHARACTERS = 4096;

/** How long a verified signature is trusted: a key that is taken out of the database ends its tokens within this. */
const VERIFIED_MILLIS = 60_000;
const MAX_VERIFIED = 10_000;

const REASONS = {
  invalid: 'The access token is not valid. Get a new one from /oauth2/token.',
  large: `The access token has more than ${TOKEN_CHARACTERS} characters: have its issuer put less into it.`,
  expired: 'The access token has expired. Get a new one from /oauth2/token.',
  revoked: 'The client of the access token has been revoked.',
  deleted: 'The account of the access token does not exist any more.',
  suspended: 'The account of the access token is suspended.',
};

/** No token was sent, so the challenge carries no error code (RFC 6750 §3.1). */
class NoTokenError extends DomainError {
  constructor() {
    super('Unauthorized', 'No access token was sent. Send one as "Authorization: Bearer <token>".');
  }
}

/** The value of `WWW-Authenticate` for an `Unauthorized` (RFC 6750 §3). */
export function challengeOf(error: DomainError): string {
  const realm = 'Bearer realm="cardledger"';
  if (error instanceof NoTokenError) return realm;
  const description = error.message.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, ' ');
  return `${realm}, error="invalid_token", error_description="${description}"`;
}

export interface CallerFromBearer {
  /** From the value of the `Authorization` header. */
  caller(authorization: string | null | undefined): Caller | Promise<Caller>;
  /** The caller acting for the account that the header names. Throws `Forbidden`, `NotFound`. */
  actingFor(caller: Caller, accountId: string): Caller | Promise<Caller>;
  /** Of tokens that were verified. */
  cache: CacheUse;
}

/**
 * Makes the function that finds out who calls, from the value of the `Authorization` header. It throws `Unauthorized`,
 * and `Unavailable` where the database must be asked and cannot be reached.
 */
export function createCallerFromBearer(
  context: TokenContext & UserTokenContext & { elapsed: () => number },
  isActive: (clientId: string) => boolean | Promise<boolean>,
  accessTo: AccessTo,
  signIn: SignIn,
): CallerFromBearer {
  const verified = new CountedCache<string, Verified>({ max: MAX_VERIFIED });

  function callerOf(token: string): Caller | Promise<Caller> {
    // By digest, so that a dump of the memory holds no tokens.
    const digest = hash('sha256', token, 'base64');
    const known = verified.get(digest);
    const isTrusted =
      known && context.elapsed() < known.trustedUntil && context.now().getTime() < known.expiresAtMillis;
    if (!isTrusted) return verifiedCaller(token, digest);
    const { caller, provider } = known;
    if (provider === undefined) return whileActive(caller);
    return after(isNamed(provider), (isStill) => (isStill ? caller : verifiedCaller(token, digest)));
  }

  async function verifiedCaller(token: string, digest: string): Promise<Caller> {
    const trustedUntil = context.elapsed() + VERIFIED_MILLIS;
    const issuer = namedIssuer(token);
    const isUser = issuer !== null && issuer !== context.issuer;
    const result = isUser ? await verifiedUser(token, issuer) : await verifiedClient(token);
    verified.set(digest, { ...result, trustedUntil });
    return isUser ? result.caller : whileActive(result.caller);
  }

  async function verifiedClient(token: string): Promise<VerifiedToken> {
    const result = await verifyToken(context, token);
    if (typeof result === 'string') throw refused(result);
    return result;
  }

  async function verifiedUser(token: string, issuer: string): Promise<Omit<Verified, 'trustedUntil'>> {
    const user = await verifyUserToken(context, token, await signIn.providersOf(issuer));
    const { provider, scope, expiresAtMillis } = user;
    const caller = {
      accountId: await signIn.accountOf(user),
      clientId: issuer,
      platformId: provider.platformId,
      ...(scope === 'read' && { scope }),
    };
    return { caller, expiresAtMillis, provider };
  }

  /** Whether it is the provider still, as it was when the token was verified. */
  const isNamed = (provider: IdentityProviderRow): boolean | Promise<boolean> =>
    after(signIn.providersOf(provider.issuer), (providers) =>
      providers.some((one) => JSON.stringify(one) === JSON.stringify(provider)),
    );

  /** At once where all is known, as it mostly is: each wait costs a small request as much as all that is done here. */
  const whileActive = (caller: Caller): Caller | Promise<Caller> => {
    const active = isActive(caller.clientId);
    if (active === true) return caller;
    if (active === false) throw refused('revoked');
    return active.then((isActive) => {
      if (!isActive) throw refused('revoked');
      return caller;
    });
  };

  /** A token that a platform gave out ends with the access to its account. */
  const whileAccessible = (caller: Caller): Caller | Promise<Caller> => {
    const { accountId, platformId } = caller;
    if (platformId === undefined) return caller;
    return after(accessTo(accountId, platformId), (access) => {
      if (access?.parentId !== platformId) throw refused('deleted');
      if (access.suspended) throw refused('suspended');
      return caller;
    });
  };

  const actingFor: CallerFromBearer['actingFor'] = ({ accountId: platformId, clientId, scope }, named) => {
    if (scope !== 'platform') throw noPlatform();
    const accountId = isIdOf('Account', named) ? accountUuid(named) : null;
    if (accountId === null) throw notFound('account');
    return after(accessTo(accountId, platformId), (access) => {
      // That it is below another one must not be told.
      if (access?.parentId !== platformId) throw notFound('account');
      if (access.suspended) throw new DomainError('Forbidden', SUSPENDED);
      return { accountId, clientId, platformId };
    });
  };

  return {
    caller: (authorization) => after(callerOf(tokenOf(authorization)), whileAccessible),
    actingFor,
    cache: verified,
  };
}

const SUSPENDED = 'The account is suspended: nobody has access to it until its platform resumes it.';

function noPlatform(): DomainError {
  const message = `${ACCOUNT_HEADER} takes a token of the scope platform: all others act for their own account, without it.`;
  return new DomainError('Forbidden', message);
}

/** Throws where no token was sent, or none that could be one. */
function tokenOf(authorization: string | null | undefined): string {
  const token = BEARER.exec(authorization ?? '')?.[1];
  if (token && token.length > TOKEN_CHARACTERS) throw refused('large');
  if (token) return token;
  throw /^Bearer\b/i.test(authorization ?? '') ? refused('invalid') : new NoTokenError();
}

function refused(reason: keyof typeof REASONS): DomainError {
  return new DomainError('Unauthorized', REASONS[reason]);
}
