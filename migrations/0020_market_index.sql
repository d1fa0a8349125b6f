CREATE TABLE "index_day" (
	"source" text NOT NULL,
	"scope" text NOT NULL,
	"key" text NOT NULL,
	"day" date NOT NULL,
	"currency" text NOT NULL,
	"total" numeric NOT NULL,
	"priced" integer NOT NULL,
	"entered" numeric NOT NULL,
	"entered_count" integer NOT NULL,
	"departed" numeric NOT NULL,
	"departed_count" integer NOT NULL,
	"log_growth" double precision NOT NULL,
	CONSTRAINT "index_day_source_scope_key_day_currency_pk" PRIMARY KEY("source","scope","key","day","currency")
);
--> statement-breakpoint
GRANT SELECT ON index_day TO cardledger_tenant;
