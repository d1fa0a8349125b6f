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

/** A node that the catalogue alone can answer. */
export type CatalogueLeaf = TextNode | PhraseNode | ExactNameNode | FieldNode | FlagNode | ComparisonNode;

export type QueryNode =
  | CatalogueLeaf
  | HoldingNode
  | { kind: 'and'; parts: QueryNode[] }
  | { kind: 'or'; parts: QueryNode[] }
  | { kind: 'not'; part: QueryNode };

export interface SearchQuery {
  source: string;
  root: QueryNode;
}

/** What a query over holdings is compiled to, e.g. SQL conditions. */
export interface HoldingAlgebra<T> {
  /** The largest part of the query that the catalogue alone answers: see `SearchIndex.matches`. */
  catalogue(part: QueryNode): T;
  holding(leaf: HoldingNode): T;
  and(parts: T[]): T;
  or(parts: T[]): T;
  not(part: T): T;
}

/** Compiles a query bottom-up. Neighbouring parts without a holding field become one `catalogue` call. */
export function foldHoldings<T>(node: QueryNode, algebra: HoldingAlgebra<T>): T {
  if (!asksHoldings(node)) return algebra.catalogue(node);
  switch (node.kind) {
    case 'holding':
      return algebra.holding(node);
    case 'not':
      return algebra.not(foldHoldings(node.part, algebra));
    case 'and':
    case 'or':
      return algebra[node.kind](catalogueTogether(node).map((part) => foldHoldings(part, algebra)));
    default:
      return algebra.catalogue(node);
  }
}

export function asksHoldings(node: QueryNode): boolean {
  if (node.kind === 'not') return asksHoldings(node.part);
  if (node.kind === 'and' || node.kind === 'or') return node.parts.some(asksHoldings);
  return node.kind === 'holding';
}

function catalogueTogether({ kind, parts }: QueryNode & { kind: 'and' | 'or' }): QueryNode[] {
  const holdings = parts.filter(asksHoldings);
  const catalogue = parts.filter((part) => !asksHoldings(part));
  return catalogue.length < 2 ? [...catalogue, ...holdings] : [{ kind, parts: catalogue }, ...holdings];
}
