import { EV_COUNT, EV_LIST, EV_ORDERS, type EvRate } from '../../db/queries/evs.ts';
import { boundsOf, type Order, pageAtHand, readPage } from '../../db/queries/page.ts';
import type { ProductType } from '../../domain/catalogue.ts';
import type { ProductEvSort } from '../../domain/orders.ts';
import type { Page, PageRequest } from '../../domain/pagination.ts';
import { type EvInDollars, ProductEv } from '../../domain/product-ev.ts';
import type { Catalogue, HeldEv } from '../../memory/catalogue.ts';
import { heldCatalogue } from '../../memory/memory.ts';
import { getPreferences, type Preferences } from '../accounts/preferences.ts';
import { type Context, observed } from '../context.ts';
import { noteEvs } from './breakdown.ts';

export function productEvOrder(sort: ProductEvSort): Order {
  return EV_ORDERS[sort];
}

/** The expected values of all sealed products, or of those of one type, in the caller's currency. */
export async function listProductEvs(
  ctx: Context,
  productType: ProductType | null,
  order: Order,
  request: PageRequest,
): Promise<Page<ProductEv>> {
  const preferences = await getPreferences(ctx);
  const held = productEvsAtHand(ctx, await heldCatalogue(ctx), preferences, productType, order, request);
  if (held) return held;
  const { preferredCurrency: currency } = preferences;
  const params = [currency, productType];
  const page = await readPage<EvInDollars & EvRate>(ctx.db, { ...EV_LIST, order }, params, request);
  return { ...page, items: observed(ctx, page.items).map((row) => new ProductEv(row, currency, row.rate)) };
}

/** The same from memory; null where it is not at hand, or where the row of a cursor is not there any more. */
export function productEvsAtHand(
  { seen }: Context,
  catalogue: Catalogue | null,
  preferences: Preferences | null,
  productType: ProductType | null,
  order: Order,
  request: PageRequest,
): Page<ProductEv> | null {
  const evs = preferences && catalogue?.evs(preferences.preferredCurrency);
  if (!evs) return null;
  const placeOf = (ev: HeldEv) => ev.places[order.name]!;
  const rankOf = (ev: HeldEv) => placeOf(ev).rank;
  const all = [...evs.values()].sort((a, b) => rankOf(a) - rankOf(b));
  const bounds = boundsOf(request, (cursor) => {
    const ev = all.find((ev) => placeOf(ev).key.join('\0') === cursor.join('\0'));
    return ev && rankOf(ev);
  });
  if (!bounds) return null;
  noteEvs(seen, catalogue!);
  const rows = productType === null ? all : all.filter((ev) => ev.productType === productType);
  return pageAtHand(rows, request, bounds, rankOf, (ev) => placeOf(ev).key);
}

export async function countProductEvs(ctx: Context, productType: ProductType | null): Promise<number> {
  const catalogue = await heldCatalogue(ctx);
  if (catalogue) return catalogue.evCount(productType);
  const [row] = await ctx.db.query<{ count: number }>(EV_COUNT, [productType]);
  return row!.count;
}
