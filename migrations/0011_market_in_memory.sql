-- Prices are not kept in holdings any more: what follows from them is multiplied when somebody looks.
CREATE TABLE "ledger_to_rate" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"first_day" date NOT NULL,
	"last_day" date NOT NULL
);
--> statement-breakpoint
SELECT raise_tenant_wall('ledger_to_rate');--> statement-breakpoint
CREATE TABLE "rate_change" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"first_day" date NOT NULL,
	"last_day" date NOT NULL
);
--> statement-breakpoint
DROP INDEX "holding_by_value";--> statement-breakpoint
CREATE INDEX "price_alert_due" ON "price_alert" USING btree ("market_revision");--> statement-breakpoint
-- The exchange rate that a transaction is recorded with. An import of rates waits, at its end, for those who record a
-- converted amount, and they for its commit: each transaction has the new rates, or is seen by those who apply them to the
-- ledger afterwards. Volatile, so that the rates are read after the wait.
CREATE FUNCTION recorded_rate(from_currency text, to_currency text, on_day date) RETURNS numeric
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF from_currency = to_currency THEN RETURN 1; END IF;
  PERFORM pg_advisory_xact_lock_shared(7201103);
  RETURN exchange_rate(from_currency, to_currency, on_day);
END $$;
