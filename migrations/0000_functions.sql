-- Decisions §4: average purchase cost × remaining quantity, not below 0. Kept to 30 decimals.
CREATE FUNCTION invested(bought bigint, cost numeric, sold bigint) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN sold >= bought THEN 0
  ELSE round((cost * (bought - sold))::numeric(200, 40) / bought, 30) END;
--> statement-breakpoint
-- Decisions §4: proceeds − average purchase cost × quantity sold; the average is 0 while nothing was bought.
CREATE FUNCTION profit(bought bigint, cost numeric, sold bigint, proceeds numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN bought = 0 THEN proceeds
  ELSE proceeds - round((cost * sold)::numeric(200, 40) / bought, 30) END;
--> statement-breakpoint
-- Decisions §4: price × quantity, not below 0; null when no price is known.
CREATE FUNCTION market_value(bought bigint, sold bigint, market_price numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN market_price * greatest(bought - sold, 0);
--> statement-breakpoint
-- Decisions §4: gain ÷ invested; null when nothing is invested. Kept to 20 decimals.
CREATE FUNCTION percentage_gain(gain numeric, invested numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN invested <> 0 THEN round(gain::numeric(200, 40) / invested, 20) END;
