CREATE TABLE "sub_account" (
	"account_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"external_id" text COLLATE "C" NOT NULL,
	CONSTRAINT "sub_account_account_id_id_pk" PRIMARY KEY("account_id","id")
);
--> statement-breakpoint
ALTER TABLE "account" ADD COLUMN "parent_id" uuid;--> statement-breakpoint
ALTER TABLE "account" ADD COLUMN "max_accounts" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "account" ADD COLUMN "account_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "account" ADD COLUMN "suspended" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "account" ADD COLUMN "deleted_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "account" ADD COLUMN "revision" bigint DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "sub_account" ADD CONSTRAINT "sub_account_account_id_account_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."account"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "sub_account_external" ON "sub_account" USING btree ("account_id","external_id");--> statement-breakpoint
CREATE INDEX "account_deleted" ON "account" USING btree ("deleted_at") WHERE "account"."deleted_at" is not null;--> statement-breakpoint
ALTER TABLE "account" ADD CONSTRAINT "account_counts" CHECK ("account"."account_count" >= 0);