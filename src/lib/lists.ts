/**
 * Takes an item out of a short list. Where items come and go with each statement, a `Set` would keep what they refer to
 * from all but the rare full garbage collections: V8 replaces its table again and again, and links each to the next.
 */
export function removeFrom<T>(list: T[], item: T): void {
  const index = list.indexOf(item);
  if (index !== -1) list.splice(index, 1);
}

/** Items by their keys, both in the order in which they come. As `Map.groupBy`, which Node 20 lacks. */
export function groupBy<Key, Item>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) addTo(groups, keyOf(item), item);
  return groups;
}

/** Adds an item to the list of its key. */
export function addTo<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

/** The first of so many places at which `holds` is true, as it is for all behind it; their number where it is for none. */
export function firstPlace(count: number, holds: (place: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
