import { LIMITS } from '../../domain/limits.ts';
import { withCommas } from '../../lib/text.ts';
import type { Collection } from '../../services/collections/model.ts';
import type { Goal, MissingCard } from '../../services/goals/get.ts';
import { MISSING_ORDER } from '../../services/goals/get.ts';
import { setGoalCollection } from '../../services/goals/set.ts';
import { connectionNames, connectionOf } from '../connection.ts';
import { givenBy, mustExist } from '../node.ts';
import { nullOnlyByError } from '../semantic-non-null.ts';
import type { SchemaParts } from './refs.ts';

/** The goal of an account: what its goal collection is to hold, and how far it is. */
export function addGoals(parts: SchemaParts): void {
  const { builder, CollectionType } = parts;
  const GoalType = addGoal(parts);
  builder.objectFields(CollectionType, (t) => ({
    goal: t.field({
      type: GoalType,
      nullable: true,
      description: 'What it is to hold; null where it is not the goal collection, or was given no target.',
      resolve: ({ id }, _args, { loaders }) => loaders.goals.goal(id),
    }),
  }));
  addGoalMutation(parts);
}

function addGoal(parts: SchemaParts) {
  const { builder, enums, CollectionType, GoalProgressType } = parts;
  addProgress(parts);
  const MissingType = addMissing(parts);
  return builder.objectRef<Goal>('Goal').implement({
    description: 'What the goal collection is to hold.',
    fields: (t) => ({
      match: t.expose('match', {
        type: enums.GoalMatch,
        description: 'What serves for a card that is wanted.',
      }),
      targetCollection: t.field({
        type: CollectionType,
        nullable: true,
        description: 'The collection whose holdings are wanted; null where the goal has a list.',
        resolve: ({ targetCollectionId }, _args, { loaders }) =>
          targetCollectionId === null ? null : loaders.collection(targetCollectionId),
      }),
      progress: t.field({
        ...nullOnlyByError,
        type: GoalProgressType,
        description: 'How far it is.',
        resolve: (goal, _args, { loaders }) => loaders.goals.progress(goal),
      }),
      missingCards: t.connection(
        {
          type: MissingType,
          description: 'What is missing, by the names of what is shown for it.',
          resolve: (goal, args, { loaders }) =>
            connectionOf(
              args,
              MISSING_ORDER,
              (request) => loaders.goals.missing(goal, request),
              async () => (await loaders.goals.progress(goal))?.missingCount ?? 0,
            ),
        },
        ...connectionNames('MissingCard'),
      ),
    }),
  });
}

function addProgress({ GoalProgressType, MoneyType }: SchemaParts): void {
  GoalProgressType.implement({
    description: 'How far a goal or a set is, in cards.',
    fields: (t) => ({
      wanted: t.expose('wanted', {
        type: 'SafeInt',
        description: 'Cards that the collection is to hold.',
      }),
      owned: t.expose('owned', {
        type: 'SafeInt',
        description: 'Of those, what the collection itself holds; others do not count.',
      }),
      missing: t.expose('missing', { type: 'SafeInt', description: 'wanted − owned.' }),
      costToComplete: t.expose('costToComplete', {
        type: MoneyType,
        description:
          'What is missing at market prices, each by the cheapest variant that serves; what has no known price is not in it.',
      }),
      unpricedMissing: t.expose('unpricedMissing', {
        type: 'SafeInt',
        description: 'Of the cards that are missing, those without a known price.',
      }),
    }),
  });
}

function addMissing({ builder, MoneyType, VariantType }: SchemaParts) {
  return builder.objectRef<MissingCard>('MissingCard').implement({
    description: 'A card of which the goal collection holds too few.',
    fields: (t) => ({
      variant: t.field({
        type: VariantType,
        description: 'The cheapest that serves; one of those that are wanted where no price is known.',
        resolve: ({ variantId }, _args, { loaders }) => mustExist(loaders.variant(variantId)),
      }),
      wanted: t.expose('wanted', { type: 'SafeInt', description: 'How many are wanted.' }),
      owned: t.expose('owned', { type: 'SafeInt', description: 'How many of those are held.' }),
      missing: t.expose('missing', { type: 'SafeInt', description: 'wanted − owned.' }),
      unitPrice: t.expose('marketPrice', {
        type: MoneyType,
        nullable: true,
        description: 'The market price of that variant; null where none is known.',
      }),
      cost: t.expose('cost', {
        type: MoneyType,
        nullable: true,
        description: 'unitPrice × missing; null where no price is known.',
      }),
    }),
  });
}

function addGoalMutation({ builder, enums, addMutation, CollectionType }: SchemaParts): void {
  const ItemInput = builder.inputType('GoalItemInput', {
    description: 'How many of a variant are wanted.',
    fields: (t) => ({
      variantId: t.id({ required: true, description: 'The variant.' }),
      quantity: t.int({
        required: true,
        description: `1 to ${withCommas(LIMITS.quantity)}; those of one variant add up.`,
      }),
    }),
  });
  const TargetInput = builder.inputType('GoalTargetInput', {
    description: 'What the goal collection is to hold.',
    isOneOf: true,
    fields: (t) => ({
      collectionId: t.id({ description: 'What another collection holds, as it changes.' }),
      items: t.field({
        type: [ItemInput],
        description: `A list of 1 to ${LIMITS.goalItems} items; the quantities of one variant add up.`,
      }),
      setCode: t.string({
        description:
          'A set by its code, such as `WTR`, without what is sealed: one of each variant, product or card of it, as `match` beside the target says.',
      }),
    }),
  });
  addMutation<{ collection: Collection | null }>({
    name: 'setGoalCollection',
    description:
      'Makes a collection the goal of the account, and says what it is to hold; there is one at most. Without a target it keeps the one that it has as the goal.',
    problems: ['NotFound'],
    fields: (t) => ({
      collectionId: t.id({ description: 'The new goal; none where it is left out.' }),
      target: t.field({ type: TargetInput, description: 'What it is to hold.' }),
      match: t.field({
        type: enums.GoalMatch,
        description: 'What serves for a card of the target; `VARIANT` where it is left out.',
      }),
    }),
    payload: (t) => ({
      collection: t.field({
        type: CollectionType,
        nullable: true,
        description: 'The goal collection.',
        resolve: ({ collection }, _args, graphql) =>
          collection && givenBy(graphql, collection, () => graphql.loaders.collection(collection.id)),
      }),
    }),
    verb: async (ctx, { collectionId, target, match }) => ({
      collection: await setGoalCollection(
        ctx,
        collectionId === undefined ? null : String(collectionId),
        target,
        match,
      ),
    }),
  });
}
