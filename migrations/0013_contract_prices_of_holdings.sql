-- contract
-- Nodes of the version before recorded converted amounts without `recorded_rate`: one that did so while rates were imported
-- may have an old one. All ledgers are looked at once more.
INSERT INTO "rate_change" ("first_day", "last_day") VALUES ('-infinity', 'infinity');--> statement-breakpoint
ALTER TABLE "holding" DROP COLUMN "percentage_gain";--> statement-breakpoint
ALTER TABLE "holding" DROP COLUMN "gain";--> statement-breakpoint
ALTER TABLE "holding" DROP COLUMN "market_value";--> statement-breakpoint
ALTER TABLE "holding" DROP COLUMN "market_price";--> statement-breakpoint
ALTER TABLE "collection" DROP COLUMN "percentage_gain";
