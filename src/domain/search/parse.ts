import { DomainError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { type Field, fieldNamed, hintFor, PRODUCT_SEARCH_FIELDS } from './fields.ts';
import { wordsOf } from './normalise.ts';
import {
  EXACT,
  filterBehind,
  NAME_AND_OPERATOR,
  NEGATION,
  refuseWildcard,
  seesFilter,
} from './parse-filter.ts';
import type { Operator, QueryNode, SearchQuery, Word } from './query.ts';
import { invalid, QUOTE, quoted, type Scanner, sees, take } from './scanner.ts';

export { PRODUCT_SEARCH_FIELDS, SUMMARY_SEARCH_FIELDS, TRANSACTION_SEARCH_FIELDS } from './fields.ts';

const SPACE = /\s+/y;
/** Double quotes, parentheses and bars end a word; single quotes are apostrophes. */
const RUN = /[^\s()"“”„|]+/uy;
const OR = /or(?![^\s()"“”„|])|\|\|?/iy;
const AND = /(?:and|&)(?![^\s()"“”„|])/iy;
const AND_SIGN = /&&/y;
const NOT = /not(?=\s*[\p{L}\p{N}("“”„!])(?![^\s()"“”„])/iuy;
const AND_BEFORE = /(?:^|[\s)"”])(?:and|&&?)\s+$/i;
const EXCLAMATION_BEFORE_GROUP = /!\s*(?=\()/y;
const WORD_START = /[\p{L}\p{N}&]/uy;
const OPERATOR = /[<>=]/y;
const REGULAR_EXPRESSION = /\/[^\s/][^/]*\//y;
const LOWER_CASE = /\p{Ll}/u;
const SPACE_OR_END = /[\s)]|$/y;

/** How people write an operator, and what it is. */
const WRITTEN_OTHERWISE: Readonly<Record<string, Operator>> = {
  '': '=',
  '==': '=',
  '=<': '<=',
  '=>': '>=',
  '<>': '!=',
};

/**
 * Reads the search language:
 *
 * ```ebnf
 * query      = disjunction ;
 * disjunction = conjunction , { ( "or" | "|" | "||" ) , conjunction } ;
 * conjunction = term , { [ "and" | "&" | "&&" ] , term } ;  (* all of them *)
 * term       = [ "-" | "not" ] , ( group | phrase | exact | filter | word ) ;
 * group      = "(" , disjunction , ")" ;
 * phrase     = '"' , text without '"' , '"' ;
 * exact      = "!" , ( phrase | word ) ;                  (* the whole name *)
 * filter     = field , operator , value , { ( "," | "|" ) , value } ;    (* any of the values *)
 * operator   = ":" | "=" | "!=" | "<" | "<=" | ">" | ">=" ;              (* spaces around it are allowed *)
 * value      = phrase | text without spaces, quotes, parentheses, bars and commas ;
 * word       = text without spaces, quotes, parentheses and bars, that starts with a letter, a digit or "&" ;
 * ```
 *
 * Case, accents and other punctuation do not matter, and punctuation that stands alone is skipped, so that card names
 * are plain words: in `Enlightened Strike (Red)` the group adds a word, in `Mugenshi: RELEASE` a space follows the
 * colon and `mugenshi` is no field. A `-` negates only right before a letter, digit, quote, "!" or parenthesis. `or` is
 * the operator in any case; `and` (`&`) and `not` are where a filter, phrase or group is beside them, `not` behind `and`,
 * and `NOT` where not all is in capitals: else they are words, as in names. Words of one conjunction are one text, in whatever group they
 * stand. The fields of words take ":", "=" and "!=" (`rarity` and `condition` compare too); the others need a number (`pitch` also
 * `red`, `yellow`, `blue`), for which ":" is "="; an operator may stand behind the colon. A query may be nothing but
 * negation. What other tools take and this one does not, such as `/regex/` and `*`, is refused.
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
    skipAnd(scanner, parts.at(-1));
    const part = term(scanner, negated, parts.at(-1));
    if (part !== null) parts.push(part);
  }
  if (parts.length === 0) throw invalid(scanner.source, scanner.at, 'a word, a phrase or a filter');
  return joined(parts, negated);
}

/** Between two plain words "and" is one of them, as in names. */
function skipAnd(scanner: Scanner, before: QueryNode | undefined): void {
  const at = scanner.at;
  const isSign = take(scanner, AND_SIGN) !== null;
  if (!isSign && (before === undefined || take(scanner, AND) === null)) return;
  skipIgnored(scanner);
  if (!isSign && before?.kind === 'text' && (atEndOfConjunction(scanner) || !seesOperand(scanner))) {
    scanner.at = at;
    return;
  }
  if (before === undefined || atEndOfConjunction(scanner)) {
    throw invalid(scanner.source, scanner.at, 'a word, a phrase or a filter on both sides of "and"');
  }
}

/** Whether what comes is anything but a plain word. */
function seesOperand(scanner: Scanner): boolean {
  if (scanner.source[scanner.at] === '(' || sees(scanner, QUOTE)) return true;
  return (
    sees(scanner, NEGATION) || sees(scanner, EXACT) || seesNot(scanner, undefined) || seesFilter(scanner)
  );
}

/** "NOT" is the operator where not all is in capitals, and in any case beside what is no plain word, or behind "and". */
function seesNot(scanner: Scanner, before: QueryNode | undefined): boolean {
  if (!sees(scanner, NOT)) return false;
  if (before !== undefined && before.kind !== 'text') return true;
  if (AND_BEFORE.test(scanner.source.slice(0, scanner.at))) return true;
  const word = scanner.source.slice(scanner.at, scanner.at + 3);
  if (word === 'NOT' && LOWER_CASE.test(scanner.source)) return true;
  const behind = { ...scanner, at: scanner.at + 3 };
  take(behind, SPACE);
  return seesOperand(behind);
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

function term(scanner: Scanner, negated: boolean, before: QueryNode | undefined): QueryNode | null {
  if (take(scanner, NEGATION) === null) {
    if (!seesNot(scanner, before)) return primary(scanner, negated);
    scanner.at += 3;
    take(scanner, SPACE);
    // A second negation, as in "NOT -x".
    take(scanner, NEGATION);
  }
  const part = primary(scanner, true);
  return part && { kind: 'not', part };
}

/** Null for a word of which folding leaves nothing. */
function primary(scanner: Scanner, negated: boolean): QueryNode | null {
  if (scanner.source[scanner.at] === '(') return group(scanner, negated);
  if (sees(scanner, QUOTE)) return { kind: 'phrase', words: quoted(scanner) };
  if (take(scanner, EXACT) !== null) return exactName(scanner);
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

function exactName(scanner: Scanner): QueryNode {
  if (seesFilter(scanner)) {
    throw noName(scanner, 'filter');
  }
  const words = sees(scanner, QUOTE) ? quoted(scanner) : wordsOf(take(scanner, RUN)![0]);
  return { kind: 'exactName', words };
}

function noName({ source, at }: Scanner, what: 'filter' | 'group'): DomainError {
  return invalid(source, at, `a name after "!"; "-" stands before a ${what} to negate it`);
}

function plainWord(scanner: Scanner, negated: boolean): QueryNode | null {
  const from = scanner.at;
  const run = take(scanner, RUN)![0];
  refuseWildcard(scanner, from, run);
  const words: Word[] = wordsOf(run).map((text) => ({ text, from, to: scanner.at }));
  return words.length === 0 ? null : { kind: 'text', words, wholeWords: negated };
}

/** The filter that starts here, or null where a plain word does. */
function filter(scanner: Scanner): QueryNode | null {
  const from = scanner.at;
  const match = take(scanner, NAME_AND_OPERATOR);
  if (match === null) return null;
  const [, name, spaces, typed] = match as unknown as [string, string, string, string];
  const field = fieldNamed(name, scanner.fields);
  if (field === undefined) {
    if (spaces === '' && !(typed === ':' && sees(scanner, SPACE_OR_END))) {
      throw unknownField(scanner, from, name);
    }
    scanner.at = from;
    return null;
  }
  const operator = typed.replace(':', '');
  return filterBehind(scanner, field, WRITTEN_OTHERWISE[operator] ?? (operator as Operator), typed);
}

/** Leaves the scanner at the start of a term, at "or", at ")" or at the end. */
function skipIgnored(scanner: Scanner): void {
  while (scanner.at < scanner.source.length) {
    take(scanner, SPACE);
    const next = scanner.source[scanner.at];
    if (next === undefined || next === '(' || next === ')' || next === '|') return;
    if (sees(scanner, QUOTE) || sees(scanner, NEGATION) || sees(scanner, EXACT)) return;
    if (sees(scanner, WORD_START)) return;
    if (sees(scanner, OPERATOR)) {
      throw invalid(scanner.source, scanner.at, `a field before "${next}", such as cost`);
    }
    if (sees(scanner, REGULAR_EXPRESSION)) {
      const hint = 'words, since regular expressions are not supported; a phrase stands in quotes';
      throw invalid(scanner.source, scanner.at, hint);
    }
    if (take(scanner, EXCLAMATION_BEFORE_GROUP) !== null) throw noName(scanner, 'group');
    refuseWildcard(scanner, scanner.at, take({ ...scanner }, RUN)![0]);
    scanner.at += String.fromCodePoint(scanner.source.codePointAt(scanner.at)!).length;
  }
}

function atEndOfConjunction(scanner: Scanner): boolean {
  return scanner.at >= scanner.source.length || scanner.source[scanner.at] === ')' || sees(scanner, OR);
}

function unknownField(scanner: Scanner, at: number, name: string): DomainError {
  const known = scanner.fields.join(', ');
  const { message } = invalid(scanner.source, at, `one of the fields ${known}`);
  return new DomainError('InvalidQuery', `${message} ${hintFor(name, scanner.fields)}.`);
}
