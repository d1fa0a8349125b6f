ALTER TABLE "transaction" ADD COLUMN "fees" numeric DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE "transaction" ADD COLUMN "shipping" numeric DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE "transaction" ADD CONSTRAINT "transaction_charges" CHECK ("transaction"."fees" between 0 and 1000000000 and scale("transaction"."fees") <= 4
        and "transaction"."shipping" between 0 and 1000000000 and scale("transaction"."shipping") <= 4) NOT VALID;