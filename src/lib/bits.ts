/** Which of so many are meant, a bit for each; whoever asks or adds stays below the size. */
export class Bits {
  readonly #words: Int32Array;

  constructor(size: number) {
    this.#words = new Int32Array(Math.ceil(size / 32));
  }

  add(i: number): void {
    this.#words[i >>> 5]! |= 1 << (i & 31);
  }

  has(i: number): boolean {
    return ((this.#words[i >>> 5]! >>> (i & 31)) & 1) === 1;
  }

  count(): number {
    let count = 0;
    for (let word of this.#words) for (; word !== 0; word &= word - 1) count++;
    return count;
  }
}
