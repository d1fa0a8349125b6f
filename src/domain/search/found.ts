import { Bits } from '../../lib/bits.ts';
import * as ranked from './ranks.ts';
import { NO_MATCH, type Ranks } from './ranks.ts';

/** Where the variants of each product stand: those of document i from `starts[i]` to before `starts[i + 1]`. */
export type VariantStarts = Uint32Array;

/** Products with their ranks, and which of their variants are meant. */
export interface Found {
  readonly ranks: Ranks;
  /**
   * By variant, 1 for one that is meant; it says nothing of products that are not found. Each product that is found has
   * one. Null for all variants of what is found.
   */
  readonly variants: Uint8Array | null;
}

/** A product with those of its variants that are found, or with the one that is held. */
export interface Hit {
  document: number;
  variants: readonly number[];
}

export function isFound({ ranks, variants }: Found, hit: Hit): boolean {
  if (ranks.values[hit.document] === NO_MATCH) return false;
  return variants === null || hit.variants.some((variant) => variants[variant] === 1);
}

/** The variants of a product that are meant. */
export function variantsIn({ variants }: Found, starts: VariantStarts, document: number): number[] {
  const meant: number[] = [];
  for (let i = starts[document]!; i < starts[document + 1]!; i++) {
    if (variants === null || variants[i] === 1) meant.push(i);
  }
  return meant;
}

/** The variants that are meant. */
export function allVariantsIn({ ranks, variants }: Found, starts: VariantStarts): Bits {
  const meant = new Bits(starts.at(-1)!);
  for (const document of ranks.matches) {
    for (let i = starts[document]!; i < starts[document + 1]!; i++) {
      if (variants === null || variants[i] === 1) meant.add(i);
    }
  }
  return meant;
}

export function ofProducts(ranks: Ranks): Found {
  return { ranks, variants: null };
}

/** The products that have one of these variants, all with the same rank. */
export function ofVariants(variants: Uint8Array, starts: VariantStarts, rank = 0): Found {
  const ranks = ranked.noMatches(starts.length - 1);
  for (let document = 0; document < starts.length - 1; document++) {
    if (hasAny(variants, starts, document)) ranked.improve(ranks, document, rank);
  }
  return { ranks, variants };
}

/** The variants that are meant, of all products or of those that match in `within`. */
export function ofVariantsWhere(
  isMeant: (variant: number) => boolean,
  starts: VariantStarts,
  within: Ranks | null,
): Found {
  const ranks = ranked.noMatches(starts.length - 1);
  const variants = new Uint8Array(starts.at(-1)!);
  ranked.eachDocument(ranks, within, (document) => {
    for (let i = starts[document]!; i < starts[document + 1]!; i++) {
      if (!isMeant(i)) continue;
      variants[i] = 1;
      ranked.improve(ranks, document, 0);
    }
  });
  return { ranks, variants };
}

/** What both find in the same variant. */
export function both(a: Found, b: Found, starts: VariantStarts): Found {
  const ranks = ranked.both(a.ranks, b.ranks);
  if (a.variants === null || b.variants === null) return { ranks, variants: a.variants ?? b.variants };
  const variants = new Uint8Array(a.variants.length);
  for (const document of ranks.matches) {
    for (let i = starts[document]!; i < starts[document + 1]!; i++)
      variants[i] = a.variants[i]! & b.variants[i]!;
  }
  return restricted(ranks, variants, starts);
}

export function either(a: Found, b: Found, starts: VariantStarts): Found {
  const ranks = ranked.either(a.ranks, b.ranks);
  if (a.variants === null && b.variants === null) return { ranks, variants: null };
  const variants = new Uint8Array(starts.at(-1)!);
  for (const { ranks, variants: of } of [a, b]) {
    for (const document of ranks.matches) {
      for (let i = starts[document]!; i < starts[document + 1]!; i++)
        variants[i]! |= of === null ? 1 : of[i]!;
    }
  }
  return { ranks, variants };
}

/** All other variants, of all products or of those that match in `within`. */
export function negation({ ranks, variants }: Found, starts: VariantStarts, within: Ranks | null): Found {
  if (variants === null) return ofProducts(ranked.negation(ranks, within));
  const isOther = (document: number, variant: number) =>
    ranks.values[document] === NO_MATCH || variants[variant] === 0;
  const others = ranked.noMatches(starts.length - 1);
  const meant = new Uint8Array(variants.length);
  ranked.eachDocument(others, within, (document) => {
    for (let i = starts[document]!; i < starts[document + 1]!; i++) {
      if (!isOther(document, i)) continue;
      meant[i] = 1;
      ranked.improve(others, document, 0);
    }
  });
  return { ranks: others, variants: meant };
}

/** Of the products those that have one of the variants. */
export function restricted(ranks: Ranks, variants: Uint8Array, starts: VariantStarts): Found {
  const kept = ranked.noMatches(ranks.values.length);
  for (const document of ranks.matches) {
    if (hasAny(variants, starts, document)) ranked.improve(kept, document, ranks.values[document]!);
  }
  return { ranks: kept, variants };
}

function hasAny(variants: Uint8Array, starts: VariantStarts, document: number): boolean {
  for (let i = starts[document]!; i < starts[document + 1]!; i++) if (variants[i] === 1) return true;
  return false;
}
