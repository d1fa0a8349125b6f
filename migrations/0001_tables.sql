CREATE TABLE "client" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"name" text NOT NULL,
	"secret_digest" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"revoked_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "rate_limit" (
	"key" text COLLATE "C" PRIMARY KEY NOT NULL,
	"points" integer DEFAULT 0 NOT NULL,
	"expire" bigint
);
--> statement-breakpoint
CREATE TABLE "signing_key" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"public_jwk" jsonb NOT NULL,
	"private_jwk" jsonb NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "fx_rate" (
	"currency" text NOT NULL,
	"day" date NOT NULL,
	"per_euro" numeric NOT NULL,
	CONSTRAINT "fx_rate_currency_day_pk" PRIMARY KEY("currency","day"),
	CONSTRAINT "fx_rate_per_euro" CHECK ("fx_rate"."per_euro" > 0 and "fx_rate"."per_euro" < 'Infinity')
);
--> statement-breakpoint
CREATE TABLE "market_data" (
	"kind" text PRIMARY KEY NOT NULL,
	"version" text NOT NULL,
	"is_sample" boolean NOT NULL,
	"newest_day" date,
	"revision" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "price" (
	"variant_id" text COLLATE "C" NOT NULL,
	"source" text NOT NULL,
	"currency" text NOT NULL,
	"amount" numeric,
	"as_of" date NOT NULL,
	CONSTRAINT "price_variant_id_source_pk" PRIMARY KEY("variant_id","source"),
	CONSTRAINT "price_amount" CHECK ("price"."amount" >= 0 and "price"."amount" < 'Infinity')
);
--> statement-breakpoint
CREATE TABLE "price_history" (
	"variant_id" text COLLATE "C" NOT NULL,
	"source" text NOT NULL,
	"day" date NOT NULL,
	"currency" text NOT NULL,
	"amount" numeric,
	CONSTRAINT "price_history_variant_id_source_day_pk" PRIMARY KEY("variant_id","source","day"),
	CONSTRAINT "price_history_amount" CHECK ("price_history"."amount" >= 0 and "price_history"."amount" < 'Infinity')
);
--> statement-breakpoint
CREATE TABLE "product" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"vendor_product_id" integer,
	"name" text COLLATE "und-x-icu" NOT NULL,
	"number" text,
	"number_key" text COLLATE "C" NOT NULL,
	"image_url" text NOT NULL,
	"description" text NOT NULL,
	"set_code" text COLLATE "C" NOT NULL,
	"set_name" text NOT NULL,
	"release_date" date,
	"sealed_set_type" text COLLATE "C",
	"sealed_product_type" text,
	"card_type" text,
	"card_sub_type" text,
	"class" text,
	"rarity" text,
	"cost" text,
	"defense_value" text,
	"pitch_value" text,
	"talent" text,
	"power" text,
	"intellect" text,
	"life" text
);
--> statement-breakpoint
CREATE TABLE "product_ev" (
	"set_type" text COLLATE "C" NOT NULL,
	"product_type" text NOT NULL,
	"product_id" text COLLATE "C" NOT NULL,
	"estimated_value" numeric NOT NULL,
	"market_price" numeric NOT NULL,
	"release_date" date,
	"warning" text,
	"categories" jsonb NOT NULL,
	"packs_per_box" integer NOT NULL,
	"distribution" jsonb,
	CONSTRAINT "product_ev_set_type_product_type_pk" PRIMARY KEY("set_type","product_type")
);
--> statement-breakpoint
CREATE TABLE "product_ev_history" (
	"set_type" text COLLATE "C" NOT NULL,
	"product_type" text NOT NULL,
	"day" date NOT NULL,
	"estimated_value" numeric NOT NULL,
	"market_price" numeric NOT NULL,
	CONSTRAINT "product_ev_history_set_type_product_type_day_pk" PRIMARY KEY("set_type","product_type","day")
);
--> statement-breakpoint
CREATE TABLE "pull_rate_set" (
	"set_type" text COLLATE "C" PRIMARY KEY NOT NULL,
	"rates" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sale_volumes" (
	"variant_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"through" date NOT NULL,
	"daily" jsonb NOT NULL,
	"total" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "variant" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"product_id" text COLLATE "C" NOT NULL,
	"name" text COLLATE "und-x-icu" NOT NULL,
	"position" integer NOT NULL,
	"fc_id" text NOT NULL,
	"set_code" text COLLATE "C" NOT NULL,
	"edition" text,
	"finish" text NOT NULL,
	"rarity" text,
	"is_expansion_slot" boolean NOT NULL,
	CONSTRAINT "variant_fc_id_unique" UNIQUE("fc_id")
);
--> statement-breakpoint
CREATE TABLE "account" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"preferred_currency" text NOT NULL,
	"preferred_price_source" text NOT NULL,
	"max_collections" integer NOT NULL,
	"max_valued_collections" integer NOT NULL,
	"collection_count" integer DEFAULT 0 NOT NULL,
	"valued_collection_count" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "collection" (
	"account_id" uuid NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"name" text COLLATE "und-x-icu" NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"valued" boolean DEFAULT false NOT NULL,
	"pinned" boolean DEFAULT false NOT NULL,
	"is_goal" boolean DEFAULT false NOT NULL,
	"deleted" boolean DEFAULT false NOT NULL,
	"image" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"revision" bigint DEFAULT 1 NOT NULL,
	"currency" text NOT NULL,
	"market_revision" bigint DEFAULT 0 NOT NULL,
	"transaction_count" bigint DEFAULT 0 NOT NULL,
	"quantity" bigint DEFAULT 0 NOT NULL,
	"invested" numeric DEFAULT '0' NOT NULL,
	"profit" numeric DEFAULT '0' NOT NULL,
	"cash_position" numeric DEFAULT '0' NOT NULL,
	"market_value" numeric DEFAULT '0' NOT NULL,
	"gain" numeric DEFAULT '0' NOT NULL,
	"percentage_gain" numeric GENERATED ALWAYS AS (percentage_gain(gain, invested)) STORED,
	CONSTRAINT "collection_account_id_id_pk" PRIMARY KEY("account_id","id"),
	CONSTRAINT "collection_transaction_count" CHECK ("collection"."transaction_count" >= 0)
);
--> statement-breakpoint
CREATE TABLE "holding" (
	"account_id" uuid NOT NULL,
	"collection_id" text COLLATE "C" NOT NULL,
	"variant_id" text COLLATE "C" NOT NULL,
	"transaction_count" bigint NOT NULL,
	"bought" bigint NOT NULL,
	"cost" numeric NOT NULL,
	"sold" bigint NOT NULL,
	"proceeds" numeric NOT NULL,
	"market_price" numeric,
	"quantity" bigint GENERATED ALWAYS AS (bought - sold) STORED,
	"invested" numeric GENERATED ALWAYS AS (invested(bought, cost, sold)) STORED,
	"profit" numeric GENERATED ALWAYS AS (profit(bought, cost, sold, proceeds)) STORED,
	"cash_position" numeric GENERATED ALWAYS AS (proceeds - cost) STORED,
	"market_value" numeric GENERATED ALWAYS AS (market_value(bought, sold, market_price)) STORED,
	"gain" numeric GENERATED ALWAYS AS (market_value(bought, sold, market_price) - invested(bought, cost, sold)) STORED,
	"percentage_gain" numeric GENERATED ALWAYS AS (percentage_gain(market_value(bought, sold, market_price) - invested(bought, cost, sold), invested(bought, cost, sold))) STORED,
	CONSTRAINT "holding_account_id_collection_id_variant_id_pk" PRIMARY KEY("account_id","collection_id","variant_id"),
	CONSTRAINT "holding_counts" CHECK ("holding"."transaction_count" >= 0 and "holding"."bought" >= 0 and "holding"."sold" >= 0)
);
--> statement-breakpoint
CREATE TABLE "idempotency_key" (
	"account_id" uuid NOT NULL,
	"client_id" text COLLATE "C" NOT NULL,
	"key" text COLLATE "C" NOT NULL,
	"request_digest" text NOT NULL,
	"answer" jsonb,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "idempotency_key_account_id_client_id_key_pk" PRIMARY KEY("account_id","client_id","key")
);
--> statement-breakpoint
CREATE TABLE "transaction" (
	"account_id" uuid NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"collection_id" text COLLATE "C" NOT NULL,
	"variant_id" text COLLATE "C" NOT NULL,
	"occurred" date NOT NULL,
	"action" text NOT NULL,
	"quantity" integer NOT NULL,
	"unit_amount" numeric NOT NULL,
	"currency" text NOT NULL,
	"rate" numeric NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "transaction_account_id_id_pk" PRIMARY KEY("account_id","id"),
	CONSTRAINT "transaction_action" CHECK ("transaction"."action" in ('Purchase', 'Sale')),
	CONSTRAINT "transaction_quantity" CHECK ("transaction"."quantity" between 1 and 1000000),
	CONSTRAINT "transaction_unit_amount" CHECK ("transaction"."unit_amount" between 0 and 1000000000 and scale("transaction"."unit_amount") <= 4),
	CONSTRAINT "transaction_rate" CHECK ("transaction"."rate" > 0 and "transaction"."rate" < 'Infinity')
);
--> statement-breakpoint
ALTER TABLE "price" ADD CONSTRAINT "price_variant_id_variant_id_fk" FOREIGN KEY ("variant_id") REFERENCES "public"."variant"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "price_history" ADD CONSTRAINT "price_history_variant_id_variant_id_fk" FOREIGN KEY ("variant_id") REFERENCES "public"."variant"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "product_ev" ADD CONSTRAINT "product_ev_product_id_product_id_fk" FOREIGN KEY ("product_id") REFERENCES "public"."product"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sale_volumes" ADD CONSTRAINT "sale_volumes_variant_id_variant_id_fk" FOREIGN KEY ("variant_id") REFERENCES "public"."variant"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "variant" ADD CONSTRAINT "variant_product_id_product_id_fk" FOREIGN KEY ("product_id") REFERENCES "public"."product"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "collection" ADD CONSTRAINT "collection_account_id_account_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."account"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "holding" ADD CONSTRAINT "holding_variant_id_variant_id_fk" FOREIGN KEY ("variant_id") REFERENCES "public"."variant"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "holding" ADD CONSTRAINT "holding_account_id_collection_id_collection_account_id_id_fk" FOREIGN KEY ("account_id","collection_id") REFERENCES "public"."collection"("account_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_key" ADD CONSTRAINT "idempotency_key_account_id_account_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."account"("account_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transaction" ADD CONSTRAINT "transaction_variant_id_variant_id_fk" FOREIGN KEY ("variant_id") REFERENCES "public"."variant"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transaction" ADD CONSTRAINT "transaction_account_id_collection_id_collection_account_id_id_fk" FOREIGN KEY ("account_id","collection_id") REFERENCES "public"."collection"("account_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "variant_product" ON "variant" USING btree ("product_id","position");--> statement-breakpoint
CREATE UNIQUE INDEX "collection_goal" ON "collection" USING btree ("account_id") WHERE "collection"."is_goal";--> statement-breakpoint
CREATE INDEX "collection_deleted" ON "collection" USING btree ("account_id","id") WHERE "collection"."deleted";--> statement-breakpoint
CREATE INDEX "idempotency_key_age" ON "idempotency_key" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "transaction_occurred" ON "transaction" USING btree ("account_id","collection_id","occurred","id");--> statement-breakpoint
CREATE INDEX "transaction_variant" ON "transaction" USING btree ("account_id","collection_id","variant_id","occurred","id");