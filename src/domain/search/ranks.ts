/**
 * A rank for every document of an index, the lower the better: the tier of relevance (docs/decisions.md#search) and, within the
 * tiers of words, how well they fit.
 */
export interface Ranks {
  /** By document; `NO_MATCH` for most. */
  readonly values: Uint8Array;
  /** The documents that match, in no order: nothing need look at the others. */
  readonly matches: number[];
}

export const NO_MATCH = 255;

export const RANK = {
  number: 0,
  /** The name as printed … */
  name: 1,
  /** … or without or with its colour. */
  colouredName: 2,
  /** One side of a card that has two. */
  face: 3,
  /** The same four, beside words for what a variant is; those words alone are the last of them. */
  printing: 4,
  /** The name begins with these words: as all from here on by the document's handicap, and from 11 beside such words … */
  beginning: 8,
  /** … or with these letters. */
  beginningOfWord: 14,
  /** All words: from here up to `close`, by how many are not in the name and how many are only begun. */
  words: 20,
  /** Close spelling: from here up, by how many letters are wrong. */
  close: 120,
} as const;

/** What a document may be worse by than others that match as well. */
const MOST_HANDICAP = 2;

/** The rank of words beside those for what a variant is. */
export function besidePrinting(rank: number): number {
  if (rank < RANK.printing) return rank + RANK.printing;
  return rank < RANK.words ? rank + MOST_HANDICAP + 1 : rank;
}

export function noMatches(size: number): Ranks {
  return { values: new Uint8Array(size).fill(NO_MATCH), matches: [] };
}

/** Calls back with the documents that match in `within`, or with all. */
export function eachDocument(
  { values }: Ranks,
  within: Ranks | null,
  visit: (document: number) => void,
): void {
  if (within === null) for (let document = 0; document < values.length; document++) visit(document);
  else for (const document of within.matches) visit(document);
}

export function ranksOf(values: Uint8Array): Ranks {
  const matches: number[] = [];
  for (let document = 0; document < values.length; document++) {
    if (values[document] !== NO_MATCH) matches.push(document);
  }
  return { values, matches };
}

export function improve({ values, matches }: Ranks, document: number, rank: number): void {
  const known = values[document]!;
  if (rank >= known) return;
  if (known === NO_MATCH) matches.push(document);
  values[document] = rank;
}

export function improveAll(ranks: Ranks, documents: Uint32Array, rank: number): void {
  for (let i = 0; i < documents.length; i++) improve(ranks, documents[i]!, rank);
}

export function improveEvery(ranks: Ranks, rank: number): void {
  for (let document = 0; document < ranks.values.length; document++) improve(ranks, document, rank);
}

/** What matches gets worse by so much, but no worse than `worst`. */
export function worsenAll({ values, matches }: Ranks, by: number, worst = NO_MATCH - 1): void {
  for (const document of matches) values[document] = Math.min(values[document]! + by, worst);
}

/** What matches gets worse by what its document has. */
export function worsen({ values, matches }: Ranks, by: Uint8Array): void {
  for (const document of matches)
    values[document] = Math.min(values[document]! + by[document]!, NO_MATCH - 1);
}

/** Where both match, the worse rank of the two. */
export function both(a: Ranks, b: Ranks): Ranks {
  const [fewer, more] = byMatches(a, b);
  const result = noMatches(a.values.length);
  for (const document of fewer.matches) {
    improve(result, document, Math.max(fewer.values[document]!, more.values[document]!));
  }
  return result;
}

/** Where either matches, the better rank of the two. */
export function either(a: Ranks, b: Ranks): Ranks {
  const [fewer, more] = byMatches(a, b);
  const result = { values: more.values.slice(), matches: more.matches.slice() };
  for (const document of fewer.matches) improve(result, document, fewer.values[document]!);
  return result;
}

function byMatches(a: Ranks, b: Ranks): [fewer: Ranks, more: Ranks] {
  return a.matches.length < b.matches.length ? [a, b] : [b, a];
}

/** What does not match, of all documents or of those that match in `within`. */
export function negation({ values }: Ranks, within: Ranks | null = null): Ranks {
  const result = noMatches(values.length);
  eachDocument(result, within, (document) => {
    if (values[document] === NO_MATCH) improve(result, document, 0);
  });
  return result;
}

/** Where both match, the sum, at most one below `NO_MATCH`. */
export function sum(a: Ranks, b: Ranks): Ranks {
  const [fewer, more] = byMatches(a, b);
  const result = noMatches(a.values.length);
  for (const document of fewer.matches) {
    const other = more.values[document]!;
    if (other === NO_MATCH) continue;
    improve(result, document, Math.min(fewer.values[document]! + other, NO_MATCH - 1));
  }
  return result;
}

export function bestRank({ values, matches }: Ranks): number {
  let best = NO_MATCH;
  for (const document of matches) if (values[document]! < best) best = values[document]!;
  return best;
}

/** Where more than one in so many match, looking at all is quicker than sorting those that do. */
const MANY = 16;

/** An order of all documents, and where each stands in it. */
export interface DocumentOrder {
  documents: Uint32Array;
  positions: Uint32Array;
}

/** The best documents, at most `most`: by rank, then in the order. */
export function bestDocuments(ranks: Ranks, most: number, order: DocumentOrder): number[] {
  const isMany = ranks.matches.length * MANY > ranks.values.length;
  return isMany ? bestOfMany(ranks, most, order) : bestOfFew(ranks, most, order);
}

function bestOfFew(
  { values, matches }: Ranks,
  most: number,
  { documents, positions }: DocumentOrder,
): number[] {
  const size = values.length;
  const keys = new Float64Array(matches.length);
  for (let i = 0; i < keys.length; i++) keys[i] = values[matches[i]!]! * size + positions[matches[i]!]!;
  keys.sort();
  const best: number[] = [];
  for (let i = 0; i < keys.length && i < most; i++) best.push(documents[keys[i]! % size]!);
  return best;
}

function bestOfMany({ values }: Ranks, most: number, { documents }: DocumentOrder): number[] {
  const byRank: number[][] = [];
  for (const document of documents) {
    const rank = values[document]!;
    if (rank === NO_MATCH) continue;
    byRank[rank] ??= [];
    if (byRank[rank].length < most) byRank[rank].push(document);
  }
  return byRank.flat().slice(0, most);
}

/** Where each of the documents stands in the order. */
export function positionsOf(documents: ArrayLike<number>, { positions }: DocumentOrder): Uint32Array {
  const result = new Uint32Array(documents.length);
  for (let i = 0; i < result.length; i++) result[i] = positions[documents[i]!]!;
  return result;
}
