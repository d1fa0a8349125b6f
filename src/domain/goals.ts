import { z } from 'zod';
import { Quantity, SetCode } from './inputs.ts';
import { LIMITS } from './limits.ts';

/**
 * What serves for a card that is wanted: that variant alone, any variant of its product (any finish of that printing), or
 * any printing of the card, in any set: cards of one name and pitch are one card.
 */
export const GOAL_MATCHES = ['Variant', 'Product', 'Card'] as const;
export type GoalMatch = (typeof GOAL_MATCHES)[number];

const ITEMS_RULE = `must have 1 to ${LIMITS.goalItems} items`;

export const GoalMatchInput = z.enum(GOAL_MATCHES).default('Variant');

/** What a goal collection is to hold: one of the three. */
export const GoalTargetInput = z
  .strictObject({
    collectionId: z.string('must be an id').optional(),
    items: z
      .array(z.strictObject({ variantId: z.string('must be an id'), quantity: Quantity }))
      .min(1, ITEMS_RULE)
      .max(LIMITS.goalItems, ITEMS_RULE)
      .optional(),
    setCode: SetCode.optional(),
  })
  .refine(
    ({ collectionId, items, setCode }) =>
      [collectionId, items, setCode].filter((one) => one !== undefined).length === 1,
    'must have one of collectionId, items and setCode',
  );

export type GoalTarget = z.output<typeof GoalTargetInput> & { match: GoalMatch };
