import { countedInParts, type Parts, sortedInParts } from '../../lib/parts.ts';
import { byText } from './normalise.ts';

/** Stands between the fields of a document, so that no phrase runs across them. */
export const FIELD_BREAK = '';

/** Runs of numbers that follow each other: where each starts, and the last one ends; and all their numbers. */
type Runs = readonly [starts: Uint32Array, numbers: Uint32Array];

/** Tokens by their positions, without the last. */
export interface TokenRange {
  from: number;
  to: number;
}

/**
 * An inverted index over documents 0 … n−1, each a sequence of tokens: which documents have a token, a token with a
 * given beginning, or several in a row. Tokens are sorted by UTF-16 unit, documents ascend in each list.
 */
export class TokenIndex {
  readonly tokens: readonly string[];
  readonly #all: TokenRange;
  readonly #sequenceStarts: Uint32Array;
  readonly #sequences: Uint32Array;
  readonly #postingStarts: Uint32Array;
  readonly #postings: Uint32Array;

  private constructor(
    tokens: readonly string[],
    [sequenceStarts, sequences]: Runs,
    [postingStarts, postings]: Runs,
  ) {
    this.tokens = tokens;
    this.#all = { from: 0, to: tokens.length };
    this.#sequenceStarts = sequenceStarts;
    this.#sequences = sequences;
    this.#postingStarts = postingStarts;
    this.#postings = postings;
  }

  /** @param tokensOf those of the document that an item stands for */
  static *of<T>(items: readonly T[], tokensOf: (item: T) => readonly string[]): Parts<TokenIndex> {
    // Numbered as they come, and then by their order: one look-up for each token.
    const ids = new Map<string, number>();
    const sequenceStarts = new Uint32Array(items.length + 1);
    const unsorted: number[] = [];
    yield* countedInParts(items.length, (document) => {
      for (const token of tokensOf(items[document]!)) {
        const id = ids.get(token) ?? ids.size;
        if (id === ids.size) ids.set(token, id);
        unsorted.push(id);
      }
      sequenceStarts[document + 1] = unsorted.length;
    });
    const tokens = yield* sortedInParts([...ids.keys()], byText);
    const sortedIds = new Uint32Array(ids.size);
    yield* countedInParts(tokens.length, (sorted) => {
      sortedIds[ids.get(tokens[sorted]!)!] = sorted;
    });
    const sequences = new Uint32Array(unsorted.length);
    yield* countedInParts(sequences.length, (at) => {
      sequences[at] = sortedIds[unsorted[at]!]!;
    });
    const runs: Runs = [sequenceStarts, sequences];
    return new TokenIndex(tokens, runs, yield* postingsOf(tokens.length, runs));
  }

  has(token: string): boolean {
    return this.tokens[this.#lowerBound(token)] === token;
  }

  documents(token: number): Uint32Array {
    return this.documentsIn({ from: token, to: token + 1 });
  }

  documentsWith(token: string): Uint32Array {
    return this.documentsIn(this.exactly(token));
  }

  /** Each document as often as it has different tokens that start so. */
  documentsWithBeginning(text: string): Uint32Array {
    return this.documentsIn(this.startingWith(text));
  }

  /** Each document as often as it has different ones of these tokens. */
  documentsIn({ from, to }: TokenRange): Uint32Array {
    return this.#postings.subarray(this.#postingStarts[from], this.#postingStarts[to]);
  }

  /** The tokens that start so, of those in `within`. */
  startingWith(text: string, within = this.#all): TokenRange {
    const from = this.#lowerBound(text, within);
    const isNone = from === within.to || !this.tokens[from]!.startsWith(text);
    return { from, to: isNone ? from : this.#lowerBound(`${text}\uffff`, { from, to: within.to }) };
  }

  /** The token, if it is in `within`. */
  exactly(token: string, within = this.#all): TokenRange {
    const from = this.#lowerBound(token, within);
    return { from, to: from < within.to && this.tokens[from] === token ? from + 1 : from };
  }

  tokensOf(document: number): string[] {
    return Array.from(this.#sequence(document), (id) => this.tokens[id]!);
  }

  /** Calls back with every document in which the words stand side by side; of the last one, its beginning will do. */
  eachWithPhrase(
    words: readonly string[],
    lastIsBeginning: boolean,
    found: (document: number) => void,
  ): void {
    const ranges = words.map((word, i) =>
      lastIsBeginning && i === words.length - 1 ? this.startingWith(word) : this.exactly(word),
    );
    const { from, to } = ranges[0]!;
    for (let token = from; token < to; token++) {
      for (const document of this.documents(token)) {
        if (ranges.length === 1 || this.#hasRow(document, ranges)) found(document);
      }
    }
  }

  /** The position of the first token that is not below `text`. With a function for the comparison it took twice as long. */
  #lowerBound(text: string, { from, to }: TokenRange = this.#all): number {
    let low = from;
    let high = to;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.tokens[middle]! < text) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #hasRow(document: number, ranges: readonly TokenRange[]): boolean {
    const end = this.#sequenceStarts[document + 1]! - ranges.length;
    for (let at = this.#sequenceStarts[document]!; at <= end; at++) {
      let matched = 0;
      while (matched < ranges.length && isWithin(this.#sequences[at + matched]!, ranges[matched]!)) {
        matched += 1;
      }
      if (matched === ranges.length) return true;
    }
    return false;
  }

  #sequence(document: number): Uint32Array {
    return this.#sequences.subarray(this.#sequenceStarts[document], this.#sequenceStarts[document + 1]);
  }
}

function isWithin(token: number, range: TokenRange): boolean {
  return token >= range.from && token < range.to;
}

/** The documents of each token, from the tokens of each document. */
function* postingsOf(tokenCount: number, sequences: Runs): Parts<Runs> {
  const starts = new Uint32Array(tokenCount + 1);
  yield* eachOccurrence(tokenCount, sequences, (token) => {
    starts[token + 1]! += 1;
  });
  yield* countedInParts(tokenCount, (token) => {
    starts[token + 1]! += starts[token]!;
  });
  const postings = new Uint32Array(starts[tokenCount]!);
  const next = starts.slice();
  yield* eachOccurrence(tokenCount, sequences, (token, document) => {
    postings[next[token]!++] = document;
  });
  return [starts, postings];
}

/** Each pair of token and document once, documents ascending. */
function* eachOccurrence(
  tokenCount: number,
  [starts, sequences]: Runs,
  visit: (token: number, document: number) => void,
): Parts<void> {
  const lastSeen = new Int32Array(tokenCount).fill(-1);
  yield* countedInParts(starts.length - 1, (document) => {
    for (let at = starts[document]!; at < starts[document + 1]!; at++) {
      const token = sequences[at]!;
      if (lastSeen[token] !== document) visit(token, document);
      lastSeen[token] = document;
    }
  });
}
