CREATE TABLE "price_day" (
	"day" date PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "price_alert" (
	"account_id" uuid NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"variant_id" text COLLATE "C",
	"collection_id" text COLLATE "C",
	"condition" text NOT NULL,
	"amount" numeric,
	"currency" text,
	"percent" numeric,
	"days" integer,
	"direction" text,
	"created_at" timestamp with time zone NOT NULL,
	"is_met" boolean DEFAULT false NOT NULL,
	"judged_through" date,
	"market_revision" bigint NOT NULL,
	"trigger_count" integer DEFAULT 0 NOT NULL,
	"last_triggered_at" timestamp with time zone,
	"last_triggered_day" date,
	"last_value" numeric,
	"last_currency" text,
	"last_change" numeric,
	CONSTRAINT "price_alert_account_id_id_pk" PRIMARY KEY("account_id","id"),
	CONSTRAINT "price_alert_target" CHECK (num_nonnulls("price_alert"."variant_id", "price_alert"."collection_id") = 1),
	CONSTRAINT "price_alert_condition" CHECK (("price_alert"."condition" in ('Above', 'Below')
          and num_nonnulls("price_alert"."amount", "price_alert"."currency") = 2 and "price_alert"."amount" between 0 and 1000000000
          and num_nonnulls("price_alert"."percent", "price_alert"."days", "price_alert"."direction") = 0)
        or ("price_alert"."condition" = 'Change' and num_nonnulls("price_alert"."amount", "price_alert"."currency") = 0
          and num_nonnulls("price_alert"."percent", "price_alert"."days", "price_alert"."direction") = 3 and "price_alert"."percent" between 0.01 and 10000
          and "price_alert"."days" between 1 and 365 and "price_alert"."direction" in ('Up', 'Down', 'Either')))
);
--> statement-breakpoint
ALTER TABLE "price_alert" ADD CONSTRAINT "price_alert_account_id_account_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."account"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "price_alert" ADD CONSTRAINT "price_alert_variant_id_variant_id_fk" FOREIGN KEY ("variant_id") REFERENCES "public"."variant"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "price_alert" ADD CONSTRAINT "price_alert_account_id_collection_id_collection_account_id_id_fk" FOREIGN KEY ("account_id","collection_id") REFERENCES "public"."collection"("account_id","id") ON DELETE no action ON UPDATE no action;