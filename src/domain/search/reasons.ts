import { LIMITS } from '../limits.ts';
import { SEALED_WORDS, TYPE_WORDS } from './abbreviations.ts';
import { isOfValues, type ValueField } from './field-search.ts';
import { type Found, type Hit, isFound } from './found.ts';
import { cardNumberKey } from './normalise.ts';
import {
  type CatalogueLeaf,
  type ComparisonNode,
  type FieldNode,
  type HoldingNode,
  isOfCatalogue,
  type Place,
  type QueryNode,
  type RecordedNode,
  type SearchQuery,
  type Word,
} from './query.ts';
import type { SearchMarket } from './search-market.ts';
import type { SearchTexts } from './search-texts.ts';
import { Speller } from './spelling.ts';

/** What of a query a product or a holding matches, and where. */
export interface Reason {
  /** As it was typed. */
  typed: string;
  /** The field that has it, e.g. `name`. */
  field: string;
  /** What the field says; of words in lower case and without punctuation. */
  value: string;
  /** Which word of the value, from 1; null for the whole. */
  place: number | null;
}

/** What a holding has of a field where that compares as the query says, else null. */
export type Held = (leaf: HoldingNode) => string | null;

/** Where plain words look, in this order. */
const WORD_FIELDS = [
  'set',
  'class',
  'talent',
  'type',
  'keyword',
  'finish',
  'edition',
  'treatment',
  'rarity',
] as const satisfies ValueField[];
const COLOURS = ['', 'red', 'yellow', 'blue'];
const LONGEST_NUMBER = 3;

/** The reasons for what a query finds. */
export class Reasons {
  readonly #query: SearchQuery;
  readonly #texts: SearchTexts;
  readonly #market: SearchMarket;
  readonly #find: (node: QueryNode) => Found;
  /** Each part is looked for once, for all hits. */
  readonly #found = new Map<QueryNode, Found>();

  constructor(
    query: SearchQuery,
    texts: SearchTexts,
    market: SearchMarket,
    find: (node: QueryNode) => Found,
  ) {
    this.#query = query;
    this.#texts = texts;
    this.#market = market;
    this.#find = find;
  }

  /** Of its words, then of its other parts in their order, the first 20; none for what is not asked for, or negated. */
  for(hit: Hit, held: Held): Reason[] {
    const reasons: Reason[] = [];
    for (const reason of this.#of(this.#query.root, hit, held)) {
      reasons.push(reason);
      if (reasons.length === LIMITS.searchMatches) break;
    }
    return reasons;
  }

  *#of(node: QueryNode, hit: Hit, held: Held): Generator<Reason> {
    switch (node.kind) {
      case 'and':
        for (const part of node.parts) if (!isEndOfRange(part, node.parts)) yield* this.#of(part, hit, held);
        return;
      case 'or':
        for (const part of node.parts) if (this.#holds(part, hit, held)) yield* this.#of(part, hit, held);
        return;
      case 'not':
        return;
      case 'holding': {
        const value = held(node);
        if (value !== null) yield this.#told(node, node.field, value);
        return;
      }
      case 'recorded':
        yield* this.#recorded(node);
        return;
      default:
        yield* this.#ofLeaf(node, hit);
    }
  }

  #holds(node: QueryNode, hit: Hit, held: Held): boolean {
    if (isOfCatalogue(node)) return isFound(this.#foundBy(node), hit);
    switch (node.kind) {
      case 'and':
        return node.parts.every((part) => this.#holds(part, hit, held));
      case 'or':
        return node.parts.some((part) => this.#holds(part, hit, held));
      case 'not':
        return !this.#holds(node.part, hit, held);
      default:
        return node.kind === 'holding' && held(node) !== null;
    }
  }

  /** What all that is found has; which of several values that is, only its transactions tell. */
  *#recorded(node: RecordedNode): Generator<Reason> {
    if (node.field === 'graded') yield this.#told(node, 'is', 'graded');
    if (node.field === 'tag') yield this.#told(node, 'tag', node.value);
    if ('values' in node && node.values.length === 1) yield this.#told(node, node.field, node.values[0]!);
  }

  #foundBy(node: QueryNode): Found {
    const known = this.#found.get(node) ?? this.#find(node);
    this.#found.set(node, known);
    return known;
  }

  *#ofLeaf(node: CatalogueLeaf, hit: Hit): Generator<Reason> {
    switch (node.kind) {
      case 'text':
        yield* this.#ofWords(node.words, hit);
        return;
      case 'phrase':
      case 'exactName':
        yield* this.#ofWords(
          node.words.map((text) => ({ text })),
          hit,
        );
        return;
      case 'field':
        yield* this.#ofField(node, hit);
        return;
      case 'comparison': {
        const value = this.#compared(node, hit);
        if (value !== null) yield this.#told(node, node.field, value);
        return;
      }
      case 'flag':
        yield this.#told(node, 'is', node.flag);
    }
  }

  #told(place: Place, field: string, value: string): Reason {
    return { typed: this.#typed(place), field, value, place: null };
  }

  #typed({ from, to }: Place): string {
    return this.#query.source.slice(from, to);
  }

  #compared(node: ComparisonNode, hit: Hit): string | null {
    const { field, operator, value } = node;
    if (field === 'price' || field === 'eur') {
      const price = this.#market.meantPrice({ field, operator, value }, hit);
      return price === null ? null : String(price);
    }
    const number = this.#texts.fields.meantNumber({ field, operator, value }, hit.document);
    if (number === null) return null;
    return field === 'date' ? String(number).replace(/(..)(..)$/, '-$1-$2') : String(number);
  }

  *#ofField({ field, words, from, to }: FieldNode, hit: Hit): Generator<Reason> {
    const { text, fields } = this.#texts;
    const { name, numbers } = text.printed(hit.document);
    const told = (value: string) => this.#told({ from, to }, field, value);
    if (isOfValues(field)) for (const value of fields.meantValues(field, words, hit)) yield told(value);
    else if (field === 'name') yield { ...told(name), place: placeIn(name, words) };
    else if (field === 'text') yield told(words.join(' '));
    else yield told(numberLike(words.join(''), numbers));
  }

  *#ofWords(words: readonly Typed[], hit: Hit): Generator<Reason> {
    const { name, numbers } = this.#texts.text.printed(hit.document);
    const places = this.#placesOf(hit, name);
    const typed = (run: readonly Typed[]) => {
      const [first, last] = [run[0]!, run.at(-1)!];
      return isPlaced(first) && isPlaced(last)
        ? this.#typed({ from: first.from, to: last.to })
        : run.map(({ text }) => text).join(' ');
    };
    for (let from = 0; from < words.length; ) {
      const number = numberAt(words, from, numbers);
      if (number !== null) {
        yield {
          typed: typed(words.slice(from, number.to)),
          field: 'number',
          value: number.value,
          place: null,
        };
        from = number.to;
        continue;
      }
      const next = words[from + 1];
      const word = words[from]!.text;
      const joined = next && !placeOf(places, word) ? placeOf(places, word + next.text) : null;
      const to = joined ? from + 2 : from + 1;
      yield { typed: typed(words.slice(from, to)), ...(joined ?? this.#ofWord(word, places, hit)) };
      from = to;
    }
  }

  #ofWord(word: string, places: readonly FieldValue[], hit: Hit): Omit<Reason, 'typed'> {
    const { text, printings } = this.#texts;
    const exact = placeOf(places, word) ?? placeOf(places, word, (part) => part.startsWith(word));
    if (exact !== null) return exact;
    const unit = printings.meaning(word, hit);
    if (unit !== null) return { ...unit, place: null };
    const { name, numbers } = text.printed(hit.document);
    const code = printings.withCode([word]);
    if (code !== undefined && hit.variants.includes(code))
      return { field: 'number', value: numbers[0]!, place: null };
    const full = TYPE_WORDS.get(word) ?? SEALED_WORDS.get(word);
    const meant = full === undefined ? null : placeOf(places, full.split(' ')[0]!);
    if (meant !== null) return meant;
    const parts = places.flatMap(({ value }) => value.split(' '));
    const [close] = new Speller(parts).closeTo(word).sort((a, b) => a.slips - b.slips);
    const near = close === undefined ? null : placeOf(places, parts[close.position]!);
    return near ?? { field: 'name', value: name, place: null };
  }

  #placesOf(hit: Hit, name: string): FieldValue[] {
    const { fields } = this.#texts;
    return [
      { field: 'name', value: name },
      { field: 'pitch', value: COLOURS[fields.pitchOf(hit.document) ?? 0] ?? '' },
      ...WORD_FIELDS.flatMap((field) => fields.valuesOfHit(field, hit).map((value) => ({ field, value }))),
    ];
  }
}

/** A word that was typed by itself, or stood in quotes with others. */
type Typed = { text: string } & Partial<Place>;

function isPlaced(word: Typed): word is Word {
  return word.from !== undefined;
}

interface FieldValue {
  field: string;
  value: string;
}

/** The first of the values with the word, and where. */
function placeOf(
  places: readonly FieldValue[],
  word: string,
  isMeant = (part: string) => part === word,
): Omit<Reason, 'typed'> | null {
  for (const { field, value } of places) {
    const place = value.split(' ').findIndex(isMeant);
    if (place >= 0) return { field, value, place: place + 1 };
  }
  return null;
}

/** A number that was typed as one word or several, and behind which of them it ends. */
function numberAt(
  words: readonly Typed[],
  from: number,
  numbers: readonly string[],
): { value: string; to: number } | null {
  for (let to = Math.min(from + LONGEST_NUMBER, words.length); to > from; to--) {
    const key = cardNumberKey(
      words
        .slice(from, to)
        .map(({ text }) => text)
        .join(' '),
    );
    const value = key === null ? undefined : numbers.find((number) => cardNumberKey(number) === key);
    if (value !== undefined) return { value, to };
  }
  return null;
}

/** The number that a filter means: as a whole, by its digits, or by its beginning. */
function numberLike(text: string, numbers: readonly string[]): string {
  const key = cardNumberKey(text);
  const digits = /^\d+$/.test(text) ? Number(text) : null;
  return (
    numbers.find((number) => key !== null && cardNumberKey(number) === key) ??
    numbers.find((number) => Number(/\d+$/.exec(number)?.[0]) === digits) ??
    numbers.find((number) => number.startsWith(text)) ??
    ''
  );
}

/** The end of a year or a month, where its beginning is told already. */
function isEndOfRange(part: QueryNode, parts: readonly QueryNode[]): boolean {
  const isDate = (node: QueryNode): node is ComparisonNode =>
    node.kind === 'comparison' && node.field === 'date';
  if (!isDate(part)) return false;
  const first = parts.find((other) => isDate(other) && other.from === part.from);
  return first !== part;
}

function placeIn(value: string, words: readonly string[]): number {
  const parts = value.split(' ');
  const place = parts.findIndex((_, i) => parts.slice(i).join(' ').startsWith(words.join(' ')));
  return Math.max(place, 0) + 1;
}
