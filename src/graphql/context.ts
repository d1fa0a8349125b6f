import type { Context } from '../services/context.ts';
import type { Loaders } from './loaders.ts';

/** What every resolver is given. */
export interface GraphQLContext {
  /** For the services. */
  context: Context;
  loaders: Loaders;
  requestId: string;
}
