import type { TransactionRow } from '../../db/queries/ledger.ts';
import type { Currency } from '../../domain/currencies.ts';
import type { Action } from '../../domain/inputs.ts';
import { givenMoney, type Money } from '../../domain/money.ts';

export interface Transaction {
  id: string;
  collectionId: string;
  variantId: string;
  /** `YYYY-MM-DD` */
  occurred: string;
  action: Action;
  quantity: number;
  /** As it was given. */
  unitAmount: Money;
  revision: number;
  variantName: string;
  fcId: string;
  productId: string;
  productName: string;
  number: string | null;
  imageUrl: string;
}

export function transactionOf({ unitAmount, currency, ...row }: TransactionRow): Transaction {
  return { ...row, unitAmount: givenMoney(currency as Currency, unitAmount) };
}
