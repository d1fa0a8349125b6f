/** The values of one field, for rows 0 … n−1 of which many have the same. Values are folded. */
export class ValueTable {
  /** Each list of values that a row has, once. */
  readonly lists: readonly (readonly string[])[];
  /** By row, the position of its list. */
  readonly listOf: Uint16Array | Uint32Array;
  /** Every value, sorted. */
  readonly values: readonly string[];

  constructor(rows: readonly (readonly string[])[]) {
    const known = new Map<string, number>();
    const lists: (readonly string[])[] = [];
    const positions = rows.map((row) => {
      const key = row.join('\n');
      const position = known.get(key) ?? known.size;
      if (position === known.size) {
        known.set(key, position);
        lists.push(row);
      }
      return position;
    });
    this.lists = lists;
    this.listOf = lists.length > 0xffff ? Uint32Array.from(positions) : Uint16Array.from(positions);
    this.values = [...new Set(lists.flat())].sort();
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
