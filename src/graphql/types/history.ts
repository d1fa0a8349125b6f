import type { RealizedGains, ValuePoint } from '../../services/collections/history.ts';
import { nullOnlyByError } from '../semantic-non-null.ts';
import type { SchemaParts } from './refs.ts';

/** What a collection was worth, and what its sales brought. */
export function addHistory(parts: SchemaParts): void {
  const { builder, enums, CollectionType } = parts;
  const ValuePointType = addValuePoint(parts);
  const RealizedGainsType = addRealizedGains(parts);
  builder.objectFields(CollectionType, (t) => ({
    valueHistory: t.field({
      ...nullOnlyByError,
      type: [ValuePointType],
      description: 'What the collection was worth over time, at most 400 points.',
      args: {
        from: t.arg.string({ required: true, description: 'First day, `YYYY-MM-DD`.' }),
        to: t.arg.string({ required: true, description: 'Last day, `YYYY-MM-DD`.' }),
        interval: t.arg({
          type: enums.Interval,
          defaultValue: 'Day',
          description: 'Distance between the points.',
        }),
      },
      resolve: ({ id }, { from, to, interval }, { loaders }) =>
        loaders.valueHistory(id, { from, to, interval: interval ?? 'Day' }),
    }),
    realizedGains: t.field({
      ...nullOnlyByError,
      type: RealizedGainsType,
      description: 'What the sales of a year brought.',
      args: { year: t.arg.int({ required: true, description: 'The calendar year, from 1970.' }) },
      resolve: ({ id }, { year }, { loaders }) => loaders.realizedGains(id, year),
    }),
  }));
}

function addValuePoint({ builder, MoneyType }: SchemaParts) {
  return builder.objectRef<ValuePoint>('ValuePoint').implement({
    description: 'What a collection was worth at the end of a day, by the transactions up to it.',
    fields: (t) => ({
      date: t.exposeString('date', { description: '`YYYY-MM-DD`.' }),
      invested: t.expose('invested', {
        type: MoneyType,
        description: 'What the cards that were held had cost.',
      }),
      marketValue: t.expose('marketValue', {
        type: MoneyType,
        description: 'At the prices and the exchange rate of that day; cards without a price count as 0.',
      }),
      profit: t.expose('profit', { type: MoneyType, description: 'Realised up to that day.' }),
    }),
  });
}

function addRealizedGains({ builder, MoneyType }: SchemaParts) {
  return builder.objectRef<RealizedGains>('RealizedGains').implement({
    description: 'What the sales of a year brought, by the average cost of the transactions up to its end.',
    fields: (t) => ({
      year: t.exposeInt('year', { description: 'The calendar year.' }),
      quantity: t.expose('quantity', { type: 'SafeInt', description: 'Cards sold.' }),
      proceeds: t.expose('proceeds', { type: MoneyType, description: 'What they were sold for.' }),
      cost: t.expose('cost', { type: MoneyType, description: 'Their average purchase cost.' }),
      gain: t.expose('gain', {
        type: MoneyType,
        description: 'proceeds − cost. The gains of all years add up to the profit of the collection.',
      }),
    }),
  });
}
