CREATE TABLE "webhook" (
	"account_id" uuid NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"url" text NOT NULL,
	"events" jsonb NOT NULL,
	"all_accounts" boolean NOT NULL,
	"status" text DEFAULT 'Active' NOT NULL,
	"disabled_reason" text,
	"disabled_at" timestamp with time zone,
	"secret" text NOT NULL,
	"previous_secret" text,
	"previous_until" timestamp with time zone,
	"revision" bigint DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"active_since" timestamp with time zone DEFAULT now() NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"failing_since" timestamp with time zone,
	"is_slow" boolean DEFAULT false NOT NULL,
	"look_at" timestamp with time zone DEFAULT 'infinity' NOT NULL,
	"leased_until" timestamp with time zone DEFAULT now() NOT NULL,
	"lease" uuid,
	CONSTRAINT "webhook_account_id_id_pk" PRIMARY KEY("account_id","id"),
	CONSTRAINT "webhook_statuses" CHECK ("webhook"."status" in ('Active', 'Disabled', 'Deleted'))
);
--> statement-breakpoint
CREATE TABLE "webhook_delivery" (
	"account_id" uuid NOT NULL,
	"webhook_id" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"type" text NOT NULL,
	"stream" text COLLATE "C" NOT NULL,
	"number" bigint NOT NULL,
	"payload" text NOT NULL,
	"status" text DEFAULT 'Pending' NOT NULL,
	"occurred_at" timestamp with time zone NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"not_before" timestamp with time zone DEFAULT now() NOT NULL,
	"last_attempt_at" timestamp with time zone,
	"response_status" integer,
	"error" text,
	"finished_at" timestamp with time zone,
	CONSTRAINT "webhook_delivery_account_id_webhook_id_id_pk" PRIMARY KEY("account_id","webhook_id","id"),
	CONSTRAINT "webhook_delivery_statuses" CHECK ("webhook_delivery"."status" in ('Pending', 'Delivered', 'Failed'))
);
--> statement-breakpoint
CREATE TABLE "webhook_feed" (
	"id" integer PRIMARY KEY NOT NULL,
	"read_from" timestamp with time zone NOT NULL,
	"number" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "webhook" ADD CONSTRAINT "webhook_account_id_account_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."account"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "webhook_due" ON "webhook" USING btree ("look_at") WHERE "webhook"."status" = 'Active';--> statement-breakpoint
CREATE INDEX "webhook_disabled" ON "webhook" USING btree ("disabled_at") WHERE "webhook"."status" <> 'Active';--> statement-breakpoint
CREATE INDEX "webhook_delivery_pending" ON "webhook_delivery" USING btree ("account_id","webhook_id","stream","number") WHERE "webhook_delivery"."status" = 'Pending';--> statement-breakpoint
CREATE INDEX "webhook_delivery_number" ON "webhook_delivery" USING btree ("account_id","webhook_id","number","id");--> statement-breakpoint
CREATE INDEX "webhook_delivery_finished" ON "webhook_delivery" USING btree ("status","finished_at") WHERE "webhook_delivery"."status" <> 'Pending';