CREATE TABLE "identity_provider" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"issuer" text COLLATE "C" NOT NULL,
	"audience" text COLLATE "C" NOT NULL,
	"creates_accounts" boolean NOT NULL,
	"default_scope" text NOT NULL,
	"read_scope" text NOT NULL,
	"revision" bigint DEFAULT 1 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "former_sub_account" (
	"account_id" uuid NOT NULL,
	"external_id" text COLLATE "C" NOT NULL,
	"deleted_at" timestamp with time zone NOT NULL,
	CONSTRAINT "former_sub_account_account_id_external_id_pk" PRIMARY KEY("account_id","external_id")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "identity_provider_token" ON "identity_provider" USING btree ("issuer","audience");--> statement-breakpoint
CREATE INDEX "former_sub_account_age" ON "former_sub_account" USING btree ("deleted_at");