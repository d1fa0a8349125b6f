CREATE TABLE "goal" (
	"account_id" uuid NOT NULL,
	"collection_id" text COLLATE "C" NOT NULL,
	"match" text NOT NULL,
	"target_collection_id" text COLLATE "C",
	CONSTRAINT "goal_account_id_collection_id_pk" PRIMARY KEY("account_id","collection_id"),
	CONSTRAINT "goal_match" CHECK ("goal"."match" in ('Variant', 'Product', 'Card'))
);
--> statement-breakpoint
CREATE TABLE "goal_item" (
	"account_id" uuid NOT NULL,
	"collection_id" text COLLATE "C" NOT NULL,
	"variant_id" text COLLATE "C" NOT NULL,
	"quantity" bigint NOT NULL,
	CONSTRAINT "goal_item_account_id_collection_id_variant_id_pk" PRIMARY KEY("account_id","collection_id","variant_id"),
	CONSTRAINT "goal_item_quantity" CHECK ("goal_item"."quantity" > 0)
);
--> statement-breakpoint
ALTER TABLE "goal" ADD CONSTRAINT "goal_account_id_collection_id_collection_account_id_id_fk" FOREIGN KEY ("account_id","collection_id") REFERENCES "public"."collection"("account_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "goal" ADD CONSTRAINT "goal_account_id_target_collection_id_collection_account_id_id_fk" FOREIGN KEY ("account_id","target_collection_id") REFERENCES "public"."collection"("account_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "goal_item" ADD CONSTRAINT "goal_item_variant_id_variant_id_fk" FOREIGN KEY ("variant_id") REFERENCES "public"."variant"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "goal_item" ADD CONSTRAINT "goal_item_account_id_collection_id_goal_account_id_collection_id_fk" FOREIGN KEY ("account_id","collection_id") REFERENCES "public"."goal"("account_id","collection_id") ON DELETE cascade ON UPDATE no action;