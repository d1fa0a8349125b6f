SELECT raise_tenant_wall('webhook');
--> statement-breakpoint
SELECT raise_tenant_wall('webhook_delivery');
--> statement-breakpoint
INSERT INTO webhook_feed (id, read_from, number) VALUES (1, now(), 0);
