-- Versions of the code from before keep reading `price_history`, which becomes a view; an import by one of them ends with an
-- error, and nothing of it is kept.
LOCK TABLE "price_history" IN SHARE MODE;
--> statement-breakpoint
CREATE TABLE "price_year" (
	"variant_id" text COLLATE "C" NOT NULL,
	"source" text NOT NULL,
	"year" integer NOT NULL,
	"days" date[] NOT NULL,
	"currencies" text[] NOT NULL,
	"amounts" numeric[] NOT NULL,
	CONSTRAINT "price_year_variant_id_source_year_pk" PRIMARY KEY("variant_id","source","year"),
	CONSTRAINT "price_year_days" CHECK ("price_year"."days"[1] >= make_date("price_year"."year", 1, 1) and "price_year"."days"[cardinality("price_year"."days")] <= make_date("price_year"."year", 12, 31)),
	CONSTRAINT "price_year_lengths" CHECK (cardinality("price_year"."days") > 0 and cardinality("price_year"."currencies") = cardinality("price_year"."days") and cardinality("price_year"."amounts") = cardinality("price_year"."days")),
	CONSTRAINT "price_year_amounts" CHECK (0 <= all ("price_year"."amounts") and 'Infinity' > all ("price_year"."amounts"))
);
--> statement-breakpoint
ALTER TABLE "price_year" ADD CONSTRAINT "price_year_variant_id_variant_id_fk" FOREIGN KEY ("variant_id") REFERENCES "public"."variant"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
INSERT INTO "price_year" ("variant_id", "source", "year", "days", "currencies", "amounts")
SELECT "variant_id", "source", extract(year FROM "day"), array_agg("day" ORDER BY "day"), array_agg("currency" ORDER BY "day"),
	array_agg("amount" ORDER BY "day")
FROM "price_history" GROUP BY "variant_id", "source", extract(year FROM "day");
--> statement-breakpoint
DROP TABLE "price_history";
--> statement-breakpoint
CREATE VIEW "public"."price_history" AS (select variant_id, source, day, currency, amount from price_year, unnest(days, currencies, amounts) as step(day, currency, amount));
