import type { DetailsRow, TransactionRow } from '../../db/queries/ledger.ts';
import type { Currency } from '../../domain/currencies.ts';
import type { CreateTransactionInput, UpdateTransactionInput } from '../../domain/inputs.ts';
import { givenMoney, type Money } from '../../domain/money.ts';
import { type Action, NO_DETAILS, type TransactionDetails } from '../../domain/transactions.ts';

export interface Transaction extends TransactionDetails {
  id: string;
  collectionId: string;
  variantId: string;
  /** `YYYY-MM-DD` */
  occurred: string;
  action: Action;
  quantity: number;
  /** As it was given. */
  unitAmount: Money;
  /** As they were given, of all cards together; null where there are none. Undefined in what a node of the version before has kept. */
  fees?: Money | null;
  shipping?: Money | null;
  /** Of a purchase whose price nobody knows: `unitAmount` is 0. Undefined as the last two. */
  costUnknown?: boolean;
  revision: number;
}

type AmountsRow = Pick<TransactionRow, 'unitAmount' | 'fees' | 'shipping' | 'currency'>;

/** Each field is named: it is made for every row of a page, and an object made of the rest of another is slow. */
export function transactionOf(row: TransactionRow): Transaction {
  const { unitAmount, fees, shipping } = amountsOf(row);
  const { cardCondition, grade, language, notes, tags } = detailsOf(row);
  return {
    id: row.id,
    collectionId: row.collectionId,
    occurred: row.occurred,
    action: row.action,
    quantity: row.quantity,
    unitAmount,
    fees,
    shipping,
    costUnknown: row.costUnknown,
    revision: row.revision,
    variantId: row.variantId,
    cardCondition,
    grade,
    language,
    notes,
    tags,
  };
}

/** The amounts of a transaction as they were given. */
export function amountsOf({ unitAmount, fees, shipping, currency }: AmountsRow) {
  const money = (amount: string) => givenMoney(currency as Currency, amount);
  const charge = (amount: string) => (amount === '0' ? null : money(amount));
  return { unitAmount: money(unitAmount), fees: charge(fees), shipping: charge(shipping) };
}

export function detailsOf(row: DetailsRow): TransactionDetails {
  const { card_condition, language, grade_company, grade, certificate, notes, tags } = row;
  return {
    cardCondition: card_condition,
    grade: grade === null ? null : { company: grade_company!, grade, certificate },
    language,
    notes: notes ?? NO_DETAILS.notes,
    tags: tags ?? NO_DETAILS.tags,
  };
}

/** One that a node of the version before has kept for an idempotency key has no details. */
export function withDetails(transaction: Transaction): Transaction {
  return transaction.tags === undefined ? { ...NO_DETAILS, ...transaction } : transaction;
}

/** What is given of the details, as it is stored. */
export function detailsRow(given: CreateTransactionInput | UpdateTransactionInput): Partial<DetailsRow> {
  const { cardCondition, grade, language, notes, tags } = given;
  return {
    ...(cardCondition != null && { card_condition: cardCondition }),
    ...(grade != null && {
      grade_company: grade.company,
      grade: grade.grade,
      certificate: grade.certificate ?? null,
    }),
    ...(language != null && { language }),
    ...(notes != null && { notes: notes || null }),
    ...(tags != null && { tags: tags.length > 0 ? tags : null }),
  };
}
