SELECT raise_tenant_wall('sub_account');
--> statement-breakpoint
-- An account makes, and takes away, the rows of those below it.
ALTER POLICY own_account ON account USING (
  account_id = nullif(current_setting('cardledger.account_id', true), '')::uuid
  OR parent_id = nullif(current_setting('cardledger.account_id', true), '')::uuid
);
