import type { Edition, ProductType } from '../../domain/catalogue.ts';
import { keptLists, upsert } from './upsert.ts';

/** Products and variants as imports write them, and find them again. */

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
