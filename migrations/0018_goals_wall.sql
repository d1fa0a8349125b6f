SELECT raise_tenant_wall('goal');
--> statement-breakpoint
SELECT raise_tenant_wall('goal_item');
