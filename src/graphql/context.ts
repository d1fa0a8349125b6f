import type { Context } from '../services/context.ts';
import type { Event } from '../services/events/follower.ts';
import { createLoaders, type Loaders } from './loaders.ts';

/** What every resolver is given. */
export interface GraphQLContext {
  /** For the services. */
  context: Context;
  loaders: Loaders;
  requestId: string;
  /** The events of a stream, from where the request says. */
  follow(stream: string): Promise<AsyncIterableIterator<Event>>;
}

/** For one execution: nothing that was loaded for another is used. */
export function createGraphQLContext(caller: Context, requestId: string): Omit<GraphQLContext, 'follow'> {
  const context = { marketRevisions: new Set<number>(), ...caller };
  return { context, requestId, loaders: createLoaders(context) };
}
