import { z } from 'zod';
import { validationFailed } from './errors.ts';
import { MoneyInput } from './inputs.ts';
import { LIMITS } from './limits.ts';
import { hasAtMostDecimals } from './money.ts';
import { parseInput } from './parse-input.ts';

/**
 * Price alerts. An alert is on a variant, whose value is its market price, or on a collection, whose value is that of
 * the cards that it holds. Its condition is judged after each import of prices or exchange rates, by the exact value:
 *
 * - `Above`, `Below`: the value, in the currency of the condition at the latest rate, is more or less than the amount;
 *   one that is equal to it is neither.
 * - `Change`: the value has moved by at least `percent` against the one `days` days before the day of the newest
 *   prices. For a collection both are values of the cards that it holds now, so that buying and selling is no change;
 *   cards without a known price on either of both days count on neither. Rates are the latest ones on both sides, so
 *   that only prices count.
 *
 * An alert fires once when its condition becomes true, and again only after it has been false in between. Where no price
 * is known (of one of both days, for a change; or that of the earlier day is 0), nothing fires and its state stays as it
 * was. A condition that is true already when the alert is made has to become false first.
 */
export const PRICE_ALERT_CONDITIONS = ['Above', 'Below', 'Change'] as const;
export type PriceAlertCondition = (typeof PRICE_ALERT_CONDITIONS)[number];

export const CHANGE_DIRECTIONS = ['Up', 'Down', 'Either'] as const;
export type ChangeDirection = (typeof CHANGE_DIRECTIONS)[number];

const DAYS_RULE = `must be a whole number from 1 to ${LIMITS.alertDays}`;
const PERCENT_RULE = `must be a number from ${LIMITS.alertMinPercent} to ${LIMITS.alertMaxPercent} with at most ${LIMITS.alertPercentDecimals} decimals`;

const TargetId = z.string('must be an id');

const AmountBelow = MoneyInput.refine(({ value }) => value !== 0, {
  path: ['value'],
  error: 'must be more than 0: no price is below it',
});

const CHANGE = {
  percent: z
    .number(PERCENT_RULE)
    .refine(
      (percent) =>
        percent >= LIMITS.alertMinPercent &&
        percent <= LIMITS.alertMaxPercent &&
        hasAtMostDecimals(percent, LIMITS.alertPercentDecimals),
      PERCENT_RULE,
    ),
  days: z.int(DAYS_RULE).min(1).max(LIMITS.alertDays),
  direction: z
    .enum(CHANGE_DIRECTIONS)
    .nullish()
    .transform((direction) => direction ?? 'Either'),
};
const isPossible = ({ direction, percent }: { direction: ChangeDirection; percent: number }) =>
  direction !== 'Down' || percent <= 100;
const POSSIBLE = { path: ['percent'], error: 'must be at most 100 for a fall: no price falls by more' };

/** What an alert waits for: one of the three. */
const WhenInput = z
  .strictObject({
    above: MoneyInput.optional(),
    below: AmountBelow.optional(),
    change: z.strictObject(CHANGE).refine(isPossible, POSSIBLE).optional(),
  })
  .refine((when) => Object.keys(when).length === 1, 'must have one of above, below and change');

const besideWhen = z.never('must be left out beside when').optional();

const AlertOfWhen = z
  .strictObject({
    targetId: TargetId,
    when: WhenInput,
    amount: besideWhen,
    percent: besideWhen,
    days: besideWhen,
    direction: besideWhen,
  })
  .transform(({ targetId, when: { above, below, change } }) => {
    if (change) return { targetId, condition: 'Change' as const, ...change };
    return above
      ? { targetId, condition: 'Above' as const, amount: above }
      : { targetId, condition: 'Below' as const, amount: below! };
  });

const onlyOfChange = z.never('must be left out: it belongs to a change').optional();
const onAmount = { percent: onlyOfChange, days: onlyOfChange, direction: onlyOfChange };

/** The same as fields beside each other, as it was given before there was `when`. */
const AlertOfCondition = z.discriminatedUnion(
  'condition',
  [
    z.strictObject({
      ...onAmount,
      targetId: TargetId,
      condition: z.literal('Above'),
      amount: MoneyInput,
    }),
    z.strictObject({
      ...onAmount,
      targetId: TargetId,
      condition: z.literal('Below'),
      amount: AmountBelow,
    }),
    z
      .strictObject({
        targetId: TargetId,
        condition: z.literal('Change'),
        amount: z.never('must be left out: a change has a percent').optional(),
        ...CHANGE,
      })
      .refine(isPossible, POSSIBLE),
  ],
  `must be one of ${PRICE_ALERT_CONDITIONS.join(', ')}`,
);

export type CreatePriceAlertInput = z.output<typeof AlertOfCondition>;

/** `{ targetId, when }`, or the older `{ targetId, condition, … }`. Throws `ValidationFailed`. */
export function parsePriceAlert(input: unknown): CreatePriceAlertInput {
  const { condition, when } = (input ?? {}) as Record<string, unknown>;
  if (condition === undefined) return parseInput(AlertOfWhen, input);
  if (when === undefined) return parseInput(AlertOfCondition, input);
  throw validationFailed([{ path: ['condition'], detail: 'must be left out beside when' }]);
}
