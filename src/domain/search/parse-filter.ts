import { isCalendarDate } from '../dates.ts';
import { didYouMean } from '../did-you-mean.ts';
import { CARD_CONDITIONS, conditionNamed, LANGUAGES, languageNamed } from '../transactions.ts';
import { RARITY_LETTERS, RARITY_ORDER } from './abbreviations.ts';
import { type Field, fieldNamed } from './fields.ts';
import { fold, wordsOf } from './normalise.ts';
import {
  FLAGS,
  HOLDING_FIELDS,
  type HoldingField,
  type NumberField,
  type Operator,
  type Place,
  type QueryNode,
  type RecordedField,
  TEXT_FIELDS,
  type TextField,
} from './query.ts';
import { invalid, QUOTE, quoted, type Scanner, sees, take } from './scanner.ts';

export const NAME_AND_OPERATOR = /(\p{L}[\p{L}\p{N}_]*)(\s*)(:?(?:!=|<=|>=|==|=<|=>|<>|[<>=])|:)/uy;
export const NEGATION = /-(?=[\p{L}\p{N}("“”„!])/uy;
export const EXACT = /!(?=[\p{L}\p{N}"“”„])/uy;

const PITCH_OF_COLOUR = new Map([
  ['red', '1'],
  ['yellow', '2'],
  ['blue', '3'],
]);
const EDITION_WORD = /^(1st|first|alpha|unlimited|unl)\b/;

/** Well above every value that is stored, and exact when scaled to the decimals. */
const NUMBER_DIGITS = 11;
const NUMBER_DECIMALS = 4;

const SPACE = /\s+/y;
const ITEM = /[^\s()"“”„,|]+/uy;
const WHOLE = /[^\s()"“”„|]+/uy;
const COMMA = /,(?=[^\s,|])/y;
const BAR = /\|(?=[^\s,|(])/y;
const WILDCARD = /[\p{L}\p{N}][*~^]|[*~^][\p{L}\p{N}]|[\p{L}\p{N}]\?[\p{L}\p{N}]/u;
const NUMBER = /^-?(\d+(\.\d*)?|\.\d+)$/;
const CURRENCY_SIGN = /^[$€]|[$€]$/g;
const DATE = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/;

/** One value of a filter, and where it stands. */
interface Value extends Place {
  text: string;
}

/** What stands behind `field` and its operator. Throws `InvalidQuery`. */
export function filterBehind(scanner: Scanner, field: Field, operator: Operator, typed: string): QueryNode {
  if (field === 'not') return { kind: 'not', part: filterBehind(scanner, 'is', operator, typed) };
  const isOfWords = ['is', 'e', 'condition', 'language', 'tag', ...TEXT_FIELDS].includes(field);
  if (isOfWords && field !== 'rarity' && field !== 'condition' && operator !== '=' && operator !== '!=') {
    const at = scanner.at - typed.length;
    throw invalid(scanner.source, at, `":" or "!=", since ${field} is no number`);
  }
  take(scanner, SPACE);
  const isComparison = operator !== '=' && operator !== '!=';
  const values = filterValues(scanner, field, isComparison);
  if (isComparison) {
    if (values.length > 1) throw invalid(scanner.source, values[1]!.from, `one value after ${typed}`);
    return oneFilter(scanner, field, operator, values[0]!);
  }
  const anyOf = values.map((value) => oneFilter(scanner, field, '=', value));
  if (operator === '=') return anyOf.length === 1 ? anyOf[0]! : { kind: 'or', parts: anyOf };
  if (!isOfWords && field !== 'date' && field !== 'grade' && values.length === 1)
    return oneFilter(scanner, field, '!=', values[0]!);
  return { kind: 'not', part: anyOf.length === 1 ? anyOf[0]! : { kind: 'or', parts: anyOf } };
}

function filterValues(scanner: Scanner, field: Field, isComparison: boolean): Value[] {
  const values = [filterValue(scanner, field)];
  while (isList(field) && takesAnother(scanner, isComparison)) values.push(filterValue(scanner, field));
  if (isList(field) && scanner.source[scanner.at] === ',')
    throw invalid(scanner.source, scanner.at + 1, 'a value right behind the comma');
  return values;
}

/** A bar before what is no value is "or". */
function takesAnother(scanner: Scanner, isComparison: boolean): boolean {
  const behind = { ...scanner, at: scanner.at + 1 };
  if (take(scanner, COMMA) !== null) {
    if (seesFilter(scanner))
      throw invalid(scanner.source, scanner.at, 'a value; "or" stands between filters');
    return true;
  }
  if (isComparison || seesFilter(behind) || sees(behind, NEGATION) || sees(behind, EXACT)) return false;
  return take(scanner, BAR) !== null;
}

export function seesFilter({ source, at, fields }: Scanner): boolean {
  NAME_AND_OPERATOR.lastIndex = at;
  const name = NAME_AND_OPERATOR.exec(source)?.[1];
  return name !== undefined && fieldNamed(name, fields) !== undefined;
}

/** Throws `InvalidQuery` where the text that starts here has a sign that elsewhere stands for letters. */
export function refuseWildcard({ source }: Scanner, from: number, text: string): void {
  if (!WILDCARD.test(text)) return;
  const hint =
    'letters and digits alone, since the beginning of a word is enough and close spellings are found';
  throw invalid(source, from + text.search(/[*~^?]/), hint);
}

/** Names and texts have commas themselves. */
function isList(field: Field): boolean {
  return field !== 'name' && field !== 'text';
}

function filterValue(scanner: Scanner, field: Field): Value {
  const from = scanner.at;
  if (sees(scanner, QUOTE)) {
    quoted(scanner);
    return { text: scanner.source.slice(from + 1, scanner.at - 1), from, to: scanner.at };
  }
  if (scanner.source[from] === '/') {
    throw invalid(scanner.source, from, `a value for ${field}; regular expressions are not supported`);
  }
  const text = take(scanner, isList(field) ? ITEM : WHOLE)?.[0] ?? '';
  if (fold(text) === '') throw invalid(scanner.source, from, `a value for ${field}`);
  refuseWildcard(scanner, from, text);
  return { text, from, to: scanner.at };
}

function oneFilter(
  scanner: Scanner,
  field: Exclude<Field, 'not'>,
  operator: Operator,
  value: Value,
): QueryNode {
  switch (field) {
    case 'is':
      return flag(scanner, value);
    case 'date':
      return dateFilter(scanner, operator, value);
    case 'rarity':
      return rarityFilter(scanner, operator, value);
    case 'condition':
      return conditionFilter(scanner, operator, value);
    case 'language':
      return languageFilter(scanner, value);
    case 'tag':
      return { kind: 'recorded', field, value: value.text.trim(), from: value.from, to: value.to };
    case 'grade':
      return gradeFilter(scanner, operator, value);
    case 'e':
      return wordsFilter(EDITION_WORD.test(fold(value.text)) ? 'edition' : 'set', value);
    default:
      return isOneOf(TEXT_FIELDS, field)
        ? wordsFilter(field, value)
        : numberFilter(scanner, field, operator, value);
  }
}

function wordsFilter(field: TextField, { text, from, to }: Value): QueryNode {
  // Elsewhere `c` is the colour.
  const pitch = field === 'class' && PITCH_OF_COLOUR.get(fold(text));
  if (pitch) return { kind: 'comparison', field: 'pitch', operator: '=', value: pitch, from, to };
  return { kind: 'field', field, words: wordsOf(text), from, to };
}

function flag(scanner: Scanner, { text, from, to }: Value): QueryNode {
  const flag = fold(text);
  const known = FLAGS.find((name) => name === flag);
  if (known !== undefined) return { kind: 'flag', flag: known, from, to };
  const asksRecorded = scanner.fields.includes('grade');
  if (asksRecorded && flag === 'graded') return { kind: 'recorded', field: 'graded', from, to };
  const flags = asksRecorded ? [...FLAGS, 'graded'] : FLAGS;
  throw invalid(scanner.source, from, `one of ${flags.join(', ')}, and found "${text}"`);
}

/** The better is the greater. */
function conditionFilter(scanner: Scanner, operator: Operator, { text, from, to }: Value): QueryNode {
  const condition = conditionNamed(text.trim());
  if (condition === undefined) {
    const hint = didYouMean(text, ['near mint', ...CARD_CONDITIONS]);
    throw invalid(
      scanner.source,
      from,
      `one of NM, LP, MP, HP, D, or its name in full, and found "${text}"${hint}`,
    );
  }
  const place = -CARD_CONDITIONS.indexOf(condition);
  const values = CARD_CONDITIONS.filter((_, i) =>
    operator === '=' ? -i === place : holds(-i, operator, place),
  );
  return { kind: 'recorded', field: 'condition', values, from, to };
}

function languageFilter(scanner: Scanner, { text, from, to }: Value): QueryNode {
  const language = languageNamed(text.trim());
  if (language !== undefined) return { kind: 'recorded', field: 'language', values: [language], from, to };
  const hint = didYouMean(text, ['English', 'German', 'French', 'Spanish', 'Italian', 'Japanese']);
  throw invalid(
    scanner.source,
    from,
    `one of ${LANGUAGES.join(', ')}, or its English name, and found "${text}"${hint}`,
  );
}

function gradeFilter(scanner: Scanner, operator: Operator, value: Value): QueryNode {
  const { from, to } = value;
  return {
    kind: 'recorded',
    field: 'grade',
    operator,
    value: numberValue(scanner, 'grade', value),
    from,
    to,
  };
}

function rarityFilter(scanner: Scanner, operator: Operator, value: Value): QueryNode {
  if (operator === '=') return wordsFilter('rarity', value);
  const text = fold(value.text);
  const wanted = RARITY_LETTERS.get(text) ?? RARITY_ORDER.find((name) => name.startsWith(text));
  const place = RARITY_ORDER.indexOf(wanted ?? '');
  if (place < 0) {
    const expected = `one of ${RARITY_ORDER.join(', ')} to compare with, the least rare first`;
    throw invalid(scanner.source, value.from, expected);
  }
  const parts = RARITY_ORDER.flatMap((name, other): QueryNode[] =>
    holds(other, operator, place)
      ? [{ ...value, kind: 'field', field: 'rarity', words: name.split(' ') }]
      : [],
  );
  // Nothing is rarer than the rarest.
  if (parts.length === 0)
    return { kind: 'field', field: 'rarity', words: ['none'], from: value.from, to: value.to };
  return { kind: 'or', parts };
}

function holds(a: number, operator: Operator, b: number): boolean {
  if (operator === '<') return a < b;
  if (operator === '<=') return a <= b;
  return operator === '>' ? a > b : a >= b;
}

/** A year or a month stands for all of its days. */
function dateFilter(scanner: Scanner, operator: Operator, { text, from, to }: Value): QueryNode {
  const match = DATE.exec(text.trim());
  const [, year = '', month, day] = match ?? [];
  const first = `${year}-${(month ?? '1').padStart(2, '0')}-${(day ?? '1').padStart(2, '0')}`;
  if (match === null || !isCalendarDate(first)) {
    throw invalid(scanner.source, from, 'a date such as 2022, 2022-06 or 2022-06-24');
  }
  const low = first.replaceAll('-', '');
  const high = year + (month ? low.slice(4, 6) : '12') + (day ? low.slice(6) : '31');
  const compare = (operator: Operator, value: string): QueryNode => ({
    kind: 'comparison',
    field: 'date',
    operator,
    value,
    from,
    to,
  });
  if (operator === '=') return { kind: 'and', parts: [compare('>=', low), compare('<=', high)] };
  return compare(operator, operator === '>' || operator === '<=' ? high : low);
}

function numberFilter(
  scanner: Scanner,
  field: Exclude<Field, TextField | RecordedField | 'is' | 'not' | 'date' | 'e'>,
  operator: Operator,
  value: Value,
): QueryNode {
  const number = numberValue(scanner, field, value);
  const { from, to } = value;
  return isOneOf(HOLDING_FIELDS, field)
    ? { kind: 'holding', field, operator, value: number, from, to }
    : { kind: 'comparison', field, operator, value: number, from, to };
}

function numberValue(
  scanner: Scanner,
  field: NumberField | HoldingField | 'grade',
  { text, from }: Value,
): string {
  const colour = field === 'pitch' ? PITCH_OF_COLOUR.get(fold(text)) : undefined;
  const typed = text.trim();
  const value = colour ?? (field === 'price' || field === 'eur' ? typed.replace(CURRENCY_SIGN, '') : typed);
  const colours = field === 'pitch' ? ', or red, yellow or blue' : '';
  if (!NUMBER.test(value)) throw invalid(scanner.source, from, `a number${colours} for ${field}`);
  const [whole = '', decimals = ''] = value.replace('-', '').split('.');
  if (whole.length > NUMBER_DIGITS || decimals.length > NUMBER_DECIMALS) {
    const expected = `a number of at most ${NUMBER_DIGITS} digits and ${NUMBER_DECIMALS} decimals`;
    throw invalid(scanner.source, from, expected);
  }
  return `${value.startsWith('-') ? '-' : ''}${whole || '0'}${decimals && `.${decimals}`}`;
}

function isOneOf<T extends string>(values: readonly T[], value: string): value is T {
  return (values as readonly string[]).includes(value);
}
