import type { Currency } from '../../domain/currencies.ts';
import type { SummarySort } from '../../domain/orders.ts';
import type { KeyCursor } from '../../domain/pagination.ts';
import type { Param } from '../client.ts';
import { latestRate } from './exchange.ts';
import { INVESTED, PROFIT, UNCOVERED, UNKNOWN_COST } from './holdings.ts';
import { PRICING_REVISION } from './market-data.ts';
import { ascending, descending, type Order, pageStatement, type Statement } from './page.ts';
import { IS_CONVERTED, LOGGED_STATE, parentCollections, revisionIn } from './parents.ts';
import { PREFERRED_SOURCE } from './valuation.ts';

/**
 * Statements on what collections hold. Holdings have what follows from the ledger; their prices come from memory, or
 * from `WITH_PRICES` where they are not at hand. $1 is always the account.
 */

/** The fields of a holding, in the order of its line. */
const FIELDS = `h.variant_id, h.quantity, trim_scale(${INVESTED}), trim_scale(${PROFIT}), h.cash_position, ${UNCOVERED}, h.bought_unknown, ${UNKNOWN_COST}`;

/** A holding as one text, which is sent and read in a fraction of the time that as many columns take. */
const LINE = `concat_ws(' ', ${FIELDS})`;

/** With the price of one card in the collection's currency; `NaN` stands for none. */
const PRICED_LINE = `concat_ws(' ', ${FIELDS}, coalesce(trim_scale(m.price), 'NaN'))`;

/** The market price of each holding `h` of the collection `c`, as `m.price`. */
const WITH_PRICES = `
  left join lateral (
    select price.amount * ${latestRate('price.currency', 'c.currency')} as price from price
    where price.variant_id = h.variant_id and price.source = ${PREFERRED_SOURCE}
  ) m on true`;

const WITH_PRODUCTS = 'join variant v on v.id = h.variant_id join product p on p.id = v.product_id';

/** Of the parent `c`. */
const OF_PARENT = 'h.account_id = $1 and h.collection_id = c.id and h.transaction_count > 0';

/** What follows from the price of a holding, as SQL. */
export const MARKET_VALUE = 'm.price * greatest(h.quantity, 0)';
export const GAIN = `(case when ${UNKNOWN_COST} = 0 then ${MARKET_VALUE} - ${INVESTED} end)`;

/** The first transaction of each holding `h`, as `first`. */
const WITH_FIRST = `
  cross join lateral (
    select f.occurred, f.id from transaction f
    where f.account_id = $1 and f.collection_id = h.collection_id and f.variant_id = h.variant_id
    order by f.occurred, f.id limit 1
  ) first`;

/** With more transactions than that, a look for each holding takes less, as there are no more of those than variants. */
const MOST_READ_FOR_FIRSTS = 50_000;

/** The first transaction of each holding of the parent `c`, as `first`: of most, in a quarter of the time of a look for each. */
const FIRSTS = `(
  (select distinct on (f.variant_id) f.variant_id, f.occurred, f.id from transaction f
  where f.account_id = $1 and f.collection_id = c.id and c.transaction_count <= ${MOST_READ_FOR_FIRSTS}
  order by f.variant_id, f.occurred, f.id)
  union all
  select h.variant_id, first.occurred, first.id from holding h ${WITH_FIRST}
  where ${OF_PARENT} and c.transaction_count > ${MOST_READ_FOR_FIRSTS}) first`;

/** The holdings of a page `p` of those. By `offset 0` each is looked up by its whole key. */
const WITH_HOLDINGS = `
  cross join lateral (select * from holding h where ${OF_PARENT} and h.variant_id = p.variant_id offset 0) h`;

const VARIANT = ['h.variant_id', 'text'] as const;

/** Highest first, nulls last: no amount is infinite. */
const highest = (name: string, sql: string): Order =>
  descending(`summaries-${name}`, [`coalesce(${sql}, '-Infinity')`, 'numeric'], VARIANT);

export const SUMMARY_ORDERS: Record<SummarySort, Order> = {
  Alphabetical: ascending('summaries-name', ['p.name', 'text'], ['v.name', 'text'], VARIANT),
  MarketValue: descending('summaries-market-value', [`coalesce(${MARKET_VALUE}, 0)`, 'numeric'], VARIANT),
  UnitValue: highest('unit-value', 'm.price'),
  Gain: highest('gain', GAIN),
  PercentageGain: highest('percentage-gain', `percentage_gain(${GAIN}, ${INVESTED})`),
  Quantity: highest('quantity', 'h.quantity::numeric'),
  CardNumber: ascending('summaries-number', ['p.number_key', 'text'], VARIANT),
  Chronological: ascending('summaries-first-transaction', ['first.occurred', 'date'], ['first.id', 'text']),
};

/** A condition on the holdings that a list has, with its parameters behind the account's. */
export interface HoldingCondition {
  sql: string;
  params: readonly Param[];
}

const ANY: HoldingCondition = { sql: 'true', params: [] };

/** Both of two conditions; the parameters of the second are made to be behind those of the first. */
export function bothConditions(first: HoldingCondition, second: HoldingCondition): HoldingCondition {
  return { sql: `${first.sql} and ${second.sql}`, params: [...first.params, ...second.params] };
}

/** Whether an order or a condition needs the prices of the holdings. */
export function isByPrice({ key }: Order, { sql }: HoldingCondition = ANY): boolean {
  return [...key, sql].some((part) => part.includes('m.price'));
}

/** What an order or a condition needs beside the holdings. */
function sourceOf(sql: string): string {
  const joins = [
    sql.includes('p.') && WITH_PRODUCTS,
    sql.includes('m.price') && WITH_PRICES,
    sql.includes('first.') && WITH_FIRST,
  ];
  return ['holding h', ...joins.filter((join) => join !== false)].join(' ');
}

/**
 * A row for each of the collections (ids as JSON, the last parameter): the lines of the holdings on its page and the
 * keys of those, null where there are none. `withPrices` puts the prices into the lines.
 */
export function summaryPages(
  collectionIds: readonly string[],
  order: Order,
  request: Parameters<typeof pageStatement>[2],
  { condition = ANY, withPrices }: { condition?: HoldingCondition; withPrices: boolean },
  accountId: string,
): Statement {
  const sql = [...order.key, condition.sql].join(' ');
  const hasPrices = isByPrice(order, condition);
  const keys = request.kind === 'key' ? order.key.map((key, i) => `${key} as key${i}`) : [];
  const isOfFirsts = condition === ANY && sql.includes('first.');
  const list = isOfFirsts
    ? { columns: ['first.variant_id', ...keys].join(', '), from: FIRSTS, where: 'true', order }
    : {
        columns: ['h.*', ...(hasPrices ? ['m.price'] : []), ...keys].join(', '),
        from: sourceOf(sql),
        where: `${OF_PARENT} and ${condition.sql}`,
        order,
      };
  const { text, values } = pageStatement(list, [accountId, ...condition.params], request);
  const [page, holdings] = isOfFirsts ? ['p', WITH_HOLDINGS] : ['h', ''];
  // Around the page: within it, the line would be made of every holding that is to be sorted.
  const priced = hasPrices ? 'cross join lateral (select h.price) m' : WITH_PRICES;
  const lines = `select ${withPrices ? PRICED_LINE : LINE} as line, json_build_array(${keys.map((_, i) => `${page}.key${i}::text`)}) as key, ${page}.place
    from (select *, row_number() over () as place from (${text}) r) ${page} ${holdings} ${withPrices ? priced : ''}`;
  values.push(JSON.stringify(collectionIds));
  return { text: linesOfParents(lines, values.length), values };
}

/** Lines of one parent in one row, by their places, as a join may give them in any order; `key` where it is a list by key. */
function linesOfParents(lines: string, idsParam: number): string {
  return `
    select c.id as "collectionId", c.currency, c.cost_basis as "costBasis", ${IS_CONVERTED} as "isConverted",
      (${PRICING_REVISION}) as "marketRevision", page.*
    from ${parentCollections(idsParam)} cross join lateral (
      select string_agg(line, E'\\n' order by place) as lines, json_agg(key order by place) as keys from (${lines}) l) page`;
}

/** All holdings of each collection ($2, ids as JSON); none of those that have more than so many. */
export const allHoldings = (most: number) => `
  select c.id, c.currency, c.cost_basis as "costBasis", ${IS_CONVERTED} as "isConverted", c.ledger_state as "ledgerState", size.is_too_large as "isTooLarge", coalesce((
      select string_agg(${LINE}, E'\\n') from holding h where ${OF_PARENT} and not size.is_too_large
    ), '') as lines
  from ${parentCollections(2)} cross join lateral (
    select c.transaction_count > ${most}
      and exists (select from holding h where ${OF_PARENT} offset ${most}) as is_too_large
    offset 0
  ) size`;

export interface LedgerRow {
  id: string;
  currency: Currency;
  costBasis: string;
  isConverted: boolean;
  ledgerState: string;
  isTooLarge: boolean;
  lines: string;
}

/** The state of the ledger of each collection ($2, ids as JSON). */
export const LEDGER_STATES = `
  select c.id, c.currency, c.ledger_state as "ledgerState" from ${parentCollections(2)}`;

/** So many changes of a ledger are read by themselves at most. */
const MOST_CHANGES = 100;

/**
 * The state of the ledger of each collection ($2, ids as JSON), and the holdings that have changed since it was in the
 * state that $3 (JSON) has for the id: their lines, or the variant alone where none is left. Null where that is more than
 * the log tells, which must have the writes that gave it either state, all between them, and what each has changed.
 */
export const LEDGER_CHANGES = `
  select c.id, c.currency, ${IS_CONVERTED} as "isConverted", c.ledger_state as "ledgerState", case when log.is_whole then coalesce((
      select string_agg(coalesce(line, changed.id), E'\\n')
      from (select distinct jsonb_path_query(log.ids, '$[*][*]') #>> '{}' as id) changed
      left join lateral (
        select ${LINE} as line from holding h where ${OF_PARENT} and h.variant_id = changed.id
      ) held on true
    ), '') end as changes
  from ${parentCollections(2)} cross join lateral (select $3::jsonb ->> c.id as state) known
  left join lateral (
    select jsonb_agg(variant_ids) filter (where not is_known) as ids,
      count(*) = ${revisionIn('c.ledger_state')} - ${revisionIn('known.state')} + 1
        and bool_or(is_known) and bool_or(state = c.ledger_state)
        and bool_and(is_known or variant_ids is not null)
        and sum(jsonb_array_length(variant_ids)) filter (where not is_known) <= ${MOST_CHANGES} as is_whole
    from (
      select e.variant_ids, ${LOGGED_STATE} as state, ${LOGGED_STATE} = known.state as is_known
      from event e where e.account_id = $1 and e.stream = c.id and e.sequence >= ${revisionIn('known.state')}
      limit ${MOST_CHANGES + 1}
    ) e
  ) log on c.ledger_state <> known.state`;

export interface LedgerChangesRow {
  id: string;
  currency: string;
  isConverted: boolean;
  ledgerState: string;
  changes: string | null;
}

/** The variants that any of the collections ($2, ids as JSON) holds: one row of all, of which thousands would be slow to read. */
export const HELD_VARIANTS = `
  select coalesce(json_agg(id), '[]') as ids
  from (select distinct h.variant_id as id from ${parentCollections(2)} join holding h on ${OF_PARENT}) held`;

/** The same of all collections of $1, as often as they hold it, and so many ($2) at most. */
export const HELD_VARIANTS_OF_ACCOUNT = `
  select coalesce(json_agg(id), '[]') as ids
  from (select variant_id as id from holding where account_id = $1 limit $2) held`;

/** How many holdings that fulfil the condition each collection (ids as JSON, the last parameter) has. */
export function countOfSummaries(idsParam: number, condition = ANY.sql): string {
  const revision = condition.includes('m.price') ? `, (${PRICING_REVISION}) as "marketRevision"` : '';
  return `
    select c.id, c.currency, c.cost_basis as "costBasis", held.count ${revision} from ${parentCollections(idsParam)}
    cross join lateral (select count(*) as count from ${sourceOf(condition)} where ${OF_PARENT} and ${condition}) held`;
}

export interface SummaryCountRow {
  id: string;
  currency: string;
  costBasis: string;
  count: number;
  /** Where the condition asks for prices. */
  marketRevision?: number;
}

/** $2 pairs of collection and variant as JSON. */
export const SUMMARIES_BY_KEY = `
  select h.collection_id as "collectionId", c.currency, c.cost_basis as "costBasis", ${IS_CONVERTED} as "isConverted", (${PRICING_REVISION}) as "marketRevision", ${PRICED_LINE} as lines
  from holding h join collection c on c.account_id = $1 and c.id = h.collection_id
  join jsonb_to_recordset($2::jsonb) as k("collectionId" text, "variantId" text)
    on k."collectionId" = h.collection_id and k."variantId" = h.variant_id
  ${WITH_PRICES}
  where h.account_id = $1 and not c.deleted and h.transaction_count > 0`;

/** Of which collection holdings are. */
export interface HeldIn {
  collectionId: string;
  currency: string;
  /** Whether any amount of the collection was converted. */
  isConverted: boolean;
}

/** Holdings of one collection. */
export interface SummariesRow extends HeldIn {
  costBasis: string;
  /** The newest state of the market, of which prices in the lines are. */
  marketRevision: number;
  /** A line each. */
  lines: string;
}

export interface SummariesPageRow extends Omit<SummariesRow, 'lines'> {
  lines: string | null;
  /** Of each line; empty ones for pages by position. */
  keys: KeyCursor[] | null;
}

/** What the ledger says of a holding. */
export interface HoldingRow extends HeldIn {
  variantId: string;
  quantity: number;
  invested: string;
  profit: string;
  cashPosition: string;
  /** Cards that were sold before they were bought, where the cost basis depends on the order; 0 by the average. */
  uncovered: number;
  /** Cards that were bought at a cost that is not known. */
  boughtUnknown: number;
  /** Cards whose cost is not known, or in part. */
  unknownCost: number;
}

/** With the price of one card, exact, in the same currency; null where none is known. */
export interface SummaryRow extends HoldingRow {
  price: string | null;
}

export function holdingRow({ collectionId, currency, isConverted }: HeldIn, line: string): HoldingRow {
  const fields = line.split(' ');
  return {
    collectionId,
    currency,
    isConverted,
    variantId: fields[0]!,
    quantity: Number(fields[1]),
    invested: fields[2]!,
    profit: fields[3]!,
    cashPosition: fields[4]!,
    uncovered: Number(fields[5]),
    boughtUnknown: Number(fields[6]),
    unknownCost: Number(fields[7]),
  };
}

/** The price of a line that has one. */
export function priceIn(line: string): string | null {
  const price = line.slice(line.lastIndexOf(' ') + 1);
  return price === 'NaN' ? null : price;
}
