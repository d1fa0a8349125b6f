import type { EvDistribution } from '../../domain/ev-distribution.ts';

/** Statements on market data: prices, sales, exchange rates, pull rates and what is derived from them. */

/** Grows with everything that changes what a card is worth in some currency. */
export const PRICING_REVISION = `select coalesce(sum(revision), 0)::bigint from market_data where kind in ('prices', 'rates')`;

/** Grows with every import. */
export const MARKET_REVISION = 'select coalesce(sum(revision), 0)::bigint as revision from market_data';

export type MarketKind = 'catalogue' | 'prices' | 'sales' | 'rates' | 'pull-rates';

export interface MarketDataRow {
  kind: MarketKind;
  version: string;
  isSample: boolean;
  newestDay: string | null;
}

export const MARKET_DATA = `
  select kind, version, is_sample as "isSample", newest_day::text as "newestDay" from market_data order by kind`;

/** $1 kind, $2 version, $3 whether it is made up, $4 the newest day that it covers, or null. */
export const RECORD_IMPORT = `
  insert into market_data as m (kind, version, is_sample, newest_day, revision) values ($1, $2, $3::boolean, $4::date, 1)
  on conflict (kind) do update set version = excluded.version, is_sample = excluded.is_sample,
    newest_day = excluded.newest_day, revision = m.revision + 1`;

const upsert = (table: string, key: string, columns: readonly (readonly [name: string, type: string])[]) => {
  const names = columns.map(([name]) => name);
  const values = names.filter((name) => !key.split(', ').includes(name));
  return `
  insert into ${table} as old (${names.join(', ')})
  select ${names.join(', ')} from jsonb_to_recordset($1::jsonb) as r(${columns.map((column) => column.join(' ')).join(', ')})
  on conflict (${key}) do update set ${values.map((name) => `${name} = excluded.${name}`).join(', ')}
  where (${values.map((name) => `old.${name}`).join(', ')})
    is distinct from (${values.map((name) => `excluded.${name}`).join(', ')})
  returning (xmax = 0) as added`;
};

/** Each takes the rows as JSON in $1 and gives a row for each one that was added or changed. */
export const UPSERT_PRODUCTS = upsert('product', 'id', [
  ['id', 'text'],
  ['vendor_product_id', 'integer'],
  ['name', 'text'],
  ['number', 'text'],
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
]);

export const UPSERT_VARIANTS = upsert('variant', 'id', [
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
]);

export const UPSERT_PRICES = upsert('price', 'variant_id, source', [
  ['variant_id', 'text'],
  ['source', 'text'],
  ['currency', 'text'],
  ['amount', 'numeric'],
  ['as_of', 'date'],
]);

/** $1 source, $2 day: the prices of that day, where they are not those that the history has for it. */
export const RECORD_PRICE_HISTORY = `
  insert into price_history (variant_id, source, day, currency, amount)
  select p.variant_id, p.source, p.as_of, p.currency, p.amount from price p
  left join lateral (
    select h.currency, h.amount from price_history h
    where h.variant_id = p.variant_id and h.source = p.source and h.day <= $2::date
    order by h.day desc limit 1
  ) last on true
  where p.source = $1 and p.as_of = $2::date
    and (last.currency is null and p.amount is not null
      or last.currency is not null and (last.currency, last.amount) is distinct from (p.currency, p.amount))
  on conflict (variant_id, source, day) do update set currency = excluded.currency, amount = excluded.amount`;

export const UPSERT_SALE_VOLUMES = upsert('sale_volumes', 'variant_id', [
  ['variant_id', 'text'],
  ['through', 'date'],
  ['daily', 'jsonb'],
  ['total', 'integer'],
]);

export const UPSERT_RATES = upsert('fx_rate', 'currency, day', [
  ['currency', 'text'],
  ['day', 'date'],
  ['per_euro', 'numeric'],
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

/** Accounts with a collection that was priced by older market data. */
export const ACCOUNTS_TO_REPRICE = `
  select distinct account_id as "accountId" from collection
  where not deleted and market_revision <> (${PRICING_REVISION})`;
