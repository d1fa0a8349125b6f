CREATE TABLE "import_preview" (
	"account_id" uuid NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"collection_id" text COLLATE "C" NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"bytes" bigint NOT NULL,
	"file" jsonb NOT NULL,
	CONSTRAINT "import_preview_account_id_id_pk" PRIMARY KEY("account_id","id")
);
--> statement-breakpoint
CREATE TABLE "import_preview_row" (
	"account_id" uuid NOT NULL,
	"preview_id" text COLLATE "C" NOT NULL,
	"line" integer NOT NULL,
	"state" text NOT NULL,
	"row" jsonb NOT NULL,
	"cells" jsonb NOT NULL,
	CONSTRAINT "import_preview_row_account_id_preview_id_line_pk" PRIMARY KEY("account_id","preview_id","line"),
	CONSTRAINT "import_preview_row_states" CHECK ("import_preview_row"."state" in ('Matched', 'Unclear', 'Wrong', 'Skipped'))
);
--> statement-breakpoint
ALTER TABLE "import_preview" ADD CONSTRAINT "import_preview_collection" FOREIGN KEY ("account_id","collection_id") REFERENCES "public"."collection"("account_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "import_preview_row" ADD CONSTRAINT "import_preview_row_preview" FOREIGN KEY ("account_id","preview_id") REFERENCES "public"."import_preview"("account_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "import_preview_age" ON "import_preview" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "import_preview_row_state" ON "import_preview_row" USING btree ("account_id","preview_id","state","line");