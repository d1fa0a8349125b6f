CREATE TABLE "event" (
	"account_id" uuid NOT NULL,
	"stream" text COLLATE "C" NOT NULL,
	"sequence" bigint NOT NULL,
	"kind" text NOT NULL,
	"transaction_ids" jsonb,
	"variant_ids" jsonb,
	"alert_id" text COLLATE "C",
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "event_account_id_stream_sequence_pk" PRIMARY KEY("account_id","stream","sequence")
);
--> statement-breakpoint
CREATE TABLE "event_stream" (
	"account_id" uuid NOT NULL,
	"stream" text COLLATE "C" NOT NULL,
	"sequence" bigint NOT NULL,
	CONSTRAINT "event_stream_account_id_stream_pk" PRIMARY KEY("account_id","stream")
);
--> statement-breakpoint
CREATE INDEX "event_age" ON "event" USING btree ("created_at");