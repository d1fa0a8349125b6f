import type { Edition, ProductType } from '../../domain/catalogue.ts';
import type { EvDistribution } from '../../domain/ev-distribution.ts';

/** Statements on market data: prices, sales, exchange rates, pull rates and what is derived from them. */

/**
 * What a revision grows by: by chance, so that a dump that is restored under a running service is not taken for the state
 * that has the same number of imports. The sum of all stays below 2^53 for millions of them.
 */
const NEXT_REVISION = 'revision + 1 + floor(random() * 1e9)::bigint';

/** Grows with everything that changes what a card is worth in some currency. */
export const PRICING_REVISION = `select coalesce(sum(revision), 0)::bigint from market_data where kind in ('prices', 'rates')`;

/** `price-history` is there once prices of the past were imported on their own. */
export type MarketKind = 'catalogue' | 'prices' | 'price-history' | 'sales' | 'rates' | 'pull-rates';

export interface MarketDataRow {
  kind: MarketKind;
  version: string;
  isSample: boolean;
  newestDay: string | null;
}

export const MARKET_DATA = `
  select kind, version, is_sample as "isSample", newest_day::text as "newestDay" from market_data order by kind`;

/** $1 kind, $2 version, $3 whether it is made up, $4 the newest day that it covers, or null. Days never go back. */
export const RECORD_IMPORT = `
  insert into market_data as m (kind, version, is_sample, newest_day, revision) values ($1, $2, $3::boolean, $4::date, 1 + floor(random() * 1e9)::bigint)
  on conflict (kind) do update set version = excluded.version, is_sample = excluded.is_sample,
    newest_day = case when m.is_sample and not excluded.is_sample then excluded.newest_day
      else greatest(m.newest_day, excluded.newest_day) end,
    revision = m.${NEXT_REVISION}, imported_at = excluded.imported_at`;

export interface ImportAgeRow {
  kind: MarketKind;
  seconds: number;
}

/** Seconds since the last import of each kind. */
export const IMPORT_AGES = `
  select kind, extract(epoch from now() - imported_at)::float8 as seconds from market_data order by kind`;

/** One import at a time, to the end of its transaction. */
export const TAKE_IMPORT_TURN = 'select pg_advisory_xact_lock(7201104)';
export const IS_IMPORT_TURN_FREE = 'select pg_try_advisory_xact_lock(7201104) as free';

/**
 * `kept` columns keep what they have where the row brings nothing; `silent` ones do not count as a change on their own,
 * so that a row with nothing else new is not written.
 */
export const upsert = (
  table: string,
  key: string,
  columns: readonly (readonly [name: string, type: string])[],
  {
    kept = {},
    silent = [],
    returning = [],
  }: { kept?: Record<string, string>; silent?: readonly string[]; returning?: readonly string[] } = {},
) => {
  const names = columns.map(([name]) => name);
  const values = names.filter((name) => !key.split(', ').includes(name));
  const compared = values.filter((name) => !silent.includes(name));
  const brought = (name: string) => kept[name] ?? `excluded.${name}`;
  return `
  insert into ${table} as old (${names.join(', ')})
  select ${names.join(', ')} from jsonb_to_recordset($1::jsonb) as r(${columns.map((column) => column.join(' ')).join(', ')})
  on conflict (${key}) do update set ${values.map((name) => `${name} = ${brought(name)}`).join(', ')}
  where (${compared.map((name) => `old.${name}`).join(', ')})
    is distinct from (${compared.map(brought).join(', ')})
  returning ${['(xmax = 0) as added', ...returning].join(', ')}`;
};

/** Lists of which not every source knows anything. */
const keptLists = (...names: string[]) =>
  Object.fromEntries(
    names.map((name) => [
      name,
      `case when excluded.${name} = '[]' then old.${name} else excluded.${name} end`,
    ]),
  );

/** Each takes the rows as JSON in $1 and gives a row for each one that was added or changed. */
export const UPSERT_PRODUCTS = upsert(
  'product',
  'id',
  [
    ['id', 'text'],
    ['vendor_product_id', 'integer'],
    ['name', 'text'],
    ['number', 'text'],
    ['other_numbers', 'jsonb'],
    ['number_key', 'text'],
    ['image_url', 'text'],
    ['description', 'text'],
    ['set_code', 'text'],
    ['set_name', 'text'],
    ['release_date', 'date'],
    ['sealed_set_type', 'text'],
    ['sealed_product_type', 'text'],
    ['card_type', 'text'],
    ['card_sub_type', 'text'],
    ['class', 'text'],
    ['rarity', 'text'],
    ['cost', 'text'],
    ['defense_value', 'text'],
    ['pitch_value', 'text'],
    ['talent', 'text'],
    ['power', 'text'],
    ['intellect', 'text'],
    ['life', 'text'],
    ['other_faces', 'jsonb'],
    ['keywords', 'jsonb'],
    ['legality', 'jsonb'],
  ],
  {
    // The catalogue does not know what the vendor calls the sealed products: a price import links them.
    kept: {
      vendor_product_id: 'coalesce(excluded.vendor_product_id, old.vendor_product_id)',
      image_url: "coalesce(nullif(excluded.image_url, ''), old.image_url)",
      legality: 'coalesce(excluded.legality, old.legality)',
      ...keptLists('other_numbers', 'other_faces', 'keywords'),
    },
  },
);

export const UPSERT_VARIANTS = upsert(
  'variant',
  'id',
  [
    ['id', 'text'],
    ['product_id', 'text'],
    ['name', 'text'],
    ['position', 'integer'],
    ['fc_id', 'text'],
    ['set_code', 'text'],
    ['edition', 'text'],
    ['finish', 'text'],
    ['rarity', 'text'],
    ['is_expansion_slot', 'boolean'],
    ['treatments', 'jsonb'],
    ['artists', 'jsonb'],
  ],
  { kept: keptLists('treatments', 'artists') },
);

/** `as_of` is the day since which the price is known: one that is confirmed on a later day is not written again. */
export const UPSERT_PRICES = upsert(
  'price',
  'variant_id, source',
  [
    ['variant_id', 'text'],
    ['source', 'text'],
    ['currency', 'text'],
    ['amount', 'numeric'],
    ['as_of', 'date'],
  ],
  { silent: ['as_of'] },
);

const HISTORY_COLUMNS = ['days', 'currencies', 'amounts'];

/** The price of a variant at the end of a day, as `currency` and `amount`, from its history. The arguments are SQL. */
export const priceOn = (variantId: string, source: string, day: string) => `(
    select h.currencies[at] as currency, h.amounts[at] as amount
    from price_year h, width_bucket(${day}, h.days) as at
    where h.variant_id = ${variantId} and h.source = ${source} and h.days[1] <= ${day}
    order by h.year desc limit 1)`;

/** Takes the prices of a day ($2) as JSON in $1, as the table has them: those that the history does not have for that day. */
export const RECORD_PRICE_HISTORY = `
  insert into price_year as old (variant_id, source, year, ${HISTORY_COLUMNS.join(', ')})
  select p.variant_id, p.source, extract(year from $2::date), array[$2::date], array[p.currency], array[p.amount]
  from jsonb_to_recordset($1::jsonb) as p(variant_id text, source text, currency text, amount numeric)
  left join lateral ${priceOn('p.variant_id', 'p.source', '$2::date')} last on true
  where last.currency is null and p.amount is not null
    or last.currency is not null and (last.currency, last.amount) is distinct from (p.currency, p.amount)
  on conflict (variant_id, source, year) do update set ${HISTORY_COLUMNS.map(
    (column) =>
      `${column} = old.${column}[:width_bucket($2::date - 1, old.days)] || excluded.${column}
        || old.${column}[width_bucket($2::date, old.days) + 1:]`,
  ).join(', ')}`;

/** $1 day. */
export const RECORD_PRICE_DAY = 'insert into price_day (day) values ($1::date) on conflict do nothing';

/** A row for each year of a variant, with all its days. */
export const UPSERT_PRICE_YEARS = upsert('price_year', 'variant_id, source, year', [
  ['variant_id', 'text'],
  ['source', 'text'],
  ['year', 'integer'],
  ['days', 'date[]'],
  ['currencies', 'text[]'],
  ['amounts', 'numeric[]'],
]);

/** Takes the years of variants that have no day any more, as JSON in $1. */
export const DELETE_PRICE_YEARS = `
  delete from price_year h using jsonb_to_recordset($1::jsonb) as r(variant_id text, source text, year integer)
  where h.variant_id = r.variant_id and h.source = r.source and h.year = r.year`;

/** Takes ranges of years as JSON in $1: all days of each variant in them, and the last one before them. */
export const PRICE_HISTORY_AROUND = `
  select h.variant_id as "variantId", h.day::text as day, h.currency, h.amount
  from jsonb_to_recordset($1::jsonb) as r(variant_id text, source text, first integer, last integer)
  cross join lateral (
    select y.variant_id, s.day, s.currency, s.amount
    from price_year y, unnest(y.days, y.currencies, y.amounts) as s(day, currency, amount)
    where y.variant_id = r.variant_id and y.source = r.source and y.year between r.first and r.last
    union all
    (select y.variant_id, y.days[n], y.currencies[n], y.amounts[n] from price_year y, cardinality(y.days) as n
      where y.variant_id = r.variant_id and y.source = r.source and y.year < r.first order by y.year desc limit 1)
  ) h
  order by h.variant_id, h.day`;

export interface PriceHistoryRow {
  variantId: string;
  day: string;
  currency: string;
  amount: string | null;
}

/** Takes the variants' ids as JSON in $1. */
export const SALE_VOLUMES_OF = `
  select variant_id as "variantId", through::text as through, daily from sale_volumes
  where variant_id in (select jsonb_array_elements_text($1::jsonb))`;

export interface StoredSaleVolumes {
  variantId: string;
  through: string;
  daily: number[];
}

/** What made-up rows are removed by, when the first real ones of their kind are imported. */
export const DELETE_PRICES = 'delete from price';
export const DELETE_PRICE_DAYS = 'delete from price_day';
export const DELETE_EV_HISTORY = 'delete from product_ev_history';
export const DELETE_PRICE_HISTORY = 'delete from price_year';
export const DELETE_SALE_VOLUMES = 'delete from sale_volumes';

/** Variants by what the vendor calls them. */
export const VENDOR_VARIANTS = `
  select p.vendor_product_id as "vendorProductId", v.name, v.id as "variantId"
  from variant v join product p on p.id = v.product_id
  where p.vendor_product_id is not null and p.sealed_set_type is null`;

export interface VendorVariant {
  vendorProductId: number;
  name: string;
  variantId: string;
}

export const SEALED_VARIANTS = `
  select p.id as "productId", p.vendor_product_id as "vendorProductId", p.set_name as "setName",
    p.sealed_product_type as "productType", v.edition, v.id as "variantId"
  from product p join variant v on v.product_id = p.id
  where p.sealed_set_type is not null order by p.id`;

export interface SealedVariant {
  productId: string;
  vendorProductId: number | null;
  setName: string;
  productType: ProductType;
  edition: Edition | null;
  variantId: string;
}

/** $1 product, $2 the vendor's id of it, $3 the vendor's picture. */
export const LINK_SEALED = 'update product set vendor_product_id = $2, image_url = $3 where id = $1';

/** For products that were linked by an import of prices: nodes that hold products look at the catalogue's revision. */
export const RECORD_LINKS = `update market_data set revision = ${NEXT_REVISION} where kind = 'catalogue'`;

/** Sets of the catalogue's cards; of several names of one code the one with the most products. */
export const KNOWN_SETS = `
  select distinct on (set_code) set_code as "setCode", set_name as "setName", max(release_date)::text as "releaseDate",
    exists (select 1 from variant v where v.set_code = p.set_code and v.edition is not null) as "hasEditions"
  from product p where sealed_set_type is null
  group by set_code, set_name order by set_code, count(*) desc, set_name`;

/** Every variant with its code, and its product. */
export const KNOWN_VARIANTS = `
  select v.id as "variantId", v.name, v.fc_id as "fcId", v.product_id as "productId",
    p.vendor_product_id as "vendorProductId"
  from variant v join product p on p.id = v.product_id`;

export interface KnownVariant {
  variantId: string;
  name: string;
  fcId: string;
  productId: string;
  vendorProductId: number | null;
}

export const UPSERT_SALE_VOLUMES = upsert('sale_volumes', 'variant_id', [
  ['variant_id', 'text'],
  ['through', 'date'],
  ['daily', 'jsonb'],
  ['total', 'integer'],
]);

export const UPSERT_PULL_RATES = upsert('pull_rate_set', 'set_type', [
  ['set_type', 'text'],
  ['rates', 'jsonb'],
]);

export const UPSERT_PRODUCT_EVS = upsert('product_ev', 'set_type, product_type', [
  ['set_type', 'text'],
  ['product_type', 'text'],
  ['product_id', 'text'],
  ['estimated_value', 'numeric'],
  ['market_price', 'numeric'],
  ['release_date', 'date'],
  ['warning', 'text'],
  ['categories', 'jsonb'],
  ['packs_per_box', 'integer'],
  ['distribution', 'jsonb'],
]);

/** For expected values that have changed, with an import or without: nodes that hold them look at the revision. */
export const RECORD_EVS = `update market_data set revision = ${NEXT_REVISION} where kind = 'pull-rates'`;

/** The expected values as they are now, for the day of the newest prices. */
export const RECORD_EV_HISTORY = `
  insert into product_ev_history (set_type, product_type, day, estimated_value, market_price)
  select e.set_type, e.product_type, m.newest_day, e.estimated_value, e.market_price
  from product_ev e, market_data m where m.kind = 'prices' and m.newest_day is not null
  on conflict (set_type, product_type, day) do update set
    estimated_value = excluded.estimated_value, market_price = excluded.market_price`;

/** Prices of cards in US dollars, with what decides the pull-rate category; null where none is known. */
export const CARD_PRICES = `
  select v.set_code as "setCode", v.edition, v.finish, v.rarity, v.is_expansion_slot as "isExpansionSlot",
    (p.amount * latest_exchange_rate(p.currency, 'USD'))::text as price
  from variant v join product pr on pr.id = v.product_id and pr.sealed_set_type is null
  left join price p on p.variant_id = v.id and p.source = 'VendorMarket'
  where v.set_code in (select jsonb_array_elements_text($1::jsonb))
  order by v.id`;

export const PULL_RATES = 'select rates from pull_rate_set order by set_type';

/** Prices in US dollars by what decides the pull-rate category. */
export const PRICE_GROUPS = `
  select v.set_code as "setCode", v.edition, v.finish, v.rarity, v.is_expansion_slot as "isExpansionSlot",
    count(*) as cards, count(p.amount) as priced,
    coalesce(sum(p.amount * latest_exchange_rate(p.currency, 'USD')), 0) as "priceSum"
  from variant v join product pr on pr.id = v.product_id
  left join price p on p.variant_id = v.id and p.source = 'VendorMarket'
  where pr.sealed_set_type is null
  group by v.set_code, v.edition, v.finish, v.rarity, v.is_expansion_slot`;

/** Sealed products, with their price in US dollars. */
export const SEALED_PRODUCTS = `
  select pr.id as "productId", pr.sealed_set_type as "setType", pr.sealed_product_type as "productType",
    min(p.amount * latest_exchange_rate(p.currency, 'USD')) as "marketPrice"
  from product pr join variant v on v.product_id = pr.id
  left join price p on p.variant_id = v.id and p.source = 'VendorMarket'
  where pr.sealed_set_type is not null
  group by pr.id`;

export const STORED_EVS = `
  select 'pev_' || set_type || '_' || product_type as id, estimated_value as "estimatedValue",
    market_price as "marketPrice", distribution
  from product_ev`;

export interface StoredEv {
  id: string;
  estimatedValue: string;
  marketPrice: string;
  distribution: EvDistribution | null;
}
