-- The policies are for the role cardledger_tenant alone. Before, they held the owner of the tables as well, and let it pass by
-- a condition, which cost its reads up to a quarter and their index conditions on values, and kept it from pg_dump.
CREATE OR REPLACE FUNCTION raise_tenant_wall(tenant_table regclass) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY', tenant_table);
  EXECUTE format('DROP POLICY IF EXISTS own_account ON %s', tenant_table);
  EXECUTE format($policy$CREATE POLICY own_account ON %s TO cardledger_tenant
    USING (account_id = nullif(current_setting('cardledger.account_id', true), '')::uuid)$policy$, tenant_table);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO cardledger_tenant', tenant_table);
END $$;
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
