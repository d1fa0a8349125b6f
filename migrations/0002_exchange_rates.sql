-- Units of a currency for one euro on a day: the latest published on or before it, or the first where the day is
-- older than all (decisions §3). Null for a currency that has no rate.
CREATE FUNCTION units_per_euro(of_currency text, on_day date) RETURNS numeric
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN of_currency = 'EUR' THEN 1 ELSE coalesce(
  (SELECT per_euro FROM fx_rate WHERE currency = of_currency AND day <= on_day ORDER BY day DESC LIMIT 1),
  (SELECT per_euro FROM fx_rate WHERE currency = of_currency ORDER BY day LIMIT 1)) END;
--> statement-breakpoint
-- The factor that turns an amount of one currency into another on a day, kept to 20 decimals; 1 where they are the same.
CREATE FUNCTION exchange_rate(from_currency text, to_currency text, on_day date) RETURNS numeric
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN from_currency = to_currency THEN 1
  ELSE round(units_per_euro(to_currency, on_day)::numeric(200, 40) / units_per_euro(from_currency, on_day), 20) END;
--> statement-breakpoint
-- The same at the latest rates.
CREATE FUNCTION latest_exchange_rate(from_currency text, to_currency text) RETURNS numeric
LANGUAGE sql STABLE PARALLEL SAFE
RETURN exchange_rate(from_currency, to_currency, 'infinity'::date);
--> statement-breakpoint
-- Running sums are updated in place all the time: room on the page keeps the updates off the indexes.
ALTER TABLE collection SET (fillfactor = 50);
--> statement-breakpoint
ALTER TABLE holding SET (fillfactor = 80);
