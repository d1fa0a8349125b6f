import type { ProductRow } from '../db/queries/products.ts';
import { fold } from '../domain/search/normalise.ts';
import { addTo } from '../lib/lists.ts';
import { countedInParts, type Parts } from '../lib/parts.ts';

/** Ids of products by what a file may know them by, folded. */
export interface ProductIds {
  byNumber: Map<string, string[]>;
  byVendorId: Map<number, string[]>;
  byName: Map<string, string[]>;
}

export function* productIds(products: ReadonlyMap<string, ProductRow>): Parts<ProductIds> {
  const ids: ProductIds = { byNumber: new Map(), byVendorId: new Map(), byName: new Map() };
  const all = [...products.values()];
  yield* countedInParts(all.length, (i) => {
    const { id, number, vendorProductId, name } = all[i]!;
    if (number !== null) addTo(ids.byNumber, fold(number), id);
    if (vendorProductId !== null) addTo(ids.byVendorId, vendorProductId, id);
    addTo(ids.byName, fold(name), id);
  });
  return ids;
}
