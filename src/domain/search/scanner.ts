import { DomainError } from '../errors.ts';
import type { Field } from './fields.ts';
import { wordsOf } from './normalise.ts';

/** Where the reading of a query stands. */
export interface Scanner {
  source: string;
  at: number;
  fields: readonly Field[];
}

export const QUOTE = /["“”„]/y;
const QUOTE_ANYWHERE = /["“”„]/;

export function sees({ source, at }: Scanner, pattern: RegExp): boolean {
  pattern.lastIndex = at;
  return pattern.test(source);
}

export function take(scanner: Scanner, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = scanner.at;
  const match = pattern.exec(scanner.source);
  if (match !== null) scanner.at = pattern.lastIndex;
  return match;
}

/** The folded words between the quotes that start here. */
export function quoted(scanner: Scanner): string[] {
  const opening = scanner.at;
  const length = scanner.source.slice(opening + 1).search(QUOTE_ANYWHERE);
  if (length < 0) throw invalid(scanner.source, opening, 'a closing quote for this one');
  const words = wordsOf(scanner.source.slice(opening + 1, opening + 1 + length));
  if (words.length === 0) throw invalid(scanner.source, opening + 1, 'a word within the quotes');
  scanner.at = opening + length + 2;
  return words;
}

/** `InvalidQuery` with the 1-based column of a place in the source. */
export function invalid(source: string, at: number, expected: string): DomainError {
  return new DomainError('InvalidQuery', `Column ${columnOf(source, at)}: expected ${expected}.`);
}

function columnOf(source: string, at: number): number {
  return [...source.slice(0, at)].length + 1;
}
