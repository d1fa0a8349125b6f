SELECT raise_tenant_wall('identity_provider');
--> statement-breakpoint
SELECT raise_tenant_wall('former_sub_account');
