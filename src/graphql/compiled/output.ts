/** A text in the making, whose parts may come later than what follows them. */
export class Output {
  /** What was written behind the last place. */
  text = '';
  #before: (string | Output)[] | undefined;

  /** A place behind what was written so far, to be written to later. */
  place(): Output {
    const place = new Output();
    this.#before ??= [];
    this.#before.push(this.text, place);
    this.text = '';
    return place;
  }

  /** Whether nothing is to come later. */
  get isWhole(): boolean {
    return this.#before === undefined;
  }

  /** Takes all of another one, and what is still to come of it. */
  append(other: Output): void {
    this.#before ??= [];
    this.#before.push(this.text, other);
    this.text = '';
  }

  toString(): string {
    if (!this.#before) return this.text;
    let whole = '';
    for (const part of this.#before) whole += typeof part === 'string' ? part : part.toString();
    return whole + this.text;
  }
}
