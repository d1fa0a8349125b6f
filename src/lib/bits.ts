/** Which of so many are meant. A bit for each, as much of this waits for the end of an answer, and the collector of garbage does not see how large it is. */
export class Bits {
  readonly #words: Uint32Array;

  constructor(size: number) {
    this.#words = new Uint32Array(Math.ceil(size / 32));
  }

  get count(): number {
    let count = 0;
    for (let word of this.#words) for (; word !== 0; word = (word & (word - 1)) >>> 0) count++;
    return count;
  }

  add(i: number): void {
    this.#words[i >>> 5]! |= 1 << (i & 31);
  }

  has(i: number): boolean {
    return ((this.#words[i >>> 5]! >>> (i & 31)) & 1) === 1;
  }
}
