import type { HeldLot } from '../../services/summaries/lots.ts';
import { MAX_QUANTITIES, type QuantityPart } from '../../services/summaries/quantities.ts';
import { allWarnings } from '../../services/summaries/warnings.ts';
import { connectionNames, connectionOfPlaces } from '../connection.ts';
import { collectionOf, mustExist } from '../node.ts';
import { nullOnlyByError } from '../semantic-non-null.ts';
import type { SchemaParts } from './refs.ts';

/** What a collection holds of one variant. */
export function addSummaries(parts: SchemaParts): void {
  const { builder, CollectionType, SummaryType, TotalsType, VariantType } = parts;
  const LotType = addLotType(parts);
  const QuantityType = addQuantityType(parts);
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
      collection: t.field({
        type: CollectionType,
        description: 'Where it is held.',
        resolve: ({ collectionId }, _args, graphql) => collectionOf(collectionId, graphql),
      }),
      warning: t.string({
        nullable: true,
        description:
          'What makes the figures less than they seem, in plain words: more sold than bought, no known price, an exchange rate of another time.',
        resolve: async (summary, _args, { loaders }) =>
          allWarnings(summary, await loaders.rateWarning(summary)),
      }),
      lots: t.connection(
        {
          type: LotType,
          description: 'The purchases of which cards are left, the oldest first: it is sold next.',
          resolve: ({ id }, args, { loaders }) =>
            connectionOfPlaces(args, 'lots', (request) => loaders.lots(id, request)),
        },
        ...connectionNames('Lot'),
      ),
      quantities: t.field({
        nullable: true,
        type: [QuantityType],
        description:
          'The quantity by what transactions say of the cards, purchases less sales that say the same, where that is not 0: the best condition first.',
        extensions: { ...nullOnlyByError.extensions, maxItems: MAX_QUANTITIES },
        resolve: ({ id }, _args, { loaders }) => loaders.quantities(id),
      }),
    }),
  });
}

function addQuantityType({ builder, enums }: SchemaParts) {
  return builder.objectRef<QuantityPart>('QuantityPart').implement({
    description: 'Cards of a holding in one condition and language.',
    fields: (t) => ({
      cardCondition: t.expose('cardCondition', {
        type: enums.CardCondition,
        nullable: true,
        description: 'Null for those of transactions that do not say it.',
      }),
      language: t.expose('language', {
        type: enums.Language,
        nullable: true,
        description: 'Null for those of transactions that do not say it.',
      }),
      quantity: t.expose('quantity', {
        type: 'SafeInt',
        description: 'Bought less sold; below 0 where more of them were sold than bought.',
      }),
    }),
  });
}

function addLotType({ builder, MoneyType }: SchemaParts) {
  return builder.objectRef<HeldLot>('Lot').implement({
    description: 'Cards that are held and were bought together.',
    fields: (t) => ({
      transactionId: t.exposeID('transactionId', { description: 'Id of the purchase.' }),
      boughtOn: t.expose('boughtOn', { type: 'Date', description: 'The day of the purchase.' }),
      quantityBought: t.expose('quantityBought', { type: 'SafeInt', description: 'Cards bought.' }),
      quantityLeft: t.expose('quantityLeft', { type: 'SafeInt', description: 'Cards left.' }),
      unitCost: t.expose('unitCost', {
        type: MoneyType,
        nullable: true,
        description:
          'What one of them cost in the preferred currency, with its part of fees and shipping: by an average, the average. Null where that is not known.',
      }),
      unitAmount: t.expose('unitAmount', {
        type: MoneyType,
        description: 'What was paid for one of them, as it was given.',
      }),
      exchangeRate: t.exposeString('exchangeRate', {
        description:
          'Units of the preferred currency for one unit of that of `unitAmount`, an exact decimal.',
      }),
    }),
  });
}
