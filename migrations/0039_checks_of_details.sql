ALTER TABLE "transaction" DROP CONSTRAINT "transaction_card_condition";--> statement-breakpoint
ALTER TABLE "transaction" DROP CONSTRAINT "transaction_language";--> statement-breakpoint
ALTER TABLE "transaction" DROP CONSTRAINT "transaction_grade";--> statement-breakpoint
ALTER TABLE "transaction" DROP CONSTRAINT "transaction_notes";--> statement-breakpoint
ALTER TABLE "transaction" DROP CONSTRAINT "transaction_tags";