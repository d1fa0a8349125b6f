import type { Context } from '../services/context.ts';
import { createLoaders, type Loaders } from './loaders.ts';

/** What every resolver is given. */
export interface GraphQLContext {
  /** For the services. */
  context: Context;
  loaders: Loaders;
  requestId: string;
}

/** For one execution: nothing that was loaded for another is used. */
export function createGraphQLContext(caller: Context, requestId: string): GraphQLContext {
  const context = { marketRevisions: new Set<number>(), ...caller };
  return { context, requestId, loaders: createLoaders(context) };
}
