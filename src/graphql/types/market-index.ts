import { LIMITS } from '../../domain/limits.ts';
import type { IndexPoint } from '../../services/market-index.ts';
import { nullOnlyByError } from '../semantic-non-null.ts';
import type { SchemaParts } from './refs.ts';

/** What a collection's history is compared with: what the prices of all cards of a set, of a rarity or of the game did. */
export function addMarketIndex(parts: SchemaParts): void {
  const { builder, enums } = parts;
  const IndexPointType = addIndexPoint(parts);
  builder.queryFields((t) => ({
    marketIndex: t.field({
      ...nullOnlyByError,
      type: [IndexPointType],
      description: `What the market prices of the cards of a set, of a rarity or of the whole game did over time, in your currency: 100 at the end of the day before the first, as \`performance\` begins; at most ${LIMITS.historyPoints} points. What is sealed is left out.`,
      args: {
        set: t.arg.string({ description: 'The code of a set, e.g. `WTR`; not beside a rarity.' }),
        rarity: t.arg.string({ description: 'A rarity, e.g. `Majestic`; not beside a set.' }),
        weighting: t.arg({
          type: enums.IndexWeighting,
          defaultValue: 'Price',
          description: 'How much each card counts.',
        }),
        from: t.arg({ type: 'Date', required: true, description: 'First day.' }),
        to: t.arg({ type: 'Date', required: true, description: 'Last day.' }),
        interval: t.arg({
          type: enums.Interval,
          defaultValue: 'Day',
          description: 'Distance between the points.',
        }),
      },
      resolve: (_root, { weighting, interval, ...asked }, { loaders }) =>
        loaders.figures.marketIndex({
          ...asked,
          weighting: weighting ?? 'Price',
          interval: interval ?? 'Day',
        }),
    }),
  }));
}

function addIndexPoint({ builder }: SchemaParts) {
  return builder.objectRef<IndexPoint>('IndexPoint').implement({
    description: 'What a market index was at the end of a day.',
    fields: (t) => ({
      date: t.expose('date', { type: 'Date', description: 'The day at the end of which it is told.' }),
      value: t.float({
        nullable: true,
        description:
          '100 at the end of the day before the first, or of the first one with a price, to 10 decimals; null before it.',
        resolve: ({ value }) => (value === null ? null : Number(value)),
      }),
      valueDecimal: t.exposeString('value', {
        nullable: true,
        description: 'The same as an exact decimal.',
      }),
      variants: t.exposeInt('variants', {
        description:
          'Variants that the growth of that day is made of: those with a price that day and the day before; on the first day with a price, those that have one.',
      }),
    }),
  });
}
