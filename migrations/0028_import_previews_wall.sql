SELECT raise_tenant_wall('import_preview');
--> statement-breakpoint
SELECT raise_tenant_wall('import_preview_row');
