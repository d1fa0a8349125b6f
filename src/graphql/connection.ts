import {
  type ConnectionArguments,
  type CountedPage,
  type CursorShape,
  encodeCursor,
  type KeyRequest,
  type Page,
  pageByKey,
  pageOfList,
} from '../domain/pagination.ts';
import { after } from '../lib/after.ts';
import type { KeptExtensions } from './catalogue-texts.ts';

/** An item of a page; its cursor is made when it is asked for. */
class Edge<T> {
  readonly node: T;
  readonly page: Page<T>;
  readonly #order: CursorShape;
  readonly #place: number;

  constructor(page: Page<T>, order: CursorShape, place: number) {
    this.node = page.items[place]!;
    this.page = page;
    this.#order = order;
    this.#place = place;
  }

  get cursor(): string {
    return encodeCursor(this.#order, this.page.keyOf(this.#place));
  }
}

/** A page as a connection; what is not asked for is not made. */
class Connection<T> {
  readonly totalCount: () => number | Promise<number>;
  readonly #page: Page<T>;
  readonly #order: CursorShape;

  constructor(page: Page<T>, order: CursorShape, totalCount: Connection<T>['totalCount']) {
    this.#page = page;
    this.#order = order;
    this.totalCount = totalCount;
  }

  get nodes(): T[] {
    return this.#page.items;
  }

  get edges(): Edge<T>[] {
    return this.#page.items.map((_, place) => new Edge(this.#page, this.#order, place));
  }

  get pageInfo() {
    const { items, hasNextPage, hasPreviousPage } = this.#page;
    const cursorOf = (place: number) => encodeCursor(this.#order, this.#page.keyOf(place));
    return {
      hasNextPage,
      hasPreviousPage,
      startCursor: items.length > 0 ? cursorOf(0) : null,
      endCursor: items.length > 0 ? cursorOf(items.length - 1) : null,
    };
  }
}

/**
 * The page that a connection field asks for, as the connection that it answers with (Relay cursor connections); at once
 * where the page is.
 * @param totalCount asked where the page does not know its total
 */
export function connectionOf<T>(
  args: ConnectionArguments,
  order: CursorShape,
  load: (request: KeyRequest) => Page<T> | Promise<Page<T>>,
  totalCount: () => number | Promise<number>,
): Connection<T> | Promise<Connection<T>> {
  return after(
    load(pageByKey(args, order)),
    (page) => new Connection(page, order, () => page.total ?? totalCount()),
  );
}

/** The same of a list whose cursors are places in it. */
export function connectionOfPlaces<T>(
  args: ConnectionArguments,
  name: string,
  load: (request: KeyRequest) => CountedPage<T> | Promise<CountedPage<T>>,
): Connection<T> | Promise<Connection<T>> {
  const order: CursorShape = { name, kinds: ['position'] };
  return after(load(pageByKey(args, order)), (page) => new Connection(page, order, () => page.total));
}

/** The same of a list that is at hand in whole; `itemsIn` gives the items from one place to before another. */
export function connectionOfList<T>(
  args: ConnectionArguments,
  name: string,
  total: number,
  itemsIn: (start: number, end: number) => T[],
) {
  return connectionOfPlaces(args, name, (request) => pageOfList(request, total, itemsIn));
}

/** The names of a connection's types, for Pothos, which would make them from the field's. */
export function connectionNames(item: string) {
  return [
    { ...OF_PAGE, name: `${item}Connection`, description: `A page of a list of ${item} items.` },
    { ...OF_PAGE, name: `${item}Edge`, description: `A ${item} item with its cursor.` },
  ] as const;
}

/** All that a connection shows is of its page. */
const OF_PAGE = { extensions: { keptWith: 'parent' } satisfies KeptExtensions };
