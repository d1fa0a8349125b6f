/**
 * Points for what is read of a collection, by its size: what an operation costs beside its shape, as that does not show how
 * much there is behind a field (docs/decisions.md#cost). A point stands for some 0.1 ms of processor time.
 */

/** The rows that a point is for. */
const ROWS = {
  /** Transactions that are summed up by years. */
  years: 100,
  /** Transactions of which the sales are made one after the other. */
  sales: 25,
  /** Transactions among which those of a year are sought. */
  sought: 500,
  /** Transactions that are looked through for lots. */
  lots: 100,
  /** Transactions that are summed up by what is said of their cards. */
  quantities: 100,
  /** Transactions that are summed up by days. */
  days: 25,
  /** Prices of the days on which something may be held: for each variant and each day one. */
  prices: 750,
  /** Days of a market index. */
  indexed: 25,
  /** Transactions that are put in the order of their names. */
  names: 200,
  /** Transactions among which those that fulfil conditions are looked for. */
  filtered: 200,
  /** The same, put in the order of their names. */
  filteredNames: 50,
  /** Transactions of which a search asks something that is recorded of their cards: each of its conditions. */
  recorded: 50,
  /** Transactions among which those that fulfil conditions are looked for by holdings, which the database puts in order. */
  held: 25,
  /** Holdings that are read, and put in order. */
  holdings: 100,
  /** Holdings that are looked through for a query. */
  searched: 50,
  /** Holdings that are put in an order that the database alone knows. */
  sorted: 50,
  /** Holdings whose prices of two days are compared. */
  moved: 5,
  /** Variants of the catalogue, of which many are read together. */
  market: 40,
  /** Variants of the catalogue that are looked through for printings. */
  printings: 200,
  /** Holdings whose prices, and those of a day before, a new price alert starts from. */
  watched: 25,
  /** Holdings that are divided by what they are of. */
  divided: 25,
  /** Cards of a list, or of a set, that a goal collection is to hold from now on. */
  wanted: 4,
  /** Transactions that are moved to another collection. */
  relocated: 2,
  /** Transactions whose amounts are made anew, as by another currency or cost basis. */
  rewritten: 2,
} as const;

/** What a change adds at most by what it makes anew, so that no size of a ledger makes it impossible. */
const MOST_POINTS_OF_REWRITING = {
  /** All of an account, by other preferences. */
  account: 5000,
  /** What comes behind the changes in one collection; moves have two, beside what is moved. */
  collection: 2000,
} as const;

const MOST_POINTS_OF_WATCHING = 5000;

/** Whatever it reads: a statement of its own, which is planned for longer than most are executed. */
export const POINTS_OF_ALLOCATION = 20;

export type ReadOf = keyof typeof ROWS;

/** Up to one point less a row nothing: ordinary collections are read for the points of their fields. */
export function pointsOfReading(what: ReadOf, rows: number): number {
  return Math.floor(rows / ROWS[what]);
}

/** The same for a new price alert, at most so that no size of a collection makes it impossible. */
export function pointsOfWatching(holdings: number): number {
  return Math.min(pointsOfReading('watched', holdings), MOST_POINTS_OF_WATCHING);
}

/** The same for transactions that are made anew by a change. */
export function pointsOfRewriting(what: keyof typeof MOST_POINTS_OF_REWRITING, transactions: number): number {
  return Math.min(pointsOfReading('rewritten', transactions), MOST_POINTS_OF_REWRITING[what]);
}
