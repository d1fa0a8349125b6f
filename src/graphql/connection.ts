import {
  type ConnectionArguments,
  type CursorShape,
  encodeCursor,
  type KeyCursor,
  type Page,
  type PageRequest,
  pageByKey,
} from '../domain/pagination.ts';

/** An item of a page; its cursor is made when it is asked for. */
class Edge<T> {
  readonly node: T;
  readonly #order: CursorShape;
  readonly #key: KeyCursor;

  constructor(node: T, order: CursorShape, key: KeyCursor) {
    this.node = node;
    this.#order = order;
    this.#key = key;
  }

  get cursor(): string {
    return encodeCursor(this.#order, this.#key);
  }
}

/** The page that a connection field asks for, as the connection that it answers with (Relay cursor connections). */
export async function connectionOf<T>(
  args: ConnectionArguments,
  order: CursorShape,
  load: (request: PageRequest) => Page<T> | Promise<Page<T>>,
  totalCount: () => number | Promise<number>,
) {
  const { items, keys, hasNextPage, hasPreviousPage } = await load(pageByKey(args, order));
  const edges = items.map((node, i) => new Edge(node, order, keys[i]!));
  return {
    edges,
    nodes: items,
    pageInfo: {
      hasNextPage,
      hasPreviousPage,
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
