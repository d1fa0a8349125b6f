import { LIMITS } from '../../domain/limits.ts';
import type { Builder } from '../builder.ts';
import type { Enums } from '../enums.ts';

/** Of transactions, and of what is held by them. */
export function addTransactionFilter(builder: Builder, enums: Enums) {
  return builder.inputType('TransactionFilter', {
    description: `What transactions are to match: all that is given, of each list any of its 1 to ${LIMITS.filterValues} values.`,
    fields: (t) => ({
      variantId: t.id({ description: 'Of this variant.' }),
      productId: t.id({ description: 'Of a variant of this product.' }),
      action: t.field({ type: enums.Action, description: 'Purchases or sales alone.' }),
      from: t.field({ type: 'Date', description: 'First day.' }),
      to: t.field({ type: 'Date', description: 'Last day.' }),
      cardCondition: t.field({ type: [enums.CardCondition], description: 'Of cards in these conditions.' }),
      language: t.field({ type: [enums.Language], description: 'Of cards in these languages.' }),
      tags: t.stringList({ description: 'With any of these tags, as they are written.' }),
      graded: t.boolean({ description: 'Of cards that are graded, or of those that are not.' }),
    }),
  });
}
