import { DomainError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { fold, wordsOf } from './normalise.ts';
import {
  HOLDING_FIELDS,
  type HoldingField,
  NUMBER_FIELDS,
  type NumberField,
  type Operator,
  type QueryNode,
  type SearchQuery,
  TEXT_FIELDS,
  type TextField,
  type Word,
} from './query.ts';

type Field = TextField | NumberField | HoldingField | 'is';

/** What a search of products may ask for. */
export const PRODUCT_SEARCH_FIELDS: readonly Field[] = [...TEXT_FIELDS, ...NUMBER_FIELDS, 'is'];

/** What a search of a collection's summaries may ask for. */
export const SUMMARY_SEARCH_FIELDS: readonly Field[] = [...PRODUCT_SEARCH_FIELDS, ...HOLDING_FIELDS];

const OTHER_NAMES = new Map<string, Field>([
  ['defence', 'defense'],
  ['color', 'pitch'],
  ['colour', 'pitch'],
]);
const PITCH_OF_COLOUR = new Map([
  ['red', '1'],
  ['yellow', '2'],
  ['blue', '3'],
]);

/** Well above every value that is stored, and exact when scaled to the decimals. */
const NUMBER_DIGITS = 11;
const NUMBER_DECIMALS = 4;

const SPACE = /\s+/y;
/** Double quotes and parentheses end a word; single quotes are apostrophes. */
const RUN = /[^\s()"“”„]+/uy;
const OR = /or(?![^\s()"“”„])/iy;
const QUOTE = /["“”„]/y;
const QUOTE_ANYWHERE = /["“”„]/;
const NEGATION = /-(?=[\p{L}\p{N}("“”„])/uy;
const WORD_START = /[\p{L}\p{N}&]/uy;
const NAME_AND_OPERATOR = /(\p{L}[\p{L}\p{N}_]*)(\s*)(!=|<=|>=|[:<>=])/uy;
const OPERATOR = /[<>=]/y;
const SPACE_OR_END = /[\s)]|$/y;
const NUMBER = /^-?(\d+(\.\d*)?|\.\d+)$/;

/**
 * Reads the search language:
 *
 * ```ebnf
 * query      = disjunction ;
 * disjunction = conjunction , { "or" , conjunction } ;
 * conjunction = term , { term } ;                         (* all of them *)
 * term       = [ "-" ] , ( group | phrase | filter | word ) ;
 * group      = "(" , disjunction , ")" ;
 * phrase     = '"' , text without '"' , '"' ;
 * filter     = field , operator , value ;                 (* spaces around the operator are allowed *)
 * operator   = ":" | "=" | "!=" | "<" | "<=" | ">" | ">=" ;
 * value      = phrase | text without spaces, quotes and parentheses ;
 * word       = text without spaces, quotes and parentheses, that starts with a letter, a digit or "&" ;
 * field      = "name" | "number" | "set" | "class" | "type" | "talent" | "rarity" | "text"
 *            | "pitch" | "cost" | "power" | "defense" | "life" | "intellect" | "price" | "is"
 *            | "quantity" | "value" | "gain" | "invested" | "profit" ;   (* these five: summaries only *)
 * ```
 *
 * Case, accents and other punctuation do not matter, and punctuation that stands alone is skipped, so that card names
 * are plain words: in `Enlightened Strike (Red)` the group adds a word, in `Mugenshi: RELEASE` a space follows the
 * colon and `mugenshi` is no field. A `-` negates only right before a letter, digit, quote or parenthesis; `or` is the
 * operator in any case, and a word within quotes. Words of one conjunction are one text, in whatever group they stand.
 * The fields of words take ":", "=" and "!="; the others need a number (`pitch` also `red`, `yellow`, `blue`), for
 * which ":" is "=". `is` takes `sealed`. A query may be nothing but negation.
 *
 * Throws `InvalidQuery` with the 1-based column (in characters) and what was expected there.
 */
export function parseQuery(source: string, fields: readonly Field[] = PRODUCT_SEARCH_FIELDS): SearchQuery {
  checkCharacters(source);
  const scanner: Scanner = { source, at: 0, fields };
  const root = disjunction(scanner, false);
  if (scanner.at < source.length) throw invalid(source, scanner.at, 'an opening parenthesis before ")"');
  return { source, root };
}

interface Scanner {
  source: string;
  at: number;
  fields: readonly Field[];
}

function checkCharacters(source: string): void {
  if (source.trim() === '') throw invalid(source, 0, 'a word to search for');
  const length = [...source].length;
  if (length > LIMITS.searchQueryCharacters) {
    throw new DomainError(
      'InvalidQuery',
      `Column ${LIMITS.searchQueryCharacters + 1}: expected the end, since a query has at most ${LIMITS.searchQueryCharacters} characters; this one has ${length}.`,
    );
  }
  const forbidden = source.search(/\p{Cs}|(?![\t\n\r])\p{Cc}/u);
  if (forbidden >= 0) {
    throw invalid(source, forbidden, 'text, but found a control character or a lone surrogate');
  }
}

function disjunction(scanner: Scanner, negated: boolean): QueryNode {
  const from = scanner.at;
  const parts = [conjunction(scanner, negated)];
  while (take(scanner, OR) !== null) parts.push(conjunction(scanner, negated));
  if (parts.length === 1) return parts[0]!;
  // Some names have an "or": side by side, the words may also be one of them.
  if (parts.every(({ kind }) => kind === 'text')) {
    parts.push({ kind: 'phrase', words: wordsOf(scanner.source.slice(from, scanner.at)) });
  }
  return { kind: 'or', parts };
}

function conjunction(scanner: Scanner, negated: boolean): QueryNode {
  const parts: QueryNode[] = [];
  for (skipIgnored(scanner); !atEndOfConjunction(scanner); skipIgnored(scanner)) {
    const part = term(scanner, negated);
    if (part !== null) parts.push(part);
  }
  if (parts.length === 0) throw invalid(scanner.source, scanner.at, 'a word, a phrase or a filter');
  return joined(parts, negated);
}

/** All the parts as one node, with the plain words of all of them as one text. */
function joined(parts: QueryNode[], negated: boolean): QueryNode {
  const flat = parts.flatMap((part) => (part.kind === 'and' ? part.parts : [part]));
  const words = flat.flatMap((part) => (part.kind === 'text' ? part.words : []));
  const others = flat.filter(({ kind }) => kind !== 'text');
  const all: QueryNode[] =
    words.length === 0 ? others : [{ kind: 'text', words, wholeWords: negated }, ...others];
  return all.length === 1 ? all[0]! : { kind: 'and', parts: all };
}

function term(scanner: Scanner, negated: boolean): QueryNode | null {
  if (take(scanner, NEGATION) === null) return primary(scanner, negated);
  const part = primary(scanner, true);
  return part && { kind: 'not', part };
}

/** Null for a word of which folding leaves nothing. */
function primary(scanner: Scanner, negated: boolean): QueryNode | null {
  if (scanner.source[scanner.at] === '(') return group(scanner, negated);
  if (sees(scanner, QUOTE)) return { kind: 'phrase', words: phrase(scanner) };
  return filter(scanner) ?? plainWord(scanner, negated);
}

function group(scanner: Scanner, negated: boolean): QueryNode {
  const opening = scanner.at;
  scanner.at += 1;
  const node = disjunction(scanner, negated);
  if (scanner.source[scanner.at] !== ')') {
    throw invalid(scanner.source, opening, 'a closing parenthesis for this one');
  }
  scanner.at += 1;
  return node;
}

function phrase(scanner: Scanner): string[] {
  const opening = scanner.at;
  const length = scanner.source.slice(opening + 1).search(QUOTE_ANYWHERE);
  if (length < 0) throw invalid(scanner.source, opening, 'a closing quote for this one');
  const words = wordsOf(scanner.source.slice(opening + 1, opening + 1 + length));
  if (words.length === 0) throw invalid(scanner.source, opening + 1, 'a word within the quotes');
  scanner.at = opening + length + 2;
  return words;
}

function plainWord(scanner: Scanner, negated: boolean): QueryNode | null {
  const from = scanner.at;
  const words: Word[] = wordsOf(take(scanner, RUN)![0]).map((text) => ({ text, from, to: scanner.at }));
  return words.length === 0 ? null : { kind: 'text', words, wholeWords: negated };
}

/** The filter that starts here, or null where a plain word does. */
function filter(scanner: Scanner): QueryNode | null {
  const from = scanner.at;
  const match = take(scanner, NAME_AND_OPERATOR);
  if (match === null) return null;
  const [, name, spaces, operator] = match as unknown as [string, string, string, string];
  const lowerCase = name.toLowerCase();
  const field = OTHER_NAMES.get(lowerCase) ?? scanner.fields.find((known) => known === lowerCase);
  if (field === undefined) {
    if (spaces === '' && !(operator === ':' && sees(scanner, SPACE_OR_END))) {
      throw unknownField(scanner, from, name);
    }
    scanner.at = from;
    return null;
  }
  return fieldFilter(scanner, field, operator === ':' ? '=' : (operator as Operator));
}

function fieldFilter(scanner: Scanner, field: Field, operator: Operator): QueryNode {
  const isNumber = !['is', ...TEXT_FIELDS].includes(field);
  if (!isNumber && operator !== '=' && operator !== '!=') {
    throw invalid(scanner.source, scanner.at - operator.length, `":" or "!=", since ${field} is no number`);
  }
  take(scanner, SPACE);
  const at = scanner.at;
  const value = filterValue(scanner, field);
  if (isNumber) {
    const number = numberValue(scanner, field, value, at);
    return isOneOf(HOLDING_FIELDS, field)
      ? { kind: 'holding', field, operator, value: number }
      : { kind: 'comparison', field: field as NumberField, operator, value: number };
  }
  const node = textFilter(scanner, field as TextField | 'is', value, at);
  return operator === '=' ? node : { kind: 'not', part: node };
}

function textFilter(scanner: Scanner, field: TextField | 'is', value: string, at: number): QueryNode {
  if (field !== 'is') return { kind: 'field', field, words: wordsOf(value) };
  if (fold(value) !== 'sealed') throw invalid(scanner.source, at, '"sealed" after "is:"');
  return { kind: 'sealed' };
}

function filterValue(scanner: Scanner, field: Field): string {
  if (sees(scanner, QUOTE)) {
    const from = scanner.at;
    phrase(scanner);
    return scanner.source.slice(from + 1, scanner.at - 1);
  }
  const at = scanner.at;
  const value = take(scanner, RUN)?.[0] ?? '';
  if (fold(value) === '') throw invalid(scanner.source, at, `a value for ${field}`);
  return value;
}

function numberValue(scanner: Scanner, field: Field, text: string, at: number): string {
  const value = (field === 'pitch' && PITCH_OF_COLOUR.get(fold(text))) || text.trim();
  const colours = field === 'pitch' ? ', or red, yellow or blue' : '';
  if (!NUMBER.test(value)) throw invalid(scanner.source, at, `a number${colours} for ${field}`);
  const [whole = '', decimals = ''] = value.replace('-', '').split('.');
  if (whole.length > NUMBER_DIGITS || decimals.length > NUMBER_DECIMALS) {
    const expected = `a number of at most ${NUMBER_DIGITS} digits and ${NUMBER_DECIMALS} decimals`;
    throw invalid(scanner.source, at, expected);
  }
  return `${value.startsWith('-') ? '-' : ''}${whole || '0'}${decimals && `.${decimals}`}`;
}

/** Leaves the scanner at the start of a term, at "or", at ")" or at the end. */
function skipIgnored(scanner: Scanner): void {
  while (scanner.at < scanner.source.length) {
    take(scanner, SPACE);
    const next = scanner.source[scanner.at];
    if (next === undefined || next === '(' || next === ')') return;
    if (sees(scanner, QUOTE) || sees(scanner, NEGATION) || sees(scanner, WORD_START)) return;
    if (sees(scanner, OPERATOR)) {
      throw invalid(scanner.source, scanner.at, `a field before "${next}", such as cost`);
    }
    scanner.at += String.fromCodePoint(scanner.source.codePointAt(scanner.at)!).length;
  }
}

function atEndOfConjunction(scanner: Scanner): boolean {
  return scanner.at >= scanner.source.length || scanner.source[scanner.at] === ')' || sees(scanner, OR);
}

function sees({ source, at }: Scanner, pattern: RegExp): boolean {
  pattern.lastIndex = at;
  return pattern.test(source);
}

function take(scanner: Scanner, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = scanner.at;
  const match = pattern.exec(scanner.source);
  if (match !== null) scanner.at = pattern.lastIndex;
  return match;
}

function isOneOf<T extends string>(values: readonly T[], value: string): value is T {
  return (values as readonly string[]).includes(value);
}

function unknownField(scanner: Scanner, at: number, name: string): DomainError {
  const known = scanner.fields.join(', ');
  const hint = isOneOf(HOLDING_FIELDS, name.toLowerCase())
    ? `${name} belongs to the summaries of a collection; here the fields are ${known}`
    : `"${name}" is no field; put it in quotes to search for the text`;
  return new DomainError(
    'InvalidQuery',
    `Column ${columnOf(scanner.source, at)}: expected one of the fields ${known}. ${hint}.`,
  );
}

function invalid(source: string, at: number, expected: string): DomainError {
  return new DomainError('InvalidQuery', `Column ${columnOf(source, at)}: expected ${expected}.`);
}

function columnOf(source: string, at: number): number {
  return [...source.slice(0, at)].length + 1;
}
