-- The same functions as before. In SQL their bodies were put in the place of the calls, for each generated column, by
-- every statement that writes a holding or a collection: a quarter of what recording a transaction cost. In PL/pgSQL they
-- are read once a session, and called.
CREATE OR REPLACE FUNCTION invested(bought bigint, cost numeric, sold bigint) RETURNS numeric
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN CASE WHEN sold >= bought THEN 0
    ELSE round((cost * (bought - sold))::numeric(200, 40) / bought, 30) END;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION profit(bought bigint, cost numeric, sold bigint, proceeds numeric) RETURNS numeric
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN CASE WHEN bought = 0 THEN proceeds
    ELSE proceeds - round((cost * sold)::numeric(200, 40) / bought, 30) END;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION market_value(bought bigint, sold bigint, market_price numeric) RETURNS numeric
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN market_price * greatest(bought - sold, 0);
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION percentage_gain(gain numeric, invested numeric) RETURNS numeric
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN CASE WHEN invested <> 0 THEN round(gain::numeric(200, 40) / invested, 20) END;
END $$;
