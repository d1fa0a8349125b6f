import type { ValueField } from './field-search.ts';
import type { FieldNode, QueryNode, SearchQuery } from './query.ts';
import { NO_MATCH, type Ranks } from './ranks.ts';
import type { SearchTexts } from './search-index.ts';
import { Speller } from './spelling.ts';

/** What of a query a product matches, and where. */
export interface Reason {
  /** As it was typed. */
  typed: string;
  /** The field that has it, e.g. `name`. */
  field: string;
  /** What the field says, in lower case and without punctuation. */
  value: string;
  /** Which word of the value, from 1; null for the whole. */
  place: number | null;
}

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

/** The reasons for a product that is found, in the order of the query; none for what is not asked for, or negated. */
export function reasonsFor(
  query: SearchQuery,
  document: number,
  texts: SearchTexts,
  ranksOf: (node: QueryNode) => Ranks,
): Reason[] {
  const reasons = (node: QueryNode): Reason[] => {
    switch (node.kind) {
      case 'and':
        return node.parts.flatMap(reasons);
      case 'or':
        return node.parts.filter((part) => ranksOf(part).values[document] !== NO_MATCH).flatMap(reasons);
      case 'text':
        return wordReasons(
          node.words.map(({ text, from, to }) => [text, query.source.slice(from, to)]),
          document,
          texts,
        );
      case 'phrase':
      case 'exactName':
        return wordReasons(
          node.words.map((word) => [word, word]),
          document,
          texts,
        );
      case 'field':
        return fieldReasons(node, query.source.slice(node.from, node.to), document, texts);
      case 'comparison': {
        if (node.field === 'price' || node.field === 'eur') {
          return [{ typed: node.value, field: node.field, value: node.value, place: null }];
        }
        const value = texts.fields.numberOfDocument(node.field, document) ?? node.value;
        return [{ typed: node.value, field: node.field, value, place: null }];
      }
      case 'flag':
        return [{ typed: node.flag, field: 'is', value: node.flag, place: null }];
      default:
        return [];
    }
  };
  return reasons(query.root);
}

function wordReasons(words: [word: string, typed: string][], document: number, texts: SearchTexts): Reason[] {
  return words.flatMap(([word, typed]) => wordReason(word, typed, document, texts) ?? []);
}

function wordReason(word: string, typed: string, document: number, texts: SearchTexts): Reason | null {
  const { text, printings } = texts;
  const { name, numbers } = text.printed(document);
  const places = placesOf(document, texts);
  const as = (matches: (part: string) => boolean): Reason | null => {
    for (const { field, value } of places) {
      const place = value.split(' ').findIndex(matches);
      if (place >= 0) return { typed, field, value, place: place + 1 };
    }
    return null;
  };
  const number = numbers.find((printed) => printed === word);
  if (number !== undefined) return { typed, field: 'number', value: number, place: null };
  const exact = as((part) => part === word) ?? as((part) => part.startsWith(word));
  if (exact !== null) return exact;
  const unit = printings.meaning(word, document);
  if (unit !== null) return { typed, ...unit, place: null };
  const parts = places.flatMap(({ value }) => value.split(' '));
  const [close] = new Speller(parts).closeTo(word).sort((a, b) => a.slips - b.slips);
  const near = close === undefined ? null : as((part) => part === parts[close.position]);
  return near ?? { typed, field: 'name', value: name, place: null };
}

function placesOf(document: number, { text, fields }: SearchTexts): { field: string; value: string }[] {
  const colour = COLOURS[Number(fields.numberOfDocument('pitch', document) ?? 0)] ?? '';
  return [
    { field: 'name', value: text.printed(document).name },
    { field: 'pitch', value: colour },
    ...WORD_FIELDS.flatMap((field) =>
      fields.valuesOfDocument(field, document).map((value) => ({ field, value })),
    ),
  ];
}

function fieldReasons(
  { field, words }: FieldNode,
  typed: string,
  document: number,
  texts: SearchTexts,
): Reason[] {
  const { text, fields } = texts;
  const { name, numbers } = text.printed(document);
  if (field === 'name') return [{ typed, field, value: name, place: placeIn(name, words) }];
  if (field === 'number') return numbers.slice(0, 1).map((value) => ({ typed, field, value, place: null }));
  if (field === 'text') return [{ typed, field, value: words.join(' '), place: null }];
  return fields.meantValues(field, words, document).map((value) => ({ typed, field, value, place: null }));
}

function placeIn(value: string, words: readonly string[]): number {
  const parts = value.split(' ');
  const place = parts.findIndex((_, i) => parts.slice(i).join(' ').startsWith(words.join(' ')));
  return Math.max(place, 0) + 1;
}
