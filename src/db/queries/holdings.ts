/**
 * What follows from the ledger of a holding `h`: by the average from its sums, by another cost basis from what its cards
 * have cost (domain/cost-basis.ts), which is kept with it.
 */

export const INVESTED = 'coalesce(h.held_cost, h.invested)';
export const PROFIT = 'coalesce(h.cash_position + h.held_cost, h.profit)';

/** Cards that are held whose cost is not known, or in part: by the average of all of them, once one was bought so. */
export const UNKNOWN_COST =
  'coalesce(h.held_unknown, case when h.bought_unknown > 0 then greatest(h.quantity, 0) else 0 end)';

/** Cards that were sold before they were bought, if they ever were; 0 by the average, where the order says nothing. */
export const UNCOVERED = 'coalesce(h.held - h.quantity, 0)';
