import { cardNumberKey, compoundsOf, fold, wordsOf } from './normalise.ts';
import { FIELD_BREAK } from './token-index.ts';

/** What the search looks at in a product. Values are as the catalogue prints them. */
export interface SearchEntry {
  productId: string;
  name: string;
  number: string | null;
  setCode: string;
  setName: string;
  rarities: readonly string[];
  /** Variant names, e.g. `1st Edition Rainbow Foil`. */
  variantNames: readonly string[];
  /** Several are joined by ", ", as in the types and the talent. */
  class: string | null;
  cardType: string | null;
  cardSubType: string | null;
  talent: string | null;
  pitchValue: string | null;
  cost: string | null;
  power: string | null;
  defenseValue: string | null;
  life: string | null;
  intellect: string | null;
  description: string;
  /** The lowest market price in US dollars, in plain decimal notation. */
  price: string | null;
  /** Sales of the last 30 days. */
  sales30: number;
  isSealed: boolean;
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
  const plain = name.replace(COLOUR_SUFFIX, '');
  const colour = COLOUR_OF_PITCH.get(pitchValue ?? '');
  const names = colour === undefined ? [name, plain] : [name, plain, `${plain} ${colour}`];
  return [...new Set(names.map(fold))];
}

/** The names of a card's two sides, folded; none where it has one. */
export function faceNames({ name }: SearchEntry): string[] {
  return name.includes(' // ') ? name.split(' // ').map(fold) : [];
}

/** The number as printed and as `cardNumberKey` gives it: `wtr001`, `wtr1`. */
export function numberTokens({ number }: SearchEntry): string[] {
  if (number === null) return [];
  const printed = fold(number).replaceAll(' ', '');
  return [...new Set([printed, cardNumberKey(number) ?? printed])];
}

/** `1` of `WTR001`. */
export function numberDigits({ number }: SearchEntry): string[] {
  const digits = /(\d+)$/.exec(cardNumberKey(number ?? '') ?? '');
  return digits === null ? [] : [digits[1]!];
}

/** The words that describe each card, field by field. */
export function aboutTokens(entries: readonly SearchEntry[]): string[][] {
  const tokens = new Map<string, string[]>();
  const tokensOf = (field: string) => {
    const known = tokens.get(field);
    if (known !== undefined) return known;
    const found = [...typeName(fold(field)).split(' '), FIELD_BREAK];
    tokens.set(field, found);
    return found;
  };
  return entries.map((entry) => aboutFields(entry).flatMap(tokensOf));
}

function aboutFields(entry: SearchEntry): string[] {
  const joined = [entry.class, entry.talent, entry.cardType, entry.cardSubType];
  return [
    entry.setCode,
    entry.setName,
    COLOUR_OF_PITCH.get(entry.pitchValue ?? '') ?? '',
    ...entry.rarities,
    ...entry.variantNames,
    ...joined.flatMap((values) => values?.split(', ') ?? []),
  ];
}

/** The folded values of a joined field. */
export function listed(joined: string | null): string[] {
  return joined === null ? [] : joined.split(', ').map(fold);
}

/** Folded types and subtypes; `Non-Attack` is one word, so that it is no attack. */
export function types({ cardType, cardSubType }: SearchEntry): string[] {
  return [...listed(cardType), ...listed(cardSubType)].map(typeName);
}

export function typeName(folded: string): string {
  return folded.replace(/\bnon attack\b/, 'nonattack');
}
