import type { CatalogueProduct } from '../../domain/catalogue.ts';
import type { SearchEntry } from '../../domain/search/search-index.ts';
import type { VariantMarket } from '../../domain/search/search-market.ts';
import { latestRate } from './exchange.ts';
import { PRICING_REVISION } from './market-data.ts';

/** Statements on the catalogue. */

/** $1 ids as JSON. */
export const VARIANTS_EXIST =
  'select id from variant where id in (select jsonb_array_elements_text($1::jsonb))';

/** Where a picture of a product `p` is: of what is sealed and has none a drawing of ours (domain/pictures.ts). */
export const IMAGE_URL = `coalesce(
    nullif(p.image_url, ''), '/pictures/' || lower(p.set_code) || '/' || lower(p.sealed_product_type) || '.svg', '')`;

export const PRODUCT_COLUMNS = `
  p.id, p.vendor_product_id as "vendorProductId", p.name, p.number, ${IMAGE_URL} as "imageUrl", p.description,
  p.set_code as "setCode", p.set_name as "setName", p.release_date::text as "releaseDate",
  p.card_type as "cardType", p.card_sub_type as "cardSubType", p.class, p.rarity, p.cost,
  p.defense_value as "defenseValue", p.pitch_value as "pitchValue", p.talent, p.power, p.intellect, p.life`;

/** $1 ids as JSON. */
export const PRODUCTS_BY_ID = `
  select ${PRODUCT_COLUMNS} from product p where p.id in (select jsonb_array_elements_text($1::jsonb))`;

export type ProductRow = { id: string } & Omit<
  CatalogueProduct,
  'productId' | 'sealed' | 'variants' | OnlySearched
>;

/** What the search alone asks for. */
type OnlySearched = 'otherNumbers' | 'otherFaces' | 'keywords' | 'legality';

const VARIANT = `
  select v.id, v.product_id as "productId", v.name as "variantName", v.fc_id as "fcId",
    s.daily, s.through::text as through, m.newest_day::text as "newestDay"
  from variant v left join sale_volumes s on s.variant_id = v.id left join market_data m on m.kind = 'sales'`;

/** $1 ids as JSON. */
export const VARIANTS_BY_ID = `${VARIANT} where v.id in (select jsonb_array_elements_text($1::jsonb))`;

/** $1 ids of products as JSON. */
export const VARIANTS_OF_PRODUCTS = `
  ${VARIANT} where v.product_id in (select jsonb_array_elements_text($1::jsonb)) order by v.product_id, v.position`;

export interface VariantRow {
  id: string;
  productId: string;
  variantName: string;
  fcId: string;
  /** Sales per day up to `through`; null where there is none. */
  daily: number[] | null;
  through: string | null;
  newestDay: string | null;
}

/** $1 ids of variants as JSON, $2 currency, $3 price source: the price of each in that currency, at the latest rate; null where none is known. */
export const PRICES = `
  select asked.id as "variantId", p.amount * ${latestRate('p.currency', '$2')} as amount,
    (${PRICING_REVISION}) as "marketRevision"
  from jsonb_array_elements_text($1::jsonb) as asked(id)
  left join price p on p.variant_id = asked.id and p.source = $3`;

/** What the search looks at of each product, beside what is shown of it. $1 id after which a batch starts, $2 its size. */
export const SEARCHABLE_PRODUCTS = `
  select p.id, p.other_numbers as "otherNumbers", p.other_faces as "otherFaces", p.keywords, p.legality,
    p.sealed_product_type as "sealedProductType", v.variants
  from product p cross join lateral (
    select coalesce(jsonb_agg(jsonb_build_object(
      'variantId', id, 'variantName', name, 'fcId', fc_id, 'edition', edition, 'finish', finish,
      'rarity', rarity, 'treatments', treatments, 'artists', artists) order by position), '[]') as variants
    from variant where product_id = p.id) v
  where p.id > $1 order by p.id limit $2::integer`;

export type SearchableProductRow = { id: string } & Pick<
  SearchEntry,
  OnlySearched | 'sealedProductType' | 'variants'
>;

/** The prices of each variant in US dollars and euros, and its sales of 30 days. In batches, as above. */
export const SEARCHABLE_MARKET = `
  with batch as (
    select v.id, pr.amount, pr.currency, coalesce(s.total, 0) as sales30
    from variant v left join price pr on pr.variant_id = v.id and pr.source = 'VendorMarket'
    left join sale_volumes s on s.variant_id = v.id
    where v.id > $1 order by v.id limit $2::integer),
  rate as (
    select currency, ${latestRate('c.currency', `'USD'`)} as usd, ${latestRate('c.currency', `'EUR'`)} as eur
    from (select distinct currency from batch) c)
  select b.id, b.amount * r.usd as price, b.amount * r.eur as eur, b.sales30
  from batch b left join rate r on r.currency = b.currency order by b.id`;

export type SearchableMarketRow = { id: string } & VariantMarket;

/**
 * $1 ids of products, $2 ids of variants, $3 printing codes, $4 numbers in capitals that may be of another face, each as JSON. By an
 * index for each, as `or` goes through the whole catalogue; for numbers through the products alone, which have none for other faces.
 */
export const VARIANTS_TO_MATCH = `
  select v.id as "variantId", v.name as "variantName", v.fc_id as "fcId", v.edition, v.finish,
    v.product_id as "productId", p.other_numbers as "otherNumbers"
  from (
    select v.* from jsonb_array_elements_text($1::jsonb) w(id) join variant v on v.product_id = w.id
    union select v.* from jsonb_array_elements_text($2::jsonb) w(id) join variant v on v.id = w.id
    union select v.* from jsonb_array_elements_text($3::jsonb) w(code) join variant v on v.fc_id = w.code
    union select v.* from product p join variant v on v.product_id = p.id
      where $4::jsonb <> '[]' and p.other_numbers ?| array(select jsonb_array_elements_text($4::jsonb))) v
    join product p on p.id = v.product_id
  order by v.product_id, v.position`;
