import { EV_COLUMNS, EVS_FROM, type EvRow } from '../../db/queries/evs.ts';
import { ascending, descending, type Order, readPage } from '../../db/queries/page.ts';
import type { ProductType } from '../../domain/catalogue.ts';
import type { ProductEvSort } from '../../domain/orders.ts';
import type { Page, PageRequest } from '../../domain/pagination.ts';
import { getPreferences } from '../accounts/preferences.ts';
import { type Context, observed } from '../context.ts';
import { type ProductEv, productEvOf } from './model.ts';

const DELTA = 'e.estimated_value - e.market_price';
const SET_TYPE = ['e.set_type', 'text'] as const;
const PRODUCT_TYPE = ['e.product_type', 'text'] as const;

const highest = (name: string, sql: string) =>
  descending(`evs-${name}`, [sql, 'numeric'], SET_TYPE, PRODUCT_TYPE);
const lowest = (name: string, sql: string) =>
  ascending(`evs-${name}`, [sql, 'numeric'], SET_TYPE, PRODUCT_TYPE);

/** An unknown date is after all others in either direction. */
const ORDERS: Record<ProductEvSort, Order> = {
  HighestEstimatedValue: highest('value-highest', 'e.estimated_value'),
  LowestEstimatedValue: lowest('value-lowest', 'e.estimated_value'),
  HighestMarketPrice: highest('price-highest', 'e.market_price'),
  LowestMarketPrice: lowest('price-lowest', 'e.market_price'),
  MarketPriceDeltaPositive: highest('delta-highest', DELTA),
  MarketPriceDeltaNegative: lowest('delta-lowest', DELTA),
  NewestReleaseDate: descending(
    'evs-newest',
    [`coalesce(e.release_date, '-infinity'::date)`, 'date'],
    SET_TYPE,
    PRODUCT_TYPE,
  ),
  OldestReleaseDate: ascending(
    'evs-oldest',
    [`coalesce(e.release_date, 'infinity'::date)`, 'date'],
    SET_TYPE,
    PRODUCT_TYPE,
  ),
};

export function productEvOrder(sort: ProductEvSort): Order {
  return ORDERS[sort];
}

const WHERE = '($2::text is null or e.product_type = $2)';

/** The expected values of all sealed products, or of those of one type, in the caller's currency. */
export async function listProductEvs(
  ctx: Context,
  productType: ProductType | null,
  order: Order,
  request: PageRequest,
): Promise<Page<ProductEv>> {
  const { preferredCurrency } = await getPreferences(ctx);
  const list = { columns: EV_COLUMNS, from: EVS_FROM, where: WHERE, order };
  const page = await readPage<EvRow>(ctx.db, list, [preferredCurrency, productType], request);
  return { ...page, items: observed(ctx, page.items).map((row) => productEvOf(row, preferredCurrency)) };
}

export async function countProductEvs(ctx: Context, productType: ProductType | null): Promise<number> {
  const [row] = await ctx.db.hot<{ count: number }>(
    'select count(*) as count from product_ev where $1::text is null or product_type = $1',
    [productType],
  );
  return row!.count;
}
