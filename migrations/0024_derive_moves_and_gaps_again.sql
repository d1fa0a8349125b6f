-- An import that was under way beside 0021 has changed what they follow from: again, in the turn of imports.
SELECT pg_advisory_xact_lock(7201104);
--> statement-breakpoint
DELETE FROM rate_gap;
--> statement-breakpoint
INSERT INTO rate_gap (currency, last_day, next_day)
SELECT currency, day, next_day FROM (
  SELECT currency, day, lead(day) OVER (PARTITION BY currency ORDER BY day) AS next_day FROM fx_rate
) r
WHERE next_day > day + 11;
--> statement-breakpoint
DELETE FROM price_move;
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
