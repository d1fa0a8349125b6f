ALTER TABLE "product" ADD COLUMN "other_numbers" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "product" ADD COLUMN "other_faces" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "product" ADD COLUMN "keywords" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "product" ADD COLUMN "legality" jsonb;--> statement-breakpoint
ALTER TABLE "variant" ADD COLUMN "treatments" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "variant" ADD COLUMN "artists" jsonb DEFAULT '[]'::jsonb NOT NULL;