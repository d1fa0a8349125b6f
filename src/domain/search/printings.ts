import { firstPlace } from '../../lib/lists.ts';
import { countedInParts, mappedInParts, type Parts } from '../../lib/parts.ts';
import { RARITY_LETTERS } from './abbreviations.ts';
import type { SearchEntry, SearchVariant } from './entries.ts';
import type { Hit, VariantStarts } from './found.ts';
import { fold, onceFor } from './normalise.ts';
import { distance, slipsAllowed } from './spelling.ts';
import { ValueTable } from './value-table.ts';

/** Fields that variants of one product differ in. */
export const PRINTING_FIELDS = ['finish', 'edition', 'treatment', 'rarity', 'artist'] as const;
export type PrintingField = (typeof PRINTING_FIELDS)[number];

/** What any finish but the normal one has too, and is no finish of its own. */
export const FOIL = 'foil';
/** The first edition of a set that calls it so. */
const ALPHA = 'alpha';

const FINISHES = new Map<string, string>([
  ...['cold', 'cf', 'cold foil'].map((word) => [word, 'cold foil'] as const),
  ...['rainbow', 'rf', 'rainbow foil'].map((word) => [word, 'rainbow foil'] as const),
  ...['gold', 'gf', 'gcf', 'gold foil', 'gold cold foil'].map((word) => [word, 'gold foil'] as const),
  ...['foil', 'foils'].map((word) => [word, FOIL] as const),
  ...['normal', 'nonfoil', 'non foil', 'regular', 'nf'].map((word) => [word, 'normal'] as const),
]);
const EDITIONS = new Map<string, string>([
  ...['1st', '1st edition', '1st ed', 'first edition', 'first ed'].map(
    (word) => [word, '1st edition'] as const,
  ),
  ...['alpha', 'alpha edition'].map((word) => [word, ALPHA] as const),
  ...['unlimited', 'unlimited edition', 'unl'].map((word) => [word, 'unlimited edition'] as const),
]);
const TREATMENTS = new Map<string, string>([
  ...['ea', 'extended', 'extended art'].map((word) => [word, 'extended art'] as const),
  ...['fa', 'full art', 'fullart'].map((word) => [word, 'full art'] as const),
  ...['aa', 'alternate art', 'alternative art', 'alt art'].map((word) => [word, 'alternate art'] as const),
  ...['alternate border', 'alt border'].map((word) => [word, 'alternate border'] as const),
  ...['alternate text', 'alt text'].map((word) => [word, 'alternate text'] as const),
]);
const RARITIES = new Map([...new Set(RARITY_LETTERS.values())].map((name) => [name, name]));

/** What the fields take besides the words that stand for their values everywhere. */
const FIELD_WORDS: Record<PrintingField, ReadonlyMap<string, string>> = {
  finish: new Map([
    ...FINISHES,
    ...['yes', 'true', 'any'].map((word) => [word, FOIL] as const),
    ...['no', 'none', 'false'].map((word) => [word, 'normal'] as const),
    ...[
      ['c', 'cold foil'],
      ['r', 'rainbow foil'],
      ['g', 'gold foil'],
    ].map(([letter, value]) => [letter!, value!] as const),
  ]),
  edition: new Map([
    ...EDITIONS,
    ['first', '1st edition'],
    ['f', '1st edition'],
    ['a', ALPHA],
    ['u', 'unlimited edition'],
  ]),
  treatment: new Map([
    ...TREATMENTS,
    ['ab', 'alternate border'],
    ['at', 'alternate text'],
    ['full', 'full art'],
  ]),
  rarity: RARITY_LETTERS,
  artist: new Map(),
};

/** A word or several that mean a value of a variant, as they stand among plain words. */
const UNITS: ReadonlyMap<string, { field: PrintingField; value: string }> = new Map(
  (
    [
      ['finish', FINISHES],
      ['edition', EDITIONS],
      ['treatment', TREATMENTS],
      ['rarity', RARITIES],
    ] as const
  ).flatMap(([field, words]) => [...words].map(([word, value]) => [word, { field, value }] as const)),
);
const LONGEST_UNIT = 3;
const UNIT_WORDS = [...new Set([...UNITS.keys()].flatMap((words) => words.split(' ')))].filter(
  (word) => word.length > 3,
);
const SHORTEST_BEGINNING = 4;

/** Above so many, what stands for a variant stands for nothing else. */
const MOST_UNITS = 3;

interface Unit {
  from: number;
  to: number;
  field: PrintingField;
  value: string;
}

/** Some of the words taken for what a variant is, and the others. */
export interface Reading {
  /** By kind of printing, 1 where it is meant. */
  kinds: Uint8Array;
  rest: string[];
}

/** What a variant is printed as: the fields that variants of one product differ in. */
export class Printings {
  readonly starts: VariantStarts;
  readonly tables: Record<PrintingField, ValueTable>;
  /** The variants by all that plain words ask for at once. */
  readonly #kinds: ValueTable;
  readonly #fcIds: ReadonlyMap<string, number>;

  private constructor(
    starts: VariantStarts,
    tables: Record<PrintingField, ValueTable>,
    kinds: ValueTable,
    fcIds: ReadonlyMap<string, number>,
  ) {
    this.starts = starts;
    this.tables = tables;
    this.#kinds = kinds;
    this.#fcIds = fcIds;
  }

  static *of(entries: readonly SearchEntry[]): Parts<Printings> {
    const { starts, variants, alphaSets, setCodes } = yield* variantsOf(entries);
    const folded = onceFor(fold);
    const values = yield* mappedInParts(variants, (variant, i) =>
      valuesOf(variant, alphaSets.has(setCodes[i]!), folded),
    );
    const tables = {} as Record<PrintingField, ValueTable>;
    for (const field of PRINTING_FIELDS) tables[field] = yield* ValueTable.of(values, (row) => row[field]);
    const kinds = yield* ValueTable.of(values, ({ finish, edition, treatment, rarity }) => [
      ...finish,
      ...edition,
      ...treatment,
      ...rarity,
    ]);
    const fcIds = new Map<string, number>();
    yield* countedInParts(variants.length, (i) => fcIds.set(joinedCode(variants[i]!.fcId), i));
    return new Printings(starts, tables, kinds, fcIds);
  }

  get size(): number {
    return this.starts.at(-1)!;
  }

  /** The document that the variant is of. */
  productOf(variant: number): number {
    return firstPlace(this.starts.length, (document) => this.starts[document]! > variant) - 1;
  }

  /** The variant whose code these words are, whatever stands between its parts. */
  withCode(words: readonly string[]): number | undefined {
    return this.#fcIds.get(words.join(''));
  }

  /** Each way to take some of the words for what a variant is; all of them where that many are no others. */
  readings(words: readonly string[]): Reading[] {
    const units = unitsOf(words);
    if (units.length === 0) return [];
    const choices = units.length > MOST_UNITS ? [units] : someOf(units);
    return choices.flatMap((chosen) => {
      const kinds = this.#kindsWith(chosen.map(({ value }) => value));
      const rest = words.filter((_, i) => !chosen.some(({ from, to }) => i >= from && i < to));
      return kinds === null ? [] : [{ kinds, rest }];
    });
  }

  /** Whether one of the words stands for what a variant is, and for nothing else that is known. */
  hasUnit(words: readonly string[], isKnown: (word: string) => boolean): boolean {
    return unitsOf(words).some(({ from, to }) => !words.slice(from, to).every(isKnown));
  }

  /** The variants of these kinds. */
  variantsOf(kinds: Uint8Array): Uint8Array {
    const { listOf } = this.#kinds;
    const variants = new Uint8Array(this.size);
    for (let i = 0; i < variants.length; i++) variants[i] = kinds[listOf[i]!]!;
    return variants;
  }

  /** The kinds for which these words are a value as a whole, or null. */
  kindsCalled(text: string): Uint8Array | null {
    const unit = UNITS.get(text);
    return unit === undefined ? null : this.#kindsWith([unit.value]);
  }

  /** What the word means in one of the variants, or null. */
  meaning(word: string, { variants }: Hit): { field: PrintingField; value: string } | null {
    const unit = UNITS.get(word);
    if (unit === undefined) return null;
    const table = this.tables[unit.field];
    return variants.some((variant) => table.valuesOf(variant).includes(unit.value)) ? unit : null;
  }

  /** The words for what a variant of the product is. */
  wordsOf(document: number): string[] {
    const words = new Set<string>();
    for (let i = this.starts[document]!; i < this.starts[document + 1]!; i++) {
      for (const value of this.#kinds.valuesOf(i)) for (const word of value.split(' ')) words.add(word);
    }
    return [...words];
  }

  #kindsWith(values: readonly string[]): Uint8Array | null {
    const kinds = Uint8Array.from(this.#kinds.lists, (list) =>
      values.every((value) => list.includes(value)) ? 1 : 0,
    );
    return kinds.includes(1) ? kinds : null;
  }
}

/** The value of a field that a word stands for, or the word. */
export function printingValue(field: PrintingField, text: string): string {
  return FIELD_WORDS[field].get(text) ?? text;
}

/** The words with those of units put right that are misspelt or but begun, and are no words of anything else. */
export function respeltUnits(words: readonly string[], isKnown: (word: string) => boolean): string[] {
  return words.map((word) => (UNITS.has(word) || isKnown(word) ? word : (unitWordLike(word) ?? word)));
}

function unitWordLike(word: string): string | undefined {
  if (word.length < SHORTEST_BEGINNING) return undefined;
  const begun = UNIT_WORDS.find((known) => known.startsWith(word));
  if (begun !== undefined) return begun;
  const most = slipsAllowed(word);
  const close = UNIT_WORDS.map((known) => ({ known, slips: distance(word, known, most) }));
  return close.filter(({ slips }) => slips <= most).sort((a, b) => a.slips - b.slips)[0]?.known;
}

function unitsOf(words: readonly string[]): Unit[] {
  const units: Unit[] = [];
  for (let from = 0; from < words.length; ) {
    const unit = unitAt(words, from);
    if (unit !== null) units.push(unit);
    from = unit?.to ?? from + 1;
  }
  return units;
}

function unitAt(words: readonly string[], from: number): Unit | null {
  for (let length = Math.min(LONGEST_UNIT, words.length - from); length > 0; length--) {
    const unit = UNITS.get(length === 1 ? words[from]! : words.slice(from, from + length).join(' '));
    if (unit !== undefined) return { ...unit, from, to: from + length };
  }
  return null;
}

/** All choices of at least one, the whole first. */
function someOf<T>(items: readonly T[]): T[][] {
  const all = 2 ** items.length - 1;
  return Array.from({ length: all }, (_, i) => items.filter((_, bit) => ((all - i) >> bit) & 1));
}

function joinedCode(fcId: string): string {
  return fold(fcId).replaceAll(' ', '');
}

const ALPHA_CODE = /-Alpha\b/;

/** All variants in a row, with the codes of their sets and those of the sets that call their first edition alpha. */
function* variantsOf(entries: readonly SearchEntry[]) {
  const starts = new Uint32Array(entries.length + 1);
  const all: SearchVariant[] = [];
  const setCodes: string[] = [];
  const alphaSets = new Set<string>();
  yield* countedInParts(entries.length, (document) => {
    const { setCode, variants } = entries[document]!;
    for (const variant of variants) {
      all.push(variant);
      setCodes.push(setCode);
      if (ALPHA_CODE.test(variant.fcId)) alphaSets.add(setCode);
    }
    starts[document + 1] = all.length;
  });
  return { starts, variants: all, setCodes, alphaSets };
}

function valuesOf(
  variant: SearchVariant,
  hasAlpha: boolean,
  folded: (value: string) => string,
): Record<PrintingField, string[]> {
  const finish = folded(variant.finish);
  const edition = editionOf(variant, folded(variant.variantName));
  return {
    finish: finish === 'normal' ? [finish] : [finish, FOIL],
    edition: edition === '1st edition' && hasAlpha ? [edition, ALPHA] : edition === null ? [] : [edition],
    treatment: variant.treatments.map(folded),
    rarity: variant.rarity === null ? [] : [folded(variant.rarity)],
    artist: variant.artists.map(folded),
  };
}

/** A set of one edition has none in the catalogue, but its variants may be named so, as those of Everfest are. */
function editionOf({ edition }: SearchVariant, name: string): string | null {
  if (edition === '1st' || name.startsWith('1st edition')) return '1st edition';
  return edition === 'Unlimited' || name.startsWith('unlimited edition') ? 'unlimited edition' : null;
}
