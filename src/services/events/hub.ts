import type { OpenDatabase } from '../../db/client.ts';
import { CHANGED_STREAMS } from '../../db/queries/events.ts';
import { STALE_FOLLOWED } from '../../db/queries/valuation.ts';
import { DomainError } from '../../domain/errors.ts';
import { eventId } from '../../domain/ids.ts';
import { LIMITS } from '../../domain/limits.ts';
import { Counts } from '../../lib/counts.ts';
import { MARKET_CHANNEL } from '../../memory/memory.ts';
import { getCollection } from '../collections/get.ts';
import { revalue } from '../collections/valued.ts';
import { EVENTS_CHANNEL, streamKey } from './announce.ts';
import {
  ALERTS_STREAM,
  type Event,
  eventsOf,
  type Follower,
  type FollowRequest,
  isUnavailable,
  newFollower,
  placeFollower,
} from './follower.ts';
import { hearOfImports, IMPORTS_CHANNEL, type ImportStep, listenToImports } from './import-progress.ts';

/** How often the log is looked at for notifications that were lost, and the callers for what they may. */
const CHECK_MILLIS = 5000;

export interface Following extends AsyncIterableIterator<Event, undefined> {
  /** Of the last event that it gave; at first, of the one before. */
  lastId(): string;
  /** Ends it. */
  return(): Promise<IteratorReturnResult<undefined>>;
}

/** All who follow events on this node. */
export interface EventHub {
  /**
   * Follows a stream until `return()` is called, the collection is deleted, or the caller may not go on. Throws
   * `NotFound`, `ValidationFailed`, `LimitExceeded`, `Unavailable`.
   */
  follow(request: FollowRequest): Promise<Following>;
  /**
   * Follows the import into a collection that is under way, or else the next one, until it ends, `return()` is called or the
   * caller may not go on; who is slow gets the newest step only. Throws `NotFound`, `LimitExceeded`, `Unavailable`.
   */
  followImport(request: Omit<FollowRequest, 'after'>): Promise<AsyncIterableIterator<ImportStep>>;
  /** How many there are now, of the changes of collections, of price alerts and of imports. */
  counts(): { collections: number; alerts: number; imports: number };
}

/** @param log is told of what fails in the background for another reason than that the database cannot be reached */
export function createEventHub(
  db: OpenDatabase,
  log: (error: unknown) => void,
  checkMillis = CHECK_MILLIS,
): EventHub {
  const followers = new Map<string, Set<Follower>>();
  const perClient = new Counts();
  const perAccount = new Counts();
  const perPlatform = new Counts();
  const revaluing = new Set<string>();
  let count = 0;
  let stop = () => {};
  /** What failed is tried again at the next check. */
  const logUnexpected = (error: unknown) => {
    if (!isUnavailable(error)) log(error);
  };

  const all = () => [...followers.values()].flatMap((ofStream) => [...ofStream]);
  const wake = (key: string) => {
    for (const { waker } of followers.get(key) ?? []) waker.wake();
  };

  const wakeWhoMissed = async () => {
    const watched = all().map(({ request: { ctx, stream }, position }) => ({
      accountId: ctx.caller.accountId,
      stream,
      position,
    }));
    type Changed = { accountId: string; stream: string };
    for (const { accountId, stream } of await db.housekeeping.query<Changed>(CHANGED_STREAMS, [
      JSON.stringify(watched),
    ]))
      wake(streamKey(accountId, stream));
  };

  /** Who follows a collection looks at it: after an import its value is made afresh, and an event says so. */
  const revalueFollowed = async () => {
    const followed = all().map(({ request: { ctx, stream } }) => ({
      ctx,
      accountId: ctx.caller.accountId,
      stream,
    }));
    const watched = JSON.stringify(followed.map(({ accountId, stream }) => ({ accountId, stream })));
    type Stale = { accountId: string; id: string };
    const stale = await db.housekeeping.query<Stale>(STALE_FOLLOWED, [watched]);
    const contexts = new Map(followed.map(({ ctx, accountId }) => [accountId, ctx]));
    for (const [accountId, ctx] of contexts) {
      const ids = stale.filter((one) => one.accountId === accountId).map(({ id }) => id);
      if (ids.length === 0 || revaluing.has(accountId)) continue;
      revaluing.add(accountId);
      // Others do not wait for one that is slow, or fails: it is tried again.
      void revalue(ctx, ids)
        .catch(logUnexpected)
        .finally(() => revaluing.delete(accountId));
    }
  };

  const check = () => {
    for (const { request, waker } of all()) {
      request.assertAllowed().catch((error) => {
        if (!isUnavailable(error)) waker.fail(error);
      });
    }
    wakeWhoMissed().catch(logUnexpected);
    revalueFollowed().catch(logUnexpected);
  };

  const start = () => {
    const stopListening = db.listen(EVENTS_CHANNEL, wake, () => {
      for (const key of followers.keys()) wake(key);
    });
    const revalueSoon = () => void revalueFollowed().catch(logUnexpected);
    const stopWatching = db.listen(MARKET_CHANNEL, revalueSoon, () => {});
    const stopHearing = db.listen(IMPORTS_CHANNEL, hearOfImports, () => {});
    const timer = setInterval(check, checkMillis).unref();
    return () => {
      clearInterval(timer);
      stopListening().catch(() => {});
      stopWatching().catch(() => {});
      stopHearing().catch(() => {});
    };
  };

  /** Gives the function that takes it out again. */
  const add = (follower: Follower): (() => void) => {
    const { accountId, platformId, clientId: ownClientId } = follower.request.ctx.caller;
    // The accounts below a platform share its client.
    const clientId = platformId === undefined ? ownClientId : accountId;
    const key = streamKey(accountId, follower.request.stream);
    assertRoom({
      ofClient: perClient.of(clientId),
      ofAccount: perAccount.of(accountId),
      ofPlatform: platformId === undefined ? 0 : perPlatform.of(platformId),
      ofNode: count,
    });
    const countIt = (change: number) => {
      perClient.add(clientId, change);
      perAccount.add(accountId, change);
      if (platformId !== undefined) perPlatform.add(platformId, change);
      count += change;
    };
    const ofStream = followers.get(key) ?? new Set();
    followers.set(key, ofStream.add(follower));
    countIt(1);
    if (count === 1) stop = start();
    return () => {
      if (!ofStream.delete(follower)) return;
      if (ofStream.size === 0) followers.delete(key);
      countIt(-1);
      if (count === 0) stop();
    };
  };

  return {
    async follow(request) {
      const follower = newFollower(request);
      const remove = add(follower);
      try {
        return following(follower, await placeFollower(follower), remove);
      } catch (error) {
        remove();
        throw error;
      }
    },
    async followImport(request) {
      const { ctx, stream } = request;
      const follower = newFollower({ ...request, stream: IMPORTS + stream, after: null });
      const remove = add(follower);
      try {
        await getCollection(ctx, stream);
      } catch (error) {
        remove();
        throw error;
      }
      return followingImport(follower, remove);
    },
    counts() {
      const streams = all().map(({ request }) => request.stream);
      const alerts = streams.filter((stream) => stream === ALERTS_STREAM).length;
      const imports = streams.filter((stream) => stream.startsWith(IMPORTS)).length;
      return { collections: count - alerts - imports, alerts, imports };
    },
  };
}

function following(follower: Follower, newest: number, remove: () => void): Following {
  const events = eventsOf(follower, newest);
  const finish = async () => {
    remove();
    follower.waker.end();
    return { done: true, value: undefined } as const;
  };
  let lastId = eventId(follower.request.stream, follower.position);
  return {
    lastId: () => lastId,
    async next() {
      try {
        const next = await events.next();
        if (next.done) return finish();
        lastId = next.value.id;
        return next;
      } catch (error) {
        await finish();
        throw error;
      }
    },
    // The generator itself may be waiting; it ends as soon as it is awake.
    return: finish,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Before the id of a collection, of what is no stream of the log. */
const IMPORTS = 'imports of ';

/** The first import that is heard of, to its end. */
function followingImport(
  { request, waker }: Follower,
  remove: () => void,
): AsyncIterableIterator<ImportStep, undefined> {
  let followed: string | undefined;
  let newest: ImportStep | undefined;
  let hasEnded = false;
  const collectionId = request.stream.slice(IMPORTS.length);
  const stop = listenToImports(request.ctx.caller.accountId, collectionId, ({ import: id, step }) => {
    if (step) followed ??= id;
    if (id !== followed) return;
    newest = step ?? newest;
    hasEnded = step === null;
    waker.wake();
  });
  const finish = async () => {
    stop();
    remove();
    waker.end();
    return { done: true, value: undefined } as const;
  };
  return {
    async next() {
      try {
        while (newest || (!hasEnded && (await waker.next()))) {
          const value = newest;
          newest = undefined;
          if (value) return { done: false, value };
        }
        return finish();
      } catch (error) {
        await finish();
        throw error;
      }
    },
    return: finish,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function assertRoom({
  ofClient,
  ofAccount,
  ofPlatform,
  ofNode,
}: Record<'ofClient' | 'ofAccount' | 'ofPlatform' | 'ofNode', number>): void {
  assertBelow('A client', ofClient, LIMITS.subscriptionsPerClient);
  assertBelow('An account', ofAccount, LIMITS.subscriptionsPerAccount);
  assertBelow('All accounts below a platform', ofPlatform, LIMITS.subscriptionsPerPlatform);
  if (ofNode < LIMITS.subscriptionsPerNode) return;
  throw new DomainError('Unavailable', 'This server has no room for more subscriptions. Try again shortly.', {
    retryAfterSeconds: 5,
  });
}

function assertBelow(who: string, current: number, limit: number): void {
  if (current < limit) return;
  const message = `${who} may have ${limit} subscriptions at once; end one first.`;
  throw new DomainError('LimitExceeded', message, { limit, current });
}
