import { closest } from '../did-you-mean.ts';
import {
  DATE_FIELD,
  HOLDING_FIELDS,
  type HoldingField,
  NUMBER_FIELDS,
  type NumberField,
  RECORDED_FIELDS,
  type RecordedField,
  TEXT_FIELDS,
  type TextField,
} from './query.ts';

/** `is` and `not` take a flag; `e` an edition or a set. */
export type Field = TextField | NumberField | HoldingField | RecordedField | 'date' | 'is' | 'not' | 'e';

/** What a search of products may ask for. */
export const PRODUCT_SEARCH_FIELDS: readonly Field[] = [
  ...TEXT_FIELDS,
  ...NUMBER_FIELDS,
  DATE_FIELD,
  'is',
  'not',
];

/** What a search of transactions may ask for. */
export const TRANSACTION_SEARCH_FIELDS: readonly Field[] = [...PRODUCT_SEARCH_FIELDS, ...RECORDED_FIELDS];

/** What a search of a collection's summaries may ask for. */
export const SUMMARY_SEARCH_FIELDS: readonly Field[] = [...TRANSACTION_SEARCH_FIELDS, ...HOLDING_FIELDS];

/** Short names, and those of other tools. */
export const OTHER_NAMES: ReadonlyMap<string, Field> = new Map([
  ['n', 'name'],
  ['cn', 'number'],
  ['print', 'number'],
  ['s', 'set'],
  ['e', 'e'],
  ['c', 'class'],
  ['t', 'type'],
  ['st', 'subtype'],
  ['tal', 'talent'],
  ['r', 'rarity'],
  ['k', 'keyword'],
  ['kw', 'keyword'],
  ['o', 'text'],
  ['oracle', 'text'],
  ['a', 'artist'],
  ['foil', 'finish'],
  ['foiling', 'finish'],
  ['f', 'legal'],
  ['l', 'legal'],
  ['format', 'legal'],
  ['p', 'pitch'],
  ['color', 'pitch'],
  ['colour', 'pitch'],
  ['co', 'cost'],
  ['pow', 'power'],
  ['pwr', 'power'],
  ['attack', 'power'],
  ['d', 'defense'],
  ['def', 'defense'],
  ['b', 'defense'],
  ['defence', 'defense'],
  ['block', 'defense'],
  ['i', 'intellect'],
  ['int', 'intellect'],
  ['li', 'life'],
  ['health', 'life'],
  ['usd', 'price'],
  ['lang', 'language'],
  ['tags', 'tag'],
]);

/** What other tools have, and what comes nearest here. */
const NEAREST = new Map<string, string>([
  ...['cmc', 'mv', 'manavalue', 'mana', 'm'].map((name) => [name, 'cost'] as const),
  ...['tou', 'toughness'].map((name) => [name, 'defense'] as const),
  ...['id', 'identity', 'ci'].map((name) => [name, 'class or talent'] as const),
  ...['fulltext', 'fo', 'rules'].map((name) => [name, 'text'] as const),
  ['loyalty', 'life'],
  ['frame', 'treatment'],
  ['border', 'treatment'],
  // No other name for it: some cards are called "… Art: …".
  ['art', 'artist or treatment'],
  ['printing', 'finish or edition'],
  ['tix', 'price'],
  ['graded', 'is:graded or grade'],
]);

/** What other tools take within a query, and a request says beside it. */
const ORDERING = new Set(['order', 'sort', 'direction', 'dir', 'unique', 'display', 'prefer', 'include']);

/** The field that is called so, in whatever case. */
export function fieldNamed(name: string, fields: readonly Field[]): Field | undefined {
  const lowerCase = name.toLowerCase();
  const meant = OTHER_NAMES.get(lowerCase) ?? lowerCase;
  return meant === 'e' ? meant : fields.find((known) => known === meant);
}

/** What to do about a name that is no field, as the end of a message: without a full stop. */
export function hintFor(name: string, fields: readonly Field[]): string {
  const lowerCase = name.toLowerCase();
  if ((HOLDING_FIELDS as readonly string[]).includes(lowerCase)) {
    return `${name} belongs to the summaries of a collection; here the fields are ${fields.join(', ')}`;
  }
  const recorded: readonly string[] = RECORDED_FIELDS;
  if (!fields.includes('grade') && recorded.includes(OTHER_NAMES.get(lowerCase) ?? lowerCase)) {
    return `${name} is recorded of transactions; their search has it, and that of the summaries of a collection`;
  }
  if (ORDERING.has(lowerCase)) return `Results come by relevance, and a query has no "${name}"`;
  const quote = `"${name}" is no field; put it in quotes to search for the text`;
  const near = nearest(lowerCase, fields);
  return near.length === 0
    ? quote
    : `The nearest ${near.length > 1 ? 'are' : 'is'} ${near.join(', ')}. ${quote}`;
}

const MOST_NEAREST = 3;

function nearest(name: string, fields: readonly Field[]): string[] {
  const known = NEAREST.get(name);
  if (known !== undefined && (name !== 'graded' || fields.includes('grade'))) return [known];
  const begun: string[] = fields.filter(
    (field) => field.startsWith(name) || (field.length > 3 && name.startsWith(field)),
  );
  const otherNames = [...OTHER_NAMES.keys()].filter((other) => fieldNamed(other, fields) !== undefined);
  const others = [...fields, ...otherNames].filter((field) => field.length > 2 && !begun.includes(field));
  const close = closest(name, others);
  return [...begun, ...(close === undefined ? [] : [close])].slice(0, MOST_NEAREST);
}
