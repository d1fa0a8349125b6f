import { LIMITS } from '../limits.ts';
import type { SearchEntry } from './entries.ts';
import { type Facets, FieldSearch } from './field-search.ts';
import { fold } from './normalise.ts';
import type { FieldNode, QueryNode, SearchQuery } from './query.ts';
import { bestDocuments, both, either, NO_MATCH, negation, type Ranks, ranksOf } from './ranks.ts';
import { respeltSource } from './respelling.ts';
import { TextSearch } from './text-search.ts';

export type { SearchEntry } from './entries.ts';
export type { Facet, Facets } from './field-search.ts';

export interface SearchResult {
  /** By relevance, then sales of 30 days, name and id; at most 1,000. */
  productIds: string[];
  /** How many products match, also beyond those 1,000. */
  total: number;
  /** Over all that match. */
  facets(): Facets;
  /** The query as the best match spells it, or null when it is right as it is or finds nothing. */
  didYouMean(): string | null;
}

/** The catalogue in memory; answers by itself everything but the holding fields. */
export interface SearchIndex {
  search(query: SearchQuery): SearchResult;
  /** The ids of all products that match a part of a query without holding fields, in the order of the index. */
  matches(part: QueryNode): string[];
}

/** Takes some hundred milliseconds for the whole catalogue; to be made again when the catalogue or the market changes. */
export function buildSearchIndex(entries: readonly SearchEntry[]): SearchIndex {
  // Documents are numbered in the order that decides among equals, so that no result is ever sorted.
  const ordered = byPopularity(entries);
  const ids = ordered.map(({ productId }) => productId);
  const isSealed = ranksOf(Uint8Array.from(ordered, (entry) => (entry.isSealed ? 0 : NO_MATCH)));
  const text = new TextSearch(ordered);
  const fields = new FieldSearch(ordered);

  function rank(node: QueryNode): Ranks {
    switch (node.kind) {
      case 'and':
        return node.parts.map(rank).reduce(both);
      case 'or':
        return node.parts.map(rank).reduce(either);
      case 'not':
        return negation(rank(node.part));
      case 'text':
        return text.rankText(node);
      case 'phrase':
        return text.rankPhrase(node.words);
      case 'comparison':
        return fields.rankNumber(node.field, node.operator, node.value);
      case 'sealed':
        return isSealed;
      case 'field':
        return rankField(node);
      case 'holding':
        throw new TypeError(`The catalogue knows no ${node.field}.`);
    }
  }

  function rankField({ field, words }: FieldNode): Ranks {
    switch (field) {
      case 'name':
        return text.rankName(words);
      case 'number':
        return text.rankNumber(words.join(''));
      case 'text':
        return fields.rankDescription(words);
      default:
        return fields.rankValue(field, words);
    }
  }

  return {
    search(query) {
      const ranks = rank(query.root);
      const best = bestDocuments(ranks, LIMITS.searchResults);
      return {
        productIds: best.map((document) => ids[document]!),
        total: ranks.matches.length,
        facets: () => fields.facets(ranks),
        didYouMean: () =>
          best.length === 0 ? null : respeltSource(query, (node) => text.respelt(node, best[0]!)),
      };
    },
    matches: (part) => bestDocuments(rank(part), ids.length).map((document) => ids[document]!),
  };
}

function byPopularity(entries: readonly SearchEntry[]): SearchEntry[] {
  const names = new Map(entries.map((entry) => [entry, fold(entry.name)]));
  return [...entries].sort(
    (a, b) =>
      b.sales30 - a.sales30 || byText(names.get(a)!, names.get(b)!) || byText(a.productId, b.productId),
  );
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
