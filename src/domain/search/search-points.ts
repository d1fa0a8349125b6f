import type { QueryNode } from './query.ts';

/** Of a word or a filter, in a catalogue of so many products; a point stands for some 0.1 ms of processor time. */
const POINTS_OF_TERM = 4;
const POINTS_OF_NEGATION = 1;
const PRODUCTS = 10_000;

/** What the search for a part of a query costs in a catalogue of so many products: at most what each of its terms does alone. */
export function searchPoints(node: QueryNode, productCount: number): number {
  return Math.ceil((pointsOf(node) * Math.max(productCount, PRODUCTS)) / PRODUCTS);
}

function pointsOf(node: QueryNode): number {
  switch (node.kind) {
    case 'and':
    case 'or':
      return node.parts.reduce((sum, part) => sum + pointsOf(part), 0);
    case 'not':
      return POINTS_OF_NEGATION + pointsOf(node.part);
    case 'text':
    case 'phrase':
    case 'exactName':
      return POINTS_OF_TERM * node.words.length;
    default:
      return POINTS_OF_TERM;
  }
}
