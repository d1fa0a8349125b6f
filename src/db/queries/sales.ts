import type { Currency } from '../../domain/currencies.ts';
import { ascending, indexed, type List } from './page.ts';

/** $1 account, $2 year. */
const OF_YEAR = `t.account_id = $1 and t.action = 'Sale' and t.occurred between make_date($2::integer, 1, 1) and make_date($2::integer, 12, 31)`;

/** The sales of a year of the collection `c`. */
export const SALES: List = {
  columns: `t.id, t.variant_id as "variantId", t.occurred::text as occurred, c.currency, c.ledger_state as "ledgerState",
    h.transaction_count as "ofVariant"`,
  from: `transaction t join holding h
    on h.account_id = $1 and h.collection_id = t.collection_id and h.variant_id = t.variant_id`,
  where: `${OF_YEAR} and t.collection_id = c.id`,
  order: indexed(ascending('sales', ['t.occurred', 'date'], ['t.id', 'text'])),
};

export interface SaleRow {
  id: string;
  variantId: string;
  occurred: string;
  currency: Currency;
  ledgerState: string;
  /** Transactions of the variant. */
  ofVariant: number;
}

/** $3 collection. */
export const COUNT_SALES = `select count(*) as count from transaction t where ${OF_YEAR} and t.collection_id = $3`;
