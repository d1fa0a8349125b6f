/** Stands between the fields of a document, so that no phrase runs across them. */
export const FIELD_BREAK = '';

/** Tokens by their positions, without the last. */
interface TokenRange {
  from: number;
  to: number;
}

/**
 * An inverted index over documents 0 … n−1, each a sequence of tokens: which documents have a token, a token with a
 * given beginning, or several in a row. Tokens are sorted by UTF-16 unit, documents ascend in each list.
 */
export class TokenIndex {
  readonly tokens: readonly string[];
  readonly #postingStarts: Uint32Array;
  readonly #postings: Uint32Array;
  readonly #sequenceStarts: Uint32Array;
  readonly #sequences: Uint32Array;

  constructor(documents: readonly (readonly string[])[]) {
    this.#sequenceStarts = starts(documents.map(({ length }) => length));
    this.#sequences = new Uint32Array(this.#sequenceStarts.at(-1)!);
    // Numbered as they come, and then by their order: one look-up for each token.
    const ids = new Map<string, number>();
    let at = 0;
    for (const document of documents) {
      for (const token of document) {
        const id = ids.get(token) ?? ids.size;
        if (id === ids.size) ids.set(token, id);
        this.#sequences[at++] = id;
      }
    }
    this.tokens = [...ids.keys()].sort();
    const sortedIds = new Uint32Array(ids.size);
    for (const [sorted, token] of this.tokens.entries()) sortedIds[ids.get(token)!] = sorted;
    for (let i = 0; i < at; i++) this.#sequences[i] = sortedIds[this.#sequences[i]!]!;
    this.#postingStarts = starts(this.#documentCounts());
    this.#postings = new Uint32Array(this.#postingStarts.at(-1)!);
    const next = this.#postingStarts.slice();
    this.#eachOccurrence((token, document) => {
      this.#postings[next[token]!++] = document;
    });
  }

  has(token: string): boolean {
    return this.tokens[this.#lowerBound(token)] === token;
  }

  documents(token: number): Uint32Array {
    return this.#documentsIn({ from: token, to: token + 1 });
  }

  documentsWith(token: string): Uint32Array {
    return this.#documentsIn(this.#exactly(token));
  }

  /** Each document as often as it has different tokens that start so. */
  documentsWithBeginning(text: string): Uint32Array {
    return this.#documentsIn(this.#startingWith(text));
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
      lastIsBeginning && i === words.length - 1 ? this.#startingWith(word) : this.#exactly(word),
    );
    const { from, to } = ranges[0]!;
    for (let token = from; token < to; token++) {
      for (const document of this.documents(token)) {
        if (ranges.length === 1 || this.#hasRow(document, ranges)) found(document);
      }
    }
  }

  /** The position of the first token that is not below `text`. */
  #lowerBound(text: string): number {
    let low = 0;
    let high = this.tokens.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.tokens[middle]! < text) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #documentsIn({ from, to }: TokenRange): Uint32Array {
    return this.#postings.subarray(this.#postingStarts[from], this.#postingStarts[to]);
  }

  #startingWith(text: string): TokenRange {
    return { from: this.#lowerBound(text), to: this.#lowerBound(`${text}\uffff`) };
  }

  #exactly(word: string): TokenRange {
    const from = this.#lowerBound(word);
    return { from, to: this.tokens[from] === word ? from + 1 : from };
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

  #documentCounts(): number[] {
    const counts = new Array<number>(this.tokens.length).fill(0);
    this.#eachOccurrence((token) => {
      counts[token]! += 1;
    });
    return counts;
  }

  /** Each pair of token and document once, documents ascending. */
  #eachOccurrence(visit: (token: number, document: number) => void): void {
    const lastSeen = new Int32Array(this.tokens.length).fill(-1);
    for (let document = 0; document < this.#sequenceStarts.length - 1; document++) {
      for (const token of this.#sequence(document)) {
        if (lastSeen[token] !== document) visit(token, document);
        lastSeen[token] = document;
      }
    }
  }
}

function isWithin(token: number, range: TokenRange): boolean {
  return token >= range.from && token < range.to;
}

/** Where each run starts when runs of these lengths follow each other, and where the last one ends. */
function starts(lengths: readonly number[]): Uint32Array {
  const result = new Uint32Array(lengths.length + 1);
  for (let i = 0; i < lengths.length; i++) result[i + 1] = result[i]! + lengths[i]!;
  return result;
}
