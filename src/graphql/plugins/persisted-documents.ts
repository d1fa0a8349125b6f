import type { Plugin } from 'graphql-yoga';
import type { ResolveDocument } from '../documents.ts';

interface OfRequest {
  isOwnDocument?: boolean;
}

/** Lets Yoga answer persisted documents; see `documentResolver`. Those of the service itself are taken as they are. */
export function usePersistedDocuments(resolve: ResolveDocument): Plugin<object, OfRequest> {
  return {
    onParams({ params, setParams, context }) {
      if (!context.isOwnDocument) setParams(resolve(params));
    },
  };
}
