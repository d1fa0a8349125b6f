-- The second wall between accounts: requests write as the role cardledger_tenant (src/db/tenant-role.ts), which sees and
-- changes no row but the account's. For each new table with an account: SELECT raise_tenant_wall('its_name');
CREATE FUNCTION raise_tenant_wall(tenant_table regclass) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', tenant_table);
  -- The user that owns the tables does the work on all accounts, such as imports, and is a member of the role: what counts
  -- is as whom it works.
  EXECUTE format($policy$CREATE POLICY own_account ON %s
    USING (account_id = nullif(current_setting('cardledger.account_id', true), '')::uuid OR current_user <> 'cardledger_tenant')$policy$, tenant_table);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO cardledger_tenant', tenant_table);
END $$;
--> statement-breakpoint
DO $$ BEGIN EXECUTE format('GRANT USAGE ON SCHEMA %I TO cardledger_tenant', current_schema()); END $$;
--> statement-breakpoint
GRANT SELECT ON product, variant, price, price_year, price_history, price_day, sale_volumes, fx_rate, pull_rate_set, product_ev, product_ev_history, market_data TO cardledger_tenant;
--> statement-breakpoint
SELECT raise_tenant_wall('account');
--> statement-breakpoint
SELECT raise_tenant_wall('collection');
--> statement-breakpoint
SELECT raise_tenant_wall('transaction');
--> statement-breakpoint
SELECT raise_tenant_wall('holding');
--> statement-breakpoint
SELECT raise_tenant_wall('idempotency_key');
--> statement-breakpoint
SELECT raise_tenant_wall('event');
--> statement-breakpoint
SELECT raise_tenant_wall('event_stream');
--> statement-breakpoint
SELECT raise_tenant_wall('price_alert');
