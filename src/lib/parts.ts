/** Long work in parts: between two of them (`yield`) others may have their turn. */
export type Parts<T> = Generator<void, T, void>;

/** Does all parts one after the other, where they are known to be few. */
export function atOnce<T>(parts: Parts<T>): T {
  for (;;) {
    const part = parts.next();
    if (part.done) return part.value;
  }
}

/** How many entries, or tokens, a part handles at most. */
export const PART = 500;

/** Calls back with 0 … count−1. */
export function* countedInParts(count: number, visit: (i: number) => void, part = PART): Parts<void> {
  for (let start = 0; start < count; start += part) {
    const end = Math.min(start + part, count);
    for (let i = start; i < end; i++) visit(i);
    yield;
  }
}

export function* mappedInParts<T, U>(items: readonly T[], map: (item: T, i: number) => U): Parts<U[]> {
  const mapped: U[] = [];
  yield* countedInParts(items.length, (i) => mapped.push(map(items[i]!, i)));
  return mapped;
}

/** For items that take long each. */
export function* mappedOneByOne<T, U>(items: readonly T[], map: (item: T, i: number) => U): Parts<U[]> {
  const mapped: U[] = [];
  for (const [i, item] of items.entries()) {
    mapped.push(map(item, i));
    yield;
  }
  return mapped;
}

/** A merge sort; equals stay in their order. */
export function* sortedInParts<T>(items: readonly T[], compare: (a: T, b: T) => number): Parts<T[]> {
  let runs: T[][] = [];
  for (let start = 0; start < items.length; start += PART) {
    runs.push(items.slice(start, start + PART).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const longer: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      longer.push(i + 1 < runs.length ? yield* merged(runs[i]!, runs[i + 1]!, compare) : runs[i]!);
    }
    runs = longer;
  }
  return runs[0] ?? [];
}

function* merged<T>(a: readonly T[], b: readonly T[], compare: (a: T, b: T) => number): Parts<T[]> {
  const all: T[] = [];
  let [i, j] = [0, 0];
  yield* countedInParts(a.length + b.length, () => {
    const isFirst = j === b.length || (i < a.length && compare(a[i]!, b[j]!) <= 0);
    all.push(isFirst ? a[i++]! : b[j++]!);
  });
  return all;
}
