-- As it was, by one statement: the functions of exchange rates are planned anew in each transaction, a quarter of what a change took where
-- prices are of another currency. What they say (`latestRate` of src/db/queries/exchange.ts).
CREATE OR REPLACE FUNCTION market_price(of_account uuid, of_variant text, in_currency text) RETURNS numeric
LANGUAGE plpgsql STABLE AS $$
DECLARE
  price numeric;
BEGIN
  SELECT p.amount * CASE WHEN p.currency = in_currency THEN 1 ELSE round((CASE WHEN in_currency = 'EUR' THEN 1 ELSE (
      SELECT fx.per_euro FROM fx_rate fx WHERE fx.currency = in_currency ORDER BY fx.day DESC LIMIT 1) END)::numeric(200, 40)
    / CASE WHEN p.currency = 'EUR' THEN 1 ELSE (
      SELECT fx.per_euro FROM fx_rate fx WHERE fx.currency = p.currency ORDER BY fx.day DESC LIMIT 1) END, 20) END
  INTO price FROM price p
  WHERE p.variant_id = of_variant
    AND p.source = (SELECT a.preferred_price_source FROM account a WHERE a.account_id = of_account);
  RETURN price;
END $$;
--> statement-breakpoint
-- That of the newest prices and rates. Beside a call that Citus gives to the node of an account no table may be read.
CREATE FUNCTION newest_pricing_revision() RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce(sum(revision), 0)::bigint FROM market_data WHERE kind IN ('prices', 'rates')
$$;
