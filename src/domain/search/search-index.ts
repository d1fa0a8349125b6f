import type { Parts } from '../../lib/parts.ts';
import { hasAtMostCharacters } from '../../lib/text.ts';
import { DomainError } from '../errors.ts';
import { pageInOrder } from '../key-order.ts';
import { LIMITS } from '../limits.ts';
import type { CursorShape, KeyRequest, Page } from '../pagination.ts';
import { type Facet, type FacetField, isOfValues, type ValueField } from './field-search.ts';
import { allVariantsIn, both, either, type Found, negation, ofProducts, variantsIn } from './found.ts';
import { parseQuery } from './parse.ts';
import { documentsIn, productOrder, type StoredSort } from './product-orders.ts';
import type { ComparisonNode, FieldNode, QueryNode, SearchQuery } from './query.ts';
import { bestDocuments, NO_MATCH, type Ranks } from './ranks.ts';
import { type Held, type Reason, Reasons } from './reasons.ts';
import { respeltSource, respeltValues } from './respelling.ts';
import type { SearchMarket } from './search-market.ts';
import type { SearchTexts } from './search-texts.ts';
import { type Suggestion, Suggestions } from './suggestions.ts';

export type { SearchEntry, SearchVariant } from './entries.ts';
export type { Facet, FacetField } from './field-search.ts';
export type { Held, Reason } from './reasons.ts';
export type { Suggestion } from './suggestions.ts';

export interface SearchResult {
  /** All that match in an order by keys: a page of their ids, sorted once for each state of the market. */
  page(sort: StoredSort, reverse: boolean, request: KeyRequest): Parts<Page<string>>;
  /** By relevance, then sales of 30 days, name and id; at most 1,000, or of those the ones from `start` to before `end`. */
  productIds(start?: number, end?: number): string[];
  /** How many products match, also beyond those 1,000. */
  total: number;
  /** Over all that match, counted at each call. */
  facet(field: FacetField): Facet[];
  /** The query as the best match spells it, or with values that there are; null when it is right as it is. */
  didYouMean(): string | null;
  /** What of the query a product that is found matches, and where; at most 20. */
  reasons(productId: string): Reason[];
}

/** What of a query each holding that it finds matches, and where; at most 20. */
export type HoldingReasons = (variantId: string, held: Held) => Reason[];

export interface MatchingVariants {
  count(): number;
  has(variantId: string): boolean;
  /** In the order of the index. */
  ids(): string[];
}

/** The catalogue in memory; answers by itself everything but what is of holdings and transactions. */
export interface SearchIndex {
  /** What matches the query and the filters beside it; all products where there is neither. */
  search(query: SearchQuery | null, filters?: readonly QueryNode[]): SearchResult;
  /** The cursors of an order. */
  order(sort: StoredSort, reverse: boolean): CursorShape;
  /** How many products there are. */
  readonly size: number;
  /** The variants that match a part of a query that asks of the catalogue alone. */
  matchingVariants(part: QueryNode): MatchingVariants;
  holdingReasons(query: SearchQuery): HoldingReasons;
  /** What the text may become, as one types; the likeliest first. */
  suggest(text: string, most: number): Suggestion[];
}

/** Which parts of a query to look for first: those that do not look at every product. */
const EFFORT: Record<QueryNode['kind'], number> = {
  text: 0,
  phrase: 0,
  exactName: 0,
  field: 1,
  flag: 1,
  or: 2,
  and: 2,
  comparison: 3,
  not: 4,
  holding: 5,
  recorded: 5,
};

/** The market is that of the variants of the texts. */
export function searchIndex(texts: SearchTexts, market: SearchMarket): SearchIndex {
  const { entries, documentOf, variantOf, printings, text, fields, flags, everything } = texts;
  const { starts } = printings;
  const suggestions = new Suggestions(texts, market.popularity);

  /** Of all products, or of those at least that match in `within`: no others matter. */
  function find(node: QueryNode, within: Ranks | null = null): Found {
    switch (node.kind) {
      case 'and':
        return findAll(node.parts, within);
      case 'or':
        return findAny(node.parts, within);
      case 'not':
        return negation(find(node.part, within), starts, within);
      case 'text':
        return text.rankText(node);
      case 'phrase':
        return text.rankPhrase(node.words);
      case 'exactName':
        return ofProducts(text.rankExactName(node.words));
      case 'comparison':
        return compare(node, within);
      case 'flag':
        return flags[node.flag];
      case 'field':
        return findField(node, within);
      case 'holding':
      case 'recorded':
        throw new TypeError(`The catalogue knows no ${node.field}.`);
    }
  }

  /** What finds little comes first, so that the others need not look at all. */
  function findAll(parts: readonly QueryNode[], within: Ranks | null): Found {
    let found: Found | null = null;
    for (const part of [...parts].sort((a, b) => EFFORT[a.kind] - EFFORT[b.kind])) {
      const next = find(part, found?.ranks ?? within);
      found = found === null ? next : both(found, next, starts);
    }
    return found!;
  }

  /** Values of one field are looked for at once: a rarity and what is rarer are many. */
  function findAny(parts: readonly QueryNode[], within: Ranks | null): Found {
    const values = valuesOfOneField(parts);
    if (values !== null) return fields.rankValues(values.field, values.words, within);
    return parts.map((part) => find(part, within)).reduce((a, b) => either(a, b, starts));
  }

  function compare({ field, operator, value }: ComparisonNode, within: Ranks | null): Found {
    if (field === 'price' || field === 'eur') return market.rankPrice(field, operator, value, within);
    return ofProducts(fields.rankNumber(field, operator, value, within));
  }

  function findField({ field, words }: FieldNode, within: Ranks | null): Found {
    switch (field) {
      case 'name':
        return ofProducts(text.rankName(words));
      case 'number':
        return ofProducts(text.rankNumber(words.join('')));
      case 'text':
        return ofProducts(fields.rankDescription(words));
      default:
        return fields.rankValues(field, [words], within);
    }
  }

  function meant(query: SearchQuery, best: number | undefined): string | null {
    const isUnknown = ({ field, words }: FieldNode & { field: ValueField }) => !fields.isValue(field, words);
    const withValues = respeltValues(query, isUnknown, (field) => fields.valuesOf(field));
    const spelt =
      withValues ?? (best === undefined ? null : respeltSource(query, (node) => text.respelt(node, best)));
    return spelt !== null && findsAny(spelt) ? spelt : null;
  }

  /** A respelt query may be too long, have a word that is an operator now, or ask for what no product has. */
  function findsAny(spelt: string): boolean {
    if (!hasAtMostCharacters(spelt, LIMITS.searchQueryCharacters)) return false;
    try {
      return find(parseQuery(spelt).root).ranks.matches.length > 0;
    } catch (error) {
      if (error instanceof DomainError) return false;
      throw error;
    }
  }

  return {
    size: entries.productIds.length,
    search(query, filters = []) {
      const parts = query === null ? filters : [...filters, query.root];
      const found = parts.length === 0 ? everything : find({ kind: 'and', parts: [...parts] });
      const reasons = query && new Reasons(query, texts, market, find);
      let best: number[] | undefined;
      const bestOnes = () => {
        best ??= bestDocuments(found.ranks, LIMITS.searchResults, market.popularity);
        return best;
      };
      return {
        // No getter: V8 gives each object that is made with one a shape of its own, which is garbage of the old generation.
        productIds: (start, end) =>
          bestOnes()
            .slice(start, end)
            .map((document) => entries.productIds[document]!),
        total: found.ranks.matches.length,
        facet: (field) => fields.facet(field, found),
        didYouMean: () => query && meant(query, bestOnes()[0]),
        *page(sort, reverse, request) {
          const documents = yield* documentsIn(texts, market, sort, reverse);
          const matching = documents.filter((document) => found.ranks.values[document] !== NO_MATCH);
          const page = pageInOrder(matching, productOrder(texts, market, sort, reverse), request);
          return { ...page, items: page.items.map((document) => entries.productIds[document]!) };
        },
        reasons: (productId) => {
          if (!reasons) return [];
          const document = documentOf.get(productId)!;
          return reasons.for({ document, variants: variantsIn(found, starts, document) }, () => null);
        },
      };
    },
    matchingVariants(part) {
      // All that it keeps: an answer may have many, and ask each of thousands of holdings, and V8 frees such buffers late.
      const meant = allVariantsIn(find(part), starts);
      return {
        count: () => meant.count(),
        has(variantId) {
          const variant = variantOf.get(variantId);
          return variant !== undefined && meant.has(variant);
        },
        ids: () => entries.variantIds.filter((_, variant) => meant.has(variant)),
      };
    },
    holdingReasons(query) {
      const reasons = new Reasons(query, texts, market, find);
      return (variantId, held) => {
        const variant = variantOf.get(variantId);
        if (variant === undefined) return [];
        return reasons.for({ document: printings.productOf(variant), variants: [variant] }, held);
      };
    },
    order: (sort, reverse) => productOrder(texts, market, sort, reverse),
    suggest: (typed, most) => suggestions.for(typed, most),
  };
}

function valuesOfOneField(parts: readonly QueryNode[]): { field: ValueField; words: string[][] } | null {
  const [first] = parts;
  if (first?.kind !== 'field' || !isOfValues(first.field)) return null;
  const words = parts.flatMap((part) =>
    part.kind === 'field' && part.field === first.field ? [part.words] : [],
  );
  return words.length === parts.length ? { field: first.field, words } : null;
}
