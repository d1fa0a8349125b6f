import { type CollectionRow, GIVEN_COLUMNS } from './collections.ts';

/** A collection with the value that was stored. */
export interface StoredValueRow extends CollectionRow {
  ledgerState: string;
  /** Whether the value is another one now. */
  isOther: boolean;
  /** The state of the ledger by its row before: of the same holdings. */
  was: string;
}

/**
 * Stores values, $2 a list of `{id, state, marketValue, gain, unpriced, unknownCost, unknownCostValue}` as JSON, where those of $3 are still the newest prices and
 * rates: in collections whose row is still the one of that state. One that somebody writes at the moment is left to the next
 * reader: nobody waits. Gives their rows as they are now, and whether the value is another one, which is a change for
 * those who follow it.
 */
export const STORE_VALUES = `
  select ${GIVEN_COLUMNS.replaceAll(/\bc\./g, '(s.stored).')}, s.state as "ledgerState", s.was, s.is_other as "isOther"
  from store_values($1::uuid, $2::jsonb, $3::bigint) s`;
