CREATE TABLE "market_pull" (
	"kind" text PRIMARY KEY NOT NULL,
	"pulled_at" timestamp with time zone,
	"not_before" timestamp with time zone NOT NULL,
	"tries" integer NOT NULL
);
