import SchemaBuilder from '@pothos/core';
import RelayPlugin from '@pothos/plugin-relay';
import { typeOfId } from '../domain/ids.ts';
import { LIMITS } from '../domain/limits.ts';
import type { KeptExtensions } from './catalogue-texts.ts';
import type { GraphQLContext } from './context.ts';

export type Builder = ReturnType<typeof createBuilder>;
export type BuilderTypes = Builder extends PothosSchemaTypes.SchemaBuilder<infer Types> ? Types : never;

/** Types are added by the functions in types/; importing them does nothing. */
export function createBuilder() {
  return new SchemaBuilder<{
    Context: GraphQLContext;
    DefaultFieldNullability: false;
    DefaultEdgesNullability: { list: false; items: false };
    DefaultNodeNullability: false;
    Connection: { totalCount: () => number | Promise<number> };
    Scalars: {
      ID: { Input: string; Output: string };
      SafeInt: { Input: number; Output: number };
      Date: { Input: string; Output: string };
      DateTime: { Input: string; Output: string };
    };
  }>({
    plugins: [RelayPlugin],
    defaultFieldNullability: false,
    relay: {
      clientMutationId: 'omit',
      cursorType: 'String',
      // One id everywhere: ours name their type already, so they are not wrapped (docs/decisions.md#ids).
      encodeGlobalID: (_typename, id) => String(id),
      decodeGlobalID: (id) => ({ typename: typeOfId(id) ?? '', id }),
      nodeQueryOptions: false,
      nodesQueryOptions: false,
      nodesOnConnection: { description: 'The items of the page.' },
      firstArgOptions: {
        description: `Items from the start, 1 to ${LIMITS.pageSize}; ${LIMITS.defaultPageSize} where neither size is given.`,
      },
      lastArgOptions: { description: `Items from the end, 1 to ${LIMITS.pageSize}.` },
      afterArgOptions: { description: 'Only items after the one of this cursor.' },
      beforeArgOptions: { description: 'Only items before the one of this cursor.' },
      hasNextPageFieldOptions: { description: 'Whether there are items after the page.' },
      hasPreviousPageFieldOptions: { description: 'Whether there are items before the page.' },
      startCursorFieldOptions: { description: 'Cursor of the first item.' },
      endCursorFieldOptions: { description: 'Cursor of the last item.' },
      idFieldOptions: { description: 'Global id: `<type>_<rest>`.' },
      nodeTypeOptions: { description: 'Anything that has a global id.' },
      pageInfoTypeOptions: {
        extensions: { keptWith: 'parent' } satisfies KeptExtensions,
        description: 'Where a page stands in its list (Relay cursor connections).',
      },
      edgesFieldOptions: {
        nullable: { list: false, items: false },
        description: 'The items of the page with their cursors.',
      },
      cursorFieldOptions: { nullable: false, description: 'Stands for the item in this order; opaque.' },
      nodeFieldOptions: { nullable: false, description: 'The item.' },
      pageInfoFieldOptions: { nullable: false, description: 'Where the page stands.' },
    },
  });
}
