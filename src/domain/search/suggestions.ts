import { plainName } from './entries.ts';
import type { ValueField } from './field-search.ts';
import { OTHER_NAMES, PRODUCT_SEARCH_FIELDS } from './fields.ts';
import { fold, wordsOf } from './normalise.ts';
import { FLAGS, TEXT_FIELDS } from './query.ts';
import { type DocumentOrder, positionsOf } from './ranks.ts';
import type { SearchTexts } from './search-texts.ts';

export const SUGGESTION_KINDS = ['Name', 'Field', 'Value'] as const;

/** What a text may become. */
export interface Suggestion {
  /** The whole text, with its end completed. */
  text: string;
  kind: (typeof SUGGESTION_KINDS)[number];
  /** What it is completed by. */
  completion: string;
}

/** The last part of a text: what has no space, or a value in quotes that are not closed. */
const LAST = /(?:^|[\s(])(-?)(?:(\p{L}+)([:=]|!=)"?([^"]*)|(\p{L}*))$/u;
const SPACE = /\s/;
const MOST_WORDS = 6;

/** Completions of names, fields and values. */
export class Suggestions {
  readonly #texts: SearchTexts;
  readonly #order: DocumentOrder;

  constructor(texts: SearchTexts, order: DocumentOrder) {
    this.#texts = texts;
    this.#order = order;
  }

  for(text: string, most: number): Suggestion[] {
    const [, , name, operator, value, word] = LAST.exec(text) ?? [];
    if (operator !== undefined) return this.#values(text, name!, value!).slice(0, most);
    const names = this.#names(text, most);
    const fields = word ? fieldsFrom(text, word) : [];
    return [...names.slice(0, Math.max(most - fields.length, 1)), ...fields].slice(0, most);
  }

  #values(text: string, name: string, typed: string): Suggestion[] {
    const field = OTHER_NAMES.get(name.toLowerCase()) ?? name.toLowerCase();
    const value = fold(typed.split(/[,|]/).at(-1)!);
    const last = typed.split(/[,|]/).at(-1)!;
    const head = text.slice(0, text.length - last.length).replace(/"$/, '');
    const known = this.#valuesOf(field);
    const begun = known.filter((candidate) => candidate.startsWith(value));
    const within = known.filter(
      (candidate) => !candidate.startsWith(value) && candidate.includes(` ${value}`),
    );
    return [...begun, ...within].map((completion) => ({
      text: head + (SPACE.test(completion) ? `"${completion}"` : completion),
      kind: 'Value',
      completion,
    }));
  }

  #valuesOf(field: string): readonly string[] {
    if (field === 'is' || field === 'not') return FLAGS;
    if (field === 'pitch') return ['red', 'yellow', 'blue'];
    if (field === 'name' || field === 'text' || field === 'number') return [];
    const isKnown = (TEXT_FIELDS as readonly string[]).includes(field);
    return isKnown ? this.#texts.fields.valuesOf(field as ValueField) : [];
  }

  /** Of names that begin with as many of the last words as any does. */
  #names(text: string, most: number): Suggestion[] {
    const starts = [...text.matchAll(/\S+/g)].slice(-MOST_WORDS);
    for (const { index } of starts) {
      const words = wordsOf(text.slice(index));
      if (words.length === 0) continue;
      const head = text.slice(0, index);
      const found = this.#namesLike(words, most);
      if (found.length > 0) {
        return found.map((completion) => ({ text: head + completion, kind: 'Name', completion }));
      }
    }
    return [];
  }

  #namesLike(words: readonly string[], most: number): string[] {
    const { beginning, within } = this.#texts.text.namedLike(words);
    const names = new Set<string>();
    for (const documents of [beginning, within]) {
      for (const document of this.#bestOf(documents, most * 8)) {
        const name = this.#texts.entries.names[document]!;
        const plain = plainName(name);
        names.add(fold(plain).includes(words.join(' ')) ? plain : name);
        if (names.size === most) return [...names];
      }
    }
    return [...names];
  }

  /** The most popular first. */
  #bestOf(documents: Uint32Array | readonly number[], most: number): number[] {
    const positions = positionsOf(documents, this.#order).sort();
    return Array.from(positions.subarray(0, most), (position) => this.#order.documents[position]!);
  }
}

function fieldsFrom(text: string, word: string): Suggestion[] {
  const lowerCase = word.toLowerCase();
  return PRODUCT_SEARCH_FIELDS.filter((field) => field.startsWith(lowerCase)).map((field) => ({
    text: `${text.slice(0, text.length - word.length)}${field}:`,
    kind: 'Field',
    completion: field,
  }));
}
