import { type Parts, sortedInParts } from '../../lib/parts.ts';
import { inOrder, type KeyColumn, type KeyOrder, keyOrder } from '../key-order.ts';
import type { ProductSort } from '../orders.ts';
import type { SearchMarket } from './search-market.ts';
import type { SearchTexts } from './search-texts.ts';

/** Every order but that of relevance, which depends on the query. */
export type StoredSort = Exclude<ProductSort, 'Relevance'>;

/** An order of the documents (docs/decisions.md#orders). */
export function productOrder(
  { entries }: SearchTexts,
  market: SearchMarket,
  sort: StoredSort,
  reverse: boolean,
): KeyOrder<number> {
  const number: KeyColumn<number> = { kind: 'text', of: (document) => entries.numberKeys[document]! };
  const columns: Record<StoredSort, KeyColumn<number>[]> = {
    Number: [number],
    Name: [{ kind: 'text', of: (document) => entries.foldedNames[document]! }],
    Price: [{ kind: 'numeric', descending: true, of: (document) => String(market.cheapest(document)) }],
    Release: [
      { kind: 'date', descending: true, of: (document) => entries.releaseDates[document] ?? '-infinity' },
      number,
    ],
    Volume: [{ kind: 'numeric', descending: true, of: (document) => String(market.sales[document]) }],
  };
  const id: KeyColumn<number> = { kind: 'text', of: (document) => entries.productIds[document]! };
  return keyOrder(`products-${sort.toLowerCase()}`, [...columns[sort], id], reverse);
}

/** All documents in an order, sorted once for each state of the market. */
export function* documentsIn(
  texts: SearchTexts,
  market: SearchMarket,
  sort: StoredSort,
  reverse: boolean,
): Parts<readonly number[]> {
  let documents = market.sorted.get(sort);
  if (!documents) {
    const order = productOrder(texts, market, sort, false);
    documents = yield* sortedInParts([...texts.entries.productIds.keys()], inOrder(order));
    market.sorted.set(sort, documents);
  }
  return reverse ? documents.toReversed() : documents;
}
