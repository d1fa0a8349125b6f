/**
 * The look-up of exchange rates, as text: what the database's functions `exchange_rate` and `latest_exchange_rate` say. On Citus no
 * function that reads a table may stand in a statement that runs on the node of an account (test/support/one-sql.ts).
 */

/** Units of a currency for one euro, the first row of its rates in `order`. The arguments are SQL, with the names of their rows. */
const firstRate = (currency: string, order: string) =>
  `(select fx.per_euro from fx_rate fx where fx.currency = ${currency} ${order} limit 1)`;

const latest = (currency: string) =>
  `case when ${currency} = 'EUR' then 1 else ${firstRate(currency, 'order by fx.day desc')} end`;

/** The latest published on the day or before it, or the first where the day is older than all. */
const onDay = (currency: string, day: string) => `case when ${currency} = 'EUR' then 1 else coalesce(
    ${firstRate(currency, `and fx.day <= ${day} order by fx.day desc`)},
    ${firstRate(currency, 'order by fx.day')}) end`;

const factor = (from: string, to: string, units: (currency: string) => string) =>
  `(case when ${from} = ${to} then 1 else round((${units(to)})::numeric(200, 40) / (${units(from)}), 20) end)`;

/**
 * The factor that turns an amount of one currency into another on a day, kept to 20 decimals; 1 where they are the same, null where one
 * of them has no rate. The arguments are SQL; columns in them have the names of their rows, and none is called `fx`.
 */
export const exchangeRate = (from: string, to: string, day: string) =>
  factor(from, to, (currency) => onDay(currency, day));

/** The same at the latest rates. */
export const latestRate = (from: string, to: string) => factor(from, to, latest);
