import { mustExist } from '../node.ts';
import type { SchemaParts } from './refs.ts';

/** What a collection holds of one variant. */
export function addSummaries({ builder, SummaryType, TotalsType, VariantType }: SchemaParts): void {
  builder.node(SummaryType, {
    id: { resolve: ({ id }) => id, description: 'Global id, `sum_…`.' },
    interfaces: [TotalsType],
    description: 'What a collection holds of one variant, derived from its transactions.',
    fields: (t) => ({
      variant: t.field({
        type: VariantType,
        description: 'What is held.',
        resolve: ({ variantId }, _args, { loaders }) => mustExist(loaders.variant(variantId)),
      }),
      warning: t.exposeString('warning', {
        nullable: true,
        description: 'What makes the figures less than they seem, in plain words.',
      }),
    }),
  });
}
