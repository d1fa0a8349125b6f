import { LIMITS } from '../../domain/limits.ts';
import type { Return } from '../../domain/performance.ts';
import type { ValuePoint } from '../../services/collections/history.ts';
import type { PerformanceOfRange } from '../../services/collections/performance.ts';
import type { PricePoint } from '../../services/products/price-history.ts';
import { nullOnlyByError } from '../semantic-non-null.ts';
import { priceChoice } from './catalogue.ts';
import type { SchemaParts } from './refs.ts';

/** What collections were worth, and how they did; what variants cost. */
export function addHistory(parts: SchemaParts): void {
  const { builder, enums, CollectionType, DashboardType, VariantType } = parts;
  const ValuePointType = addValuePoint(parts);
  const PerformanceType = addPerformance(parts);
  const PricePointType = addPricePoint(parts);
  const range = builder.args((t) => ({
    from: t.field({ type: 'Date', required: true, description: 'First day.' }),
    to: t.field({ type: 'Date', required: true, description: 'Last day.' }),
  }));
  const history = {
    ...range,
    ...builder.args((t) => ({
      interval: t.field({
        type: enums.Interval,
        defaultValue: 'Day',
        description: 'Distance between the points.',
      }),
    })),
  };
  builder.objectFields(CollectionType, (t) => ({
    valueHistory: t.field({
      ...nullOnlyByError,
      type: [ValuePointType],
      description: `What the collection was worth over time, at most ${LIMITS.historyPoints} points.`,
      args: history,
      resolve: (collection, { from, to, interval }, { loaders }) =>
        loaders.figures.valueHistory(collection, { from, to, interval: interval ?? 'Day' }),
    }),
    performance: t.field({
      ...nullOnlyByError,
      type: PerformanceType,
      description: 'How the collection did from the start of a day to the end of another.',
      args: range,
      resolve: (collection, { from, to }, { loaders }) =>
        loaders.figures.performance(collection, { from, to }),
    }),
  }));
  builder.objectFields(DashboardType, (t) => ({
    valueHistory: t.field({
      ...nullOnlyByError,
      type: [ValuePointType],
      description: `What the collections that are valued now were worth over time, at most ${LIMITS.historyPoints} points.`,
      args: history,
      resolve: (dashboard, { from, to, interval }, { loaders }) =>
        loaders.figures.dashboardHistory(dashboard, { from, to, interval: interval ?? 'Day' }),
    }),
    performance: t.field({
      ...nullOnlyByError,
      type: PerformanceType,
      description: 'How the collections that are valued now did, as one.',
      args: range,
      resolve: (dashboard, { from, to }, { loaders }) =>
        loaders.figures.dashboardPerformance(dashboard, { from, to }),
    }),
  }));
  builder.objectFields(VariantType, (t) => ({
    priceHistory: t.field({
      ...nullOnlyByError,
      type: [PricePointType],
      description: `What it cost over time, at most ${LIMITS.historyPoints} points.`,
      args: { ...history, ...priceChoice(parts) },
      resolve: ({ id }, { from, to, interval, ...choice }, { loaders }) =>
        loaders.priceHistory(id, { from, to, interval: interval ?? 'Day' }, choice),
    }),
  }));
}

function addPricePoint({ builder, MoneyType }: SchemaParts) {
  return builder.objectRef<PricePoint>('PricePoint').implement({
    description: 'What a variant cost at the end of a day.',
    fields: (t) => ({
      date: t.expose('date', { type: 'Date', description: 'The day at the end of which it is told.' }),
      price: t.expose('price', {
        type: MoneyType,
        nullable: true,
        description:
          'The last market price that was known, at the exchange rate of that day; null where none was.',
      }),
    }),
  });
}

function addValuePoint({ builder, MoneyType }: SchemaParts) {
  return builder.objectRef<ValuePoint>('ValuePoint').implement({
    description: 'What a collection was worth at the end of a day, by the transactions up to it.',
    fields: (t) => ({
      date: t.expose('date', { type: 'Date', description: 'The day at the end of which it is told.' }),
      invested: t.expose('invested', {
        type: MoneyType,
        description: 'What the cards that were held had cost.',
      }),
      marketValue: t.expose('marketValue', {
        type: MoneyType,
        description: 'At the prices and the exchange rate of that day; cards without a price count as 0.',
      }),
      knownMarketValue: t.expose('knownMarketValue', {
        type: MoneyType,
        nullable: true,
        description:
          'The same, but null where cards were held and none had a known price: `warning` says so.',
      }),
      profit: t.expose('profit', { type: MoneyType, description: 'Realised up to that day.' }),
      paidIn: t.expose('paidIn', {
        type: MoneyType,
        description: 'What purchases cost since the point before; of the first point, since `from`.',
      }),
      takenOut: t.expose('takenOut', {
        type: MoneyType,
        description: 'What sales brought in the same time.',
      }),
      unpricedVariants: t.exposeInt('unpricedVariants', {
        description: 'Variants that were held without a known price, once for each collection.',
      }),
      warning: t.exposeString('warning', {
        nullable: true,
        description: 'What the market value leaves out, in plain words.',
      }),
    }),
  });
}

function addPerformance(parts: SchemaParts) {
  const { builder, MoneyType } = parts;
  const ReturnType = addReturn(parts);
  return builder.objectRef<PerformanceOfRange>('Performance').implement({
    description: 'How holdings did from the start of a day to the end of another.',
    fields: (t) => ({
      from: t.expose('from', { type: 'Date', description: 'First day.' }),
      to: t.expose('to', { type: 'Date', description: 'Last day.' }),
      startValue: t.expose('startValue', {
        type: MoneyType,
        description: 'Market value at the end of the day before the first, at its prices and rates.',
      }),
      endValue: t.expose('endValue', {
        type: MoneyType,
        description: 'Market value at the end of the last day, at its prices and rates.',
      }),
      paidIn: t.expose('paidIn', { type: MoneyType, description: 'What the purchases cost.' }),
      takenOut: t.expose('takenOut', { type: MoneyType, description: 'What the sales brought.' }),
      gain: t.expose('gain', {
        type: MoneyType,
        nullable: true,
        description:
          'endValue + takenOut − startValue − paidIn; null where it is not known what came in had cost.',
      }),
      timeWeightedReturn: t.expose('timeWeightedReturn', {
        type: ReturnType,
        description: 'Of the whole period, whatever was paid in and taken out when: days with flows part it.',
      }),
      internalRateOfReturn: t.expose('internalRateOfReturn', {
        type: ReturnType,
        description: 'A year, by what was paid in and taken out when (XIRR, a year of 365 days).',
      }),
      unpricedVariants: t.exposeInt('unpricedVariants', {
        description:
          'Variants that were held without a known price on any of the days, once for each collection.',
      }),
      unpricedUntil: t.expose('unpricedUntil', {
        type: 'Date',
        nullable: true,
        description: 'The last of those days; null where there is none.',
      }),
      warning: t.exposeString('warning', {
        nullable: true,
        description: 'What the figures leave out, if anything.',
      }),
    }),
  });
}

function addReturn({ builder, enums }: SchemaParts) {
  return builder.objectRef<Return>('Return').implement({
    description: 'A return, or why it is not defined.',
    fields: (t) => ({
      value: t.exposeFloat('value', {
        nullable: true,
        description: 'E.g. 0.25 for a quarter more, rounded to 10 decimals; null where it is not defined.',
      }),
      reason: t.expose('reason', {
        type: enums.UndefinedReturn,
        nullable: true,
        description: 'Why it is not defined; null where it is.',
      }),
    }),
  });
}
