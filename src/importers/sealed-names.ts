import type { Edition, ProductType } from '../domain/catalogue.ts';

/** What the vendor's name of a sealed product says. */
export interface SealedName {
  /** The set's name, as `comparableName` gives it. */
  set: string;
  productType: ProductType;
  /** Null where the name has none. */
  edition: Edition | null;
}

const TYPES: readonly (readonly [suffix: string, productType: ProductType])[] = [
  [' booster box case', 'Case'],
  [' booster case', 'Case'],
  [' booster box', 'Box'],
  [' booster pack', 'Pack'],
];

const EDITION = / (?:\[([^[\]]*)\]|\(([^()]*)\))$/;
const EDITIONS: Record<string, Edition> = {
  '1st': '1st',
  '1st edition': '1st',
  'first edition': '1st',
  unlimited: 'Unlimited',
  'unlimited edition': 'Unlimited',
};

/**
 * Reads a name such as `Monarch Booster Box [1st Edition]`. Null for all that is not exactly a set, one of Booster Pack,
 * Booster Box and Booster (Box) Case, and at most an edition: other products share most of such a name (blitz decks,
 * special boxes, bundles), and none is taken for another.
 */
export function sealedNameOf(name: string): SealedName | null {
  const comparable = comparableName(name);
  const bracket = EDITION.exec(comparable);
  const edition = bracket === null ? null : EDITIONS[(bracket[1] ?? bracket[2])!.trim()];
  if (edition === undefined) return null;
  const plain = bracket === null ? comparable : comparable.slice(0, bracket.index);
  const type = TYPES.find(([suffix]) => plain.endsWith(suffix));
  if (type === undefined) return null;
  return { set: plain.slice(0, -type[0].length), productType: type[1], edition };
}

/** Lower case, without accents, with one space for spaces, dashes and colons. */
export function comparableName(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll(/[\s:–—-]+/g, ' ')
    .trim();
}
