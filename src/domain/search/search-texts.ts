import { countedInParts, mappedInParts, type Parts, sortedInParts } from '../../lib/parts.ts';
import { naturalKey } from '../natural-order.ts';
import { facesOf, type SearchEntry } from './entries.ts';
import { FieldSearch } from './field-search.ts';
import { type Found, ofProducts, ofVariants } from './found.ts';
import { byText, fold } from './normalise.ts';
import { FOIL, type PrintingField, Printings } from './printings.ts';
import type { Flag } from './query.ts';
import { NO_MATCH, ranksOf } from './ranks.ts';
import { TextSearch } from './text-search.ts';

/** What the catalogue alone says: to be made again when it changes, and not when prices or sales do. */
export interface SearchTexts {
  /** Documents are numbered by name, then id: the order that decides among equals. Variants follow each other so too. */
  entries: SearchKeys;
  documentOf: ReadonlyMap<string, number>;
  /** The positions of variants. */
  variantOf: ReadonlyMap<string, number>;
  printings: Printings;
  text: TextSearch;
  fields: FieldSearch;
  flags: Record<Flag, Found>;
  /** All products. */
  everything: Found;
}

/** By document, but for the ids of variants. */
interface SearchKeys {
  productIds: readonly string[];
  variantIds: readonly string[];
  names: readonly string[];
  foldedNames: readonly string[];
  /** In the order of card numbers. */
  numberKeys: readonly string[];
  releaseDates: readonly (string | null)[];
}

/** Takes some hundred milliseconds for the whole catalogue, in parts. */
export function* searchTexts(entries: readonly SearchEntry[]): Parts<SearchTexts> {
  const ordered = yield* inOrder(entries);
  const printings = yield* Printings.of(ordered);
  const [productIds, variantIds]: [string[], string[]] = [[], []];
  const documentOf = new Map<string, number>();
  const variantOf = new Map<string, number>();
  yield* countedInParts(ordered.length, (document) => {
    const { productId, variants } = ordered[document]!;
    productIds.push(productId);
    documentOf.set(productId, document);
    for (const { variantId } of variants) variantOf.set(variantId, variantIds.push(variantId) - 1);
  });
  return {
    entries: {
      productIds,
      variantIds,
      names: yield* mappedInParts(ordered, ({ name }) => name),
      foldedNames: yield* mappedInParts(ordered, ({ name }) => fold(name)),
      numberKeys: yield* mappedInParts(ordered, ({ number }) => naturalKey(number)),
      releaseDates: yield* mappedInParts(ordered, ({ releaseDate }) => releaseDate),
    },
    documentOf,
    variantOf,
    printings,
    text: yield* TextSearch.of(ordered, printings),
    fields: yield* FieldSearch.of(ordered, printings),
    flags: yield* flagsOf(ordered, printings),
    everything: ofProducts(ranksOf(new Uint8Array(productIds.length))),
  };
}

/** By name and id. */
function* inOrder(entries: readonly SearchEntry[]): Parts<SearchEntry[]> {
  const named = yield* mappedInParts(entries, (entry) => ({ entry, name: fold(entry.name) }));
  const sorted = yield* sortedInParts(
    named,
    (a, b) => byText(a.name, b.name) || byText(a.entry.productId, b.entry.productId),
  );
  return yield* mappedInParts(sorted, ({ entry }) => entry);
}

function* flagsOf(entries: readonly SearchEntry[], printings: Printings): Parts<Record<Flag, Found>> {
  const products = function* (holds: (entry: SearchEntry) => boolean): Parts<Found> {
    const ranks = yield* mappedInParts(entries, (entry) => (holds(entry) ? 0 : NO_MATCH));
    return ofProducts(ranksOf(Uint8Array.from(ranks)));
  };
  const first = yield* firstReleases(entries);
  return {
    sealed: yield* products(({ sealedProductType }) => sealedProductType !== null),
    foil: yield* variantsWith('finish', FOIL, printings),
    promo: yield* variantsWith('rarity', 'promo', printings),
    reprint: yield* products(
      ({ name, releaseDate }) => releaseDate !== null && releaseDate > first.get(name)!,
    ),
    token: yield* products((entry) =>
      facesOf(entry).some(({ cardType }) => cardType?.split(', ').includes('Token')),
    ),
  };
}

function* variantsWith(
  field: PrintingField,
  value: string,
  { tables, starts, size }: Printings,
): Parts<Found> {
  const table = tables[field];
  const variants = new Uint8Array(size);
  yield* countedInParts(size, (variant) => {
    variants[variant] = table.valuesOf(variant).includes(value) ? 1 : 0;
  });
  return ofVariants(variants, starts);
}

/** The first day on which each card was released, by its name; undated sets do not count. */
function* firstReleases(entries: readonly SearchEntry[]): Parts<Map<string, string>> {
  const first = new Map<string, string>();
  yield* countedInParts(entries.length, (document) => {
    const { name, releaseDate } = entries[document]!;
    if (releaseDate !== null && releaseDate < (first.get(name) ?? '9999')) first.set(name, releaseDate);
  });
  return first;
}
