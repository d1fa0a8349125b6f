import { RARITY_LETTERS, TYPE_WORDS } from './abbreviations.ts';
import { listed, type SearchEntry, typeName, types } from './entries.ts';
import { fold, wordsOf } from './normalise.ts';
import { NUMBER_FIELDS, type NumberField, type Operator } from './query.ts';
import { both, improve, improveAll, NO_MATCH, noMatches, type Ranks } from './ranks.ts';
import { TokenIndex } from './token-index.ts';

type ValueField = 'set' | 'class' | 'type' | 'talent' | 'rarity';

const FACET_FIELDS = ['class', 'set', 'rarity'] as const;

/** How many of the products that a search found have a value: a class, a set code, a rarity. */
export interface Facet {
  value: string;
  /** For people; a set's name. */
  label: string;
  count: number;
}

export type Facets = Record<(typeof FACET_FIELDS)[number], Facet[]>;

/** The filters on fields: values, numbers and the cards' texts. */
export class FieldSearch {
  readonly #size: number;
  /** Whole folded values as tokens; of a set, its code and its name. */
  readonly #values: Record<ValueField, TokenIndex>;
  readonly #labels: Record<(typeof FACET_FIELDS)[number], Map<string, Omit<Facet, 'count'>>>;
  readonly #numbers: Record<NumberField, Float64Array>;
  readonly #descriptions: TokenIndex;
  /** The documents that have each description. */
  readonly #described: number[][];

  constructor(entries: readonly SearchEntry[]) {
    this.#size = entries.length;
    this.#values = {
      set: new TokenIndex(entries.map(({ setCode, setName }) => [fold(setCode), fold(setName)])),
      class: new TokenIndex(entries.map((entry) => listed(entry.class))),
      type: new TokenIndex(entries.map(types)),
      talent: new TokenIndex(entries.map((entry) => listed(entry.talent))),
      rarity: new TokenIndex(entries.map(({ rarities }) => rarities.map(fold))),
    };
    this.#labels = labelsOf(entries);
    this.#numbers = Object.fromEntries(
      NUMBER_FIELDS.map((field) => [
        field,
        Float64Array.from(entries, (entry) => scaled(numberOf(entry, field))),
      ]),
    ) as Record<NumberField, Float64Array>;
    const described = describedBy(entries);
    this.#descriptions = new TokenIndex([...described.keys()].map(wordsOf));
    this.#described = [...described.values()];
  }

  /** A value as a whole; where none is so called, those with a word that begins so; then each word by itself. */
  rankValue(field: ValueField, words: readonly string[]): Ranks {
    const text = writtenOut(field, words.join(' '));
    const index = this.#values[field];
    const whole = index.documentsWith(text);
    const ranks = noMatches(this.#size);
    improveAll(ranks, whole, 0);
    if (whole.length > 0) return ranks;
    const begun = [...index.tokens.keys()].filter((id) => begins(field, index.tokens[id]!, text));
    for (const token of begun) improveAll(ranks, index.documents(token), 0);
    const apart = text.split(' ');
    if (begun.length > 0 || apart.length === 1) return ranks;
    return apart.map((word) => this.rankValue(field, [word])).reduce(both);
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
  rankNumber(field: NumberField, operator: Operator, value: string): Ranks {
    const ranks = noMatches(this.#size);
    const wanted = scaled(value);
    const holds = COMPARISONS[operator];
    const numbers = this.#numbers[field];
    for (let i = 0; i < numbers.length; i++) {
      const number = numbers[i]!;
      if (!Number.isNaN(number) && holds(number, wanted)) improve(ranks, i, 0);
    }
    return ranks;
  }

  /** Most frequent first, then by value. */
  facets(ranks: Ranks): Facets {
    return Object.fromEntries(FACET_FIELDS.map((field) => [field, this.#facet(field, ranks)])) as Facets;
  }

  #facet(field: (typeof FACET_FIELDS)[number], ranks: Ranks): Facet[] {
    const facets: Facet[] = [];
    for (const [token, label] of this.#labels[field]) {
      let count = 0;
      for (const document of this.#values[field].documentsWith(token)) {
        if (ranks.values[document] !== NO_MATCH) count += 1;
      }
      if (count > 0) facets.push({ ...label, count });
    }
    return facets.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  }
}

const COMPARISONS: Record<Operator, (number: number, wanted: number) => boolean> = {
  '=': (number, wanted) => number === wanted,
  '!=': (number, wanted) => number !== wanted,
  '<': (number, wanted) => number < wanted,
  '<=': (number, wanted) => number <= wanted,
  '>': (number, wanted) => number > wanted,
  '>=': (number, wanted) => number >= wanted,
};

/** Whether a word of the value begins so; of a rarity the value itself, since `Super Rare` is not rare. */
function begins(field: ValueField, value: string, text: string): boolean {
  return field === 'rarity' ? value.startsWith(text) : ` ${value}`.includes(` ${text}`);
}

function writtenOut(field: ValueField, text: string): string {
  if (field === 'rarity') return RARITY_LETTERS.get(text) ?? text;
  return field === 'type' ? (TYPE_WORDS.get(text) ?? typeName(text)) : text;
}

function labelsOf(entries: readonly SearchEntry[]) {
  const named = (values: Iterable<string>) =>
    new Map([...new Set(values)].map((value) => [fold(value), { value, label: value }]));
  return {
    class: named(entries.flatMap((entry) => entry.class?.split(', ') ?? [])),
    set: new Map(
      entries.map((entry) => [fold(entry.setCode), { value: entry.setCode, label: entry.setName }]),
    ),
    rarity: named(entries.flatMap(({ rarities }) => rarities)),
  };
}

/** The entries, by position, that have each description. */
function describedBy(entries: readonly SearchEntry[]): Map<string, number[]> {
  const described = new Map<string, number[]>();
  for (const [i, { description }] of entries.entries()) {
    const positions = described.get(description);
    if (positions === undefined) described.set(description, [i]);
    else positions.push(i);
  }
  return described;
}

function numberOf(entry: SearchEntry, field: NumberField): string | null {
  if (field === 'pitch') return entry.pitchValue;
  return field === 'defense' ? entry.defenseValue : entry[field];
}

const DECIMALS = 4;

/**
 * Twice the ten-thousandths, and one more for decimals beyond them: whole numbers that order as the decimals do against
 * every value with at most four decimals, which is all that a query may have. NaN for what is no number.
 */
function scaled(decimal: string | null): number {
  if (decimal === null) return Number.NaN;
  const match = /^(-?)(\d+)(?:\.(\d*))?$/.exec(decimal);
  if (match === null) return Number.NaN;
  const [, sign, whole, decimals = ''] = match;
  const beyond = /[1-9]/.test(decimals.slice(DECIMALS)) ? 1 : 0;
  const size = 2 * Number(whole + decimals.slice(0, DECIMALS).padEnd(DECIMALS, '0')) + beyond;
  return sign === '-' ? -size : size;
}
