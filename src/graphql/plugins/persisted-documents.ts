import type { Plugin } from 'graphql-yoga';
import type { ResolveDocument } from '../documents.ts';

/** Lets Yoga answer persisted documents; see `documentResolver`. */
export function usePersistedDocuments(resolve: ResolveDocument): Plugin {
  return {
    onParams({ params, setParams }) {
      setParams(resolve(params));
    },
  };
}
