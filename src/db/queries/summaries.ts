/** A holding; `c` is its collection. */
export const SUMMARY_COLUMNS = `
  h.collection_id as "collectionId", h.variant_id as "variantId", c.currency, c.market_revision as "marketRevision", h.quantity, h.invested, h.profit,
  h.cash_position as "cashPosition", h.market_price as "marketPrice", h.market_value as "marketValue", h.gain,
  h.percentage_gain as "percentageGain"`;

/** The collection is looked up once, not for each of its holdings: `offset 0` keeps the planner from joining the two. */
export const SUMMARIES_FROM = `
  lateral (
    select currency, market_revision from collection
    where account_id = $1 and id = x.parent and not deleted offset 0
  ) c cross join holding h`;

/** For orders and conditions by names and numbers. */
export const SUMMARIES_WITH_PRODUCTS_FROM = `${SUMMARIES_FROM}
  join variant v on v.id = h.variant_id join product p on p.id = v.product_id`;

/** $1 account; the parent is the collection. */
export const SUMMARIES_WHERE = 'h.account_id = $1 and h.collection_id = x.parent and h.transaction_count > 0';

/** When the variant's first transaction in the collection occurred, and its id among those of that day. */
const FIRST_TRANSACTION = (column: string) => `(
  select f.${column} from transaction f
  where f.account_id = h.account_id and f.collection_id = h.collection_id and f.variant_id = h.variant_id
  order by f.occurred, f.id limit 1)`;
export const FIRST_OCCURRED = FIRST_TRANSACTION('occurred');
export const FIRST_TRANSACTION_ID = FIRST_TRANSACTION('id');

/** $1 account, $2 pairs of collection and variant as JSON. */
export const SUMMARIES_BY_KEY = `
  select ${SUMMARY_COLUMNS}
  from holding h join collection c on c.account_id = h.account_id and c.id = h.collection_id
  join jsonb_to_recordset($2::jsonb) as k("collectionId" text, "variantId" text)
    on k."collectionId" = h.collection_id and k."variantId" = h.variant_id
  where h.account_id = $1 and c.account_id = $1 and not c.deleted and h.transaction_count > 0`;

export interface SummaryRow {
  collectionId: string;
  variantId: string;
  currency: string;
  marketRevision: number;
  quantity: number;
  invested: string;
  profit: string;
  cashPosition: string;
  marketPrice: string | null;
  marketValue: string | null;
  gain: string | null;
  percentageGain: string | null;
}
