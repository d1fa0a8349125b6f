import type { CardCondition, Language } from '../transactions.ts';

/** The syntax tree of the search language; `parse.ts` has the grammar. */

export const TEXT_FIELDS = [
  'name',
  'number',
  'set',
  'class',
  'type',
  'subtype',
  'talent',
  'rarity',
  'keyword',
  'text',
  'artist',
  'finish',
  'edition',
  'treatment',
  'legal',
  'banned',
  'restricted',
] as const;
export type TextField = (typeof TEXT_FIELDS)[number];

/** Fields that compare as numbers; `price` and `eur` are a variant's market price, in US dollars and in euros. */
export const NUMBER_FIELDS = [
  'pitch',
  'cost',
  'power',
  'defense',
  'life',
  'intellect',
  'price',
  'eur',
  'year',
] as const;
export type NumberField = (typeof NUMBER_FIELDS)[number];

/** The day of release; in the tree a number such as 20220624. */
export const DATE_FIELD = 'date';

export const FLAGS = ['sealed', 'foil', 'promo', 'reprint', 'token'] as const;
export type Flag = (typeof FLAGS)[number];

/** Fields of what a collection holds of a variant, in the account's currency (docs/decisions.md#the-ledger). */
export const HOLDING_FIELDS = ['quantity', 'value', 'gain', 'invested', 'profit'] as const;
export type HoldingField = (typeof HOLDING_FIELDS)[number];

/** Fields of what a collector records of the cards of a transaction. */
export const RECORDED_FIELDS = ['condition', 'language', 'tag', 'grade'] as const;
export type RecordedField = (typeof RECORDED_FIELDS)[number];

export type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=';

/** What something was typed in, in UTF-16 units of the source. */
export interface Place {
  from: number;
  to: number;
}

/** A folded word. */
export interface Word extends Place {
  text: string;
}

/** Plain words, all of which must be found; `wholeWords` (after a `-`) takes neither beginnings nor close spellings. */
export interface TextNode {
  kind: 'text';
  words: Word[];
  wholeWords: boolean;
}

/** Folded words that must stand side by side. */
export interface PhraseNode {
  kind: 'phrase';
  words: string[];
}

/** The whole name of a card, or of one of its sides. */
export interface ExactNameNode {
  kind: 'exactName';
  /** Folded. */
  words: string[];
}

export interface FieldNode extends Place {
  kind: 'field';
  field: TextField;
  /** Folded words, at least one. */
  words: string[];
}

export interface FlagNode extends Place {
  kind: 'flag';
  flag: Flag;
}

export interface ComparisonNode extends Place {
  kind: 'comparison';
  field: NumberField | typeof DATE_FIELD;
  operator: Operator;
  /** Plain decimal notation, e.g. `-0.25`. */
  value: string;
}

export interface HoldingNode extends Place {
  kind: 'holding';
  field: HoldingField;
  operator: Operator;
  /** Plain decimal notation, e.g. `-0.25`. */
  value: string;
}

/** What is asked of a transaction's cards: any of the values, a grade that compares so, or that they have one. */
export type RecordedLeaf =
  | { field: 'condition'; values: CardCondition[] }
  | { field: 'language'; values: Language[] }
  | { field: 'tag'; value: string }
  | { field: 'grade'; operator: Operator; value: string }
  | { field: 'graded' };

export type RecordedNode = Place & { kind: 'recorded' } & RecordedLeaf;

/** A node that the catalogue alone can answer. */
export type CatalogueLeaf = TextNode | PhraseNode | ExactNameNode | FieldNode | FlagNode | ComparisonNode;

export type QueryNode =
  | CatalogueLeaf
  | HoldingNode
  | RecordedNode
  | { kind: 'and'; parts: QueryNode[] }
  | { kind: 'or'; parts: QueryNode[] }
  | { kind: 'not'; part: QueryNode };

export interface SearchQuery {
  source: string;
  root: QueryNode;
}

/** What and, or and not make of the parts of a query. */
interface Algebra<T> {
  and(parts: T[]): T;
  or(parts: T[]): T;
  not(part: T): T;
}

/** What a query over transactions or holdings is compiled to, e.g. SQL conditions. */
export interface HoldingAlgebra<T> extends Algebra<T> {
  /** The largest part of the query that the catalogue alone answers: see `SearchIndex.matches`. */
  catalogue(part: QueryNode): T;
  /** The largest part that asks for what is recorded of one transaction, and nothing else. */
  recorded(part: QueryNode): T;
  holding(leaf: HoldingNode): T;
}

/** What a part asks of: the catalogue, what is recorded of a transaction, or several things. */
type Source = 'catalogue' | 'recorded' | 'several';

function sourceOf(node: QueryNode): Source {
  if (node.kind === 'not') return sourceOf(node.part);
  if (node.kind === 'and' || node.kind === 'or') {
    const [first, ...others] = new Set(node.parts.map(sourceOf));
    return others.length === 0 ? first! : 'several';
  }
  if (node.kind === 'recorded') return 'recorded';
  return node.kind === 'holding' ? 'several' : 'catalogue';
}

/** Compiles a query bottom-up. Neighbouring parts that ask of the catalogue become one, and those that ask of a transaction. */
export function foldHoldings<T>(node: QueryNode, algebra: HoldingAlgebra<T>): T {
  const source = sourceOf(node);
  if (source !== 'several') return algebra[source](node);
  switch (node.kind) {
    case 'holding':
      return algebra.holding(node);
    case 'not':
      return algebra.not(foldHoldings(node.part, algebra));
    case 'and':
    case 'or':
      return algebra[node.kind](together(node).map((part) => foldHoldings(part, algebra)));
    default:
      throw new TypeError(`A ${node.kind} asks of one thing.`);
  }
}

/**
 * The same query with "not" at its leaves alone (De Morgan), and no group directly within one of its kind: all that is to be said of one transaction
 * stands side by side in it.
 */
export function withNegatedLeaves(node: QueryNode, isNegated = false): QueryNode {
  if (node.kind === 'not') return withNegatedLeaves(node.part, !isNegated);
  if (node.kind !== 'and' && node.kind !== 'or') return isNegated ? { kind: 'not', part: node } : node;
  const kind = isNegated === (node.kind === 'or') ? 'and' : 'or';
  const parts = node.parts.map((part) => withNegatedLeaves(part, isNegated));
  return { kind, parts: parts.flatMap((part) => (part.kind === kind ? part.parts : [part])) };
}

/** Compiles a part that asks for what is recorded. */
export function recordedIn<T>(node: QueryNode, algebra: Algebra<T> & { recorded(leaf: RecordedNode): T }): T {
  switch (node.kind) {
    case 'recorded':
      return algebra.recorded(node);
    case 'not':
      return algebra.not(recordedIn(node.part, algebra));
    case 'and':
    case 'or':
      return algebra[node.kind](node.parts.map((part) => recordedIn(part, algebra)));
    default:
      throw new TypeError(`A transaction knows no ${node.kind}.`);
  }
}

/** Whether the catalogue alone answers it. */
export function isOfCatalogue(node: QueryNode): boolean {
  return sourceOf(node) === 'catalogue';
}

/** Whether what it finds depends on market prices. */
export function asksForPrices(node: QueryNode): boolean {
  if (node.kind === 'not') return asksForPrices(node.part);
  if (node.kind === 'and' || node.kind === 'or') return node.parts.some(asksForPrices);
  return node.kind === 'comparison' && (node.field === 'price' || node.field === 'eur');
}

/** In how many places it asks for what is recorded of transactions. */
export function recordedCount(node: QueryNode): number {
  if (node.kind === 'not') return recordedCount(node.part);
  if (node.kind === 'and' || node.kind === 'or')
    return node.parts.reduce((sum, part) => sum + recordedCount(part), 0);
  return node.kind === 'recorded' ? 1 : 0;
}

function together({ kind, parts }: QueryNode & { kind: 'and' | 'or' }): QueryNode[] {
  const of = (source: Source) => parts.filter((part) => sourceOf(part) === source);
  const asOne = (some: QueryNode[]): QueryNode[] => (some.length < 2 ? some : [{ kind, parts: some }]);
  return [...asOne(of('catalogue')), ...asOne(of('recorded')), ...of('several')];
}
