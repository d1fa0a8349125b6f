import { type Preferences, preferencesAtHand } from '../services/accounts/preferences.ts';
import type { Catalogue } from '../services/catalogue/catalogue.ts';
import { catalogueAtHand } from '../services/catalogue/held.ts';
import { type Context, Seen } from '../services/context.ts';
import type { Event } from '../services/events/follower.ts';
import { createLoaders, type Loaders } from './loaders.ts';

/** What every resolver is given. */
export interface GraphQLContext {
  /** For the services. */
  context: Context;
  /** One and the same for the whole operation; null where it is not at hand, and loaders ask the database. */
  catalogue: Catalogue | null;
  /** The caller's, where they are at hand. */
  preferences: Preferences | null;
  loaders: Loaders;
  requestId: string;
  /** The events of a stream, from where the request says. */
  follow(stream: string): Promise<AsyncIterableIterator<Event>>;
}

/** For one execution: nothing that was loaded for another is used. */
export function createGraphQLContext(caller: Context, requestId: string): Omit<GraphQLContext, 'follow'> {
  const context = { seen: new Seen(), ...caller };
  return {
    context,
    requestId,
    catalogue: catalogueAtHand(context),
    preferences: preferencesAtHand(context),
    loaders: createLoaders(context),
  };
}

/** For what follows a mutation or an event: all that was loaded before is out of date. */
export function forgetLoaded(graphql: GraphQLContext): void {
  graphql.catalogue = catalogueAtHand(graphql.context);
  graphql.preferences = null;
  graphql.loaders = createLoaders(graphql.context);
}
