-- Not valid, so that nothing that is there is read: all of it is null in these columns.
ALTER TABLE "transaction" ADD COLUMN "card_condition" text;--> statement-breakpoint
ALTER TABLE "transaction" ADD COLUMN "language" text;--> statement-breakpoint
ALTER TABLE "transaction" ADD COLUMN "grade_company" text;--> statement-breakpoint
ALTER TABLE "transaction" ADD COLUMN "grade" text;--> statement-breakpoint
ALTER TABLE "transaction" ADD COLUMN "certificate" text;--> statement-breakpoint
ALTER TABLE "transaction" ADD COLUMN "notes" text;--> statement-breakpoint
ALTER TABLE "transaction" ADD COLUMN "tags" jsonb;--> statement-breakpoint
ALTER TABLE "transaction" ADD CONSTRAINT "transaction_card_condition" CHECK ("transaction"."card_condition" in ('NearMint', 'LightlyPlayed', 'ModeratelyPlayed', 'HeavilyPlayed', 'Damaged')) NOT VALID;--> statement-breakpoint
ALTER TABLE "transaction" ADD CONSTRAINT "transaction_language" CHECK ("transaction"."language" in ('EN', 'DE', 'FR', 'ES', 'IT', 'JA')) NOT VALID;--> statement-breakpoint
ALTER TABLE "transaction" ADD CONSTRAINT "transaction_grade" CHECK (num_nonnulls("transaction"."grade_company", "transaction"."grade") in (0, 2) and ("transaction"."certificate" is null or "transaction"."grade" is not null)
        and length("transaction"."grade_company") between 1 and 20 and length("transaction"."grade") between 1 and 20
        and length("transaction"."certificate") between 1 and 50) NOT VALID;--> statement-breakpoint
ALTER TABLE "transaction" ADD CONSTRAINT "transaction_notes" CHECK (length("transaction"."notes") between 1 and 500) NOT VALID;--> statement-breakpoint
ALTER TABLE "transaction" ADD CONSTRAINT "transaction_tags" CHECK (jsonb_typeof("transaction"."tags") = 'array' and jsonb_array_length("transaction"."tags") between 1 and 10) NOT VALID;
