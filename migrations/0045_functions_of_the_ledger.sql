-- Functions that change the ledger (docs/architecture.md#a-write). Each has the account first, and looks at rows of that
-- account alone: so on Citus all of it is worked by the node that has them. They lock the collection before anything else.

-- As it was, but as a text: on Citus no table can be read by what follows RETURN.
CREATE OR REPLACE FUNCTION units_per_euro(of_currency text, on_day date) RETURNS numeric
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN of_currency = 'EUR' THEN 1 ELSE coalesce(
    (SELECT per_euro FROM fx_rate WHERE currency = of_currency AND day <= on_day ORDER BY day DESC LIMIT 1),
    (SELECT per_euro FROM fx_rate WHERE currency = of_currency ORDER BY day LIMIT 1)) END
$$;
--> statement-breakpoint
-- The latest price of a variant of the account's source, in a currency; null where none is known.
CREATE FUNCTION market_price(of_account uuid, of_variant text, in_currency text) RETURNS numeric
LANGUAGE plpgsql STABLE AS $$
DECLARE
  price_currency text;
  price numeric;
BEGIN
  SELECT p.currency, p.amount INTO price_currency, price FROM price p
  WHERE p.variant_id = of_variant
    AND p.source = (SELECT a.preferred_price_source FROM account a WHERE a.account_id = of_account);
  IF price_currency = in_currency THEN RETURN price; END IF;
  RETURN price * latest_exchange_rate(price_currency, in_currency);
END $$;
--> statement-breakpoint
-- The difference that transactions make to the holding of a variant: those that come count, those that go count negative.
CREATE TYPE holding_change AS (
  variant_id text, transactions bigint, bought bigint, cost numeric, bought_unknown bigint, sold bigint, proceeds numeric);
--> statement-breakpoint
-- That of one transaction; `sign` is 1 where it comes, -1 where it goes. What it came to: docs/decisions.md#fees-and-shipping.
CREATE FUNCTION change_by(entry transaction, sign integer) RETURNS holding_change
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  cards bigint := sign * entry.quantity;
  amount numeric := entry.quantity * entry.unit_amount;
  charges numeric := entry.fees + entry.shipping;
  change holding_change;
BEGIN
  IF entry.action = 'Purchase' THEN
    change := (entry.variant_id, sign, cards, sign * (amount + charges) * entry.rate, 0, 0, 0);
  ELSE
    change := (entry.variant_id, sign, 0, 0, 0, cards, sign * (amount - charges) * entry.rate);
  END IF;
  IF entry.cost_unknown THEN change.bought_unknown := cards; END IF;
  RETURN change;
END $$;
--> statement-breakpoint
-- Changes the holding of a variant, and the totals of its collection by as much, and logs the event `what` of the transaction. Gives how
-- many transactions the holding has now. The market value changes by the same prices that its stamp is of, or is left to be made afresh by
-- whoever shows it: where an import came between, and where cards are concerned whose cost is not known, of which no gain is made.
-- `is_ordered` says that the order counts: then what is invested is added when it is known.
CREATE FUNCTION change_holding(of_account uuid, of_collection text, is_ordered boolean, in_currency text, what text,
  of_transaction text, change holding_change) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  held holding;
  more_cards bigint;
  more_invested numeric := 0;
  more_profit numeric := change.proceeds - change.cost;
  price numeric := market_price(of_account, change.variant_id, in_currency);
  changed bigint;
BEGIN
  IF what = 'TransactionsCreated' THEN
    INSERT INTO holding AS h (account_id, collection_id, variant_id, transaction_count, bought, cost, bought_unknown, sold, proceeds)
    VALUES (of_account, of_collection, change.variant_id, change.transactions, change.bought, change.cost, change.bought_unknown,
      change.sold, change.proceeds)
    ON CONFLICT (account_id, collection_id, variant_id) DO UPDATE SET
      transaction_count = h.transaction_count + excluded.transaction_count, bought = h.bought + excluded.bought,
      cost = h.cost + excluded.cost, bought_unknown = h.bought_unknown + excluded.bought_unknown, sold = h.sold + excluded.sold,
      proceeds = h.proceeds + excluded.proceeds
    RETURNING h.* INTO held;
  ELSE
    UPDATE holding h SET
      transaction_count = h.transaction_count + change.transactions, bought = h.bought + change.bought, cost = h.cost + change.cost,
      bought_unknown = h.bought_unknown + change.bought_unknown, sold = h.sold + change.sold, proceeds = h.proceeds + change.proceeds
    WHERE h.account_id = of_account AND h.collection_id = of_collection AND h.variant_id = change.variant_id
    RETURNING h.* INTO held;
  END IF;
  more_cards := greatest(held.quantity, 0) - greatest(held.quantity - change.bought + change.sold, 0);
  IF NOT is_ordered THEN
    more_invested := held.invested - invested(held.bought - change.bought, held.cost - change.cost, held.sold - change.sold);
    more_profit := held.profit
      - profit(held.bought - change.bought, held.cost - change.cost, held.sold - change.sold, held.proceeds - change.proceeds);
  END IF;
  UPDATE collection c SET
    revision = c.revision + 1,
    transaction_count = c.transaction_count + change.transactions,
    quantity = c.quantity + change.bought - change.sold,
    invested = c.invested + more_invested,
    profit = c.profit + more_profit,
    bought_unknown = c.bought_unknown + change.bought_unknown,
    cash_position = c.cash_position + change.proceeds - change.cost,
    market_value = c.market_value + coalesce(more_cards * price, 0),
    gain = c.gain + coalesce(more_cards * price - more_invested, 0),
    unpriced = c.unpriced + CASE WHEN price IS NULL THEN more_cards ELSE 0 END,
    market_revision = CASE
      WHEN c.market_revision = -(SELECT coalesce(sum(m.revision), 0)::bigint FROM market_data m WHERE m.kind IN ('prices', 'rates')) - c.revision
        AND NOT (held.bought_unknown > 0 OR change.bought_unknown < 0) THEN c.market_revision - 1
      ELSE 0 END
  WHERE c.account_id = of_account AND c.id = of_collection
  RETURNING c.revision INTO changed;
  INSERT INTO event (account_id, stream, sequence, kind, transaction_ids, variant_ids)
  VALUES (of_account, of_collection, changed, what, jsonb_build_array(of_transaction), jsonb_build_array(change.variant_id));
  RETURN held.transaction_count;
END $$;
--> statement-breakpoint
-- Records a transaction in a collection of the average, and gives it. Nothing where the collection or the variant does not exist, a wish list
-- would have a sale, the collection's share has no room, the amount would be converted, or another writer has the collection: nobody is to
-- wait behind one who waits.
CREATE FUNCTION create_transaction(of_account uuid, of_collection text, new_id text, of_variant text, on_day date, new_action text,
  new_quantity integer, amount numeric, new_currency text, new_fees numeric, new_shipping numeric, details jsonb, is_unknown boolean)
RETURNS SETOF transaction
LANGUAGE plpgsql AS $$
DECLARE
  made transaction;
BEGIN
  PERFORM FROM collection c
  WHERE c.account_id = of_account AND c.id = of_collection AND NOT c.deleted AND c.currency = new_currency
    AND c.cost_basis = (SELECT a.cost_basis FROM account a WHERE a.account_id = of_account) AND c.cost_basis = 'Average'
    AND c.transaction_count < c.transaction_share AND (c.kind = 'Collection' OR new_action <> 'Sale')
  FOR NO KEY UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM FROM variant v WHERE v.id = of_variant;
  IF NOT FOUND THEN RETURN; END IF;
  IF details IS NOT NULL THEN made := jsonb_populate_record(made, details); END IF;
  INSERT INTO transaction AS t (account_id, id, collection_id, variant_id, occurred, action, quantity, unit_amount, cost_unknown, fees,
    shipping, currency, rate, card_condition, language, grade_company, grade, certificate, notes, tags)
  VALUES (of_account, new_id, of_collection, of_variant, on_day, new_action, new_quantity, amount, is_unknown, new_fees, new_shipping,
    new_currency, 1, made.card_condition, made.language, made.grade_company, made.grade, made.certificate, made.notes, made.tags)
  RETURNING t.* INTO made;
  PERFORM change_holding(of_account, of_collection, false, new_currency, 'TransactionsCreated', new_id, change_by(made, 1));
  RETURN NEXT made;
END $$;
--> statement-breakpoint
-- Changes what is not null, and in `details` what is named, and gives the transaction as it was, and as it is. Nothing where it does not
-- exist, has none of the `revisions` (null for any), or is of another way; where the cost of a sale would be unknown, a wish list would
-- have a sale, charges would be in another currency than the amount, or the amount converted and it may not be.
CREATE FUNCTION update_transaction(of_account uuid, of_transaction text, on_day date, new_action text, new_quantity integer,
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
    AND c.id = (SELECT t.collection_id FROM transaction t WHERE t.account_id = of_account AND t.id = of_transaction)
  FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  SELECT t.* INTO was FROM transaction t
  WHERE t.account_id = of_account AND t.id = of_transaction AND t.collection_id = of_collection FOR UPDATE;
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
  WHERE t.account_id = of_account AND t.id = of_transaction
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
-- Gives the transaction that is gone, and how many are left of its variant in the collection. Nothing where it does not exist, has none of
-- the `revisions` (null for any), or is of another way.
CREATE FUNCTION delete_transaction(of_account uuid, of_transaction text, revisions jsonb, is_ordered boolean)
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
    AND c.id = (SELECT t.collection_id FROM transaction t WHERE t.account_id = of_account AND t.id = of_transaction)
  FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  SELECT t.* INTO gone FROM transaction t
  WHERE t.account_id = of_account AND t.id = of_transaction AND t.collection_id = of_collection FOR UPDATE;
  IF NOT FOUND OR NOT (revisions IS NULL OR revisions @> to_jsonb(gone.revision)) THEN RETURN; END IF;
  DELETE FROM transaction t WHERE t.account_id = of_account AND t.id = of_transaction;
  RETURN QUERY SELECT of_collection, gone.variant_id, gone.occurred,
    change_holding(of_account, of_collection, is_ordered, in_currency, 'TransactionDeleted', of_transaction, change_by(gone, -1));
END $$;
--> statement-breakpoint
-- The same as `change_by` of many stored transactions, one for each of their variants.
CREATE FUNCTION changes_by(of_account uuid, ids text[], sign integer) RETURNS holding_change[]
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
      SELECT t.* FROM transaction t WHERE t.account_id = of_account AND t.id = x.id LIMIT 1
    ) t
    GROUP BY t.variant_id);
END $$;
--> statement-breakpoint
-- The same as `change_holding` of many variants, and one event of all their transactions. Rows are looked up one by one here and below (`LATERAL …
-- LIMIT 1`, and `ON CONFLICT` in place of an update): joined, the planner, which knows accounts by their average, reads all that one has.
CREATE FUNCTION change_holdings(of_account uuid, of_collection text, is_ordered boolean, what text, ids text[],
  changes holding_change[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  variants text[] := ARRAY(SELECT d.variant_id FROM unnest(changes) d);
  changed bigint;
BEGIN
  IF what = 'TransactionsCreated' THEN
    INSERT INTO holding AS h (account_id, collection_id, variant_id, transaction_count, bought, cost, bought_unknown, sold, proceeds)
    SELECT of_account, of_collection, d.variant_id, d.transactions, d.bought, d.cost, d.bought_unknown, d.sold, d.proceeds
    FROM unnest(changes) d
    ON CONFLICT (account_id, collection_id, variant_id) DO UPDATE SET
      transaction_count = h.transaction_count + excluded.transaction_count, bought = h.bought + excluded.bought,
      cost = h.cost + excluded.cost, bought_unknown = h.bought_unknown + excluded.bought_unknown, sold = h.sold + excluded.sold,
      proceeds = h.proceeds + excluded.proceeds;
  ELSE
    INSERT INTO holding AS h (account_id, collection_id, variant_id, transaction_count, bought, cost, bought_unknown, sold, proceeds)
    SELECT of_account, of_collection, d.variant_id, o.transaction_count + d.transactions, o.bought + d.bought, o.cost + d.cost,
      o.bought_unknown + d.bought_unknown, o.sold + d.sold, o.proceeds + d.proceeds
    FROM unnest(changes) d CROSS JOIN LATERAL (
      SELECT h.* FROM holding h
      WHERE h.account_id = of_account AND h.collection_id = of_collection AND h.variant_id = d.variant_id LIMIT 1
    ) o
    ON CONFLICT (account_id, collection_id, variant_id) DO UPDATE SET
      transaction_count = excluded.transaction_count, bought = excluded.bought, cost = excluded.cost,
      bought_unknown = excluded.bought_unknown, sold = excluded.sold, proceeds = excluded.proceeds;
  END IF;
  UPDATE collection c SET
    revision = c.revision + 1,
    transaction_count = c.transaction_count + x.transactions,
    quantity = c.quantity + x.quantity,
    invested = c.invested + x.invested,
    profit = c.profit + x.profit,
    bought_unknown = c.bought_unknown + x.bought_unknown,
    cash_position = c.cash_position + x.cash_position,
    market_value = c.market_value + x.market_value,
    gain = c.gain + x.gain,
    unpriced = c.unpriced + x.unpriced,
    market_revision = CASE
      WHEN c.market_revision = -(SELECT coalesce(sum(m.revision), 0)::bigint FROM market_data m WHERE m.kind IN ('prices', 'rates')) - c.revision
        AND NOT x.is_unknown THEN c.market_revision - 1
      ELSE 0 END
  FROM (
    SELECT sum(d.transactions) AS transactions, sum(d.bought - d.sold) AS quantity, sum(d.bought_unknown) AS bought_unknown,
      bool_or(h.bought_unknown > 0 OR d.bought_unknown < 0) AS is_unknown,
      sum(more.invested) AS invested, sum(more.profit) AS profit, sum(d.proceeds - d.cost) AS cash_position,
      coalesce(sum(more.quantity * price.amount), 0) AS market_value,
      coalesce(sum(more.quantity * price.amount - more.invested), 0) AS gain,
      coalesce(sum(more.quantity) FILTER (WHERE price.amount IS NULL), 0) AS unpriced
    FROM (
      SELECT o.currency, (SELECT a.preferred_price_source FROM account a WHERE a.account_id = of_account) AS price_source
      FROM collection o WHERE o.account_id = of_account AND o.id = of_collection
    ) col
    CROSS JOIN unnest(changes) d
    -- Each is looked up, however many the collection has; and its price once, not for each of the sums.
    CROSS JOIN LATERAL (
      SELECT h.* FROM holding h
      WHERE h.account_id = of_account AND h.collection_id = of_collection AND h.variant_id = d.variant_id LIMIT 1
    ) h
    CROSS JOIN LATERAL (
      SELECT greatest(h.quantity, 0) - greatest(h.quantity - d.bought + d.sold, 0) AS quantity,
        CASE WHEN is_ordered THEN 0
          ELSE h.invested - invested(h.bought - d.bought, h.cost - d.cost, h.sold - d.sold) END AS invested,
        CASE WHEN is_ordered THEN d.proceeds - d.cost
          ELSE h.profit - profit(h.bought - d.bought, h.cost - d.cost, h.sold - d.sold, h.proceeds - d.proceeds) END AS profit
      OFFSET 0
    ) more
    CROSS JOIN LATERAL (
      SELECT (
        -- On Citus no function that reads a table may stand here: what `latest_exchange_rate` says.
        SELECT p.amount * CASE WHEN p.currency = col.currency THEN 1 ELSE round((CASE WHEN col.currency = 'EUR' THEN 1 ELSE (
            SELECT fx.per_euro FROM fx_rate fx WHERE fx.currency = col.currency ORDER BY fx.day DESC LIMIT 1) END)::numeric(200, 40)
          / CASE WHEN p.currency = 'EUR' THEN 1 ELSE (
            SELECT fx.per_euro FROM fx_rate fx WHERE fx.currency = p.currency ORDER BY fx.day DESC LIMIT 1) END, 20) END
        FROM price p WHERE p.variant_id = d.variant_id AND p.source = col.price_source
      ) AS amount OFFSET 0
    ) price
  ) x
  WHERE c.account_id = of_account AND c.id = of_collection
  RETURNING c.revision INTO changed;
  INSERT INTO event (account_id, stream, sequence, kind, transaction_ids, variant_ids)
  VALUES (of_account, of_collection, changed, what, to_jsonb(ids), to_jsonb(variants));
END $$;
--> statement-breakpoint
-- Records `entries`, rows of `transaction` as JSON with other values than those that follow from the collection, and gives them in the order
-- of their ids. All or none: nothing where the collection or one of the variants does not exist, its share has no room for `needed`, it is of
-- another way, a wish list would have a sale, or an amount would be converted and may not be.
CREATE FUNCTION create_transactions(of_account uuid, of_collection text, entries jsonb, needed bigint, is_ordered boolean,
  may_convert boolean)
RETURNS SETOF transaction
LANGUAGE plpgsql AS $$
DECLARE
  in_currency text;
  ids text[];
BEGIN
  SELECT c.currency INTO in_currency FROM collection c
  WHERE c.account_id = of_account AND c.id = of_collection AND NOT c.deleted
    AND c.cost_basis = (SELECT a.cost_basis FROM account a WHERE a.account_id = of_account) AND (c.cost_basis <> 'Average') = is_ordered
    AND c.transaction_count + needed <= c.transaction_share AND (c.kind = 'Collection' OR NOT entries @> '[{"action": "Sale"}]')
  FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  -- By `count` each is looked up: the planner would read all variants to know whether one exists.
  PERFORM FROM jsonb_to_recordset(entries) AS e (variant_id text, currency text)
  WHERE e.currency <> in_currency AND NOT may_convert OR (SELECT count(*) FROM variant v WHERE v.id = e.variant_id) = 0;
  IF FOUND THEN RETURN; END IF;
  RETURN QUERY INSERT INTO transaction AS t (account_id, id, collection_id, variant_id, occurred, action, quantity, unit_amount,
    cost_unknown, fees, shipping, currency, rate, card_condition, language, grade_company, grade, certificate, notes, tags)
  SELECT of_account, e.id, of_collection, e.variant_id, e.occurred, e.action, e.quantity, e.unit_amount, e.cost_unknown, e.fees,
    e.shipping, e.currency,
    CASE WHEN e.currency = in_currency THEN 1 ELSE exchange_rate(e.currency, in_currency, e.occurred) END,
    e.card_condition, e.language, e.grade_company, e.grade, e.certificate, e.notes, e.tags
  FROM jsonb_populate_recordset(NULL::transaction, entries) e ORDER BY e.id
  RETURNING t.*;
  ids := ARRAY(SELECT e ->> 'id' FROM jsonb_array_elements(entries) e);
  PERFORM change_holdings(of_account, of_collection, is_ordered, 'TransactionsCreated', ids, changes_by(of_account, ids, 1));
END $$;
--> statement-breakpoint
-- Moves those of `ids` that are in one collection to another of the same currency and way, and gives them. Whoever moves has locked both. Who
-- follows one sees that they have gone, who follows the other that they have come.
CREATE FUNCTION move_transactions(of_account uuid, from_collection text, to_collection text, ids jsonb, is_ordered boolean)
RETURNS SETOF transaction
LANGUAGE plpgsql AS $$
DECLARE
  named text[] := ARRAY(SELECT jsonb_array_elements_text(ids));
  moved text[] := ARRAY(
    SELECT x.id FROM unnest(named) AS x (id) CROSS JOIN LATERAL (
      SELECT t.collection_id FROM transaction t WHERE t.account_id = of_account AND t.id = x.id LIMIT 1
    ) t
    WHERE t.collection_id = from_collection);
  went holding_change[];
BEGIN
  IF moved = '{}' THEN RETURN; END IF;
  went := changes_by(of_account, moved, -1);
  INSERT INTO transaction AS t (account_id, id, collection_id, variant_id, occurred, action, quantity, unit_amount, currency, rate)
  SELECT of_account, o.id, to_collection, o.variant_id, o.occurred, o.action, o.quantity, o.unit_amount, o.currency, o.rate
  FROM unnest(moved) AS x (id) CROSS JOIN LATERAL (
    SELECT t.* FROM transaction t WHERE t.account_id = of_account AND t.id = x.id LIMIT 1
  ) o
  ON CONFLICT (account_id, id) DO UPDATE SET collection_id = excluded.collection_id, revision = t.revision + 1;
  PERFORM change_holdings(of_account, from_collection, is_ordered, 'TransactionDeleted', moved, went);
  PERFORM change_holdings(of_account, to_collection, is_ordered, 'TransactionsCreated', moved, changes_by(of_account, moved, 1));
  RETURN QUERY SELECT t.* FROM unnest(moved) AS x (id) CROSS JOIN LATERAL (
    SELECT t.* FROM transaction t WHERE t.account_id = of_account AND t.id = x.id LIMIT 1
  ) t;
END $$;
--> statement-breakpoint
-- What is held of variants, and what that has cost, where the order counts (`costs`, a list of `{variantId, held, heldCost, heldUnknown}`); with the totals
-- of the collection: what they lack since the change of the ledger in this database transaction, which gave it the revision and the event of both.
CREATE FUNCTION add_held_costs(of_account uuid, of_collection text, costs jsonb) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  in_currency text;
  price_source text;
  more numeric;
  more_of_priced numeric;
BEGIN
  SELECT c.currency, (SELECT a.preferred_price_source FROM account a WHERE a.account_id = of_account) INTO in_currency, price_source
  FROM collection c WHERE c.account_id = of_account AND c.id = of_collection;
  SELECT coalesce(sum(x."heldCost" - coalesce(h.held_cost, 0)), 0),
    coalesce(sum(x."heldCost" - coalesce(h.held_cost, 0)) FILTER (WHERE 0 < (
      -- As `market_price` knows one; by `count` each is looked up.
      SELECT count(*) FROM price p
      WHERE p.variant_id = x."variantId" AND p.source = price_source AND p.amount IS NOT NULL AND (p.currency = in_currency
        OR (p.currency = 'EUR' OR EXISTS (SELECT FROM fx_rate fx WHERE fx.currency = p.currency))
          AND (in_currency = 'EUR' OR EXISTS (SELECT FROM fx_rate fx WHERE fx.currency = in_currency))))), 0)
  INTO more, more_of_priced
  FROM jsonb_to_recordset(costs) AS x ("variantId" text, "heldCost" numeric)
  CROSS JOIN LATERAL (
    SELECT h.held_cost FROM holding h
    WHERE h.account_id = of_account AND h.collection_id = of_collection AND h.variant_id = x."variantId" LIMIT 1
  ) h;
  INSERT INTO holding AS h (account_id, collection_id, variant_id, transaction_count, bought, cost, bought_unknown, sold, proceeds,
    held, held_cost, held_unknown)
  SELECT of_account, of_collection, o.variant_id, o.transaction_count, o.bought, o.cost, o.bought_unknown, o.sold, o.proceeds,
    x.held, x."heldCost", x."heldUnknown"
  FROM jsonb_to_recordset(costs) AS x ("variantId" text, held bigint, "heldCost" numeric, "heldUnknown" bigint)
  CROSS JOIN LATERAL (
    SELECT h.* FROM holding h
    WHERE h.account_id = of_account AND h.collection_id = of_collection AND h.variant_id = x."variantId" LIMIT 1
  ) o
  ON CONFLICT (account_id, collection_id, variant_id) DO UPDATE SET
    held = excluded.held, held_cost = excluded.held_cost, held_unknown = excluded.held_unknown;
  IF more = 0 AND more_of_priced = 0 THEN RETURN; END IF;
  UPDATE collection c SET invested = c.invested + more, profit = c.profit + more, gain = c.gain - more_of_priced
  WHERE c.account_id = of_account AND c.id = of_collection;
END $$;
--> statement-breakpoint
-- Makes a collection. Nothing where the account has all the collections, or valued ones, that it may have.
CREATE FUNCTION create_collection(of_account uuid, new_id text, new_name text, at timestamptz, is_valued boolean, new_kind text)
RETURNS SETOF collection
LANGUAGE plpgsql AS $$
DECLARE
  new_currency text;
  new_basis text;
  market bigint;
  made collection;
BEGIN
  UPDATE account a SET collection_count = a.collection_count + 1,
    valued_collection_count = a.valued_collection_count + is_valued::integer
  WHERE a.account_id = of_account AND a.collection_count < a.max_collections
    AND (NOT is_valued OR a.valued_collection_count < a.max_valued_collections)
  RETURNING a.preferred_currency, a.cost_basis INTO new_currency, new_basis;
  IF NOT FOUND THEN RETURN; END IF;
  SELECT coalesce(sum(m.revision), 0) INTO market FROM market_data m WHERE m.kind IN ('prices', 'rates');
  INSERT INTO collection AS c (account_id, id, name, created_at, valued, kind, currency, cost_basis, market_revision)
  VALUES (of_account, new_id, new_name, at, is_valued, new_kind, new_currency, new_basis, -market - 1)
  RETURNING c.* INTO made;
  INSERT INTO event (account_id, stream, sequence, kind, variant_ids) VALUES (of_account, new_id, made.revision, 'Created', '[]');
  RETURN NEXT made;
END $$;
--> statement-breakpoint
-- Changes what is not null of a collection. The account's row is locked first, so that the number of valued collections holds in a race. A
-- wish list is never valued. Nothing where it does not exist, has none of the `revisions` (null for any), or would be one valued too many.
CREATE FUNCTION update_collection(of_account uuid, of_collection text, new_name text, is_valued boolean, new_description text,
  is_pinned boolean, new_image integer, revisions jsonb)
RETURNS SETOF collection
LANGUAGE plpgsql AS $$
DECLARE
  has_room boolean;
  was collection;
  made collection;
BEGIN
  SELECT a.valued_collection_count < a.max_valued_collections INTO has_room FROM account a
  WHERE a.account_id = of_account FOR NO KEY UPDATE;
  SELECT c.* INTO was FROM collection c
  WHERE c.account_id = of_account AND c.id = of_collection AND NOT c.deleted FOR NO KEY UPDATE;
  IF NOT FOUND OR NOT (revisions IS NULL OR revisions @> to_jsonb(was.revision))
    OR is_valued AND (was.kind <> 'Collection' OR NOT was.valued AND NOT has_room)
  THEN RETURN; END IF;
  UPDATE collection c SET
    name = coalesce(new_name, c.name), valued = coalesce(is_valued, c.valued), description = coalesce(new_description, c.description),
    pinned = coalesce(is_pinned, c.pinned), image = coalesce(new_image, c.image), revision = c.revision + 1,
    market_revision = c.market_revision - 1
  WHERE c.account_id = of_account AND c.id = of_collection
  RETURNING c.* INTO made;
  IF made.valued <> was.valued THEN
    UPDATE account a SET valued_collection_count = a.valued_collection_count + made.valued::integer - was.valued::integer
    WHERE a.account_id = of_account;
  END IF;
  INSERT INTO event (account_id, stream, sequence, kind, variant_ids) VALUES (of_account, of_collection, made.revision, 'Updated', '[]');
  RETURN NEXT made;
END $$;
--> statement-breakpoint
-- Stores what collections are worth (`made`, a list of `{id, state, marketValue, gain, unpriced, unknownCost, unknownCostValue}`), where those of
-- `pricing_revision` are still the newest prices and rates, and the row is still the one of that state. One that somebody writes at the moment is left
-- to the next reader: nobody waits. Gives those that are stored, their state before and now, and whether the value is another one, which is an event.
CREATE FUNCTION store_values(of_account uuid, made jsonb, pricing_revision bigint)
RETURNS TABLE (stored collection, state text, was text, is_other boolean)
LANGUAGE plpgsql AS $$
DECLARE
  x record;
  old collection;
BEGIN
  PERFORM FROM market_data m WHERE m.kind IN ('prices', 'rates') HAVING coalesce(sum(m.revision), 0) = pricing_revision;
  IF NOT FOUND THEN RETURN; END IF;
  FOR x IN
    SELECT * FROM jsonb_to_recordset(made) AS v (id text, state text, "marketValue" numeric, gain numeric, unpriced bigint,
      "unknownCost" bigint, "unknownCostValue" numeric)
    -- In one order for all who lock them.
    ORDER BY v.id
  LOOP
    SELECT c.* INTO old FROM collection c
    WHERE c.account_id = of_account AND c.id = x.id AND concat_ws(' ', c.revision, c.xmin) = x.state
    FOR NO KEY UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND;
    is_other := (old.market_value, old.gain, old.unpriced, old.unknown_cost, old.unknown_cost_value)
      IS DISTINCT FROM (x."marketValue", x.gain, x.unpriced, x."unknownCost", x."unknownCostValue");
    UPDATE collection c SET market_value = x."marketValue", gain = x.gain, unpriced = x.unpriced, unknown_cost = x."unknownCost",
      unknown_cost_value = x."unknownCostValue", revision = c.revision + is_other::integer,
      market_revision = -pricing_revision - c.revision - is_other::integer
    WHERE c.account_id = of_account AND c.id = x.id
    RETURNING c.* INTO stored;
    IF is_other THEN
      INSERT INTO event (account_id, stream, sequence, kind, variant_ids) VALUES (of_account, x.id, stored.revision, 'Revalued', '[]');
    END IF;
    SELECT concat_ws(' ', c.revision, c.xmin) INTO state FROM collection c WHERE c.account_id = of_account AND c.id = x.id;
    was := x.state;
    RETURN NEXT;
  END LOOP;
END $$;
