import { z } from '@hono/zod-openapi';
import { PRODUCT_TYPES } from '../../domain/catalogue.ts';
import type { EvBreakdown, ProductEv } from '../../domain/product-ev.ts';
import {
  fcId,
  imageUrl,
  MAX_PARTS,
  MoneySchema,
  money,
  oncePerObject,
  productId,
  TEXT,
  text,
} from './parts.ts';

const EvCategorySchema = z
  .strictObject({
    category: text('short', { description: 'Identifier of the category' }),
    categoryName: text('name', { description: 'Display name' }),
    multiplier: z.number().meta({ description: 'Expected number of cards of the category in the product' }),
    averageMarketPrice: MoneySchema,
    contributedValue: MoneySchema,
  })
  .openapi('EvCategory');

export const warning = z
  .string()
  .max(TEXT.warning)
  .nullable()
  .meta({ description: 'What makes the estimate uncertain, in plain words' });

export const EvBreakdownSchema = z
  .strictObject({
    productId,
    productName: text('name'),
    fcId,
    imageUrl,
    currentEstimatedValue: MoneySchema,
    warning,
    categories: z.array(EvCategorySchema).max(MAX_PARTS),
  })
  .openapi('EvBreakdownResponseModel');
type EvBreakdownBody = z.output<typeof EvBreakdownSchema>;

/** As JSON. */
export const evBreakdownText = oncePerObject((breakdown: EvBreakdown): string =>
  JSON.stringify({
    productId: breakdown.productId,
    productName: breakdown.productName,
    fcId: breakdown.fcId,
    imageUrl: breakdown.productImage,
    currentEstimatedValue: money(breakdown.currentEstimatedValue),
    warning: breakdown.warning,
    categories: breakdown.categories.map((category) => ({
      category: category.category,
      categoryName: category.categoryName,
      multiplier: category.multiplier,
      averageMarketPrice: money(category.averageMarketPrice),
      contributedValue: money(category.contributedValue),
    })),
  } satisfies EvBreakdownBody),
);

export const EV_BREAKDOWN: EvBreakdownBody = {
  productId: 'prd_8rf7r6ckwbm9g1sc',
  productName: 'Welcome to Rathe Booster Box [1st Edition]',
  fcId: 'Wtr1stEdition-Box',
  imageUrl: '/pictures/wtr/box.svg',
  currentEstimatedValue: { currency: 'USD', value: 1426.1 },
  warning:
    'Prices are sample data, not real market prices. The pull rate of Fabled is not published; it adds nothing. Rainbow Foil is published without its split by rarity, and counted at the mean price of its commons, a lower bound. Cold Foil is published without its split by rarity, and counted at the mean price of its commons, a lower bound. 1 of 132 Common cards has no market price.',
  categories: [
    {
      category: 'ColdFoilLegendary',
      categoryName: 'Cold Foil Legendary',
      multiplier: 0.25,
      averageMarketPrice: { currency: 'USD', value: 3493.48 },
      contributedValue: { currency: 'USD', value: 873.37 },
    },
    {
      category: 'Majestic',
      categoryName: 'Majestic',
      multiplier: 2,
      averageMarketPrice: { currency: 'USD', value: 24.98 },
      contributedValue: { currency: 'USD', value: 49.97 },
    },
    {
      category: 'SuperRare',
      categoryName: 'Super Rare',
      multiplier: 4,
      averageMarketPrice: { currency: 'USD', value: 10.04 },
      contributedValue: { currency: 'USD', value: 40.16 },
    },
    {
      category: 'Rare',
      categoryName: 'Rare',
      multiplier: 42,
      averageMarketPrice: { currency: 'USD', value: 2.72 },
      contributedValue: { currency: 'USD', value: 114.35 },
    },
    {
      category: 'Common',
      categoryName: 'Common',
      multiplier: 288,
      averageMarketPrice: { currency: 'USD', value: 0.95 },
      contributedValue: { currency: 'USD', value: 274.72 },
    },
    {
      category: 'Token',
      categoryName: 'Token',
      multiplier: 24,
      averageMarketPrice: { currency: 'USD', value: 1.21 },
      contributedValue: { currency: 'USD', value: 29.06 },
    },
    {
      category: 'RainbowFoil',
      categoryName: 'Rainbow Foil',
      multiplier: 24,
      averageMarketPrice: { currency: 'USD', value: 1.59 },
      contributedValue: { currency: 'USD', value: 38.12 },
    },
    {
      category: 'ColdFoil',
      categoryName: 'Cold Foil',
      multiplier: 0.75,
      averageMarketPrice: { currency: 'USD', value: 8.46 },
      contributedValue: { currency: 'USD', value: 6.34 },
    },
  ],
};

export const ProductEvSchema = z
  .strictObject({
    setType: text('short', { description: 'The set and edition, such as Wtr1stEdition' }),
    productType: z.enum(PRODUCT_TYPES),
    productId,
    productImage: imageUrl,
    productName: text('name'),
    fcId,
    currentEstimatedValue: MoneySchema,
    marketPrice: MoneySchema,
    marketPriceDelta: MoneySchema,
    warning,
  })
  .openapi('ProductEvResponseModel');
type ProductEvBody = z.output<typeof ProductEvSchema>;

/** As JSON. */
export const productEvText = oncePerObject((ev: ProductEv): string =>
  JSON.stringify({
    setType: ev.setType,
    productType: ev.productType,
    productId: ev.productId,
    productImage: ev.productImage,
    productName: ev.productName,
    fcId: ev.fcId,
    currentEstimatedValue: money(ev.currentEstimatedValue),
    marketPrice: money(ev.marketPrice),
    marketPriceDelta: money(ev.marketPriceDelta),
    warning: ev.warning,
  } satisfies ProductEvBody),
);

export const EVS: ProductEvBody[] = [
  {
    setType: 'Wtr1stEdition',
    productType: 'Box',
    productId: 'prd_8rf7r6ckwbm9g1sc',
    productImage: '/pictures/wtr/box.svg',
    productName: 'Welcome to Rathe Booster Box [1st Edition]',
    fcId: 'Wtr1stEdition-Box',
    currentEstimatedValue: { currency: 'USD', value: 1426.1 },
    marketPrice: { currency: 'USD', value: 2576 },
    marketPriceDelta: { currency: 'USD', value: -1149.9 },
    warning: EV_BREAKDOWN.warning,
  },
  {
    setType: 'Arc1stEdition',
    productType: 'Box',
    productId: 'prd_zp053tdejaa3gffg',
    productImage: '/pictures/arc/box.svg',
    productName: 'Arcane Rising Booster Box [1st Edition]',
    fcId: 'Arc1stEdition-Box',
    currentEstimatedValue: { currency: 'USD', value: 464.06 },
    marketPrice: { currency: 'USD', value: 825 },
    marketPriceDelta: { currency: 'USD', value: -360.94 },
    warning:
      'Prices are sample data, not real market prices. The pull rate of Fabled is not published; it adds nothing. Rainbow Foil is published without its split by rarity, and counted at the mean price of its commons, a lower bound. Cold Foil is published without its split by rarity, and counted at the mean price of its commons, a lower bound. 1 of 48 Rare cards has no market price. 1 of 12 Cold Foil cards has no market price.',
  },
];
