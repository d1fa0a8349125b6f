import { LIMITS } from '../../domain/limits.ts';
import { type Money, toNumber } from '../../domain/money.ts';
import { withCommas } from '../../lib/text.ts';
import type { Builder } from '../builder.ts';
import type { KeptExtensions } from '../catalogue-texts.ts';
import type { Enums } from '../enums.ts';

export function addMoney(builder: Builder, enums: Enums) {
  const MoneyType = builder.objectRef<Money>('Money').implement({
    description: 'An amount of money.',
    extensions: { keptWith: 'parent' } satisfies KeptExtensions,
    fields: (t) => ({
      currency: t.expose('currency', { type: enums.Currency, description: 'ISO 4217 code.' }),
      value: t.float({ description: 'The amount as a number, the same that REST gives.', resolve: toNumber }),
      decimal: t.exposeString('amount', { description: 'The amount as an exact decimal, e.g. `30.00`.' }),
    }),
  });
  const MoneyInput = builder.inputType('MoneyInput', {
    description: 'An amount of money: a currency, and a `value` or a `decimal`.',
    fields: (t) => ({
      currency: t.field({ type: enums.Currency, required: true, description: 'ISO 4217 code.' }),
      value: t.float({
        description: `From 0 to ${withCommas(LIMITS.unitAmount)} with at most ${LIMITS.unitAmountDecimals} decimals; unless \`decimal\` is given.`,
      }),
      decimal: t.string({ description: 'The same as decimal text, e.g. `9.99`, in place of `value`.' }),
    }),
  });
  return { MoneyType, MoneyInput };
}
