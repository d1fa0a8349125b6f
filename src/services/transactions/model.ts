import type { TransactionRow } from '../../db/queries/ledger.ts';
import type { Currency } from '../../domain/currencies.ts';
import { givenMoney, type Money } from '../../domain/money.ts';
import type { Action } from '../../domain/transactions.ts';
import type { VariantLabel } from '../../memory/names.ts';

export interface Transaction extends VariantLabel {
  id: string;
  collectionId: string;
  /** `YYYY-MM-DD` */
  occurred: string;
  action: Action;
  quantity: number;
  /** As it was given. */
  unitAmount: Money;
  /** As they were given, of all cards together; null where there are none. Undefined in what a node of the version before has kept. */
  fees?: Money | null;
  shipping?: Money | null;
  revision: number;
}

type AmountsRow = Pick<TransactionRow, 'unitAmount' | 'fees' | 'shipping' | 'currency'>;

export function transactionOf({ unitAmount, fees, shipping, currency, ...row }: TransactionRow): Transaction {
  return { ...row, ...amountsOf({ unitAmount, fees, shipping, currency }) };
}

/** The amounts of a transaction as they were given. */
export function amountsOf({ unitAmount, fees, shipping, currency }: AmountsRow) {
  const money = (amount: string) => givenMoney(currency as Currency, amount);
  const charge = (amount: string) => (amount === '0' ? null : money(amount));
  return { unitAmount: money(unitAmount), fees: charge(fees), shipping: charge(shipping) };
}
