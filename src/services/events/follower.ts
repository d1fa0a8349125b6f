import {
  ALERTS_STREAM,
  EVENTS_AFTER,
  type EventRow,
  STREAM_POSITION,
  type StreamPosition,
} from '../../db/queries/events.ts';
import { DomainError, notFound, validationFailed } from '../../domain/errors.ts';
import { eventId, isIdOf, parseEventId } from '../../domain/ids.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Context } from '../context.ts';
import { newWaker, type Waker } from './waker.ts';

export { ALERTS_STREAM } from '../../db/queries/events.ts';

/** What a follower gets; `Missed` stands for events that are not kept any more. */
export type Event = { id: string; stream: string } & (
  | { kind: 'Missed' }
  | Pick<EventRow, 'kind' | 'transactionIds' | 'variantIds' | 'alertId'>
);

export interface FollowRequest {
  ctx: Context;
  /** The id of a collection, or `ALERTS_STREAM`. */
  stream: string;
  /** The id of the last event that is known; null for those from now on. */
  after: string | null;
  /** Throws `Unauthorized` when the caller may not go on. */
  assertAllowed: () => Promise<unknown>;
}

/** One who follows a stream of events. */
export interface Follower {
  request: FollowRequest;
  waker: Waker;
  /** The sequence of the last event that it was given. */
  position: number;
}

const RETRY_MILLIS = 500;

export function newFollower(request: FollowRequest): Follower {
  return { request, waker: newWaker(), position: 0 };
}

/** Puts a new follower at its place. Gives the sequence of the newest event. Throws `NotFound`, `ValidationFailed`. */
export async function placeFollower(follower: Follower): Promise<number> {
  const { stream, after } = follower.request;
  if (stream !== ALERTS_STREAM && !isIdOf('Collection', stream)) throw notFound('collection');
  const known = after === null ? null : positionOf(after, stream);
  const newest = await newestOf(follower.request);
  follower.position = known ?? newest;
  return newest;
}

function positionOf(id: string, stream: string): number {
  const parsed = parseEventId(id);
  if (parsed?.stream === stream) return parsed.sequence;
  const detail = 'must be the id of an event of this subscription; leave it out to begin with what comes now';
  throw validationFailed([{ path: ['lastEventId'], detail }]);
}

async function newestOf({ ctx, stream, after }: FollowRequest): Promise<number> {
  const [row] = await ctx.db.query<StreamPosition>(STREAM_POSITION, [ctx.caller.accountId, stream]);
  const { revision, counted, logged } = row!;
  if (stream === ALERTS_STREAM) return counted ?? 0;
  // Who followed a collection that was deleted meanwhile is still to hear of it.
  const newest = revision ?? (after === null ? null : logged);
  if (newest === null) throw notFound('collection');
  return newest;
}

/**
 * The events after the follower's place, each once and in their order; the next ones when it is woken. It reads a few at
 * a time and only when they are asked for, so nothing piles up here.
 */
export async function* eventsOf(follower: Follower, newest: number): AsyncGenerator<Event, void> {
  const { request, waker } = follower;
  const { stream } = request;
  let expected: number | null = newest + 1;
  while (await waker.next()) {
    const rows = await readAfter(follower);
    if (rows === null) continue;
    if (isFull(rows)) waker.wake();
    // Events have no gaps, but for those that were purged.
    if ((rows[0]?.sequence ?? expected ?? follower.position + 1) !== follower.position + 1) {
      follower.position = await newestOf(request);
      yield { id: eventId(stream, follower.position), stream, kind: 'Missed' };
      waker.wake();
      rows.length = 0;
    }
    expected = null;
    for (const { sequence, ...row } of rows) {
      follower.position = sequence;
      yield { id: eventId(stream, sequence), stream, ...row };
      if (row.kind === 'Deleted' || waker.hasEnded) return;
    }
  }
}

/** Null where the database cannot be reached: the follower is woken again soon. */
async function readAfter({ request, position, waker }: Follower): Promise<EventRow[] | null> {
  const { ctx, stream, assertAllowed } = request;
  try {
    await assertAllowed();
    const most = [LIMITS.eventsReadAhead, LIMITS.eventIdsReadAhead];
    return await ctx.db.query<EventRow>(EVENTS_AFTER, [ctx.caller.accountId, stream, position, ...most]);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    setTimeout(waker.wake, RETRY_MILLIS).unref();
    return null;
  }
}

/** As many as are read at a time: there may be more. */
function isFull(rows: readonly EventRow[]): boolean {
  let ids = 0;
  for (const { transactionIds, variantIds } of rows)
    ids += (transactionIds?.length ?? 0) + (variantIds?.length ?? 0);
  return rows.length === LIMITS.eventsReadAhead || ids >= LIMITS.eventIdsReadAhead;
}

export function isUnavailable(error: unknown): boolean {
  return error instanceof DomainError && error.problem === 'Unavailable';
}
