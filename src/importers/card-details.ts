import type { DetailColumn } from '../domain/transaction-file.ts';
import {
  type CardCondition,
  conditionNamed,
  LANGUAGES,
  type Language,
  languageNamed,
} from '../domain/transactions.ts';
import { firstCharacters } from '../lib/text.ts';

/** What files say of cards, in the words of the programs that write them: the only place that knows those. */

/** In which columns of a file it stands. */
export type DetailNames = Partial<Record<DetailColumn, string>>;

/** Values for the rule of transactions, and what cannot be read. */
export interface ReadDetails {
  given: {
    cardCondition?: CardCondition;
    grade?: { company: string; grade: string; certificate?: string };
    language?: Language;
    notes?: string;
    tags?: string[];
  };
  problems: { column: string; detail: string }[];
}

/** @param cells the text of a column of the file; empty where there is none */
export function readDetails(names: DetailNames, cells: (column: string) => string): ReadDetails {
  const cell = (column: DetailColumn) => (names[column] === undefined ? '' : cells(names[column]));
  const condition = conditionOf(cell('cardCondition'));
  const grade = gradeOf(cell('gradeCompany'), cell('grade'), cell('certificate'));
  const language = languageOf(cell('language'));
  const tags = [...new Set([...tagsOf(cell('tags')), ...(condition?.tags ?? [])])];
  const notes = cell('notes');
  const problem = (column: DetailColumn, what: string, advice: string) => ({
    column: names[column]!,
    detail: `is not a known ${what}: "${firstCharacters(cell(column), 60)}"; write ${advice}`,
  });
  return {
    given: {
      ...(condition?.cardCondition && { cardCondition: condition.cardCondition }),
      ...(grade && { grade }),
      ...(language && { language }),
      ...(notes !== '' && { notes }),
      ...(tags.length > 0 && { tags }),
    },
    problems: [
      ...(condition ? [] : [problem('cardCondition', 'condition', CONDITION_ADVICE)]),
      ...(grade === null ? [problem('grade', 'grade', 'the company and the grade, such as PSA 9.5')] : []),
      ...(language === null ? [problem('language', 'language', LANGUAGES.join(', '))] : []),
    ],
  };
}

const CONDITION_ADVICE = 'Near Mint, Lightly Played, Moderately Played, Heavily Played or Damaged';

/** Of another scale, of which no two say alike what they are in this one: kept as tags, as they are called. */
const OTHER_SCALE = new Map(
  ['Excellent', 'Good', 'Played', 'Poor'].map((word) => [word.toLowerCase(), word]),
);
/** `Near Mint Foil`, `Lightly Played 1st Edition`: the printing stands behind it. */
const WITH_PRINTING = /^(Near Mint|Lightly Played|Moderately Played|Heavily Played|Damaged|Unopened)(?= |$)/i;

/** Nothing for what is empty or sealed; undefined where it is not known. */
function conditionOf(text: string): { cardCondition?: CardCondition; tags?: string[] } | undefined {
  const word = WITH_PRINTING.exec(text)?.[0] ?? text;
  if (/^[\s_-]*(unopened)?$/i.test(word)) return {};
  const cardCondition = conditionNamed(word);
  if (cardCondition) return { cardCondition };
  const tag = OTHER_SCALE.get(word.toLowerCase());
  return tag === undefined ? undefined : { tags: [tag] };
}

/** Undefined for what is empty, null where it is not known. */
function languageOf(text: string): Language | null | undefined {
  return text === '' ? undefined : (languageNamed(text) ?? null);
}

const COMPANY_AND_GRADE = /^([A-Za-z]+) +(\S.*)$/;
const NO_GRADE = /^(ungraded|raw)?$/i;

/** Undefined where there is none, null where it is not known; in one column it has the company before it. */
function gradeOf(company: string, grade: string, certificate: string): ReadDetails['given']['grade'] | null {
  const more = certificate === '' ? {} : { certificate };
  if (company !== '' || (grade === '' && certificate !== '')) return { company, grade, ...more };
  if (NO_GRADE.test(grade)) return undefined;
  const parts = COMPANY_AND_GRADE.exec(grade);
  return parts ? { company: parts[1]!, grade: parts[2]!, ...more } : null;
}

function tagsOf(text: string): string[] {
  return text
    .split(/[,;]/)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}
