/** Close spellings: the optimal string alignment distance, bounded, against a vocabulary. */

import { countedInParts, type Parts } from '../../lib/parts.ts';

const LONGEST_WORD = 40;

/** How many slips are forgiven in a word of so many letters. */
export function slipsAllowed(word: string): number {
  if (word.length < 3 || word.length > LONGEST_WORD || /\d/.test(word)) return 0;
  if (word.length < 6) return 1;
  return word.length < 11 ? 2 : 3;
}

/** A word of the vocabulary by its position; `slips` is how many letters are wrong, missing, doubled or swapped. */
export interface CloseWord {
  position: number;
  slips: number;
}

/** A vocabulary prepared for `closeTo`. */
export class Speller {
  readonly #words: readonly string[];
  /** The letters of each word as bits, so that most words are refused without being looked at. */
  readonly #letters: Uint32Array;

  constructor(words: readonly string[], letters = Uint32Array.from(words, lettersOf)) {
    this.#words = words;
    this.#letters = letters;
  }

  static *of(words: readonly string[]): Parts<Speller> {
    const letters = new Uint32Array(words.length);
    yield* countedInParts(words.length, (i) => {
      letters[i] = lettersOf(words[i]!);
    });
    return new Speller(words, letters);
  }

  /** Every word within the slips that are allowed, in the vocabulary's order; also those that only start so. */
  closeTo(word: string): CloseWord[] {
    const most = slipsAllowed(word);
    if (most === 0) return [];
    const letters = lettersOf(word);
    const close: CloseWord[] = [];
    for (let position = 0; position < this.#words.length; position++) {
      if (countBits(letters & ~this.#letters[position]!) > most) continue;
      const candidate = this.#words[position]!;
      if (candidate.length < word.length - most || /\d/.test(candidate)) continue;
      const slips = distance(word, candidate, most);
      if (slips <= most) close.push({ position, slips });
    }
    return close;
  }
}

function lettersOf(word: string): number {
  let letters = 0;
  for (let i = 0; i < word.length; i++) letters |= 1 << (word.charCodeAt(i) & 31);
  return letters >>> 0;
}

function countBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

const WIDTH = 2 * LONGEST_WORD;
const rows = [new Uint8Array(WIDTH), new Uint8Array(WIDTH), new Uint8Array(WIDTH)] as const;

/**
 * Insertions, deletions, substitutions and swaps of neighbours that make `typed` into `word`; `most` + 1 when there are
 * more than `most`. A longer word of which `typed` is nearly the beginning counts one slip more than that beginning.
 */
export function distance(typed: string, word: string, most: number): number {
  const width = Math.min(word.length, typed.length + most);
  let [before, last, next] = rows as readonly [Uint8Array, Uint8Array, Uint8Array];
  for (let j = 0; j <= width; j++) last[j] = j;
  for (let i = 1; i <= typed.length; i++) {
    const letter = typed.charCodeAt(i - 1);
    next[0] = i;
    let least = i;
    for (let j = 1; j <= width; j++) {
      const same = letter === word.charCodeAt(j - 1);
      let cost = Math.min(last[j - 1]! + (same ? 0 : 1), last[j]! + 1, next[j - 1]! + 1);
      if (
        i > 1 &&
        j > 1 &&
        letter === word.charCodeAt(j - 2) &&
        typed.charCodeAt(i - 2) === word.charCodeAt(j - 1)
      ) {
        cost = Math.min(cost, before[j - 2]! + 1);
      }
      next[j] = cost;
      if (cost < least) least = cost;
    }
    if (least > most) return most + 1;
    [before, last, next] = [last, next, before];
  }
  const whole = width === word.length ? last[width]! : most + 1;
  return Math.min(whole, leastOf(last, width) + 1, most + 1);
}

function leastOf(row: Uint8Array, width: number): number {
  let least = row[0]!;
  for (let j = 1; j <= width; j++) least = Math.min(least, row[j]!);
  return least;
}
