import {
  type ConnectionArguments,
  type CursorShape,
  encodeCursor,
  type Page,
  type PageRequest,
  pageByKey,
} from '../domain/pagination.ts';

/** The page that a connection field asks for, as the connection that it answers with (Relay cursor connections). */
export async function connectionOf<T>(
  args: ConnectionArguments,
  order: CursorShape,
  load: (request: PageRequest) => Page<T> | Promise<Page<T>>,
  totalCount: () => number | Promise<number>,
) {
  const page = await load(pageByKey(args, order));
  const edges = page.items.map((node, i) => ({ node, cursor: encodeCursor(order, page.keys[i]!) }));
  return {
    edges,
    pageInfo: {
      hasNextPage: page.hasNextPage,
      hasPreviousPage: page.hasPreviousPage,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
    // Asked only when the field is.
    totalCount,
  };
}

/** The names of a connection's types, for Pothos, which would make them from the field's. */
export function connectionNames(item: string) {
  return [
    { name: `${item}Connection`, description: `A page of a list of ${item} items.` },
    { name: `${item}Edge`, description: `A ${item} item with its cursor.` },
  ] as const;
}
