import { parentCollections } from './collections.ts';

/** The fields of a holding, in the order of its line. */
const FIELDS = `h.variant_id, h.quantity, trim_scale(h.invested), trim_scale(h.profit), h.cash_position,
  coalesce(h.market_value, 'NaN'), coalesce(trim_scale(h.gain), 'NaN'), coalesce(h.percentage_gain, 'NaN')`;

/**
 * A holding as one text, which is sent and read in a fraction of the time that as many columns take. `NaN` stands for null:
 * no amount is it.
 */
export const SUMMARY_LINE = `concat_ws(' ', ${FIELDS})`;

export const SUMMARIES_FROM = 'holding h';

/** For orders and conditions by names and numbers. */
export const SUMMARIES_WITH_PRODUCTS_FROM = `
  holding h join variant v on v.id = h.variant_id join product p on p.id = v.product_id`;

/** Of the parent `c`. */
export const SUMMARIES_WHERE =
  'h.account_id = c.account_id and h.collection_id = c.id and h.transaction_count > 0';

/** One row of what a statement gives as `line`; `more` gathers what else it gives. */
export function linesInOne(holdings: string, more = ''): string {
  return `select string_agg(line, E'\\n') as lines${more} from (${holdings}) l`;
}

/** Rows of the parents that have holdings; `lines` gives those of one in one row. */
export function summariesOfParents(lines: string, idsParam: number): string {
  return `
    select c.id as "collectionId", c.currency, c.market_revision as "marketRevision", page.*
    from ${parentCollections(idsParam)} cross join lateral (${lines}) page
    where page.lines is not null`;
}

/** When the variant's first transaction in the collection occurred, and its id among those of that day. */
const FIRST_TRANSACTION = (column: string) => `(
  select f.${column} from transaction f
  where f.account_id = h.account_id and f.collection_id = h.collection_id and f.variant_id = h.variant_id
  order by f.occurred, f.id limit 1)`;
export const FIRST_OCCURRED = FIRST_TRANSACTION('occurred');
export const FIRST_TRANSACTION_ID = FIRST_TRANSACTION('id');

/** $1 account, $2 pairs of collection and variant as JSON. */
export const SUMMARIES_BY_KEY = `
  select h.collection_id as "collectionId", c.currency, c.market_revision as "marketRevision", ${SUMMARY_LINE} as lines
  from holding h join collection c on c.account_id = h.account_id and c.id = h.collection_id
  join jsonb_to_recordset($2::jsonb) as k("collectionId" text, "variantId" text)
    on k."collectionId" = h.collection_id and k."variantId" = h.variant_id
  where h.account_id = $1 and c.account_id = $1 and not c.deleted and h.transaction_count > 0`;

/** Holdings of one collection. */
export interface SummariesRow {
  collectionId: string;
  currency: string;
  marketRevision: number;
  /** A line each. */
  lines: string;
}

export interface SummaryRow {
  collectionId: string;
  currency: string;
  variantId: string;
  quantity: number;
  invested: string;
  profit: string;
  cashPosition: string;
  /** Null where no price is known, as is the gain. */
  marketValue: string | null;
  gain: string | null;
  percentageGain: string | null;
}

export function summaryRows(row: SummariesRow): SummaryRow[] {
  return row.lines.split('\n').map((line) => summaryRow(row, line));
}

export function summaryRow({ collectionId, currency }: SummariesRow, line: string): SummaryRow {
  const fields = line.split(' ');
  return {
    collectionId,
    currency,
    variantId: fields[0]!,
    quantity: Number(fields[1]),
    invested: fields[2]!,
    profit: fields[3]!,
    cashPosition: fields[4]!,
    marketValue: unlessNaN(fields[5]!),
    gain: unlessNaN(fields[6]!),
    percentageGain: unlessNaN(fields[7]!),
  };
}

function unlessNaN(text: string): string | null {
  return text === 'NaN' ? null : text;
}
