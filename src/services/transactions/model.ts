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
  revision: number;
}

export function transactionOf({ unitAmount, currency, ...row }: TransactionRow): Transaction {
  return { ...row, unitAmount: givenMoney(currency as Currency, unitAmount) };
}
