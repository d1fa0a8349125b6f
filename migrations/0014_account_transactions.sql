ALTER TABLE "account" ADD COLUMN "max_transactions" integer DEFAULT 2000000 NOT NULL;--> statement-breakpoint
ALTER TABLE "collection" ADD COLUMN "transaction_share" bigint DEFAULT 0 NOT NULL;