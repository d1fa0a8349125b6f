import type { CardFace, Legality, ProductType } from '../catalogue.ts';
import { cardNumberKey, compoundsOf, fold, wordsOf } from './normalise.ts';
import { FIELD_BREAK } from './token-index.ts';

/** What the search looks at in a variant, but for prices and sales. Values are as the catalogue prints them. */
export interface SearchVariant {
  variantId: string;
  /** e.g. `1st Edition Rainbow Foil`. */
  variantName: string;
  fcId: string;
  edition: string | null;
  finish: string;
  rarity: string | null;
  treatments: readonly string[];
  artists: readonly string[];
}

/** What the search looks at in a product. Values are as the catalogue prints them. */
export interface SearchEntry extends CardFace {
  productId: string;
  name: string;
  number: string | null;
  otherNumbers: readonly string[];
  setCode: string;
  setName: string;
  /** `YYYY-MM-DD`. */
  releaseDate: string | null;
  otherFaces: readonly CardFace[];
  keywords: readonly string[];
  legality: Legality | null;
  description: string;
  sealedProductType: ProductType | null;
  /** In the order of their positions. */
  variants: readonly SearchVariant[];
}

const COLOUR_OF_PITCH = new Map([
  ['1', 'Red'],
  ['2', 'Yellow'],
  ['3', 'Blue'],
]);
const COLOUR_SUFFIX = / \((Red|Yellow|Blue)\)$/;

/** The words of a name, then those that punctuation breaks as one. */
export function nameTokens({ name }: SearchEntry): string[] {
  const compounds = compoundsOf(name);
  return compounds.length === 0 ? wordsOf(name) : [...wordsOf(name), FIELD_BREAK, ...compounds];
}

/** What a card is called in full, folded: as printed, without its colour, and with it. */
export function fullNames({ name, pitchValue }: SearchEntry): string[] {
  const plain = plainName(name);
  const colour = COLOUR_OF_PITCH.get(pitchValue ?? '');
  const names = colour === undefined ? [name, plain] : [name, plain, `${plain} ${colour}`];
  return [...new Set(names.map(fold))];
}

export function plainName(name: string): string {
  return name.replace(COLOUR_SUFFIX, '');
}

/** The names of a card's two sides, folded; none where it has one. */
export function faceNames({ name }: SearchEntry): string[] {
  return name.includes(' // ') ? name.split(' // ').map(fold) : [];
}

/** The main side, then the others. */
export function facesOf(entry: SearchEntry): readonly CardFace[] {
  return entry.otherFaces.length === 0 ? [entry] : [entry, ...entry.otherFaces];
}

function numbersOf({ number, otherNumbers }: SearchEntry): readonly string[] {
  return number === null ? [] : [number, ...otherNumbers];
}

/** The numbers as printed and as `cardNumberKey` gives them: `wtr001`, `wtr1`. */
export function numberTokens(entry: SearchEntry): string[] {
  const tokens = numbersOf(entry).flatMap((number) => {
    const printed = fold(number).replaceAll(' ', '');
    return [printed, cardNumberKey(number) ?? printed];
  });
  return [...new Set(tokens)];
}

/** `1` of `WTR001`. */
export function numberDigits(entry: SearchEntry): string[] {
  const digits = numbersOf(entry).flatMap((number) => /(\d+)$/.exec(cardNumberKey(number) ?? '')?.[1] ?? []);
  return [...new Set(digits)];
}

/** Gives the words that describe a card, field by field. */
export function aboutTokens(): (entry: SearchEntry) => string[] {
  const tokens = new Map<string, string[]>();
  const tokensOf = (field: string) => {
    const known = tokens.get(field);
    if (known !== undefined) return known;
    const found = [...typeName(fold(field)).split(' '), FIELD_BREAK];
    tokens.set(field, found);
    return found;
  };
  return (entry) => aboutFields(entry).flatMap(tokensOf);
}

function aboutFields(entry: SearchEntry): string[] {
  const faces = facesOf(entry);
  const joined = faces.flatMap((face) => [face.class, face.talent, face.cardType, face.cardSubType]);
  const colours = faces.map(({ pitchValue }) => COLOUR_OF_PITCH.get(pitchValue ?? '') ?? '');
  const fields = [entry.setCode, entry.setName, ...colours, ...joined.flatMap(split), ...entry.keywords];
  return faces.length === 1 ? fields : [...new Set(fields)];
}

/** The colour that a card is said to be, folded; none for most that are not played from the hand. */
export function colours(entry: SearchEntry): string[] {
  return facesOf(entry).flatMap(
    ({ pitchValue }) => COLOUR_OF_PITCH.get(pitchValue ?? '')?.toLowerCase() ?? [],
  );
}

function split(joined: string | null): string[] {
  return joined?.split(', ') ?? [];
}

/** The folded values of a joined field. */
export function listed(joined: string | null): string[] {
  return split(joined).map(fold);
}

/** The folded values of a joined field of all sides. */
export function listedOfFaces(entry: SearchEntry, field: 'class' | 'talent'): string[] {
  return facesOf(entry).flatMap((face) => listed(face[field]));
}

/** Folded types and subtypes of all sides; `Non-Attack` is one word, so that it is no attack. */
export function types(entry: SearchEntry): string[] {
  return facesOf(entry).flatMap(({ cardType, cardSubType }) =>
    [...listed(cardType), ...listed(cardSubType)].map(typeName),
  );
}

export function subtypes(entry: SearchEntry): string[] {
  return facesOf(entry).flatMap(({ cardSubType }) => listed(cardSubType).map(typeName));
}

export function typeName(folded: string): string {
  return folded.replace(/\bnon attack\b/, 'nonattack');
}
