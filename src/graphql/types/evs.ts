import { productEvId } from '../../domain/ids.ts';
import { LIMITS } from '../../domain/limits.ts';
import { DEFAULT_SORTS } from '../../domain/orders.ts';
import { pictureOfSize } from '../../domain/pictures.ts';
import {
  EvBreakdown,
  type EvCategory,
  type EvDistribution,
  type ProductEv,
} from '../../domain/product-ev.ts';
import type { EvPoint } from '../../services/evs/history.ts';
import { productEvOrder } from '../../services/evs/list.ts';
import type { KeptExtensions } from '../catalogue-texts.ts';
import { connectionNames, connectionOf } from '../connection.ts';
import { mustExist } from '../node.ts';
import { nullOnlyByError } from '../semantic-non-null.ts';
import { IMAGE_URL, pictureSize } from './catalogue.ts';
import type { SchemaParts } from './refs.ts';

const OF_BREAKDOWN = { keptWith: 'parent' } satisfies KeptExtensions;
// An object is of one currency, so that its amounts need no more than itself.
const HELD_WITH = {
  keptWith: (held, ev: ProductEv) => held.evs(ev.currency)?.get(ev.id) === ev,
  ofMarket: true,
} satisfies KeptExtensions;

/** The expected values of sealed products. */
export function addEvs(parts: SchemaParts): void {
  addBreakdown(parts);
  addProductEv(parts);
  addSharedFields(parts);
  addEvQueries(parts);
}

function addBreakdown(parts: SchemaParts): void {
  const { EvBreakdownType } = parts;
  const EvCategoryType = addCategory(parts);
  const EvDistributionType = addDistribution(parts);
  EvBreakdownType.implement({
    extensions: HELD_WITH,
    description: 'The expected value of a sealed product by category.',
    fields: (t) => ({
      imageUrl: t.string({
        description: IMAGE_URL,
        args: pictureSize(parts),
        resolve: ({ productImage }, { size }) => pictureOfSize(productImage, size ?? 'Small'),
      }),
      categories: t.expose('categories', {
        type: [EvCategoryType],
        description: 'What the value is made of.',
        extensions: { maxItems: LIMITS.pullRateCategories },
      }),
      distribution: t.expose('distribution', {
        type: EvDistributionType,
        nullable: true,
        description: 'The spread of what the product really returns; null where its cards have no price.',
      }),
    }),
  });
}

function addCategory({ builder, MoneyType }: SchemaParts) {
  return builder.objectRef<EvCategory>('EvCategory').implement({
    extensions: OF_BREAKDOWN,
    description: 'One outcome of a slot of a pack: a rarity in a finish.',
    fields: (t) => ({
      category: t.exposeString('category', { description: 'Identifier, e.g. `RainbowFoilMajestic`.' }),
      categoryName: t.exposeString('categoryName', {
        description: 'Display name, e.g. `Rainbow Foil Majestic`.',
      }),
      multiplier: t.exposeFloat('multiplier', {
        description: 'Expected number of cards of the category in the product.',
      }),
      averageMarketPrice: t.expose('averageMarketPrice', {
        type: MoneyType,
        description: "Mean price of the category's cards that have one.",
      }),
      contributedValue: t.expose('contributedValue', {
        type: MoneyType,
        description: 'multiplier × averageMarketPrice.',
      }),
    }),
  });
}

function addDistribution({ builder, MoneyType }: SchemaParts) {
  return builder.objectRef<EvDistribution>('EvDistribution').implement({
    extensions: OF_BREAKDOWN,
    description:
      'What a product returns when it is opened many times, by simulation of its slots with the same odds.',
    fields: (t) => ({
      mean: t.expose('mean', { type: MoneyType, description: 'Mean, which agrees with the expected value.' }),
      median: t.expose('median', { type: MoneyType, description: 'Half of the products return less.' }),
      p5: t.expose('p5', { type: MoneyType, description: '5 % of the products return less.' }),
      p25: t.expose('p25', { type: MoneyType, description: '25 % of the products return less.' }),
      p75: t.expose('p75', { type: MoneyType, description: '75 % of the products return less.' }),
      p95: t.expose('p95', { type: MoneyType, description: '95 % of the products return less.' }),
      probabilityToBeatMarketPrice: t.exposeFloat('probabilityToBeatMarketPrice', {
        nullable: true,
        description:
          'Share of the products, from 0 to 1, that return more than the market price; null when none is known.',
      }),
      samples: t.exposeInt('samples', { description: 'How many products were simulated.' }),
      standardError: t.expose('standardError', {
        type: MoneyType,
        description: 'Standard error of the mean.',
      }),
    }),
  });
}

function addProductEv(parts: SchemaParts): void {
  const { builder, enums, EvBreakdownType, MoneyType, ProductEvType } = parts;
  const EvPointType = addPoint(parts);
  builder.node(ProductEvType, {
    extensions: HELD_WITH,
    id: { resolve: ({ id }) => id, description: 'Global id, `pev_…`.' },
    description: 'The expected value of a sealed product.',
    fields: (t) => ({
      setType: t.exposeString('setType', { description: 'Set and edition, e.g. `Wtr1stEdition`.' }),
      productType: t.expose('productType', { type: enums.ProductType, description: 'Pack, box or case.' }),
      productImage: t.string({
        description: IMAGE_URL,
        args: pictureSize(parts),
        resolve: ({ productImage }, { size }) => pictureOfSize(productImage, size ?? 'Small'),
      }),
      // As in Variant: a query may ask both of a node, and then they must have one type.
      marketPrice: t.expose('marketPrice', {
        ...nullOnlyByError,
        type: MoneyType,
        description: 'Its own market price; 0 when none is known.',
      }),
      marketPriceDelta: t.expose('marketPriceDelta', {
        type: MoneyType,
        description: 'currentEstimatedValue − marketPrice.',
      }),
      releaseDate: t.expose('releaseDate', {
        type: 'Date',
        nullable: true,
        description: 'When the set came out; null where unknown.',
      }),
      packsPerBox: t.exposeInt('packsPerBox', { description: 'Packs in a box of the set.' }),
      evRatio: t.exposeFloat('evRatio', {
        nullable: true,
        description: 'currentEstimatedValue ÷ marketPrice; null when no market price is known.',
      }),
      history: t.field({
        ...nullOnlyByError,
        type: [EvPointType],
        description: `A point for each day on which prices were imported, of at most ${LIMITS.historyPoints} days.`,
        args: {
          from: t.arg({ type: 'Date', required: true, description: 'First day.' }),
          to: t.arg({ type: 'Date', required: true, description: 'Last day.' }),
        },
        resolve: ({ id }, range, { loaders }) => loaders.evHistory(id, range),
      }),
      breakdown: t.field({
        type: EvBreakdownType,
        description: 'The value by category.',
        resolve: (ev, _args, { loaders }) =>
          ev instanceof EvBreakdown ? ev : mustExist(loaders.evBreakdown(ev.id)),
      }),
    }),
  });
}

function addPoint({ builder, MoneyType }: SchemaParts) {
  return builder.objectRef<EvPoint>('EvPoint').implement({
    description: 'The expected value by the prices of a day, at the exchange rate of that day.',
    fields: (t) => ({
      date: t.expose('date', { type: 'Date', description: 'The day of the prices.' }),
      estimatedValue: t.expose('estimatedValue', {
        type: MoneyType,
        description: 'What its cards were worth on average.',
      }),
      marketPrice: t.expose('marketPrice', {
        type: MoneyType,
        description: 'Its own market price; 0 when none was known.',
      }),
    }),
  });
}

function addSharedFields({
  builder,
  EvBreakdownType,
  MoneyType,
  ProductEvType,
  ProductType,
}: SchemaParts): void {
  for (const type of [ProductEvType, EvBreakdownType]) {
    builder.objectFields(type, (t) => ({
      productId: t.exposeID('productId', { description: 'Id of the sealed product.' }),
      productName: t.exposeString('productName', { description: 'Name of the sealed product.' }),
      fcId: t.exposeString('fcId', { description: "The catalogue's own code of the sealed product." }),
      product: t.field({
        type: ProductType,
        description: 'The sealed product.',
        resolve: ({ productId }, _args, { loaders }) => mustExist(loaders.product(productId)),
      }),
      currentEstimatedValue: t.expose('currentEstimatedValue', {
        type: MoneyType,
        description: 'What its cards are worth on average: the sum of the contributed values.',
      }),
      warning: t.exposeString('warning', {
        nullable: true,
        description: 'What makes the estimate uncertain, in plain words.',
      }),
    }));
  }
}

function addEvQueries({ builder, enums, EvBreakdownType, ProductEvType }: SchemaParts): void {
  builder.queryFields((t) => ({
    productEvs: t.connection(
      {
        type: ProductEvType,
        description: 'The expected values of sealed products.',
        args: {
          sort: t.arg({
            type: enums.ProductEvSort,
            defaultValue: DEFAULT_SORTS.productEvs,
            description: 'Order.',
          }),
          productType: t.arg({ type: enums.ProductType, description: 'All where it is left out.' }),
        },
        resolve: (_root, { sort, productType, ...args }, { loaders }) => {
          const order = productEvOrder(sort ?? DEFAULT_SORTS.productEvs);
          const type = productType ?? null;
          return connectionOf(
            args,
            order,
            (request) => loaders.productEvs(type, order, request),
            () => loaders.productEvCount(type),
          );
        },
      },
      ...connectionNames('ProductEv'),
    ),
    evBreakdown: t.field({
      type: EvBreakdownType,
      nullable: true,
      description: 'The expected value of a sealed product by category; null where there is no such product.',
      args: {
        setType: t.arg.string({ required: true, description: 'Set and edition, e.g. `Wtr1stEdition`.' }),
        productType: t.arg({ type: enums.ProductType, required: true, description: 'Pack, box or case.' }),
      },
      resolve: (_root, { setType, productType }, { loaders }) =>
        loaders.evBreakdown(productEvId(setType, productType)),
    }),
  }));
}
