import { DecimalSum, decimalOf } from './money.ts';

export const ACTIONS = ['Purchase', 'Sale'] as const;
export type Action = (typeof ACTIONS)[number];

interface Recorded {
  action: Action;
  quantity: number;
  unitAmount: { value: number };
  fees?: { value: number } | undefined;
  shipping?: { value: number } | undefined;
}

/** What was paid in all, or what a sale brought, in the currency of its amounts. */
export function totalOf({ action, quantity, unitAmount, fees, shipping }: Recorded): string {
  const total = new DecimalSum();
  total.add(decimalOf(unitAmount.value), quantity);
  for (const charge of [fees, shipping])
    total.add(decimalOf(charge?.value ?? 0), action === 'Purchase' ? 1 : -1);
  return total.text;
}
