/** The first characters of a text, up to `count`, of which the last is whole: half of a pair of surrogates could not be stored. */
export function firstCharacters(text: string, count: number): string {
  const isPairCut = (text.codePointAt(count - 1) ?? 0) > 0xffff;
  return text.slice(0, isPairCut ? count - 1 : count);
}

/** A character is one or two units: a text of a whole body is not counted out. */
export function hasAtMostCharacters(text: string, count: number): boolean {
  return text.length <= count || (text.length <= 2 * count && [...text].length <= count);
}

/** Those that there are, one behind the other; null where there are none. */
export function sentences(parts: readonly (string | null)[]): string | null {
  return parts.filter((part) => part !== null).join(' ') || null;
}

/** A whole number as people read it: 10,000. */
export function withCommas(count: number): string {
  return count.toLocaleString('en-US');
}

/** How many lines of a file end in these bytes, by whichever of the two characters they end with. */
export function linesIn(bytes: Uint8Array): number {
  let [feeds, returns] = [0, 0];
  for (const byte of bytes) {
    if (byte === 10) feeds++;
    else if (byte === 13) returns++;
  }
  return Math.max(feeds, returns);
}
