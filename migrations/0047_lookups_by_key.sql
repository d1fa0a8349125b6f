-- As they were, with each transaction looked up by its key whatever the planner knows of the account. One that is new to the statistics of the table it
-- takes for an empty one, and every index that has the id for as good as the key: each look-up then read all that the account has. By
-- `BETWEEN` and an order the key alone has what is wanted in that order; and with all columns of the other indexes each is as good.
CREATE OR REPLACE FUNCTION update_transaction(of_account uuid, of_transaction text, on_day date, new_action text, new_quantity integer,
  amount numeric, new_currency text, revisions jsonb, new_fees numeric, new_shipping numeric, charges_currency text, details jsonb,
  is_unknown boolean, is_ordered boolean, may_convert boolean)
RETURNS SETOF transaction
LANGUAGE plpgsql AS $$
DECLARE
  of_collection text;
  of_kind text;
  in_currency text;
  was transaction;
  made transaction;
  went holding_change;
  came holding_change;
BEGIN
  SELECT c.id, c.kind, c.currency INTO of_collection, of_kind, in_currency FROM collection c
  WHERE c.account_id = of_account AND NOT c.deleted
    AND c.cost_basis = (SELECT a.cost_basis FROM account a WHERE a.account_id = of_account) AND (c.cost_basis <> 'Average') = is_ordered
    AND c.id = (SELECT t.collection_id FROM transaction t
      WHERE t.account_id = of_account AND t.id BETWEEN of_transaction AND of_transaction ORDER BY t.id LIMIT 1)
  FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  SELECT t.* INTO was FROM transaction t
  WHERE t.account_id = of_account AND t.id BETWEEN of_transaction AND of_transaction AND t.collection_id = of_collection
  ORDER BY t.id LIMIT 1 FOR UPDATE;
  IF NOT FOUND OR NOT (revisions IS NULL OR revisions @> to_jsonb(was.revision)) THEN RETURN; END IF;
  made := jsonb_populate_record(was, details);
  made.occurred := coalesce(on_day, was.occurred);
  made.action := coalesce(new_action, was.action);
  made.quantity := coalesce(new_quantity, was.quantity);
  made.cost_unknown := coalesce(is_unknown, amount IS NULL AND was.cost_unknown);
  made.unit_amount := CASE WHEN made.cost_unknown THEN 0 ELSE coalesce(amount, was.unit_amount) END;
  made.fees := coalesce(new_fees, was.fees);
  made.shipping := coalesce(new_shipping, was.shipping);
  made.currency := coalesce(new_currency, was.currency);
  IF made.cost_unknown AND made.action = 'Sale' OR of_kind <> 'Collection' AND new_action = 'Sale'
    OR made.currency <> in_currency AND NOT may_convert
    OR charges_currency <> made.currency
    OR made.currency <> was.currency AND (new_fees IS NULL AND was.fees <> 0 OR new_shipping IS NULL AND was.shipping <> 0)
  THEN RETURN; END IF;
  made.rate := CASE WHEN made.currency = in_currency THEN 1 ELSE exchange_rate(made.currency, in_currency, made.occurred) END;
  UPDATE transaction t SET
    occurred = made.occurred, action = made.action, quantity = made.quantity, cost_unknown = made.cost_unknown,
    unit_amount = made.unit_amount, fees = made.fees, shipping = made.shipping, currency = made.currency, rate = made.rate,
    revision = t.revision + 1, card_condition = made.card_condition, language = made.language, grade_company = made.grade_company,
    grade = made.grade, certificate = made.certificate, notes = made.notes, tags = made.tags
  WHERE t.account_id = of_account AND t.id = of_transaction AND t.collection_id = of_collection AND t.variant_id = was.variant_id
    AND t.occurred = was.occurred
  RETURNING t.* INTO made;
  went := change_by(was, -1);
  came := change_by(made, 1);
  came.transactions := 0;
  came.bought := came.bought + went.bought;
  came.cost := came.cost + went.cost;
  came.bought_unknown := came.bought_unknown + went.bought_unknown;
  came.sold := came.sold + went.sold;
  came.proceeds := came.proceeds + went.proceeds;
  PERFORM change_holding(of_account, of_collection, is_ordered, in_currency, 'TransactionUpdated', of_transaction, came);
  RETURN NEXT was;
  RETURN NEXT made;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION delete_transaction(of_account uuid, of_transaction text, revisions jsonb, is_ordered boolean)
RETURNS TABLE (collection_id text, variant_id text, occurred date, transactions_left bigint)
LANGUAGE plpgsql AS $$
DECLARE
  of_collection text;
  in_currency text;
  gone transaction;
BEGIN
  SELECT c.id, c.currency INTO of_collection, in_currency FROM collection c
  WHERE c.account_id = of_account AND NOT c.deleted
    AND c.cost_basis = (SELECT a.cost_basis FROM account a WHERE a.account_id = of_account) AND (c.cost_basis <> 'Average') = is_ordered
    AND c.id = (SELECT t.collection_id FROM transaction t
      WHERE t.account_id = of_account AND t.id BETWEEN of_transaction AND of_transaction ORDER BY t.id LIMIT 1)
  FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  SELECT t.* INTO gone FROM transaction t
  WHERE t.account_id = of_account AND t.id BETWEEN of_transaction AND of_transaction AND t.collection_id = of_collection
  ORDER BY t.id LIMIT 1 FOR UPDATE;
  IF NOT FOUND OR NOT (revisions IS NULL OR revisions @> to_jsonb(gone.revision)) THEN RETURN; END IF;
  DELETE FROM transaction t WHERE t.account_id = of_account AND t.id = of_transaction AND t.collection_id = of_collection
    AND t.variant_id = gone.variant_id AND t.occurred = gone.occurred;
  RETURN QUERY SELECT of_collection, gone.variant_id, gone.occurred,
    change_holding(of_account, of_collection, is_ordered, in_currency, 'TransactionDeleted', of_transaction, change_by(gone, -1));
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION changes_by(of_account uuid, ids text[], sign integer) RETURNS holding_change[]
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN ARRAY(
    SELECT ROW(t.variant_id, sign * count(*),
      sign * coalesce(sum(t.quantity) FILTER (WHERE t.action = 'Purchase'), 0),
      sign * coalesce(sum((t.quantity * t.unit_amount + (t.fees + t.shipping)) * t.rate) FILTER (WHERE t.action = 'Purchase'), 0),
      sign * coalesce(sum(t.quantity) FILTER (WHERE t.cost_unknown), 0),
      sign * coalesce(sum(t.quantity) FILTER (WHERE t.action = 'Sale'), 0),
      sign * coalesce(sum((t.quantity * t.unit_amount - (t.fees + t.shipping)) * t.rate) FILTER (WHERE t.action = 'Sale'), 0)
    )::holding_change
    FROM unnest(ids) AS x (id) CROSS JOIN LATERAL (
      SELECT t.* FROM transaction t WHERE t.account_id = of_account AND t.id BETWEEN x.id AND x.id ORDER BY t.id LIMIT 1
    ) t
    GROUP BY t.variant_id);
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION move_transactions(of_account uuid, from_collection text, to_collection text, ids jsonb, is_ordered boolean)
RETURNS SETOF transaction
LANGUAGE plpgsql AS $$
DECLARE
  named text[] := ARRAY(SELECT jsonb_array_elements_text(ids));
  moved text[] := ARRAY(
    SELECT x.id FROM unnest(named) AS x (id) CROSS JOIN LATERAL (
      SELECT t.collection_id FROM transaction t WHERE t.account_id = of_account AND t.id BETWEEN x.id AND x.id ORDER BY t.id LIMIT 1
    ) t
    WHERE t.collection_id = from_collection);
  went holding_change[];
BEGIN
  IF moved = '{}' THEN RETURN; END IF;
  went := changes_by(of_account, moved, -1);
  INSERT INTO transaction AS t (account_id, id, collection_id, variant_id, occurred, action, quantity, unit_amount, currency, rate)
  SELECT of_account, o.id, to_collection, o.variant_id, o.occurred, o.action, o.quantity, o.unit_amount, o.currency, o.rate
  FROM unnest(moved) AS x (id) CROSS JOIN LATERAL (
    SELECT t.* FROM transaction t WHERE t.account_id = of_account AND t.id BETWEEN x.id AND x.id ORDER BY t.id LIMIT 1
  ) o
  ON CONFLICT (account_id, id) DO UPDATE SET collection_id = excluded.collection_id, revision = t.revision + 1;
  PERFORM change_holdings(of_account, from_collection, is_ordered, 'TransactionDeleted', moved, went);
  PERFORM change_holdings(of_account, to_collection, is_ordered, 'TransactionsCreated', moved, changes_by(of_account, moved, 1));
  RETURN QUERY SELECT t.* FROM unnest(moved) AS x (id) CROSS JOIN LATERAL (
    SELECT t.* FROM transaction t WHERE t.account_id = of_account AND t.id BETWEEN x.id AND x.id ORDER BY t.id LIMIT 1
  ) t;
END $$;
