import { z } from '@hono/zod-openapi';
import { LIMITS } from '../../domain/limits.ts';
import type { Product } from '../../services/products/model.ts';
import type { PricedProduct } from '../../services/products/priced.ts';
import {
  fcId,
  imageUrl,
  MAX_PARTS,
  moneyOrNull,
  nullableMoney,
  oncePerObject,
  optionalText,
  productId,
  text,
  variantId,
  whole,
} from './parts.ts';

const VariantSchema = z
  .strictObject({
    variantId,
    variantName: text('name'),
    marketPrice: nullableMoney,
    fcId,
    saleVolumes: z
      .array(whole(0, 2 ** 31 - 1))
      .min(LIMITS.saleVolumeDays)
      .max(LIMITS.saleVolumeDays)
      .meta({ description: `Sales per day of the last ${LIMITS.saleVolumeDays} days, the newest last` }),
  })
  .openapi('VariantResponseModel');

export const ProductSchema = z
  .strictObject({
    productId,
    vendorProductId: whole(0, 2 ** 31 - 1, { description: '0 where the vendor does not list the card' }),
    name: text('name'),
    number: optionalText,
    imageUrl,
    description: text('description', { description: 'Text of the card' }),
    cardType: optionalText,
    cardSubType: optionalText,
    class: optionalText,
    rarity: optionalText,
    cost: optionalText,
    defenseValue: optionalText,
    pitchValue: optionalText,
    talent: optionalText,
    power: optionalText,
    intellect: optionalText,
    life: optionalText,
    variants: z.array(VariantSchema).max(MAX_PARTS),
  })
  .openapi('ProductResponseModel');
type ProductBody = z.output<typeof ProductSchema>;

export function productBody({ product, variants, prices }: PricedProduct): ProductBody {
  return {
    productId: product.id,
    vendorProductId: product.vendorProductId ?? 0,
    name: product.name,
    number: product.number,
    imageUrl: product.imageUrl,
    description: product.description,
    cardType: product.cardType,
    cardSubType: product.cardSubType,
    class: product.class,
    rarity: product.rarity,
    cost: product.cost,
    defenseValue: product.defenseValue,
    pitchValue: product.pitchValue,
    talent: product.talent,
    power: product.power,
    intellect: product.intellect,
    life: product.life,
    variants: variants.map((variant, i) => ({
      variantId: variant.id,
      variantName: variant.variantName,
      marketPrice: moneyOrNull(prices[i]!),
      fcId: variant.fcId,
      saleVolumes: variant.saleVolumes,
    })),
  };
}

export const PRODUCT: ProductBody = {
  productId: 'prd_5d2t71ehfc5gmd12',
  vendorProductId: 225899,
  name: 'Command and Conquer',
  number: 'ARC159',
  imageUrl: 'https://tcgplayer-cdn.tcgplayer.com/product/225899_200w.jpg',
  description:
    "Defense reaction cards can't be played this chain link. When this hits a hero, destroy all cards in their arsenal.",
  cardType: 'Action',
  cardSubType: 'Attack',
  class: 'Generic',
  rarity: 'Majestic',
  cost: '2',
  defenseValue: '3',
  pitchValue: '1',
  talent: null,
  power: '6',
  intellect: null,
  life: null,
  variants: [
    {
      variantId: 'var_m96edymvth2ckgbz',
      variantName: '1st Edition Normal',
      marketPrice: { currency: 'EUR', value: 5.77 },
      fcId: 'ARC159-First',
      saleVolumes: [0, 1, 2, 1, 0, 2, 1, 3, 2, 1, 3, 2, 3, 1, 1, 3, 4, 2, 0, 2, 0, 2, 1, 2, 0, 3, 2, 0, 1, 0],
    },
    {
      variantId: 'var_1hvm431s094jxa6x',
      variantName: '1st Edition Rainbow Foil',
      marketPrice: { currency: 'EUR', value: 8.28 },
      fcId: 'ARC159-First-Rainbow',
      saleVolumes: [0, 1, 1, 2, 2, 1, 3, 3, 2, 2, 1, 1, 3, 0, 2, 2, 1, 4, 1, 2, 2, 3, 2, 2, 3, 2, 3, 1, 2, 3],
    },
    {
      variantId: 'var_atzw90sz174deze4',
      variantName: 'Unlimited Edition Normal',
      marketPrice: { currency: 'EUR', value: 2.42 },
      fcId: 'ARC159-Unlimited',
      saleVolumes: [3, 2, 2, 1, 2, 0, 1, 3, 2, 1, 3, 0, 2, 1, 2, 2, 2, 1, 2, 1, 0, 1, 0, 2, 1, 2, 0, 2, 1, 2],
    },
    {
      variantId: 'var_etz39vwv5hqap4pp',
      variantName: 'Unlimited Edition Rainbow Foil',
      marketPrice: { currency: 'EUR', value: 3.95 },
      fcId: 'ARC159-Unlimited-Rainbow',
      saleVolumes: [0, 1, 0, 1, 1, 1, 3, 0, 2, 2, 2, 2, 1, 1, 3, 1, 0, 1, 0, 1, 2, 2, 1, 3, 0, 2, 0, 1, 3, 3],
    },
  ],
};

export const ProductSearchSchema = z
  .strictObject({ productId, name: text('name'), imageUrl, number: optionalText })
  .openapi('ProductSearchResponseModel');
type ProductSearchBody = z.output<typeof ProductSearchSchema>;

/** As JSON. */
export const productSearchText = oncePerObject(({ id, name, imageUrl, number }: Product): string =>
  JSON.stringify({ productId: id, name, imageUrl, number } satisfies ProductSearchBody),
);

export const FOUND: ProductSearchBody[] = [
  {
    productId: 'prd_5d2t71ehfc5gmd12',
    name: 'Command and Conquer',
    imageUrl: 'https://tcgplayer-cdn.tcgplayer.com/product/225899_200w.jpg',
    number: 'ARC159',
  },
  {
    productId: 'prd_rptkfdrskr5bs5gx',
    name: 'Command and Conquer',
    imageUrl: 'https://legendstory-production-s3-public.s3.amazonaws.com/media/cards/large/FAB278.webp',
    number: 'FAB278',
  },
];
