import { countedInParts, type Parts, sortedInParts } from '../../lib/parts.ts';
import { byText } from './normalise.ts';

/** The values of one field, for rows 0 … n−1 of which many have the same. Values are folded. */
export class ValueTable {
  /** Each list of values that a row has, once. */
  readonly lists: readonly (readonly string[])[];
  /** By row, the position of its list. */
  readonly listOf: Uint16Array | Uint32Array;
  /** Every value, sorted. */
  readonly values: readonly string[];
  #positions: readonly (readonly number[])[] | undefined;

  private constructor(
    lists: readonly (readonly string[])[],
    listOf: Uint16Array | Uint32Array,
    values: readonly string[],
  ) {
    this.lists = lists;
    this.listOf = listOf;
    this.values = values;
  }

  /** The lists as the positions of their values, each once. */
  #listsOfPositions(): readonly (readonly number[])[] {
    if (!this.#positions) {
      const positions = new Map(this.values.map((value, position) => [value, position]));
      this.#positions = this.lists.map((list) => [...new Set(list)].map((value) => positions.get(value)!));
    }
    return this.#positions;
  }

  /** @param valuesOf those of the row that an item stands for */
  static *of<T>(items: readonly T[], valuesOf: (item: T) => readonly string[]): Parts<ValueTable> {
    const known = new Map<string, number>();
    const lists: (readonly string[])[] = [];
    const values = new Set<string>();
    const positions = new Uint32Array(items.length);
    yield* countedInParts(items.length, (row) => {
      const list = valuesOf(items[row]!);
      const key = list.join('\n');
      const position = known.get(key) ?? known.size;
      if (position === known.size) {
        known.set(key, position);
        lists.push(list);
        for (const value of list) values.add(value);
      }
      positions[row] = position;
    });
    const listOf = lists.length > 0xffff ? positions : Uint16Array.from(positions);
    return new ValueTable(lists, listOf, yield* sortedInParts([...values], byText));
  }

  /** By value, in the order of `values`, how many of the rows have it. */
  counts(rows: Iterable<number>): Uint32Array {
    const lists = this.#listsOfPositions();
    const counts = new Uint32Array(this.values.length);
    for (const row of rows) for (const position of lists[this.listOf[row]!]!) counts[position]! += 1;
    return counts;
  }

  /** The same of groups of rows that follow one another. @param starts by group, its first row, and behind the last of all */
  countsOfGroups(
    groups: Iterable<number>,
    starts: ArrayLike<number>,
    counted: Uint8Array | null,
  ): Uint32Array {
    const lists = this.#listsOfPositions();
    const counts = new Uint32Array(this.values.length);
    const lastCounted = new Int32Array(this.values.length).fill(-1);
    for (const group of groups) {
      for (let row = starts[group]!; row < starts[group + 1]!; row++) {
        if (counted !== null && counted[row] !== 1) continue;
        for (const position of lists[this.listOf[row]!]!) {
          if (lastCounted[position] === group) continue;
          lastCounted[position] = group;
          counts[position]! += 1;
        }
      }
    }
    return counts;
  }

  valuesOf(row: number): readonly string[] {
    return this.lists[this.listOf[row]!]!;
  }

  /** By list, 1 where one of its values is meant; null where none is. */
  listsWith(isMeant: (value: string) => boolean): Uint8Array | null {
    const meant = new Set(this.values.filter(isMeant));
    if (meant.size === 0) return null;
    return Uint8Array.from(this.lists, (list) => (list.some((value) => meant.has(value)) ? 1 : 0));
  }
}
