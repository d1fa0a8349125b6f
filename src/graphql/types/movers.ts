import { LIMITS } from '../../domain/limits.ts';
import type { Mover, Movers } from '../../services/collections/movers.ts';
import { mustExist } from '../node.ts';
import { nullOnlyByError } from '../semantic-non-null.ts';
import type { SchemaParts } from './refs.ts';

/** What has gained or lost most: of a collection, of the valued ones, and of the whole catalogue. */
export function addMovers(parts: SchemaParts): void {
  const { builder, enums, CollectionType, DashboardType } = parts;
  const MoversType = addMoversType(parts);
  const args = builder.args((t) => ({
    period: t.field({ type: enums.MoverPeriod, required: true, description: 'Over which time.' }),
    by: t.field({ type: enums.MoverMeasure, defaultValue: 'Percentage', description: 'By what.' }),
    direction: t.field({ type: enums.MoverDirection, defaultValue: 'Gain', description: 'Gained or lost.' }),
    first: t.int({
      description: `So many at most, 1 to ${LIMITS.pageSize}; ${LIMITS.defaultPageSize} where it is left out.`,
    }),
  }));
  const field = { ...nullOnlyByError, type: MoversType, args } as const;
  builder.objectFields(CollectionType, (t) => ({
    movers: t.field({
      ...field,
      description: 'What it holds that has gained or lost most.',
      resolve: (collection, asked, { loaders }) => loaders.figures.movers(collection, asked),
    }),
  }));
  builder.objectFields(DashboardType, (t) => ({
    movers: t.field({
      ...field,
      description: 'What the valued collections hold that has gained or lost most.',
      resolve: (dashboard, asked, { loaders }) => loaders.figures.moversOfValued(dashboard, asked),
    }),
  }));
  builder.queryFields((t) => ({
    marketMovers: t.field({
      ...field,
      description: 'What of the whole catalogue has gained or lost most.',
      resolve: (_root, asked, { loaders }) => loaders.figures.marketMovers(asked),
    }),
  }));
}

function addMoversType(parts: SchemaParts) {
  const { builder } = parts;
  const MoverType = addMover(parts);
  return builder.objectRef<Movers>('Movers').implement({
    description: 'What has gained or lost most, by the prices of two days.',
    fields: (t) => ({
      from: t.expose('from', {
        type: 'Date',
        nullable: true,
        description: 'The day that `to` is compared with; null while no prices are loaded.',
      }),
      to: t.expose('to', {
        type: 'Date',
        nullable: true,
        description: 'The day of the newest prices; null while no prices are loaded.',
      }),
      unknownCount: t.exposeInt('unknownCount', {
        description:
          'Variants whose change is not known, as one of both prices is not, or by percentage the earlier one is 0: they are left out.',
      }),
      movers: t.expose('movers', {
        type: [MoverType],
        description: 'The variants, that which moved most first.',
        extensions: { isPerItem: true },
      }),
    }),
  });
}

function addMover({ builder, MoneyType, VariantType }: SchemaParts) {
  return builder.objectRef<Mover>('Mover').implement({
    description: 'A variant whose price has moved; both prices are at the latest exchange rates.',
    fields: (t) => ({
      variant: t.field({
        type: VariantType,
        description: 'What has moved.',
        resolve: ({ variantId }, _args, { loaders }) => mustExist(loaders.variant(variantId)),
      }),
      quantity: t.expose('quantity', { type: 'SafeInt', description: 'Cards held; 1 of the catalogue.' }),
      price: t.expose('price', { type: MoneyType, description: 'The newest price of one card.' }),
      priceBefore: t.expose('priceBefore', {
        type: MoneyType,
        description: 'That at the end of the earlier day.',
      }),
      change: t.expose('change', {
        type: MoneyType,
        description: '(price − priceBefore) × quantity: below 0 for a loss.',
      }),
      changeRatio: t.exposeFloat('changeRatio', {
        nullable: true,
        description: 'price ÷ priceBefore − 1, e.g. 0.25; null where it cost nothing before.',
      }),
    }),
  });
}
