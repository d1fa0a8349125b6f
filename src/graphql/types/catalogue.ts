import { LIMITS } from '../../domain/limits.ts';
import { pictureOfSize } from '../../domain/pictures.ts';
import type { Product, Variant } from '../../services/products/model.ts';
import type { KeptExtensions } from '../catalogue-texts.ts';
import { mustExist, unlessDeleted } from '../node.ts';
import type { SchemaParts } from './refs.ts';

/** Products and variants. */
export function addCatalogue(parts: SchemaParts): void {
  addProducts(parts);
  addVariants(parts);
}

const CARD_FIELDS = {
  cardType: 'Card type, e.g. `Action`.',
  cardSubType: 'Card subtype, e.g. `Attack`.',
  class: 'Class, e.g. `Ninja`.',
  rarity: 'Rarity of the printing, e.g. `Majestic`.',
  cost: 'Resource cost, or its special form such as `XX`.',
  defenseValue: 'Defence, or its special form.',
  pitchValue: 'Resources for pitching it: 1 red, 2 yellow, 3 blue.',
  talent: 'Talent, e.g. `Shadow`.',
  power: 'Power, or its special form such as `*`.',
  intellect: 'Intellect of a hero.',
  life: 'Life of a hero or ally.',
} as const;

function addProducts(parts: SchemaParts): void {
  const { builder, ProductType, SetType, VariantType } = parts;
  builder.node(ProductType, {
    extensions: {
      keptWith: (held, product: Product) => held.product(product.id) === product,
    } satisfies KeptExtensions,
    id: { resolve: ({ id }) => id, description: 'Global id, `prd_…`.' },
    description:
      'A product of the vendor: one printing of a card in one set and edition family, or a sealed product.',
    fields: (t) => ({
      productId: t.exposeID('id', { description: 'The same as `id`, by the name that REST gives it.' }),
      vendorProductId: t.exposeInt('vendorProductId', {
        nullable: true,
        description: "The vendor's id; null where the vendor does not list the card.",
      }),
      name: t.exposeString('name', { description: 'Name, with the pitch colour where cards differ in it.' }),
      number: t.exposeString('number', { nullable: true, description: 'Card number, e.g. `WTR001`.' }),
      imageUrl: t.string({
        description: IMAGE_URL,
        args: pictureSize(parts),
        resolve: ({ imageUrl }, { size }) => pictureOfSize(imageUrl, size ?? 'Small'),
      }),
      description: t.exposeString('description', { description: 'Functional text, in Markdown.' }),
      ...Object.fromEntries(
        (Object.keys(CARD_FIELDS) as (keyof typeof CARD_FIELDS)[]).map((field) => [
          field,
          t.exposeString(field, { nullable: true, description: CARD_FIELDS[field] }),
        ]),
      ),
      variants: t.field({
        type: [VariantType],
        description: 'Its finishes and editions.',
        extensions: { maxItems: LIMITS.productVariants },
        resolve: ({ id }, _args, { loaders }) => loaders.variantsOfProduct(id),
      }),
      set: t.field({
        type: SetType,
        description: 'The set that it is of.',
        // Products may be of a newer catalogue than sets.
        resolve: ({ setCode }, _args, { loaders, context }) =>
          unlessDeleted('set', Promise.resolve(loaders.sets.set(setCode)), context.seen),
      }),
      owned: t.field({
        type: 'SafeInt',
        description: `How many of all its variants you hold. ${OWNED}`,
        args: ofCollection(parts),
        extensions: { ofCaller: true } satisfies KeptExtensions,
        resolve: ({ id }, { collectionId }, { loaders }) =>
          loaders.owned('Product', id, collectionId ?? null),
      }),
    }),
  });

  builder.queryFields((t) => ({
    product: t.field({
      type: ProductType,
      nullable: true,
      description: 'A product; null where there is none with this id.',
      args: { id: t.arg.id({ required: true, description: 'Its id.' }) },
      resolve: (_root, { id }, { loaders }) => loaders.product(id),
    }),
  }));
}

export const IMAGE_URL =
  'Address of a picture, empty where there is none. One that begins with a slash is of this service: a drawing of a sealed product that has no other.';

/** An argument: pictures of the vendor come in three sizes, all others in one. */
export function pictureSize({ builder, enums }: SchemaParts) {
  return builder.args((t) => ({
    size: t.field({
      type: enums.PictureSize,
      description: 'How large, where there is a choice; `SMALL` where it is left out.',
    }),
  }));
}

/** Arguments: what prices are asked for in. */
export function priceChoice({ builder, enums }: SchemaParts) {
  return builder.args((t) => ({
    currency: t.field({ type: enums.Currency, description: 'Your preferred currency where it is left out.' }),
    priceSource: t.field({
      type: enums.PriceSource,
      description: 'Your preferred source where it is left out.',
    }),
  }));
}

const OWNED = 'A collection in which more is sold than bought counts as 0.';

function ofCollection({ builder }: SchemaParts) {
  return builder.args((t) => ({
    collectionId: t.id({ description: 'In this collection; in all of yours where it is left out.' }),
  }));
}

function addVariants(parts: SchemaParts): void {
  const { builder, MoneyType, ProductType, VariantType } = parts;
  builder.node(VariantType, {
    extensions: {
      keptWith: (held, variant: Variant) => held.variant(variant.id) === variant,
    } satisfies KeptExtensions,
    id: { resolve: ({ id }) => id, description: 'Global id, `var_…`.' },
    description: 'One finish and edition of a product.',
    fields: (t) => ({
      variantId: t.exposeID('id', { description: 'The same as `id`, by the name that REST gives it.' }),
      variantName: t.exposeString('variantName', {
        description: 'As the vendor names it, e.g. `1st Edition Rainbow Foil`.',
      }),
      fcId: t.exposeString('fcId', { description: "The catalogue's own printing code." }),
      marketPrice: t.field({
        type: MoneyType,
        nullable: true,
        description: 'Latest market price, at the latest exchange rate; null when none is known.',
        args: priceChoice(parts),
        extensions: { byPreferences: true } satisfies KeptExtensions,
        resolve: ({ id }, choice, { loaders }) => loaders.marketPrice(id, choice),
      }),
      saleVolumes: t.exposeIntList('saleVolumes', {
        description: `Number of sales on each of the last ${LIMITS.saleVolumeDays} days, the newest last.`,
      }),
      owned: t.field({
        type: 'SafeInt',
        description: `How many you hold. ${OWNED}`,
        args: ofCollection(parts),
        extensions: { ofCaller: true } satisfies KeptExtensions,
        resolve: ({ id }, { collectionId }, { loaders }) =>
          loaders.owned('Variant', id, collectionId ?? null),
      }),
      product: t.field({
        type: ProductType,
        description: 'The product that this is a variant of.',
        resolve: ({ productId }, _args, { loaders }) => mustExist(loaders.product(productId)),
      }),
    }),
  });

  builder.queryFields((t) => ({
    variant: t.field({
      type: VariantType,
      nullable: true,
      description: 'A variant; null where there is none with this id.',
      args: { id: t.arg.id({ required: true, description: 'Its id.' }) },
      resolve: (_root, { id }, { loaders }) => loaders.variant(id),
    }),
  }));
}
