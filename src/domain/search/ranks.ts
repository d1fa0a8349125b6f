/**
 * A rank for every document of an index, the lower the better: the tier of relevance (decisions §6) and, within the
 * tiers of words, how well they fit.
 */
export type Ranks = Uint8Array;

export const NO_MATCH = 255;

export const RANK = {
  number: 0,
  /** The name as printed … */
  name: 1,
  /** … or without or with its colour. */
  colouredName: 2,
  /** One side of a card that has two. */
  face: 3,
  /** The name begins with these words … */
  beginning: 4,
  /** … or with these letters. */
  beginningOfWord: 5,
  /** All words: from here up to `close`, by how many are not in the name and how many are only begun. */
  words: 10,
  /** Close spelling: from here up, by how many letters are wrong. */
  close: 120,
} as const;

export function noMatches(length: number): Ranks {
  return new Uint8Array(length).fill(NO_MATCH);
}

export function improve(ranks: Ranks, document: number, rank: number): void {
  if (rank < ranks[document]!) ranks[document] = rank;
}

export function improveAll(ranks: Ranks, documents: Uint32Array, rank: number): void {
  for (let i = 0; i < documents.length; i++) improve(ranks, documents[i]!, rank);
}

export function improveEvery(ranks: Ranks, rank: number): void {
  for (let document = 0; document < ranks.length; document++) improve(ranks, document, rank);
}

// The loops below are plain because `map` with a callback takes several times as long.

/** Where both match, the worse rank of the two. */
export function both(a: Ranks, b: Ranks): Ranks {
  const result = new Uint8Array(a.length);
  for (let i = 0; i < a.length; i++) result[i] = a[i]! > b[i]! ? a[i]! : b[i]!;
  return result;
}

/** Where either matches, the better rank of the two. */
export function either(a: Ranks, b: Ranks): Ranks {
  const result = new Uint8Array(a.length);
  for (let i = 0; i < a.length; i++) result[i] = a[i]! < b[i]! ? a[i]! : b[i]!;
  return result;
}

export function negation(ranks: Ranks): Ranks {
  const result = new Uint8Array(ranks.length);
  for (let i = 0; i < ranks.length; i++) result[i] = ranks[i] === NO_MATCH ? 0 : NO_MATCH;
  return result;
}

/** Where both match, the sum, at most one below `NO_MATCH`. */
export function sum(a: Ranks, b: Ranks): Ranks {
  const result = noMatches(a.length);
  for (let i = 0; i < a.length; i++) {
    if (a[i] !== NO_MATCH && b[i] !== NO_MATCH) result[i] = Math.min(a[i]! + b[i]!, NO_MATCH - 1);
  }
  return result;
}

/** Everything that matches, worse by so much, but no worse than `worst`. */
export function lowered(ranks: Ranks, by: number, worst: number): Ranks {
  const result = noMatches(ranks.length);
  for (let i = 0; i < ranks.length; i++) {
    if (ranks[i] !== NO_MATCH) result[i] = Math.min(ranks[i]! + by, worst);
  }
  return result;
}

export function bestRank(ranks: Ranks): number {
  let best = NO_MATCH;
  for (let i = 0; i < ranks.length; i++) if (ranks[i]! < best) best = ranks[i]!;
  return best;
}

export function countMatches(ranks: Ranks): number {
  let matches = 0;
  for (let i = 0; i < ranks.length; i++) if (ranks[i] !== NO_MATCH) matches += 1;
  return matches;
}

/** The best documents, at most `most`: by rank, then in their own order. */
export function bestDocuments(ranks: Ranks, most: number): number[] {
  const byRank: number[][] = [];
  for (let document = 0; document < ranks.length; document++) {
    const rank = ranks[document]!;
    if (rank === NO_MATCH) continue;
    byRank[rank] ??= [];
    if (byRank[rank].length < most) byRank[rank].push(document);
  }
  return byRank.flat().slice(0, most);
}
