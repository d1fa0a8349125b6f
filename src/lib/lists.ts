/**
 * Takes an item out of a short list. Where items come and go with each statement, a `Set` would keep what they refer to
 * from all but the rare full garbage collections: V8 replaces its table again and again, and links each to the next.
 */
export function removeFrom<T>(list: T[], item: T): void {
  const index = list.indexOf(item);
  if (index !== -1) list.splice(index, 1);
}
