import { z } from '@hono/zod-openapi';
import { COLLECTION_KINDS } from '../../domain/collections.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Collection } from '../../services/collections/model.ts';
import {
  collectionId,
  derived,
  EXAMPLE_IDS,
  held,
  MoneySchema,
  money,
  moneyOrNull,
  text,
  whole,
} from './parts.ts';

export const CollectionSchema = z
  .strictObject({
    collectionId,
    name: text('name').max(LIMITS.nameCharacters),
    valued: z.boolean().meta({ description: 'Whether the collection counts for the dashboard' }),
    pinned: z.boolean(),
    isGoalCollection: z.boolean(),
    description: text('description', { description: 'Text of yours' }).max(LIMITS.descriptionCharacters),
    quantity: held,
    image: whole(0, LIMITS.image),
    cashPosition: derived,
    invested: derived,
    profit: derived,
    gain: derived,
    marketValue: MoneySchema,
    collectionKind: z
      .enum(COLLECTION_KINDS)
      .optional()
      .meta({ description: 'Wishlist where it is one; left out of others' }),
  })
  .openapi('CollectionResponseModel');
type CollectionBody = z.output<typeof CollectionSchema>;

export function collectionBody(collection: Collection): CollectionBody {
  return {
    collectionId: collection.id,
    name: collection.name,
    valued: collection.valued,
    pinned: collection.pinned,
    isGoalCollection: collection.isGoalCollection,
    description: collection.description,
    quantity: collection.quantity,
    image: collection.image,
    cashPosition: moneyOrNull(collection.cashPosition),
    invested: moneyOrNull(collection.invested),
    profit: moneyOrNull(collection.profit),
    gain: moneyOrNull(collection.gain),
    marketValue: money(collection.marketValue),
    // The contract's collections have none.
    ...(collection.kind === 'Wishlist' && { collectionKind: collection.kind }),
  };
}

export const NEW_COLLECTION: CollectionBody = {
  collectionId: 'col_01kp34h880fh70tcr0bdf4jpd3',
  name: 'My binder',
  valued: false,
  pinned: false,
  isGoalCollection: false,
  description: '',
  quantity: 0,
  image: 0,
  cashPosition: null,
  invested: null,
  profit: null,
  gain: null,
  marketValue: { currency: 'USD', value: 0 },
};

/** With 4 cards bought and 1 sold. */
export const COLLECTION: CollectionBody = {
  ...NEW_COLLECTION,
  collectionId: EXAMPLE_IDS.collectionId,
  quantity: 3,
  cashPosition: { currency: 'USD', value: -25 },
  invested: { currency: 'USD', value: 30 },
  profit: { currency: 'USD', value: 5 },
  gain: { currency: 'USD', value: -21.51 },
  marketValue: { currency: 'USD', value: 8.49 },
};
