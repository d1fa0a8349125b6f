import { LIMITS } from '../../domain/limits.ts';
import type { AllocationPart } from '../../services/collections/allocation.ts';
import { nullOnlyByError } from '../semantic-non-null.ts';
import type { SchemaParts } from './refs.ts';

interface Allocation {
  parts: AllocationPart[];
}

/** How the market value of what is held is divided. */
export function addAllocation(parts: SchemaParts): void {
  const { builder, enums, CollectionType, DashboardType } = parts;
  const AllocationType = addAllocationType(parts);
  const args = builder.args((t) => ({
    by: t.field({ type: enums.AllocationKey, required: true, description: 'By what.' }),
    first: t.int({
      description: `So many parts at most, 1 to ${LIMITS.pageSize}; ${LIMITS.defaultPageSize} where it is left out.`,
    }),
  }));
  const field = {
    ...nullOnlyByError,
    type: AllocationType,
    description:
      'How the market value is divided, highest first. All parts beyond those asked for are one, the last.',
    args,
  } as const;
  builder.objectFields(CollectionType, (t) => ({
    allocation: t.field({
      ...field,
      resolve: async (collection, { by, first }, { loaders }) => ({
        parts: await loaders.figures.allocation(collection, by, first),
      }),
    }),
  }));
  builder.objectFields(DashboardType, (t) => ({
    allocation: t.field({
      ...field,
      resolve: async (dashboard, { by, first }, { loaders }) => ({
        parts: await loaders.figures.allocationOfValued(dashboard, by, first),
      }),
    }),
  }));
}

function addAllocationType(parts: SchemaParts) {
  const { builder } = parts;
  const PartType = addPart(parts);
  return builder.objectRef<Allocation>('Allocation').implement({
    description: 'How the market value of what is held is divided.',
    fields: (t) => ({
      parts: t.expose('parts', {
        type: [PartType],
        description: 'Highest value first; the rest of them last.',
        extensions: { isPerItem: true },
      }),
    }),
  });
}

function addPart({ builder, MoneyType }: SchemaParts) {
  return builder.objectRef<AllocationPart>('AllocationPart').implement({
    description: 'A part of what is held.',
    fields: (t) => ({
      key: t.exposeString('key', {
        nullable: true,
        description:
          'The code of the set, or the rarity, class or finish; null for cards that have none, and for the rest.',
      }),
      name: t.exposeString('name', {
        description:
          'The name of the set, or the same as the key; `None` for cards that have none, `Other` for the rest.',
      }),
      isRest: t.exposeBoolean('isRest', {
        description: 'Whether it stands for all parts beyond those asked for.',
      }),
      quantity: t.expose('quantity', { type: 'SafeInt', description: 'Cards held.' }),
      unpricedQuantity: t.expose('unpricedQuantity', {
        type: 'SafeInt',
        description: 'Cards held without a known price: they count as 0.',
      }),
      marketValue: t.expose('marketValue', { type: MoneyType, description: 'Market price × quantity.' }),
      share: t.float({
        nullable: true,
        description:
          'Its part of the value of all parts, from 0 to 1 to 4 decimals; null where nothing has a value.',
        resolve: ({ share }) => (share === null ? null : Number(share)),
      }),
      shareDecimal: t.exposeString('share', {
        nullable: true,
        description: 'The same as an exact decimal; those of all parts add up to exactly 1.',
      }),
    }),
  });
}
