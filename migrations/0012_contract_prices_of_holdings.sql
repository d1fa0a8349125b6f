-- contract
ALTER TABLE "holding" DROP COLUMN "percentage_gain";--> statement-breakpoint
ALTER TABLE "holding" DROP COLUMN "gain";--> statement-breakpoint
ALTER TABLE "holding" DROP COLUMN "market_value";--> statement-breakpoint
ALTER TABLE "holding" DROP COLUMN "market_price";--> statement-breakpoint
ALTER TABLE "collection" DROP COLUMN "percentage_gain";
