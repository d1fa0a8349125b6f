import { countedInParts, type Parts } from '../../lib/parts.ts';
import { distance } from './spelling.ts';

/** A name by its position; `slips` is how many letters are wrong, missing, doubled or swapped. */
export interface CloseName {
  position: number;
  slips: number;
}

const LONGEST_NAME = 40;
const SHORTEST_NAME = 8;
const GRAM = 2;
/** A slip mostly spoils so many pairs of letters; a swap spoils one more. */
const SPOILT = 2;

/** How many slips are forgiven in the letters of a whole name, spaces left out. */
function slipsAllowed(letters: string): number {
  if (letters.length < SHORTEST_NAME || letters.length > LONGEST_NAME) return 0;
  return letters.length < 10 ? 1 : letters.length < 16 ? 2 : 3;
}

/** Whole names prepared for `closeTo`, wherever their spaces are: for slips that are none of a single word. */
export class NameSpeller {
  readonly #names: readonly string[];
  readonly #lengths: Uint8Array;
  readonly #shared: Uint8Array;
  /** The names that have each pair of letters, as often as they have it. */
  readonly #starts = new Uint32Array(PAIRS + 1);
  #postings = new Uint32Array();

  private constructor(names: readonly string[]) {
    this.#names = names;
    this.#lengths = new Uint8Array(names.length);
    this.#shared = new Uint8Array(names.length);
  }

  static *of(names: readonly string[]): Parts<NameSpeller> {
    const speller = new NameSpeller(names);
    const starts = speller.#starts;
    yield* countedInParts(names.length, (position) => {
      const letters = withoutSpaces(names[position]!);
      speller.#lengths[position] = Math.min(letters.length, 255);
      for (const pair of pairsOf(letters)) starts[pair + 1]! += 1;
    });
    for (let pair = 0; pair < PAIRS; pair++) starts[pair + 1]! += starts[pair]!;
    const postings = new Uint32Array(starts[PAIRS]!);
    const next = starts.slice();
    yield* countedInParts(names.length, (position) => {
      for (const pair of pairsOf(withoutSpaces(names[position]!))) postings[next[pair]!++] = position;
    });
    speller.#postings = postings;
    return speller;
  }

  /** Every name within the slips that are allowed, the closest first. */
  closeTo(letters: string): CloseName[] {
    const most = slipsAllowed(letters);
    if (most === 0) return [];
    const close: CloseName[] = [];
    for (const position of this.#sharing(letters, most)) {
      const slips = distance(letters, withoutSpaces(this.#names[position]!), most);
      if (slips <= most) close.push({ position, slips });
    }
    return close.sort((a, b) => a.slips - b.slips);
  }

  /** The names that have enough of the pairs, and about the length. */
  #sharing(letters: string, most: number): number[] {
    const pairs = pairsOf(letters);
    const least = pairs.length - SPOILT * most - 1;
    if (least < 1) return [];
    const shared = this.#shared.fill(0);
    const found: number[] = [];
    for (const pair of pairs) {
      for (let i = this.#starts[pair]!; i < this.#starts[pair + 1]!; i++) {
        const position = this.#postings[i]!;
        shared[position]! += 1;
        if (shared[position] !== least) continue;
        if (Math.abs(this.#lengths[position]! - letters.length) <= most) found.push(position);
      }
    }
    return found;
  }
}

const ALPHABET = 37;
const PAIRS = ALPHABET * ALPHABET;

function withoutSpaces(name: string): string {
  return name.replaceAll(' ', '');
}

/** The different pairs of neighbouring letters as numbers. */
function pairsOf(letters: string): number[] {
  const pairs = new Set<number>();
  for (let i = 0; i + GRAM <= letters.length; i++) {
    pairs.add(letterAt(letters, i) * ALPHABET + letterAt(letters, i + 1));
  }
  return [...pairs];
}

/** 1 to 36 for letters and digits, 0 for all others. */
function letterAt(letters: string, i: number): number {
  const code = letters.charCodeAt(i);
  if (code >= 97 && code <= 122) return code - 96;
  return code >= 48 && code <= 57 ? code - 21 : 0;
}
