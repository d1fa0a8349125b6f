CREATE TABLE "price_move" (
	"variant_id" text COLLATE "C" NOT NULL,
	"source" text NOT NULL,
	"currency" text NOT NULL,
	"amount" numeric,
	"day_currency" text,
	"day_amount" numeric,
	"week_currency" text,
	"week_amount" numeric,
	"month_currency" text,
	"month_amount" numeric,
	"year_currency" text,
	"year_amount" numeric,
	CONSTRAINT "price_move_variant_id_source_pk" PRIMARY KEY("variant_id","source")
);
--> statement-breakpoint
CREATE TABLE "rate_gap" (
	"currency" text NOT NULL,
	"last_day" date NOT NULL,
	"next_day" date NOT NULL,
	CONSTRAINT "rate_gap_currency_last_day_pk" PRIMARY KEY("currency","last_day")
);

--> statement-breakpoint
GRANT SELECT ON price_move TO cardledger_tenant;
--> statement-breakpoint
GRANT SELECT ON rate_gap TO cardledger_tenant;
--> statement-breakpoint
INSERT INTO rate_gap (currency, last_day, next_day)
SELECT currency, day, next_day FROM (
  SELECT currency, day, lead(day) OVER (PARTITION BY currency ORDER BY day) AS next_day FROM fx_rate
) r
WHERE next_day > day + 11;
--> statement-breakpoint
INSERT INTO price_move (variant_id, source, currency, amount,
  day_currency, day_amount, week_currency, week_amount, month_currency, month_amount, year_currency, year_amount)
select p.variant_id, p.source, p.currency, p.amount,
  of_day.currency, of_day.amount, of_week.currency, of_week.amount, of_month.currency, of_month.amount, of_year.currency, of_year.amount
from market_data m cross join price p 
join lateral (
  select h.currencies[at] as currency, h.amounts[at] as amount
  from price_year h, width_bucket(m.newest_day - 1, h.days) as at
  where h.variant_id = p.variant_id and h.source = p.source and h.days[1] <= m.newest_day - 1
  order by h.year desc limit 1) of_day on true
left join lateral (
  select h.currencies[at] as currency, h.amounts[at] as amount
  from price_year h, width_bucket(m.newest_day - 7, h.days) as at
  where h.variant_id = p.variant_id and h.source = p.source and h.days[1] <= m.newest_day - 7
  order by h.year desc limit 1) of_week on true
left join lateral (
  select h.currencies[at] as currency, h.amounts[at] as amount
  from price_year h, width_bucket(m.newest_day - 30, h.days) as at
  where h.variant_id = p.variant_id and h.source = p.source and h.days[1] <= m.newest_day - 30
  order by h.year desc limit 1) of_month on true
left join lateral (
  select h.currencies[at] as currency, h.amounts[at] as amount
  from price_year h, width_bucket(m.newest_day - 365, h.days) as at
  where h.variant_id = p.variant_id and h.source = p.source and h.days[1] <= m.newest_day - 365
  order by h.year desc limit 1) of_year on true
where m.kind = 'prices';
--> statement-breakpoint
-- No plan asks for them, and to make them took the embedded database seconds, in which nobody else was served.
ALTER TABLE price_year ALTER COLUMN days SET STATISTICS 0, ALTER COLUMN currencies SET STATISTICS 0, ALTER COLUMN amounts SET STATISTICS 0;
