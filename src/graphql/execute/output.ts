/** A text in the making, whose parts may come later than what follows them. */
export class Output {
  /** What was written behind the last part. */
  text = '';
  /** How many parts there are in front of `text`. */
  count = 0;
  /** Whether this is still to be written. */
  isOpen = false;
  #parts: (string | Output)[] | undefined;

  /** A place behind what was written so far, to be written to later. */
  place(): Output {
    const place = new Output();
    place.isOpen = true;
    this.append(place);
    return place;
  }

  /** Takes all of another one, and what is still to come of it. */
  append(other: Output): void {
    this.#parts ??= [];
    this.#parts.push(this.text, other);
    this.count = this.#parts.length;
    this.text = '';
  }

  /** Takes back all that was written since it had this text and these many parts. */
  reset(text: string, count: number): void {
    if (this.count !== count) {
      this.#parts!.length = count;
      this.count = count;
    }
    this.text = text;
  }

  /** Makes one part of all that was written since it had this text and these many parts, so that it can be replaced. */
  carve(text: string, count: number): Output {
    const [first, ...others] = this.#parts!.slice(count) as [string, ...(string | Output)[]];
    const carved = new Output();
    carved.#parts = [first.slice(text.length), ...others];
    carved.count = carved.#parts.length;
    carved.text = this.text;
    this.reset(text, count);
    this.append(carved);
    return carved;
  }

  /** Puts a text in the place of all that was written, and of all that is still to come. */
  replace(text: string): void {
    this.#parts = undefined;
    this.count = 0;
    this.text = text;
  }

  /** The parts from one number to another that are to be written, or were. */
  placesBetween(start: number, end: number): Output[] {
    return this.#parts!.slice(start, end).filter((part) => typeof part !== 'string');
  }

  /** Whether nothing is to come any more. */
  get isWhole(): boolean {
    return !this.isOpen && (this.#parts?.every((part) => typeof part === 'string' || part.isWhole) ?? true);
  }

  toString(): string {
    if (!this.#parts) return this.text;
    let whole = '';
    for (const part of this.#parts) whole += typeof part === 'string' ? part : part.toString();
    return whole + this.text;
  }
}
