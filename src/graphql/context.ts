import { BranchTurns } from '../lib/in-turns.ts';
import { untilChecked } from '../memory/memory.ts';
import { type Context, Seen } from '../services/context.ts';
import type { Event } from '../services/events/follower.ts';
import type { ImportStep } from '../services/events/import-progress.ts';
import { Loaders } from '../services/loaders/loaders.ts';
import type { LogError } from './public-result.ts';

/** What every resolver is given. */
export interface GraphQLContext {
  /** For the services. */
  context: Context;
  loaders: Loaders;
  /** In which the fields of one execution go on. */
  turns: BranchTurns;
  requestId: string;
  /** Told of what no answer shows. */
  log: LogError;
  /** Of a mutation. */
  mutation?: OneMutation;
  /** The events of a stream, from where the request says. */
  follow(stream: string): Promise<AsyncIterableIterator<Event>>;
  /** The steps of an import into a collection. */
  followImport(collectionId: string): Promise<AsyncIterableIterator<ImportStep>>;
}

/** A mutation of an operation, which may have several. */
export interface OneMutation {
  /** The same for all of the operation: whether one was begun, and whether one has done what it was asked for. */
  operation: { hasBegun: boolean; hasChanged: boolean };
  /** What its verb gave, or was begun to give. */
  outcome?: Promise<unknown>;
  /** Whether that was kept for an idempotency key. */
  isReplayed: boolean;
  /** Whether it is done, and what it is answered with is read once more. */
  isDone: boolean;
}

/** What a request gives to each execution of its operation. */
export type OfRequest = Pick<GraphQLContext, 'requestId' | 'log' | 'follow' | 'followImport'>;

/** For one execution: nothing that was loaded for another is used. */
export function createGraphQLContext(
  asker: Context,
  { requestId, log, follow, followImport }: OfRequest,
): GraphQLContext {
  const { db, work, seen = new Seen() } = asker;
  const context: Context = { ...asker, db: db.forOperation(), seen };
  const turns = new BranchTurns(work);
  return { context, requestId, log, follow, followImport, turns, loaders: new Loaders(context, turns) };
}

/** A request, as far as its operation is given it. */
export interface RequestParts {
  context: Context;
  requestId: string;
  log: LogError;
  /** Follows a stream of events after the one of this id, or from now on. */
  follow(stream: string, after: string | null): Promise<AsyncIterableIterator<Event>>;
  followImport: GraphQLContext['followImport'];
}

/** What the operation of a request is given, once the catalogue in memory is known to be good. */
export function operationContext(
  { context, requestId, log, follow, followImport }: RequestParts,
  lastEventId: () => string | null,
): GraphQLContext | Promise<GraphQLContext> {
  const ofRequest = {
    requestId,
    log,
    follow: (stream: string) => follow(stream, lastEventId()),
    followImport,
  };
  const make = () => createGraphQLContext(context, ofRequest);
  return untilChecked(context)?.then(make) ?? make();
}

/** For a query that is about to be executed. */
export function letReplicasAnswer(graphql: GraphQLContext): void {
  const { context } = graphql;
  const readers = context.db.onlyReads();
  if (!readers) return;
  context.db = readers;
  forgetLoaded(graphql);
}

/** For a mutation: what earlier ones of the operation have seen is not of its answer. */
export function contextOfMutation(
  graphql: GraphQLContext,
  operation: OneMutation['operation'],
): GraphQLContext {
  const context = { ...graphql.context, seen: new Seen() };
  return { ...graphql, context, mutation: { operation, isReplayed: false, isDone: false } };
}

/** For an event of a subscription: what it may ask of the database, and has seen, is not that of the whole stream. */
export function contextOfEvent(graphql: GraphQLContext): GraphQLContext {
  return createGraphQLContext({ ...graphql.context, seen: new Seen() }, graphql);
}

/** For what follows a mutation: all that was loaded before is out of date. */
export function forgetLoaded(graphql: GraphQLContext): void {
  graphql.loaders = new Loaders(graphql.context, graphql.turns);
}
