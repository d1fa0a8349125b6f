import type { Totals } from '../../services/collections/model.ts';
import { insteadOf } from '../deprecated.ts';
import type { SchemaParts } from './refs.ts';

/** What collections, summaries and the dashboard have in common. */
export function addTotals({ MoneyType, TotalsType }: SchemaParts): void {
  TotalsType.implement({
    description: 'Amounts in the preferred currency, rounded once to its minor unit.',
    fields: (t) => ({
      quantity: t.expose('quantity', {
        type: 'SafeInt',
        description: 'Cards held: bought less sold.',
      }),
      cashPosition: t.expose('cashPosition', {
        type: MoneyType,
        nullable: true,
        description: 'Proceeds of all sales less the cost of all purchases.',
      }),
      invested: t.expose('invested', {
        type: MoneyType,
        nullable: true,
        description:
          'What the cards that are held cost, by the `costBasis` of the account: by `AVERAGE`, average purchase cost × quantity. What is not known of it counts as 0.',
      }),
      profit: t.expose('profit', {
        type: MoneyType,
        nullable: true,
        description:
          'Realised: proceeds less what the cards sold had cost, by the `costBasis` of the account.',
      }),
      gain: t.expose('gain', {
        type: MoneyType,
        nullable: true,
        description:
          'Unrealised: marketValue − invested, of the cards whose price and cost are known. Null for a holding without one of them, and where nothing was ever recorded.',
      }),
      marketValue: t.expose('marketValue', {
        type: MoneyType,
        description: 'Market price × quantity, at the latest prices.',
      }),
      gainRatio: t.exposeFloat('percentageGain', {
        nullable: true,
        description: 'gain ÷ what the same cards cost: 0.25 for a quarter; null where that is nothing.',
      }),
      percentageGain: t.exposeFloat('percentageGain', {
        nullable: true,
        description: 'A fraction, as `gainRatio`.',
        deprecationReason: insteadOf('gainRatio'),
      }),
      unpriced: t.field({
        type: 'SafeInt',
        description:
          'Cards held without a known price: `marketValue` counts them as 0, and `gain` leaves them out.',
        // An answer that a node of the version before has kept for a key does not say it.
        resolve: ({ unpriced }: Partial<Totals>) => unpriced ?? 0,
      }),
      boughtAtUnknownCost: t.field({
        type: 'SafeInt',
        description:
          'Cards that were bought at a cost that is not known, sold ones too: `invested`, `profit` and `cashPosition` count it as 0.',
        resolve: ({ boughtAtUnknownCost }: Partial<Totals>) => boughtAtUnknownCost ?? 0,
      }),
      unknownCost: t.field({
        type: 'SafeInt',
        description:
          'Cards held whose cost is not known, or in part: by an average all of a holding that mixes them. `gain` leaves them out.',
        resolve: ({ unknownCost }: Partial<Totals>) => unknownCost ?? 0,
      }),
      warning: t.exposeString('warning', {
        nullable: true,
        description: 'What makes the figures less than they seem, in plain words.',
      }),
    }),
  });
}
