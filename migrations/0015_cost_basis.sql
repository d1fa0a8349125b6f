CREATE TABLE "cost_state" (
	"account_id" uuid NOT NULL,
	"collection_id" text COLLATE "C" NOT NULL,
	"variant_id" text COLLATE "C" NOT NULL,
	"occurred" date NOT NULL,
	"transaction_id" text COLLATE "C" NOT NULL,
	"cost" numeric NOT NULL,
	"held" bigint NOT NULL,
	"held_cost" numeric NOT NULL,
	"lot_occurred" date,
	"lot_id" text COLLATE "C",
	"lot_taken" integer,
	CONSTRAINT "cost_state_pk" PRIMARY KEY("account_id","collection_id","variant_id","occurred","transaction_id")
);
--> statement-breakpoint
ALTER TABLE "account" ADD COLUMN "cost_basis" text DEFAULT 'Average' NOT NULL;--> statement-breakpoint
ALTER TABLE "collection" ADD COLUMN "cost_basis" text DEFAULT 'Average' NOT NULL;--> statement-breakpoint
ALTER TABLE "holding" ADD COLUMN "held" bigint;--> statement-breakpoint
ALTER TABLE "holding" ADD COLUMN "held_cost" numeric;--> statement-breakpoint
ALTER TABLE "cost_state" ADD CONSTRAINT "cost_state_account_id_collection_id_collection_account_id_id_fk" FOREIGN KEY ("account_id","collection_id") REFERENCES "public"."collection"("account_id","id") ON DELETE cascade ON UPDATE no action;