import { LRUCache } from 'lru-cache';
import { ACCOUNT_HEADER } from './auth/caller.ts';
import { type Auth, createAuth } from './auth/index.ts';
import { createRequestLimit } from './auth/request-limit.ts';
import type { Config } from './config.ts';
import type { OpenDatabase } from './db/client.ts';
import { ClientLeft } from './domain/errors.ts';
import { LIMITS } from './domain/limits.ts';
import type { Sender } from './http/body-room.ts';
import type { OpenExchange } from './http/exchange.ts';
import { assertExpectation } from './http/expectation.ts';
import { turnBehindOthers, turnOf } from './lib/in-turns.ts';
import { parseNetworks } from './lib/networks.ts';
import { type Payer, type Unknown, WithoutBudget, workFor } from './lib/processor-time.ts';
import { createAddressCheck } from './lib/public-address.ts';
import { stepOf } from './lib/steps.ts';
import type { ObservedRequest } from './observability/requests.ts';
import type { Caller, Context, Tokens, WorkOf } from './services/context.ts';
import { accountOfUser } from './services/identity-providers/account-of-user.ts';
import { providersOf } from './services/identity-providers/held.ts';
import { accessTo } from './services/sub-accounts/access.ts';

/** Who asks, and whether they may: tokens, accounts below a platform, limits of requests and of work, and whose turn it is. */

/** Where the app is. */
export interface Place {
  config: Config;
  db: OpenDatabase;
  now: () => Date;
  /** Milliseconds that pass whatever the clock is set to. */
  elapsed: () => number;
}

/** @param ownDb the same database, as the service itself asks it */
export function createAppAuth({ config, db, now, elapsed }: Place, ownDb: OpenDatabase): Auth {
  const { rateLimitPerMinute, platformRateLimitPerMinute } = config;
  // These come before it is known whose the request is, and are what a platform can make as many of as it likes.
  const lookUp = createRequestLimit(
    platformRateLimitPerMinute,
    elapsed,
    'A platform may have N accounts looked up a minute.',
  );
  const creation = createRequestLimit(
    rateLimitPerMinute,
    elapsed,
    'By signing in N users of a platform may get an account a minute.',
  );
  return createAuth({
    db: ownDb,
    now,
    elapsed,
    issuer: config.publicUrl,
    tokenLimitPerMinute: config.tokenLimitPerMinute,
    accessTo: (accountId, platformId) =>
      accessTo(db.forAccount(platformId), platformId, accountId, elapsed, () => void lookUp(platformId)),
    signIn: {
      providersOf: (issuer) => providersOf(ownDb, issuer, elapsed),
      accountOf: (user) => accountOfUser(db, user, now, { lookUp, creation }),
    },
    addressesOf: createAddressCheck(parseNetworks(config.outboundNetworks)),
    trustProxy: config.trustProxy,
  });
}

/**
 * Gives the function that finds out who asks, and counts the request; it waits behind those for whom less was done lately.
 */
export function createAdmission({ config, db, now, elapsed }: Place, auth: Auth, workOf: WorkOf) {
  const limits = requestLimits(config, elapsed);
  const tokens: Tokens = {
    count: createRequestLimit(
      LIMITS.accountTokensPerMinute,
      elapsed,
      'An account may be given N tokens a minute: use one until it expires.',
    ),
    issue: auth.issue,
  };
  const outboundNetworks = parseNetworks(config.outboundNetworks);
  /** Where that is refused, the request is one of the asker's own. */
  const actingFor = async (asker: Caller, named: string): Promise<Caller> => {
    try {
      return await auth.actingFor(asker, named);
    } catch (error) {
      limits.ofCaller(asker);
      throw error;
    }
  };
  return async (request: Request, exchange: OpenExchange, observed: ObservedRequest): Promise<Context> => {
    assertExpectation(request);
    const asker = await auth.caller(request.headers.get('Authorization'));
    observed.caller = asker;
    const named = request.headers.get(ACCOUNT_HEADER);
    const caller = named === null ? asker : await actingFor(asker, named);
    observed.caller = caller;
    exchange.limits = limits.ofCaller(caller);
    // What one account sends above its own limit takes nothing from the others.
    limits.ofPlatform(caller);
    const work = workOf(caller.accountId, caller.platformId);
    work.assertLeft();
    await stepOf(work);
    await turnOf(work);
    // What came before it may have used up what was left.
    work.assertLeft();
    if (request.signal.aborted) throw new ClientLeft();
    // Not before: a refusal is nobody's work.
    exchange.work = work;
    workFor(work);
    return {
      db: observed.database(db.forAccount(caller.accountId, caller.platformId), {
        payer: work,
        leaving: request.signal,
      }),
      now,
      caller,
      observation: observed,
      work,
      tokens,
      outboundNetworks,
      leaving: request.signal,
    };
  };
}

const MAX_SENDERS = 10_000;

/**
 * Gives the function that lets an answer wait which is nobody's work: a refusal, or a page that is open to all. Those to an account, or to an
 * address where no account is known, come in turns: they count for no budget, but who is answered at once asks again at once.
 */
export function createFreeTurns(): (sender: Sender, before: Unknown) => Promise<void> {
  const payers = new LRUCache<string, Payer>({ max: MAX_SENDERS });
  return async ({ platformId, accountId, address }, before) => {
    const whose = platformId ?? accountId ?? address;
    const payer = payers.get(whose) ?? new WithoutBudget();
    payers.set(whose, payer);
    workFor(payer);
    payer.pay(before.millis);
    await turnBehindOthers(payer);
  };
}

/** What counts for a client, for an account below a platform, and for all that are below one. */
function requestLimits({ rateLimitPerMinute, platformRateLimitPerMinute }: Config, elapsed: () => number) {
  const limit = (perMinute: number, who: string) =>
    createRequestLimit(perMinute, elapsed, `${who} may send N requests a minute.`);
  const ofClient = limit(rateLimitPerMinute, 'A client');
  const ofAccount = limit(rateLimitPerMinute, 'An account below a platform');
  const ofAll = limit(platformRateLimitPerMinute, 'All accounts below a platform');
  return {
    ofCaller: ({ accountId, clientId, platformId }: Caller) =>
      platformId === undefined ? ofClient(clientId) : ofAccount(accountId),
    ofPlatform: ({ platformId }: Caller) => {
      if (platformId !== undefined) ofAll(platformId);
    },
  };
}
