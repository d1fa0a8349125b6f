-- Not valid, so that nothing that is there is read: no cost of it is unknown.
ALTER TABLE "collection" ADD COLUMN "unknown_cost" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "collection" ADD COLUMN "unknown_cost_value" numeric DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE "cost_state" ADD COLUMN "held_unknown" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "holding" ADD COLUMN "bought_unknown" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "holding" ADD COLUMN "held_unknown" bigint;--> statement-breakpoint
ALTER TABLE "transaction" ADD COLUMN "cost_unknown" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "transaction" ADD CONSTRAINT "transaction_cost_unknown" CHECK (not "transaction"."cost_unknown" or ("transaction"."action" = 'Purchase' and "transaction"."unit_amount" = 0)) NOT VALID;