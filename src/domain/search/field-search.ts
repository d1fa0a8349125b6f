import { countedInParts, type Parts } from '../../lib/parts.ts';
import { FORMAT_LETTERS, TYPE_WORDS } from './abbreviations.ts';
import { facesOf, listedOfFaces, type SearchEntry, subtypes, typeName, types } from './entries.ts';
import { type Found, type Hit, ofProducts, ofVariantsWhere } from './found.ts';
import { fold, onceFor, wordsOf } from './normalise.ts';
import { PRINTING_FIELDS, type PrintingField, type Printings, printingValue } from './printings.ts';
import type { ComparisonNode, Operator, TextField } from './query.ts';
import { eachDocument, improve, noMatches, type Ranks } from './ranks.ts';
import { TokenIndex } from './token-index.ts';
import { ValueTable } from './value-table.ts';

const PRODUCT_FIELDS = [
  'set',
  'class',
  'type',
  'subtype',
  'talent',
  'keyword',
  'legal',
  'banned',
  'restricted',
] as const;
type ProductField = (typeof PRODUCT_FIELDS)[number];

/** Fields whose values are known, and are taken as a whole or by their beginnings. */
export type ValueField = Exclude<TextField, 'name' | 'number' | 'text'>;

export function isOfValues(field: TextField): field is ValueField {
  return field !== 'name' && field !== 'number' && field !== 'text';
}

/** Of which is told how what matches is spread. */
export const FACET_FIELDS = ['class', 'set', 'rarity', 'finish', 'edition', 'treatment'] as const;
export type FacetField = (typeof FACET_FIELDS)[number];

/** How many of the products that a search found have a value: a class, a set code, a rarity. */
export interface Facet {
  value: string;
  /** For people; a set's name. */
  label: string;
  count: number;
}

/** By the folded value. */
type Labels = Record<FacetField, Map<string, Omit<Facet, 'count'>>>;

/** Of a product, and the same for all markets. */
type PrintedNumber = Exclude<ComparisonNode['field'], 'price' | 'eur' | 'year'>;
const PRINTED_NUMBERS = ['pitch', 'cost', 'power', 'defense', 'life', 'intellect', 'date'] as const;

/** The filters on fields: values, numbers and the cards' texts. */
export class FieldSearch {
  readonly #size: number;
  readonly #printings: Printings;
  /** Whole folded values; of a set, its code and its name. */
  #products!: Record<ProductField, ValueTable>;
  #labels!: Labels;
  #numbers!: Record<PrintedNumber, Float64Array>;
  /** The documents with several sides, and the numbers of the other ones. */
  #otherNumbers!: Record<PrintedNumber, [document: number, number: number][]>;
  #descriptions!: TokenIndex;
  /** The documents that have each description. */
  #described!: number[][];

  private constructor(size: number, printings: Printings) {
    this.#size = size;
    this.#printings = printings;
  }

  static *of(entries: readonly SearchEntry[], printings: Printings): Parts<FieldSearch> {
    const fields = new FieldSearch(entries.length, printings);
    fields.#products = yield* productTables(entries);
    fields.#labels = yield* labelsOf(entries);
    [fields.#numbers, fields.#otherNumbers] = yield* printedNumbers(entries);
    const described = yield* describedBy(entries);
    fields.#descriptions = yield* TokenIndex.of([...described.keys()], wordsOf);
    fields.#described = [...described.values()];
    return fields;
  }

  /**
   * Any of the values, each as a whole; where none is so called, those with a word that begins so; then each word by
   * itself.
   */
  rankValues(field: ValueField, values: readonly (readonly string[])[], within: Ranks | null = null): Found {
    const table = this.#table(field);
    const lists = anyOf(values.map((words) => listsCalled(table, field, words)));
    const ranks = noMatches(this.#size);
    if (lists === null) return ofProducts(ranks);
    if (isPrinting(field)) {
      const meant = (variant: number) => lists[table.listOf[variant]!] === 1;
      return ofVariantsWhere(meant, this.#printings.starts, within);
    }
    eachDocument(ranks, within, (document) => {
      if (lists[table.listOf[document]!] === 1) improve(ranks, document, 0);
    });
    return ofProducts(ranks);
  }

  /** Whether a filter with these words finds anything by itself. */
  isValue(field: ValueField, words: readonly string[]): boolean {
    return listsCalled(this.#table(field), field, words)?.includes(1) ?? false;
  }

  /** Every value that a field has in the catalogue. */
  valuesOf(field: ValueField): readonly string[] {
    return this.#table(field).values;
  }

  /** The values of a product, or of any of these variants of it. */
  valuesOfHit(field: ValueField, { document, variants }: Hit): readonly string[] {
    const table = this.#table(field);
    if (!isPrinting(field)) return table.valuesOf(document);
    return [...new Set(variants.flatMap((variant) => table.valuesOf(variant)))];
  }

  /** The values that a filter finds it by. */
  meantValues(field: ValueField, words: readonly string[], hit: Hit): readonly string[] {
    const values = this.valuesOfHit(field, hit);
    const text = writtenOut(field, words.join(' '));
    if (values.includes(text)) return [text];
    const begun = values.filter((value) => begins(field, value, text));
    const apart = text.split(' ');
    if (begun.length > 0 || apart.length === 1) return begun;
    return [...new Set(apart.flatMap((word) => this.meantValues(field, [word], hit)))];
  }

  /** The words side by side in the card's text; of the last one its beginning will do. */
  rankDescription(words: readonly string[]): Ranks {
    const ranks = noMatches(this.#size);
    this.#descriptions.eachWithPhrase(words, true, (description) => {
      for (const document of this.#described[description]!) improve(ranks, document, 0);
    });
    return ranks;
  }

  /** What has no such number, or a special one such as `X`, matches no comparison. */
  rankNumber(
    field: PrintedNumber | 'year',
    operator: Operator,
    value: string,
    within: Ranks | null = null,
  ): Ranks {
    const ranks = noMatches(this.#size);
    const wanted = scaled(value);
    const holds = COMPARISONS[operator];
    const numbers = this.#numbers[field === 'year' ? 'date' : field];
    const isYear = field === 'year';
    eachDocument(ranks, within, (document) => {
      const number = isYear ? yearOf(numbers[document]!) : numbers[document]!;
      if (!Number.isNaN(number) && holds(number, wanted)) improve(ranks, document, 0);
    });
    if (isYear) return ranks;
    for (const [document, number] of this.#otherNumbers[field]) {
      if (!Number.isNaN(number) && holds(number, wanted)) improve(ranks, document, 0);
    }
    return ranks;
  }

  /** The pitch of the main side, or null. */
  pitchOf(document: number): number | null {
    const pitch = this.#numbers.pitch[document]!;
    return Number.isNaN(pitch) ? null : pitch / scaled('1');
  }

  /** The number of a side that compares so, the main one first; null where none does. */
  meantNumber(
    { field, operator, value }: { field: PrintedNumber | 'year'; operator: Operator; value: string },
    document: number,
  ): number | null {
    const printed = field === 'year' ? 'date' : field;
    const others = this.#otherNumbers[printed].flatMap(([other, number]) =>
      other === document ? number : [],
    );
    const meant = [this.#numbers[printed][document]!, ...others]
      .map((number) => (field === 'year' ? yearOf(number) : number))
      .find((number) => !Number.isNaN(number) && COMPARISONS[operator](number, scaled(value)));
    return meant === undefined ? null : meant / scaled('1');
  }

  /** Most frequent first, then by value. A product counts for each value that a variant which is found has. */
  facet(field: FacetField, { ranks, variants }: Found): Facet[] {
    const table = this.#table(field);
    const counts = isPrinting(field)
      ? table.countsOfGroups(ranks.matches, this.#printings.starts, variants)
      : table.counts(ranks.matches);
    const facets = table.values.flatMap((value, position) => {
      const labelled = this.#labels[field].get(value);
      const count = counts[position]!;
      return labelled === undefined || count === 0 ? [] : [{ ...labelled, count }];
    });
    return facets.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  }

  #table(field: ValueField): ValueTable {
    return isPrinting(field) ? this.#printings.tables[field] : this.#products[field];
  }
}

function listsCalled(table: ValueTable, field: ValueField, words: readonly string[]): Uint8Array | null {
  const text = writtenOut(field, words.join(' '));
  const whole = table.listsWith((value) => value === text);
  if (whole !== null) return whole;
  const begun = table.listsWith((value) => begins(field, value, text));
  const apart = text.split(' ');
  if (begun !== null || apart.length === 1) return begun;
  const each = apart.map((word) => listsCalled(table, field, [word]));
  if (each.includes(null)) return null;
  return each[0]!.map((_, list) => (each.every((lists) => lists![list] === 1) ? 1 : 0));
}

function anyOf(lists: readonly (Uint8Array | null)[]): Uint8Array | null {
  const known = lists.filter((each) => each !== null);
  if (known.length < 2) return known[0] ?? null;
  return known[0]!.map((_, list) => (known.some((each) => each[list] === 1) ? 1 : 0));
}

export const COMPARISONS: Record<Operator, (number: number, wanted: number) => boolean> = {
  '=': (number, wanted) => number === wanted,
  '!=': (number, wanted) => number !== wanted,
  '<': (number, wanted) => number < wanted,
  '<=': (number, wanted) => number <= wanted,
  '>': (number, wanted) => number > wanted,
  '>=': (number, wanted) => number >= wanted,
};

function isPrinting(field: ValueField): field is PrintingField {
  return (PRINTING_FIELDS as readonly string[]).includes(field);
}

/** Whether a word of the value begins so; of a rarity the value itself, since `Super Rare` is not rare. */
function begins(field: ValueField, value: string, text: string): boolean {
  return field === 'rarity' ? value.startsWith(text) : ` ${value}`.includes(` ${text}`);
}

function writtenOut(field: ValueField, text: string): string {
  if (isPrinting(field)) return printingValue(field, text);
  if (field === 'legal' || field === 'banned' || field === 'restricted')
    return FORMAT_LETTERS.get(text) ?? text;
  return field === 'type' || field === 'subtype' ? (TYPE_WORDS.get(text) ?? typeName(text)) : text;
}

function* productTables(entries: readonly SearchEntry[]): Parts<Record<ProductField, ValueTable>> {
  const folded = onceFor(fold);
  const formats = (field: 'legal' | 'banned' | 'restricted') =>
    ValueTable.of(entries, ({ legality }) => legality?.[field].map(folded) ?? []);
  return {
    set: yield* ValueTable.of(entries, ({ setCode, setName }) => [folded(setCode), folded(setName)]),
    class: yield* ValueTable.of(entries, (entry) => listedOfFaces(entry, 'class')),
    type: yield* ValueTable.of(entries, types),
    subtype: yield* ValueTable.of(entries, subtypes),
    talent: yield* ValueTable.of(entries, (entry) => listedOfFaces(entry, 'talent')),
    keyword: yield* ValueTable.of(entries, ({ keywords }) => keywords.map(folded)),
    legal: yield* formats('legal'),
    banned: yield* formats('banned'),
    restricted: yield* formats('restricted'),
  };
}

function* labelsOf(entries: readonly SearchEntry[]): Parts<Labels> {
  const sets = new Map<string, string>();
  const values = {
    class: new Set<string>(),
    rarity: new Set<string>(),
    finish: new Set<string>(),
    treatment: new Set<string>(),
  };
  yield* countedInParts(entries.length, (document) => {
    const entry = entries[document]!;
    sets.set(entry.setCode, entry.setName);
    for (const face of facesOf(entry)) {
      for (const value of face.class?.split(', ') ?? []) values.class.add(value);
    }
    for (const { rarity, finish, treatments } of entry.variants) {
      if (rarity !== null) values.rarity.add(rarity);
      values.finish.add(finish);
      for (const treatment of treatments) values.treatment.add(treatment);
    }
  });
  const named = (names: ReadonlySet<string>) =>
    new Map([...names].map((value) => [fold(value), { value, label: value }]));
  return {
    class: named(values.class),
    set: new Map([...sets].map(([value, label]) => [fold(value), { value, label }])),
    rarity: named(values.rarity),
    finish: named(values.finish),
    edition: new Map([
      ['1st edition', { value: '1st', label: '1st Edition' }],
      ['unlimited edition', { value: 'Unlimited', label: 'Unlimited Edition' }],
    ]),
    treatment: named(values.treatment),
  };
}

/** The entries, by position, that have each description. */
function* describedBy(entries: readonly SearchEntry[]): Parts<Map<string, number[]>> {
  const described = new Map<string, number[]>();
  yield* countedInParts(entries.length, (i) => {
    const { description } = entries[i]!;
    const positions = described.get(description);
    if (positions === undefined) described.set(description, [i]);
    else positions.push(i);
  });
  return described;
}

/** Those of the main sides by document, and those of the others. */
function* printedNumbers(
  entries: readonly SearchEntry[],
): Parts<[Record<PrintedNumber, Float64Array>, Record<PrintedNumber, [number, number][]>]> {
  const main = byNumber(() => new Float64Array(entries.length));
  const others = byNumber((): [number, number][] => []);
  yield* countedInParts(entries.length, (document) => {
    for (const field of PRINTED_NUMBERS) {
      const [first, ...rest] = numbersOf(entries[document]!, field);
      main[field][document] = first!;
      for (const number of rest) others[field].push([document, number]);
    }
  });
  return [main, others];
}

function byNumber<T>(make: () => T): Record<PrintedNumber, T> {
  return Object.fromEntries(PRINTED_NUMBERS.map((field) => [field, make()])) as Record<PrintedNumber, T>;
}

/** Of each side, the main one first. */
function numbersOf(entry: SearchEntry, field: PrintedNumber): number[] {
  if (field === 'date') return [scaled(entry.releaseDate?.replaceAll('-', '') ?? null)];
  return facesOf(entry).map((face) => {
    if (field === 'pitch') return scaled(face.pitchValue);
    return scaled(field === 'defense' ? face.defenseValue : face[field]);
  });
}

/** Of a scaled date such as 20220624. */
function yearOf(date: number): number {
  return Math.floor(date / scaled('10000')) * scaled('1');
}

const DECIMALS = 4;

/**
 * Twice the ten-thousandths, and one more for decimals beyond them: whole numbers that order as the decimals do against
 * every value with at most four decimals, which is all that a query may have. NaN for what is no number.
 */
export function scaled(decimal: string | null): number {
  if (decimal === null) return Number.NaN;
  const match = /^(-?)(\d+)(?:\.(\d*))?$/.exec(decimal);
  if (match === null) return Number.NaN;
  const [, sign, whole, decimals = ''] = match;
  const beyond = /[1-9]/.test(decimals.slice(DECIMALS)) ? 1 : 0;
  const size = 2 * Number(whole + decimals.slice(0, DECIMALS).padEnd(DECIMALS, '0')) + beyond;
  return sign === '-' ? -size : size;
}
